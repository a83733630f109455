import RemoteSink
import Testing

@testable import cuff_gateway

@Suite struct SetupTests {
    @Test func definitions_AreTheJSONThatRabbitMQImports() throws {
        let definitions = Definitions(
            users: [.init(name: "pi-1", password: "a\"b")],
            permissions: [.init(user: "pi-1", vhost: "/", configure: "^$", write: "^amq\\.topic$", read: "^$")],
            topicPermissions: [.init(user: "pi-1", vhost: "/", exchange: "amq.topic", write: "w", read: "r")], unroutedPolicies: ["/"])
        let value = try #require(JSONValue(parsing: Array(definitions.json.utf8)))
        #expect(value["users"]?.array?.first?["password"]?.string == "a\"b")
        #expect(value["users"]?.array?.first?["tags"]?.array == [])
        #expect(value["permissions"]?.array?.first?["write"]?.string == "^amq\\.topic$")
        #expect(value["topic_permissions"]?.array?.first?["exchange"]?.string == "amq.topic")
        let policy = value["policies"]?.array?.first
        #expect(policy?["apply-to"]?.string == "exchanges")
        #expect(policy?["priority"]?.integer == 0)
        #expect(policy?["definition"]?["alternate-exchange"]?.string == "unrouted")
        let expiry = value["policies"]?.array?.last
        #expect(expiry?["apply-to"]?.string == "queues")
        #expect(expiry?["definition"]?["message-ttl"]?.integer == 30 * 24 * 60 * 60 * 1000)
    }

    @Test func subprocess_ReturnsOutputAndStatus() {
        let text = String(repeating: "reading\n", count: 1000)
        let copied = Subprocess.run(["cat"], input: Array(text.utf8))
        #expect(copied.status == 0)
        #expect(copied.output == text)
        let failed = Subprocess.run(["sh", "-c", "echo wrong >&2; exit 3"])
        #expect(failed.status == 3)
        #expect(failed.output == "wrong\n")
        #expect(Subprocess.run(["no-such-program-of-cuff"]).status != 0)
    }
}
