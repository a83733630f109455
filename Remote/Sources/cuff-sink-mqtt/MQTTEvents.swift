import RemoteSink

extension MQTTState {
    struct Limits: Sendable {
        /// The most unacknowledged readings; libmosquitto and all brokers allow this many.
        var published = 20
        /// The protocol's limit of unanswered lines; reading pauses there.
        var unanswered = 1000
        /// The most users of cuffs; each keeps its newest reading in memory.
        var slots = 1000
        /// From the first byte to CONNACK. A broker to which a whole fleet reconnects is slow; giving up wastes its work.
        var connect = 50.0
        /// The limit for a broker's answer. `cuff` gives up after 60 s.
        var answer = 45.0
        /// Most brokers send retained messages right after they confirm a subscription, some a little later.
        var retained = 0.2
        /// Reading back our `online` takes no longer, unless there is no permission to read.
        var proof = 3.0
        /// After the end of input: limit without progress, and in total.
        var farewell = 5.0
        var longestFarewell = 10.0
        /// Pauses double. After an attempt that took long the pause is at least twice as long.
        var firstPause = 1.0
        var longestPause = 30.0
        /// A random factor of all pauses, so that the machines of a fleet do not reconnect at the same moment.
        var spread = 1.0
    }

    typealias Token = Int

    enum Event: Sendable {
        case reading(ReadingLine)
        case unreadable
        /// What `cuff` says about this machine.
        case status(JSONValue)
        case inputClosed
        /// CONNACK accepted it.
        case connected
        case ended(Ending)
        case acknowledged(Token, Verdict)
        case subscribed(String, isGranted: Bool)
        case unsubscribed(String)
        case message(topic: String, payload: [UInt8])
        /// A timer may have expired.
        case time
    }

    enum Ending: Sendable, Equatable {
        /// The broker does not support MQTT 5.
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
        /// Disconnect without the last will.
        case disconnect
        case drop
        case exit
    }
}
