import CuffCore
import CuffIngest

extension Access {
    /// How to get access; `nil` if granted or unknown.
    func hint(for device: DeviceKey?) -> String? {
        switch self {
        case .granted, .failed: return nil
        case .missing: return "plug the cuff in, or see what is there: cuff list"
        case .denied(let node, let process):
            let rule = "cuff doctor --print-rule \(device.map { "\($0)" } ?? node.node) | sudo tee \(UdevRules.localPath)"
            // Never suggest joining root's group.
            if node.group != 0, node.grants(6).group, !process.groups.contains(node.group) {
                return "sudo usermod -aG \(node.groupName) \(process.userName), then log in again   (or: \(rule))"
            }
            return rule
        }
    }
}
