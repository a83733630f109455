import CuffCore
import Glibc

/// worst SECONDS [-i FILE] [-o FILE] [-d DRIVER]… CAPTURE…: searches, for every driver and every reader of captures, the input that takes the most
/// time for each byte, and ends with 1 if one takes more than 2 microseconds. The inputs of `-i`, all repetitions of one byte, all repeated prefixes of what cuffs sent in the captures, then for SECONDS mutations
/// of the costliest so far. Prints a row for each; FILE gets the inputs, one a line: `NAME CHUNK HEAD UNIT` in hex, the unit repeated.
struct Search {
    let target: Target
    var best: [(cost: Double, input: Input)] = []
    var tries = 0
    private var random = SystemRandomNumberGenerator()
    private let pieces: [[UInt8]]
    private let heads: [[UInt8]]

    static let short = 1 << 11
    static let long = 1 << 14

    init(_ target: Target, conversations: [[[UInt8]]]) {
        self.target = target
        var pieces: [[UInt8]] = []
        var heads: [[UInt8]] = [[]]
        for conversation in conversations.prefix(12) {
            var head: [UInt8] = []
            for piece in conversation.prefix(6) where !piece.isEmpty {
                pieces.append(Array(piece.prefix(600)))
                head += piece
                if head.count <= 2048 { heads.append(head) }
            }
        }
        (self.pieces, self.heads) = (pieces.isEmpty ? [[0]] : pieces, heads)
    }

    /// Keeps the input if it is among the costliest.
    mutating func judge(_ input: Input) {
        tries += 1
        let least = best.count < 24 ? 0 : best[best.count - 1].cost
        guard let first = target.cost(input, Self.short), first > 0.7 * least else { return }
        // The least of three: an interruption is no cost of the input.
        var cost = Double.infinity
        for _ in 0..<3 {
            guard let one = target.cost(input, Self.long) else { return }
            cost = min(cost, one)
            guard cost > least else { return }
        }
        if best.contains(where: { $0.input == input }) { return }
        best.append((cost, input))
        best.sort { $0.cost > $1.cost }
        if best.count > 24 { best.removeLast() }
    }

    mutating func judgeRepetitions() {
        for byte in UInt8.min...UInt8.max {
            for chunk in target.chunks { judge(Input(chunk: chunk, head: target.start, unit: [byte])) }
        }
        var known: Set<[UInt8]> = []
        for piece in pieces {
            for length in 1...piece.count where known.insert(Array(piece.prefix(length))).inserted {
                let unit = Array(piece.prefix(length))
                for chunk in target.chunks.prefix(2) { judge(Input(chunk: chunk, head: target.start, unit: unit)) }
            }
        }
    }

    mutating func mutate(for seconds: Double) {
        let end = Clock.now() + seconds
        while Clock.now() < end {
            var input = best.randomElement(using: &random)?.input ?? Input(chunk: 4096, head: [], unit: [0])
            for _ in 0...Int.random(in: 0...2, using: &random) { change(&input) }
            judge(input)
        }
    }

    private mutating func change(_ input: inout Input) {
        let place = input.unit.indices.randomElement(using: &random) ?? 0
        let piece = pieces.randomElement(using: &random) ?? [0]
        switch Int.random(in: 0..<9, using: &random) {
        case 0: input.unit[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: input.unit[place] = UInt8.random(in: 0...255, using: &random)
        case 2: input.unit.insert(piece.randomElement(using: &random) ?? 0, at: place)
        case 3: if input.unit.count > 1 { input.unit.remove(at: place) }
        case 4:
            let from = Int.random(in: 0..<piece.count, using: &random)
            input.unit.insert(contentsOf: piece[from...].prefix(Int.random(in: 1...80, using: &random)), at: place)
        case 5: input.unit = Array(input.unit.prefix(place + 1))
        case 6:
            input.unit.insert(contentsOf: [UInt8](repeating: input.unit[place], count: Int.random(in: 1...60, using: &random)), at: place)
        case 7: input.chunk = target.chunks.randomElement(using: &random) ?? 1
        default: if target.start.isEmpty { input.head = heads.randomElement(using: &random) ?? [] }
        }
        if input.unit.count > 1200 { input.unit.removeLast(input.unit.count - 1200) }
    }
}

/// `head`, then `unit` again and again.
struct Input: Equatable {
    var chunk: Int
    var head: [UInt8]
    var unit: [UInt8]

    func bytes(_ count: Int) -> [UInt8] {
        var bytes = head
        bytes.reserveCapacity(head.count + count + unit.count)
        while bytes.count < head.count + count { bytes += unit }
        return bytes
    }
}

enum Clock {
    static func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What takes the bytes.
struct Target {
    let name: String
    let chunks: [Int]
    /// With what every input begins: the beginning of a capture, without which nothing more is read.
    var start: [UInt8] = []
    let take: ([UInt8], Int, Int) -> Bool

