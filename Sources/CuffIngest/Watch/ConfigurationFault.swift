/// What is wrong with the configuration, or with what the command line adds to it.
public enum ConfigurationFault: Fault {
    /// The value of a file's line is one that its own parser refuses.
    case value(file: String, line: Int, IngestError)
    /// A text after --assign.
    case assignment(AddressFault)

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .value: .badConfiguration
        case .assignment: .usage
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .value(let file, let line, let cause): "\(file):\(line): \(cause)"
        case .assignment(let fault): fault.description
        }
    }
}
