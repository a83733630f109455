import RemoteSink

/// Users, permissions and policies, as JSON for `rabbitmqctl import_definitions` and as single commands.
struct Definitions {
    struct User {
        let name, password: String
        var tags: [String] = []
    }
    struct Permission { let user, vhost, configure, write, read: String }
    struct TopicPermission { let user, vhost, exchange, write, read: String }

    var users: [User] = []
    var permissions: [Permission] = []
    var topicPermissions: [TopicPermission] = []
    /// The virtual hosts in which messages that no queue accepts go to the queue `unrouted`.
    var unroutedPolicies: [String] = []

    private static let policy = (name: "cuff-unrouted", pattern: "^amq\\.topic$", scope: "exchanges")
    private static let policyDefinition = object([("alternate-exchange", JSONValue.quoted(Setup.unrouted))])

    var json: String {
        let quoted = JSONValue.quoted
        return Self.object([
            (
                "users",
                Self.array(
                    users.map {
                        Self.object([
                            ("name", quoted($0.name)), ("password", quoted($0.password)), ("tags", Self.array($0.tags.map(quoted))),
                        ])
                    })
            ),
            (
                "permissions",
                Self.array(
                    permissions.map {
                        Self.object([
                            ("user", quoted($0.user)), ("vhost", quoted($0.vhost)), ("configure", quoted($0.configure)),
                            ("write", quoted($0.write)), ("read", quoted($0.read)),
                        ])
                    })
            ),
            (
                "topic_permissions",
                Self.array(
                    topicPermissions.map {
                        Self.object([
                            ("user", quoted($0.user)), ("vhost", quoted($0.vhost)), ("exchange", quoted($0.exchange)),
                            ("write", quoted($0.write)), ("read", quoted($0.read)),
                        ])
                    })
            ),
            (
                "policies",
                Self.array(
                    unroutedPolicies.map {
                        Self.object([
                            ("vhost", quoted($0)), ("name", quoted(Self.policy.name)), ("pattern", quoted(Self.policy.pattern)),
                            ("apply-to", quoted(Self.policy.scope)), ("priority", "0"), ("definition", Self.policyDefinition),
                        ])
                    })
            ),
        ])
    }

    /// The same as arguments of `rabbitmqctl`, without passwords: `add_user` prompts for them.
    var commands: [[String]] {
        users.map { ["add_user", $0.name] }
            + permissions.map { ["set_permissions", "-p", $0.vhost, $0.user, $0.configure, $0.write, $0.read] }
            + topicPermissions.map { ["set_topic_permissions", "-p", $0.vhost, $0.user, $0.exchange, $0.write, $0.read] }
            + unroutedPolicies.map {
                ["set_policy", "-p", $0, "--apply-to", Self.policy.scope, Self.policy.name, Self.policy.pattern, Self.policyDefinition]
            }
    }

    private static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(JSONValue.quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }
}
