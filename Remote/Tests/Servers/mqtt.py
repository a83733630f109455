#!/usr/bin/python3
"""cuff-sink-mqtt against real brokers: mosquitto, and RabbitMQ for MQTT 3.1.1.

    Tests/Servers/mqtt.py [BINARY] [unittest's options]
The brokers are started here, on loopback, in a temporary folder. KILLS=25 rounds of kill -9.
"""
import json, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, threading, time, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import rabbitmq
from rabbitmq import free_port, listens

try:
    import pika
except ImportError:
    pika = None

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and "/" in sys.argv[1] else str(HERE.parent.parent / ".build/debug/cuff-sink-mqtt")
KILLS = int(os.environ.get("KILLS", "25"))
PASSWORD = "c0rrect-h0rse"
MARKER = "end-of-what-is-retained"
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-mqtt-"))
os.chmod(HOME, 0o755)


def write(name, text, mode=0o644):
    path = HOME / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def wait_for(what, condition, seconds=90):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def reading(identity, user=1, device="00091ffffe000101", measured="2026-05-05T07:33:20+02:00", **more):
    line = {"type": "blood_pressure", "schema": 1, "id": identity, "driver": "phd", "device": device, "systolic_mmHg": 128, "diastolic_mmHg": 82}
    line |= {"user": user} if user else {}
    line |= {"measured": measured} if measured else {"clock": "unset"}
    return json.dumps(line | more, separators=(",", ":"))


class Mosquitto:
    def __init__(self, extra="allow_anonymous true\n", port=None, listener=""):
        self.port = port or free_port()
        self.configuration = write(f"mosquitto-{self.port}.conf", f"listener {self.port} 127.0.0.1\n{listener}{extra}")
        self.log = open(HOME / f"mosquitto-{self.port}.log", "a")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", self.configuration], stderr=self.log, stdout=self.log)
        wait_for("mosquitto", lambda: listens(self.port))

    def kill(self):
        self.process.kill()
        self.process.wait(120)

    def stop(self):
        self.process.terminate()
        self.process.wait(120)

    def client(self, program, *words):
        return [program, "-h", "127.0.0.1", "-p", str(self.port), *words]

    def retained(self, topic, *words):
        """What is retained, by topic: retained messages come before any that is published after the subscription."""
        with subprocess.Popen(["stdbuf", "-oL"] + self.client("mosquitto_sub", "-q", "1", "-t", topic, "-t", MARKER, "-F", "%r %t %p", "-d", *words), stdout=subprocess.PIPE, text=True) as process:
            found = {}
            timer = threading.Timer(120, process.kill)
            timer.start()
            for line in process.stdout:
                if line.startswith("Subscribed"):
                    subprocess.run(self.client("mosquitto_pub", "-q", "1", "-t", MARKER, "-m", "", *words), check=True, timeout=120)
                parts = line.rstrip("\n").split(" ", 2)
                if parts[1:2] == [MARKER]:
                    break
                if parts[0] == "1":
                    found[parts[1]] = parts[2]
            else:
                raise AssertionError("mosquitto_sub ended, or did not answer in time")
            timer.cancel()
            process.kill()
        return found


class Subscriber:
    """Everything that is published below a topic."""

    def __init__(self, owner, broker, topic, *words):
        owner.append(self)
        self.process = subprocess.Popen(["stdbuf", "-oL"] + broker.client("mosquitto_sub", "-q", "1", "-V", "mqttv5", "-t", topic, "-F", "%r %t %p", "-d", *words), stdout=subprocess.PIPE, text=True, bufsize=1)
        self.messages = []
        self.is_ready = False
        threading.Thread(target=self.read, daemon=True).start()
        wait_for("a subscription", lambda: self.is_ready)

    def read(self):
        for line in self.process.stdout:
            self.is_ready = self.is_ready or line.startswith("Subscribed")
            if line[:2] in ("0 ", "1 ") and f" {MARKER} " not in line:
                self.messages.append(tuple(line.rstrip("\n").split(" ", 2)[1:]))

    def payloads(self, topic):
        return [payload for name, payload in self.messages if name == topic]

    def close(self):
        self.process.kill()
        self.process.wait(120)
        self.process.stdout.close()