    /// ns for each byte of the repetitions; `nil` if the input was refused.
    func cost(_ input: Input, _ count: Int) -> Double? {
        let bytes = input.bytes(count)
        let begin = Clock.now(CLOCK_THREAD_CPUTIME_ID)
        guard take(bytes, input.head.count, input.chunk) else { return nil }
        return (Clock.now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / Double(bytes.count)
    }

    init(_ driver: CuffDriver) {
        name = driver.id.description
        chunks = driver.medium == .tty ? [4096, 1, 7, 64, 512] : [Int(driver.reports.input)]
        take = { bytes, _, chunk in
            var player = Replay(LinkState.Setup(driver), looksAhead: false)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                player.play(bytes: Array(bytes[start..<min(start + chunk, bytes.count)]))
                player.flush()
                player.effects.removeAll(keepingCapacity: true)
            }
            return true
        }
    }

    init(_ name: String, start: [UInt8], _ make: @escaping () -> any CaptureReader) {
        self.name = name
        self.start = start
        chunks = [65536, 4096, 512]
        take = { bytes, _, chunk in Self.read(bytes, chunk, make()) }
    }

    private static func read(_ bytes: [UInt8], _ chunk: Int, _ reader: any CaptureReader) -> Bool {
        var reader = reader
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            reader.feed(Array(bytes[start..<min(start + chunk, bytes.count)]))
            do throws(CaptureFault) { try reader.forEach { _ in true } } catch { return false }
        }
        return true
    }
}

func file(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 17) { room, count in count = max(0, read(descriptor, room.baseAddress, 1 << 17)) }
}

/// What `-o` has written.
func kept(in path: String) -> [String: [Input]] {
    var inputs: [String: [Input]] = [:]
    for line in file(path).split(separator: 0x0A) {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 4, let chunk = Int(words[1]), chunk > 0, let unit = Hex.bytes(words[3]), !unit.isEmpty else { continue }
        inputs[words[0], default: []].append(Input(chunk: chunk, head: Hex.bytes(words[2]) ?? [], unit: unit))
    }
    return inputs
}

func run(_ arguments: [String]) -> Int32 {
    guard let seconds = arguments.first.flatMap(Double.init) else { return 64 }
    var known: [String: [Input]] = [:]
    var (output, chosen, conversations, texts, packets): (String?, Set<String>, [String: [[[UInt8]]]], [[UInt8]], [[UInt8]]) =
        (nil, [], [:], [], [])
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
        if word == "-o" { output = rest.popFirst() ?? output; continue }
        if word == "-i" { known = kept(in: rest.popFirst() ?? ""); continue }
        if word == "-d" { chosen.insert(rest.popFirst() ?? ""); continue }
        let bytes = file(word)
        guard word.hasSuffix(".capture") else { packets.append(bytes); continue }
        texts.append(bytes)
        var reader = CaptureTextReader()
        var items: [CaptureItem] = []
        guard (try? reader.read(bytes, into: &items)) != nil, let driver = reader.header["driver"] else { continue }
        conversations[driver, default: []].append(items.compactMap { if case .fromCuff(let bytes) = $0.content { bytes } else { nil } })
    }
    var targets = CuffFamilies.all.map { (Target($0), conversations[$0.id.description] ?? []) }
    let lines = texts.map { $0.split(separator: 0x0A).map { Array($0) + [0x0A] } }
    targets.append((Target("text-capture", start: Array("# driver: r1\n".utf8)) { CaptureTextReader() }, lines))
    if let first = packets.first {
        let start = Array(first.prefix(84))
        targets.append((Target("pcapng", start: start) { PcapngReader() }, packets.map { [Array($0.dropFirst(84).prefix(800))] }))
    }
    var kept = ""
    print("| input of | ns a byte, 16 KiB | 256 KiB | chunk | tries | worst input |\n|---|---|---|---|---|---|")
    var isSlow = false
    for (target, sent) in targets where chosen.isEmpty || chosen.contains(target.name) {
        var search = Search(target, conversations: sent)
        for input in known[target.name] ?? [] { search.judge(input) }
        search.judgeRepetitions()
        search.mutate(for: seconds)
        guard let worst = search.best.first else { continue }
        let long = target.cost(worst.input, 1 << 18) ?? 0
        if worst.cost > 2000 || long > 2000 { isSlow = true }
        let head = worst.input.head.isEmpty ? "" : "\(worst.input.head.count) bytes, then "
        let unit = Hex.text(worst.input.unit)
        let shown = worst.input.unit.count > 24 ? "\(unit.prefix(72))… (\(worst.input.unit.count) bytes)" : unit
        print(
            "| \(target.name) | \(Int(worst.cost)) | \(Int(long)) | \(worst.input.chunk) | \(search.tries) | \(head)`\(shown)` repeated |")
        fflush(nil)
        for (_, input) in search.best.prefix(3) {
            func text(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "-" : Hex.text(bytes, separator: "") }
            kept += "\(target.name) \(input.chunk) \(text(input.head)) \(text(input.unit))\n"
        }
    }
    guard let output else { return isSlow ? 1 : 0 }
    let descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { return 73 }
    defer { close(descriptor) }
    return kept.withCString { write(descriptor, $0, strlen($0)) } == kept.utf8.count ? isSlow ? 1 : 0 : 74
}
exit(run(Array(CommandLine.arguments.dropFirst())))
