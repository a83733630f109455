import CuffCore
import CuffIngest

extension Doctor {
    /// The checks in order. The raw value is the name in the output.
    enum Step: String, Sendable, CaseIterable {
        case bus
        case kernelDriver = "kernel driver"
        case node
        case permission
        case groups
        case holders = "lock holders"
        case neighbours
        case line
        case driver
        case clock
        case database
        case modes = "file modes"
        // Of the configuration, not of a device.
        case settings
        case page
        case service

        /// The checks of a device, in order.
        static let allCases: [Step] = [
            .bus, .kernelDriver, .node, .permission, .groups, .holders, .neighbours, .line, .driver, .clock, .database, .modes,
        ]
    }

    enum State: String, Sendable {
        case ok
        case warning
        case failed
        /// An earlier step failed, or it was not requested.
        case skipped
    }

    struct Finding: Sendable, Hashable {
        var step: Step
        var state: State
        var text: String
        /// How to fix it; `nil` if nothing is wrong or no fix is known.
        var hint: String?
        /// The kind of failure; `done` if none.
        var status: RunStatus

        init(_ step: Step, _ state: State, _ text: String, hint: String? = nil, status: RunStatus = .done) {
            self.step = step
            self.state = state
            self.text = text
            self.hint = hint
            self.status = status
        }

        /// `permission     FAILED  the port belongs to …`, followed by the hint.
        var lines: String { lines(width: nil) }

        /// As `lines`, folded to a terminal's width; `nil`: not folded.
        func lines(width: Int?) -> String {
            func blanks(_ count: Int) -> String { String(repeating: " ", count: max(1, count)) }
            func fitted(_ text: String, behind head: String) -> String {
                guard let width else { return head + text }
                return head + TextTable.lines(text, max(20, width - head.count)).joined(separator: "\n" + blanks(head.count))
            }
            let word = state == .failed ? "FAILED" : state.rawValue
            let name = step.rawValue + blanks(15 - step.rawValue.count)
            return fitted(text, behind: name + word + blanks(9 - word.count))
                + (hint.map { "\n" + fitted($0, behind: blanks(15) + "fix: ") } ?? "")
        }
    }
}

extension Array where Element == Doctor.Finding {
    /// The kind of the first failure; with `strict`, `no` for warnings; else `done`.
    func status(strict: Bool = false) -> RunStatus {
        if let failure = first(where: { $0.state == .failed }) { return failure.status }
        return strict && contains { $0.state == .warning } ? .no : .done
    }
}
