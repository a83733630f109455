import CuffClinical
import CuffCore
import CuffIngest
import Glibc
import Testing

@testable import cuff

/// Messages of errors: one line for what happened, one for what to do, and the exit code.
@Suite struct SentenceTests {
    private static let cases: [(IngestError, code: Int32, text: String)] = [
        (
            IngestError(FileFault.unreadable("a.capture", errno: ENOENT)), 66,
            "cannot read a.capture: no such file or directory\n  fix: check the name; `-` reads standard input"
        ),
        (
            IngestError(FileFault.unreadable("a.capture", errno: EIO)), 74,
            "cannot read a.capture: input/output error\n  fix: check the disk or the connection that it comes from (dmesg)"
        ),
        (
            IngestError(FileFault.unwritable("bp.db", errno: ENOSPC)), 74,
            "cannot write bp.db: no space left on device\n  fix: free some space and run it again (a running watch goes on by itself); what was stored before is whole, nothing is stored twice"
        ),
        (
            IngestError(FileFault.unwritable("no/bp.db", errno: ENOENT)), 73,
            "cannot create no/bp.db: its folder does not exist\n  fix: create the folder first"
        ),
        (
            IngestError(FileFault.unwritable("bp.csv", errno: EWOULDBLOCK)), 75,
            "bp.csv is locked by another program\n  fix: wait until it ends, or name another file"
        ),
        (
            IngestError(FileFault.symbolicLink("l", target: "/home/x")), 73,
            "cannot write l: it is a symbolic link\n  fix: name the file itself: /home/x"
        ),
        (
            IngestError(FileFault.writableByOthers("f")), 77,
            "cannot write f: other users may change it\n  fix: chmod go-w f, or name another file"
        ),
        (
            IngestError(TransportFault.cannotOpen("/dev/ttyUSB0", errno: EACCES)), 77,
            "cannot open /dev/ttyUSB0: permission denied\n  fix: sudo usermod -aG dialout $USER (then log in again), or install the udev rules; `cuff doctor /dev/ttyUSB0` tells more"
        ),
        (
            IngestError(TransportFault.cannotOpen("/dev/ttyUSB0", errno: EBUSY, holder: "process 7 locked it")), 75,
            "/dev/ttyUSB0 is busy: process 7 locked it\n  fix: end that program (`fuser /dev/ttyUSB0` names it) and try again"
        ),
        (
            IngestError(TransportFault.unreachable("tcp://box:1", errno: ECONNREFUSED)), 69,
            "cannot reach tcp://box:1: connection refused\n  fix: nothing listens on that port; start the program that serves the cuff"
        ),
        (
            IngestError(LinkFault.lost("/dev/ttyUSB0", .unplugged)), 74,
            "/dev/ttyUSB0: the device was unplugged\n  fix: plug it in again; what is stored already is not stored twice"
        ),
        (
            IngestError(AddressFault("ttyUSB0", "did you mean /dev/ttyUSB0?")), 64,
            "cannot understand `ttyUSB0`: did you mean /dev/ttyUSB0?\n  fix: write e.g. /dev/ttyUSB0; `cuff list` shows what is plugged in"
        ),
        (
            IngestError(RequestFault.unknownZone("Mars")), 64,
            "unknown time zone `Mars`: /usr/share/zoneinfo has no such file\n  fix: write e.g. Europe/Berlin or UTC; `apt-get install tzdata` if no zone is found"
        ),
        (
            IngestError(StoreFault.remains("bp.db", cause: nil)), 75,
            "the readings are deleted, but bp.db or its log may hold copies of them still: another program reads in the database\n  fix: end it (`fuser bp.db` names it), then run the same command again"
        ),
        (
            IngestError(StoreFault.notThere("bp.db", isStandard: false)), 66,
            "there is no database bp.db\n  fix: read a cuff into it first, e.g. `cuff read DEVICE --driver ID --sink sqlite:bp.db`"
        ),
        (
            IngestError(StoreFault.damaged("bp.db", why: "database disk image is malformed")), 65,
            "cannot use bp.db: database disk image is malformed\n  fix: name another file; `sqlite3 bp.db .recover` may save what is in this one"
        ),
        (
            IngestError(StoreFault.full("bp.db", isLogHeld: true)), 74,
            "cannot write bp.db: no space left on device\n  fix: end the program that reads in the database (`fuser bp.db` names it), for it keeps the log from being emptied; or free some space and run it again (a running watch goes on by itself); what was stored before is whole, nothing is stored twice"
        ),
        (
            IngestError(SinkFault.malformed("jsonl", why: "it names no file", example: "jsonl:bp.jsonl")), 64,
            "cannot use `jsonl`: it names no file\n  fix: write e.g. jsonl:bp.jsonl"
        ),
        (
            IngestError(SinkFault.unknown("sqllite", known: ["stdout", "sqlite:FILE"], nearest: "sqlite")), 64,
            "unknown sink `sqllite`: known are stdout, sqlite:FILE\n  fix: did you mean `sqlite`?"
        ),
        (
            IngestError(
                SinkFault.secretInAddress(scheme: "mqtt", place: "password", program: "cuff-sink-mqtt", credential: "cuff-mqtt")), 64,
            "the address of mqtt: has a password in it: every user of this machine can read arguments\n  fix: leave it out there, and write it to ~/.config/cuff/credentials/cuff-mqtt (mode 0600), or for a service: LoadCredential=cuff-mqtt:FILE"
        ),
        (
            IngestError(
                ConfigurationFault.value(
                    file: "c.toml", line: 3,
                    IngestError(SinkFault.malformed("csv:-", why: "it names no file", example: "csv:bp.csv")))), 78,
            "c.toml:3: cannot use `csv:-`: it names no file\n  fix: write e.g. csv:bp.csv"
        ),
        (
            IngestError(
                RunFault.notStored(
                    UnstoredReadings(readings: 1, inTheCuff: 1), cause: IngestError(FileFault.unwritable("f", errno: EROFS)))), 73,
            "cannot write f: read-only file system; 1 reading was not stored, but the cuff still has it\n"
                + "  fix: name a file on a writable file system"
        ),
    ]

