// Numbers of IEEE 11073-20601 that this manager uses. Sources: PHD.swift.

enum PHDChoice {
    static let associationRequest: UInt16 = 0xE200
    static let associationResponse: UInt16 = 0xE300
    static let releaseRequest: UInt16 = 0xE400
    static let releaseResponse: UInt16 = 0xE500
    static let abort: UInt16 = 0xE600
    static let presentation: UInt16 = 0xE700
}

enum PHDAbortReason {
    static let undefined: UInt16 = 0
    static let bufferOverflow: UInt16 = 1
    static let responseTimeout: UInt16 = 2
    static let configurationTimeout: UInt16 = 3
}

/// The choice of a data APDU: invocations 01xx, results 02xx, error 0300, rejection 0400.
enum PHDMessage {
    static let eventReport: UInt16 = 0x0100
    static let confirmedEventReport: UInt16 = 0x0101
    static let get: UInt16 = 0x0103
    static let set: UInt16 = 0x0104
    static let confirmedSet: UInt16 = 0x0105
    static let action: UInt16 = 0x0106
    static let confirmedAction: UInt16 = 0x0107
    static let eventReportResult: UInt16 = 0x0201
    static let getResult: UInt16 = 0x0203
    static let setResult: UInt16 = 0x0205
    static let actionResult: UInt16 = 0x0207
    static let error: UInt16 = 0x0300
    static let rejection: UInt16 = 0x0400
}

enum PHDError {
    static let noSuchObjectInstance: UInt16 = 1
    static let noSuchAction: UInt16 = 9
}

enum PHDProblem {
    static let unrecognizedAPDU: UInt16 = 0
    static let badlyStructuredAPDU: UInt16 = 2
    static let unrecognizedOperation: UInt16 = 101
}

enum PHDAction {
    static let clearSegments: UInt16 = 0x0C0C
    static let segmentInfo: UInt16 = 0x0C0D
    static let setTime: UInt16 = 0x0C17
    static let dataRequest: UInt16 = 0x0C1B
    static let triggerTransfer: UInt16 = 0x0C1C
    static let setBaseOffsetTime: UInt16 = 0x0C1D
}

enum PHDClass {
    static let numeric: UInt16 = 6
    static let enumeration: UInt16 = 5
    static let realTimeArray: UInt16 = 9
    static let scanners: ClosedRange<UInt16> = 16...19
    static let store: UInt16 = 61
}

enum PHDAttribute {
    static let instanceNumber: UInt16 = 0x0922
    static let systemModel: UInt16 = 0x0928
    static let metricID: UInt16 = 0x092B
    static let productionSpecification: UInt16 = 0x092D
    /// Label-String, and those of a store and of a segment.
    static let labels: [UInt16] = [0x0927, 0x0A57, 0x0A58]
    static let type: UInt16 = 0x092F
    static let usageCount: UInt16 = 0x0944
    static let accuracy: UInt16 = 0x094A
    static let powerStatus: UInt16 = 0x0955
    static let measurementStatus: UInt16 = 0x0947
    static let compoundNumeric: UInt16 = 0x094B
    static let numeric: UInt16 = 0x0950
    static let operationalState: UInt16 = 0x0953
    static let sampleSpecification: UInt16 = 0x096D
    static let scale16: UInt16 = 0x096F
    static let scale32: UInt16 = 0x0970
    static let scale8: UInt16 = 0x0971
    static let segmentUsageCount: UInt16 = 0x097B
    static let systemID: UInt16 = 0x0984
    static let dateAndTime: UInt16 = 0x0987
    static let remainingBattery: UInt16 = 0x0988
    static let samplePeriod: UInt16 = 0x098D
    static let relativeNow: UInt16 = 0x098F
    static let absoluteStamp: UInt16 = 0x0990
    static let relativeStamp: UInt16 = 0x0991
    static let segmentStart: UInt16 = 0x0992
    static let unitCode: UInt16 = 0x0996
    static let battery: UInt16 = 0x099C
    static let enumeration: UInt16 = 0x099E
    static let highResolutionNow: UInt16 = 0x09E8
    static let highResolutionStamp: UInt16 = 0x09E9
    static let timeInfo: UInt16 = 0x0A45
    static let simpleSamples: UInt16 = 0x0A48
    static let simpleOID: UInt16 = 0x0A49
    static let simpleText: UInt16 = 0x0A4A
    static let certification: UInt16 = 0x0A4B
    static let basicNumeric: UInt16 = 0x0A4C
    static let storeCapability: UInt16 = 0x0A4D
    static let entryMap: UInt16 = 0x0A4E
    static let personID: UInt16 = 0x0A4F
    static let scanMap: UInt16 = 0x0A53
    static let valueMap: UInt16 = 0x0A55
    static let simpleNumeric: UInt16 = 0x0A56
    static let specializations: UInt16 = 0x0A5A
    static let metricIDPartition: UInt16 = 0x0A5F
    static let supplementalTypes: UInt16 = 0x0A61
    static let clearTimeout: UInt16 = 0x0A63
    static let transferTimeout: UInt16 = 0x0A64
    static let confirmTimeout: UInt16 = 0x0914
    static let simpleBits: UInt16 = 0x0A65
    static let basicBits: UInt16 = 0x0A66
    static let compoundSimpleNumeric: UInt16 = 0x0A74
    static let compoundBasicNumeric: UInt16 = 0x0A75
    static let metricIDList: UInt16 = 0x0A76
    static let baseOffsetNow: UInt16 = 0x0A81
    static let baseOffsetStamp: UInt16 = 0x0A82
    static let segmentStartBaseOffset: UInt16 = 0x0A83
}

