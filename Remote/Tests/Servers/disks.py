#!/usr/bin/python3
"""Helpers against servers whose disk is full: each says so, acknowledges nothing that is not stored, and delivers when there is room.

    Tests/Servers/disks.py [unittest's options]      CUFF_PROGRAMS=Remote/.build/debug
The disks are small file systems in memory, which only this program and the servers that it starts can see.
"""
import ctypes, json, os, pathlib, shutil, subprocess, sys, tempfile, threading, time, unittest, urllib.parse, urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))
import postgres
from rabbitmq import free_port, listens

PROGRAMS = pathlib.Path(os.environ.get("CUFF_PROGRAMS", HERE.parent.parent / ".build/debug")).resolve()


def missing():
    """Why there can be no small disk, or an empty text."""
    if os.getuid() != 0: return "only root can mount a small disk"
    if "CUFF_PRIVATE_MOUNTS" in os.environ: return ""
    if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"], capture_output=True, timeout=120).returncode:
        return "this machine does not permit to mount a small disk"
    os.environ["CUFF_PRIVATE_MOUNTS"] = "1"
    os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])


REASON = missing()


class SmallDisk:
    def __init__(self, path, size):
        self.path = pathlib.Path(path)
        self.path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.path], check=True, timeout=120)

    def fill(self):
        with open(self.path / "ballast", "wb", buffering=0) as file:
            try:
                while True: file.write(bytes(4096))
            except OSError: pass

    def free(self): (self.path / "ballast").unlink()
    def stop(self): subprocess.run(["umount", "-l", self.path], timeout=120)


def readings(first, count):
    for number in range(first, first + count):
        hour, minute, second = f"{number // 3600:02}", f"{number // 60 % 60:02}", f"{number % 60:02}"
        yield {"type": "blood_pressure", "schema": 1, "id": f"20260505T{hour}{minute}{second}-{number:016x}", "driver": "phd", "device": "00091ffffe000101",
               "systolic_mmHg": 128, "diastolic_mmHg": 82, "measured": f"2026-05-05T{hour}:{minute}:{second}Z", "text": "x" * 400}


def deliver(program, address, lines, limit=180):
    """Everything that the helper answers to them."""
    helper = subprocess.Popen([PROGRAMS / program, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    timer = threading.Timer(limit, helper.kill)
    timer.start()
    try:
        return helper.communicate("".join(json.dumps(line) + "\n" for line in lines))[0].splitlines()
    finally:
        timer.cancel()
        helper.kill()
        helper.wait(20)


@unittest.skipIf(REASON, REASON)
class DiskTests(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="cuff-disks-"))
        self.home.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.home, True)

    def disk(self, size):
        disk = SmallDisk(self.home / "disk", size)
        self.addCleanup(disk.stop)
        return disk

    def check(self, program, address, disk, stored, restart=lambda: None):
        """`stored` returns the ids that the server has; `restart` is what an administrator does after freeing space."""
        first = list(readings(0, 5))
        self.assertEqual(deliver(program, address, first), ["ready 1"] + [f"ok {line['id']} 0" for line in first])
        disk.fill()
        more = list(readings(1000, 500))
        answers = deliver(program, address, more)
        self.assertRegex(answers[-1], "^later .*the server's disk is full: free some space")
        self.assertLessEqual(len(answers[-1]), 300)
        acknowledged = {answer.split()[1] for answer in answers if answer.startswith("ok ")}
        self.assertLess(len(acknowledged), 500)
        self.assertFalse([answer for answer in answers if answer.startswith(("refuse ", "fatal "))])
        disk.free()
        restart()
        self.assertLessEqual(acknowledged | {line["id"] for line in first}, set(stored()))
        left = [line for line in more if line["id"] not in acknowledged]
        self.assertEqual(deliver(program, address, left), ["ready 1"] + [f"ok {line['id']} 0" for line in left])
        found = stored()
        self.assertEqual((len(found), set(found)), (505, {line["id"] for line in first + more}))

    @unittest.skipIf(postgres.missing(), postgres.missing())
    def test_postgres(self):
        server = postgres.PostgreSQL(self.home / "postgres", None)
        self.addCleanup(server.stop)
        disk = self.disk("24m")
        # The log of the server stays where there is room; the tables do not.
        place = disk.path / "tables"
        place.mkdir()
        shutil.chown(place, "postgres")
        server.sql(f"CREATE TABLESPACE small LOCATION '{place}'")
        server.sql("ALTER DATABASE ward SET TABLESPACE small", "postgres")
        server.sql(subprocess.run([PROGRAMS / "cuff-sink-postgres", "--schema"], check=True, capture_output=True, text=True, timeout=180).stdout)
        self.check("cuff-sink-postgres", f"postgres://cuff@127.0.0.1:{server.port}/ward", disk, lambda: server.sql("SELECT id FROM cuff.reading").split())

    @unittest.skipUnless(shutil.which("influxd"), "influxd is not installed (Debian package influxdb)")
    def test_influx(self):
        disk = self.disk("8m")
        port = free_port()
        configuration = self.home / "influxdb.conf"
        configuration.write_text(
            f'reporting-disabled = true\nbind-address = "127.0.0.1:{free_port()}"\n[meta]\n  dir = "{self.home}/meta"\n[data]\n  dir = "{disk.path}/data"\n'
            f'  wal-dir = "{disk.path}/wal"\n[monitor]\n  store-enabled = false\n[http]\n  bind-address = "127.0.0.1:{port}"\n')
        servers = []

        def stop():
            for server in servers:
                server.kill()
                server.wait(120)

        def start():
            """InfluxDB 1.6 fails until it is restarted: its write-ahead log stays in the error state."""
            stop()
            servers.append(subprocess.Popen(["influxd", "-config", configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            until = time.monotonic() + 180
            while not listens(port) and time.monotonic() < until: time.sleep(0.1)

        self.addCleanup(stop)
        start()

        def query(text):
            url = f"http://127.0.0.1:{port}/query?db=bp&q={urllib.parse.quote(text)}"
            with urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=180) as answer: return json.loads(answer.read())["results"][0]

        query("CREATE DATABASE bp")
        self.check("cuff-sink-http", f"influx+http://127.0.0.1:{port}/?db=bp", disk,
                   lambda: [row[1] for row in query("SELECT id FROM blood_pressure")["series"][0]["values"]], start)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for _, reason in result.skipped:
        print("skipped: disks: " + reason)
    sys.exit(not result.wasSuccessful())
