import CuffCore
import TestSupport
import Testing

@testable import CuffIngest

/// Programs that break the protocol in one way each: the check says in which, in one line, and ends.
@Suite struct HelperCheckTests {
    /// Functions for the programs, which are in Python. `R` is a line with a reading.
    private static let prelude = #"""
        import json, signal, sys, time
        R = '{"type":"blood_pressure","id":"a1","systolic_mmHg":128,"diastolic_mmHg":82,"measured":"2026-05-05T07:33:20+02:00"}'
        def put(data): sys.stdout.buffer.write(data); sys.stdout.flush()
        def say(line): put(line.encode() + b'\n')
        def ready(): say('ready 1')
        def answer(): return sys.stdin.readline()
        def wait():
            while answer(): pass
        def each(act):
            for line in sys.stdin:
                if not line.endswith('}\n'): break
                act(json.loads(line)['id'])

        """#

    private static func faults(_ findings: [HelperFinding]) -> [String] {
        findings.compactMap { finding in finding.fault.map { "\(finding.rule): \($0)" } }
    }

    private func expect(
        _ said: String, _ program: String, _ check: @escaping @Sendable (String) throws -> [HelperFinding]
    ) async throws {
        let folder = TestFolder()
        let path = folder.write("helper.py", Self.prelude + program.replacing("; ", with: "\n") + "\n")
        let began = HostClock.monotonic()
        let faults = Self.faults(try await onThread { try check("python3 \(path)") })
        #expect(faults.contains { $0.contains(said) } || said.isEmpty && faults.isEmpty, "\(program): \(faults)")
        #expect(faults.allSatisfy { !$0.contains("\n") } && faults.count <= 4, "\(faults)")
        #expect(HostClock.monotonic() - began < 60_000_000_000, "\(program)")
        _ = folder
    }

    @Test(arguments: [
        ("ready(); say(R); wait()", ""),
        ("pass", "`ready 1`: it ended"),
        ("sys.stderr.write('no device'); sys.exit(3)", "`ready 1`: it ended"),
        ("say(R)", "`ready 1`: it was `{\"type\":"),
        ("say('ready 2')", "`ready 1`: it was `ready 2`"),
        (#"put(b'ready 1\r\n')"#, "`ready 1`: it was `ready 1?`, which ends in CR LF"),
        ("put(b'ready 1')", "`ready 1`: its last line has no line feed"),
        ("put(b'x' * 2000000)", "`ready 1`: a line has more than 65536 bytes"),
        ("ready()", "it sends readings: none came within 1 s"),
        ("ready(); say('later no device'); wait()", "it sends readings: none came within 1 s"),
        ("ready(); say('fatal no such folder')", "it sends readings: it wrote `fatal no such folder`"),
        ("ready(); put(R.encode())", "its last line has no line feed"),
        ("ready(); put(b'x' * 2000000)", "a line has more than 65536 bytes"),
        ("ready(); say(R.replace('a1', 'a1' + 'x' * 5000))", "it has more than 4096 bytes"),
        (#"ready(); put(R.encode().replace(b'a1', b'a\xff') + b'\n')"#, "it has no `id` of 1 to 64 printable ASCII characters"),
        ("ready(); say('128/82')", "a line is neither a reading nor `later` or `fatal`"),
        ("ready(); say(R.replace('07:33:20+02:00', '07:33'))", "`a1`: `measured` is not a time of RFC 3339 with an offset"),
        (#"ready(); say(R.replace(',"diastolic_mmHg":82', ''))"#, "`a1`: a blood pressure needs `systolic_mmHg` and `diastolic_mmHg`"),
        ("ready(); say(R); say(R.replace('128', '129')); wait()", "an id names one measurement: `a1` came with different values"),
        ("ready(); say(R); answer(); say(R); wait()", "an acknowledged reading is not sent again: `a1` came twice"),
        ("ready(); say(R.replace('a1', str(time.time_ns()))); wait()", "did not come again"),
        ("ready(); say(R.replace('33:20', '33:%02d' % (time.time() % 60))); wait()", "`a1` came again as another measurement"),
        ("ready(); say(R); wait(); sys.exit(1)", "after the end of its input: it did not"),
        ("ready(); say(R); time.sleep(60)", "after the end of its input: it did not"),
        ("ready(); say(R); signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", "after the end of its input: it did not"),
    ]) func source_IsToldWhichRuleItBreaks(_ program: String, _ said: String) async throws {
        try await expect(said, program) { SourceCheck(try SourcePlan("exec:\($0)"), patience: .seconds(1)).run() }
    }

    @Test(arguments: [
        ("ready(); each(lambda i: say('ok ' + i + ' 0'))", ""),
        ("pass", "`ready 1`: it ended"),
        ("say('ready 2')", "`ready 1`: it was `ready 2`"),
        (#"put(b'ready 1\r\n')"#, "`ready 1`: it was `ready 1?`, which ends in CR LF"),
        ("put(b'x' * 2000000)", "`ready 1`: a line has more than 65536 bytes"),
        ("wait()", "`ready 1`: it did not come"),
        ("ready(); wait()", "3 have no answer"),
        ("ready(); each(lambda i: say('ok ' + i))", "is not an answer"),
        ("ready(); each(lambda i: say('ok ' + i + ' 1'))", "is not an answer"),
        ("ready(); each(lambda i: say('OK ' + i + ' 0'))", "is not an answer"),
        ("ready(); each(lambda i: say(''))", "`` is not an answer"),
        (#"ready(); each(lambda i: put(b'ok \xff\xfe 0\n'))"#, "was answered twice, or was not sent"),
        ("ready(); each(lambda i: say('ok %s 0\\nok %s 0' % (i, i)))", "was answered twice, or was not sent"),
        ("ready(); each(lambda i: say('ok x 0'))", "`x` was answered twice, or was not sent"),
        (
            "ready(); n = []; each(lambda i: (n.append(i), say('ok ' + i + ' 0'), len(n) == 3 and say('ok ' + i + ' 0')))",
            "came after the last answer"
        ),
        ("ready(); put(b'ok ' + json.loads(answer())['id'].encode() + b' 0')", "its last line has no line feed"),
        ("ready(); each(lambda i: put(b'x' * 2000000))", "a line has more than 65536 bytes"),
        ("ready(); each(lambda i: sys.exit(0))", "it ended"),
        ("ready(); each(lambda i: say('refuse ' + i + ' 0 no such patient'))", "it accepts a reading: it accepted none"),
        ("ready(); each(lambda i: say('later the server is away'))", "it accepts a reading: later the server is away"),
        ("ready(); each(lambda i: say('ok ' + i + ' 0')); sys.exit(1)", "after the end of its input: it did not"),
        ("ready(); each(lambda i: say('ok ' + i + ' 0')); time.sleep(60)", "after the end of its input: it did not"),
        ("ready(); each(lambda i: (time.sleep(3), say('ok ' + i + ' 0')))", "3 have no answer"),
    ]) func sink_IsToldWhichRuleItBreaks(_ program: String, _ said: String) async throws {
        try await expect(said, program) { try AnsweringSinkCheck($0, count: 20, patience: .seconds(2)).run() }
    }
}
