#!/usr/bin/python3
"""fleet.py CUFF HELPERS: runs every block of docs/FLEET.md as it is printed, on loopback: broker, gateway, database and one machine with a
simulated cuff.

Only names and ports of servers and /etc/rabbitmq are replaced. As root, with the Debian packages rabbitmq-server and postgresql; without
them it says so and is skipped. Exits 0 when every check holds.
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Remote/Tests"))
import postgres, rabbitmq

CUFF, HELPERS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
READINGS = 3
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-fleet-", dir="/tmp"))
failures, started = [], []


def check(holds, what, *shown):
    if holds: return
    failures.append(what)
    print("FAILED:", what, *[str(one)[-1500:] for one in shown], flush=True)


def blocks():
    """The blocks of each section, in their order."""
    parts = re.split(r"^## (.*)\n", (ROOT / "docs/FLEET.md").read_text(), flags=re.M)
    return {title: re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S) for title, text in zip(parts[1::2], parts[2::2])}


class Page:
    def __init__(self, amqp, mqtt, database, management):
        self.left = blocks()
        self.changes = [
            ("/etc/rabbitmq", str(FOLDER / "rabbitmq")), ("127.0.0.1:5672", f"127.0.0.1:{amqp}"), ("= 8883", f"= {mqtt}"), ("gateway@localhost/", f"gateway@localhost:{amqp}/"),
            ("mqtts://broker.example.org/", f"mqtts://localhost:{mqtt}/"), ("localhost:15672", f"localhost:{management}"), ("/etc/cuff", "$HOME/.config/cuff"),
            ("management.tcp.ip = 127.0.0.1", f"management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {management}"), ("@broker.example.org/", f"@localhost:{mqtt}/"), ("broker.example.org", "localhost"), ("@db.example.org/", f"@127.0.0.1:{database}/")]

    def next(self, title):
        block = self.left[title].pop(0)
        for printed, here in self.changes: block = block.replace(printed, here)
        return block

    def run(self, title, place, environment, **more):
        block = self.next(title)
        done = subprocess.run(["sh", "-eu", "-c", block], cwd=place, env=environment, text=True, capture_output=True, timeout=300, **more)
        check(done.returncode == 0, f"{title}: a block ends well", block, done.stdout, done.stderr)
        return done.stdout


def home(name, environment):
    place = FOLDER / name
    place.mkdir()
    kept = {key: value for key, value in environment.items() if not key.startswith("XDG_") and key != "CREDENTIALS_DIRECTORY"}
    return place, {**kept, "HOME": str(place), "PATH": f"{FOLDER}/bin:{os.environ['PATH']}", "CUFF_LIBEXEC": str(HELPERS), "TZ": "UTC"}


def restore(page, database, place, environment):
    """A person is erased and measures again; another is erased after the backup. What the page says keeps that after a restore."""
    (place / ".config/cuff/gateway.toml").write_text(f'database = "postgres://cuff_operator@127.0.0.1:{database.port}/ward"\n')

    def add(person, minutes):
        database.sql("INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line) VALUES "
                     f"""('{person}{minutes:+}', 0, false, 'blood_pressure', 'phd', 'd', now() + interval '{minutes} minutes', 'memory', '{{"person": "{person}"}}')""")

    def run(*words): return subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout

    add("s-a", -60)
    run("cuff-gateway", "erase", "s-a")
    add("s-a", 60)
    add("s-b", -60)
    backup = run("pg_dump", "ward")
    run("cuff-gateway", "erase", "s-b")
    page.run("Persons", place, environment)
    database.sql("DROP DATABASE ward", "postgres")
    database.sql("CREATE DATABASE ward", "postgres")
    database.sql(backup)
    found = "SELECT string_agg(id, ' ' ORDER BY id) FROM cuff.reading WHERE line ? 'person'"
    check(database.sql(found) == "s-a+60 s-b-60", "the backup has the erased person", database.sql(found))
    said = page.run("Persons", place, environment)
    check(database.sql(found) == "s-a+60", "after the restore", database.sql(found), said)
    check("again of s-a: 0 readings" in said and "again of s-b: 1 reading," in said, "what was erased again", said)


def machines(page, broker, place, environment, mqtt):
    """The operator's commands in the table of the page; the machine's access holds until it is revoked."""
    page.run("Machines", place, environment)
    broker.kill()
    broker.start()
    broker.control("await_startup", "--timeout", "300")
    page.run("Machines", place, environment)
    rows = re.findall(r"^\| (`cuff-gateway machine .*?) \|", (ROOT / "docs/FLEET.md").read_text(), re.M)
    login = place / ".config/cuff/credentials/fleet.login"
    login.touch(0o600)
    verbs = re.findall("`(?:cuff-gateway machine )?(.*?)`", " ".join(rows))
    check(len(verbs) == 6, "the commands of the operator", rows)
    for verb in verbs:
        done = subprocess.run(["cuff-gateway", "machine", *verb.split()], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        # Not finished, because nothing has connected with the second access.
        check(done.returncode == (75 if "--finish" in verb else 0), verb, done.stdout, done.stderr)
        login.write_text("\n".join(re.findall(r'^(?:user|password) = "(.*)"$', (place / "ward-7.fleet.toml").read_text(), re.M)) + "\n")
        address = f"mqtts://localhost:{mqtt}/?gateway=ward-7&state=no&login=fleet.login&cafile={FOLDER}/rabbitmq/ca.pem"
        done = subprocess.run([HELPERS / "cuff-sink-mqtt", "--check", address], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        check(done.returncode == (78 if "revoke" in verb else 0), f"access after {verb}", done.stdout, done.stderr)


def main():
    (FOLDER / "bin").mkdir()
    for program in (CUFF, *(HELPERS / name for name in ("cuff-gateway", "cuff-sink-postgres", "cuff-sink-mqtt"))):
        (FOLDER / "bin" / program.name).symlink_to(program)
    (FOLDER / "rabbitmq").mkdir()
    database = postgres.PostgreSQL(FOLDER / "postgres", None)
    started.append(database.stop)
    database.sql("DROP DATABASE ward", "postgres")
    page = Page(rabbitmq.free_port(), rabbitmq.free_port(), database.port, rabbitmq.free_port())
    server = {"PGHOST": "127.0.0.1", "PGPORT": str(database.port), "PGUSER": "postgres"}
    amqp, mqtt = int(page.changes[1][1].split(":")[1]), int(page.changes[2][1][2:])

    page.run("The broker", FOLDER, dict(os.environ))
    page.run("The broker", FOLDER, dict(os.environ))
    broker = rabbitmq.RabbitMQ(FOLDER / "rabbitmq", ports=(amqp, mqtt))
    started.append(broker.stop)
    central, environment = home("broker", {**broker.environment, **server})
    said = page.run("The broker", central, environment, input="a-word-for-the-gateway\n")
    check("mqtts://pi-1@BROKER/?gateway=pi-1&state=no" in said, "setup says a machine's address", said)
    users = broker.control("list_users", "--no-table-headers").stdout.split()
    check({"gateway", "pi-1", "pi-2"} <= set(users) and "guest" not in users, "the users of the broker", users)

    page.run("The database", central, environment)
    said = page.run("The gateway", central, environment)
    check(said.startswith("ok "), "the gateway would work", said)
    gateway = subprocess.Popen(["sh", "-c", "exec " + page.next("The gateway")], cwd=central, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    started.append(gateway.kill)

    operator = environment
    machine, environment = home("pi-1", {**os.environ, **server})
    shutil.copy(central / "pi-1.mqtt.password", machine)
    shutil.copy(FOLDER / "rabbitmq/ca.pem", machine)
    said = page.run("A machine", machine, environment)
    check("sink fleet: ok" in said, "the machine may deliver", said)
    cuff = subprocess.Popen([CUFF, "simulate", "beurer-serial", "--count", str(READINGS), "--link", machine / "cuff"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started.append(cuff.kill)
    until = time.monotonic() + 60
    while not (machine / "cuff").exists() and time.monotonic() < until: time.sleep(0.05)
    page.run("A machine", machine, {**environment, "CUFF": f"{machine}/cuff --driver beurer-serial"})
    block, until, rows = page.next("A machine"), time.monotonic() + 120, []
    while len(rows) < READINGS and time.monotonic() < until and gateway.poll() is None:
        rows = subprocess.run(["sh", "-eu", "-c", block], env=environment, capture_output=True, text=True).stdout.splitlines()
        time.sleep(0.2)
    check(len(rows) == READINGS and all(row.startswith("pi-1|") for row in rows), "each reading is in the database, once", rows, broker.waiting())

    # Its own topics, whether it keeps the newest reading or not, and no other machine's.
    address = f"mqtts://pi-1@localhost:{mqtt}/?cafile={machine}/ca.pem&gateway="
    for more, status in (("pi-1", 0), ("pi-1&state=no", 0), ("pi-2", 78), ("pi-2&state=no", 78)):
        done = subprocess.run([HELPERS / "cuff-sink-mqtt", "--check", address + more], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        check(done.returncode == status, f"pi-1 as {more}: {status}", done.stdout)
    machines(page, broker, central, operator, mqtt)
    page.run("Many readings", central, operator)
    gateway.terminate()
    check(gateway.wait(60) == 0, "the gateway ends in order", gateway.stderr.read())
    restore(page, database, central, operator)
    check(not any(page.left.values()), "no block is left", page.left)


reason = ", ".join(filter(None, [rabbitmq.missing(), postgres.missing()]))
if reason: print(f"skipped: fleet: {reason}")
else:
    FOLDER.chmod(0o755)
    try: main()
    finally:
        for stop in reversed(started): stop()
        shutil.rmtree(FOLDER, ignore_errors=True)
    print("fleet: %s" % ("every check holds" if not failures else "%d checks failed" % len(failures)))
sys.exit(bool(failures))
