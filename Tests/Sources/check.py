#!/usr/bin/env python3
"""check.py CUFF [SECTION…]: programs as sources of a real `cuff watch`: folder, omblepy, protocol, sinks, persons, faults, kill.

    KILLS=100      how often cuff or the helper is killed with -9 at a random instant
"""
import json, os, pathlib, random, shutil, signal, sqlite3, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
CUFF = os.path.realpath(sys.argv[1])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-sources-"))
EXAMPLES = ROOT / "Examples/Sources"
failures = []


def check(holds, what, *shown):
    if not holds:
        failures.append(what)
        print("FAILED:", what, *[str(one)[:1600] for one in shown], flush=True)


ENVIRONMENT = {**os.environ, "TZ": "Europe/Berlin", "HOME": str(FOLDER), "XDG_RUNTIME_DIR": str(FOLDER), "XDG_DATA_HOME": str(FOLDER), "XDG_STATE_HOME": str(FOLDER / "state"),
               "XDG_CONFIG_HOME": str(FOLDER / "config")}
ENVIRONMENT.pop("CUFF_CONFIG", None)


class Watch:
    def __init__(self, database, *words):
        self.log = open(FOLDER / "log", "ab")
        self.process = subprocess.Popen([CUFF, "watch", "--sink", "sqlite:%s" % database, *words], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=ENVIRONMENT,
                                        cwd=FOLDER)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(60)
        self.log.close()
        return status


def rows(database, columns="*"):
    if not database.exists(): return []
    with sqlite3.connect("file:%s?mode=ro" % database, uri=True, timeout=30) as connection:
        try: return connection.execute("SELECT %s FROM readings ORDER BY id" % columns).fetchall()
        except sqlite3.OperationalError: return []


