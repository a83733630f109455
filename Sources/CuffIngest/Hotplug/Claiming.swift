import CuffCore

/// Decides which driver a device belongs to, and why. Nothing is written to an unidentified device: a generic bridge chip is
/// claimed only if the user assigned it.
package enum Claiming {
    package enum Reason: Sendable, Hashable {
        case exactID(USBID)
        /// A shared id whose release number identifies the cuff.
        case release(USBID, bcdDevice: UInt16)
        /// A device of the USB healthcare class that is a blood-pressure cuff or does not report its kind.
        case healthcareClass
        case assigned(Assignment)
        /// A local udev rule (`ID_CUFF_DRIVER`; `cuff doctor --print-rule` writes such rules).
        case rule
    }

    package enum Verdict: Sendable, Hashable {
        case claimed(DriverID, Reason)
        /// An id shared by many devices; it may be a cuff of these drivers, if the user says so.
        case unassigned([DriverID])
        case unknown
        case ignored(Assignment)
        /// Contradicting claims or assignments, or a node that the driver cannot use.
        case refused(String)

        /// `nil` unless claimed.
        package var driver: DriverID? {
            if case .claimed(let driver, _) = self { driver } else { nil }
        }
    }

    /// Judges a device by its ids, the assignments and the list of drivers only.
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
            // A scale or a thermometer is not opened unless assigned.
            // The packaged rule names this driver for every such device; another driver comes from a local rule.
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
        // The packaged rules only repeat the exact ids; any other driver comes from a local rule.
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
        // Equal assignments count once; the last one supplies line and options.
        guard let last = spoken.last else { return .unknown }
        if let other = spoken.first(where: { $0.driver != last.driver }) {
            return .refused(
                "\(other.origin) says \(other.driver.map { "\($0)" } ?? "ignore"), \(last.origin) says "
                    + "\(last.driver.map { "\($0)" } ?? "ignore")")
        }
        guard let id = last.driver else { return .ignored(last) }
        guard let driver = drivers.first(where: { $0.id == id }) else { return .refused("there is no driver \(id)") }
        guard device.suits(driver) else {
            return .refused("\(id) needs a \(driver.medium.rawValue) node, \(device.node) is \(device.subsystem.rawValue)")
        }
        return .claimed(id, .assigned(last))
    }
}

extension PluggedDevice {
    /// Whether the driver can read such a node.
    package func suits(_ driver: CuffDriver) -> Bool {
        subsystem == .usb && driver.isOfHealthcareClass || driver.medium(at: usb?.id) == subsystem
    }

    /// The identity of its readings: the cuff's own ids if it was claimed for them, has no serial number, and no other cuff uses
    /// them; else its key.
    func identity(_ reason: Claiming.Reason, isTaken: (String) -> Bool) -> String {
        guard reason.isOwnID, let own = byOwnID, !isTaken(own) else { return key.description }
        return own
    }
}

extension Claiming.Reason {
    /// Claimed for the cuff's own ids, not those of a generic bridge chip.
    var isOwnID: Bool {
        switch self {
        case .exactID, .release, .healthcareClass: true
        case .assigned, .rule: false
        }
    }
}

extension Claiming.Verdict {
    /// The reason, for `cuff list` and the log.
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
