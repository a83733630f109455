@testable import CuffCore
import FuzzMain

/// Any bytes through every decoder of IEEE 11073 alone, explanation included. The first byte chooses the decoder, the
/// second how the rest is cut. Nothing may trap or read outside, and what is read must lie within what was given.
@_cdecl("FuzzAPDU_main")
public func fuzzAPDUMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 2 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        decode(input[0], input[1], Array(input.dropFirst(2)))
        return 0
    }
}

/// What reports and segments are cut with: the standard configuration, and one with everything there is.
private let configurations: [PHDConfiguration] = [
    PHDStandardConfiguration.configuration(0x02BC) ?? PHDConfiguration(),
    PHDConfiguration(
        PHDStandardConfiguration.list([
            PHDStandardConfiguration.numeric(
                1, 18948, spec: 0xF040, unit: 3843, map: [(0x0A74, 16), (0x0A82, 8)], metrics: [18951, 18949, 18950]),
            PHDStandardConfiguration.numeric(2, 18474, spec: 0xF040, unit: 2720, map: [(0x0950, 10), (0x0991, 4)]),
            PHDStandardConfiguration.object(PHDClass.enumeration, 3, count: 2) {
                $0.attribute(PHDAttribute.type) { $0.append32(0x0080_55F0) }
                $0.attribute(PHDAttribute.valueMap) { PHDStandardConfiguration.map([(0x099E, 10), (0x09E9, 8)], into: &$0) }
            },
            PHDStandardConfiguration.object(0x0012, 4, count: 1) {
                $0.attribute(PHDAttribute.scanMap) {
                    $0.list(2) {
                        $0.append16(1)
                        PHDStandardConfiguration.map([(0x0A74, 16)], into: &$0)
                        $0.append16(2)
                        PHDStandardConfiguration.map([(0x0950, 10)], into: &$0)
                    }
                }
            },
            PHDStandardConfiguration.object(PHDClass.store, 8, count: 1) {
                $0.attribute(PHDAttribute.storeCapability) { $0.append16(0x0920) }
            },
        ])) ?? PHDConfiguration(),
]

private func decode(_ kind: UInt8, _ way: UInt8, _ bytes: [UInt8]) {
    let span = bytes.span
    let configuration = configurations[Int(way) % configurations.count]
    switch kind % 12 {
    case 0: frames(bytes, isAssociated: way & 1 != 0, size: Int(way >> 1) + 1)
    case 1: _ = PHDAssociationRequest.read(span)
    case 2: if let configuration = PHDConfiguration(bytes) { check(configuration) }
    case 3, 4: reports(way, configuration, bytes)
    case 5, 6: segments(configuration, bytes)
    case 7:
        if let facts = PHDDeviceFacts(span, 0, bytes.count, device: "fuzz"), (facts.identity.model?.utf8.count ?? 0) > 512 {
            fatalError("a model's name of \(facts.identity.model?.utf8.count ?? 0) bytes")
        }
    case 8:
        if span.count >= 8, let high = span.bigEndian32(0), let low = span.bigEndian32(4) {
            for kind in [PHDStamp.Kind.none, .absolute, .baseOffset, .relative, .highResolution] {
                _ = PHDStamp(kind: kind, bits: UInt64(high) << 32 | UInt64(low)).clock
            }
        }
        for offset in 0...min(8, bytes.count) {
            number(PHDNumber(span, offset, width: 2))
            number(PHDNumber(span, offset, width: 4))
        }
    case 9, 10:
        for line in PHDExplanation.lines(bytes) where line.utf8.count > 4096 { fatalError("a line of \(line.utf8.count) bytes") }
        _ = PHDRequest(span)
    default:
        var explanation = PHDExplanation()
        let size = Int(way) + 1
        for (number, start) in stride(from: 0, to: bytes.count, by: size).enumerated() {
            _ = explanation.explain(Array(bytes[start..<min(start + size, bytes.count)]), fromAgent: number % 3 != 2)
        }
    }
}

private func number(_ number: PHDNumber) {
    if let digits = number.digits, digits.mantissa.magnitude > 0x80_0000 { fatalError("a mantissa of \(digits.mantissa)") }
}

/// Whole and cut, the same frames; within an association nothing is passed over in silence. There an APDU that was filled up by
/// the next one is told by what follows it, so that cut shorter it may be taken: where that was seen, nothing is compared.
private func frames(_ bytes: [UInt8], isAssociated: Bool, size: Int) {
    func read(_ chunks: [[UInt8]]) -> [[UInt8]] {
        var format = PHDFrame()
        format.isAssociated = isAssociated
        var reader = FrameReader(format)
        var frames: [[UInt8]] = []
        for chunk in chunks {
            reader.feed(chunk)
            while let step = reader.next() {
                if case .frame(let range) = step { frames.append(Array(reader.buffer[range])) }
            }
            if reader.waiting > PHDFrame.maximumLength { fatalError("\(reader.waiting) bytes wait") }
        }
        return frames
    }
    let cut = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    let (whole, parts) = (read([bytes]), read(cut))
    let isFilledUp = isAssociated && (whole + parts).contains { frame in
        guard frame.count >= 4, frame[0] != 0x50, let length = frame.span.bigEndian16(2) else { return false }
        return frame.count != 4 + Int(length)
    }
    if !isFilledUp, whole != parts { fatalError("cutting changed the frames") }
}

private func check(_ configuration: PHDConfiguration) {
    for object in configuration.objects where object.map.upperBound > configuration.items.count || object.metrics.upperBound > configuration.metrics.count {
        fatalError("a map outside its configuration")
    }
}

private func reports(_ way: UInt8, _ configuration: PHDConfiguration, _ bytes: [UInt8]) {
    guard let shape = PHDEvent.shape(0x0D1D + UInt16(way >> 1) % 17) else { return }
    var observations: [PHDObservation] = []
    let isRead = PHDReport.read(
        shape, configuration, scanner: configuration.scanners.isEmpty ? nil : 0, bytes.span, 0, bytes.count, into: &observations)
    if isRead { use(observations, configuration.objects, configuration.metrics, bytes) }
}

private func segments(_ configuration: PHDConfiguration, _ bytes: [UInt8]) {
    let middle = bytes.count / 2
    guard let list = PHDSegment.list(bytes.span, 0, middle, configuration) else { return }
    for segment in list where segment.isDecodable {
        if segment.entrySize <= 0 { fatalError("entries of \(segment.entrySize) bytes") }
        var offset = middle
        var observations: [PHDObservation] = []
        for _ in 0..<64 { guard segment.read(bytes.span, &offset, bytes.count, into: &observations) else { break } }
        use(observations, segment.elements, configuration.metrics, bytes)
    }
}

private func use(_ observations: [PHDObservation], _ objects: [PHDConfiguration.Object], _ metrics: [UInt16], _ bytes: [UInt8]) {
    let span = bytes.span
    for observation in observations {
        if observation.raw.upperBound > bytes.count || observation.stampBytes.upperBound > bytes.count { fatalError("outside the report") }
        _ = observation.rawBytes(span)
        _ = observation.stamp.clock
        _ = observation.bits(span)
        _ = observation.number(span)
        guard observation.object >= 0, observation.object < objects.count else { continue }
        let object = objects[observation.object]
        _ = observation.pressures(span, object, metrics)
        for index in 0..<min(observation.count, 64) {
            number(observation.component(index, span))
            _ = observation.metric(index, span, object, metrics)
            _ = observation.unit(index, span, object)
        }
    }
}