def until(condition, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition(): return True
        time.sleep(0.1)
    return False


def folder():
    place, database = FOLDER / "csv", FOLDER / "csv.db"
    place.mkdir()
    (place / "a.csv").write_text("time,systolic,diastolic,pulse\n2026-05-05 07:33:10,128,82,71\n2026-05-05T21:05:09+02:00,134,79,\nbad,1,2,3\n2026-05-06 07:30:00,12")
    watch = Watch(database, "--no-config", "--source", "exec:%s --every 0.3 %s" % (EXAMPLES / "csv-folder.py", place))
    check(until(lambda: len(rows(database)) == 2), "folder: two rows", rows(database), (FOLDER / "log").read_text())
    with open(place / "a.csv", "a") as file: file.write("1,80,60\n")
    (place / "b.csv").write_text("time,systolic,diastolic,pulse\n2026-05-05 07:33:10,128,82,71\n2026-05-07 07:33:10,500,82,71\n")
    check(until(lambda: len(rows(database)) == 4), "folder: a row that was completed, and another file", rows(database))
    # A winter or summer time of the computer's zone; the row that is in both files is one reading.
    check(rows(database, "measured, systolic_mmHg, diastolic_mmHg, pulse_per_min, driver, device") == [
        ("2026-05-05T07:33:10+02:00", 128, 82, 71, "source", "csv-folder.py"), ("2026-05-05T21:05:09+02:00", 134, 79, None, "source", "csv-folder.py"),
        ("2026-05-06T07:30:00+02:00", 121, 80, 60, "source", "csv-folder.py"), ("2026-05-07T07:33:10+02:00", 500, 82, 71, "source", "csv-folder.py")], "folder: values",
        rows(database, "measured, systolic_mmHg, diastolic_mmHg, pulse_per_min, driver, device"))
    check("implausible" in rows(database, "flags")[3][0], "folder: an implausible value is flagged", rows(database, "flags"))
    check(watch.stop() == 0, "folder: it ends at once", (FOLDER / "log").read_text())
    check(subprocess.run(["pgrep", "-f", str(place)], capture_output=True).returncode == 1, "folder: the helper has ended")


def omblepy():
    place, database, configuration = FOLDER / "omblepy", FOLDER / "omblepy.db", FOLDER / "cuff.toml"
    place.mkdir()
    (place / "user1.csv").write_bytes(b"datetime,dia,sys,bpm,mov,ihb\r\n2026-05-05 07:33:10,82,128,71,0,0\r\n2026-05-05 21:05:09,79,134,71,1,1\r\n")
    (place / "user2.csv").write_bytes(b"datetime,dia,sys,bpm,mov,ihb\r\n2026-05-05 07:33:10,82,128,71,0,0\r\n")
    configuration.write_text('[source.bluetooth]\nexec = "%s %s"\n' % (EXAMPLES / "omblepy-folder.sh", place))
    configuration.chmod(0o600)
    watch = Watch(database, "--config", str(configuration))
    check(until(lambda: len(rows(database)) == 3), "omblepy: three readings", rows(database), (FOLDER / "log").read_text())
    found = [(one[0], one[1], one[2], set((one[3] or "").replace(",", " ").split()), one[4]) for one in rows(database, "user, systolic_mmHg, diastolic_mmHg, flags, device")]
    wanted = [(1, 128, 82, set(), "bluetooth"), (2, 128, 82, set(), "bluetooth"), (1, 134, 79, {"body_movement", "irregular_pulse"}, "bluetooth")]
    check(len(found) == 3 and all(one in found for one in wanted), "omblepy: values", found)
    watch.stop()
    said = subprocess.run([CUFF, "sources", "--config", configuration], capture_output=True, text=True, env=ENVIRONMENT).stdout
    check(said.startswith("bluetooth\texec:%s %s\t" % (EXAMPLES / "omblepy-folder.sh", place)), "omblepy: `cuff sources`", said)


def protocol():
    def examine(*command):
        done = subprocess.run([CUFF, "source", "check", " ".join(map(str, command)), "--for", "2s"], capture_output=True, text=True, env=ENVIRONMENT)
        return done.returncode, done.stdout, done.stderr
    place = FOLDER / "one"
    place.mkdir()
    (place / "a.csv").write_text("time,systolic,diastolic,pulse\n2026-05-05 07:33:10,128,82,71\n")
    status, said, _ = examine(EXAMPLES / "csv-folder.py", "--every", "0.2", place)
    check(status == 0 and said.count("ok  ") == 7 and "FAILED" not in said, "protocol: an example keeps every rule", status, said)
    status, said, _ = examine(EXAMPLES / "csv-folder.py", FOLDER / "nowhere")
    check(status == 1 and "nowhere is not a folder" in said, "protocol: a folder that is missing is reported", status, said)
    (place / "a.csv").write_text("time,diastolic,pulse\n2026-05-05 07:33:10,82,71\n")
    status, said, errors = examine(EXAMPLES / "csv-folder.py", "--every", "0.2", place)
    check(status == 1 and "a.csv: there is no column 'systolic'" in errors, "protocol: a column that is missing is named", status, said, errors)
    for name, body, rule in (
        ("late", "signal.pause()", "ready 1"), ("mute", "say('ready 1'); sys.stdin.read()", "sends readings"), ("text", "say('ready 1'); say('hello'); sys.stdin.read()", "every line"),
        ("wrong", "say('ready 1'); say(line('a', 'x')); sys.stdin.read()", "every line"),
        ("double", "say('ready 1'); say(line('a', 120)); say(line('a', 130)); sys.stdin.read()", "an id names one"),
        ("once", "say('ready 1'); open('once.runs', 'a').write('x'); len(open('once.runs').read()) == 1 and say(line('a', 120)); sys.stdin.read()", "sent again"),
        ("again", "say('ready 1'); say(line('a', 120)); sys.stdin.readline(); say(line('a', 120)); sys.stdin.read()", "not sent again"),
        ("stays", "say('ready 1'); say(line('a', 120)); signal.pause()", "exits with 0 within 2 s")):
        program = FOLDER / name
        program.write_text("#!/usr/bin/env python3\nimport json, signal, sys\ndef say(text): print(text, flush=True)\ndef line(id, systolic): return json.dumps({'type': 'blood_pressure', 'id': id, "
                           "'measured': '2026-05-05T07:33:20Z', 'systolic_mmHg': systolic, 'diastolic_mmHg': 80})\n" + body + "\n")
        program.chmod(0o755)
        done = subprocess.run([CUFF, "sources", "check", str(program), "--for", "2s"], capture_output=True, text=True, env=ENVIRONMENT, cwd=FOLDER)
        broken = [one for one in done.stdout.splitlines() if one.startswith("FAILED")]
        check(done.returncode == 1 and any(rule in one for one in broken), "protocol: %s" % name, done.returncode, done.stdout, done.stderr)
    for words, text in ((["--source", "exec:/nowhere/x"], "no such program"), (["--source", "cat"], "exec:PROGRAM"), (["--source", "exec:cat", "--once"], "--once"),
                        (["--source", "exec:cat", "--source", "exec:cat"], "two sources")):
        done = subprocess.run([CUFF, "watch", "--no-config", "--sink", "sqlite:%s" % (FOLDER / "no.db"), *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        check(done.returncode == 64 and text in done.stderr, "protocol: refused", words, done.returncode, done.stderr)
    done = subprocess.run([CUFF, "watch", "--no-config", "--sink", "stdout", "--source", "exec:cat"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    check(done.returncode == 64 and "durable" in done.stderr, "protocol: without a durable sink", done.returncode, done.stderr)


def sinks():
    kept = FOLDER / "kept.jsonl"
    def examine(command):
        done = subprocess.run([CUFF, "sink", "check", str(command)], capture_output=True, text=True, env=ENVIRONMENT, cwd=FOLDER)
        return done.returncode, done.stdout
    status, said = examine("%s %s" % (ROOT / "Examples/Sinks/append.py", kept))
    check(status == 0 and said.count("ok  ") == 7 and "FAILED" not in said, "sinks: an example keeps every rule", status, said)
    check(len(kept.read_text().splitlines()) == 1000, "sinks: its thousand readings are stored once")
    for name, body, rule in (
        ("none", "say('hello')", "ready 1"),
        ("twice", "say('ready 1')\nfor line in sys.stdin: [say('ok %s 0' % json.loads(line)['id']) for _ in range(2)]", "answers for each"),
        ("other", "say('ready 1')\nfor line in sys.stdin: say('yes')", "answers for each"),
        ("refuses", "say('ready 1')\nfor line in sys.stdin: say('refuse %s 0 no' % json.loads(line)['id'])", "accepts a reading"),
        ("half", "say('ready 1')\nfor line in sys.stdin: say('ok %s 0' % json.loads(line)['id'])", "half of a line")):
        program = FOLDER / ("sink-" + name)
        program.write_text("#!/usr/bin/env python3\nimport json, signal, sys\ndef say(text): sys.stdout.write(text + '\\n'); sys.stdout.flush()\n" + body + "\n")
        program.chmod(0o755)
        status, said = examine(program)
        check(status == 1 and any(rule in one for one in said.splitlines() if one.startswith("FAILED")), "sinks: %s" % name, status, said)


HELPER = """#!/usr/bin/env python3
import json, os, signal, sys, time
def say(text): sys.stdout.write(text + '\\n'); sys.stdout.flush()
def line(id, systolic, **more): return json.dumps({'type': 'blood_pressure', 'id': id, 'measured': '2026-05-05T07:33:20Z', 'systolic_mmHg': systolic, 'diastolic_mmHg': 80, **more})
open(sys.argv[0] + '.starts', 'a').write('%%.3f\\n' %% time.time())
%s
"""


def persons():
    """User slots of a source are bound to persons as those of a cuff, and limits of sinks hold for its readings."""
    program, database, lines, configuration = FOLDER / "slots", FOLDER / "persons.db", FOLDER / "anna.jsonl", FOLDER / "persons.toml"
    program.write_text(HELPER % """say('ready 1')
say(line('a', 121, user=1)); say(line('b', 122, user=2)); say(line('c', 123)); say(line('d', 124, user=1, device='scale'))
sys.stdin.read()""")
    program.chmod(0o755)
    configuration.write_text('[source.bluetooth]\nexec = "%s"\n[person.Anna]\ncuffs = ["bluetooth:1", "scale:1"]\n[person.Ben]\ncuffs = ["bluetooth:2"]\n'
                             '[sink.database]\nsqlite = "%s"\n[sink.annas]\njsonl = "%s"\npersons = ["Anna"]\n' % (program, database, lines))
    configuration.chmod(0o600)
    with open(FOLDER / "persons.log", "wb") as log:
        watch = subprocess.Popen([CUFF, "watch", "--config", str(configuration)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT, cwd=FOLDER)
        held = lambda: [(one["systolic_mmHg"], one.get("person")) for one in map(json.loads, lines.read_text().splitlines())] if lines.exists() else []
        check(until(lambda: len(rows(database)) == 4 and len(held()) == 2), "persons: four readings, two of them Anna's", rows(database), held(), (FOLDER / "persons.log").read_text())
        watch.terminate()
        watch.wait(60)
    check(sorted(held()) == [(121, "Anna"), (124, "Anna")], "persons: a limited sink has only hers", held())
    shown = subprocess.run([CUFF, "show", "--db", str(database), "--user", "Ben", "--json"], capture_output=True, text=True, env={**ENVIRONMENT, "CUFF_CONFIG": str(configuration)})
    check([json.loads(one)["systolic_mmHg"] for one in shown.stdout.splitlines()] == [122], "persons: `cuff show` finds Ben's", shown.stdout, shown.stderr)


IGNORING = "say('ready 1')\nfor n in range(100): say(line('i%d' % (n % 7), 150 + n % 7))\nsignal.pause()"
FAULTS = (
    ("nonsense", "say('ready 1')\nwhile True: say('\\x1b[31mno reading')", "it wrote neither a reading nor `later` or `fatal`"),
    ("endless", "say('ready 1')\nwhile True: sys.stdout.write('{' * 65536)", "a line has more than 4096 bytes"),
    ("early", "while True: sys.stdout.write('r' * 65536)", "a line has more than 4096 bytes"),
    ("binary", "say('ready 1')\nwhile True: os.write(1, b'\\xff\\xfe{\\x00\\n')", "it wrote neither a reading nor `later` or `fatal`"),
    ("silent", "sys.stdin.read()", "its first line, `ready 1`, did not come within 10 s"),
    ("dead", "sys.exit(3)", "the helper ended"),
    ("crashed", "say('ready 1'); os.kill(os.getpid(), 9)", "the helper ended"),
    ("wrong", "say('ready 1')\nwhile True: say(line('x', 'high'))\n", "it does not read its answers"),
)


def faults():
    """Helpers that break the protocol: each is reported once, restarted with growing pauses, and a cuff is read meanwhile."""
    port, database, log = FOLDER / "port", FOLDER / "faults.db", FOLDER / "faults.log"
    configuration = FOLDER / "faults.toml"
    text = '[device.hall]\nmatch = "%s"\ndriver = "and-std"\n[sink.database]\nsqlite = "%s"\n' % (port, database)
    for name, body, _ in FAULTS:
        program = FOLDER / ("fault-" + name)
        program.write_text(HELPER % body)
        program.chmod(0o755)
        text += '[source.%s]\nexec = "%s"\n' % (name, program)
    # It reads no answers, but what it sends is stored.
    ignoring = FOLDER / "fault-ignoring"
    ignoring.write_text(HELPER % IGNORING)
    ignoring.chmod(0o755)
    configuration.write_text(text + '[source.ignoring]\nexec = "%s"\n' % ignoring)
    configuration.chmod(0o600)
    simulated = subprocess.Popen([CUFF, "simulate", "and-std", "--link", str(port), "--count", "500", "--every", "200ms"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    check(until(port.exists), "faults: a simulated cuff")
    count = lambda device: sum(one[0] == device for one in rows(database, "device"))
    starts = lambda name: [float(one) for one in (FOLDER / ("fault-%s.starts" % name)).read_text().split()] if (FOLDER / ("fault-%s.starts" % name)).exists() else []
    with open(log, "wb") as output:
        watch = subprocess.Popen([CUFF, "watch", "--config", str(configuration)], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=ENVIRONMENT, cwd=FOLDER)
        check(until(lambda: count("hall") >= 20 and count("ignoring") == 7 and len(starts("dead")) >= 4 and len(starts("silent")) >= 2, 90), "faults: the cuff is read", count("hall"),
              count("ignoring"), len(starts("dead")), len(starts("silent")), log.read_text(errors="replace")[:700])
        with open("/proc/%d/status" % watch.pid) as status: memory = int(next(one for one in status if one.startswith("VmHWM")).split()[1])
        check(watch.poll() is None, "faults: it runs on")
        watch.terminate()
        check(watch.wait(60) == 0, "faults: it ends", watch.returncode)
    simulated.terminate()
    simulated.wait(60)
    said = log.read_text(errors="replace").splitlines()
    for name, _, why in FAULTS:
        own = [one for one in said if "source %s: " % name in one]
        check(any(why in one for one in own), "faults: %s says why" % name, own)
        check(len(own) <= 2, "faults: %s is reported once" % name, own)
    check(not any("\x1b" in one for one in said), "faults: nothing of it reaches the terminal unchecked")
    pauses = [later - earlier for earlier, later in zip(starts("dead"), starts("dead")[1:])]
    check(all(0.9 * 2 ** place <= pause < 2 ** place + 15 for place, pause in enumerate(pauses)), "faults: the pauses double", pauses)
    check(len(starts("ignoring")) == 1, "faults: a helper that waits is not restarted", starts("ignoring"))
    print("faults: %d kB, %d readings of the cuff" % (memory, count("hall")), flush=True)
    check(memory < 80_000, "faults: memory is bounded", memory)


# Sends what was not acknowledged, and notes each acknowledgement on disk before the next.
JOURNAL = """#!/usr/bin/env python3
import json, os, sys, time
place, count = sys.argv[1], int(sys.argv[2])
path = os.path.join(place, "acknowledged")
known = set(open(path).read().split()) if os.path.exists(path) else set()
open(os.path.join(place, "pid"), "w").write(str(os.getpid()))
out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
print("ready 1", flush=True)
sent = [n for n in range(count) if "m%d" % n not in known]
for n in sent:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1777959200 + 60 * n))
    sys.stdout.write(json.dumps({"type": "blood_pressure", "id": "m%d" % n, "measured": stamp, "systolic_mmHg": 110 + n % 50, "diastolic_mmHg": 70, "pulse_per_min": 60}) + "\\n")
    sys.stdout.flush()
    if n % 50 == 0: time.sleep(0.02)
for line in sys.stdin:
    if line.startswith("ok "): os.write(out, (line.split()[1] + "\\n").encode())
"""


def measured(n): return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(1777959200 + 60 * n))


def kill():
    kills, count, dice = int(os.environ.get("KILLS", "100")), 20000, random.Random(1)
    place, database = FOLDER / "kill", FOLDER / "kill.db"
    place.mkdir()
    program = place / "journal.py"
    program.write_text(JOURNAL)
    program.chmod(0o755)
    def acknowledged(): return (place / "acknowledged").read_text().split() if (place / "acknowledged").exists() else []
    begin, hit = time.monotonic(), 0
    watch = Watch(database, "--no-config", "--source", "exec:%s %s %d" % (program, place, count))
    for number in range(kills):
        time.sleep(dice.uniform(0.02, 0.6))
        hit += len(acknowledged()) < count
        if number % 2:
            try: os.kill(int((place / "pid").read_text()), signal.SIGKILL)
            except (OSError, ValueError): pass
        if number % 2 == 0 or dice.random() < 0.3:
            watch.stop(signal.SIGKILL)
            # What was acknowledged is in the database, whatever happens afterwards.
            said = acknowledged()
            known = {one[0] for one in rows(database, "measured")}
            missing = [one for one in said if measured(int(one[1:])) not in known]
            check(not missing, "kill: what was acknowledged is stored", missing[:5], len(known))
            watch = Watch(database, "--no-config", "--source", "exec:%s %s %d" % (program, place, count))
    until(lambda: len(acknowledged()) == count, 180)
    watch.stop()
    found = rows(database, "measured")
    said = acknowledged()
    print("kill: %d x kill -9 in %.0f s, %d of them during the delivery; %d readings, %d lost, %d twice; %d acknowledged"
          % (kills, time.monotonic() - begin, hit, count, count - len(set(found)), len(found) - len(set(found)), len(set(said))), flush=True)
    check(len(found) == len(set(found)) == count and len(set(said)) == count, "kill: each exactly once", len(found), len(set(found)), len(set(said)), (FOLDER / "log").read_text())
    check(hit > kills // 3, "kill: a third of them interrupt the delivery", hit)


sections = {f.__name__: f for f in (folder, omblepy, protocol, sinks, persons, faults, kill)}
try:
    for name in sys.argv[2:] or list(sections): sections[name]()
finally: shutil.rmtree(FOLDER, ignore_errors=True)
print("sources: %s" % ("every check holds" if not failures else "%d checks failed" % len(failures)))
sys.exit(bool(failures))
