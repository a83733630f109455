import CuffCore
import CuffIngest
import Glibc

extension Doctor {
    /// All steps in order, or those of the database. Steps that depend on a failed one are `skipped`, so that one fault causes
    /// one failure.
    static func findings(_ facts: Facts) -> [Finding] {
        if facts.isDatabaseAlone { return [database(facts), modes(facts)] }
        var findings = [bus(facts)]
        func failed() -> Bool { findings.contains { $0.state == .failed } }
        func then(_ step: Step, _ check: (Facts) -> Finding) {
            findings.append(failed() ? Finding(step, .skipped, "an earlier step failed") : check(facts))
        }
        then(.kernelDriver, kernelDriver)
        then(.node, node)
        then(.permission, permission)
        findings.append(groups(facts))
        then(.holders, holders)
        findings.append(neighbours(facts))
        then(.line, line)
        findings.append(facts.device == nil && facts.verdict == nil ? Finding(.driver, .skipped, "no device") : driver(facts))
        then(.clock, clock)
        findings += [database(facts), modes(facts)]
        return findings
    }

    private static func bus(_ facts: Facts) -> Finding {
        if facts.isNetwork { return Finding(.bus, .ok, "\(facts.name) is a network address") }
        if let usb = facts.usb ?? facts.device?.usb {
            let name = [usb.manufacturer, usb.product].compactMap { $0 }.joined(separator: " ")
            let serial = usb.serial.map { ", serial number \($0)" + (usb.uniqueSerial == nil ? " (as all of its kind)" : "") }
            let text = "USB \(usb.id)\(name.isEmpty ? "" : " " + name) at port \(usb.port)\(serial ?? ", no serial number")"
            return facts.hasUdev
                ? Finding(.bus, .ok, text)
                : Finding(
                    .bus, .warning, text + "; no udevd runs here: no links, no rules",
                    hint: "nothing, if this is a container; on a machine of its own: install and start udev")
        }
        if facts.node != nil && facts.resolution == nil { return Finding(.bus, .ok, "not on USB") }
        return Finding(
            .bus, .failed, facts.resolution?.description ?? "\(facts.name) is not plugged in",
            hint: "check the cable; many cuffs show up only when switched on, in PC mode, or with a data cable",
            status: facts.resolution?.status ?? .unavailable)
    }

    private static func kernelDriver(_ facts: Facts) -> Finding {
        guard let usb = facts.usb ?? facts.device?.usb else { return Finding(.kernelDriver, .ok, "none needed") }
        if let device = facts.device {
            if device.subsystem == .usb { return Finding(.kernelDriver, .ok, "none needed: its USB node is read") }
            return Finding(.kernelDriver, .ok, "\(device.kernelDriver ?? "a driver without a name") makes \(device.node)")
        }
        let module = USBBridge.named(usb.id)?.module
        if facts.interfaceDrivers.contains("usbfs") {
            return Finding(
                .kernelDriver, .failed, "a program took \(usb.id) from the kernel (usbfs), so it has no node",
                hint: "brltty before 6.5 does this to bridge chips: configure it, or give the cuff another adapter; "
                    + "a virtual machine or the vendor's program does it too: end it",
                status: .unavailable)
        }
        let bound = facts.interfaceDrivers.compactMap { $0 }
        if bound.isEmpty {
            return Finding(
                .kernelDriver, .failed, "no kernel driver took \(usb.id)",
                hint: module.map { "sudo modprobe \($0)" } ?? "no driver of this program's needs it; see `cuff drivers`",
                status: .unavailable)
        }
        return Finding(
            .kernelDriver, .failed, "\(bound.joined(separator: ", ")) took \(usb.id) and made no serial or HID node",
            hint: module.map { "sudo modprobe \($0), then plug it in again" } ?? "this is probably no cuff", status: .unavailable)
    }

    private static func node(_ facts: Facts) -> Finding {
        if facts.isNetwork { return Finding(.node, .ok, "none needed") }
        guard let path = facts.node else { return Finding(.node, .failed, "there is no node", status: .unavailable) }
        guard facts.permissions != nil else {
            return Finding(
                .node, .failed, "\(path) does not exist",
                hint: facts.device == nil
                    ? "see what is there: cuff list" : "in a container, pass it in: --device=\(path); else start udev",
                status: .unavailable)
        }
        let links = facts.device?.links ?? []
        return Finding(.node, .ok, path + (links.isEmpty ? "" : ", also " + links.joined(separator: ", ")))
    }

