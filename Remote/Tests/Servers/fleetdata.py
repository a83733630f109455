#!/usr/bin/python3
"""What a gateway knows of its machines and persons: heartbeats of the real cuff-sink-mqtt, metrics, page and check; erasing a person;
messages of other versions; the table of readings cut by month while it is used.

    Tests/Servers/fleetdata.py [unittest's options]      CUFF_PROGRAMS=Remote/.build/debug, ROWS=20000, FORMER=FOLDER
The servers are started here, on loopback, in a temporary folder.
"""
import json, os, pathlib, shutil, socket, subprocess, sys, tempfile, threading, time, unittest, urllib.error, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import postgres, rabbitmq

PROGRAMS = pathlib.Path(os.environ.get("CUFF_PROGRAMS", HERE.parent.parent / ".build/debug")).resolve()
ROWS = int(os.environ.get("ROWS", "20000"))
# The built programs of the version before, e.g. of a worktree.
FORMER = pathlib.Path(os.environ["FORMER"]).resolve() if "FORMER" in os.environ else None
REASON = ", ".join(filter(None, [rabbitmq.missing(), postgres.missing()]))


def reading(number, person=None, **more):
    line = {"type": "blood_pressure", "schema": 1, "id": f"20260505T{number // 3600 % 24:02}{number // 60 % 60:02}{number % 60:02}-{number:016x}", "driver": "phd",
            "device": "00091ffffe000101", "systolic_mmHg": 128, "diastolic_mmHg": 82, "measured": "2026-05-05T07:33:00+02:00", "origin": "memory"}
    if person: line["person"] = person
    return {**line, **more}


