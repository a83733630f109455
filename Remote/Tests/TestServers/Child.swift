import Foundation

/// A program that was started. (Foundation's `Process` waits for every descendant as well, and servers keep running.)
struct Child {
    let id: pid_t

    init(_ words: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in [(input, Int32(0)), (output, 1), (errors, 2)] { posix_spawn_file_actions_adddup2(&actions, from, to) }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = words.map { strdup($0) } + [nil]
        var values = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + values { free(text) } }
        var id: pid_t = 0
        guard let program = words[0], posix_spawnp(&id, program, &actions, nil, &words, &values) == 0 else {
            throw Commands.Failure(description: "cannot start \(words.first?.map { String(cString: $0) } ?? "")")
        }
        self.id = id
    }

    /// The exit status; of a killed program the signal, negative. A program that has not ended by then is killed.
    func wait(seconds: Double = 120) -> Int32 {
        let until = Date() + seconds
        var status: Int32 = 0
        while true {
            switch waitpid(id, &status, WNOHANG) {
            case id: return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
            case 0: break
            default: if errno != EINTR { return -1 }
            }
            if Date() > until { kill(id, SIGKILL) }
            usleep(2000)
        }
    }
}
