enum PHDNames {
    static func attribute(_ id: UInt16) -> StaticString { attributes[id] ?? "attribute" }

    private static let attributes: [UInt16: StaticString] = [
        0x0921: "Handle", 0x0922: "Instance-Number", 0x0927: "Label-String", 0x0928: "System-Model", 0x092B: "Metric-Id",
        0x092D: "Production-Specification", 0x092F: "Type", 0x0914: "Confirm-Timeout", 0x0941: "Capacity-Count",
        0x0943: "Sample-Algorithm", 0x0944: "Usage-Count", 0x0947: "Measurement-Status", 0x094A: "Accuracy",
        0x094B: "Compound-Nu-Observed-Value", 0x0950: "Nu-Observed-Value", 0x0951: "Number-Of-Segments",
        0x0953: "Operational-State", 0x0955: "Power-Status", 0x096D: "Sa-Specification",
        0x096F: "Scale-and-Range-Specification", 0x0970: "Scale-and-Range-Specification",
        0x0971: "Scale-and-Range-Specification", 0x097B: "Segment-Usage-Count", 0x0984: "System-Id", 0x0986: "System-Type",
        0x0987: "Date-and-Time", 0x0988: "Remaining-Battery-Time", 0x098A: "Segment-End-Abs-Time", 0x098D: "Sample-Period",
        0x098F: "Relative-Time", 0x0990: "Absolute-Time-Stamp", 0x0991: "Relative-Time-Stamp",
        0x0992: "Segment-Start-Abs-Time", 0x0996: "Unit-Code", 0x0999: "Unit-LabelString", 0x099C: "Battery-Level",
        0x099E: "Enum-Observed-Value", 0x09E8: "HiRes-Relative-Time", 0x09E9: "HiRes-Time-Stamp",
        0x0A44: "Dev-Configuration-Id", 0x0A45: "Mds-Time-Info", 0x0A46: "Metric-Spec-Small",
        0x0A47: "Source-Handle-Reference", 0x0A48: "Simple-Sa-Observed-Value", 0x0A49: "Enum-Observed-Value-Simple-OID",
        0x0A4A: "Enum-Observed-Value-Simple-Str", 0x0A4B: "Reg-Cert-Data-List", 0x0A4C: "Basic-Nu-Observed-Value",
        0x0A4D: "PM-Store-Capab", 0x0A4E: "PM-Segment-Entry-Map", 0x0A4F: "Person-Id", 0x0A50: "Segment-Statistics",
        0x0A51: "Fixed-Segment-Data", 0x0A53: "Scan-Handle-Attr-Val-Map", 0x0A54: "Scan-Handle-List",
        0x0A55: "Attribute-Value-Map", 0x0A56: "Simple-Nu-Observed-Value", 0x0A57: "Store-Label", 0x0A58: "Segment-Label",
        0x0A59: "Measure-Active-Period", 0x0A5A: "System-Type-Spec-List", 0x0A5F: "Metric-Id-Partition",
        0x0A61: "Supplemental-Types", 0x0A62: "Date-and-Time-Adjustment", 0x0A63: "Clear-Timeout", 0x0A64: "Transfer-Timeout",
        0x0A65: "Enum-Observed-Value-Simple-Bit-Str", 0x0A66: "Enum-Observed-Value-Basic-Bit-Str",
        0x0A73: "Metric-Structure-Small", 0x0A74: "Compound-Simple-Nu-Observed-Value",
        0x0A75: "Compound-Basic-Nu-Observed-Value", 0x0A76: "Metric-Id-List", 0x0A81: "Base-Offset-Time",
        0x0A82: "Base-Offset-Time-Stamp",
    ]

    static func event(_ type: UInt16) -> StaticString { events[type] ?? "unknown event" }

