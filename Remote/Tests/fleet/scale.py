#!/usr/bin/python3
"""Many machines through one RabbitMQ and one gateway into one PostgreSQL, all on this computer: rates, memory, and what an outage costs.

    Remote/Tests/fleet/scale.py [--machines 10000] [--readings 10] [--programs Remote/.build/release] [--kills 3]

Holds when every reading that the broker acknowledged is in the database exactly once, and every machine is connected at the end.
"""
import argparse, atexit, json, os, pathlib, random, resource, shutil, subprocess, sys, tempfile, time, urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import postgres, rabbitmq, senders

parser = argparse.ArgumentParser()
parser.add_argument("--machines", type=int, default=10_000)
parser.add_argument("--readings", type=int, default=10, help="of each machine in each phase")
parser.add_argument("--jitter", type=float, default=30, help="seconds over which the first connections are spread")
parser.add_argument("--kills", type=int, default=3, help="kill -9 of the gateway and of the broker, in turn, under load")
parser.add_argument("--programs", default=str(pathlib.Path(__file__).resolve().parents[2] / ".build/debug"))
options = parser.parse_args()
reasons = [text for text in [rabbitmq.missing(), postgres.missing()] if text]
if reasons:
    print("skipped: scale: " + ", ".join(reasons))
    sys.exit(77)

PROGRAMS = pathlib.Path(options.programs).resolve()
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-scale-"))
HOME.chmod(0o777)
atexit.register(shutil.rmtree, HOME, True)
os.chdir(HOME)
most = max(options.machines * 2 + 1000, 4096)
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
if 0 < hard < most: most = hard
resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def memory(process):
    """Resident memory in MB of a process and its descendants; pages that PostgreSQL's processes share count once for each."""
    total, found, wanted = 0, set(), {process}
    while wanted:
        one = wanted.pop()
        found.add(one)
        try:
            total += int(next(line for line in open(f"/proc/{one}/status") if line.startswith("VmRSS")).split()[1])
            wanted |= {int(word) for word in open(f"/proc/{one}/task/{one}/children").read().split()} - found
        except (OSError, StopIteration): pass
    return total / 1024