    private static func mistake(_ mistake: ConfigurationMistake) -> IngestError {
        IngestError(ConfigurationFault.mistake(file: "c.toml", line: 3, mistake))
    }

    private static let more: [(IngestError, code: Int32, text: String)] = [
        (
            mistake(.unknownKey("drivr", section: "device.x", known: ["driver", "match"])), 78,
            "c.toml:3: unknown key `drivr` in [device.x]\n  fix: did you mean `driver`?"
        ),
        (
            mistake(.unknownKey("zzzzzz", section: "", known: ["device", "sink"])), 78,
            "c.toml:3: unknown key `zzzzzz`\n  fix: choose one of device, sink"
        ),
        (
            mistake(.matchesNothing(section: "device.x")), 78,
            "c.toml:3: [device.x] does not say which device it is\n  fix: match = \"port:1-1.2\" (see `cuff list`)"
        ),
        (
            mistake(.namesNoDriver(section: "device.x")), 78,
            "c.toml:3: [device.x] names no driver\n  fix: driver = \"ID\" (see `cuff drivers`), or ignore = true"
        ),
        (
            mistake(.notASection("match", of: "device")), 78,
            "c.toml:3: `match` is not allowed in [device]\n  fix: write [device.NAME] with a name of yours"
        ),
        (
            mistake(.sinkPlaces(section: "sink.db", isNone: true, keys: ["stdout", "sqlite"])), 78,
            "c.toml:3: [sink.db] names no place for readings\n  fix: one of stdout, sqlite in each section, e.g. sqlite = \"/var/lib/cuff/bp.db\""
        ),
        (mistake(.wrongType("line", wanted: "a text in quotes")), 78, "c.toml:3: `line` must be a text in quotes"),
        (
            IngestError(CommandFault.deletesUnstored("r1", keeping: "keep")), 64,
            "r1 cuffs are not read without a durable sink: they delete a reading once it is acknowledged, and none of the sinks is both required and durable\n  fix: leave out --no-store, or add e.g. --sink sqlite:bp.db, or --option keep=yes: the cuff then keeps them too"
        ),
        (
            IngestError(CommandFault.unsupported("exact", need: "have their clock set", supported: [], sendsUnasked: true)), 64,
            "exact cuffs cannot have their clock set: supported are nothing on request\n  fix: `cuff read DEVICE --driver exact --follow` receives what they send unasked"
        ),
        (
            IngestError(CommandFault.isStillMeasuring(address: "/dev/ttyUSB0", process: 7)), 75,
            "/dev/ttyUSB0 is still measuring: process 7 was asked to stop it and has not\n  fix: end that process: `kill 7`"
        ),
        (
            IngestError(InputFault.damaged("a.capture", unit: "line", number: 3, why: "no hex byte")), 65,
            "a.capture:3: no hex byte\n  fix: correct that line; the readings before it are kept"
        ),
        (
            IngestError(InputFault.damaged("a.pcapng", unit: "block", number: 3, why: "it is cut short")), 65,
            "a.pcapng: block 3: it is cut short\n  fix: record it again, or cut it off before that block (editcap); the readings before it are kept"
        ),
        (
            IngestError(InputFault.isCapture("standard input", isStandardInput: true)), 64,
            "standard input is a capture, and decode takes the raw bytes of a cuff\n  fix: write `cuff replay -`"
        ),
        (
            IngestError(
                SelectionFault.severalPersons(
                    what: "a report", persons: Persons([.unnamed(slot: 1, cuff: "x"), .unnamed(slot: 2, cuff: "x")]))), 64,
            "a report is of one person, and these readings are of several: user 1 and user 2\n  fix: add --user NUMBER"
        ),
        (
            IngestError(SelectionFault.deletionNotConfirmed(isAsked: true)), 1,
            "nothing was deleted: it was not confirmed\n  fix: type `delete` when asked, or add --confirm delete"
        ),
        (
            IngestError(SelectionFault.implausible(.mmHg(80, 120, pulse: 60))), 64,
            "80/120 pulse 60 looks wrong: the systolic pressure comes first and is the higher one\n  fix: check the numbers, or add --force"
        ),
        (
            IngestError(SimulationFault.noLink("port", errno: EEXIST)), 73,
            "cannot make the link port: file exists\n  fix: remove it, or name another"
        ),
    ]

