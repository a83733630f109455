import CuffCore
import CuffIngest

extension Access {
    /// What helps; `nil` when nothing is the matter or nothing is known to help.
    func hint(for device: DeviceKey?) -> String? {
        switch self {
        case .granted, .failed: return nil
        case .missing: return "plug the cuff in, or see what is there: cuff list"
        case .denied(let node, let process):
            let rule = "cuff doctor --print-rule \(device.map { "\($0)" } ?? node.node) | sudo tee \(UdevRules.localPath)"
            // Only a group that people may be put into is worth naming: root's own is not.
            if node.group != 0, node.mode >> 3 & 6 == 6, !process.groups.contains(node.group) {
                return "sudo usermod -aG \(node.groupName) \(process.userName), then log in again   (or: \(rule))"
            }
            return rule
        }
    }
}
