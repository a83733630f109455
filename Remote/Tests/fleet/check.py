#!/usr/bin/python3
"""Machines -> MQTT -> RabbitMQ (quorum queue) -> cuff-gateway -> PostgreSQL, with kill -9 of gateway, broker and database.

    Remote/Tests/fleet/check.py [--rounds 25] [--programs Remote/.build/debug]

Starts its own servers in a temporary folder on loopback, and ends them. Debian: rabbitmq-server postgresql python3-paho-mqtt.
Holds when every reading that the broker acknowledged is in the database exactly once. Without the servers it says so, and is skipped.
"""
import argparse, glob, json, os, pathlib, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=25, help="kills of each program")
parser.add_argument("--programs", default=str(pathlib.Path(__file__).resolve().parents[2] / ".build/debug"))
parser.add_argument("--machines", type=int, default=5)
parser.add_argument("--only", choices=["gateway", "broker", "database"])
options = parser.parse_args()

BIN = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), None)
try:
    import paho.mqtt.client as mqtt
except ImportError:
    mqtt = None
missing = [name for name, there in [("postgresql", BIN), ("rabbitmq-server", shutil.which("rabbitmq-server")),
                                    ("python3-paho-mqtt (for /usr/bin/python3)", mqtt)] if not there]
if missing or os.getuid() != 0:
    print("skipped: " + (f"not installed: {', '.join(missing)}" if missing else "only root can start servers as their users"))
    sys.exit(0)

HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-fleet-", dir="/tmp"))
HOME.chmod(0o777)
os.chdir(HOME)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Database:
    def __init__(self):
        self.port, self.data = free_port(), HOME / "postgres"
        self.run("mkdir", self.data)
        self.run(f"{BIN}/initdb", "-N", "-A", "trust", "-D", self.data)
        self.start()
        self.sql("CREATE DATABASE ward", "postgres")
        self.sql(subprocess.run([f"{options.programs}/cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True).stdout)

    def run(self, *words, check=True):
        return subprocess.run(["runuser", "-u", "postgres", "--", *map(str, words)], check=check, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode

    def start(self):
        for _ in range(60):
            if self.run(f"{BIN}/pg_ctl", "-w", "-D", self.data, "-l", f"{self.data}/log", "-o", f"-p {self.port} -h 127.0.0.1 -k {HOME}",
                        "start", check=False) == 0:
                return
            time.sleep(0.3)
        sys.exit("PostgreSQL did not start")

    def kill(self):
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def stop(self):
        self.run(f"{BIN}/pg_ctl", "-D", self.data, "-m", "immediate", "stop", check=False)

    def sql(self, text, name="ward"):
        return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", name],
                              input=text, check=True, capture_output=True, text=True).stdout.strip()


class Broker:
    def __init__(self):
        self.amqp, self.mqtt = free_port(), free_port()
        (HOME / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{self.amqp}\nmqtt.listeners.tcp.1 = 127.0.0.1:{self.mqtt}\n"
                                            "mqtt.exchange = amq.topic\nmqtt.allow_anonymous = false\n")
        (HOME / "plugins").write_text("[rabbitmq_mqtt].")
        (HOME / "plugins").chmod(0o666)
        self.environment = {
            **os.environ, "RABBITMQ_NODENAME": f"fleet{self.amqp}@localhost", "RABBITMQ_CONFIG_FILE": f"{HOME}/rabbitmq.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{HOME}/plugins", "RABBITMQ_MNESIA_BASE": f"{HOME}/mnesia", "RABBITMQ_LOG_BASE": f"{HOME}/log",
            "RABBITMQ_PID_FILE": f"{HOME}/pid", "RABBITMQ_DIST_PORT": str(free_port()), "XDG_CONFIG_HOME": f"{HOME}/config"}
        secrets = HOME / "config/cuff/credentials"
        secrets.mkdir(parents=True)
        (secrets / "amqp.password").write_text("the password of the gateway\n")
        (secrets / "amqp.password").chmod(0o600)
        self.start()

    def start(self):
        subprocess.Popen(["rabbitmq-server"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(120):
            time.sleep(0.5)
            if subprocess.run(["rabbitmqctl", "-q", "await_startup", "--timeout", "1"], env=self.environment, capture_output=True).returncode == 0:
                return
        sys.exit("RabbitMQ did not start")

    def kill(self, number=signal.SIGKILL):
        os.kill(int((HOME / "pid").read_text()), number)

    def waiting(self):
        words = subprocess.run(["rabbitmqctl", "-q", "list_queues", "name", "messages", "--no-table-headers"], env=self.environment,
                               capture_output=True, text=True).stdout.split()
        return dict(zip(words[::2], words[1::2]))


class Machine(threading.Thread):
    """An outbox: makes readings, and forgets each when the broker has acknowledged it. Everything on its own thread."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.machine, self.made, self.sent, self.is_over, self.is_making = name, 0, 0, False, True
        self.waiting, self.acknowledged, self.by_message = {}, set(), {}
        self.password = (HOME / f"{name}.mqtt.password").read_text().strip()

    def published(self, _client, _user, message):
        key = self.by_message.pop(message, None)
        if self.waiting.pop(key, None):
            self.acknowledged.add(key)

    def make(self):
        if self.is_making and len(self.waiting) < 200:
            self.made += 1
            key = f"20260505T073110-{self.machine}-{self.made:08d}"
            self.waiting[key] = json.dumps({
                "type": "blood_pressure", "schema": 1, "id": key, "driver": "phd", "device": self.machine, "systolic_mmHg": 100 + self.made % 60,
                "diastolic_mmHg": 80, "measured": "2026-05-05T07:33:00+02:00", "origin": "memory"})

    def run(self):
        while not self.is_over:
            client = mqtt.Client(client_id=self.machine, clean_session=True)
            client.username_pw_set(self.machine, self.password)
            client.on_publish = self.published
            client.max_inflight_messages_set(100)
            self.by_message = {}
            try:
                client.connect("127.0.0.1", broker.mqtt, 5)
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


def start_gateway():
    log = open(HOME / "gateway.log", "a")
    return subprocess.Popen([f"{options.programs}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--to",
                             f"postgres://cuff@127.0.0.1:{database.port}/ward"], env=broker.environment, stderr=log)


database = Database()
broker = Broker()
names = [f"pi-{i}" for i in range(options.machines)]
setup = [f"{options.programs}/cuff-gateway", "--from", f"amqp://gateway@localhost:{broker.amqp}/", "--setup"]
subprocess.run(setup + [word for name in names for word in ("--machine", name)], env=broker.environment, check=True, stdout=subprocess.DEVNULL)
machines = [Machine(name) for name in names]
gateway = start_gateway()
for machine in machines:
    machine.start()
targets = [options.only] if options.only else ["gateway", "broker", "database"]
kills = dict.fromkeys(targets, 0)
began = time.time()
order = targets * options.rounds
random.shuffle(order)
for target in order:
    time.sleep(random.uniform(0.1, 1.5))
    kills[target] += 1
    if gateway.poll() is not None:
        sys.exit(f"the gateway ended by itself with {gateway.returncode}: {(HOME / 'gateway.log').read_text()}")
    if target == "gateway":
        gateway.kill()
        gateway.wait()
        gateway = start_gateway()
    elif target == "broker":
        broker.kill()
        broker.start()
    else:
        database.kill()
        database.start()
for machine in machines:
    machine.is_making = False
for _ in range(600):
    time.sleep(0.2)
    made, waiting = sum(m.made for m in machines), sum(len(m.waiting) for m in machines)
    rows, distinct = map(int, database.sql("SELECT count(*), count(DISTINCT id) FROM cuff.reading").split("|"))
    if waiting == 0 and rows >= made:
        break
stored = set(database.sql("SELECT id FROM cuff.reading").split("\n"))
lost = sum(len(m.acknowledged - stored) for m in machines)
left = broker.waiting()
print(f"{made} readings of {len(machines)} machines, sent {sum(m.sent for m in machines)} times, kill -9: "
      f"{', '.join(f'{n} x {t}' for t, n in kills.items())}; {rows} rows, {distinct} distinct, {lost} acknowledged and lost, "
      f"{waiting} still wait, queues {left}, {time.time() - began:.0f} s")
gateway.terminate()
clean = gateway.wait(20)
for machine in machines:
    machine.is_over = True
broker.kill(signal.SIGTERM)
database.stop()
time.sleep(1)
print((HOME / "gateway.log").read_text().strip().split("\n")[-1])
shutil.rmtree(HOME, ignore_errors=True)
sys.exit(0 if rows == distinct == made and lost == 0 and waiting == 0 and clean == 0 else 1)
