import CuffCore

/// Why a cuff may not work: the facts of the way from the socket to the database. `examine` collects them; the verb `doctor` judges
/// them.
package enum Doctor {
    package struct Facts: Sendable {
        /// How the user named it.
        package var name: String
        package var device: PluggedDevice?
        /// The USB device, also when no node came of it, with the kernel drivers of its interfaces.
        package var usb: USBDevice?
        /// The kernel driver of each USB interface; `nil` for an interface without one.
        package var interfaceDrivers: [String?] = []
        package var resolution: ResolutionFault?
        /// The path to open: of the device, of a pseudo terminal, or none for a network address.
        package var node: String?
        /// The name is a network address, so steps about nodes are skipped.
        package var isNetwork = false
        package var hasUdev = true
        /// Owner, group, mode and ACL of the node; `nil` where they could not be read.
        package var permissions: NodePermissions?
        /// Who this process is; `nil` where it was not looked up.
        package var process: ProcessIdentity?
        /// Groups the user database gives this user, whether or not this process has them already.
        package var listedGroups: Set<UInt32> = []
        /// Processes that have the node open or locked, as far as this user may see.
        package var holders: [NodeHolder] = []
        /// Programs that look at serial ports by themselves and run here.
        package var neighbours: [String] = []
        /// What opening the node showed; `nil` where it was not opened.
        package var line: LineFacts?
        package var verdict: Claiming.Verdict?
        package var driver: CuffDriver?
        /// The cuff's clock; `nil` where it was not asked.
        package var clock: ClockFacts?
        /// Devices of the driver that asked for their clock to be set when they were last connected.
        package var clockWishes: [String] = []
        /// The database; `nil` where none was named.
        package var database: DatabaseFacts?
        /// Owner, group and mode of the database and of SQLite's files beside it, as far as they are there.
        package var databaseFiles: [NodePermissions] = []

        /// Nothing is plugged in, and only the database is looked at.
        package var isDatabaseAlone = false

        package init(name: String) { self.name = name }
    }

    package struct LineFacts: Sendable, Hashable {
        /// 0 when it opened.
        package var errno: Int32 = 0
        /// The lines that are up, e.g. `DTR`, `CTS`; `nil` where the driver has none (a pseudo terminal, HID).
        package var modemLines: [String]?
    }

    /// The cuff's clock compared with the host's.
    package enum ClockFacts: Sendable, Hashable {
        /// The cuff's clock minus the host's, in seconds.
        case offset(Int64)
        case unset
        case unreadable(String)
    }

    package enum DatabaseFacts: Sendable, Hashable {
        case fine(path: String, readings: Int)
        /// Not there yet, and may be made.
        case absent(path: String)
        case failed(path: String, why: String, status: RunStatus)
    }
}
