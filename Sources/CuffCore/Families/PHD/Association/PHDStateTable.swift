/// The manager's state machine as a table: one row per state and event, those of one number together, with the number of the row in the
/// standard's table (as in Antidote's fsm.c, [C]) or another source.
/// - Everything that affects the association's state is a row; `PHDSession` only looks rows up.
/// - A row has the answer and the next state. "Evaluate" and "process" lead to further events.
/// - Two rows differ from the standard, to keep readings: an unsolicited answer is ignored while Operating (the table aborts, 8.26), and an
///   unconfirmed report while Waiting is ignored rather than answered.
enum PHDState: UInt8, CaseIterable, Sendable {
    case disconnected, unassociated, waitingForConfiguration, checkingConfiguration, operating, disassociating

    var isAssociated: Bool {
        switch self {
        case .disconnected, .unassociated: false
        case .waitingForConfiguration, .checkingConfiguration, .operating, .disassociating: true
        }
    }
}

enum PHDInput: UInt8, CaseIterable, Sendable {
    case transportUp, transportDown
    /// AARQ: acceptable with a known or unknown configuration, or not acceptable.
    case requestKnown, requestUnknown, requestUnacceptable
    /// AARE, which only a manager may send.
    case associationResponse
    case releaseRequest, releaseResponse, abort
    case configurationReport
    /// The result of evaluating a configuration report.
    case configurationAccepted, configurationRefused
    case confirmedReport, unconfirmedReport
    /// GET, SET or ACTION from the agent; a manager has no objects.
    case invocation
    /// RORS, ROER or RORJ to a request of ours, or to none.
    case answer, strayAnswer
    /// A PRST with inconsistent lengths or an invalid report, with readable invoke-id; or without.
    case badlyStructured, unreadable
    case unknownMessage
    /// An impossible header; or one with an excessive length.
    case violation, oversize
    case release, abandon
    case timeout
}

enum PHDAct: Sendable, Hashable {
    case nothing
    case accept, acceptUnknown, refuse
    case abort(UInt16)
    case answerRelease
    case evaluate, confirmConfiguration, refuseConfiguration
    case process, complete
    case error(UInt16)
    case reject(UInt16)
    case requestRelease
}

struct PHDRow: Sendable {
    var state: PHDState
    var input: PHDInput
    var act: PHDAct
    var next: PHDState
    /// A row of the standard's state table, or with § a section of docs/PHD.md.
    var clause: StaticString
}

enum PHDStateTable {
    static let rows: [PHDRow] = [disconnected, unassociated, waiting, checking, operating, disassociating].flatMap { $0.joined() }

    private static func rows(
        _ state: PHDState, _ inputs: [PHDInput], _ act: PHDAct, _ next: PHDState, _ clause: StaticString
    ) -> [PHDRow] { inputs.map { PHDRow(state: state, input: $0, act: act, next: next, clause: clause) } }

    private static let disconnected: [[PHDRow]] = [
        rows(.disconnected, [.transportUp], .nothing, .unassociated, "1.1"),
        rows(.disconnected, [.transportDown], .nothing, .disconnected, "1.2"),
    ]

    private static let unassociated: [[PHDRow]] = [
        rows(.unassociated, [.transportUp], .nothing, .unassociated, "1.1"),
        rows(.unassociated, [.transportDown], .nothing, .disconnected, "2.2"),
        rows(.unassociated, [.requestKnown], .accept, .operating, "2.9"),
        rows(.unassociated, [.requestUnknown], .acceptUnknown, .waitingForConfiguration, "2.10"),
        rows(.unassociated, [.requestUnacceptable], .refuse, .unassociated, "2.11"),
        rows(.unassociated, [.associationResponse], .abort(0), .unassociated, "2.12"),
        rows(.unassociated, [.releaseRequest], .abort(0), .unassociated, "2.16"),
        rows(.unassociated, [.releaseResponse], .nothing, .unassociated, "2.17"),
        rows(.unassociated, [.abort], .nothing, .unassociated, "2.18"),
        rows(
            .unassociated,
            [
                .configurationReport, .confirmedReport, .unconfirmedReport, .invocation, .answer, .strayAnswer, .badlyStructured,
                .unknownMessage,
            ],
            .abort(0), .unassociated, "2.19"),
        // Noise is never answered.
        rows(.unassociated, [.unreadable, .violation, .oversize], .nothing, .unassociated, "§2.3"),
        rows(.unassociated, [.release], .nothing, .unassociated, "2.6"),
        rows(.unassociated, [.abandon], .nothing, .unassociated, "2.7"),
        rows(.unassociated, [.timeout], .nothing, .unassociated, "§9.1"),
    ]