    @Test(arguments: more.indices) func anErrorOfARequest_IsPutIntoWords(_ index: Int) {
        let (error, code, text) = Self.more[index]
        #expect(error.text == text)
        #expect(error.status.code == code)
    }

    @Test(arguments: cases.indices) func anError_IsPutIntoWords(_ index: Int) {
        let (error, code, text) = Self.cases[index]
        #expect(error.text == text)
        #expect(error.status.code == code)
    }

    @Test func aPortOutOfRange_IsAnsweredWithAPort() {
        #expect(
            IngestError(TransportFault.notAPort("99999")).text
                == "`99999` is not a TCP port: a port is a number from 0 to 65535\n  fix: write a port, e.g. 3001")
    }

    @Test func queuedLines_AreCounted() {
        #expect(RunEnding.undelivered(lines: 1, sink: "exec:x", why: nil).description == "1 line queued for exec:x, and kept")
        #expect(RunEnding.undelivered(lines: 2, sink: "exec:x", why: "away").description == "2 lines queued for exec:x: away, and kept")
    }

    /// A fault of an embedding program has no hint here; its own line is printed.
    @Test func aFaultOfAnotherProgram_IsToldByItsOwnLine() {
        struct Away: Fault {
            var statement: (status: RunStatus, text: String) { (.unavailable, "the board is away") }
        }
        #expect(IngestError(Away()).text == "the board is away")
        #expect(IngestError(Away()).status.code == 69)
        #expect(IngestError(Away()) == IngestError(Away()))
        #expect(IngestError(Away()) != IngestError(TransportFault.unplugged))
    }
}
