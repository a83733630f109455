import CuffCore

/// The cuffs of this machine.
public enum Cuffs {
    /// The cuff at this address. One of several devices that are meant is never guessed: the error lists them. Without `driver` only a
    /// device that a driver claims will do; a generic bridge chip (FTDI, CP210x and others) always needs one.
    /// - Throws: An `IngestError` of status `unavailable` if no such device is there, `noPermission` if this user may not look at it,
    ///   and `usage` if several could be meant, or if no driver claims it and none is given.
    public static func first(
        _ address: DeviceAddress = .automatic, driver: CuffDriver? = nil, options: IngestOptions = .remembering
    ) async throws -> Cuff {
        try await DetachedThread.run { () throws(IngestError) in try find(address, driver, options) }
    }

    /// Every device that is plugged in and that a driver claims. Nothing is opened.
    /// - Throws: An `IngestError` of status `osError` if the devices cannot be listed.
    public static func all(options: IngestOptions = .remembering) async throws -> [Cuff] {
        try await DetachedThread.run { () throws(IngestError) in
            do throws(HotplugFault) {
                let present = try DeviceEnumeration.plugged()
                return present.compactMap { plugged in
                    let verdict = Claiming.verdict(on: plugged, drivers: options.drivers)
                    guard let driver = verdict.driver.flatMap({ options.driver($0.description) }) else { return nil }
                    var options = options
                    if options.device.isEmpty { options.device = DevicePlace.identity(of: plugged, verdict, among: present) }
                    return Cuff(at: DeviceTarget.plugged(plugged).address, driver: driver, options: options)
                }
            } catch { throw IngestError(DeviceFault.cannotWatch(error)) }
        }
    }

    /// Blocks while it asks udev.
    package static func find(
        _ address: DeviceAddress, _ driver: CuffDriver?, _ options: IngestOptions
    ) throws(IngestError) -> Cuff {
        let drivers = options.drivers + [driver].compactMap { $0 }
        let place = try DevicePlace(address, driver: driver?.id.description, drivers: drivers)
        var options = options
        if options.device.isEmpty { options.device = place.device }
        return Cuff(at: place.address, driver: try Ingest.driver(place.driver, among: drivers), options: options)
    }
}

extension DeviceAddress {
    /// The device with these USB ids, e.g. `.usb(0x0403, 0x6001)`; `serial` chooses one of several.
    public static func usb(_ vendor: UInt16, _ product: UInt16, serial: String? = nil) -> DeviceAddress {
        .usb(USBID(vendor: vendor, product: product), serial: serial, channel: nil)
    }
}
