import PostgresStore
import RemoteSink
import Testing

@testable import cuff_gateway

@Suite struct GatewayStateTests {
    private let key = "cuff.pi-7.00091ffffe000101.u1.reading"

    private func message(_ tag: UInt64, _ id: String, key: String? = nil) -> GatewayState.Message {
        let body =
            #"{"type":"blood_pressure","schema":1,"id":"\#(id)","driver":"phd","measured":"2026-05-05T07:33:00+02:00","origin":"memory"}"#
        return GatewayState.Message(tag: tag, routingKey: key ?? self.key, body: Array(body.utf8))
    }

    private func item(_ message: GatewayState.Message) -> ReadingStatement.Item {
        guard let reading = ReadingLine(message.body) else { preconditionFailure("not a reading") }
        return ReadingStatement.Item(reading, machine: "pi-7")
    }

    /// The machine of `key` has sent something; noted once a minute.
    private let note = GatewayState.Effect.note([MachineStatement.Report("pi-7")])

    private func running() -> GatewayState {
        var state = GatewayState()
        #expect(state.handle(.time, at: 0) == [.connectDatabase])
        #expect(state.handle(.database(.connected), at: 0) == [.connectBroker])
        #expect(state.handle(.brokerConnected, at: 0) == [.tell("storing readings from the queue")])
        return state
    }

