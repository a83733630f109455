import Glibc

/// Runs a program found on PATH until it exits. The output is what it wrote to standard output and standard error.
enum Subprocess {
    static func run(_ arguments: [String], input: [UInt8] = []) -> (status: Int32, output: String) {
        var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        defer { for descriptor in down + up where descriptor >= 0 { close(descriptor) } }
        guard pipe(&down) == 0, pipe(&up) == 0 else { return failure(errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, up[1], STDERR_FILENO)
        for descriptor in down + up { posix_spawn_file_actions_addclose(&actions, descriptor) }

        var strings = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process = pid_t()
        let error = posix_spawnp(&process, arguments.first ?? "", &actions, nil, &strings, environ)
        guard error == 0 else { return failure(error) }
        close(down[0])
        close(up[1])
        (down[0], up[1]) = (-1, -1)

        write(input, to: down[1])
        close(down[1])
        down[1] = -1
        let output = readAll(up[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return failure(errno) }
        }
        // Exit status 128 + signal, as a shell reports it.
        let signal = status & 0x7F
        return (signal == 0 ? status >> 8 & 0xFF : 128 + signal, output)
    }

    private static func failure(_ error: Int32) -> (status: Int32, output: String) { (-1, String(cString: strerror(error))) }

    /// Stops early when the program closes its input; its exit status and output then explain why.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { result += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
