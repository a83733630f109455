#!/usr/bin/python3
"""cuff-gateway machine: adding, rotating and revoking machines at a real RabbitMQ, recorded in a real PostgreSQL.

    Tests/Servers/machines.py [unittest's options]      CUFF_PROGRAMS=Remote/.build/debug, KILLS=3
The servers are started here, on loopback, in a temporary folder.
"""
import json, os, pathlib, random, re, shutil, subprocess, sys, tempfile, threading, time, unittest, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import postgres, rabbitmq

try: import paho.mqtt.client as mqtt
except ImportError: mqtt = None
PROGRAMS = pathlib.Path(os.environ.get("CUFF_PROGRAMS", HERE.parent.parent / ".build/debug")).resolve()
KILLS = int(os.environ.get("KILLS", "3"))
REASON = ", ".join(filter(None, [rabbitmq.missing(), postgres.missing(), "" if mqtt else "python3-paho-mqtt is not installed"]))


class Client:
    """A machine's connection, from the outside: what it may do, and whether it was closed."""

    def __init__(self, port, user, password, name="x"):
        version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = mqtt.Client(*version, client_id=f"cuff-{name}", clean_session=True, reconnect_on_failure=False)
        self.client.username_pw_set(user, password)
        self.code, self.is_closed, self.published = None, threading.Event(), set()
        self.client.on_connect = lambda _c, _u, _f, code: setattr(self, "code", code)
        self.client.on_disconnect = lambda _c, _u, _code: self.is_closed.set()
        self.client.on_publish = lambda _c, _u, mid: self.published.add(mid)
        self.client.connect("127.0.0.1", port, 30)
        self.client.loop_start()
        until = time.monotonic() + 60
        while self.code is None and not self.is_closed.is_set() and time.monotonic() < until: time.sleep(0.01)

    @property
    def is_accepted(self): return self.code == 0

    def publishes(self, topic, text="{}"):
        """Whether the broker acknowledges it."""
        mid = self.client.publish(topic, text, qos=1).mid
        until = time.monotonic() + 20
        while mid not in self.published and not self.is_closed.is_set() and time.monotonic() < until: time.sleep(0.01)
        return mid in self.published

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


