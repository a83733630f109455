import RemoteSink

extension MQTTState {
    struct Limits: Sendable {
        /// Readings that are published and not acknowledged: what libmosquitto, and every broker, allows at one time.
        var published = 20
        /// As the protocol has it. More are not read.
        var unanswered = 1000
        /// Users of cuffs; each has its newest reading in memory.
        var slots = 1000
        /// From the first byte to CONNACK.
        var connect = 15.0
        /// A broker that owes an answer for so long is not working. `cuff` gives up after 60 s.
        var answer = 20.0
        /// Brokers send a retained message right after they confirm a subscription; some a little later.
        var retained = 0.2
        /// Our own `online` comes back at once, or there is no right to read it.
        var proof = 3.0
        /// After the end of the input: without progress, and at most.
        var farewell = 5.0
        var longestFarewell = 10.0
        var firstPause = 1.0
        var longestPause = 30.0
    }

    typealias Token = Int

    enum Event: Sendable {
        case reading(ReadingLine)
        case unreadable
        case inputClosed
        /// CONNACK accepted it.
        case connected
        case ended(Ending)
        case acknowledged(Token, Verdict)
        case subscribed(String, isGranted: Bool)
        case unsubscribed(String)
        case message(topic: String, payload: [UInt8])
        /// Nothing but time has passed.
        case time
    }

    enum Ending: Sendable, Equatable {
        /// The broker does not speak MQTT 5.
        case oldVersion
        /// It closed the connection before its CONNACK.
        case closedEarly(String)
        /// After its CONNACK, without a reason.
        case lost(String)
        case later(String)
        case fatal(String)
    }

    enum Effect: Sendable, Equatable {
        case connect(isVersion5: Bool)
        case publish(Token, topic: String, payload: String, isRetained: Bool)
        case subscribe(String)
        case unsubscribe(String)
        case answer(Answer)
        case say(String)
        /// End the connection in order: no last will.
        case disconnect
        /// Forget the connection without a word.
        case drop
        case exit
    }
}