schema = subprocess.run([f"{PROGRAMS}/cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True, timeout=300).stdout
by_month = subprocess.run([f"{PROGRAMS}/cuff-sink-postgres", "--schema", "--by-month"], check=True, capture_output=True, text=True, timeout=300).stdout
database = postgres.PostgreSQL(HOME / "postgres", schema)
atexit.register(database.stop)
database.sql(by_month)
broker = rabbitmq.RabbitMQ(HOME / "rabbitmq", management=True, files=most)
atexit.register(broker.stop)
broker.environment["XDG_CONFIG_HOME"] = f"{HOME}/config"
secrets = HOME / "config/cuff/credentials"
secrets.mkdir(parents=True)
(secrets / "amqp.password").write_text("the password of the gateway\n")
(secrets / "amqp.password").chmod(0o600)
(HOME / "config/cuff/gateway.toml").write_text(
    f'management = "http://cuff-admin@localhost:{broker.http}/"\ndatabase = "postgres://cuff_operator@127.0.0.1:{database.port}/ward"\n'
    f'machines = "mqtt://127.0.0.1:{broker.mqtt}/"\n')
http = rabbitmq.free_port()
gateway = None


def start_gateway():
    global gateway
    gateway = subprocess.Popen([f"{PROGRAMS}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--to",
                                f"postgres://cuff@127.0.0.1:{database.port}/ward", "--metrics", f"127.0.0.1:{http}"], env=broker.environment, stderr=open(HOME / "gateway.log", "a"))


def timed(*words):
    """Seconds of a command of the operator, beside the connected machines."""
    began = time.monotonic()
    process = subprocess.Popen([f"{PROGRAMS}/cuff-gateway", *words], env=broker.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    fleet.run(lambda: process.poll() is not None, 600)
    if process.wait(60) not in (0, 1): sys.exit(process.stderr.read())
    return time.monotonic() - began


def rows(): return int(database.sql("SELECT count(*) FROM cuff.reading"))
def figures(): return (f"RabbitMQ {memory(int((broker.folder / 'pid').read_text())):.0f} MB, PostgreSQL {memory(int((database.data / 'postmaster.pid').read_text().split()[0])):.0f} MB, "
                       f"gateway {memory(gateway.pid) if gateway.poll() is None else 0:.0f} MB")


def stored(wanted, limit=1800):
    """Seconds until so many readings are in the database; the senders keep running."""
    began, next_look = time.monotonic(), 0

    def is_there():
        nonlocal next_look
        if time.monotonic() < next_look: return False
        next_look = time.monotonic() + 1
        return rows() >= wanted
    if not fleet.run(is_there, limit): sys.exit(f"{rows()} of {wanted} readings were stored within {limit} s; {figures()}")
    return time.monotonic() - began


def load(count):
    for sender in machines:
        sender.make(count)
        fleet.fill(sender)


def settled(): return all(not sender.outbox and not sender.under_way for sender in machines)


began = time.monotonic()
names = [f"m{number:05}" for number in range(options.machines)]
for start in range(0, len(names), 5000):
    words = [word for name in names[start:start + 5000] for word in ("--machine", name)]
    subprocess.run([f"{PROGRAMS}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--setup", "--operator", *words], env=broker.environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=1800)
print(f"{options.machines} machines added in {time.monotonic() - began:.0f} s", flush=True)
machines = [senders.Sender(number, name, (HOME / f"{name}.mqtt.password").read_text().strip()) for number, name in enumerate(names)]
fleet = senders.Fleet(machines, broker.mqtt)
idle = memory(int((broker.folder / "pid").read_text()))
start_gateway()
began = time.monotonic()
fleet.connect_all(options.jitter)
if not fleet.run(lambda: fleet.connected == len(machines), 1800): sys.exit(f"{fleet.connected} machines were connected within half an hour")
print(f"all connected after {time.monotonic() - began:.0f} s (spread over {options.jitter:.0f} s); RabbitMQ had {idle:.0f} MB before; {figures()}", flush=True)

total = options.machines * options.readings
began = time.monotonic()
load(options.readings)
fleet.run(settled, 1800)
sent = time.monotonic() - began
stored(total)
print(f"load: {total} readings acknowledged in {sent:.0f} s ({total / sent:.0f} a second), stored after {time.monotonic() - began:.0f} s; {figures()}", flush=True)

words = [("machine", "add", "extra-1"), ("machine", "list"), ("check",), ("machine", "rotate", "extra-1"), ("machine", "revoke", "extra-1")]
print(f"beside {options.machines} machines: " + ", ".join(f"{' '.join(one)} {timed(*one):.1f} s" for one in words), flush=True)
began = time.monotonic()
with urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=120) as answer: size = len(answer.read())
print(f"/metrics of {options.machines} machines: {size / 1e6:.1f} MB in {time.monotonic() - began:.1f} s", flush=True)

# The gateway is stopped: everything waits in the queue.
gateway.terminate()
gateway.wait(60)
load(options.readings)
for sender in machines:
    sender.heartbeat()
    fleet.fill(sender)
fleet.run(settled, 1800)
waiting = total + options.machines
print(f"gateway stopped: {waiting} messages wait; {figures()}", flush=True)
start_gateway()
took = stored(2 * total)
print(f"gateway back: {total} readings and {options.machines} heartbeats stored in {took:.0f} s ({waiting / took:.0f} a second); {figures()}", flush=True)

# The broker is killed: every machine comes back by itself.
broker.kill()
load(options.readings)
fleet.run(lambda: False, 5)
broker.start()
began = time.monotonic()
if not fleet.run(lambda: fleet.connected == len(machines), 1800): sys.exit(f"{fleet.connected} machines came back")
back = time.monotonic() - began
stored(3 * total)
print(f"broker killed: all {len(machines)} machines back {back:.0f} s after its start, their readings stored after {time.monotonic() - began:.0f} s; {figures()}", flush=True)

# The database is killed and away for a while.
database.kill()
load(options.readings)
fleet.run(lambda: False, 5)
database.start()
took = stored(4 * total)
print(f"database killed: {total} readings stored within {took:.0f} s of its start; {figures()}", flush=True)

expected = 4 * total
for number in range(options.kills):
    load(2)
    expected += 2 * options.machines
    fleet.run(lambda: False, random.uniform(0.2, 2))
    gateway.kill()
    gateway.wait(60)
    if number % 2:
        broker.kill()
        broker.start()
    start_gateway()
    stored(expected)
fleet.run(lambda: fleet.connected == len(machines) and settled(), 600)
keys = set(database.sql("SELECT id FROM cuff.reading").split("\n"))
acknowledged = set().union(*(sender.acknowledged for sender in machines))
count = rows()
size = int(database.sql("SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'cuff.reading'::regclass")) / count
print(f"{count} readings in the database, {len(keys)} distinct, {len(acknowledged)} acknowledged, {len(acknowledged - keys)} acknowledged and lost, sent "
      f"{sum(sender.sent for sender in machines)} times, kill -9: {options.kills} x gateway, {options.kills // 2 + 1} x broker, 1 x database; {size:.0f} bytes a row; "
      f"{fleet.connected} machines connected", flush=True)
gateway.terminate()
clean = gateway.wait(60)
sys.exit(0 if count == len(keys) == len(acknowledged) == expected and not acknowledged - keys and fleet.connected == len(machines) and clean == 0 else 1)