    @Test func acknowledgement_ComesAfterTheCommit() {
        var state = running()
        let messages = [message(1, "a"), message(2, "b")]
        for message in messages { #expect(state.handle(.delivered(message), at: 1) == []) }
        #expect(state.wakeAt == 1.05)
        #expect(state.handle(.time, at: 1.05) == [.store(messages.map(item))])
        #expect(state.handle(.delivered(message(3, "c")), at: 1.06) == [])
        #expect(state.handle(.database(.committed), at: 1.07) == [note])
        #expect(state.handle(.database(.committed), at: 1.08) == [.acknowledge(2)])
        #expect(state.handle(.time, at: 1.2) == [.store([item(message(3, "c"))])])
    }

    @Test func aFullBatch_DoesNotWait() {
        var state = running()
        var effects: [GatewayState.Effect] = []
        for tag in 1...200 { effects += state.handle(.delivered(message(UInt64(tag), "r\(tag)")), at: 1) }
        guard case .store(let items)? = effects.first else { return #expect(Bool(false), "\(effects)") }
        #expect(items.count == 200 && effects.count == 1)
    }

    /// `cuff-sink-mqtt --check` sends one to see whether it may.
    @Test func emptyMessages_AreAcknowledged_AndKeptNowhere() {
        var state = running()
        _ = state.handle(.delivered(GatewayState.Message(tag: 1, routingKey: key, body: [])), at: 1)
        #expect(state.handle(.time, at: 1.05) == [note])
        #expect(state.handle(.database(.committed), at: 1.06) == [.acknowledge(1)])
        _ = state.handle(.delivered(GatewayState.Message(tag: 2, routingKey: key, body: [])), at: 2)
        _ = state.handle(.delivered(message(3, "a")), at: 2)
        #expect(state.handle(.time, at: 2.05) == [.store([item(message(3, "a"))])])
        #expect(state.handle(.database(.committed), at: 2.1) == [.acknowledge(3)])
    }

    @Test func whatCannotBeStored_IsSetAsideBeforeTheAcknowledgement() {
        var state = running()
        let garbage = GatewayState.Message(tag: 2, routingKey: key, body: [0xFF])
        let timeless = GatewayState.Message(tag: 3, routingKey: key, body: Array(#"{"type":"blood_pressure","id":"t"}"#.utf8))
        let bad = message(4, "bad")
        for message in [message(1, "a"), garbage, timeless, bad] { _ = state.handle(.delivered(message), at: 1) }
        #expect(state.handle(.time, at: 2) == [.store([item(message(1, "a")), item(bad)])])
        let fault = ServerFault(.reading, "out of range (22003)")
        #expect(state.handle(.database(.failed(fault)), at: 2) == [.store([item(message(1, "a"))])])
        #expect(state.handle(.database(.committed), at: 2) == [.store([item(bad)])])
        let refused = [
            GatewayState.Refused(routingKey: key, body: garbage.body, reason: "not a reading from cuff"),
            GatewayState.Refused(routingKey: key, body: timeless.body, reason: "no usable time: the reading has no `measured`"),
            GatewayState.Refused(routingKey: key, body: bad.body, reason: "out of range (22003)"),
        ]
        #expect(state.handle(.database(.failed(fault)), at: 2) == [.setAside(refused)])
        #expect(
            state.handle(.database(.committed), at: 2) == [
                .tell("set aside 3 messages in cuff.refused: not a reading from cuff"), note,
            ])
        #expect(state.handle(.database(.committed), at: 2) == [.acknowledge(4)])
        #expect(state.storedCount == 1 && state.refusedCount == 3)
    }

    @Test func aReportThatDoesNotFit_DoesNotStopReadings() {
        var state = running()
        let report = GatewayState.Message(tag: 1, routingKey: "cuff.pi-7.heartbeat.status", body: Array(#"{"version":"\u0000"}"#.utf8))
        for message in [report, message(2, "a")] { _ = state.handle(.delivered(message), at: 1) }
        #expect(state.handle(.time, at: 2) == [.store([item(message(2, "a"))])])
        guard case .note? = state.handle(.database(.committed), at: 2).first else { return #expect(Bool(false)) }
        let fault = ServerFault(.reading, "unsupported Unicode escape sequence (22P05)")
        #expect(
            state.handle(.database(.failed(fault)), at: 2) == [
                .tell("a machine's report is left out: unsupported Unicode escape sequence (22P05)"), .acknowledge(2),
            ])
    }

    @Test(arguments: [ServerFault.Kind.later, .configuration, .reading]) func aFaultWhileNoting_StopsNoReadings(_ kind: ServerFault.Kind) {
        var state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        _ = state.handle(.time, at: 2)
        #expect(state.handle(.database(.committed), at: 2) == [note])
        let fault = ServerFault(kind, "no")
        #expect(state.handle(.database(.failed(fault)), at: 2) == [.tell("a machine's report is left out: no"), .acknowledge(1)])
        // A lost connection is one, whatever was done at that time.
        _ = state.handle(.delivered(message(2, "b")), at: 62)
        _ = state.handle(.time, at: 63)
        #expect(state.handle(.database(.committed), at: 63) == [note])
        let lost = ServerFault(kind, "lost", isConnectionLost: true)
        #expect(state.handle(.database(.failed(lost)), at: 63) == [.disconnect, .tell("the database: lost")])
    }

    @Test func presenceAndCopies_AreAcknowledgedOnly() {
        var state = running()
        let status = GatewayState.Message(tag: 1, routingKey: "cuff.pi-7.status", body: Array("online".utf8))
        let copy = message(2, "a", key: "cuff.pi-7.00091ffffe000101.u1.state")
        for message in [status, copy] { _ = state.handle(.delivered(message), at: 1) }
        let online = GatewayState.Effect.note([MachineStatement.Report("pi-7", presence: "online")])
        #expect(state.handle(.time, at: 2) == [online])
        #expect(state.handle(.database(.committed), at: 2) == [.acknowledge(2)])
        #expect(Routing("cuff.pi-7.d.u1.reading").kind == .reading(machine: "pi-7"))
        #expect(Routing("cuff").kind == .reading(machine: ""))
    }

    @Test func aFault_EndsBothConnections_AndPausesGrow() {
        var state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        _ = state.handle(.time, at: 2)
        let away = ServerFault(.later, "away", isConnectionLost: true)
        #expect(state.handle(.database(.failed(away)), at: 3) == [.disconnect, .tell("the database: away")])
        // A commit that is reported late acknowledges nothing.
        #expect(state.handle(.database(.committed), at: 3) == [])
        var pauses: [Double] = []
        var now = 3.0
        for _ in 0..<10 {
            guard let wake = state.wakeAt else { break }
            pauses.append(wake - now)
            now = wake
            #expect(state.handle(.time, at: now) == [.connectDatabase])
            // The same sentence is said once.
            #expect(state.handle(.database(.failed(away)), at: now) == [.disconnect])
        }
        #expect(pauses.count == 10 && pauses.last == 30)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 + 1e-6 })
    }

    @Test func aBrokerThatIsLost_TakesItsBatchBack() {
        var state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        #expect(state.handle(.time, at: 2) == [.store([item(message(1, "a"))])])
        #expect(state.handle(.brokerFailed("gone"), at: 2) == [.disconnect, .tell("the broker: gone")])
        #expect(state.handle(.time, at: 2.2) == [.connectDatabase])
        _ = state.handle(.database(.connected), at: 2.3)
        _ = state.handle(.brokerConnected, at: 2.3)
        #expect(state.handle(.delivered(message(1, "a")), at: 2.4) == [])
        #expect(state.handle(.time, at: 2.5) == [.store([item(message(1, "a"))])])
        #expect(state.handle(.database(.committed), at: 2.6) == [.acknowledge(1)])
    }

    @Test func stop_FinishesTheBatch() {
        var state = running()
        #expect(state.handle(.stop, at: 1) == [.disconnect, .exit])
        state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        _ = state.handle(.time, at: 2)
        #expect(state.handle(.stop, at: 3) == [])
        #expect(state.handle(.database(.committed), at: 4) == [note])
        #expect(state.handle(.database(.committed), at: 4) == [.acknowledge(1), .disconnect, .exit])
        state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        _ = state.handle(.time, at: 2)
        _ = state.handle(.stop, at: 3)
        #expect(state.handle(.time, at: 8) == [.disconnect, .exit])
    }

    @Test func silenceOfTheDatabase_IsAFault() {
        var state = running()
        _ = state.handle(.delivered(message(1, "a")), at: 1)
        _ = state.handle(.time, at: 2)
        #expect(state.handle(.time, at: 32) == [.disconnect, .tell("the database: no answer within 30 s")])
    }
}

@Suite struct ArgumentTests {
    @Test func addresses() throws {
        let plain = try BrokerAddress("amqp://gateway@localhost/")
        #expect(plain.port == 5672 && plain.vhost == "/" && plain.user == "gateway" && !plain.isTLS)
        let other = try BrokerAddress("amqps://gate%40way@mq.example.org:5999/ward?cafile=/etc/ca.pem")
        #expect(
            other.port == 5999 && other.vhost == "ward" && other.user == "gate@way" && other.authorities == "/etc/ca.pem" && other.isTLS)
        #expect(try BrokerAddress("amqp://g@127.0.0.1/%2F").vhost == "/")
    }

    @Test(arguments: [
        "amqp://gateway@mq.example.org/", "amqp://localhost/", "amqp://gateway:secret@localhost/", "mqtt://gateway@localhost/",
        "amqps://gateway@mq/?verify=no", "amqp://gateway@localhost/?cafile=/x", "",
    ]) func otherAddresses_AreRefused(text: String) { #expect(throws: ConfigurationFault.self) { try BrokerAddress(text) } }

    @Test func arguments() throws {
        #expect(try Arguments(["--from", "a", "--to", "b"]).to == "b")
        #expect(try Arguments(["--from", "a", "--setup", "--machine", "pi-7", "--machine", "pi-8"]).machines == ["pi-7", "pi-8"])
        #expect(try Arguments(["--check", "--from", "a", "--to", "b"]).isCheck)
    }

    @Test(arguments: [
        [], ["--from"], ["--from", "a"], ["--to", "b"], ["--from", "a", "--to", "b", "--setup"],
        ["--from", "a", "--to", "b", "--machine", "x"], ["--from", "a", "--check"], ["--from", "a", "--setup", "--check"],
        ["--from", "a", "--setup", "--machine", "pi.7"], ["--from", "a", "--setup", "--machine", "a b"], ["--from", "a", "--to", "b", "c"],
    ]) func otherArguments_AreRefused(words: [String]) { #expect(throws: ConfigurationFault.self) { try Arguments(words) } }
}
