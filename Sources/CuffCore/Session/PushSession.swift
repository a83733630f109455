/// A session with a cuff that only sends; writes nothing, whatever the command. Not for protocols with acknowledgements.
package struct PushSession<Format: FrameFormat>: FramedSession {
    package var reader: FrameReader<Format>
    private let decode: @Sendable (Span<UInt8>) -> Reading?
    package var isFinished = false
    package var capabilities: Capabilities { .push }
    package var hearsCommits: Bool { false }

    /// `decode` gets one checked frame and returns its reading; `nil` reports the frame as ignored.
    package init(_ format: Format, decode: @escaping @Sendable (Span<UInt8>) -> Reading?) {
        reader = FrameReader(format)
        self.decode = decode
    }

    /// Emits the frame's reading; a frame that does not decode is reported.
    package mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        if let reading = decode(reader.buffer.span.extracting(range)) {
            actions.emit(reading)
        } else {
            actions.ignore("a frame of no known kind", bytes(of: range))
        }
    }
}