enum PHDEvent {
    static let configuration: UInt16 = 0x0D1C
    static let scanFixed: UInt16 = 0x0D1D
    static let segmentData: UInt16 = 0x0D21

    struct Shape: Sendable, Hashable {
        enum Body: Sendable { case variable, fixed, grouped }
        var body: Body
        var hasPersons: Bool
        /// From a scanner object rather than from the MDS.
        var isScanner: Bool
    }

    /// `nil` for events without observations.
    @inline(__always)
    static func shape(_ event: UInt16) -> Shape? {
        switch event {
        case 0x0D1D: Shape(body: .fixed, hasPersons: false, isScanner: false)
        case 0x0D1E: Shape(body: .variable, hasPersons: false, isScanner: false)
        case 0x0D1F: Shape(body: .fixed, hasPersons: true, isScanner: false)
        case 0x0D20: Shape(body: .variable, hasPersons: true, isScanner: false)
        case 0x0D22, 0x0D28: Shape(body: .variable, hasPersons: false, isScanner: true)
        case 0x0D23, 0x0D29: Shape(body: .fixed, hasPersons: false, isScanner: true)
        case 0x0D24, 0x0D2A: Shape(body: .grouped, hasPersons: false, isScanner: true)
        case 0x0D25, 0x0D2B: Shape(body: .variable, hasPersons: true, isScanner: true)
        case 0x0D26, 0x0D2C: Shape(body: .fixed, hasPersons: true, isScanner: true)
        case 0x0D27, 0x0D2D: Shape(body: .grouped, hasPersons: true, isScanner: true)
        default: nil
        }
    }
}

/// Bits of Mds-Time-Info: docs/PHD.md §7.1.
enum PHDTimeCapability {
    static let setClock: UInt16 = 0x4000
    static let relative: UInt16 = 0x2000
    static let baseOffset: UInt16 = 0x0100
    /// The manager should set the time.
    static let managerSets: UInt16 = 0x0010
}

/// Bits of PM-Store-Capab: docs/PHD.md §8.
enum PHDStoreCapability {
    static let periodicEntries: UInt16 = 0x0400
    static let selectByTime: UInt16 = 0x0200
    static let clearByList: UInt16 = 0x0100
    static let clearByTime: UInt16 = 0x0080
}

/// Bits of DataReqModeFlags (the agent's abilities) and of DataReqMode (the request): the same but for the first.
enum PHDDataRequestMode {
    /// In a request: start; without it, stop. In the flags: a running request can be stopped.
    static let start: UInt16 = 0x8000
    static let stops: UInt16 = 0x8000
    static let all: UInt16 = 0x0800
    static let byClass: UInt16 = 0x0400
    static let byHandle: UInt16 = 0x0200
    static let single: UInt16 = 0x0080
    static let period: UInt16 = 0x0040
    static let unlimited: UInt16 = 0x0020
}

/// Metric terms that are part of a blood-pressure reading.
enum PHDMetric {
    static let scada: UInt16 = 2
    static let diseaseManagement: UInt16 = 128
    static let noninvasivePressure: UInt16 = 18948
    static let systolic: UInt16 = 18949
    static let diastolic: UInt16 = 18950
    static let mean: UInt16 = 18951
    static let pulseRate: UInt16 = 18474
    static let oximeterPulseRate: UInt16 = 18458
    static let pressureStatus: UInt16 = 22000
    static let mmHg: UInt16 = 3872
    static let kPa: UInt16 = 3843
    static let beatsPerMinute: UInt16 = 2720
}

extension TimerID {
    static let configuration = TimerID(rawValue: 10)
    static let release = TimerID(rawValue: 11)
    /// No second ABRT to the same noise before this.
    static let holdOff = TimerID(rawValue: 12)
    /// TOsp-pms and TOclr-pms: the limit for transferring or clearing a segment.
    static let store = TimerID(rawValue: 13)
    /// Request a busy segment again.
    static let retry = TimerID(rawValue: 14)
    /// Whether anything was received since it was armed.
    static let idle = TimerID(rawValue: 15)
    static let frame = TimerID(rawValue: 16)
    /// Our ABRT may be lost.
    static let lostAbort = TimerID(rawValue: 17)
    static let admission = TimerID(rawValue: 18)
    /// A loss of confirmations would have been reported by then.
    static let proof = TimerID(rawValue: 19)
}
