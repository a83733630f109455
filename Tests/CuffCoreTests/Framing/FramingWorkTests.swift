import Foundation
import TestSupport
import Testing

@testable import CuffCore

/// The work per received byte is bounded: one noisy line must not take the time of the others.
@Suite(.serialized) struct FramingWorkTests {
    /// Bytes through a session that only listens.
    private struct Run {
        var bytes = 0
        var nanoseconds: UInt64 = 0
        var judgements: Int?

        init(_ driver: CuffDriver, _ bytes: [UInt8], chunk: Int) {
            let chunk = driver.medium == .hidraw ? 8 : chunk
            var session = driver.makeSession(SessionContext())
            var actions = SessionActions()
            session.handle(.opened, into: &actions)
            session.handle(.command(.follow), into: &actions)
            let begin = Self.processorTime()
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                session.handle(.received(Array(bytes[start..<min(start + chunk, bytes.count)])), into: &actions)
                actions.removeAll()
            }
            nanoseconds = Self.processorTime() - begin
            self.bytes = bytes.count
            judgements = (session as? any FramedSession).map { Self.judgements($0) }
        }

        private static func judgements(_ session: some FramedSession) -> Int { session.reader.judgements }

        /// Of this thread only, independent of other load.
        private static func processorTime() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }

        var each: Double { Double(nanoseconds) / Double(max(1, bytes)) }
    }

    private static func repeated(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        return Array((0..<(count / bytes.count + 1)).flatMap { _ in bytes }.prefix(count))
    }

    /// Beginnings of a family's captures, in several lengths.
    private static func prefixes(_ driver: CuffDriver) -> [[UInt8]] {
        var found: Set<[UInt8]> = []
        for file in CaptureFile.own where file.driver?.id == driver.id {
            let heard = file.items.compactMap { item -> [UInt8]? in
                if case .fromCuff(let bytes) = item.content { bytes } else { nil }
            }
            for length in [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16] {
                if let first = heard.first, first.count >= length { found.insert(Array(first.prefix(length))) }
            }
            if found.count > 24 { break }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) } + extra(driver)
    }

    private static func extra(_ driver: CuffDriver) -> [[UInt8]] {
        switch driver.id {
        case "hl7-oru": ["MSH|^~\\&|", "\u{0B}MSH|^~\\&|", "\rMSH|^~\\&|", "MSH|^~\\&", "\u{0B}", "M", "\rM"].map { Array($0.utf8) }
        case "dinamap-ascii": [" NA", " NA\r", "X\r", " A\r", " AAAAAA\r", "\r"].map { Array($0.utf8) }
        case "intellivue": [[0xC0], [0xC0, 0x11, 0x01], [0xC0, 0xC1], [0xC0, 0x7D], [0xC0, 0x11, 0x01, 0x10, 0x00]]
        case "microlife-bpa100": [Array("\u{06}01900001".utf8)]
        case "microlife-hid": [[0x4D, 0x3A, 0x0A, 0x1D]]
        case "phd": [[0xE7, 0, 0xFB, 0xFC, 0xFB, 0xFA], [0xE2, 0, 0xFB, 0xFC], [0xE7, 0, 0], [0x50, 0x68]]
        default: []
        }
    }

    /// Random damage: pieces of captures, cut and flipped, with noise between.
    private static func resynchronisation(_ driver: CuffDriver, to count: Int) -> [UInt8] {
        var random = SplitMix64(seed: 11)
        let pieces = CaptureFile.own.filter { $0.driver?.id == driver.id }.flatMap { file in
            file.items.compactMap { item -> [UInt8]? in if case .fromCuff(let bytes) = item.content { bytes } else { nil } }
        }.filter { !$0.isEmpty }
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = pieces.isEmpty ? [UInt8(truncatingIfNeeded: random.next())] : pieces[Int(random.next() % UInt64(pieces.count))]
            switch random.next() % 4 {
            case 0: piece = Array(piece.prefix(Int(random.next() % UInt64(piece.count + 1))))
            case 1: piece = Array(piece.dropFirst(Int(random.next() % UInt64(piece.count))))
            case 2: piece[Int(random.next() % UInt64(piece.count))] ^= UInt8(truncatingIfNeeded: random.next())
            default: piece = (0..<Int(random.next() % 9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            bytes += piece
        }
        return Array(bytes.prefix(count))
    }

    /// Each byte is judged a few times at most: once where it begins, once where a chunk ends.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func judgements_AreFew(_ name: String) throws {
        let driver = try #require(CuffFamilies.named(name))
        let count = Effort.choose(1024, exhaustive: 4096)
        for pattern in Self.prefixes(driver) + [[0x00], [0xFF], [0x20], [0x0D]] {
            let bytes = Self.repeated(pattern, to: count)
            for chunk in [1, 7, count] {
                guard let judgements = Run(driver, bytes, chunk: chunk).judgements else { return }
                let most = 2 * count + 2 * count / chunk + 8
                #expect(judgements <= most, "\(Hex.text(pattern)) in chunks of \(chunk): \(judgements)")
            }
        }
    }

    /// The costliest inputs that a search has found (`Benchmarks/run worst`), each a head and a repeated unit, stay as cheap as others.
    @Test func inputsThatWereCostly_CostABoundedTime() throws {
        let text = try String(contentsOf: CaptureFile.root.appendingPathComponent("Benchmarks/worst-inputs"), encoding: .utf8)
        var random = SplitMix64(seed: 5)
        let usual = Run(.hl7ORU, (0..<(1 << 16)).map { _ in UInt8(truncatingIfNeeded: random.next()) }, chunk: 4096).each
        var drivers: Set<String> = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard let driver = CuffFamilies.named(words[0]) else { continue }
            drivers.insert(words[0])
            let (chunk, unit) = try (#require(Int(words[1])), #require(Hex.bytes(words[3])))
            let head = Hex.bytes(words[2]) ?? []
            let count = Effort.choose(1 << 13, exhaustive: 1 << 14)
            let each = Run(driver, head + Self.repeated(unit, to: count), chunk: chunk).each
            #expect(each < 60 * usual, "\(line.prefix(120)): \(Int(each)) ns a byte; noise \(Int(usual)) ns")
        }
        #expect(drivers.count == CuffFamilies.all.count)
    }

    /// A message that comes byte by byte is not searched from its beginning each time, and a repeated beginning is not followed to the
    /// longest message each time. Compares processor time with that of noise, which the reader skips byte by byte.
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func eachByte_CostsABoundedTime(_ name: String) throws {
        let driver = try #require(CuffFamilies.named(name))
        var random = SplitMix64(seed: 5)
        let noise = (0..<(1 << 14)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let usual = max(Run(.r1, noise, chunk: 4096).each, Run(.hl7ORU, noise, chunk: 4096).each)
        var worst: (each: Double, what: String) = (0, "")
        func judge(_ bytes: [UInt8], _ chunk: Int, _ what: String) {
            let each = Run(driver, bytes, chunk: chunk).each
            if each > worst.each { worst = (each, "\(what), chunks of \(chunk)") }
        }
        let prefixes = Self.prefixes(driver)
        let starts = Set(prefixes.compactMap(\.first))
        for byte in UInt8.min...UInt8.max {
            let count = starts.contains(byte) ? Effort.choose(1 << 12, exhaustive: 1 << 14) : Effort.choose(1 << 8, exhaustive: 1 << 14)
            judge([UInt8](repeating: byte, count: count), count, "\(Hex.text([byte])) repeated")
        }
        let medium = Effort.choose(1 << 13, exhaustive: 1 << 15)
        let count = driver.id == "hl7-oru" || driver.id == "phd" ? 6 * medium : medium
        for prefix in prefixes { judge(Self.repeated(prefix, to: count), 4096, "\(Hex.text(prefix)) repeated") }
        let long = prefixes.max { $0.count < $1.count } ?? [0]
        judge(long + [UInt8](repeating: 0x41, count: medium), 1, "\(Hex.text(long)) and letters")
        judge(Self.resynchronisation(driver, to: medium), 512, "damage")
        let limit = 40 * usual
        #expect(worst.each < limit, "\(worst.what): \(Int(worst.each)) ns a byte; noise \(Int(usual)) ns")
    }
}
