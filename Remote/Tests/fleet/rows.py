#!/usr/bin/python3
"""A table of many readings: the migration and the cut by month while readings are stored, then rates and times.

    Remote/Tests/fleet/rows.py [--millions 1] [--programs Remote/.build/debug]

Starts its own PostgreSQL. Holds when no reading waited a second for a lock, none is lost, and a person's month is read within 20 ms.
"""
import argparse, atexit, pathlib, shutil, statistics, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = map(str, [HERE, HERE.parent])
import postgres, readings

parser = argparse.ArgumentParser()
parser.add_argument("--millions", type=float, default=1)
parser.add_argument("--programs", default=str(HERE.parents[1] / ".build/debug"))
options = parser.parse_args()
if postgres.missing():
    print("skipped: rows: " + postgres.missing())
    sys.exit(77)

PROGRAMS = pathlib.Path(options.programs).resolve()
ROWS = int(options.millions * 1e6)
PERSONS = max(100, ROWS // 1000)
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-rows-"))
HOME.chmod(0o777)
atexit.register(shutil.rmtree, HOME, True)


def script(*words): return subprocess.run([f"{PROGRAMS}/cuff-sink-postgres", "--schema", *words], check=True, capture_output=True, text=True, timeout=300).stdout


INSERT = ("INSERT INTO cuff.reading (id, revision, pending, type, driver, device, gateway, measured, origin, line) VALUES ('{0}', 0, false, 'blood_pressure', 'phd', 'd', 'w', now(), "
          "'memory', '{{\"person\": \"s-0\"}}') ON CONFLICT (id) DO UPDATE SET revision = excluded.revision WHERE cuff.reading.revision < excluded.revision")


class Writer(threading.Thread):
    """Stores readings all the time, one after the other, and notes how long each took."""

    def __init__(self):
        super().__init__(daemon=True)
        self.connection, self.waits, self.is_over, self.count, self.faults = readings.Psql(database.port), [], False, 0, []

    def run(self):
        while not self.is_over:
            began = time.monotonic()
            said = self.connection.run(INSERT.format(time.strftime("%Y%m%dT%H%M%S") + f"-w{self.count:07}"))
            self.waits.append(time.monotonic() - began)
            self.count += 1
            self.faults += said
            time.sleep(0.005)


def beside(what, text):
    """Runs a script while readings are stored."""
    began, first = time.monotonic(), len(writer.waits)
    # A lock that was not free within a second: again, as the text says.
    for attempt in range(20):
        try: database.sql(text)
        except AssertionError as fault:
            if "lock timeout" not in str(fault): raise
            time.sleep(1)
        else: break
    took = time.monotonic() - began
    longest = max(writer.waits[first:])
    print(f"{what}: {took:.1f} s, at attempt {attempt + 1}; {len(writer.waits) - first} readings stored meanwhile, the longest wait {longest * 1000:.0f} ms", flush=True)
    return longest


def rate(): return readings.rate(PROGRAMS, database.port, PERSONS, 20_000)[0]


database = postgres.PostgreSQL(HOME / "postgres", (HERE.parent / "Servers/former/tables.sql").read_text())
atexit.register(database.stop)
began, part = time.monotonic(), 500_000
for start in range(0, ROWS, part):
    # Some forty readings of each person in each month, over three years.
    database.sql(
        "INSERT INTO cuff.reading (id, revision, pending, type, driver, device, gateway, systolic_mmhg, diastolic_mmhg, pulse_per_min, \"user\", measured, clock, received, origin, line) "
        "SELECT to_char(t, 'YYYYMMDD\"T\"HH24MISS') || '-' || substr(md5(n::text), 1, 16), 0, false, 'blood_pressure', 'phd', 'd' || n % 1000, 'm' || n % 1000, 128, 82, 66, 1, t, 'set', t, "
        f"'memory', jsonb_build_object('id', to_char(t, 'YYYYMMDD\"T\"HH24MISS') || '-' || substr(md5(n::text), 1, 16), 'type', 'blood_pressure', 'driver', 'phd', 'person', 's-' || substr(md5((n * 7919::bigint % {PERSONS})::text), 1, 26), "
        "'systolic_mmHg', 128, 'diastolic_mmHg', 82, 'pulse_per_min', 66, 'measured', t, 'origin', 'memory') "
        f"FROM (SELECT n, now() - interval '3 years' + n * interval '3 years' / {ROWS} AS t FROM generate_series({start}, {min(start + part, ROWS) - 1}) n) x")
database.sql("ANALYZE cuff.reading")
print(f"{ROWS} rows of {PERSONS} persons loaded in {time.monotonic() - began:.0f} s", flush=True)
writer = Writer()
writer.start()
time.sleep(1)
longest = [beside("migration of the tables", script())]
writer.is_over = True
writer.join(60)
print(f"before the cut: {rate():.0f} readings a second into {ROWS} rows; a person's month: %.1f ms, at most %.1f ms" % readings.months(database.port, PERSONS), flush=True)
written = writer.count
writer = Writer()
writer.count = 5_000_000
writer.start()
time.sleep(1)
longest.append(beside("cut by month", script("--by-month")))
writer.is_over = True
writer.join(60)
written += writer.count - 5_000_000
rates = [rate() for _ in range(3)]
middle, most = readings.months(database.port, PERSONS)
print(f"after the cut: {statistics.median(rates):.0f} readings a second into {ROWS} rows; a person's month: {middle:.1f} ms, at most {most:.1f} ms", flush=True)
count = int(database.sql("SELECT count(*) FROM cuff.reading"))
expected = ROWS + written + 80_000
size = int(database.sql("SELECT pg_database_size('ward')"))
print(f"{count} rows, {expected} expected; {size / count:.0f} bytes a row with its indexes; faults: {writer.faults[:3]}", flush=True)
sys.exit(0 if count == expected and max(longest) < 1 and most < 20 and not writer.faults else 1)
