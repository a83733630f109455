"""Many readings in a PostgreSQL of the checks: connections, the rate of the real program, and a person's month."""
import hashlib, json, os, random, statistics, subprocess, threading, time


def subject(number): return "s-" + hashlib.md5(str(number).encode()).hexdigest()[:26]


class Psql:
    """A connection that stays, by default as the programs' role."""

    def __init__(self, port, name="ward", user="cuff"):
        self.process = subprocess.Popen(["psql", "-XqAt", "-h", "127.0.0.1", "-p", str(port), "-U", user, "-d", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def run(self, text):
        self.process.stdin.write(f"{text};\n\\echo ---\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != "---\n":
            if not line: raise SystemExit("psql ended: " + "".join(lines))
            lines.append(line.strip())
        return lines


def rate(programs, port, persons, count, name="ward"):
    """Readings a second through cuff-sink-postgres, whose statement is the gateway's, and the processor time of its server process for each, in microseconds."""
    lines = [json.dumps({
        "type": "blood_pressure", "schema": 1, "id": f"{time.strftime('%Y%m%dT%H%M%S')}-{random.getrandbits(64):016x}", "driver": "phd", "device": f"{random.randrange(persons):016x}",
        "user": 1, "person": subject(random.randrange(persons)), "systolic_mmHg": 128, "diastolic_mmHg": 82, "pulse_per_min": 66,
        "measured": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "origin": "memory"}) + "\n" for n in range(count)]
    # The persons are subjects already.
    process = subprocess.Popen([f"{programs}/cuff-sink-postgres", f"postgres://cuff@127.0.0.1:{port}/{name}?persons=names"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready 1\n"
    began = time.monotonic()

    def feed():
        # At most 1,000 are unanswered.
        for line in lines:
            room.acquire()
            process.stdin.write(line)
            if room._value == 0: process.stdin.flush()
        process.stdin.flush()
    room = threading.Semaphore(1000)
    thread = threading.Thread(target=feed)
    thread.start()
    for _ in range(count):
        answer = process.stdout.readline()
        # Threads of this process wait for answers that do not come.
        if not answer.startswith("ok "): os._exit(print(f"not stored: {answer}", flush=True) or 1)
        room.release()
    took = time.monotonic() - began
    thread.join()
    server = Psql(port, name).run("SELECT pid FROM pg_stat_activity WHERE application_name = 'cuff' AND datname = current_database()")
    with open(f"/proc/{server[0]}/stat") as file: used = sum(map(int, file.read().split()[13:15])) / os.sysconf("SC_CLK_TCK")
    process.stdin.close()
    process.wait(60)
    return count / took, used / count * 1e6


def month(connection, persons, back=35):
    """Milliseconds for one month of one of the persons, at most so many months ago; the connection's role is the operator's."""
    start = f"now() - interval '{random.randrange(2, back)} months'"
    began = time.monotonic()
    found = connection.run("SELECT count(*), avg(systolic_mmhg) FROM (SELECT measured, systolic_mmhg, diastolic_mmhg, line FROM cuff.reading WHERE line->>'person' = "
                           f"'{subject(random.randrange(persons))}' AND measured BETWEEN {start} AND {start} + interval '1 month' ORDER BY measured) x")
    took = (time.monotonic() - began) * 1000
    assert int(found[0].split("|")[0]), "no reading in this month"
    return took


def months(port, persons, name="ward", back=35):
    """The median and the longest of 50; the first of a connection, which reads the catalogue of the parts, does not count."""
    connection = Psql(port, name, "cuff_operator")
    times = [month(connection, persons, back) for _ in range(51)][1:]
    return statistics.median(times), max(times)
