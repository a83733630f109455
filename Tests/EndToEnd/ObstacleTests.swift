import Foundation
import Glibc
import Testing

/// Common errors with their messages and exit codes.
@Suite struct ObstacleTests {
    /// A pseudo terminal of the test: its path, and what is written to it.
    private final class Terminal: @unchecked Sendable {
        let master: Int32
        let path: String

        init() throws {
            var name = [CChar](repeating: 0, count: 64)
            var (master, slave): (Int32, Int32) = (0, 0)
            guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
            var settings = termios()
            tcgetattr(slave, &settings)
            cfmakeraw(&settings)
            tcsetattr(slave, TCSANOW, &settings)
            // The slave stays open, so that writing to the master never fails.
            self.master = master
            path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            slaveKept = slave
        }
        private let slaveKept: Int32
        deinit {
            close(master)
            close(slaveKept)
        }
    }

    @Test(arguments: [["--driver", "taidoc"], []]) func noSuchDevice_Is69(_ driver: [String]) async throws {
        let read = try await CuffProcess.run(["read", "/dev/ttyUSB99"] + driver)
        #expect(read.status == 69)
        #expect(read.errors.contains("there is no device /dev/ttyUSB99: no such file or directory"), "\(read.errors)")
        #expect(read.errors.contains("fix: `cuff list` shows what is plugged in"))
    }

    @Test func idThatIsNotPluggedIn_Is69() async throws {
        let id = try await CuffProcess.run(["read", "usb:1234:5678", "--driver", "taidoc"])
        #expect(id.status == 69)
        #expect(id.errors.contains("usb:1234:5678 is not plugged in"), "\(id.errors)")
        let doctor = try await CuffProcess.run(["doctor", "usb:1234:5678"])
        #expect(doctor.status == 69)
        #expect(doctor.output.contains("usb:1234:5678 is not plugged in"), "\(doctor.output)")
    }

    @Test func deviceThatNobodyClaims_IsAUsageError() async throws {
        let terminal = try Terminal()
        let read = try await CuffProcess.run(["read", terminal.path])
        #expect(read.status == 64)
        #expect(read.errors.contains("cannot tell which cuff is on \(terminal.path): no driver claims it"), "\(read.errors)")
        #expect(read.errors.contains("cuff identify"))
    }

    /// Without permission: root switches to another user, others remove their own permission.
    @Test func permissionDenied_Is77_AndNamesTheGroup() async throws {
        let terminal = try Terminal()
        #expect(chmod(terminal.path, 0) == 0)
        defer { chmod(terminal.path, 0o600) }
        let arguments = ["read", terminal.path, "--driver", "taidoc"]
        let read: CuffProcess
        if geteuid() == 0 {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else {
                print("note: skipped permissionDenied: root needs /usr/bin/setpriv to switch to another user (apt install util-linux)")
                return
            }
            read = try await CuffProcess.run(
                executable: "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", CuffProcess.path] + arguments,
                environment: ["HOME": "/tmp"])
        } else {
            read = try await CuffProcess.run(arguments)
        }
        #expect(read.status == 77, "\(read.errors)")
        #expect(read.errors.contains("cannot open \(terminal.path): permission denied"), "\(read.errors)")
        #expect(read.errors.contains("fix: sudo usermod -aG dialout $USER"), "\(read.errors)")
        #expect(read.output.isEmpty)
    }

    @Test func busyPort_Is75_AndSaysWhoMayTell() async throws {
        let terminal = try Terminal()
        let other = open(terminal.path, O_RDWR | O_NOCTTY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let read = try await CuffProcess.run(["read", terminal.path, "--driver", "taidoc"])
        #expect(read.status == 75)
        #expect(read.errors.contains("\(terminal.path) is busy: another program holds it"), "\(read.errors)")
        #expect(read.errors.contains("fuser \(terminal.path)"))
        let doctor = try await CuffProcess.run(["doctor", "\(terminal.path),driver=taidoc"])
        #expect(doctor.status == 75, "\(doctor.output)")
    }

    /// Bytes at another speed arrive as other bytes.
    @Test func wrongSpeed_Is76_AndNamesTheSettings() async throws {
        let terminal = try Terminal()
        let isDone = Flag()
        let noise = Thread {
            var value: UInt8 = 7
            while !isDone.isSet {
                // 4800 bit/s received at 9600: runs of equal bits.
                let bytes = (0..<9).map { _ -> UInt8 in
                    value = value &* 29 &+ 101
                    return [0xF8, 0x80, 0xE0, 0xFE][Int(value >> 6)]
                }
                var entry = pollfd(fd: terminal.master, events: Int16(POLLOUT), revents: 0)
                if poll(&entry, 1, 50) > 0 { _ = write(terminal.master, bytes, bytes.count) }
                usleep(100_000)
            }
        }
        noise.start()
        defer { isDone.set() }
        let read = try await CuffProcess.run(["read", terminal.path, "--driver", "taidoc"], limit: 40)
        #expect(read.status == 76, "\(read.errors)")
        #expect(read.errors.contains("no valid data at 19200 8N1: the cuff may use other settings"), "\(read.errors)")
        #expect(!read.errors.contains("did not answer"), "\(read.errors)")
        let limited = try await CuffProcess.run(["read", terminal.path, "--driver", "and-std", "--follow", "--timeout", "2s"], limit: 40)
        #expect(limited.status == 124)
        #expect(limited.errors.contains("the time allowed ran out\n"), "\(limited.errors)")
        let refused = try await CuffProcess.run(["read", terminal.path, "--driver", "taidoc", "--line", "fast"])
        #expect(refused.status == 64)
        #expect(refused.errors.contains("invalid line settings `fast`"), "\(refused.errors)")
    }

    @Test func fileInPlaceOfAPort_Is66() async throws {
        let scratch = try Scratch()
        let read = try await CuffProcess.run(["read", try scratch.write("bytes.bin", "x"), "--driver", "taidoc"])
        #expect(read.status == 66)
        #expect(read.errors.contains("is not a serial port"), "\(read.errors)")
    }

    @Test func noUdevd_IsSaidOnce_AndNoError() async throws {
        guard access("/run/udev/control", F_OK) != 0 else {
            print("note: skipped noUdevd: a udevd runs on this machine (Tests/Kernel proves it in a machine without)")
            return
        }
        let watch = try await CuffProcess.run(["watch", "--no-config", "--once"])
        #expect(watch.errors.components(separatedBy: "no udevd here (/run/udev/control is missing)").count == 2, "\(watch.errors)")
        #expect([0, 69].contains(watch.status), "\(watch.status) \(watch.errors)")
    }

    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
    }
}
