/// Scanners and a data request that this manager started; stopped before the release.
struct PHDStreams: Sendable {
    enum Stream: Sendable, Hashable {
        case dataRequest
        case scanner(UInt16)
    }

    private enum Request { case due, asked, running }

    private var request = Request.due
    private var scanners: [UInt16] = []
    private var started = 0
    private(set) var areStopping = false

    var areRunning: Bool { request == .running || !scanners.isEmpty }

    mutating func nextToStart(of all: [PHDConfiguration.Scanner]) -> UInt16? {
        guard started < all.count else { return nil }
        scanners.append(all[started].handle)
        started += 1
        return scanners.last
    }

    mutating func requestsData() -> Bool {
        defer { if request == .due { request = .asked } }
        return request == .due
    }

    mutating func dataRequestRuns() { request = .running }
    mutating func dataRequestFailed() { request = .asked }
    mutating func scannerFailed(_ handle: UInt16) { scanners.removeAll { $0 == handle } }
    mutating func beginStopping() { areStopping = true }

    mutating func nextToStop() -> Stream? {
        if request == .running {
            request = .asked
            return .dataRequest
        }
        return scanners.popLast().map { .scanner($0) }
    }
}