    private static let waiting: [[PHDRow]] =
        shared(.waitingForConfiguration, "6", timeout: PHDAbortReason.configurationTimeout) + [
            rows(.waitingForConfiguration, [.configurationReport], .evaluate, .checkingConfiguration, "6.23"),
            rows(.waitingForConfiguration, [.confirmedReport], .error(PHDError.noSuchObjectInstance), .waitingForConfiguration, "6.24"),
            rows(.waitingForConfiguration, [.unconfirmedReport], .nothing, .waitingForConfiguration, "§9, policy"),
            rows(.waitingForConfiguration, [.invocation], .error(PHDError.noSuchObjectInstance), .waitingForConfiguration, "6.25"),
            rows(.waitingForConfiguration, [.answer], .complete, .waitingForConfiguration, "6.26"),
            rows(.waitingForConfiguration, [.strayAnswer], .abort(0), .unassociated, "6.26"),
            rows(.waitingForConfiguration, [.badlyStructured], .reject(PHDProblem.badlyStructuredAPDU), .waitingForConfiguration, "§2.4"),
            rows(.waitingForConfiguration, [.unknownMessage], .reject(PHDProblem.unrecognizedAPDU), .waitingForConfiguration, "§2.4"),
        ]

    /// A transient state: a configuration is evaluated within the event that brought it.
    private static let checking: [[PHDRow]] =
        shared(.checkingConfiguration, "7", timeout: PHDAbortReason.configurationTimeout) + [
            rows(.checkingConfiguration, [.configurationAccepted], .confirmConfiguration, .operating, "7.32"),
            rows(.checkingConfiguration, [.configurationRefused], .refuseConfiguration, .waitingForConfiguration, "7.31"),
            rows(.checkingConfiguration, [.configurationReport], .error(PHDError.noSuchObjectInstance), .checkingConfiguration, "7.24"),
            rows(.checkingConfiguration, [.confirmedReport], .error(PHDError.noSuchObjectInstance), .checkingConfiguration, "7.24"),
            rows(.checkingConfiguration, [.unconfirmedReport], .nothing, .checkingConfiguration, "§9, policy"),
            rows(.checkingConfiguration, [.invocation], .error(PHDError.noSuchObjectInstance), .unassociated, "7.25"),
            rows(.checkingConfiguration, [.answer], .complete, .checkingConfiguration, "7.26"),
            rows(.checkingConfiguration, [.strayAnswer], .abort(0), .unassociated, "7.26"),
            rows(.checkingConfiguration, [.badlyStructured], .reject(PHDProblem.badlyStructuredAPDU), .waitingForConfiguration, "§9"),
            rows(.checkingConfiguration, [.unknownMessage], .reject(PHDProblem.unrecognizedAPDU), .checkingConfiguration, "§2.4"),
        ]

    private static let operating: [[PHDRow]] =
        shared(.operating, "8", timeout: PHDAbortReason.responseTimeout) + [
            rows(.operating, [.configurationReport], .error(PHDError.noSuchAction), .operating, "§9, policy"),
            rows(.operating, [.confirmedReport, .unconfirmedReport], .process, .operating, "8.21"),
            rows(.operating, [.invocation], .reject(PHDProblem.unrecognizedOperation), .operating, "8.21"),
            rows(.operating, [.answer], .complete, .operating, "8.26"),
            rows(.operating, [.strayAnswer], .nothing, .operating, "8.26, lenient"),
            rows(.operating, [.badlyStructured], .reject(PHDProblem.badlyStructuredAPDU), .operating, "§2.4"),
            rows(.operating, [.unknownMessage], .reject(PHDProblem.unrecognizedAPDU), .operating, "§2.4"),
        ]