@unittest.skipIf(REASON, REASON)
class MachineTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cuff-machines-"))
        cls.home.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.home, True)
        cls.broker = rabbitmq.RabbitMQ(cls.home / "rabbitmq", management=True)
        cls.addClassCleanup(cls.broker.stop)
        schema = subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True, timeout=300).stdout
        cls.database = postgres.PostgreSQL(cls.home / "postgres", schema)
        cls.addClassCleanup(cls.database.stop)
        secrets = cls.home / "config/cuff/credentials"
        secrets.mkdir(parents=True)
        (secrets / "amqp.password").write_text("the password of the gateway\n")
        (secrets / "amqp.password").chmod(0o600)
        (cls.home / "config/cuff/gateway.toml").write_text(
            f'# of the tests\nmanagement = "http://cuff-admin@localhost:{cls.broker.http}/"\n'
            f'database = "postgres://cuff_operator@127.0.0.1:{cls.database.port}/ward"\nmachines = "mqtt://127.0.0.1:{cls.broker.mqtt}/"\n')
        cls.environment = {**cls.broker.environment, "XDG_CONFIG_HOME": str(cls.home / "config"), "HOME": str(cls.home)}
        done = subprocess.run([PROGRAMS / "cuff-gateway", "--from", f"amqp://gateway@localhost:{cls.broker.amqp}/", "--setup", "--operator"],
                              env=cls.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert (secrets / "management.password").stat().st_mode & 0o777 == 0o600

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.home))

    def start(self, *words):
        return subprocess.Popen([PROGRAMS / "cuff-gateway", "machine", *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def attempt(self, *words):
        process = self.start(*words)
        return process.wait(300), "".join(process.communicate(timeout=300))

    def machine(self, *words, status=0):
        found, text = self.attempt(*words)
        self.assertEqual(found, status, text)
        return text

    def wait_for(self, condition, limit=120):
        until = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), until, "it did not become true in time")
            time.sleep(0.5)

    def access(self, name):
        """User and password of the file that was written."""
        path = self.folder / f"{name}.fleet.toml"
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        values = dict(re.findall(r'^(\w+) = "(.*)"$', path.read_text(), re.M))
        return values["user"], values["password"]

    def connect(self, name, access=None):
        client = Client(self.broker.mqtt, *(access or self.access(name)), name)
        self.addCleanup(client.close)
        return client

    def audit(self, name): return self.database.sql(f"SELECT action || ': ' || result FROM cuff.audit WHERE subject = '{name}' ORDER BY number").split("\n")

    def test_machineIsAddedWithRightsForItsTopicsOnly(self):
        self.assertIn("added", self.machine("add", "ward-1"))
        user, password = self.access("ward-1")
        client = self.connect("ward-1")
        self.assertTrue(client.is_accepted)
        self.assertTrue(client.publishes("cuff/ward-1/status"))
        self.assertFalse(client.publishes("cuff/ward-2/status"), "it may publish as another machine")
        # Again: nothing changes, and rights that were damaged are as before.
        self.broker.control("clear_permissions", user)
        self.assertIn("already exists; permissions updated; its access is in ward-1.fleet.toml", self.machine("add", "ward-1"))
        self.assertEqual(self.access("ward-1"), (user, password))
        self.assertTrue(self.connect("ward-1").publishes("cuff/ward-1/status"))
        self.assertEqual(self.audit("ward-1")[0], "add: begun")
        self.assertEqual(len(self.audit("ward-1")), 4)
        # The broker's list of connections is some seconds old.
        self.wait_for(lambda: re.search(r"ward-1 +ward-1 +yes +never", self.machine("list")))
        self.assertNotIn(password, self.machine("show", "ward-1") + self.machine("list") + str(self.audit("ward-1")))

    def test_usersThatAreNoMachinesAreLeftAlone(self):
        for name in ("gateway", "cuff-admin"):
            self.assertIn("is not a machine's", self.machine("add", name, status=78))
            self.assertIn("is not a machine's", self.machine("revoke", name, status=78))
        self.assertIn("is not a machine name", self.machine("add", "a/b", status=64))

    def test_rotatingKeepsTheOldAccessUntilTheNewOneIsUsed(self):
        self.machine("add", "ward-3")
        old = self.access("ward-3")
        first = self.connect("ward-3")
        self.assertIn("`ward-3.2`", self.machine("rotate", "ward-3"))
        new = self.access("ward-3")
        self.assertEqual(new[0], "ward-3.2")
        self.assertIn("already", self.machine("rotate", "ward-3"))
        self.assertEqual(self.access("ward-3"), new, "the second call changed the access")
        self.assertTrue(first.publishes("cuff/ward-3/status"))
        self.assertIn("would be locked out", self.machine("rotate", "--finish", "ward-3", status=75))
        second = self.connect("ward-3", new)
        self.wait_for(lambda: self.attempt("rotate", "--finish", "ward-3")[0] == 0)
        self.assertIn("nothing to finish", self.machine("rotate", "--finish", "ward-3"))
        self.assertFalse(self.connect("ward-3-old", old).is_accepted)
        self.assertTrue(second.publishes("cuff/ward-3/d/u1/reading"))

    def test_revokingClosesTheConnectionWithinAMinute(self):
        self.machine("add", "ward-4")
        client = self.connect("ward-4")
        self.assertTrue(client.publishes("cuff/ward-4/status"))
        began = time.monotonic()
        self.machine("revoke", "ward-4")
        self.assertTrue(client.is_closed.wait(60), "its connection is still open")
        self.assertLess(time.monotonic() - began, 60)
        print(f"revoked and disconnected within {time.monotonic() - began:.1f} s", flush=True)
        self.assertFalse(self.connect("ward-4").is_accepted)
        self.assertIn("had no access", self.machine("revoke", "ward-4"))
        self.assertRegex(self.machine("list"), r"ward-4 +revoked +no")
        # Added again, it gets another password.
        old = self.access("ward-4")
        self.machine("add", "ward-4")
        self.assertNotEqual(self.access("ward-4"), old)
        self.assertTrue(self.connect("ward-4").is_accepted)
        self.assertFalse(self.connect("ward-4-old", old).is_accepted)

    def test_revokingSeveralGoesOnAfterAFailure_AndForgetsTheCredential(self):
        for name in ("ward-6", "ward-7"): self.machine("add", name)
        self.machine("rotate", "ward-7")
        self.database.sql("UPDATE cuff.machine SET credential = 'ward-7.2' WHERE name = 'ward-7'")
        text = self.machine("revoke", "ward-6", "gateway", "cuff-admin", "ward-7", status=78)
        self.assertIn("ward-7: `ward-7`, `ward-7.2` can no longer connect", text)
        self.assertRegex(text, r"cuff-gateway: cuff-admin: .*\n(.*\n)*cuff-gateway: gateway: .*is not a machine's")
        for name in ("ward-6", "ward-7"): self.assertFalse(self.connect(name).is_accepted)
        # What it said of its former access proves nothing of the new one.
        self.machine("add", "ward-7")
        self.machine("rotate", "ward-7")
        self.assertEqual(self.access("ward-7")[0], "ward-7.2")
        self.assertIn("would be locked out", self.machine("rotate", "--finish", "ward-7", status=75))

    def test_checkGoesOnWithoutTheBroker(self):
        self.database.sql("INSERT INTO cuff.machine (name, added) VALUES ('ward-8', now() - interval '2 days')")
        done = subprocess.run([PROGRAMS / "cuff-gateway", "check", "--management", "http://cuff-admin@localhost:1/"], env=self.environment,
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ward-8 was added 2 days ago", done.stdout)
        self.assertIn("the broker's queues are unknown: ", done.stdout)
        self.database.sql("DELETE FROM cuff.machine WHERE name = 'ward-8'")

    def test_actionsThatCannotBeRecordedAreNotMade(self):
        self.database.sql("REVOKE INSERT ON cuff.audit FROM cuff_operator")
        try: self.assertIn("permission denied", self.machine("add", "ward-5", status=78))
        finally: self.database.sql("GRANT INSERT ON cuff.audit TO cuff_operator")
        self.assertFalse((self.folder / "ward-5.fleet.toml").exists())
        self.assertNotIn("ward-5", self.machine("list"))

    def test_killedAtRandomInstantsNoMachineIsLockedOut(self):
        """kill -9 of `add`, `rotate` and of the broker; each is then run again."""
        for number in range(KILLS):
            name = f"killed-{number}"
            for verb in ("add", "rotate"):
                before = self.access(name) if verb == "rotate" else None
                process = self.start(verb, name)
                time.sleep(random.uniform(0, 0.25))
                process.kill()
                process.communicate()
                if number % 5 == 4:
                    self.broker.kill()
                    self.broker.start()
                    self.broker.control("await_startup", "--timeout", "300")
                if before: self.assertTrue(self.connect(name, before).is_accepted, "locked out between the two")
                self.wait_for(lambda: self.attempt(verb, name)[0] == 0)
                if before is None and not (self.folder / f"{name}.fleet.toml").exists(): self.machine("rotate", name)
                client = self.connect(name)
                self.assertTrue(client.is_accepted, f"{verb} was killed, and its access is not valid")
                self.assertTrue(client.publishes(f"cuff/{name}/d/u1/reading"))
                client.close()
        print(f"kill -9: {2 * KILLS} x machine add or rotate; no machine locked out", flush=True)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for _, reason in result.skipped:
        print("skipped: machines: " + reason)
    sys.exit(not result.wasSuccessful())