    private static func permission(_ facts: Facts) -> Finding {
        guard let node = facts.permissions, let process = facts.process else {
            return Finding(.permission, .ok, "none needed")
        }
        let access = Access.verdict(on: node, for: process)
        if let reason = access.reason {
            return Finding(.permission, .failed, reason, hint: access.hint(for: facts.device?.key), status: .noPermission)
        }
        let named = node.entries.contains { $0.tag == .user && $0.id == process.user } ? ", and by the seat's access list" : ""
        return Finding(.permission, .ok, "\(node.ownerName):\(node.groupName) \(node.modeText)\(named)")
    }

    private static func groups(_ facts: Facts) -> Finding {
        guard let process = facts.process else { return Finding(.groups, .skipped, "not asked") }
        let text = "runs as \(process.userName), groups: \(process.groupNames.joined(separator: " "))"
        if let node = facts.permissions, node.group != 0, facts.listedGroups.contains(node.group),
            !process.groups.contains(node.group)
        {
            return Finding(
                .groups, .warning, "\(process.userName) is in \(node.groupName), but this process is not yet",
                hint: "log in again, or in this terminal: newgrp \(node.groupName)")
        }
        return Finding(.groups, .ok, text)
    }

    private static func holders(_ facts: Facts) -> Finding {
        guard !facts.holders.isEmpty else {
            return Finding(.holders, .ok, facts.isNetwork ? "none" : "none that this user may see")
        }
        let text = facts.holders.map { "\($0.command) (\($0.pid), \($0.hold.rawValue))" }.joined(separator: ", ")
        let isLocked = facts.holders.contains { $0.hold != .open }
        return Finding(
            .holders, isLocked ? .failed : .warning, text,
            hint: "end that program; two readers of one line each get half of it", status: isLocked ? .tryAgain : .done)
    }

    /// Programs that open serial ports on their own; which ports they ignore is known from their tables.
    private static func neighbours(_ facts: Facts) -> Finding {
        guard !facts.neighbours.isEmpty else { return Finding(.neighbours, .ok, "no ModemManager, brltty or gpsd runs") }
        let running = facts.neighbours.joined(separator: ", ")
        guard let device = facts.device, let usb = device.usb else {
            return Finding(.neighbours, .ok, "\(running) running")
        }
        var warnings: [String] = []
        var hints: [String] = []
        let isIgnored = ["ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE"].contains { device.properties[$0] == "1" }
        if facts.neighbours.contains("ModemManager"), device.subsystem == .tty, !isIgnored {
            warnings.append("ModemManager was not told to leave \(device.node) alone")
            hints.append("cuff doctor --print-rule \(device.key) | sudo tee \(UdevRules.localPath)")
        }
        if facts.neighbours.contains("brltty"), brlttyIDs.contains(usb.id.description) {
            warnings.append("brltty has \(usb.id) in its table and may take it")
            hints.append("brltty 6.5 and later ignores it unless configured; do not remove it if it is in use")
        }
        if facts.neighbours.contains("gpsd"), usb.id.description == "10c4:ea60" {
            warnings.append("gpsd starts on \(usb.id)")
            hints.append("USBAUTO=\"false\" in /etc/default/gpsd")
        }
        return warnings.isEmpty
            ? Finding(.neighbours, .ok, "\(running) running, and leaving this one alone")
            : Finding(.neighbours, .warning, warnings.joined(separator: "; "), hint: hints.joined(separator: "; "))
    }

    /// brltty's "generic identifiers".
    private static let brlttyIDs: Set<String> = [
        "0403:6001", "0403:6010", "10c4:ea60", "10c4:ea80", "1a86:55d3", "1a86:7523",
    ]

