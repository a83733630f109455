import CuffIngest

extension SinkFault: Hinted {
    var hint: String {
        switch self {
        case .unknown(_, _, let nearest): nearest.map { "did you mean `\($0)`?" } ?? "write e.g. sqlite:bp.db"
        case .noHelper(_, _, _, _, let nearest, let known):
            nearest.map { "did you mean `\($0)`?" } ?? "built in are \(known.joined(separator: ", "))"
        case .helperMissing(_, let program, _): "install the helper \(program)"
        case .malformed(_, _, let example): "write e.g. \(example)"
        case .secretInAddress(_, _, let program, let credential):
            "leave it out there, and " + (credential.map(Self.keeping) ?? Self.otherwise(program))
        case .noProgram: "name it with its path; a shell's own words need exec:sh -c '…'"
        case .cannotStart: "run it in a shell to see why"
        case .ended: "what it printed on standard error says why; it is started again"
        case .wentAway, .later: "wait: the lines are kept and sent again; `cuff sinks` shows how many"
        case .outboxHeld: "end that run (`ps -C cuff` shows it), or give this one another database"
        case .unreachable: "check that a program is listening there"
        case .fatal: "correct that; it is tried again"
        case .protocolBroken: "see cuff-sink(7); without +ack no answer is expected"
        case .noOutbox: "add --sink sqlite:bp.db: its lines wait there"
        case .outboxFull: "see `cuff sinks`; readings are not asked for until it takes some"
        case .foreignFile: "name another file; this one was not changed"
        case .damagedLines: "no action needed: these readings were not acknowledged to the cuff"
        case .restless: "rotate it less often, or name another file"
        case .noIndex: "free some space for temporary files, or name a folder for them in TMPDIR, and run it again"
        case .noDatabase: "name one: cuff sinks --db FILE"
        case .noQueue: "`cuff sinks` lists them"
        case .dropNotConfirmed: "add --confirm drop"
        case .nothingAnnounced: "name the broker as `cuff sinks` does, e.g. mqtt://USER@HOST/"
        }
    }

    private static func keeping(_ secret: String) -> String {
        "write it to ~/.config/cuff/credentials/\(secret) (mode 0600), or for a service: LoadCredential=\(secret):FILE"
    }

    private static func otherwise(_ program: String) -> String {
        program == "cuff-sink-postgres"
            ? "write it to ~/.pgpass (mode 0600)" : "write it to a file (mode 0600) where \(program) looks for it"
    }
}
