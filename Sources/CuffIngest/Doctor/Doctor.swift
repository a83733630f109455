import CuffCore

/// Facts about the path from the device to the database, to find out why a cuff does not work. `examine` collects them; the verb
/// `doctor` judges them.
package enum Doctor {
    package struct Facts: Sendable {
        package var name: String
        package var device: PluggedDevice?
        /// The USB device, with or without a node.
        package var usb: USBDevice?
        /// The kernel driver of each USB interface; `nil` for an interface without one.
        package var interfaceDrivers: [String?] = []
        package var resolution: ResolutionFault?
        /// The path to open; `nil` for a network address.
        package var node: String?
        /// A network address: steps about nodes are skipped.
        package var isNetwork = false
        package var hasUdev = true
        /// `nil` if they could not be read.
        package var permissions: NodePermissions?
        /// `nil` if not determined.
        package var process: ProcessIdentity?
        /// The user's groups in the user database, whether or not this process has them.
        package var listedGroups: Set<UInt32> = []
        /// Processes that have the node open or locked, as far as visible to this user.
        package var holders: [NodeHolder] = []
        /// Running programs that open serial ports on their own.
        package var neighbours: [String] = []
        /// `nil` if the node was not opened.
        package var line: LineFacts?
        package var verdict: Claiming.Verdict?
        package var driver: CuffDriver?
        /// Devices of the driver that asked for their clock to be set when last connected.
        package var clockWishes: [String] = []
        package var database: DatabaseFacts?
        package var databaseFiles: [NodePermissions] = []

        /// No device was examined, only the database.
        package var isDatabaseAlone = false

        package init(name: String) { self.name = name }
    }

    package struct LineFacts: Sendable, Hashable {
        /// 0 if it opened.
        package var errno: Int32 = 0
        /// The active lines, such as `DTR`, `CTS`; `nil` if the driver has none (pseudo terminal, HID).
        package var modemLines: [String]?
    }

    package enum DatabaseFacts: Sendable, Hashable {
        case fine(path: String, readings: Int)
        case absent(path: String)
        case failed(path: String, why: String, status: RunStatus)
    }
}