    private static func line(_ facts: Facts) -> Finding {
        guard let line = facts.line else {
            return Finding(.line, .skipped, "not opened: only a device that is claimed, or that you name, is")
        }
        let name = facts.node ?? facts.name
        switch line.errno {
        case 0:
            let wanted = facts.driver.flatMap { $0.medium == .tty ? ", to be set to \($0.line.text)" : nil } ?? ""
            let up = line.modemLines.map { ", up: " + ($0.isEmpty ? "none" : $0.joined(separator: " ")) } ?? ""
            return Finding(.line, .ok, "\(name) opens\(wanted)\(up)")
        case EBUSY:
            return Finding(
                .line, .failed, "\(name) is busy: another program has it for itself",
                hint: "end that program (sudo cuff doctor \(facts.name) shows which)", status: .tryAgain)
        case EACCES, EPERM:
            return Finding(
                .line, .failed, "\(name): permission denied, though its owner and mode allow it",
                hint: "in a container or a systemd unit the device must be allowed too (--device, DeviceAllow=)", status: .noPermission)
        default:
            return Finding(
                .line, .failed, "\(name): \(String(cString: strerror(line.errno)))",
                hint: "unplug it and plug it in again", status: .inputOutput)
        }
    }

    private static func driver(_ facts: Facts) -> Finding {
        guard let verdict = facts.verdict, let device = facts.device else {
            return facts.driver.map { Finding(.driver, .ok, "\($0.id), as you say") }
                ?? Finding(.driver, .warning, "no driver is known for it", hint: "cuff doctor \(facts.name),driver=ID (see `cuff drivers`)")
        }
        let sentence = verdict.sentence(for: device)
        switch verdict {
        case .claimed(let id, _): return Finding(.driver, .ok, "\(id): \(sentence)")
        case .unassigned(let drivers):
            let example = drivers.first.map { "\($0)" } ?? "DRIVER"
            return Finding(
                .driver, .warning, sentence, hint: "cuff read \(device.key) --driver \(example), or --assign with `cuff watch`")
        case .ignored: return Finding(.driver, .warning, sentence)
        case .unknown:
            return Finding(
                .driver, .failed, sentence, hint: "if it is a cuff: cuff identify \(device.key), cuff drivers", status: .unavailable)
        case .refused: return Finding(.driver, .failed, sentence, hint: "remove all but one of them", status: .badConfiguration)
        }
    }

    private static func clock(_ facts: Facts) -> Finding {
        guard !facts.clockWishes.isEmpty else {
            return Finding(.clock, .skipped, "not asked: that needs a connection to the cuff (cuff clock)")
        }
        return Finding(
            .clock, .warning, "\(facts.clockWishes.joined(separator: ", ")) asked for the clock to be set when last connected",
            hint: "cuff clock \(facts.name) --set now")
    }

    /// File permissions are the only access control of stored readings.
    private static func modes(_ facts: Facts) -> Finding {
        guard let file = facts.databaseFiles.first else {
            return Finding(.modes, .skipped, facts.database == nil ? "not asked" : "there is no file yet")
        }
        let texts = facts.databaseFiles.map { "\($0.node) \($0.modeText) \($0.ownerName):\($0.groupName)" }
        func names(_ permission: Int) -> String {
            let others = file.grants(permission)
            return ([file.ownerName] + (others.group ? ["group \(file.groupName)"] : []) + (others.all ? ["everybody"] : []))
                .joined(separator: ", ")
        }
        let open = facts.databaseFiles.filter { !$0.modeText.hasSuffix("------") }
        let text = "read by \(names(4)), written by \(names(2)): \(texts.joined(separator: "; "))"
        guard !open.isEmpty else { return Finding(.modes, .ok, text) }
        return Finding(
            .modes, .warning, text, hint: "to deny access to others: chmod 600 \(open.map(\.node).joined(separator: " "))")
    }

    private static func database(_ facts: Facts) -> Finding {
        switch facts.database {
        case nil: Finding(.database, .skipped, "not asked")
        case .fine(let path, let readings): Finding(.database, .ok, "\(path), \(Plural.text(readings, "reading"))")
        case .absent(let path): Finding(.database, .ok, "\(path) is created by the first reading")
        case .failed(_, let why, let status): Finding(.database, .failed, why, status: status)
        }
    }
}
