#!/usr/bin/python3
"""A table of readings that fills for three years, a part for each month: the rate of storing in its last month beside that in a small table, and a
person's month, when PostgreSQL and the kernel have read it before and when they have not.

    ROWS=100e6 Remote/Tests/fleet/months.py [--programs Remote/.build/debug] [--runs 9]

450 bytes of disk a row. Starts its own PostgreSQL, with the settings that docs/FLEET.md recommends for many readings. Holds when the rates differ
by less than a tenth, and a person's month is read within 20 ms.
"""
import argparse, atexit, concurrent.futures, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = map(str, [HERE, HERE.parent])
import postgres, readings

ROWS = int(float(os.environ.get("ROWS", "2e6")))
SMALL = 1_000_000
MONTHS = 36
# A month's readings without its name: made once, and copied into each month.
TEMPLATE = """CREATE UNLOGGED TABLE template AS SELECT
  to_char('2000-01-01'::timestamp + at, 'DD"T"HH24MISS') || '-' || substr(md5('x' || n), 1, 16) AS id, lpad(to_hex(n * 104729::bigint % {persons}), 16, '0') AS device, at,
  jsonb_build_object('person', 's-' || substr(md5((n * 7919::bigint % {persons})::text), 1, 26)) AS line
  FROM (SELECT n, n * interval '28 days' / {count} AS at FROM generate_series(0, {count} - 1) n) x"""
INSERT = """INSERT INTO cuff.reading_{month} (id, revision, pending, type, driver, device, systolic_mmhg, diastolic_mmhg, pulse_per_min, "user", measured, clock, origin, line)
  SELECT '{month}' || id, 0, false, 'blood_pressure', 'phd', device, 128, 82, 66, 1, start + at, 'set', 'memory', line FROM template, to_timestamp('{month}', 'YYYYMM') start"""
# The indexes of a month that is over are made afterwards, which takes a third of the time; those of the last grow with it, as the gateway's would.
# A table that is made in the same transaction needs no log, with `wal_level` minimal.
OVER = """BEGIN; CREATE TABLE cuff.reading_{month} (LIKE cuff.reading INCLUDING DEFAULTS); {insert};
  ALTER TABLE cuff.reading_{month} ADD PRIMARY KEY (id); CREATE INDEX ON cuff.reading_{month} (device, measured); CREATE INDEX ON cuff.reading_{month} ((line->>'person'), measured);
  COMMIT; ALTER TABLE cuff.reading ATTACH PARTITION cuff.reading_{month} FOR VALUES FROM ('{month}') TO ('{after}')"""
LAST = "BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE cuff.reading_{month}; {insert}; COMMIT"
# What docs/FLEET.md recommends; DEFAULTS=1 measures with PostgreSQL's own settings.
RECOMMENDED = f"shared_buffers = {os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') // 4 >> 20}MB\nmax_wal_size = 16GB\ncheckpoint_timeout = 15min\n"
# While it is filled.
FILLING = ("wal_level = minimal\nmax_wal_senders = 0\nsynchronous_commit = off\nshared_buffers = 1GB\nmaintenance_work_mem = 512MB\nmax_parallel_maintenance_workers = 0\n"
           "autovacuum = off\nmax_wal_size = 4GB\n")


def script(programs, *words):
    return subprocess.run([f"{programs}/cuff-sink-postgres", "--schema", *words], check=True, capture_output=True, text=True, timeout=300).stdout