    private static let events: [UInt16: StaticString] = [
        0x0D1C: "MDC_NOTI_CONFIG", 0x0D1D: "MDC_NOTI_SCAN_REPORT_FIXED", 0x0D1E: "MDC_NOTI_SCAN_REPORT_VAR",
        0x0D1F: "MDC_NOTI_SCAN_REPORT_MP_FIXED", 0x0D20: "MDC_NOTI_SCAN_REPORT_MP_VAR", 0x0D21: "MDC_NOTI_SEGMENT_DATA",
        0x0D22: "MDC_NOTI_UNBUF_SCAN_REPORT_VAR", 0x0D23: "MDC_NOTI_UNBUF_SCAN_REPORT_FIXED",
        0x0D24: "MDC_NOTI_UNBUF_SCAN_REPORT_GROUPED", 0x0D25: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_VAR",
        0x0D26: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_FIXED", 0x0D27: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_GROUPED",
        0x0D28: "MDC_NOTI_BUF_SCAN_REPORT_VAR", 0x0D29: "MDC_NOTI_BUF_SCAN_REPORT_FIXED",
        0x0D2A: "MDC_NOTI_BUF_SCAN_REPORT_GROUPED", 0x0D2B: "MDC_NOTI_BUF_SCAN_REPORT_MP_VAR",
        0x0D2C: "MDC_NOTI_BUF_SCAN_REPORT_MP_FIXED", 0x0D2D: "MDC_NOTI_BUF_SCAN_REPORT_MP_GROUPED",
    ]

    static func action(_ type: UInt16) -> StaticString { actions[type] ?? "unknown action" }

    private static let actions: [UInt16: StaticString] = [
        0x0C0C: "MDC_ACT_SEG_CLR", 0x0C0D: "MDC_ACT_SEG_GET_INFO", 0x0C17: "MDC_ACT_SET_TIME", 0x0C1B: "MDC_ACT_DATA_REQUEST",
        0x0C1C: "MDC_ACT_SEG_TRIG_XFER", 0x0C1D: "MDC_ACT_SET_BO_TIME", 0x0C1E: "MDC_ACT_SEG_GET_ID_LIST",
    ]

    static func message(_ choice: UInt16) -> StaticString { messages[choice] ?? "unknown choice" }

    private static let messages: [UInt16: StaticString] = [
        0x0100: "roiv event report (unconfirmed)", 0x0101: "roiv confirmed event report", 0x0103: "roiv get",
        0x0104: "roiv set (unconfirmed)", 0x0105: "roiv confirmed set", 0x0106: "roiv action (unconfirmed)",
        0x0107: "roiv confirmed action", 0x0201: "rors confirmed event report", 0x0203: "rors get",
        0x0205: "rors confirmed set", 0x0207: "rors confirmed action", 0x0300: "roer", 0x0400: "rorj",
    ]

    static func objectClass(_ code: UInt16) -> StaticString { objectClasses[code] ?? "unknown class" }

    private static let objectClasses: [UInt16: StaticString] = [
        4: "metric", 5: "enumeration", 6: "numeric", 9: "real-time sample array", 16: "scanner", 17: "configurable scanner",
        18: "episodic scanner", 19: "periodic scanner", 37: "MDS", 61: "PM-store", 62: "PM-segment",
    ]

    static func associationResult(_ result: UInt16) -> StaticString { associationResults[result] ?? "unknown result" }

    private static let associationResults: [UInt16: StaticString] = [
        0: "accepted", 1: "rejected-permanent", 2: "rejected-transient", 3: "accepted-unknown-config",
        4: "rejected-no-common-protocol", 5: "rejected-no-common-parameter", 6: "rejected-unknown",
        7: "rejected-unauthorized", 8: "rejected-unsupported-assoc-version",
    ]

    static func abortReason(_ reason: UInt16) -> StaticString { abortReasons[reason] ?? "unknown reason" }

    private static let abortReasons: [UInt16: StaticString] = [
        0: "undefined", 1: "buffer-overflow", 2: "response-timeout", 3: "configuration-timeout",
    ]

    static func releaseReason(_ reason: UInt16) -> StaticString { releaseReasons[reason] ?? "unknown reason" }

    private static let releaseReasons: [UInt16: StaticString] = [
        0: "normal", 1: "no-more-configurations", 2: "configuration-changed",
    ]

    static func configurationResult(_ result: UInt16) -> StaticString { configurationResults[result] ?? "unknown result" }

    private static let configurationResults: [UInt16: StaticString] = [
        0: "accepted-config", 1: "unsupported-config", 2: "standard-config-unknown",
    ]

    static func error(_ code: UInt16) -> StaticString { errors[code] ?? "unknown error" }

    private static let errors: [UInt16: StaticString] = [
        1: "no-such-object-instance", 2: "access-denied", 9: "no-such-action", 17: "invalid-object-instance",
        23: "protocol-violation", 24: "not-allowed-by-object", 25: "action-timed-out", 26: "action-aborted",
    ]

