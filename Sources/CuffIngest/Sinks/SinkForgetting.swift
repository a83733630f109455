import Glibc

/// Removes a cuff's announcements by a sink, such as its entities in Home Assistant.
package enum SinkForgetting {
    /// Replaces this process by the sink's helper program, which prints what it removed and chooses the exit status; returns only
    /// by throwing. `device` is the cuff's identity in its readings.
    package static func run(device: String, sink: SinkSpec) throws(IngestError) -> Never {
        guard sink.kind.traits.contains(.announcing), let program = sink.kind.helper else {
            throw IngestError(SinkFault.nothingAnnounced(sink.name))
        }
        let path = try HelperProgram.path(program, for: sink.name)
        var words: [UnsafeMutablePointer<CChar>?] = []
        for word in [path, "--forget", device, sink.name] { words.append(strdup(word)) }
        words.append(nil)
        execv(path, &words)
        let number = errno
        for word in words { free(word) }
        throw IngestError(SinkFault.cannotStart(sink.name, errno: number))
    }
}
