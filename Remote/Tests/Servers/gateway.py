#!/usr/bin/python3
"""What cuff-gateway says when RabbitMQ or PostgreSQL does not let it work, and that no secret is seen by others.

    Tests/Servers/gateway.py [unittest's options]      CUFF_PROGRAMS=Remote/.build/debug
The servers are started here, on loopback, in a temporary folder.
"""
import contextlib, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, threading, time, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import postgres, rabbitmq
from rabbitmq import free_port

PROGRAMS = pathlib.Path(os.environ.get("CUFF_PROGRAMS", HERE.parent.parent / ".build/debug")).resolve()
PASSWORD, OTHER = "r1ght-w0rd-of-the-gateway", "wr0ng-w0rd-of-the-gateway"
try:
    import pika
    PIKA = ""
except ImportError: PIKA = "python3-pika is not installed"
REASON = ", ".join(filter(None, [PIKA, rabbitmq.missing(), postgres.missing()]))


class Watcher(threading.Thread):
    """Reads what everybody on the machine can read of every process: its arguments."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.is_over = set(), False
        self.start()

    def run(self):
        while not self.is_over:
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try: self.seen.add(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
                except OSError: pass

    def stop(self):
        self.is_over = True
        self.join(20)
        return self.seen


@unittest.skipIf(REASON, REASON)
class GatewayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cuff-gateway-"))
        cls.home.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.home, True)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost", "-keyout", cls.home / "key.pem", "-out", cls.home / "cert.pem"],
                       check=True, capture_output=True, timeout=300)
        (cls.home / "key.pem").chmod(0o644)
        cls.tls = free_port()
        cls.broker = rabbitmq.RabbitMQ(cls.home / "rabbitmq", f"listeners.ssl.1 = 127.0.0.1:{cls.tls}\nssl_options.cacertfile = {cls.home}/cert.pem\n"
                                       f"ssl_options.certfile = {cls.home}/cert.pem\nssl_options.keyfile = {cls.home}/key.pem\n")
        cls.addClassCleanup(cls.broker.stop)
        cls.database = postgres.PostgreSQL(cls.home / "postgres", None)
        cls.addClassCleanup(cls.database.stop)

    def environment(self, password):
        secrets = self.home / "config/cuff/credentials"
        secrets.mkdir(parents=True, exist_ok=True)
        (secrets / "amqp.password").write_text(password + "\n")
        (secrets / "amqp.password").chmod(0o600)
        return {**self.broker.environment, "XDG_CONFIG_HOME": str(self.home / "config"), "HOME": str(self.home)}

    def gateway(self, password=PASSWORD, user="gateway", broker=None, database=None):
        return subprocess.Popen(
            [PROGRAMS / "cuff-gateway", "--from", broker or f"amqp://{user}@localhost:{self.broker.amqp}/", "--to",
             database or f"postgres://cuff@127.0.0.1:{self.database.port}/ward"], env=self.environment(password), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def says(self, pattern, limit=240, **words):
        """Runs it until it has said that, and stops it."""
        process = self.gateway(**words)
        said = []
        timer = threading.Timer(limit, process.kill)
        timer.start()
        try:
            public = pathlib.Path(f"/proc/{process.pid}/cmdline").read_text() + pathlib.Path(f"/proc/{process.pid}/environ").read_text()
            for line in process.stderr:
                said.append(line)
                if re.search(pattern, line):
                    break
            process.terminate()
            said += process.stderr.readlines()
            status = process.wait(120)
        finally:
            timer.cancel()
            process.kill()
            process.stderr.close()
        text = "".join(said)
        self.assertRegex(text, pattern)
        for secret in (PASSWORD, OTHER):
            self.assertNotIn(secret, text + public)
        return status

    def check(self, pattern, status, password=PASSWORD, broker=None, database=None):
        done = subprocess.run(
            [PROGRAMS / "cuff-gateway", "--check", "--from", broker or f"amqp://gateway@localhost:{self.broker.amqp}/", "--to",
             database or f"postgres://cuff@127.0.0.1:{self.database.port}/ward"], env=self.environment(password), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300)
        self.assertRegex(done.stdout, pattern)
        self.assertEqual((done.returncode, done.stdout.count("\n"), done.stderr), (status, 1, ""), done.stdout)
        self.assertNotIn(PASSWORD, done.stdout)

    def setup_fleet(self, *machines, password=PASSWORD):
        folder = self.home / "machines"
        folder.mkdir(exist_ok=True)
        words = [word for machine in machines for word in ("--machine", machine)]
        return subprocess.run([PROGRAMS / "cuff-gateway", "--from", f"amqp://gateway@localhost:{self.broker.amqp}/", "--setup", *words], cwd=folder,
                              env=self.environment(password), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)

    def expire(self):
        """What no queue accepted is dropped after 30 days; here after a second, by the policy that was set up."""
        policies = self.broker.control("list_policies", "--no-table-headers").stdout
        name, pattern, scope, definition = re.search(r"(cuff-unrouted-expiry)\t(\S+)\t(\S+)\t(\S+)", policies).groups()
        self.assertEqual(json.loads(definition), {"message-ttl": 30 * 86400 * 1000})
        with contextlib.closing(pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", self.broker.amqp))) as connection:
            channel = connection.channel()
            channel.confirm_delivery()
            for limit, is_kept in ((definition, True), ('{"message-ttl":1000}', False), (definition, True)):
                self.broker.control("set_policy", "--apply-to", scope, name, pattern, limit)
                time.sleep(1)
                channel.basic_publish("", "unrouted", b"x")
                time.sleep(3)
                self.assertEqual(channel.basic_get("unrouted", auto_ack=True)[0] is not None, is_kept, limit)

    def test_sentences(self):
        """In the order in which they occur when a fleet is set up."""
        self.says(r"the database: .*\(42P01|28000|3D000\).*; create the (tables|role)")
        self.check(r"^fatal the database: .*; create the (tables|role)", 78)
        schema = subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True, timeout=300).stdout
        self.database.sql(schema)
        self.says(r"the broker: .*check the user `gateway`, its password in amqp.password")
        self.check(r"^fatal the broker: .*check the user `gateway`, its password in amqp.password", 78)

        watcher = Watcher()
        done = self.setup_fleet("pi-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        secret = (self.home / "machines/pi-1.mqtt.password").read_text().strip()
        self.assertEqual((self.home / "machines/pi-1.mqtt.password").stat().st_mode & 0o777, 0o600)
        seen = watcher.stop()
        self.assertTrue(any("rabbitmqctl" in words and "import_definitions" in words for words in seen), "the watcher saw nothing")
        for word in (secret, PASSWORD):
            self.assertNotIn(word, "".join(seen) + done.stdout + done.stderr)

        self.expire()
        self.assertEqual(self.says("storing readings from the queue"), 0)
        self.says(r"the broker: .*check the user `gateway`, its password in amqp.password", password=OTHER)
        self.says(r"the broker: no connection to localhost:\d+: .*cafile=FILE", broker=f"amqps://gateway@localhost:{self.tls}/")
        self.says(r"the broker: no connection to 127.0.0.1:\d+: .*cafile=FILE", broker=f"amqps://gateway@127.0.0.1:{self.tls}/?cafile={self.home}/cert.pem")
        self.assertEqual(self.says("storing readings from the queue", broker=f"amqps://gateway@localhost:{self.tls}/?cafile={self.home}/cert.pem"), 0)
        self.says(r"the broker: no connection to localhost:1: ", broker="amqp://gateway@localhost:1/")
        self.says(r"the database: .*Connection refused", database="postgres://cuff@127.0.0.1:1/ward")
        self.says(r"the database: database \"none\" does not exist \(3D000\); create the database",
                  database=f"postgres://cuff@127.0.0.1:{self.database.port}/none")

        self.check(r"^ok the broker at localhost:\d+ lets `gateway` consume from the queue `cuff`; the database at 127.0.0.1/ward takes readings of `cuff`\n", 0)
        self.check(r"^fatal the broker: .*cafile=FILE", 78, broker=f"amqps://gateway@localhost:{self.tls}/")
        self.check(r"^ok ", 0, broker=f"amqps://gateway@localhost:{self.tls}/?cafile={self.home}/cert.pem")
        self.check(r"^later the broker: no connection to localhost:1: ", 75, broker="amqp://gateway@localhost:1/")
        self.check(r"^later the database: .*Connection refused", 75, database="postgres://cuff@127.0.0.1:1/ward")
        self.check(r"^fatal amqp:// is not encrypted", 78, broker="amqp://gateway@192.0.2.1/")
        # It has to take readings and to set messages aside.
        self.database.sql("REVOKE INSERT ON cuff.refused FROM cuff")
        self.check(r"^fatal the database: permission denied for table refused \(42501\); grant the permissions", 78)
        self.database.sql("GRANT INSERT ON cuff.refused TO cuff")

        # Permissions, and a deleted queue: running the setup again corrects both.
        self.broker.control("set_permissions", "gateway", "^$", "^$", "^$")
        self.says(r"the broker: cannot consume from the queue `cuff`: ACCESS_REFUSED.*cuff-gateway --setup")
        self.check(r"^fatal the broker: cannot consume from the queue `cuff`: ACCESS_REFUSED.*cuff-gateway --setup", 78)
        self.assertEqual(self.setup_fleet("pi-1").returncode, 0)
        self.broker.control("delete_queue", "cuff")
        self.says(r"the broker: cannot consume from the queue `cuff`: NOT_FOUND.*cuff-gateway --setup")
        self.check(r"^fatal the broker: cannot consume from the queue `cuff`: NOT_FOUND.*cuff-gateway --setup", 78)
        self.assertEqual(self.setup_fleet("pi-1").returncode, 0)
        self.assertEqual(self.says("storing readings from the queue"), 0)
        self.assertEqual((self.home / "machines/pi-1.mqtt.password").read_text().strip(), secret, "a password changed")
        logs = "".join(path.read_text(errors="replace") for path in (self.broker.folder / "log").glob("*.log"))
        self.assertGreater(len(logs), 1000)
        for word in (secret, PASSWORD, OTHER):
            self.assertNotIn(word, logs)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for _, reason in result.skipped:
        print("skipped: gateway: " + reason)
    sys.exit(not result.wasSuccessful())
