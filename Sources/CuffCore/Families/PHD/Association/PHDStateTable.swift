/// The manager's state machine as a table: one row per state and event, with the number of the row in the standard's table (as in
/// Antidote's fsm.c, [C]) or another source.
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
    static let rows: [PHDRow] = disconnected + unassociated + waiting + checking + operating + disassociating

    private static func row(
        _ state: PHDState, _ input: PHDInput, _ act: PHDAct, _ next: PHDState, _ clause: StaticString
    ) -> PHDRow { PHDRow(state: state, input: input, act: act, next: next, clause: clause) }

    private static let disconnected: [PHDRow] = [
        row(.disconnected, .transportUp, .nothing, .unassociated, "1.1"),
        row(.disconnected, .transportDown, .nothing, .disconnected, "1.2"),
    ]

    private static let unassociated: [PHDRow] = [
        row(.unassociated, .transportUp, .nothing, .unassociated, "1.1"),
        row(.unassociated, .transportDown, .nothing, .disconnected, "2.2"),
        row(.unassociated, .requestKnown, .accept, .operating, "2.9"),
        row(.unassociated, .requestUnknown, .acceptUnknown, .waitingForConfiguration, "2.10"),
        row(.unassociated, .requestUnacceptable, .refuse, .unassociated, "2.11"),
        row(.unassociated, .associationResponse, .abort(0), .unassociated, "2.12"),
        row(.unassociated, .releaseRequest, .abort(0), .unassociated, "2.16"),
        row(.unassociated, .releaseResponse, .nothing, .unassociated, "2.17"),
        row(.unassociated, .abort, .nothing, .unassociated, "2.18"),
        row(.unassociated, .configurationReport, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .confirmedReport, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .unconfirmedReport, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .invocation, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .answer, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .strayAnswer, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .badlyStructured, .abort(0), .unassociated, "2.19"),
        row(.unassociated, .unknownMessage, .abort(0), .unassociated, "2.19"),
        // Noise is never answered.
        row(.unassociated, .unreadable, .nothing, .unassociated, "§2.3"),
        row(.unassociated, .violation, .nothing, .unassociated, "§2.3"),
        row(.unassociated, .oversize, .nothing, .unassociated, "§2.3"),
        row(.unassociated, .release, .nothing, .unassociated, "2.6"),
        row(.unassociated, .abandon, .nothing, .unassociated, "2.7"),
        row(.unassociated, .timeout, .nothing, .unassociated, "§9.1"),
    ]

    private static let waiting: [PHDRow] =
        shared(.waitingForConfiguration, "6", timeout: PHDAbortReason.configurationTimeout) + [
            row(.waitingForConfiguration, .configurationReport, .evaluate, .checkingConfiguration, "6.23"),
            row(.waitingForConfiguration, .confirmedReport, .error(PHDError.noSuchObjectInstance), .waitingForConfiguration, "6.24"),
            row(.waitingForConfiguration, .unconfirmedReport, .nothing, .waitingForConfiguration, "§9, policy"),
            row(.waitingForConfiguration, .invocation, .error(PHDError.noSuchObjectInstance), .waitingForConfiguration, "6.25"),
            row(.waitingForConfiguration, .answer, .complete, .waitingForConfiguration, "6.26"),
            row(.waitingForConfiguration, .strayAnswer, .abort(0), .unassociated, "6.26"),
            row(
                .waitingForConfiguration, .badlyStructured, .reject(PHDProblem.badlyStructuredAPDU), .waitingForConfiguration, "§2.4"),
            row(.waitingForConfiguration, .unknownMessage, .reject(PHDProblem.unrecognizedAPDU), .waitingForConfiguration, "§2.4"),
        ]

    /// A transient state: a configuration is evaluated within the event that brought it.
    private static let checking: [PHDRow] =
        shared(.checkingConfiguration, "7", timeout: PHDAbortReason.configurationTimeout) + [
            row(.checkingConfiguration, .configurationAccepted, .confirmConfiguration, .operating, "7.32"),
            row(.checkingConfiguration, .configurationRefused, .refuseConfiguration, .waitingForConfiguration, "7.31"),
            row(.checkingConfiguration, .configurationReport, .error(PHDError.noSuchObjectInstance), .checkingConfiguration, "7.24"),
            row(.checkingConfiguration, .confirmedReport, .error(PHDError.noSuchObjectInstance), .checkingConfiguration, "7.24"),
            row(.checkingConfiguration, .unconfirmedReport, .nothing, .checkingConfiguration, "§9, policy"),
            row(.checkingConfiguration, .invocation, .error(PHDError.noSuchObjectInstance), .unassociated, "7.25"),
            row(.checkingConfiguration, .answer, .complete, .checkingConfiguration, "7.26"),
            row(.checkingConfiguration, .strayAnswer, .abort(0), .unassociated, "7.26"),
            row(.checkingConfiguration, .badlyStructured, .reject(PHDProblem.badlyStructuredAPDU), .waitingForConfiguration, "§9"),
            row(.checkingConfiguration, .unknownMessage, .reject(PHDProblem.unrecognizedAPDU), .checkingConfiguration, "§2.4"),
        ]

    private static let operating: [PHDRow] =
        shared(.operating, "8", timeout: PHDAbortReason.responseTimeout) + [
            row(.operating, .configurationReport, .error(PHDError.noSuchAction), .operating, "§9, policy"),
            row(.operating, .confirmedReport, .process, .operating, "8.21"),
            row(.operating, .unconfirmedReport, .process, .operating, "8.21"),
            row(.operating, .invocation, .reject(PHDProblem.unrecognizedOperation), .operating, "8.21"),
            row(.operating, .answer, .complete, .operating, "8.26"),
            row(.operating, .strayAnswer, .nothing, .operating, "8.26, lenient"),
            row(.operating, .badlyStructured, .reject(PHDProblem.badlyStructuredAPDU), .operating, "§2.4"),
            row(.operating, .unknownMessage, .reject(PHDProblem.unrecognizedAPDU), .operating, "§2.4"),
        ]

    private static let disassociating: [PHDRow] = [
        row(.disassociating, .transportUp, .nothing, .disassociating, "1.1"),
        row(.disassociating, .transportDown, .nothing, .disconnected, "9.2"),
        row(.disassociating, .requestKnown, .abort(0), .unassociated, "9.8"),
        row(.disassociating, .requestUnknown, .abort(0), .unassociated, "9.8"),
        row(.disassociating, .requestUnacceptable, .abort(0), .unassociated, "9.8"),
        row(.disassociating, .associationResponse, .abort(0), .unassociated, "9.12"),
        row(.disassociating, .releaseRequest, .answerRelease, .disassociating, "9.16"),
        row(.disassociating, .releaseResponse, .nothing, .unassociated, "9.17"),
        row(.disassociating, .abort, .nothing, .unassociated, "9.18"),
        row(.disassociating, .configurationReport, .nothing, .disassociating, "9.21"),
        row(.disassociating, .confirmedReport, .nothing, .disassociating, "9.21"),
        row(.disassociating, .unconfirmedReport, .nothing, .disassociating, "9.21"),
        row(.disassociating, .invocation, .nothing, .disassociating, "9.21"),
        row(.disassociating, .answer, .nothing, .disassociating, "§9, policy"),
        row(.disassociating, .strayAnswer, .abort(0), .unassociated, "9.26"),
        row(.disassociating, .badlyStructured, .nothing, .disassociating, "9.21"),
        row(.disassociating, .unreadable, .abort(0), .unassociated, "§2.4"),
        row(.disassociating, .unknownMessage, .nothing, .disassociating, "9.21"),
        row(.disassociating, .violation, .abort(0), .unassociated, "§2.3"),
        row(.disassociating, .oversize, .abort(PHDAbortReason.bufferOverflow), .unassociated, "§2.2"),
        row(.disassociating, .release, .nothing, .disassociating, "9.6"),
        row(.disassociating, .abandon, .abort(0), .unassociated, "9.7"),
        row(.disassociating, .timeout, .abort(PHDAbortReason.responseTimeout), .unassociated, "9.4"),
    ]

    /// The rows common to Waiting, Checking and Operating; `chapter` is their number in the table.
    private static func shared(_ state: PHDState, _ chapter: Character, timeout: UInt16) -> [PHDRow] {
        func clause(_ six: StaticString, _ seven: StaticString, _ eight: StaticString) -> StaticString {
            chapter == "6" ? six : chapter == "7" ? seven : eight
        }
        return [
            row(state, .transportUp, .nothing, state, "1.1"),
            row(state, .transportDown, .nothing, .disconnected, clause("6.2", "7.2", "8.2")),
            row(state, .requestKnown, .abort(0), .unassociated, clause("6.8", "7.8", "8.8")),
            row(state, .requestUnknown, .abort(0), .unassociated, clause("6.8", "7.8", "8.8")),
            row(state, .requestUnacceptable, .abort(0), .unassociated, clause("6.8", "7.8", "8.8")),
            row(state, .associationResponse, .abort(0), .unassociated, clause("6.12", "7.12", "8.12")),
            row(state, .releaseRequest, .answerRelease, .unassociated, clause("6.16", "7.16", "8.16")),
            row(state, .releaseResponse, .abort(0), .unassociated, clause("6.17", "7.17", "8.17")),
            row(state, .abort, .nothing, .unassociated, clause("6.18", "7.18", "8.18")),
            row(state, .unreadable, .abort(0), .unassociated, "§2.4"),
            row(state, .violation, .abort(0), .unassociated, "§2.3"),
            row(state, .oversize, .abort(PHDAbortReason.bufferOverflow), .unassociated, "§2.2"),
            row(state, .release, .requestRelease, .disassociating, clause("6.6", "7.6", "8.6")),
            row(state, .abandon, .abort(0), .unassociated, clause("6.7", "7.7", "8.7")),
            row(state, .timeout, .abort(timeout), .unassociated, clause("6.4", "7.4", "8.4")),
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