    static func problem(_ code: UInt16) -> StaticString { problems[code] ?? "unknown problem" }

    private static let problems: [UInt16: StaticString] = [
        0: "unrecognized-apdu", 2: "badly-structured-apdu", 101: "unrecognized-operation", 103: "resource-limitation",
        303: "unexpected-error",
    ]

    static func triggerResult(_ result: UInt16) -> StaticString { triggerResults[result] ?? "other" }

    private static let triggerResults: [UInt16: StaticString] = [
        0: "transfer follows", 1: "no such segment", 2: "clear in process, try later", 3: "segment empty",
    ]

    static func bits(_ value: UInt16, _ names: [(UInt16, StaticString)]) -> String {
        let words = names.filter { value & $0.0 != 0 }.map { $0.1.description }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }

    static let measurementStatus: [(UInt16, StaticString)] = [
        (0x8000, "invalid"), (0x4000, "questionable"), (0x2000, "not-available"), (0x1000, "calibration-ongoing"),
        (0x0800, "test-data"), (0x0400, "demo-data"), (0x0080, "validated"), (0x0040, "early-indication"), (0x0020, "ongoing"),
    ]

    static let powerStatus: [(UInt16, StaticString)] = [
        (0x8000, "on mains"), (0x4000, "on battery"), (0x0080, "charging, full rate"), (0x0040, "charging, trickle"),
        (0x0020, "not charging"),
    ]

    static func production(_ kind: UInt16) -> StaticString { productions[kind] ?? "unspecified" }

    private static let productions: [UInt16: StaticString] = [
        1: "serial number", 2: "part number", 3: "hardware revision", 4: "software revision", 5: "firmware revision",
        6: "protocol revision", 7: "GMDN",
    ]

    static let segmentStatus: [(UInt16, StaticString)] = [
        (0x8000, "contains first"), (0x4000, "contains last"), (0x0800, "agent aborts"), (0x0080, "manager confirms"),
        (0x0008, "manager aborts"),
    ]

    static let requestModes: [(UInt16, StaticString)] = [
        (0x8000, "stop"), (0x0800, "scope-all"), (0x0400, "scope-class"), (0x0200, "scope-handle"), (0x0080, "single-response"),
        (0x0040, "time-period"), (0x0020, "time-no-limit"), (0x0010, "person-id"), (0x0001, "agent-initiated"),
    ]

    static let metricSpecification: [(UInt16, StaticString)] = [
        (0x8000, "intermittent"), (0x4000, "stored-data"), (0x2000, "upd-aperiodic"), (0x1000, "msmt-aperiodic"),
        (0x0800, "phys-ev-id"), (0x0400, "beat-to-beat"), (0x0080, "acc-manager-init"), (0x0040, "acc-agent-init"),
        (0x0008, "manual"), (0x0004, "setting"), (0x0002, "calculation"),
    ]

    static let storeCapability: [(UInt16, StaticString)] = [
        (0x8000, "variable number of segments"), (0x1000, "id-list select"), (0x0800, "episodic entries"),
        (0x0400, "periodic entries"), (0x0200, "abs-time select"), (0x0100, "clear by list"), (0x0080, "clear by time"),
        (0x0040, "clear removes the segment"), (0x0020, "clear all"), (0x0008, "multi-person"),
    ]

    static let timeCapability: [(UInt16, StaticString)] = [
        (0x8000, "real-time clock"), (0x4000, "set-clock"), (0x2000, "relative"), (0x1000, "high-resolution"),
        (0x0800, "sync-abs"), (0x0400, "sync-rel"), (0x0200, "sync-hires"), (0x0100, "base-offset"), (0x0080, "abs-synced"),
        (0x0040, "rel-synced"), (0x0020, "hires-synced"), (0x0010, "manager should set the time"), (0x0008, "sync-BO"),
        (0x0004, "BO-synced"), (0x0002, "UTC-aligned"), (0x0001, "DST rules"),
    ]

    static let pressureStatus: [(UInt16, StaticString)] = [
        (0x8000, "body movement"), (0x4000, "cuff too loose"), (0x2000, "irregular pulse"), (0x1000, "pulse over range"),
        (0x0800, "pulse under range"), (0x0400, "improper position"),
    ]
}
