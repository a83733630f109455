import CuffCore
import Glibc

/// A fault of any layer: what is thrown by everything that works through several of them.
public struct IngestError: Error, Hashable, CustomStringConvertible {
    /// The fault itself.
    public let fault: any Fault

    /// An error with this fault.
    public init(_ fault: some Fault) { self.fault = fault }

    /// What kind of failure it is.
    public var status: RunStatus { fault.status }
    /// What happened, in one plain line.
    public var description: String { fault.description }

    /// Two errors are the same when their faults are equal.
    public static func == (a: IngestError, b: IngestError) -> Bool { AnyHashable(a.fault) == AnyHashable(b.fault) }

    /// By the fault.
    public func hash(into hasher: inout Hasher) { AnyHashable(fault).hash(into: &hasher) }
}

extension IngestError {
    /// A file to be read does not open or ends in an error.
    static func reading(_ path: String, _ number: Int32) -> IngestError { IngestError(FileFault.unreadable(path, errno: number)) }

    /// A file to be written does not open or does not take what is written.
    static func writing(_ path: String, _ number: Int32) -> IngestError { IngestError(FileFault.unwritable(path, errno: number)) }

    /// The error for a driver id that is not in the list.
    public static func unknownDriver(_ id: String, known: [String] = CuffFamilies.all.map(\.id.description)) -> IngestError {
        IngestError(RequestFault.unknownDriver(id, known: known))
    }
}

extension SystemFault {
    /// What the kernel says of an errno, within a sentence.
    static func lowercased(_ number: Int32) -> String {
        let text = text(number)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
