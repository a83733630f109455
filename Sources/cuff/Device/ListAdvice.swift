import CuffIngest

/// The next step, below the table of `cuff list` at a terminal.
enum ListAdvice {
    /// Opens nothing.
    static func text(_ devices: [PluggedDevice], _ assignments: [Assignment], access: (PluggedDevice) -> Access) -> String {
        var read: [String] = []
        var isUnassigned = false
        for device in devices {
            switch Claiming.verdict(on: device, assignments: assignments) {
            case .claimed:
                let access = access(device)
                read.append(
                    access.hint(for: device.key).map { "You may not open \(device.node). Fix: \($0)" }
                        ?? "Read it: cuff read \(device.node)")
            case .unassigned, .unknown: isUnassigned = isUnassigned || device.usb != nil
            case .ignored, .refused: break
            }
        }
        if !read.isEmpty { return read.map { $0 + "\n" }.joined() }
        if isUnassigned { return "Is one of them a cuff? `cuff setup` asks which, and keeps the answer.\n" }
        return "No cuff is recognised. Plug it in and switch it on; some show up only in PC mode, or with a data cable.\n"
            + "`cuff drivers MODEL` says whether a cuff is supported; a cuff at a built-in port needs a name: cuff setup\n"
    }
}
