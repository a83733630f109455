#!/usr/bin/python3
"""Machines -> MQTT -> RabbitMQ (quorum queue) -> cuff-gateway -> PostgreSQL, with kill -9 of gateway, broker and database.

    Remote/Tests/fleet/check.py [--rounds 25] [--programs Remote/.build/debug] [--nodes 3 --only broker | --former FOLDER]

Starts its own servers in a temporary folder on loopback, and ends them. Debian: rabbitmq-server postgresql python3-paho-mqtt.
With three nodes of RabbitMQ, one of them is killed at a time, and readings must arrive while it is away; then it comes back.
With the programs of the version before, each round upgrades a database of theirs while each part is killed, and goes back to their gateway.
Holds when every reading that the broker acknowledged is in the database exactly once. Without the servers it says so, and is skipped.
"""
import argparse, atexit, json, os, pathlib, random, shutil, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import postgres, rabbitmq

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=25, help="kills of each program")
parser.add_argument("--programs", default=str(pathlib.Path(__file__).resolve().parents[2] / ".build/debug"))
parser.add_argument("--machines", type=int, default=5)
parser.add_argument("--nodes", type=int, choices=[1, 3], default=1, help="of RabbitMQ")
parser.add_argument("--only", choices=["gateway", "broker", "database"])
parser.add_argument("--former", help="a folder with the programs of the version before; empty: skipped")
options = parser.parse_args()

try:
    import paho.mqtt.client as mqtt
except ImportError:
    mqtt = None
reasons = [text for text in [rabbitmq.missing(), postgres.missing(), "" if mqtt else "python3-paho-mqtt is not installed (for /usr/bin/python3)",
                            "FORMER names no folder with the programs of the version before" if options.former == "" else ""] if text]
if reasons:
    print("skipped: fleet: " + ", ".join(reasons))
    sys.exit(77)

PROGRAMS = pathlib.Path(options.programs).resolve()
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-fleet-"))
HOME.chmod(0o777)
atexit.register(shutil.rmtree, HOME, True)
os.chdir(HOME)


class Broker(rabbitmq.RabbitMQ):
    def __init__(self, number=0, beside=None):
        super().__init__(HOME / f"rabbitmq{number}", beside=beside)
        self.environment["XDG_CONFIG_HOME"] = f"{HOME}/config"
        secrets = HOME / "config/cuff/credentials"
        secrets.mkdir(parents=True, exist_ok=True)
        (secrets / "amqp.password").write_text("the password of the gateway\n")
        (secrets / "amqp.password").chmod(0o600)


