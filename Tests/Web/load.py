"""load.py CUFF [SECONDS]: what a watch of 64 cuffs costs that send 50 cuff pressures a second each, with two viewers of its page.
Prints the processor time of the watch as a part of one core, and the load of the machine beside it. More than 6 % fails."""
import os, socket, subprocess, sys, tempfile, threading, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from feeder import Feeder

CUFF, SECONDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
CUFFS, RATE, LIMIT = 64, 50, 6.0


def ticks(process):
    with open(f"/proc/{process.pid}/stat") as file: fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Viewer:
    """Reads `/events` as fast as they come."""

    def __init__(self, port):
        self.events, self.socket = 0, socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while part := self.socket.recv(1 << 16): self.events += part.count(b"event: live")


def main(folder):
    feeder = Feeder(CUFFS)
    log = open(os.path.join(folder, "log"), "w+")
    environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state", TZ="UTC")
    words = [CUFF, "watch", "--no-config", "--web", "127.0.0.1:0", "--sink", f"sqlite:{folder}/bp.db"]
    watch = subprocess.Popen(words + [w for path in feeder.paths for w in ("--assign", f"{path}=maibobo")], env=environment,
                             stdout=subprocess.DEVNULL, stderr=log)
    try:
        address = None
        for _ in range(400):
            log.seek(0)
            address = next((word for line in log for word in line.split() if word.startswith("http://")), None)
            if address: break
            time.sleep(0.05)
        if not address:
            log.seek(0)
            sys.exit("the watch serves no page:\n" + log.read())
        port = int(address.rstrip("/").rpartition(":")[2])
        time.sleep(3)
        viewers = [Viewer(port) for _ in range(2)]
        feeder.start(RATE)
        time.sleep(5)
        before, sent, events, begun = ticks(watch), feeder.sent, [v.events for v in viewers], time.monotonic()
        time.sleep(SECONDS)
        took = time.monotonic() - begun
        used = 100 * (ticks(watch) - before) / took
        rate = (feeder.sent - sent) / took
        told = [(v.events - e) / took for v, e in zip(viewers, events)]
    finally:
        feeder.close()
        watch.terminate()
        watch.wait(30)
    with open("/proc/loadavg") as file: load = file.read().split()[0]
    print(f"web: {used:.1f} % of a core for {rate:.0f} pressures a second of {CUFFS} cuffs; viewers were told "
          f"{told[0]:.1f} and {told[1]:.1f} times a second; load {load}")
    if rate < 0.9 * CUFFS * RATE: sys.exit(f"the cuffs sent less than {CUFFS * RATE} pressures a second: the machine is too busy to measure")
    sys.exit(0 if used < LIMIT and min(told) > 1 else 1)


with tempfile.TemporaryDirectory() as folder: main(folder)
