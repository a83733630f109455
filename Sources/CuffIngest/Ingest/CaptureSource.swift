import CuffCore

/// One form of recorded conversation, read in any chunking and constant memory.
public protocol CaptureSource: Sendable {
    /// What the capture says about itself; complete once the first item is out.
    var header: CaptureHeader { get }
    /// When the capture's time 0 was, where it says.
    var start: Timestamp? { get }
    mutating func read(_ chunk: [UInt8], into items: inout [CaptureItem]) throws(CaptureFault)
    mutating func finish(into items: inout [CaptureItem]) throws(CaptureFault)
}

extension CaptureTextReader: CaptureSource {
    public var start: Timestamp? { nil }
}

/// The forms that are known, told apart by how a file begins.
public enum CaptureForms {
    public static func source(for head: [UInt8]) -> any CaptureSource { CaptureTextReader() }
}