class Machine(threading.Thread):
    """An outbox: makes readings, and forgets each when the broker has acknowledged it. Everything on its own thread."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.node = 0
        self.machine, self.made, self.sent, self.is_over, self.is_making = name, 0, 0, False, True
        self.began = time.time()
        self.waiting, self.acknowledged, self.by_message = {}, set(), {}
        self.password = (HOME / f"{name}.mqtt.password").read_text().strip()

    def published(self, _client, _user, message):
        key = self.by_message.pop(message, None)
        if self.waiting.pop(key, None):
            self.acknowledged.add(key)

    def resume(self): self.began, self.is_making = time.time() - self.made / 100, True

    def make(self):
        # A hundred a second: more than any machine has, and less than the gateway stores.
        if self.is_making and len(self.waiting) < 200 and self.made < (time.time() - self.began) * 100:
            self.made += 1
            key = f"20260505T073110-{self.machine}-{self.made:08d}"
            self.waiting[key] = json.dumps({
                "type": "blood_pressure", "schema": 1, "id": key, "driver": "phd", "device": self.machine, "systolic_mmHg": 100 + self.made % 60,
                "diastolic_mmHg": 80, "measured": "2026-05-05T07:33:00+02:00", "origin": "memory"})

    def run(self):
        while not self.is_over:
            # Paho 2 wants to know which callbacks it is given.
            version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
            client = mqtt.Client(*version, client_id=self.machine, clean_session=True)
            client.username_pw_set(self.machine, self.password)
            client.on_publish = self.published
            client.max_inflight_messages_set(100)
            self.by_message = {}
            try:
                # Try the next node, if there are several.
                self.node += 1
                client.connect("127.0.0.1", nodes[self.node % len(nodes)].mqtt, 5)
            except OSError:
                time.sleep(0.2)
                continue
            last = time.time()
            while not self.is_over and client.loop(0.01) == 0:
                self.make()
                if not self.by_message:
                    last = time.time()
                if time.time() - last > 10:
                    break
                under_way = set(self.by_message.values())
                for key in [k for k in self.waiting if k not in under_way][:max(0, 100 - len(under_way))]:
                    info = client.publish(f"cuff/{self.machine}/{self.machine}/u1/reading", self.waiting[key], qos=1)
                    self.by_message[info.mid] = key
                    self.sent += 1
            client.disconnect()


def start_gateway(programs=PROGRAMS, name="ward"):
    log = open(HOME / "gateway.log", "a")
    return subprocess.Popen([f"{programs}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--to",
                             f"postgres://cuff@127.0.0.1:{database.port}/{name}"], env=broker.environment, stderr=log)


def restart_gateway(*version):
    global gateway
    if gateway.poll() is not None:
        sys.exit(f"the gateway ended by itself with {gateway.returncode}: {(HOME / 'gateway.log').read_text()}")
    gateway.kill()
    gateway.wait(300)
    gateway = start_gateway(*version)


def found(name="ward"): return database.sql("SELECT id FROM cuff.reading WHERE id LIKE '2%'", name).split()


def wait_for_progress(count=100, limit=300, name="ward"):
    """Until so many more readings are in the database, and each machine has had an acknowledgement."""
    before, until, acknowledged = len(found(name)), time.time() + limit, [len(m.acknowledged) for m in machines]
    while len(found(name)) < before + count or any(len(m.acknowledged) == n for m, n in zip(machines, acknowledged)):
        if time.time() > until: sys.exit(f"nothing more arrived within {limit} s, or from a machine nothing: {broker.waiting()}")
        time.sleep(0.2)


def settle(name="ward"):
    """Until all have arrived, or for a minute nothing has moved. Returns the ids in the database."""
    for machine in machines: machine.is_making = False
    former, moved = None, time.time()
    while time.time() - moved < 60:
        time.sleep(0.2)
        made, waiting, stored = sum(m.made for m in machines), sum(len(m.waiting) for m in machines), earlier + found(name)
        if waiting == 0 and len(stored) >= made: break
        if (waiting, len(stored)) != former: former, moved = (waiting, len(stored)), time.time()
    return stored


def script(programs, *words): return subprocess.run([f"{programs}/cuff-sink-postgres", "--schema", *words], check=True, capture_output=True, text=True, timeout=300).stdout


def migrate(name):
    """As the documentation says: what was interrupted is run again."""
    for words in ([], ["--by-month"]):
        while True:
            try: database.sql(script(PROGRAMS, *words), name)
            except AssertionError: attempts.append(words)
            else: break
            time.sleep(0.1)
    while subprocess.run(setup, env=broker.environment, cwd=HOME, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode: attempts.append(setup)


def upgrade(name):
    """A database of the version before, with many readings, is upgraded under load, and each part is killed during that; then its gateway, and back."""
    global gateway
    database.sql(f"CREATE DATABASE {name}", "postgres")
    database.sql(script(options.former) + "INSERT INTO cuff.reading (id, revision, pending, type, driver, device, measured, origin, line) "
                 "SELECT 'old-' || n, 0, false, 'blood_pressure', 'phd', 'd', now(), 'memory', '{}' FROM generate_series(1, 50000) n", name)
    gateway.terminate()
    gateway.wait(300)
    gateway = start_gateway(options.former, name)
    for machine in machines: machine.resume()
    wait_for_progress(name=name)
    worker = threading.Thread(target=migrate, args=[name], daemon=True)
    worker.start()
    for target in random.sample(targets, len(targets)):
        time.sleep(random.uniform(0, 0.5))
        kill(target, options.former, name)
    worker.join()
    for programs in (PROGRAMS, options.former, PROGRAMS):
        restart_gateway(programs, name)
        kills["gateway"] += 1
        wait_for_progress(name=name)
    earlier.extend(settle(name)[len(earlier):])
    # What is delivered once more belongs to this database.
    while broker.waiting().get("cuff"): time.sleep(0.2)
    lost = sum(len(m.acknowledged.difference(earlier)) for m in machines)
    print(f"{name}: upgraded after {time.time() - began:.0f} s, kill -9: {kills}; {len(earlier)} rows, {len(set(earlier))} distinct, {lost} acknowledged and lost", flush=True)


database = postgres.PostgreSQL(HOME / "postgres", script(PROGRAMS))
atexit.register(database.stop)
broker = Broker()
atexit.register(broker.stop)
nodes = [broker]
while len(nodes) < options.nodes:
    nodes.append(Broker(len(nodes), broker))
    atexit.register(nodes[-1].stop)
names = [f"pi-{i}" for i in range(options.machines)]
setup = [f"{PROGRAMS}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--setup", *(word for name in names for word in ("--machine", name))]
subprocess.run(setup, env=broker.environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
machines = [Machine(name) for name in names]
gateway = start_gateway()
for machine in machines:
    machine.start()
targets = [options.only] if options.only else ["gateway", "broker", "database"]
kills, earlier, attempts = dict.fromkeys(targets, 0), [], []
began = time.time()


def kill(target, *version):
    kills[target] += 1
    if target == "gateway": restart_gateway(*version)
    elif target == "broker":
        node = nodes[kills["broker"] % len(nodes)]
        node.kill()
        # Two of three nodes keep running; the gateway is connected to the first.
        if node is not broker: wait_for_progress()
        node.start()
        # Before the next is killed: two of them must have what one of them confirmed.
        if options.nodes > 1: node.control("await_startup", "--timeout", "300")
    else:
        database.kill()
        database.start()


if options.former:
    earlier.extend(settle())
    for number in range(options.rounds): upgrade(f"ward{number}")
    stored = earlier
else:
    order = targets * options.rounds
    random.shuffle(order)
    for target in order:
        time.sleep(random.uniform(0.1, 1.5))
        kill(target)
    if options.nodes > 1:
        members = broker.control("list_queues", "name", "members", "--no-table-headers").stdout
        if any(members.count(node.name) < 2 for node in nodes): sys.exit(f"a queue has not a member on each node: {members}")
    stored = settle()
rows, distinct, made, waiting = len(stored), len(set(stored)), sum(m.made for m in machines), sum(len(m.waiting) for m in machines)
lost = sum(len(m.acknowledged.difference(stored)) for m in machines)
left = broker.waiting()
if waiting or lost or rows != made:
    print(f"the last lines of the broker's log, and its queues: {broker.control('list_queues', 'name', 'state', 'messages', 'leader').stdout}")
    print("\n".join((broker.folder / f"log/{broker.name}.log").read_text().split("\n")[-40:]))
print(f"{made} readings of {len(machines)} machines, sent {sum(m.sent for m in machines)} times, kill -9: "
      f"{', '.join(f'{n} x {t}' for t, n in kills.items())}; {rows} rows, {distinct} distinct, {lost} acknowledged and lost, "
      f"{waiting} still wait, queues {left}, {time.time() - began:.0f} s"
      + (f"; {options.rounds} upgrades by {options.rounds * 3 + len(attempts)} scripts, every machine connected after each" if options.former else ""))
gateway.terminate()
clean = gateway.wait(300)
for machine in machines:
    machine.is_over = True
print((HOME / "gateway.log").read_text().strip().split("\n")[-1])
sys.exit(0 if rows == distinct == made and lost == 0 and waiting == 0 and clean == 0 else 1)
