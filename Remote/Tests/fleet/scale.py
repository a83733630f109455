#!/usr/bin/python3
"""Many machines through RabbitMQ and one gateway into one PostgreSQL, all on this computer: rates, memory, and what an outage of an hour costs.

    Remote/Tests/fleet/scale.py [--machines 10000] [--readings 10] [--programs Remote/.build/release] [--kills 3] [--nodes 3] [--like 10000]

The messages of an hour wait, not the hour: four readings and twelve heartbeats of each machine; the pauses of the machines are as long as after an hour.
With three nodes of RabbitMQ one of them is killed instead, and comes back when its machines have gone to the others.

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
parser.add_argument("--like", type=int, default=0, help="in an outage as many messages wait as so many machines make in an hour")
parser.add_argument("--nodes", type=int, choices=[1, 3], default=1, help="of RabbitMQ")
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
nodes = [broker]
while len(nodes) < options.nodes:
    nodes.append(rabbitmq.RabbitMQ(HOME / f"rabbitmq{len(nodes)}", beside=broker, files=most))
    atexit.register(nodes[-1].stop)
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
def brokers(): return " + ".join(f"{memory(node.process.pid):.0f}" for node in nodes if node.process.poll() is None)
def figures(): return (f"RabbitMQ {brokers()} MB, PostgreSQL {memory(int((database.data / 'postmaster.pid').read_text().split()[0])):.0f} MB, "
                       f"gateway {memory(gateway.pid) if gateway.poll() is None else 0:.0f} MB")


def stored(limit=1800):
    """Seconds until all readings are in the database; the senders keep running."""
    began, next_look = time.monotonic(), 0

    def is_there():
        nonlocal next_look
        if time.monotonic() < next_look: return False
        next_look = time.monotonic() + 1
        return rows() >= expected
    if not fleet.run(is_there, limit): sys.exit(f"{rows()} of {expected} readings were stored within {limit} s; {figures()}")
    return time.monotonic() - began


def load(count):
    global expected
    expected += count * len(machines)
    for sender in machines:
        sender.make(count)
        fleet.fill(sender)


def load_of_an_hour():
    """Every machine's readings, after its heartbeats if it is connected. Returns how many messages."""
    times = max(1, options.like // len(machines))
    for sender in machines:
        for _ in range(12 * times if sender.is_connected else 0): sender.heartbeat()
    load(4 * times)
    return 16 * times * len(machines)


def away_and_back(what):
    """All machines are connected again, and all readings are stored."""
    began = time.monotonic()
    if not fleet.run(lambda: fleet.connected == len(machines), 1800): sys.exit(f"{fleet.connected} machines came back")
    back = time.monotonic() - began
    stored()
    print(f"{what}: all {len(machines)} machines connected after {back:.0f} s, their readings stored after {time.monotonic() - began:.0f} s; {figures()}", flush=True)


expected = 0
def settled(): return all(not sender.outbox and not sender.under_way for sender in machines)


began = time.monotonic()
names = [f"m{number:05}" for number in range(options.machines)]
for start in range(0, len(names), 5000):
    words = [word for name in names[start:start + 5000] for word in ("--machine", name)]
    subprocess.run([f"{PROGRAMS}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--setup", "--operator", *words], env=broker.environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=1800)
print(f"{options.machines} machines added in {time.monotonic() - began:.0f} s", flush=True)
machines = [senders.Sender(number, name, (HOME / f"{name}.mqtt.password").read_text().strip()) for number, name in enumerate(names)]
fleet = senders.Fleet(machines, [node.mqtt for node in nodes])
idle = brokers()
start_gateway()
began = time.monotonic()
fleet.connect_all(options.jitter)
if not fleet.run(lambda: fleet.connected == len(machines), 1800): sys.exit(f"{fleet.connected} machines were connected within half an hour")
print(f"all connected after {time.monotonic() - began:.0f} s (spread over {options.jitter:.0f} s); RabbitMQ had {idle} MB before; {figures()}", flush=True)

began = time.monotonic()
load(options.readings)
fleet.run(settled, 1800)
sent = time.monotonic() - began
stored()
print(f"load: {expected} readings acknowledged in {sent:.0f} s ({expected / sent:.0f} a second), stored after {time.monotonic() - began:.0f} s; {figures()}", flush=True)

words = [("machine", "add", "extra-1"), ("machine", "list"), ("check",), ("machine", "rotate", "extra-1"), ("machine", "revoke", "extra-1")]
print(f"beside {options.machines} machines: " + ", ".join(f"{' '.join(one)} {timed(*one):.1f} s" for one in words), flush=True)
began = time.monotonic()
with urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=120) as answer: size = len(answer.read())
print(f"/metrics of {options.machines} machines: {size / 1e6:.1f} MB in {time.monotonic() - began:.1f} s", flush=True)


def outages():
    for what, part in (("gateway", None), ("database", database)):
        if part: part.kill()
        else: gateway.kill(), gateway.wait(60)
        waiting = load_of_an_hour()
        if not fleet.run(settled, 1800): sys.exit(f"{what} away: the broker does not acknowledge")
        print(f"{what} killed: {waiting} messages wait; {figures()}", flush=True)
        part.start() if part else start_gateway()
        took = stored()
        print(f"{what} back: stored after {took:.0f} s ({waiting / took:.0f} messages a second); {figures()}", flush=True)
    broker.kill()
    load_of_an_hour()
    # Until the pauses of the machines have grown to the longest.
    fleet.run(lambda: all(sender.pause == 30 for sender in machines), 300)
    broker.start()
    away_and_back("broker back")
    for number in range(options.kills):
        load(2)
        fleet.run(lambda: False, random.uniform(0.2, 2))
        gateway.kill()
        gateway.wait(60)
        if number % 2:
            broker.kill()
            broker.start()
        start_gateway()
        stored()


def node_killed():
    """Not the first, to which the gateway is connected."""
    nodes[1].kill()
    load_of_an_hour()
    fleet.run(lambda: fleet.connected < len(machines), 60)
    away_and_back("one of three nodes killed")
    nodes[1].start()
    nodes[1].control("await_startup", "--timeout", "300")
    load(options.readings)
    away_and_back("the node is back")


outages() if options.nodes == 1 else node_killed()
fleet.run(lambda: fleet.connected == len(machines) and settled(), 600)
keys = set(database.sql("SELECT id FROM cuff.reading").split("\n"))
acknowledged = set().union(*(sender.acknowledged for sender in machines))
count = rows()
size = int(database.sql("SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'cuff.reading'::regclass")) / count
print(f"{count} readings in the database, {len(keys)} distinct, {len(acknowledged)} acknowledged, {len(acknowledged - keys)} acknowledged and lost, sent "
      f"{sum(sender.sent for sender in machines)} times, kill -9: "
      + (f"{options.kills + 1} x gateway, {options.kills // 2 + 1} x broker, 1 x database" if options.nodes == 1 else "1 x node") + f"; {size:.0f} bytes a row; "
      f"{fleet.connected} machines connected", flush=True)
gateway.terminate()
clean = gateway.wait(60)
sys.exit(0 if count == len(keys) == len(acknowledged) == expected and not acknowledged - keys and fleet.connected == len(machines) and clean == 0 else 1)
