import CuffCore

/// Why a cuff may not work: the facts of the way from the socket to the database. `examine` collects them; the verb `doctor` judges
/// them.
public enum Doctor {
    /// What is known about one device and its context.
    public struct Facts: Sendable {
        /// How the user named it.
        public var name: String
        /// The plugged-in device; `nil` where the name leads to none.
        public var device: PluggedDevice?
        /// The USB device, also when no node came of it, with the kernel drivers of its interfaces.
        public var usb: USBDevice?
        /// The kernel driver of each USB interface; `nil` for an interface without one.
        public var interfaceDrivers: [String?] = []
        /// Why the name leads nowhere, where it does not.
        public var resolution: ResolutionFault?
        /// The path to open: of the device, of a pseudo terminal, or none for a network address.
        public var node: String?
        /// The name is a network address, so steps about nodes are skipped.
        public var isNetwork = false
        /// udevd is running.
        public var hasUdev = true
        /// Owner, group, mode and ACL of the node; `nil` where they could not be read.
        public var permissions: NodePermissions?
        /// Who this process is; `nil` where it was not looked up.
        public var process: ProcessIdentity?
        /// Groups the user database gives this user, whether or not this process has them already.
        public var listedGroups: Set<UInt32> = []
        /// Processes that have the node open or locked, as far as this user may see.
        public var holders: [NodeHolder] = []
        /// Programs that look at serial ports by themselves and run here.
        public var neighbours: [String] = []
        /// What opening the node showed; `nil` where it was not opened.
        public var line: LineFacts?
        /// Which driver claims the device, and why.
        public var verdict: Claiming.Verdict?
        /// The driver that would be used.
        public var driver: CuffDriver?
        /// The cuff's clock; `nil` where it was not asked.
        public var clock: ClockFacts?
        /// Devices of the driver that asked for their clock to be set when they were last connected.
        public var clockWishes: [String] = []
        /// The database; `nil` where none was named.
        public var database: DatabaseFacts?
        /// Owner, group and mode of the database and of SQLite's files beside it, as far as they are there.
        public var databaseFiles: [NodePermissions] = []

        /// Nothing is plugged in, and only the database is looked at.
        public var isDatabaseAlone = false

        /// Nothing is known yet but the name.
        public init(name: String) { self.name = name }
    }

    /// What opening the node, without writing to it, showed.
    public struct LineFacts: Sendable, Hashable {
        /// 0 when it opened.
        public var errno: Int32
        /// The lines that are up, e.g. `DTR`, `CTS`; `nil` where the driver has none (a pseudo terminal, HID).
        public var modemLines: [String]?
        /// Sets each property as given.
        public init(errno: Int32 = 0, modemLines: [String]? = nil) {
            self.errno = errno
            self.modemLines = modemLines
        }
    }

    /// The cuff's clock compared with the host's.
    public enum ClockFacts: Sendable, Hashable {
        /// The cuff's clock minus the host's, in seconds.
        case offset(Int64)
        case unset
        case unreadable(String)
    }

    /// The state of the database file.
    public enum DatabaseFacts: Sendable, Hashable {
        case fine(path: String, readings: Int)
        /// Not there yet, and may be made.
        case absent(path: String)
        case failed(path: String, why: String, status: RunStatus)
    }
}
