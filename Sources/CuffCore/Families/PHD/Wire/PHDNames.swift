enum PHDNames {
    static func attribute(_ id: UInt16) -> StaticString {
        switch id {
        case 0x0921: "Handle"
        case 0x0922: "Instance-Number"
        case 0x0927: "Label-String"
        case 0x0928: "System-Model"
        case 0x092B: "Metric-Id"
        case 0x092D: "Production-Specification"
        case 0x092F: "Type"
        case 0x0914: "Confirm-Timeout"
        case 0x0941: "Capacity-Count"
        case 0x0943: "Sample-Algorithm"
        case 0x0944: "Usage-Count"
        case 0x0947: "Measurement-Status"
        case 0x094A: "Accuracy"
        case 0x094B: "Compound-Nu-Observed-Value"
        case 0x0950: "Nu-Observed-Value"
        case 0x0951: "Number-Of-Segments"
        case 0x0953: "Operational-State"
        case 0x0955: "Power-Status"
        case 0x096D: "Sa-Specification"
        case 0x096F, 0x0970, 0x0971: "Scale-and-Range-Specification"
        case 0x097B: "Segment-Usage-Count"
        case 0x0984: "System-Id"
        case 0x0986: "System-Type"
        case 0x0987: "Date-and-Time"
        case 0x0988: "Remaining-Battery-Time"
        case 0x098A: "Segment-End-Abs-Time"
        case 0x098D: "Sample-Period"
        case 0x098F: "Relative-Time"
        case 0x0990: "Absolute-Time-Stamp"
        case 0x0991: "Relative-Time-Stamp"
        case 0x0992: "Segment-Start-Abs-Time"
        case 0x0996: "Unit-Code"
        case 0x0999: "Unit-LabelString"
        case 0x099C: "Battery-Level"
        case 0x099E: "Enum-Observed-Value"
        case 0x09E8: "HiRes-Relative-Time"
        case 0x09E9: "HiRes-Time-Stamp"
        case 0x0A44: "Dev-Configuration-Id"
        case 0x0A45: "Mds-Time-Info"
        case 0x0A46: "Metric-Spec-Small"
        case 0x0A47: "Source-Handle-Reference"
        case 0x0A48: "Simple-Sa-Observed-Value"
        case 0x0A49: "Enum-Observed-Value-Simple-OID"
        case 0x0A4A: "Enum-Observed-Value-Simple-Str"
        case 0x0A4B: "Reg-Cert-Data-List"
        case 0x0A4C: "Basic-Nu-Observed-Value"
        case 0x0A4D: "PM-Store-Capab"
        case 0x0A4E: "PM-Segment-Entry-Map"
        case 0x0A4F: "Person-Id"
        case 0x0A50: "Segment-Statistics"
        case 0x0A51: "Fixed-Segment-Data"
        case 0x0A53: "Scan-Handle-Attr-Val-Map"
        case 0x0A54: "Scan-Handle-List"
        case 0x0A55: "Attribute-Value-Map"
        case 0x0A56: "Simple-Nu-Observed-Value"
        case 0x0A57: "Store-Label"
        case 0x0A58: "Segment-Label"
        case 0x0A59: "Measure-Active-Period"
        case 0x0A5A: "System-Type-Spec-List"
        case 0x0A5F: "Metric-Id-Partition"
        case 0x0A61: "Supplemental-Types"
        case 0x0A62: "Date-and-Time-Adjustment"
        case 0x0A63: "Clear-Timeout"
        case 0x0A64: "Transfer-Timeout"
        case 0x0A65: "Enum-Observed-Value-Simple-Bit-Str"
        case 0x0A66: "Enum-Observed-Value-Basic-Bit-Str"
        case 0x0A73: "Metric-Structure-Small"
        case 0x0A74: "Compound-Simple-Nu-Observed-Value"
        case 0x0A75: "Compound-Basic-Nu-Observed-Value"
        case 0x0A76: "Metric-Id-List"
        case 0x0A81: "Base-Offset-Time"
        case 0x0A82: "Base-Offset-Time-Stamp"
        default: "attribute"
        }
    }

    static func event(_ type: UInt16) -> StaticString {
        switch type {
        case 0x0D1C: "MDC_NOTI_CONFIG"
        case 0x0D1D: "MDC_NOTI_SCAN_REPORT_FIXED"
        case 0x0D1E: "MDC_NOTI_SCAN_REPORT_VAR"
        case 0x0D1F: "MDC_NOTI_SCAN_REPORT_MP_FIXED"
        case 0x0D20: "MDC_NOTI_SCAN_REPORT_MP_VAR"
        case 0x0D21: "MDC_NOTI_SEGMENT_DATA"
        case 0x0D22: "MDC_NOTI_UNBUF_SCAN_REPORT_VAR"
        case 0x0D23: "MDC_NOTI_UNBUF_SCAN_REPORT_FIXED"
        case 0x0D24: "MDC_NOTI_UNBUF_SCAN_REPORT_GROUPED"
        case 0x0D25: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_VAR"
        case 0x0D26: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_FIXED"
        case 0x0D27: "MDC_NOTI_UNBUF_SCAN_REPORT_MP_GROUPED"
        case 0x0D28: "MDC_NOTI_BUF_SCAN_REPORT_VAR"
        case 0x0D29: "MDC_NOTI_BUF_SCAN_REPORT_FIXED"
        case 0x0D2A: "MDC_NOTI_BUF_SCAN_REPORT_GROUPED"
        case 0x0D2B: "MDC_NOTI_BUF_SCAN_REPORT_MP_VAR"
        case 0x0D2C: "MDC_NOTI_BUF_SCAN_REPORT_MP_FIXED"
        case 0x0D2D: "MDC_NOTI_BUF_SCAN_REPORT_MP_GROUPED"
        default: "unknown event"
        }
    }

    static func action(_ type: UInt16) -> StaticString {
        switch type {
        case 0x0C0C: "MDC_ACT_SEG_CLR"
        case 0x0C0D: "MDC_ACT_SEG_GET_INFO"
        case 0x0C17: "MDC_ACT_SET_TIME"
        case 0x0C1B: "MDC_ACT_DATA_REQUEST"
        case 0x0C1C: "MDC_ACT_SEG_TRIG_XFER"
        case 0x0C1D: "MDC_ACT_SET_BO_TIME"
        case 0x0C1E: "MDC_ACT_SEG_GET_ID_LIST"
        default: "unknown action"
        }
    }

    static func message(_ choice: UInt16) -> StaticString {
        switch choice {
        case 0x0100: "roiv event report (unconfirmed)"
        case 0x0101: "roiv confirmed event report"
        case 0x0103: "roiv get"
        case 0x0104: "roiv set (unconfirmed)"
        case 0x0105: "roiv confirmed set"
        case 0x0106: "roiv action (unconfirmed)"
        case 0x0107: "roiv confirmed action"
        case 0x0201: "rors confirmed event report"
        case 0x0203: "rors get"
        case 0x0205: "rors confirmed set"
        case 0x0207: "rors confirmed action"
        case 0x0300: "roer"
        case 0x0400: "rorj"
        default: "unknown choice"
        }
    }

    static func objectClass(_ code: UInt16) -> StaticString {
        switch code {
        case 4: "metric"
        case 5: "enumeration"
        case 6: "numeric"
        case 9: "real-time sample array"
        case 16: "scanner"
        case 17: "configurable scanner"
        case 18: "episodic scanner"
        case 19: "periodic scanner"
        case 37: "MDS"
        case 61: "PM-store"
        case 62: "PM-segment"
        default: "unknown class"
        }
    }

    static func associationResult(_ result: UInt16) -> StaticString {
        switch result {
        case 0: "accepted"
        case 1: "rejected-permanent"
        case 2: "rejected-transient"
        case 3: "accepted-unknown-config"
        case 4: "rejected-no-common-protocol"
        case 5: "rejected-no-common-parameter"
        case 6: "rejected-unknown"
        case 7: "rejected-unauthorized"
        case 8: "rejected-unsupported-assoc-version"
        default: "unknown result"
        }
    }

    static func abortReason(_ reason: UInt16) -> StaticString {
        switch reason {
        case 0: "undefined"
        case 1: "buffer-overflow"
        case 2: "response-timeout"
        case 3: "configuration-timeout"
        default: "unknown reason"
        }
    }

    static func releaseReason(_ reason: UInt16) -> StaticString {
        switch reason {
        case 0: "normal"
        case 1: "no-more-configurations"
        case 2: "configuration-changed"
        default: "unknown reason"
        }
    }

    static func configurationResult(_ result: UInt16) -> StaticString {
        switch result {
        case 0: "accepted-config"
        case 1: "unsupported-config"
        case 2: "standard-config-unknown"
        default: "unknown result"
        }
    }

    static func error(_ code: UInt16) -> StaticString {
        switch code {
        case 1: "no-such-object-instance"
        case 2: "access-denied"
        case 9: "no-such-action"
        case 17: "invalid-object-instance"
        case 23: "protocol-violation"
        case 24: "not-allowed-by-object"
        case 25: "action-timed-out"
        case 26: "action-aborted"
        default: "unknown error"
        }
    }

    static func problem(_ code: UInt16) -> StaticString {
        switch code {
        case 0: "unrecognized-apdu"
        case 2: "badly-structured-apdu"
        case 101: "unrecognized-operation"
        case 103: "resource-limitation"
        case 303: "unexpected-error"
        default: "unknown problem"
        }
    }

    static func triggerResult(_ result: UInt16) -> StaticString {
        switch result {
        case 0: "transfer follows"
        case 1: "no such segment"
        case 2: "clear in process, try later"
        case 3: "segment empty"
        default: "other"
        }
    }

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

    static func production(_ kind: UInt16) -> StaticString {
        switch kind {
        case 1: "serial number"
        case 2: "part number"
        case 3: "hardware revision"
        case 4: "software revision"
        case 5: "firmware revision"
        case 6: "protocol revision"
        case 7: "GMDN"
        default: "unspecified"
        }
    }

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