class Sink:
    """The helper as `cuff` runs it."""

    def __init__(self, address, environment):
        self.process = subprocess.Popen([PROGRAMS / "cuff-sink-mqtt", address], env={**environment, "CUFF_SINK_OFFERS": "deletions status"},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def line(self): return self.process.stdout.readline().strip()
    def send(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


class Writer:
    """Stores one reading after the other by the statement of the version before, as its gateway would."""

    def __init__(self, port, name):
        self.stored, self.longest, self.fault, self.is_over = 0, 0, None, False
        self.process = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(port), "-U", "cuff", "-d", name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.process.stdin.write(f"PREPARE store (text) AS {(HERE / 'former/reading.sql').read_text()};\n")
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.is_over:
            began = time.monotonic()
            self.process.stdin.write(f"EXECUTE store('{json.dumps([['pi-1', reading(self.stored)]])}');\n\\echo stored\n")
            self.process.stdin.flush()
            if (said := self.process.stdout.readline()) != "stored\n":
                self.fault = said
                return
            self.stored += 1
            self.longest = max(self.longest, time.monotonic() - began)

    def wait_for(self, more):
        until, wanted = time.monotonic() + 60, self.stored + more
        while self.stored < wanted and not self.fault and time.monotonic() < until: time.sleep(0.01)

    def stop(self):
        self.is_over = True
        self.thread.join(60)
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@unittest.skipIf(REASON, REASON)
class FleetDataTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cuff-fleetdata-"))
        cls.home.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.home, True)
        cls.broker = rabbitmq.RabbitMQ(cls.home / "rabbitmq")
        cls.addClassCleanup(cls.broker.stop)
        cls.schema = subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True, timeout=300).stdout
        cls.database = postgres.PostgreSQL(cls.home / "postgres", cls.schema)
        cls.addClassCleanup(cls.database.stop)
        secrets = cls.home / "config/cuff/credentials"
        secrets.mkdir(parents=True)
        (secrets / "amqp.password").write_text("the password of the gateway\n")
        (cls.home / "config/cuff/gateway.toml").write_text(f'database = "postgres://cuff_operator@127.0.0.1:{cls.database.port}/ward"\n')
        cls.environment = {**cls.broker.environment, "XDG_CONFIG_HOME": str(cls.home / "config"), "XDG_DATA_HOME": str(cls.home / "data"), "HOME": str(cls.home)}
        (secrets / "amqp.password").chmod(0o600)
        subprocess.run([PROGRAMS / "cuff-gateway", "--from", f"amqp://gateway@localhost:{cls.broker.amqp}/", "--setup", "--machine", "pi-1"], cwd=cls.home,
                       env=cls.environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
        (secrets / "fleet.login").write_text("pi-1\n" + (cls.home / "pi-1.mqtt.password").read_text())
        (secrets / "fleet.login").chmod(0o600)
        cls.http = rabbitmq.free_port()
        cls.log = open(cls.home / "gateway.log", "w")
        cls.addClassCleanup(cls.log.close)
        cls.gateway = subprocess.Popen(
            [PROGRAMS / "cuff-gateway", "--from", f"amqp://gateway@localhost:{cls.broker.amqp}/", "--to",
             f"postgres://cuff@127.0.0.1:{cls.database.port}/ward", "--metrics", f"127.0.0.1:{cls.http}"], env=cls.environment, stderr=cls.log)
        cls.addClassCleanup(lambda: (cls.gateway.terminate(), cls.gateway.wait(60)))

    def sink(self, more=""):
        return Sink(f"mqtt://127.0.0.1:{self.broker.mqtt}/?gateway=pi-1&state=no&login=fleet.login&heartbeat=60{more}", self.environment)

    def deliver(self, *lines, more=""):
        sink = self.sink(more)
        self.assertEqual(sink.line(), "ready 1 deletions status")
        for line in lines: sink.send(line)
        for line in lines: self.assertEqual(sink.line(), f"ok {line['id']} {line.get('revision', 0)}")
        self.assertEqual(sink.end(), 0)

    def run_verb(self, *words, status=0):
        done = subprocess.run([PROGRAMS / "cuff-gateway", *words], env=self.environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def wait_for(self, query, wanted, limit=120):
        until = time.monotonic() + limit
        while (found := self.database.sql(query)) != wanted:
            self.assertLess(time.monotonic(), until, f"{query}: {found}")
            time.sleep(0.1)

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=30) as answer: return answer.read().decode()

    def test_1_heartbeatsAreKept_AndWhatIsWrongIsSaid(self):
        self.assertIn("nothing is wrong", self.run_verb("check"))
        sink = self.sink()
        self.assertEqual(sink.line(), "ready 1 deletions status")
        status = {"type": "status", "schema": 1, "time": "2026-05-05T10:00:00Z", "every_s": 60, "waiting": 4, "oldest_waiting": "2026-05-05T07:00:00Z", "refused": 0,
                  "clock": "synchronised", "disk_free_bytes": 5 * 10**9, "disk_bytes": 16 * 10**9, "cuffs": [{"driver": "phd", "device": "a"}]}
        sink.send(status)
        self.wait_for("SELECT status->>'waiting', credential, presence, version IS NOT NULL FROM cuff.machine WHERE name = 'pi-1'", "4|pi-1|online|t")
        self.assertRegex(self.run_verb("check", status=1), r"^pi-1 has 4 unsent readings, the oldest for 3 hours")
        time.sleep(5)  # What the page shows may be five seconds old.
        metrics = self.get("/metrics")
        self.assertIn('cuff_machine_unsent_readings{machine="pi-1"} 4\n', metrics)
        self.assertTrue(metrics.endswith("# EOF\n"))
        self.assertIn("1 machine, 1 with a problem", self.get("/"))
        with self.assertRaises(urllib.error.HTTPError): self.get("/other")
        sink.send({**status, "waiting": 0, "oldest_waiting": None})
        self.wait_for("SELECT status->>'waiting' FROM cuff.machine WHERE name = 'pi-1'", "0")
        self.assertIn("nothing is wrong", self.run_verb("check"))
        self.assertEqual(sink.end(), 0)
        self.wait_for("SELECT presence FROM cuff.machine WHERE name = 'pi-1'", "offline")
        # Long ago, by a machine with an older program.
        self.database.sql("UPDATE cuff.machine SET seen = now() - interval '2 days', version = '0.1.0' WHERE name = 'pi-1'")
        said = self.run_verb("check", status=1)
        self.assertIn("pi-1 sent its last message 2 days ago; the broker reports it as offline\n", said)
        self.assertIn("pi-1 runs version 0.1.0", said)
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.refused"), "0", "a report was taken for a reading")

    def test_2_namesStayOnTheMachine_AndAPersonIsErased(self):
        lines = [reading(1, "Anna"), reading(2, "Anna"), reading(3, "Ben"), reading(4)]
        self.deliver(*lines)
        self.wait_for("SELECT count(*) FROM cuff.reading WHERE gateway = 'pi-1'", "4")
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.reading WHERE line::text ~ 'Anna|Ben'"), "0")
        subject = subprocess.run([PROGRAMS / "cuff-sink-mqtt", "--subject", "anna"], env=self.environment, capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual(self.database.sql(f"SELECT count(*) FROM cuff.reading WHERE line->>'person' = '{subject}'"), "2")
        # A dead letter of hers: a message without a time.
        self.deliver({**reading(5, "Anna"), "measured": "now"})
        self.wait_for("SELECT count(*) FROM cuff.refused", "1")
        self.assertIn(f"erased of {subject}: 2 readings, 1 message set aside", self.run_verb("erase", subject))
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.reading"), "2")
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.refused"), "0")
        # Delivered again, and one that was still under way: accepted from the machine, and not stored.
        self.deliver(lines[0], lines[1], reading(6, "Anna"), reading(7, "Ben"))
        self.wait_for("SELECT count(*) FROM cuff.reading", "3")
        self.deliver({**reading(10, "Anna"), "measured": "now"}, {**reading(11, "Ben"), "measured": "now"})
        self.wait_for("SELECT count(*) FROM cuff.refused", "1")
        self.assertEqual(self.database.sql(f"SELECT count(*) FROM cuff.refused WHERE convert_from(body, 'UTF8') LIKE '%{subject}%'"), "0")
        # What is measured later is stored.
        later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        self.deliver(reading(8, "Anna", measured=later))
        self.wait_for("SELECT count(*) FROM cuff.reading", "4")
        self.assertIn(": 0 readings", self.run_verb("erase", subject))
        self.assertEqual(self.database.sql(f"SELECT string_agg(result, ';' ORDER BY number) FROM cuff.audit WHERE subject = '{subject}'"),
                         "begun;erased: 2 readings, 1 message set aside;begun;erased: 0 readings, 0 messages set aside")
        # After a restore, the same again: what was measured before is removed, and what was measured later is kept.
        self.database.sql(f"""SET session_replication_role = replica; INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line)
                          VALUES ('x', 0, false, 'blood_pressure', 'phd', 'd', now() - interval '1 day', 'memory', '{{"person": "{subject}"}}')""")
        self.assertIn(f"erased again of {subject}: 1 reading, 0 messages", self.run_verb("erase", "--again"))
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.reading"), "4")
        # A name may be of several persons.
        self.deliver(reading(9, "Carla"), more="&persons=names")
        self.wait_for("SELECT count(*) FROM cuff.reading WHERE line->>'person' = 'Carla'", "1")
        self.database.sql("INSERT INTO cuff.reading SELECT id || 'x', revision, pending, type, driver, device, 'pi-2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, measured, NULL, NULL, "
                          "origin, NULL, line, arrived FROM cuff.reading WHERE line->>'person' = 'Carla'")
        self.assertIn("add --force", self.run_verb("erase", "Carla", status=78))
        self.assertIn(": 2 readings", self.run_verb("erase", "Carla", "--force"))

    def test_3_messagesOfTheNextVersionAreKeptWhole(self):
        newer = reading(20, schema=2, future={"a": [1, 2.50]}, quality="good")
        self.deliver(newer)
        self.wait_for("SELECT line->'future'->'a'->>1, line->>'quality', line->>'schema' FROM cuff.reading WHERE id LIKE '%00014'", "2.5|good|2")
        # And of the former: without a person, a heartbeat or a schema.
        older = {key: value for key, value in reading(21).items() if key != "schema"}
        self.deliver(older)
        self.wait_for("SELECT count(*) FROM cuff.reading WHERE id LIKE '%00015'", "1")

    def test_4_tableIsCutByMonth_WhileItIsUsed_AndPruned(self):
        self.database.sql(
            "INSERT INTO cuff.reading (id, revision, pending, type, driver, device, gateway, measured, origin, line) "
            "SELECT to_char(t, 'YYYYMMDD\"T\"HH24MISS') || '-' || md5(n::text), 0, false, 'blood_pressure', 'phd', 'd' || n % 100, 'pi-1', t, 'memory', "
            "jsonb_build_object('person', 's-' || n % 500, 'systolic_mmHg', 120) "
            f"FROM (SELECT n, now() - n * interval '3 years' / {ROWS} AS t FROM generate_series(1, {ROWS}) n) x; ANALYZE cuff.reading")
        # A cuff whose clock is wrong by years.
        self.database.sql("INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line) VALUES "
                          "('20990101T000000-a', 0, false, 'blood_pressure', 'phd', 'd', now(), 'memory', '{}')")
        before = int(self.database.sql("SELECT count(*) FROM cuff.reading"))
        script = subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema", "--by-month"], check=True, capture_output=True, text=True).stdout
        sink = self.sink()
        self.assertEqual(sink.line(), "ready 1 deletions status")
        waits, is_over, sent = [], threading.Event(), 0
        thread = threading.Thread(target=lambda: (self.database.sql(script), is_over.set()))
        thread.start()
        while not is_over.is_set() and sent < 20000:
            began = time.monotonic()
            line = reading(1000 + sent)
            sink.send(line)
            self.assertEqual(sink.line(), f"ok {line['id']} 0")
            self.database.sql("SELECT count(*) FROM cuff.reading WHERE id = 'x'")
            waits.append(time.monotonic() - began)
            sent += 1
        thread.join(300)
        self.assertTrue(is_over.is_set())
        self.assertEqual(sink.end(), 0)
        self.wait_for("SELECT count(*) FROM cuff.reading", str(before + sent))
        self.assertEqual(self.database.sql("SELECT cuff.is_by_month(), tableoid::regclass FROM cuff.reading WHERE id = '20990101T000000-a'"), "t|cuff.reading_other")
        print(f"cut by month: {before + sent} readings in the table, the longest statement beside it took {max(waits) * 1000:.0f} ms", flush=True)
        # Again, and the schema again: nothing changes. The programs' roles can do what they could.
        self.database.sql(script)
        self.database.sql(self.schema)
        self.deliver(reading(900001), reading(1000))
        self.wait_for("SELECT count(*) FROM cuff.reading", str(before + sent + 1))
        self.assertIn("erased", self.run_verb("erase", "s-7"))
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.reading WHERE line->>'person' = 's-7'"), "0")
        old = int(self.database.sql("SELECT count(*) FROM cuff.reading WHERE measured < now() - interval '24 months'"))
        self.assertGreater(old, ROWS // 4)
        self.assertIn(f"removed: {old} readings", self.run_verb("prune", "--older-than", "24months"))
        self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.reading WHERE measured < now() - interval '24 months'"), "0")
        # A month that is over is dropped; what a slow clock put there is kept.
        self.database.sql("DO $$ BEGIN EXECUTE format('ALTER TABLE cuff.%I RENAME TO reading_200001', 'reading_' || cuff.last_month()); END $$")
        month = self.database.sql("SELECT (regexp_matches(pg_get_expr(relpartbound, oid), '''([0-9]{6})'''))[1] FROM pg_class WHERE relname = 'reading_200001'")
        self.database.sql("INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line) SELECT "
                          f"'{month}01T000000-' || n, 0, false, 'blood_pressure', 'phd', 'd', now() - n * interval '3 years', 'memory', '{{}}' FROM generate_series(0, 1) n")
        self.assertIn("removed: 1 reading,", self.run_verb("prune", "--older-than", "24months"))
        place = f"SELECT tableoid::regclass FROM cuff.reading WHERE id LIKE '{month}%'"
        self.assertEqual(self.database.sql(place), "cuff.reading_other")
        self.database.sql("SELECT cuff.add_months(60)")
        self.assertEqual(self.database.sql(place), f"cuff.reading_{month}")

    def test_5_aClientThatReadsSlowlyHoldsUpTheOthersForTenSeconds(self):
        self.database.sql("INSERT INTO cuff.machine (name, seen, version, status) SELECT 'many-' || n, now(), '0.2.0', "
                          """'{"every_s": 60, "waiting": 0}' FROM generate_series(1, 30000) n""")
        time.sleep(5)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", self.http))
            slow.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            slow.recv(1)
            is_over = threading.Event()
            thread = threading.Thread(target=lambda: [slow.recv(4096) for _ in iter(lambda: is_over.wait(0.2), True)])
            thread.start()
            began = time.monotonic()
            try: self.assertIn('cuff_machines{state="all"} 3000', self.get("/metrics"))
            finally: is_over.set()
            waited = time.monotonic() - began
            thread.join()
        self.assertGreater(waited, 5, "the slow client received everything")
        self.assertLess(waited, 20)
        print(f"waited {waited:.1f} s for a client that reads slowly", flush=True)


    def test_6_tablesOfTheFormerVersionAreMigratedUnderLoad_AndItsStatementsGoOn(self):
        """`former` has what the version before printed as its tables and ran as its statements."""
        self.database.sql("CREATE DATABASE former", "postgres")
        self.database.sql((HERE / "former/tables.sql").read_text(), "former")
        writer = Writer(self.database.port, "former")
        try:
            writer.wait_for(20)
            for script in ([], ["--by-month"]):
                for _ in range(2):
                    self.database.sql(subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema", *script], check=True, capture_output=True, text=True).stdout, "former")
                writer.wait_for(20)
        finally: writer.stop()
        self.assertEqual(writer.fault, None)
        self.assertEqual(self.database.sql("SELECT count(*), count(DISTINCT id) FROM cuff.reading", "former"), f"{writer.stored}|{writer.stored}")
        self.assertEqual(self.database.sql("SELECT max(version), cuff.is_by_month() FROM cuff.migration", "former"), "3|t")
        self.assertLess(writer.longest, 1.5, "a lock was held")
        print(f"former version: {writer.stored} readings in the table that was migrated beside them, the longest wait {writer.longest * 1000:.0f} ms", flush=True)

    if FORMER:
        def test_7_formerPrograms_BesideTheseAndAfterThem(self):
            self.database.sql("CREATE DATABASE upgraded", "postgres")
            former = subprocess.run([FORMER / "cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(former, (HERE / "former/tables.sql").read_text(), "the kept tables are those of the version before")
            self.database.sql(former, "upgraded")
            (self.home / "config/cuff/credentials/mqtt.password").write_text((self.home / "pi-1.mqtt.password").read_text())
            (self.home / "config/cuff/credentials/mqtt.password").chmod(0o600)
            self.gateway.terminate()
            self.gateway.wait(60)
            address = f"mqtt://pi-1@127.0.0.1:{self.broker.mqtt}/?gateway=pi-1&state=no"
            gateway, sent = None, 0

            def run(programs):
                nonlocal gateway
                if gateway: gateway.kill(), gateway.wait(60)
                gateway = subprocess.Popen([programs / "cuff-gateway", "--from", f"amqp://gateway@localhost:{self.broker.amqp}/", "--to",
                                            f"postgres://cuff@127.0.0.1:{self.database.port}/upgraded"], env=self.environment, stderr=subprocess.DEVNULL)

            def deliver(programs, count=200):
                nonlocal sent
                sink = subprocess.Popen([programs / "cuff-sink-mqtt", address], env={**self.environment, "CUFF_SINK_OFFERS": "deletions status"},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                sink.stdout.readline()
                lines = [reading(5000 + sent + n, "Anna") for n in range(count)]
                sent += count
                said, _ = sink.communicate("".join(json.dumps(line) + "\n" for line in lines), timeout=120)
                self.assertEqual(sorted(said.split("\n")[:-1]), sorted(f"ok {line['id']} 0" for line in lines))

            try:
                run(FORMER)
                deliver(FORMER)
                self.database.sql(self.schema, "upgraded")
                deliver(FORMER)
                deliver(PROGRAMS)
                # The former gateway is killed under way, and this one goes on; then back.
                for programs in (PROGRAMS, FORMER, PROGRAMS, FORMER):
                    deliver(FORMER)
                    run(programs)
                    deliver(FORMER)
                    deliver(PROGRAMS)
                until = time.monotonic() + 120
                while (found := self.database.sql("SELECT count(*), count(DISTINCT id) FROM cuff.reading", "upgraded")) != f"{sent}|{sent}":
                    self.assertLess(time.monotonic(), until, found)
                    time.sleep(0.2)
                self.assertEqual(self.database.sql("SELECT count(*) FROM cuff.refused", "upgraded"), "0")
                print(f"former programs: {sent} readings in the table, of both versions of the sink through both of the gateway", flush=True)
            finally: gateway.kill(), gateway.wait(60)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for _, reason in result.skipped:
        print("skipped: fleetdata: " + reason)
    sys.exit(not result.wasSuccessful())
