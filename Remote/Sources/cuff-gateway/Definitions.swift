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
    /// The virtual hosts in which messages that no queue accepts go to the queue `unrouted`, for a limited time.
    var unroutedPolicies: [String] = []

    private static let policies: [(name: String, pattern: String, scope: String, definition: String)] = [
        ("cuff-unrouted", "^amq\\.topic$", "exchanges", #"{"alternate-exchange":"\#(Setup.unrouted)"}"#),
        ("cuff-unrouted-expiry", "^\(Setup.unrouted)$", "queues", #"{"message-ttl":\#(Setup.unroutedDays * 86_400_000)}"#),
    ]

    var json: String {
        let quoted = JSONValue.quoted
        let users = users.map {
            [("name", quoted($0.name)), ("password", quoted($0.password)), ("tags", Self.array($0.tags.map(quoted)))]
        }
        let permissions = permissions.map {
            [("user", $0.user), ("vhost", $0.vhost), ("configure", $0.configure), ("write", $0.write), ("read", $0.read)]
                .map { ($0, quoted($1)) }
        }
        let topicPermissions = topicPermissions.map {
            [("user", $0.user), ("vhost", $0.vhost), ("exchange", $0.exchange), ("write", $0.write), ("read", $0.read)]
                .map { ($0, quoted($1)) }
        }
        let policies = unroutedPolicies.flatMap { vhost in
            Self.policies.map {
                [
                    ("vhost", quoted(vhost)), ("name", quoted($0.name)), ("pattern", quoted($0.pattern)), ("apply-to", quoted($0.scope)),
                    ("priority", "0"), ("definition", $0.definition),
                ]
            }
        }
        let parts = [
            ("users", users), ("permissions", permissions), ("topic_permissions", topicPermissions), ("policies", policies),
        ]
        return JSONValue.object(parts.map { ($0, Self.array($1.map { JSONValue.object($0) })) })
    }

    /// The same as arguments of `rabbitmqctl`, without passwords: `add_user` prompts for them.
    var commands: [[String]] {
        users.map { ["add_user", $0.name] }
            + permissions.map { ["set_permissions", "-p", $0.vhost, $0.user, $0.configure, $0.write, $0.read] }
            + topicPermissions.map { ["set_topic_permissions", "-p", $0.vhost, $0.user, $0.exchange, $0.write, $0.read] }
            + unroutedPolicies.flatMap { vhost in
                Self.policies.map { ["set_policy", "-p", vhost, "--apply-to", $0.scope, $0.name, $0.pattern, $0.definition] }
            }
    }

    private static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }
}
