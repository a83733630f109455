import CuffCore
import Glibc

/// Where to find the cuff of a DEVICE argument, its driver, and the identity for its readings.
package struct DevicePlace: Sendable {
    package var address: DeviceAddress
    package var driver: String
    /// The cuff's identity as far as the host knows: its name in the configuration, else USB serial number or port; empty for a bare path.
    package var device: String
}

extension DevicePlace {
    /// `driver` was given by the user; without it, only a claimed device is accepted. `drivers` and `kinds` are the available
    /// families and transports. `assignments` give the name under which a watch stores the cuff's readings.
    package init(
        _ text: String, driver: String?, drivers: [CuffDriver] = CuffFamilies.all, among kinds: [TransportKind] = TransportKind.all,
        assignments: [Assignment] = []
    ) throws(IngestError) {
        let request: DeviceRequest
        do throws(AddressFault) { request = try DeviceRequest(text, drivers: drivers, among: kinds) } catch {
            throw IngestError(error)
        }
        let settings = request.settings
        guard settings.line == nil, settings.options.isEmpty, settings.name == nil else {
            throw IngestError(DeviceFault.saysTooMuch(text))
        }
        try self.init(
            request.address, driver: driver ?? settings.driver?.description, drivers: drivers, assignments: assignments, as: text)
    }

    /// `text` is the address as the user wrote it.
    package init(
        _ wanted: DeviceAddress, driver: String?, drivers: [CuffDriver] = CuffFamilies.all, assignments: [Assignment] = [],
        as text: String? = nil
    ) throws(IngestError) {
        let text = text ?? "\(wanted)"
        // Another driver: another cuff at this place.
        func name(at address: DeviceAddress, _ driver: String) -> String? {
            assignments.last { $0.address == address && $0.driver?.description == driver }?.name
        }
        let target: DeviceTarget
        let present = wanted.isOutsideHotplug ? [] : (try? DeviceEnumeration.plugged()) ?? []
        do throws(ResolutionFault) { target = try wanted.resolve(among: present, drivers: drivers) } catch {
            throw IngestError(error)
        }
        switch target {
        case .place(let address):
            let driver = try Self.named(driver, text, at: address)
            self.init(address: address, driver: driver, device: name(at: address, driver) ?? "")
        case .plugged(let plugged):
            let verdict = Claiming.verdict(on: plugged, assignments: [], drivers: drivers)
            let driver = try Self.named(driver ?? verdict.driver?.description, text)
            let said = Claiming.verdict(on: plugged, assignments: assignments, drivers: drivers)
            let name: String? = if case .claimed(let id, .assigned(let one)) = said, id.description == driver { one.name } else { nil }
            self.init(address: target.address, driver: driver, device: name ?? Self.identity(of: plugged, verdict, among: present))
        }
    }

    /// As in `cuff watch`: a cuff with its own USB ids and no serial number is named by these ids; of several, only the first.
    static func identity(
        of device: PluggedDevice, _ verdict: Claiming.Verdict, among present: [PluggedDevice]
    ) -> String {
        guard case .claimed(_, let reason) = verdict else { return "\(device.key)" }
        return device.identity(reason) { own in
            let first = present.filter { $0.byOwnID == own }.map(\.node).min()
            return first != nil && first != device.node
        }
    }

    private static func named(_ driver: String?, _ text: String, at address: DeviceAddress? = nil) throws(IngestError) -> String {
        guard let driver else {
            // Naming a driver would not help if the path does not exist.
            if case .node(let path)? = address, access(path, F_OK) != 0 { throw .device(path, errno) }
            throw IngestError(DeviceFault.unclaimed(text))
        }
        return driver
    }
}