def fill(database, programs, name, rows):
    """The tables as the programs' scripts make them, cut by month three years ago, with as many readings in each month."""
    if name != "ward": database.sql(f"CREATE DATABASE {name}", "postgres")
    database.sql(script(programs), name)
    database.sql(script(programs, "--by-month").replace("now() + interval '2 months'", f"now() - interval '{MONTHS - 1} months'"), name)
    database.sql("SELECT cuff.add_months(36)", name)
    database.sql(TEMPLATE.format(persons=max(100, rows // 1000), count=rows // MONTHS), name, 3600)
    months = database.sql(f"SELECT to_char(now() - n * interval '1 month', 'YYYYMM') FROM generate_series(-1, {MONTHS - 1}) n", name).split()

    database.sql("DROP TABLE " + ", ".join(f"cuff.reading_{month}" for month in months[2:]), name)

    def add(number):
        month = months[number]
        text = (LAST if number == 1 else OVER).format(month=month, after=months[number - 1], insert=INSERT.format(month=month))
        database.sql(f"{text}; VACUUM ANALYZE cuff.reading_{month}", name, 7200)
    with concurrent.futures.ThreadPoolExecutor(2) as workers: list(workers.map(add, range(2, len(months))))
    add(1)
    database.sql("DROP TABLE template; ANALYZE cuff.reading", name, 7200)


def stop(database): database.run(f"{postgres.BIN}/pg_ctl", "-w", "-t", "240", "-D", database.data, "-m", "fast", "stop")


def set_up(database, text):
    stop(database)
    (database.data / "postgresql.auto.conf").write_text(text)
    database.start()


def forget(database):
    """The server is started anew, and the kernel keeps nothing of its files."""
    stop(database)
    for path in database.data.rglob("*"):
        if path.is_file():
            with open(path) as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    database.start()


def measure(database, programs, rows, repeat, count=20_000):
    """Returns whether it held. The first run of each table does not count."""
    persons = {"small": SMALL // 1000, "ward": max(100, rows // 1000)}
    part = database.sql("SELECT 'cuff.reading_' || to_char(now(), 'YYYYMM')")
    before = {name: int(database.sql(f"SELECT count(*) FROM {part}", name)) for name in persons}
    # A server that has run for a while has read the indexes of its month.
    for name in persons: database.sql(f"CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT pg_prewarm(indexrelid, 'read') FROM pg_index WHERE indrelid = '{part}'::regclass", name)
    runs = {name: [] for name in persons}
    for number in range(repeat + 1):
        for name in sorted(persons, reverse=number % 2): runs[name].append(readings.rate(programs, database.port, persons[name], count, name))
    added = {name: int(database.sql(f"SELECT count(*) FROM {part}", name)) - before[name] for name in persons}
    (small, little), (large, much) = ([statistics.median(one[n] for one in runs[name][1:]) for n in (0, 1)] for name in persons)
    print(f"{rows} rows, {before['ward']} in this month: {large:.0f} readings a second, {much:.0f} us of the server's processor time each; {SMALL} rows, {before['small']} in this month: "
          f"{small:.0f} a second, {little:.0f} us; medians of {repeat} runs of {count}, in turn", flush=True)
    for name, found in runs.items(): print(f"  {name}: {'; '.join(f'{one:.0f} a second, {used:.0f} us' for one, used in found)}", flush=True)
    warm = readings.months(database.port, persons["ward"], back=MONTHS - 1)
    cold = []
    for _ in range(7):
        forget(database)
        connection = readings.Psql(database.port, "ward", "cuff_operator")
        cold.append([readings.month(connection, persons["ward"], MONTHS - 1) for _ in range(10)])
    first, others = sorted(one[0] for one in cold), sorted(time for one in cold for time in one[1:])
    print(f"a person's month of {rows} rows: {warm[0]:.1f} ms, at most {warm[1]:.1f} ms; after a restart, with nothing of the files in memory: the first {statistics.median(first):.0f} ms, "
          f"at most {first[-1]:.0f} ms, those of the next nine persons {statistics.median(others):.1f} ms, at most {others[-1]:.1f} ms", flush=True)
    size = int(database.sql("SELECT pg_database_size('ward')"))
    print(f"{size / 1e9:.1f} GB, {size / rows:.0f} bytes a row with its indexes", flush=True)
    return set(added.values()) == {(repeat + 1) * count} and large > 0.9 * small and warm[1] < 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=str(HERE.parents[1] / ".build/debug"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    programs = pathlib.Path(options.programs).resolve()
    home = pathlib.Path(tempfile.mkdtemp(prefix="cuff-months-"))
    home.chmod(0o755)
    atexit.register(shutil.rmtree, home, True)
    reason = postgres.missing()
    if not reason and shutil.disk_usage(home).free < ROWS * 450 + 10e9: reason = f"{ROWS} rows need {(ROWS * 450 + 10e9) / 1e9:.0f} GB of disk"
    if reason:
        print("skipped: months: " + reason)
        return 77
    database = postgres.PostgreSQL(home / "postgres", None)
    atexit.register(database.stop)
    began = time.monotonic()
    set_up(database, FILLING)
    for name, rows in (("small", SMALL), ("ward", ROWS)): fill(database, programs, name, rows)
    set_up(database, "" if os.environ.get("DEFAULTS") else RECOMMENDED)
    print(f"{ROWS} rows in {time.monotonic() - began:.0f} s", flush=True)
    return 0 if measure(database, programs, ROWS, options.runs) else 1


if __name__ == "__main__": sys.exit(main())
