import CuffCore
import Glibc

/// The marks of running measurements in the state folder, one file for each cuff, locked by the measuring process. An unlocked
/// file was left by a process that died while a cuff may have been inflating; the next process that opens the cuff stops it.
struct MeasurementMarks: Sendable {
    private let folder: String

    init(_ memory: DriverMemory) { folder = "\(memory.folder)/measuring" }

    final class Held: Sendable {
        private let descriptor: Int32
        private let path: String
        let former: AbandonedMeasurement?
        var wasLeft: Bool { former != nil }
        private let isOpen = Locked(true)

        fileprivate init(_ descriptor: Int32, _ path: String, former: AbandonedMeasurement?) {
            self.descriptor = descriptor
            self.path = path
            self.former = former
        }

        deinit { close(removing: false) }

        /// The cuff has stopped, or a stop was sent.
        func remove() { close(removing: true) }

        /// The stop could not be sent: the next process sends it.
        func leave() { close(removing: false) }

        private func close(removing: Bool) {
            let wasOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            guard wasOpen else { return }
            // Under the lock, so that no other process's new mark is removed.
            if removing { unlink(path) }
            Descriptor.closeLocked(descriptor)
        }
    }

    /// Before the start of a measurement; durable on return. Throws while another process measures with the cuff.
    func place(_ driver: DriverID, _ address: DeviceAddress) throws(IngestError) -> Held {
        let (path, name) = key(driver, address)
        StateFile.makeFolders(above: path)
        guard let found = try open(path, O_RDWR | O_CREAT) else {
            throw IngestError(CommandFault.isMeasuring(address: "\(address)"))
        }
        let former = Self.former(found, driver)
        do throws(SystemFault) {
            guard ftruncate(found, 0) == 0, lseek(found, 0, SEEK_SET) == 0 else { throw SystemFault("ftruncate") }
            let mark = MeasurementMark(driver: driver.description, address: name, begun: HostClock.now())
            try StateFile.put(mark.line + "\(getpid())\n", found)
        } catch {
            Glibc.close(found)
            throw .writing(path, error.number)
        }
        try? Descriptor.synchroniseFolder(of: path)
        return Held(found, path, former: former)
    }

    /// Before any other use of the cuff: the mark of a process that died, if any.
    func left(_ driver: DriverID, _ address: DeviceAddress) -> Held? {
        let (path, _) = key(driver, address)
        guard let found = try? open(path, O_RDWR) else { return nil }
        guard let former = Self.former(found, driver) else {
            // Incomplete: the process died before it started anything.
            unlink(path)
            Glibc.close(found)
            return nil
        }
        return Held(found, path, former: former)
    }

    private func key(_ driver: DriverID, _ address: DeviceAddress) -> (path: String, name: String) {
        var name = address.description
        if case .node(let path) = address { name = StateFile.resolved(path) }
        return ("\(folder)/\(StateFile.name(driver.description, for: name))", name)
    }

    /// The locked descriptor; `nil` while another process holds it, or without a file.
    private func open(_ path: String, _ flags: Int32) throws(IngestError) -> Int32? {
        let descriptor: Int32
        if flags & O_CREAT != 0 {
            descriptor = try OwnFile.open(path, O_RDWR, owner: .userOrFolder)
        } else {
            guard let found = try OwnFile.existing(path, flags, owner: .userOrFolder) else { return nil }
            descriptor = found
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func former(_ descriptor: Int32, _ driver: DriverID) -> AbandonedMeasurement? {
        lseek(descriptor, 0, SEEK_SET)
        guard let bytes = try? Descriptor.chunk(descriptor, StateFile.limit), let found = parsed(bytes),
            found.mark.driver == driver.description
        else { return nil }
        return AbandonedMeasurement(begun: found.mark.begun, process: found.process)
    }

    /// The mark and the id of the process that made it.
    private static func parsed(_ bytes: [UInt8]) -> (mark: MeasurementMark, process: Int32?)? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, let mark = MeasurementMark(line: lines[0] + "\n") else { return nil }
        return (mark, lines.count > 2 ? Int32(lines[1]) : nil)
    }

    /// Whether a process died during a measurement with this cuff.
    func isLeft(_ driver: DriverID, _ address: DeviceAddress) -> Bool {
        let held = left(driver, address)
        defer { held?.leave() }
        return held != nil
    }

    /// The process that is measuring with this cuff.
    func holder(_ driver: DriverID, _ address: DeviceAddress) -> Int32? {
        let (path, _) = key(driver, address)
        guard let descriptor = try? Descriptor.open(path, O_RDWR | O_NOFOLLOW) else { return nil }
        defer { Descriptor.closeLocked(descriptor) }
        // Unlocked: no process is measuring.
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return nil }
        return (try? Descriptor.chunk(descriptor, StateFile.limit)).flatMap { Self.parsed($0)?.process }
    }
}
