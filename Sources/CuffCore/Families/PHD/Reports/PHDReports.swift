/// What a segment data event says about the entries it carries.
struct PHDSegmentEvent: Sendable, Hashable {
    var instance: UInt16
    var index: UInt32
    var count: UInt32
    var status: UInt16

    static let first: UInt16 = 0x8000
    static let last: UInt16 = 0x4000
    static let agentAborts: UInt16 = 0x0800
    static let managerConfirms: UInt16 = 0x0080
    static let managerAborts: UInt16 = 0x0008

    func confirmation(invoke: UInt16, handle: UInt16, status: UInt16) -> [UInt8] {
        PHDManagerAPDU.segmentConfirmation(
            invoke: invoke, handle: handle, instance: instance, index: index, count: count, status: status)
    }
}

/// Event reports: configurations, observations, stored segments.
///
/// Event report   off 12 u16 handle, 14 u32 event time, 18 u16 event type, 20 u16 length, 22 info
extension PHDSession {
    mutating func takeReport(
        _ apdu: Span<UInt8>, _ invoke: UInt16, isConfirmed: Bool, into actions: inout SessionActions
    ) {
        guard let handle = apdu.bigEndian16(12), let event = apdu.bigEndian16(18), let length = apdu.bigEndian16(20),
            22 + Int(length) == apdu.count
        else { return refuseReport(invoke, isConfirmed, into: &actions) }
        if event == PHDEvent.configuration {
            return takeConfiguration(apdu, invoke, into: &actions)
        }
        let input = isConfirmed ? PHDInput.confirmedReport : .unconfirmedReport
        guard processesReports else {
            return perform(input, invoke: invoke, into: &actions)
        }
        if event == PHDEvent.segmentData {
            takeSegmentData(apdu, invoke, handle, into: &actions)
        } else if let shape = PHDEvent.shape(event) {
            takeObservations(apdu, Self.reportInfo, invoke, handle, event, shape, isConfirmed, into: &actions)
        } else {
            actions.append(.report(.ignored("an event report of no known type", apdu.part(18, 2))))
            if isConfirmed { write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchAction), into: &actions) }
        }
    }

    private mutating func refuseReport(_ invoke: UInt16, _ isConfirmed: Bool, into actions: inout SessionActions) {
        guard isConfirmed || state != .operating else {
            actions.append(.report(.note("an unconfirmed report whose lengths disagree gives no reading")))
            return
        }
        refuseStructure(invoke, into: &actions)
    }

    // MARK: observations

    /// Where the information of an event report begins; that of the answer to a data request stands elsewhere.
    static let reportInfo = 22

    /// Reads a whole report first and emits afterwards: half of a damaged report must not become a reading.
    mutating func takeObservations(
        _ apdu: Span<UInt8>, _ info: Int, _ invoke: UInt16, _ handle: UInt16, _ event: UInt16, _ shape: PHDEvent.Shape,
        _ isConfirmed: Bool, into actions: inout SessionActions
    ) {
        var scanner: Int?
        if shape.isScanner || handle != 0 {
            scanner = configuration.scanners.firstIndex { $0.handle == handle }
            guard scanner != nil, shape.isScanner else {
                actions.append(.report(.ignored("a report of an object that is not a scanner", apdu.part(12, 10))))
                if isConfirmed { write(PHDManagerAPDU.error(invoke: invoke, PHDError.noSuchObjectInstance), into: &actions) }
                return
            }
        }
        guard form.read(shape, configuration, scanner: scanner, apdu, info) else {
            // Where values are cut by a configuration, it may be the configuration that is wrong.
            _ = doubtConfiguration()
            return refuseReport(invoke, isConfirmed, into: &actions)
        }
        if info == Self.reportInfo { form.keep(apdu, handle, event, isConfirmed: isConfirmed) }
        emitObservations(apdu, info, invoke, handle, event, isConfirmed, into: &actions)
    }

    /// Emits what `form` has read: pairs at once where nothing waits for its other half, everything else by way of `joiner`.
    @inline(__always)
    mutating func emitObservations(
        _ apdu: Span<UInt8>, _ info: Int, _ invoke: UInt16, _ handle: UInt16, _ event: UInt16, _ isConfirmed: Bool,
        into actions: inout SessionActions
    ) {
        let number = apdu.bigEndian16(info &+ 2) ?? 0
        if isConfirmed, repeatsUnstamped(apdu, info, number) {
            pendingConfirmations.append(
                PendingConfirmation(through: emitted, digest: digest(apdu, from: info &+ 4), invoke: invoke, handle: handle, event: event))
            if emitted <= committed { confirm(into: &actions) }
            return
        }
        noteNumber(number, into: &actions)
        if doubtsMemory, refusesMemory(apdu, into: &actions) { return }
        joiner.begin()
        let before = actions.readings.count
        let mayPair = joiner.isEmpty && !form.hasEqualStamps(apdu)
        var undecodable = 0
        var unknown = 0
        var index = 0
        var pair = 0
        while index < form.observations.count {
            if pair < form.pairs.count, form.pairs[pair].index == index {
                pair &+= 1
                if mayPair, joiner.isEmpty, form.pairs[pair &- 1].emit(apdu, into: &actions) {
                    emitted &+= 1
                    index &+= 2
                    continue
                }
            }
            switch placeObservation(index, apdu, into: &actions) {
            case .done: break
            case .undecodable: undecodable &+= 1
            case .unknown: unknown &+= 1
            }
            index &+= 1
            if joiner.isFull { emitted += joiner.finishReport(PHDJoiner.Expectation(configuration), into: &actions) }
        }
        if !joiner.isEmpty { emitted += joiner.finishReport(PHDJoiner.Expectation(configuration), into: &actions) }
        if unknown > 0 { noteUnknown(unknown, into: &actions) }
        noteUnstamped(apdu, info, number, isConfirmed, from: before, into: &actions)
        if undecodable > 0, mistrustConfiguration(undecodable, into: &actions) { return }
        let digest = digest(apdu, from: info &+ 4)
        guard isConfirmed else { return noteUnconfirmed(digest, into: &actions) }
        pendingConfirmations.append(PendingConfirmation(through: emitted, digest: digest, invoke: invoke, handle: handle, event: event))
        if emitted <= committed { confirm(into: &actions) }
    }

    enum Placement { case done, unknown, undecodable }

    @inline(never)
    private mutating func placeObservation(_ index: Int, _ apdu: Span<UInt8>, into actions: inout SessionActions) -> Placement {
        let observation = form.observation(index, apdu)
        guard observation.object >= 0 else { return placeUnknown(observation, apdu, into: &actions) }
        guard !observation.isCut else { return .undecodable }
        place(observation, configuration.objects[observation.object], apdu, origin: .push, sequence: nil, into: &actions)
        return .done
    }

    @inline(__always)
    private mutating func noteNumber(_ number: UInt16, into actions: inout SessionActions) {
        if let last = reportNumber, number > last &+ 1, last != 0xFFFF {
            actions.append(.report(.note("scan reports \(last &+ 1) to \(number - 1) did not arrive")))
        }
        reportNumber = number
    }
}