    private static let disassociating: [[PHDRow]] = [
        rows(.disassociating, [.transportUp], .nothing, .disassociating, "1.1"),
        rows(.disassociating, [.transportDown], .nothing, .disconnected, "9.2"),
        rows(.disassociating, [.requestKnown, .requestUnknown, .requestUnacceptable], .abort(0), .unassociated, "9.8"),
        rows(.disassociating, [.associationResponse], .abort(0), .unassociated, "9.12"),
        rows(.disassociating, [.releaseRequest], .answerRelease, .disassociating, "9.16"),
        rows(.disassociating, [.releaseResponse], .nothing, .unassociated, "9.17"),
        rows(.disassociating, [.abort], .nothing, .unassociated, "9.18"),
        rows(
            .disassociating,
            [.configurationReport, .confirmedReport, .unconfirmedReport, .invocation, .badlyStructured, .unknownMessage],
            .nothing, .disassociating, "9.21"),
        rows(.disassociating, [.answer], .nothing, .disassociating, "§9, policy"),
        rows(.disassociating, [.strayAnswer], .abort(0), .unassociated, "9.26"),
        rows(.disassociating, [.unreadable], .abort(0), .unassociated, "§2.4"),
        rows(.disassociating, [.violation], .abort(0), .unassociated, "§2.3"),
        rows(.disassociating, [.oversize], .abort(PHDAbortReason.bufferOverflow), .unassociated, "§2.2"),
        rows(.disassociating, [.release], .nothing, .disassociating, "9.6"),
        rows(.disassociating, [.abandon], .abort(0), .unassociated, "9.7"),
        rows(.disassociating, [.timeout], .abort(PHDAbortReason.responseTimeout), .unassociated, "9.4"),
    ]

    /// The rows common to Waiting, Checking and Operating; `chapter` is their number in the table.
    private static func shared(_ state: PHDState, _ chapter: Character, timeout: UInt16) -> [[PHDRow]] {
        func clause(_ six: StaticString, _ seven: StaticString, _ eight: StaticString) -> StaticString {
            chapter == "6" ? six : chapter == "7" ? seven : eight
        }
        return [
            rows(state, [.transportUp], .nothing, state, "1.1"),
            rows(state, [.transportDown], .nothing, .disconnected, clause("6.2", "7.2", "8.2")),
            rows(state, [.requestKnown, .requestUnknown, .requestUnacceptable], .abort(0), .unassociated, clause("6.8", "7.8", "8.8")),
            rows(state, [.associationResponse], .abort(0), .unassociated, clause("6.12", "7.12", "8.12")),
            rows(state, [.releaseRequest], .answerRelease, .unassociated, clause("6.16", "7.16", "8.16")),
            rows(state, [.releaseResponse], .abort(0), .unassociated, clause("6.17", "7.17", "8.17")),
            rows(state, [.abort], .nothing, .unassociated, clause("6.18", "7.18", "8.18")),
            rows(state, [.unreadable], .abort(0), .unassociated, "§2.4"),
            rows(state, [.violation], .abort(0), .unassociated, "§2.3"),
            rows(state, [.oversize], .abort(PHDAbortReason.bufferOverflow), .unassociated, "§2.2"),
            rows(state, [.release], .requestRelease, .disassociating, clause("6.6", "7.6", "8.6")),
            rows(state, [.abandon], .abort(0), .unassociated, clause("6.7", "7.7", "8.7")),
            rows(state, [.timeout], .abort(timeout), .unassociated, clause("6.4", "7.4", "8.4")),
        ]
    }

    private static let index: [PHDRow?] = {
        var index = [PHDRow?](repeating: nil, count: PHDState.allCases.count * PHDInput.allCases.count)
        for row in rows { index[place(row.state, row.input)] = row }
        return index
    }()

    @inline(__always)
    private static func place(_ state: PHDState, _ input: PHDInput) -> Int {
        Int(state.rawValue) * PHDInput.allCases.count + Int(input.rawValue)
    }

    static func row(_ state: PHDState, _ input: PHDInput) -> PHDRow? { index[place(state, input)] }
}
