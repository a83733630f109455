import PostgresStore
import RemoteSink

/// What a message is for, by its routing key: `cuff.pi-1.00091f.u1.reading` is the topic `cuff/pi-1/00091f/u1/reading`.
struct Routing {
    enum Kind: Equatable {
        case reading(machine: String)
        /// `online` or `offline`.
        case presence(machine: String)
        /// What the machine says about itself.
        case heartbeat(machine: String)
        /// The copy of the newest reading, which is also delivered as a reading, and alerts, which follow from readings.
        case ignored
    }

    let kind: Kind

    init(_ key: String) {
        let words = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch words.last {
        case "state", "alert": kind = .ignored
        case "status" where words.count == 3: kind = .presence(machine: words[1])
        case "status" where words.count == 4 && words[2] == "heartbeat": kind = .heartbeat(machine: words[1])
        case "status": kind = .ignored
        default: kind = .reading(machine: words.count > 2 ? words[1] : "")
        }
    }
}

/// What the messages of a batch say about their machines: one report for each. A machine that only sends readings is noted once a minute.
struct MachineReports {
    private var noted: [String: Double] = [:]
    private var reports: [String: MachineStatement.Report] = [:]

    private static let pause = 60.0
    /// More names than any fleet has: then all are noted again.
    private static let mostNames = 200_000
    /// A heartbeat has some hundred bytes, and twenty for each cuff.
    private static let longest = 64 << 10

    mutating func add(_ kind: Routing.Kind, _ body: [UInt8], at now: Double) {
        switch kind {
        case .ignored: break
        case .presence(let machine):
            let text = String(decoding: body.prefix(20), as: UTF8.self)
            if text == "online" || text == "offline" { merge(.init(machine, presence: text)) }
        case .heartbeat(let machine):
            guard body.count <= Self.longest, let value = JSONValue(parsing: body), case .object = value else { break }
            noted[machine] = now
            merge(.init(machine, status: value))
        case .reading(let machine):
            guard !machine.isEmpty, noted[machine].map({ now - $0 >= Self.pause }) ?? true else { break }
            if noted.count >= Self.mostNames { noted = [:] }
            noted[machine] = now
            merge(.init(machine))
        }
    }

    private mutating func merge(_ report: MachineStatement.Report) {
        if reports[report.machine] == nil { reports[report.machine] = report } else { reports[report.machine]?.merge(report) }
    }

    /// The reports so far, which are then forgotten.
    mutating func take() -> [MachineStatement.Report] {
        defer { reports = [:] }
        return reports.values.sorted { $0.machine < $1.machine }
    }
}
