import CuffCore

/// Which driver a device belongs to and by whose word. Nothing is written to a device that nobody identified: a generic
/// bridge chip is claimed only where the user assigned it.
public enum Claiming {
    /// By what a device was recognised.
    public enum Reason: Sendable, Hashable {
        /// The cuff's own USB ids.
        case exactID(USBID)
        /// A shared id, but this release of it is known to be the cuff.
        case release(USBID, bcdDevice: UInt16)
        /// A blood-pressure cuff of the USB healthcare class, or a device of it that does not say what it is.
        case healthcareClass
        case assigned(Assignment)
        /// A udev rule of the administrator's says so (`ID_CUFF_DRIVER`; `cuff doctor --print-rule` writes such rules).
        case rule
    }

    /// What is done with a device.
    public enum Verdict: Sendable, Hashable {
        case claimed(DriverID, Reason)
        /// An id that many devices carry; these drivers may be behind it, if the user says so.
        case unassigned([DriverID])
        /// No driver knows the id.
        case unknown
        /// The user said: never open it.
        case ignored(Assignment)
        /// Two claims or assignments contradict each other, or the driver cannot speak to such a node.
        case refused(String)

        /// The driver of a claimed device; `nil` in all other cases.
        public var driver: DriverID? {
            if case .claimed(let driver, _) = self { driver } else { nil }
        }
    }

    /// Judges one device from its ids, the assignments and the list of drivers; it depends on nothing else.
    package static func verdict(
        on device: PluggedDevice, assignments: [Assignment] = [], drivers: [CuffDriver] = CuffFamilies.all
    ) -> Verdict {
        let spoken = assignments.filter { $0.address.matches(device) }
        if let closest = spoken.map(\.address.closeness).max() {
            return verdict(on: device, spoken.filter { $0.address.closeness == closest }, drivers)
        }
        let ruled = device.properties["ID_CUFF_DRIVER"].flatMap { word in
            drivers.first { $0.id.description == word && device.suits($0) }
        }
        if let healthcare = device.healthcare, let driver = drivers.first(where: \.isOfHealthcareClass) {
            // A scale or a thermometer is left alone until somebody asks for it.
            // The packaged rule names this driver for every such device; another one is the administrator's word.
            if let ruled, ruled.id != driver.id { return .claimed(ruled.id, .rule) }
            return healthcare.mayBeCuff ? .claimed(driver.id, .healthcareClass) : .unassigned([driver.id])
        }
        guard let usb = device.usb else { return ruled.map { .claimed($0.id, .rule) } ?? .unassigned([]) }
        var exact: [(DriverID, Reason)] = []
        var possible: [DriverID] = []
        for driver in drivers where device.suits(driver) {
            for claim in driver.claims where claim.id == usb.id {
                switch claim {
                case .usb: exact.append((driver.id, .exactID(usb.id)))
                case .release(_, _, let release) where release == usb.bcdDevice:
                    exact.append((driver.id, .release(usb.id, bcdDevice: release)))
                case .release, .shared: possible.append(driver.id)
                }
            }
        }
        // The packaged rules only repeat the exact ids; a word that differs is the administrator's own.
        if let ruled, !exact.contains(where: { $0.0 == ruled.id }) { return .claimed(ruled.id, .rule) }
        if exact.count > 1 {
            return .refused("\(exact.map { "\($0.0)" }.joined(separator: " and ")) both claim \(usb.id); assign one of them")
        }
        if let (driver, reason) = exact.first { return .claimed(driver, reason) }
        return possible.isEmpty ? .unknown : .unassigned(possible)
    }

    private static func verdict(
        on device: PluggedDevice, _ spoken: [Assignment], _ drivers: [CuffDriver]
    ) -> Verdict {
        // Said twice alike is said once; the last word of two equal ones counts for line and options.
        guard let last = spoken.last else { return .unknown }
        if let other = spoken.first(where: { $0.driver != last.driver }) {
            return .refused(
                "\(other.origin) says \(other.driver.map { "\($0)" } ?? "ignore"), \(last.origin) says "
                    + "\(last.driver.map { "\($0)" } ?? "ignore")")
        }
        guard let id = last.driver else { return .ignored(last) }
        guard let driver = drivers.first(where: { $0.id == id }) else { return .refused("there is no driver \(id)") }
        guard device.suits(driver) else {
            return .refused("\(id) speaks to a \(driver.medium.rawValue) node, \(device.node) is \(device.subsystem.rawValue)")
        }
        return .claimed(id, .assigned(last))
    }
}

extension PluggedDevice {
    /// Whether a driver can speak to such a node at all.
    func suits(_ driver: CuffDriver) -> Bool {
        subsystem == .usb && driver.isOfHealthcareClass || driver.medium(at: usb?.id) == subsystem
    }

    /// Under which name its readings are kept: by the cuff's own ids, where it was claimed for these, has no serial number,
    /// and no other such cuff has taken them; else by its key.
    func identity(_ reason: Claiming.Reason, isTaken: (String) -> Bool) -> String {
        guard reason.isOwnID, let own = byOwnID, !isTaken(own) else { return key.description }
        return own
    }
}

extension Claiming.Reason {
    /// The device showed the cuff's own ids, not those of a bridge chip that anything may sit behind.
    var isOwnID: Bool {
        switch self {
        case .exactID, .release, .healthcareClass: true
        case .assigned, .rule: false
        }
    }
}

extension Claiming.Verdict {
    /// Why, for `cuff list` and the log.
    public func sentence(for device: PluggedDevice) -> String {
        switch self {
        case .claimed(_, .exactID(let id)): "\(id) is this cuff's own id"
        case .claimed(_, .release(let id, let release)): "\(id) with bcdDevice \(USBID.text(release)) is this cuff"
        case .claimed(_, .healthcareClass):
            "its USB class is personal healthcare (0F)\(device.healthcare?.specializations.isEmpty == false ? ", blood pressure" : "")"
        case .claimed(_, .rule): "a udev rule says so (ID_CUFF_DRIVER)"
        case .claimed(_, .assigned(let assignment)): "assigned by \(assignment.origin) as \(assignment.address)"
        case .unassigned(let drivers):
            Self.unassigned(drivers, device)
        case .unknown: device.usb.map { "no driver knows \($0.id)" } ?? "not assigned"
        case .ignored(let assignment): "\(assignment.origin) says never to open it"
        case .refused(let why): why
        }
    }

    private static func unassigned(_ drivers: [DriverID], _ device: PluggedDevice) -> String {
        let name = device.usb.map { usb in "\(usb.id) is \(USBBridge.named(usb.id)?.name ?? "an id of many devices")" }
        let example = drivers.first.map { "\($0)" } ?? "DRIVER"
        return (name ?? "cannot tell what is connected to a built-in port")
            + "; if it is a cuff: --assign \(device.key)=\(example)"
            + (drivers.count > 1 ? " (or \(drivers.dropFirst().map { "\($0)" }.joined(separator: ", ")))" : "")
    }
}