class Helper:
    def __init__(self, address, **environment):
        self.process = subprocess.Popen([BINARY, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
                                        env={"PATH": os.environ["PATH"], "HOME": str(HOME), **environment})
        self.answers, self.words = [], ""
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.read, self.hear)]
        for thread in self.threads:
            thread.start()

    def read(self):
        for line in self.process.stdout:
            self.answers.append(line.rstrip("\n"))

    def hear(self):
        for line in self.process.stderr:
            self.words += line

    def send(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def expect(self, count, seconds=90):
        wait_for(f"{count} answers of {self.answers}", lambda: len(self.answers) >= count, seconds)
        return self.answers[count - 1]

    def close(self):
        """The end of its input; answers its status and what it said to people."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status = self.process.wait(120)
        for thread in self.threads:
            thread.join(120)
        self.process.stderr.close()
        self.process.stdout.close()
        return status, self.words


def run(address, *lines, **environment):
    helper = Helper(address, **environment)
    try:
        helper.send(*lines)
    except BrokenPipeError:
        pass
    status, words = helper.close()
    return helper.answers, status, words


def check(address, **environment):
    """`--check`: its one line and its status."""
    done = subprocess.run([BINARY, "--check", address], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env={"PATH": os.environ["PATH"], "HOME": str(HOME), **environment})
    assert done.stderr == "" and done.stdout.count("\n") == 1, (done.stdout, done.stderr)
    return done.stdout.rstrip("\n"), done.returncode


class Outbox:
    """What `cuff` does with a helper: at most 1,000 unanswered lines, an `ok` removes one, `later` and an exit start again."""

    def __init__(self, address, lines, **environment):
        self.address, self.environment = address, environment
        self.waiting = {json.loads(line)["id"]: line for line in lines}
        self.refused, self.acknowledged = {}, set()
        self.starts = 0
        self.said = []
        self.helper = None
        self.stopping = False
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def progress(self, count, limit=5):
        """Until so many more are acknowledged, or that time is over."""
        goal, until = len(self.acknowledged) + count, time.monotonic() + limit
        while len(self.acknowledged) < goal and self.thread.is_alive() and time.monotonic() < until:
            time.sleep(0.002)

    def finish(self, test, limit=120):
        self.thread.join(limit)
        self.stopping = True
        if self.thread.is_alive():
            self.helper.kill()
        test.assertEqual((len(self.waiting), self.refused), (0, {}), f"not delivered within {limit} s; the last words: {self.said[-3:]}")

    def work(self):
        while self.waiting and not self.stopping:
            self.starts += 1
            self.helper = helper = subprocess.Popen([BINARY, self.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
                                                    env={"PATH": os.environ["PATH"], "HOME": str(HOME), **self.environment})
            self.converse(helper)
            helper.kill()
            helper.wait()
            helper.stdout.close()
            try:
                helper.stdin.close()
            except BrokenPipeError:
                pass
            time.sleep(0.1)

    def converse(self, helper):
        sent = set()

        def fill():
            more = [identity for identity in list(self.waiting) if identity not in sent][:1000 - len(sent & self.waiting.keys())]
            sent.update(more)
            helper.stdin.write("".join(self.waiting[identity] + "\n" for identity in more))
            helper.stdin.flush()

        try:
            for answer in helper.stdout:
                word, *rest = answer.split(" ", 3)
                if word == "ok":
                    if rest[0] not in sent:
                        raise AssertionError("an answer for another reading: " + answer)
                    self.acknowledged.add(rest[0])
                    self.waiting.pop(rest[0], None)
                elif word == "refuse":
                    self.refused[rest[0]] = self.waiting.pop(rest[0])
                elif word != "ready":
                    self.said.append(answer)
                    return
                if not self.waiting:
                    helper.stdin.close()
                    helper.wait(120)
                    return
                if word == "ready" or len(sent & self.waiting.keys()) < 500:
                    fill()
        except (BrokenPipeError, ValueError):
            return


def identity(number, day="20260505"):
    return f"{day}T{number // 3600 % 24:02}{number // 60 % 60:02}{number % 60:02}-{number:016x}"


@unittest.skipUnless(shutil.which("mosquitto") and shutil.which("mosquitto_sub"), "mosquitto and mosquitto-clients are not installed")
class MosquittoTests(unittest.TestCase):
    def setUp(self):
        self.brokers, self.subscribers = [], []

    def tearDown(self):
        for subscriber in self.subscribers:
            subscriber.close()
        for broker in self.brokers:
            if broker.process.poll() is None:
                broker.stop()
            broker.log.close()

    def broker(self, *words, **settings):
        self.brokers.append(Mosquitto(*words, **settings))
        return self.brokers[-1]

    def subscriber(self, broker, topic="#", *words):
        return Subscriber(self.subscribers, broker, topic, *words)

    def test_reading(self):
        broker = self.broker()
        subscriber = self.subscriber(broker)
        helper = Helper(f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7")
        lines = [reading(identity(2)), reading(identity(1)), reading(identity(3), user=2), reading(identity(4), measured=None), reading(identity(5), type="measurement", measured=None)]
        helper.send(*lines)
        helper.expect(6)
        self.assertEqual(broker.retained("cuff/#"), {"cuff/pi-7/status": "online", "cuff/pi-7/00091ffffe000101/u1/state": lines[0], "cuff/pi-7/00091ffffe000101/u2/state": lines[2]})
        status, words = helper.close()
        self.assertEqual((helper.answers[0], status, words), ("ready 1", 0, ""))
        self.assertEqual(sorted(a for a in helper.answers if a.startswith("ok")), [f"ok {identity(n)} 0" for n in (1, 2, 3, 5)])
        self.assertRegex(next(a for a in helper.answers if a.startswith("refuse")), f"refuse {identity(4)} 0 .*time")
        self.assertEqual(subscriber.payloads("cuff/pi-7/00091ffffe000101/u1/reading"), [lines[0], lines[1], lines[4]])
        self.assertEqual(subscriber.payloads("cuff/pi-7/status"), ["online", "offline"])

    def test_older_reading_after_a_restart(self):
        broker = self.broker()
        self.subscriber(broker)
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7"
        topic = "cuff/pi-7/00091ffffe000101/u1/state"
        run(address, reading(identity(5)))
        answers, _, _ = run(address, reading(identity(4)))
        self.assertEqual(answers, ["ready 1", f"ok {identity(4)} 0"])
        self.assertEqual(broker.retained(topic), {topic: reading(identity(5))})
        run(address, reading(identity(5), revision=2))
        self.assertEqual(broker.retained(topic), {topic: reading(identity(5), revision=2)})

    def test_nobody_listens(self):
        broker = self.broker()
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7"
        answers, status, _ = run(address, reading(identity(1)))
        self.assertEqual(len(answers), 2)
        self.assertRegex(answers[1], "^later no subscriber")
        answers, status, _ = run(address + "&nobody-listens=taken", reading(identity(1)))
        self.assertEqual((answers, status), (["ready 1", f"ok {identity(1)} 0"], 0))

    def test_away(self):
        port = free_port()
        answers, _, _ = run(f"mqtt://127.0.0.1:{port}/", reading(identity(1)))
        self.assertEqual(answers, ["ready 1", f"later cannot reach the broker at 127.0.0.1:{port}: Connection refused"])

    def test_broker_that_comes_back(self):
        broker = self.broker()
        subscriber = self.subscriber(broker)
        helper = Helper(f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7")
        helper.send(reading(identity(1)))
        self.assertEqual(helper.expect(2), f"ok {identity(1)} 0")
        broker.kill()
        time.sleep(0.2)
        broker.start()
        # Nothing was stored on disk: the helper, which has nothing to do, restores it.
        wait_for("the newest reading", lambda: "cuff/pi-7/00091ffffe000101/u1/state" in broker.retained("cuff/#"))
        self.assertEqual(broker.retained("cuff/pi-7/status"), {"cuff/pi-7/status": "online"})
        self.assertEqual(len(helper.answers), 2)
        helper.close()

    def test_last_will(self):
        broker = self.broker()
        subscriber = self.subscriber(broker)
        helper = Helper(f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7")
        wait_for("online", lambda: subscriber.payloads("cuff/pi-7/status") == ["online"])
        helper.process.kill()
        wait_for("offline", lambda: subscriber.payloads("cuff/pi-7/status") == ["online", "offline"])
        helper.close()

    def secured(self, acl=""):
        passwords = write("passwords", "")
        for user in ("cuff", "other"):
            subprocess.run(["mosquitto_passwd", "-b", passwords, user, PASSWORD], check=True, timeout=180)
        os.chmod(passwords, 0o644)
        rights = write("acl", acl) if acl else None
        return self.broker(f"allow_anonymous false\npassword_file {passwords}\n" + (f"acl_file {rights}\n" if rights else ""))

    def test_password(self):
        broker = self.secured()
        self.subscriber(broker, "#", "-u", "other", "-P", PASSWORD)
        address = f"mqtt://cuff@127.0.0.1:{broker.port}/?gateway=pi-7"
        own = write(".config/cuff/credentials/mqtt.password", PASSWORD + "\n", 0o600)
        answers, _, words = run(address, reading(identity(1)))
        self.assertEqual(answers, ["ready 1", f"ok {identity(1)} 0"])
        self.assertNotIn(PASSWORD, words)
        helper = Helper(address)
        helper.expect(1)
        self.assertNotIn(PASSWORD, pathlib.Path(f"/proc/{helper.process.pid}/cmdline").read_text() + pathlib.Path(f"/proc/{helper.process.pid}/environ").read_text())
        helper.close()
        os.chmod(own, 0o644)
        self.assertIn(f"chmod 600 {own}", run(address, reading(identity(1)))[0][1])
        write(".config/cuff/credentials/mqtt.password", "wrong-secret\n", 0o600)
        answers, status, words = run(address, reading(identity(1)))
        self.assertRegex(answers[1], "^fatal .*does not accept user cuff with this password.*mqtt.password")
        self.assertNotIn("wrong-secret", "".join(answers) + words)
        os.remove(own)
        self.assertRegex(run(address, reading(identity(1)))[0][1], "^fatal .*wants a password for cuff")
        self.assertRegex(run(address.replace("cuff@", ""), reading(identity(1)))[0][1], "^fatal .*requires a user")
        write("systemd/mqtt.password", PASSWORD, 0o440)
        self.assertEqual(run(address, reading(identity(1)), CREDENTIALS_DIRECTORY=str(HOME / "systemd"))[0][1], f"ok {identity(1)} 0")

    def test_rights(self):
        write(".config/cuff/credentials/mqtt.password", PASSWORD + "\n", 0o600)
        broker = self.secured("user other\ntopic readwrite #\nuser cuff\ntopic readwrite cuff/pi-7/#\ntopic write cuff/pi-9/#\n")
        self.subscriber(broker, "#", "-u", "other", "-P", PASSWORD)
        address = f"mqtt://cuff@127.0.0.1:{broker.port}/?gateway="
        self.assertEqual(run(address + "pi-7", reading(identity(1)))[0][1], f"ok {identity(1)} 0")
        self.assertRegex(run(address + "pi-8", reading(identity(1)))[0][1], "^fatal the broker does not let this user publish to cuff/pi-8/status")
        self.assertRegex(run(address + "pi-9", reading(identity(1)))[0][1], "^fatal the broker does not let this user read cuff/pi-9/.*state=no")
        self.assertEqual(run(address + "pi-9&state=no", reading(identity(1)))[0][1], f"ok {identity(1)} 0")
        self.assertRegex(run(address + "pi-7&discovery=homeassistant", reading(identity(1)))[0][1], "^fatal the broker does not let this user publish to homeassistant/device/")

    def expect(self, result, status, pattern):
        self.assertRegex(result[0], pattern)
        self.assertEqual(result[1], status, result[0])

    def test_check(self):
        """`--check` finds what a delivery would find, and leaves nothing behind."""
        own = write(".config/cuff/credentials/mqtt.password", PASSWORD + "\n", 0o600)
        broker = self.secured("user other\ntopic readwrite #\nuser cuff\ntopic readwrite cuff/pi-7/#\ntopic write cuff/pi-9/#\n")
        place = f"127.0.0.1:{broker.port}"
        address = f"mqtt://cuff@{place}/?gateway="
        self.expect(check(address + "pi-7"), 75, f"^later the broker at {place} accepts readings, but there is no subscriber to cuff/pi-7/")
        self.expect(check(address + "pi-7&nobody-listens=taken"), 0, "^ok ")
        subscriber = self.subscriber(broker, "#", "-u", "other", "-P", PASSWORD)
        helper = Helper(address + "pi-7")
        wait_for("online", lambda: ("cuff/pi-7/status", "online") in subscriber.messages)
        retained = broker.retained("#", "-u", "other", "-P", PASSWORD)
        before = len(subscriber.messages)
        self.expect(check(address + "pi-7"), 0, f"^ok the broker at {place} accepts `cuff` with the password, and publishing below cuff/pi-7/#$")
        # A helper that runs stays connected, retained messages do not change, and subscribers receive no reading.
        wait_for("the question", lambda: len(subscriber.messages) >= before + 3)
        self.assertEqual(sorted(subscriber.messages[before:]), [("cuff/pi-7/_check/u0/reading", ""), ("cuff/pi-7/_check/u0/state", ""), ("cuff/pi-7/status", "online")])
        self.assertEqual(broker.retained("#", "-u", "other", "-P", PASSWORD), retained)
        self.assertIsNone(helper.process.poll())
        helper.close()
        self.expect(check(address + "pi-8"), 78, "^fatal the broker at .* accepts `cuff` with the password but not reading cuff/pi-8/status; .*state=no|but not the topic cuff/pi-8/status")
        self.expect(check(address + "pi-8&state=no"), 78, "^fatal the broker at .* accepts `cuff` with the password but not the topic cuff/pi-8/status; grant it permission to publish to cuff/pi-8/#$")
        self.expect(check(address + "pi-9&state=no"), 0, "^ok ")
        self.expect(check(address + "pi-7&discovery=homeassistant"), 78, "but not the topic homeassistant/device/.*; grant it permission to publish to homeassistant/#$")
        self.expect(check(address + "pi-7&gatway=x"), 78, "^fatal unknown setting")
        self.expect(check(f"mqtt://127.0.0.1:{free_port()}/"), 75, "^later cannot reach the broker .*Connection refused")
        pathlib.Path(own).write_text("wrong-secret\n")
        self.expect(check(address + "pi-7"), 78, "^fatal .*does not accept user cuff with this password.*mqtt.password")

    def test_payload_too_large(self):
        broker = self.broker("allow_anonymous true\nmessage_size_limit 600\n")
        self.subscriber(broker)
        answers, status, _ = run(f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7", reading(identity(1), text="x" * 600), reading(identity(2)))
        self.assertIn(f"ok {identity(2)} 0", answers)
        self.assertTrue(any(answer.startswith(f"refuse {identity(1)} 0 the broker refuses it: packet too large") for answer in answers), answers)

    def certificates(self):
        if (HOME / "ca.pem").exists():
            return
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=HOME, timeout=180)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Ward")
        for name, subject in (("good", "DNS:localhost,IP:127.0.0.1"), ("other", "DNS:elsewhere.example")):
            openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=broker")
            write("extensions", f"subjectAltName={subject}\n")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.pem", "-days", "2", "-extfile", "extensions")
            os.chmod(HOME / f"{name}.key", 0o644)

    def test_tls(self):
        self.certificates()
        def broker(name, more=""):
            return self.broker(listener=f"cafile {HOME}/ca.pem\ncertfile {HOME}/{name}.pem\nkeyfile {HOME}/{name}.key\n{more}")
        good = broker("good")
        self.subscriber(good, "#", "--cafile", f"{HOME}/ca.pem", "--insecure")
        for host in ("localhost", "127.0.0.1"):
            answers, _, words = run(f"mqtts://{host}:{good.port}/?gateway=pi-7&cafile={HOME}/ca.pem", reading(identity(1)))
            self.assertEqual(answers, ["ready 1", f"ok {identity(1)} 0"], words)
        self.assertRegex(run(f"mqtts://localhost:{good.port}/?gateway=pi-7", reading(identity(1)))[0][1], "^fatal the certificate of the broker .* no trusted authority .*cafile=FILE")
        other = broker("other")
        self.assertRegex(run(f"mqtts://localhost:{other.port}/?gateway=pi-7&cafile={HOME}/ca.pem", reading(identity(1)))[0][1], "^fatal the certificate of the broker .* not valid for localhost")
        self.assertRegex(run(f"mqtts://localhost:{good.port}/?cafile=/nonexistent", reading(identity(1)))[0][1], "^fatal cannot read /nonexistent")
        plain = self.broker()
        self.assertRegex(run(f"mqtts://localhost:{plain.port}/?cafile={HOME}/ca.pem", reading(identity(1)))[0][1], "^(fatal|later) .*TLS")
        self.assertRegex(run(f"mqtt://localhost:{good.port}/", reading(identity(1)))[0][1], "^later .*mqtts://")
        demanding = broker("good", "require_certificate true\n")
        answers = run(f"mqtts://localhost:{demanding.port}/?gateway=pi-7&cafile={HOME}/ca.pem", reading(identity(1)))[0]
        self.assertRegex(answers[1], "^(fatal|later) ")
        answers = run(f"mqtts://localhost:{demanding.port}/?gateway=pi-7&cafile={HOME}/ca.pem&certfile={HOME}/good.pem&keyfile={HOME}/good.key&nobody-listens=taken", reading(identity(1)))[0]
        self.assertEqual(answers[1], f"ok {identity(1)} 0")

    def test_configuration(self):
        for address in ("mqtt://me:hunter2@127.0.0.1/", "mqtt://127.0.0.1/?gatway=x", "http://127.0.0.1/", "mqtt:///"):
            answers, status, words = run(address, reading(identity(1)))
            self.assertEqual(answers[0], "ready 1")
            self.assertRegex(answers[1], "^fatal ")
            self.assertEqual(status, 78)
            self.assertNotIn("hunter2", "".join(answers) + words)

    def test_same_gateway_twice(self):
        broker = self.broker()
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7"
        first = Helper(address)
        wait_for("online", lambda: broker.retained("cuff/#"))
        second = Helper(address)
        # mosquitto 2.0.11 does not say why it ends the first connection.
        wait_for("a word of the first", lambda: "another program connected as cuff-pi-7" in first.words and "gateway=NAME" in first.words)
        first.close()
        second.close()

    def test_home_assistant(self):
        broker = self.broker()
        self.subscriber(broker)
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7&discovery=homeassistant"
        run(address, reading(identity(1), user=None), reading(identity(2), user=2))
        node = "cuff_00091ffffe000101"
        topic = f"homeassistant/device/{node}/config"
        retained = broker.retained("homeassistant/#")
        self.assertEqual(list(retained), [topic])
        components = json.loads(retained[topic])["cmps"]
        self.assertEqual(len(components), 17)
        for name, config in components.items():
            if name.startswith("alert"): continue
            self.assertEqual(config["avty_t"], "cuff/pi-7/status")
            self.assertNotEqual(config.get("dev_cla"), "pressure")
            self.assertIn("/u2/" if name.startswith("u2_") else "/u0/", config["stat_t"])
        self.assertTrue(components["systolic"]["frc_upd"])
        forget = [BINARY, "--forget", "00091ffffe000101", address]
        self.assertEqual(subprocess.run(forget, capture_output=True, text=True, timeout=180).stdout.count("removed "), 3)
        self.assertEqual(list(broker.retained("#")), ["cuff/pi-7/status"])
        self.assertEqual(subprocess.run(forget, capture_output=True, timeout=180).returncode, 69)

    def test_home_assistant_migration(self):
        """The messages of single entities that earlier builds left become components of the device."""
        broker = self.broker()
        subscriber = self.subscriber(broker)
        node = "cuff_00091ffffe000101"
        old = {f"homeassistant/sensor/{node}/{name}/config": json.dumps({"name": name, "stat_t": f"cuff/pi-7/00091ffffe000101/u0/state",
               "uniq_id": f"{node}_{name}", "obj_id": f"cuff_{name}", "dev": {"ids": [node]}, "o": {"name": "cuff"}}) for name in ("systolic", "diastolic")}
        for topic, payload in old.items():
            subprocess.run(["mosquitto_pub", "-p", str(broker.port), "-t", topic, "-m", payload, "-r", "-q", "1"], check=True, timeout=60)
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7&discovery=homeassistant"
        self.assertEqual(run(address, reading(identity(1)))[0][1], f"ok {identity(1)} 0")
        topic = f"homeassistant/device/{node}/config"
        retained = broker.retained("homeassistant/#")
        self.assertEqual(list(retained), [topic])
        components = json.loads(retained[topic])["cmps"]
        self.assertEqual({name: components[name]["stat_t"].split("/")[3] for name in ("systolic", "diastolic", "u1_systolic")},
                         {"systolic": "u0", "diastolic": "u0", "u1_systolic": "u1"})
        self.assertEqual(components["systolic"]["def_ent_id"], "sensor.cuff_systolic")
        places = [place for place, _ in subscriber.messages if place.startswith("homeassistant/")]
        self.assertEqual(places, sorted(old, reverse=True) + [topic] + sorted(old) + [topic] + sorted(old))

    def test_killed_helper(self):
        """kill -9 of the helper at random instants: every acknowledged reading came, and the newest is retained."""
        broker = self.broker("allow_anonymous true\nmax_queued_messages 0\n")
        subscriber = self.subscriber(broker, "cuff/pi-7/+/+/reading")
        address = f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7"
        count, kills, starts = 0, 0, 0
        while kills < KILLS:
            outbox = Outbox(address, [reading(identity(number)) for number in range(count, count + 5000)])
            count += 5000
            while kills < KILLS and outbox.thread.is_alive():
                outbox.progress(random.randint(0, 1500))
                if outbox.helper and outbox.helper.poll() is None and outbox.waiting:
                    outbox.helper.kill()
                    kills += 1
            outbox.finish(self)
            starts += outbox.starts
        wait_for("all readings", lambda: len({json.loads(payload)["id"] for _, payload in list(subscriber.messages)}) == count)
        topic = "cuff/pi-7/00091ffffe000101/u1/state"
        self.assertEqual(broker.retained(topic), {topic: reading(identity(count - 1))})
        self.assertGreater(len(subscriber.messages), count, "no kill met a reading that was under way")
        print(f"\n{count} readings, {kills} x kill -9 of the helper ({starts} starts): published {len(subscriber.messages)} times, all arrived")

    def test_speed(self):
        broker = self.broker("allow_anonymous true\nmax_queued_messages 0\n")
        subscriber = self.subscriber(broker, "cuff/pi-7/+/+/reading")
        began = time.monotonic()
        outbox = Outbox(f"mqtt://127.0.0.1:{broker.port}/?gateway=pi-7", [reading(identity(number)) for number in range(20000)])
        outbox.finish(self)
        self.assertEqual(len(outbox.acknowledged), 20000)
        print(f"\n20000 readings in {time.monotonic() - began:.1f} s")


class RabbitMQ(rabbitmq.RabbitMQ):
    """One node with the MQTT listener, for 3.1.1 only, and one quorum queue for everything."""

    def __init__(self):
        super().__init__(tempfile.mkdtemp(prefix="cuff-rabbit-"))
        self.control("add_user", "cuff", PASSWORD)
        self.control("set_permissions", "cuff", ".*", ".*", ".*")
        with self.connection() as connection:
            connection.channel().queue_declare("cuff", durable=True, arguments={"x-queue-type": "quorum"})
            connection.channel().queue_bind("cuff", "amq.topic", "cuff.#")

    def connection(self):
        # After kill -9 the listener is there before the queue has its leader.
        return pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", self.amqp, credentials=pika.PlainCredentials("cuff", PASSWORD),
                                                                 connection_attempts=30, retry_delay=1, socket_timeout=30, blocked_connection_timeout=30))

    def ids(self):
        """Takes the ids of all readings out of the queue, repeated ones repeatedly."""
        found = []
        with self.connection() as connection:
            channel = connection.channel()
            channel.basic_qos(prefetch_count=1000)
            left = channel.queue_declare("cuff", passive=True).method.message_count
            for method, _, body in channel.consume("cuff", inactivity_timeout=10):
                if method is None:
                    break
                if method.routing_key.endswith(".reading") and body:
                    found.append(json.loads(body)["id"])
                left -= 1
                if left % 500 == 0 or left <= 0:
                    channel.basic_ack(method.delivery_tag, multiple=True)
                if left <= 0:
                    break
            channel.cancel()
        return found


@unittest.skipIf(rabbitmq.missing() or not pika, rabbitmq.missing() or "python3-pika is not installed (for /usr/bin/python3)")
class RabbitMQTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = RabbitMQ()

    @classmethod
    def tearDownClass(cls):
        cls.broker.stop()

    def setUp(self):
        write(".config/cuff/credentials/mqtt.password", PASSWORD + "\n", 0o600)

    def address(self, more=""):
        return f"mqtt://cuff@127.0.0.1:{self.broker.mqtt}/?gateway=pi-7{more}"

    def test_older_protocol(self):
        topic_of_newest = reading(identity(9, "20260601"))
        answers, _, words = run(self.address(), topic_of_newest)
        self.assertEqual(answers, ["ready 1", f"ok {identity(9, '20260601')} 0"], words)
        self.assertIn("MQTT 3.1.1", words)
        self.assertEqual(run(self.address(), reading(identity(8, "20260601")))[0][1], f"ok {identity(8, '20260601')} 0")
        self.assertEqual(sorted(self.broker.ids()), [identity(8, "20260601"), identity(9, "20260601")])
        write(".config/cuff/credentials/mqtt.password", "wrong\n", 0o600)
        self.assertRegex(run(self.address(), reading(identity(1)))[0][1], "^fatal .*does not accept user cuff")

    def test_rights(self):
        """A machine that may publish its own readings, and read nothing."""
        self.broker.control("add_user", "pi-8", PASSWORD)
        self.broker.control("set_permissions", "pi-8", "^mqtt-subscription-.*", "^(amq\\.topic|mqtt-subscription-.*)$", "^(amq\\.topic|mqtt-subscription-.*)$")
        self.broker.control("set_topic_permissions", "pi-8", "amq.topic", "^cuff\\.pi-8\\..*", "^$")
        address = f"mqtt://pi-8@127.0.0.1:{self.broker.mqtt}/?gateway=pi-8"
        answers = run(address, reading(identity(1)))[0]
        self.assertRegex(answers[1], "^(fatal|later) ", answers)
        self.assertRegex(answers[1], "state=no")
        self.assertEqual(run(address + "&state=no", reading(identity(1)))[0][1], f"ok {identity(1)} 0")
        self.assertIn(identity(1), self.broker.ids())
        line, status = check(address)
        self.assertRegex(line, "^fatal .*state=no")
        self.assertEqual(status, 78)
        line, status = check(address + "&state=no")
        self.assertRegex(line, "^ok .*uses MQTT 3.1.1")
        self.assertEqual(status, 0)
        line, status = check(address.replace("gateway=pi-8", "gateway=pi-9") + "&state=no")
        self.assertRegex(line, "^fatal .*closed the connection after a message to cuff/pi-9/status.*grant it permission to publish to cuff/pi-9/#")
        self.assertEqual(status, 78)
        self.assertEqual(self.broker.ids(), [], "the question was kept as a reading")

    def test_killed_broker(self):
        """kill -9 of RabbitMQ at random instants: every acknowledged reading is in its queue."""
        self.broker.ids()
        expected, acknowledged, starts = set(), set(), 0
        for kill in range(KILLS):
            lines = [reading(identity(kill * 2000 + number, "20260701")) for number in range(2000)]
            expected |= {json.loads(line)["id"] for line in lines}
            outbox = Outbox(self.address(), lines)
            outbox.progress(random.randint(1, 1500), 20)
            self.broker.kill()
            self.broker.start()
            outbox.finish(self, 150)
            acknowledged |= outbox.acknowledged
            starts += outbox.starts
        found = self.broker.ids()
        self.assertEqual((acknowledged, acknowledged - set(found), set(found) - expected), (expected, set(), set()))
        print(f"\n{len(expected)} readings, {KILLS} x kill -9 of RabbitMQ ({starts} starts of the helper): none lost, {len(found) - len(expected)} twice")

    def test_full_disk(self):
        """RabbitMQ stops to read from publishers while its disk has less room than it wants."""
        self.broker.ids()
        first, second, third = (identity(number, "20260801") for number in (1, 2, 3))
        connected = Helper(self.address())
        connected.send(reading(first))
        self.assertEqual(connected.expect(2, 30), f"ok {first} 0")
        self.assertEqual(self.broker.control("set_disk_free_limit", "1000000GB").returncode, 0)
        try:
            connected.send(reading(second))
            later = Helper(self.address().replace("pi-7", "pi-9"))
            later.send(reading(third))
            # A connected client is no longer read, another one is not accepted.
            self.assertRegex(connected.expect(3, 90), "^later .*acknowledged nothing .*free its disk or memory")
            self.assertRegex(later.expect(2, 90), "^later .*its disk or memory may be full")
        finally:
            self.broker.control("set_disk_free_limit", "50MB")
            for helper in (connected, later):
                helper.process.kill()
                helper.close()
        outbox = Outbox(self.address(), [reading(second), reading(third)])
        outbox.finish(self)
        self.assertLessEqual({first, second, third}, set(self.broker.ids()))


if __name__ == "__main__":
    try:
        result = unittest.main(verbosity=2, exit=False).result
        for _, reason in result.skipped:
            print("skipped: mqtt: " + reason)
        sys.exit(not result.wasSuccessful())
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
