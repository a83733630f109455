import ArgumentParser
import CuffIngest

struct Web: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "web", "Prints the link that opens the live page on other devices, or revokes it.",
        """
        `web = "0.0.0.0:6025"` in [watch] of the configuration serves the page to other devices, which need this link once: it contains \
        a secret token, and a browser keeps it as a cookie. A page of this computer alone needs no token until there is one.
        """,
        examples: [
            "cuff web link": "One link for each network address of this computer.",
            "sudo cuff web link --system": "For the service.",
            "cuff web link --at https://cuff.example.org": "For a reverse proxy, which adds TLS.",
            "cuff web revoke": "All links printed so far stop working within ten seconds.",
        ], subcommands: [Link.self, Revoke.self])

    struct State: ParsableArguments {
        @Flag(help: "The service's page (default: this user's).") var system = false

        func path() throws -> String {
            guard let path = system ? WebToken.servicePath : WebToken.standardPath else {
                throw IngestError(.usage, "there is no home folder", hint: "set HOME or XDG_STATE_HOME")
            }
            return path
        }
    }

    struct Link: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "link", "Prints the links of the page with the token, which is created if there is none.",
            "Everyone with the link can see all readings. The token is stored in the state folder, readable by its owner alone.",
            examples: [
                "cuff web link": "To open, or to send to your own telephone.", "cuff web link | head -1 | qrencode -t utf8": "To scan.",
            ])
        @OptionGroup var state: State
        @Option(help: ArgumentHelp("The address that a reverse proxy serves.", valueName: "url")) var at: String?
        @OptionGroup var file: ConfigOption

        func run() throws {
            let isAddress = at.map { text in ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count } } ?? true
            guard isAddress else {
                throw IngestError(.usage, "`\(at ?? "")` is not the address of a page", hint: "write e.g. --at https://cuff.example.org")
            }
            let web = try CuffConfiguration.load(file.config).web
            guard at != nil || web != nil else {
                throw IngestError(
                    .usage, "the configuration serves no page",
                    hint: "add web = \"0.0.0.0:\(WebAddress.usualPort)\" to [watch], and restart the watch; of `cuff watch --web`, name "
                        + "the page: cuff web link --at http://HOST:\(WebAddress.usualPort)")
            }
            let path = try state.path()
            let token = try WebToken.stored(at: path) ?? WebToken.renewed(at: path)
            let bases = at.map { [$0] } ?? web?.reachable.map { "http://\($0)" } ?? []
            Terminal.put(bases.map { "\($0.hasSuffix("/") ? String($0.dropLast()) : $0)/?token=\(token.text)\n" }.joined())
            if at == nil, web?.isLocal == true {
                Terminal.say("cuff: only this computer can open this page; `web = \"0.0.0.0:6025\"` serves it to others")
            }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "revoke", "Replaces the token: links printed so far stop working.",
            examples: [
                "cuff web revoke": "Then `cuff web link` prints the new link.",
                "sudo cuff web revoke --system": "Of the service.",
            ])
        @OptionGroup var state: State

        func run() throws {
            try WebToken.renewed(at: try state.path())
            Terminal.say("cuff: links printed so far no longer work; `cuff web link\(state.system ? " --system" : "")` prints the new one")
        }
    }
}
