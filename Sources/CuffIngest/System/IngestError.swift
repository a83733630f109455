import CuffCore
import Glibc

/// The error type of functions that work through several layers.
public struct IngestError: Error, Hashable, CustomStringConvertible {
    /// The fault.
    public let fault: any Fault

    /// An error with this fault.
    public init(_ fault: some Fault) { self.fault = fault }

    /// The kind of failure.
    public var status: RunStatus { fault.status }
    /// What happened, in one line.
    public var description: String { fault.description }

    /// By the faults.
    public static func == (a: IngestError, b: IngestError) -> Bool { AnyHashable(a.fault) == AnyHashable(b.fault) }

    /// By the fault.
    public func hash(into hasher: inout Hasher) { AnyHashable(fault).hash(into: &hasher) }

    static func reading(_ path: String, _ number: Int32) -> IngestError { IngestError(FileFault.unreadable(path, errno: number)) }

    static func writing(_ path: String, _ number: Int32) -> IngestError { IngestError(FileFault.unwritable(path, errno: number)) }

    /// The error for an unknown driver id.
    public static func unknownDriver(_ id: String, known: [String] = CuffFamilies.all.map(\.id.description)) -> IngestError {
        IngestError(RequestFault.unknownDriver(id, known: known))
    }
}

extension SystemFault {
    /// The kernel's text for an errno, in lower case.
    static func lowercased(_ number: Int32) -> String {
        let text = text(number)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
