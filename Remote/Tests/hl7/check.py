#!/usr/bin/env python3
"""Checks of cuff-sink-hl7 with receivers on loopback, started and stopped here.

    check.py [SECTION...]      answers faults tls messages kill (all without a name)
    KILLS=25                   rounds of kill -9, of the helper and of the receiver
    CUFF_HL7_PYTHON=PROGRAM    a Python with hl7apy, for the receiver of `messages` and `kill`
"""
import json, os, pathlib, shutil, socket, socketserver, sqlite3, ssl, subprocess, sys, tempfile, threading, time, urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
import support
from support import Helper, Outbox, check, counted, deletion, failures, free_port, oks, reading, wait_for

support.BINARY = pathlib.Path(os.environ.get("CUFF_SINK_HL7", pathlib.Path(__file__).resolve().parents[2] / ".build/debug/cuff-sink-hl7"))
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-hl7-check-"))
PYTHON = os.environ.get("CUFF_HL7_PYTHON")


def control(message): return message.split(b"\r")[0].split(b"|")[9].decode()

def ack(code, of, text=""): return b"\x0b" + ("MSH|^~\\&|CIS||cuff||20260505080000||ACK^R01^ACK|1|P|2.6\rMSA|%s|%s|%s\r" % (code, of, text)).encode() + b"\x1c\r"


class Receiver(socketserver.ThreadingTCPServer):
    """Keeps the messages; `plan` takes the handler and a message, and answers."""
    daemon_threads = allow_reuse_address = True

    def __init__(self, plan=None, context=None):
        self.messages, self.connections, self.context = [], 0, context
        self.plan = plan or (lambda handler, message: handler.wfile.write(ack("AA", control(message))))
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def finish_request(self, request, client_address):
        self.connections += 1
        if self.context: request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address): pass


class ReceiverHandler(socketserver.StreamRequestHandler):
    def handle(self):
        block, self.is_open = b"", True
        while self.is_open and (byte := self.rfile.read(1)):
            block += byte
            if block.endswith(b"\x1c\r"):
                self.server.messages.append(block[1:-2])
                self.server.plan(self, block[1:-2])
                block = b""


def deliver(address, readings, **more):
    """The answers to the readings, and the exit status."""
    helper = Helper(address, **more)
    check(helper.next() == "ready 1", "the first line is `ready 1`")
    helper.send(*readings)
    said = []
    while len(said) < len(readings) and (text := helper.next()) is not None:
        said.append(text)
        if text.startswith(("later ", "fatal ", "(nothing)")): break
    rest, status = helper.finish()
    return said + rest, status


def one(address, word, text, what, messages=None):
    said, status = deliver(address, [reading(0)])
    check(len(said) == 1 and said[0].startswith(word + " ") and text in said[0], what, said)
    check(status == {"later": 75, "fatal": 78}.get(word, 0), what + ": status", status)


def answers():
    receiver = Receiver()
    address = "hl7+tcp://127.0.0.1:%d/?sender=pi-7" % receiver.port
    many = [reading(n) for n in range(1000)]
    begin = time.monotonic()
    check(deliver(address, many) == (oks(many), 0), "a thousand readings")
    print("answers: 1000 readings in %.2f s" % (time.monotonic() - begin))
    check([control(m) for m in receiver.messages] == [r["id"] + ".0" for r in many], "each once, in order, MSH-10 from id and revision")
    check(receiver.connections == 1, "over one connection", receiver.connections)

    # The next message must not be sent before the answer.
    waiting = threading.Event()
    receiver = Receiver(lambda handler, message: (waiting.wait(30), handler.wfile.write(ack("AA", control(message)))))
    helper = Helper("hl7+tcp://127.0.0.1:%d/" % receiver.port)
    helper.next()
    helper.send(*many[:3])
    time.sleep(1)
    check(len(receiver.messages) == 1 and helper.answers.empty(), "nothing is acknowledged before AA, and one message is under way", len(receiver.messages))
    waiting.set()
    check([helper.next() for _ in range(3)] == oks(many[:3]) and helper.finish()[1] == 0, "afterwards all are")

    for code in ("AE", "CE"):
        receiver = Receiver(lambda handler, message: handler.wfile.write(ack(code, control(message), "the database is down")))
        one("hl7+tcp://127.0.0.1:%d/" % receiver.port, "later", "the database is down", code)
    for code in ("AR", "CR"):
        receiver = Receiver(lambda handler, message: handler.wfile.write(ack(code if control(message) == many[0]["id"] + ".0" else "AA", control(message), "unknown patient")))
        said, status = deliver("hl7+tcp://127.0.0.1:%d/" % receiver.port, many[:2])
        check(said[0].startswith("refuse %s 0 " % many[0]["id"]) and "unknown patient" in said[0] and said[1:] == oks(many[1:2]) and status == 0, code, said)
    receiver = Receiver(lambda handler, message: handler.wfile.write(ack("CA", control(message)) + ack("AA", "another.0") + ack("AA", control(message))))
    check(deliver("hl7+tcp://127.0.0.1:%d/" % receiver.port, many[:2]) == (oks(many[:2]), 0), "CA and answers to others do not count")

    # As hl7apy's own server does.
    def close_after(handler, message):
        handler.wfile.write(ack("AA", control(message)))
        handler.is_open = False
    receiver = Receiver(close_after)
    check(deliver("hl7+tcp://127.0.0.1:%d/" % receiver.port, many[:20]) == (oks(many[:20]), 0), "a receiver that closes after each answer")
    check([control(m) for m in receiver.messages] == [r["id"] + ".0" for r in many[:20]], "each arrives once", len(receiver.messages))


def faults():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        one("hl7+tcp://127.0.0.1:%d/" % silent.getsockname()[1], "later", "cannot reach", "a port that is closed")
    one("hl7+tcp://no-such-host.invalid/", "later", "cannot find", "an unknown host")
    one("hl7+tcp://127.0.0.1/?patient=1&patient.1=2", "fatal", "patient", "a wrong address")
    for text, what in ((b"HTTP/1.1 400 Bad Request\r\n\r\n", "a web server"), (b"\x0bPID|1\r\x1c\r", "a message without MSH")):
        def plan(handler, message):
            handler.wfile.write(text)
            handler.is_open = False
        one("hl7+tcp://127.0.0.1:%d/" % Receiver(plan).port, "later", "closed the connection", what)
    flood = Receiver(lambda handler, message: handler.wfile.write(b"\x0b" + b"x" * (1 << 20)))
    one("hl7+tcp://127.0.0.1:%d/" % flood.port, "later", "other than HL7", "an endless answer")
    whole = ack("AA", reading(0)["id"] + ".0")
    for length in range(len(whole)):
        def cut(handler, message):
            handler.wfile.write(whole[:length])
            handler.is_open = False
        said, _ = deliver("hl7+tcp://127.0.0.1:%d/" % Receiver(cut).port, [reading(0)])
        # The end block is FS CR; some senders leave out the CR.
        check(said == oks([reading(0)]) if length == len(whole) - 1 else len(said) == 1 and said[0].startswith("later "), "an answer cut off after %d bytes" % length, said)
    said, status = deliver("hl7+tcp://127.0.0.1:%d/" % Receiver().port, [reading(0, measured=None), reading(1, user=2), reading(2)])
    check(["no known time" in said[0], "patient.2" in said[1]] == [True, True] and said[2:] == oks([reading(2)]) and status == 0, "readings that cannot be sent are refused", said)
    helper = Helper("hl7+tcp://127.0.0.1:%d/" % free_port(), words=["--check"])
    said, status = helper.finish()
    check(len(said) == 1 and status == 75, "--check: no receiver", said)
    helper = Helper("hl7+tcp://127.0.0.1:%d/" % Receiver().port, words=["--check"])
    said, status = helper.finish()
    check(len(said) == 1 and said[0].startswith("ok ") and status == 0, "--check", said)


def tls():
    def openssl(*words): subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=FOLDER, timeout=180)
    for name, host in (("good", "DNS:localhost,IP:127.0.0.1"), ("other", "DNS:elsewhere.example"), ("client", "DNS:pi-7")):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".pem", "-days", "2", "-subj", "/CN=" + name,
                "-addext", "subjectAltName=" + host)
    def serve(name, client=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(FOLDER / (name + ".pem"), FOLDER / (name + ".key"))
        if client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(FOLDER / client)
        return Receiver(context=context)
    good, many = serve("good"), [reading(n) for n in range(50)]
    for host in ("localhost", "127.0.0.1"):
        check(deliver("hl7+tls://%s:%d/?cafile=%s/good.pem" % (host, good.port, FOLDER), many) == (oks(many), 0), "TLS: " + host)
    one("hl7+tls://localhost:%d/" % good.port, "fatal", "cafile", "an unknown authority")
    one("hl7+tls://localhost:%d/?cafile=/etc/hostname" % good.port, "fatal", "cannot read the certificates", "a cafile without certificates")
    other = serve("other")
    one("hl7+tls://localhost:%d/?cafile=%s/other.pem" % (other.port, FOLDER), "fatal", "certificate", "the certificate of another host")
    check(other.messages == [], "which receives nothing")
    one("hl7+tls://localhost:%d/?cafile=%s/good.pem" % (free_port(), FOLDER), "later", "cannot reach", "a closed port with TLS")
    asking = serve("good", client="client.pem")
    said, status = deliver("hl7+tls://localhost:%d/?cafile=%s/good.pem" % (asking.port, FOLDER), many[:1])
    check(said[0].startswith(("fatal ", "later ")) and asking.messages == [], "a receiver that wants a certificate", said)
    address = "hl7+tls://localhost:%d/?cafile=%s/good.pem&certfile=%s/client.pem&keyfile=%s/client.key" % (asking.port, FOLDER, FOLDER, FOLDER)
    check(deliver(address, many[:1]) == (oks(many[:1]), 0), "a client certificate")


class Independent:
    """receiver.py in a process of its own."""
    def __init__(self):
        self.port, self.path = free_port(), FOLDER / "kept.db"
        self.start()

    def start(self):
        here = pathlib.Path(__file__).resolve().parent
        self.process = subprocess.Popen([PYTHON, here / "receiver.py", str(self.port), self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_for(self.port): raise SystemExit("the receiver did not start")

    def kill(self):
        self.process.kill()
        self.process.wait(120)
        self.start()

    def stop(self):
        self.process.kill()
        self.process.wait(120)
        for path in FOLDER.glob("kept.db*"): path.unlink()

    def kept(self): return dict(sqlite3.connect(self.path).execute("SELECT id, message FROM kept"))


READ = """
import json, sys
from hl7apy.parser import parse_message
message = parse_message(sys.stdin.read())
found = []
for one in message.oru_r01_patient_result.oru_r01_order_observation.oru_r01_observation:
    if one.obx.obx_2.value == "NM":
        found.append([one.obx.obx_3.obx_3_1.value, one.obx.obx_5.value, one.obx.obx_6.obx_6_4.value, one.obx.obx_11.value, one.obx.obx_14.value])
pid = message.oru_r01_patient_result.oru_r01_patient.pid
order = message.oru_r01_patient_result.oru_r01_order_observation
print(json.dumps([message.msh.msh_21.msh_21_3.value, pid.pid_3.pid_3_1.value, [n.nte_3.value for n in order.nte], found]))
"""


# A name with every delimiter of HL7.
ODD = "a|b^c&d~e\\f\u00e9"


def messages():
    if not PYTHON: return print("skipped: hl7apy is not installed")
    receiver = Independent()
    cuffs = "".join("&patient.%s=77" % urllib.parse.quote(cuff, safe="") for cuff in ("port-1-1.2", "00091ffffe000101", "00091ffffe000102", ODD))
    address = "hl7+tcp://127.0.0.1:%d/?sender=pi-7%s&patient.1=4711&authority=WARD" % (receiver.port, cuffs)
    kpa = reading(2, systolic_kPa=17.0, diastolic_kPa=10.9)
    for name in ("systolic_mmHg", "diastolic_mmHg"): del kpa[name]
    weight = {"type": "quantity", "schema": 1, "id": "w", "driver": "phd", "device": "00091ffffe000102", "measured": "2026-05-05T07:33:20+02:00",
              "mdc": 188736, "code": "MDC_MASS_BODY_ACTUAL", "value": "71.20", "unit": "kg"}
    odd = reading(4, device=ODD, flags=["irregular_pulse", "questionable"], mean_mmHg=97)
    sent = [reading(0, user=1), reading(1, driver="phd", device="00091ffffe000101"), kpa, weight, odd,
            reading(0, user=1, revision=2, pulse_per_min=99), deletion(reading(1))]
    said, status = deliver(address, sent)
    check(said == oks(sent) and status == 0, "hl7apy accepts every kind of message", said)
    kept = receiver.kept()
    check(set(kept) == {"%s.%d" % (r["id"], r.get("revision", 0)) for r in sent}, "all are stored")
    def read(one):
        text = kept["%s.%d" % (one["id"], one.get("revision", 0))]
        return json.loads(subprocess.run([PYTHON, "-c", READ], input=text, capture_output=True, text=True, check=True).stdout)
    profile = "1.3.6.1.4.1.19376.1.6.1.1.1"
    check(read(sent[0]) == [profile, "4711", [], [["150021", "110", "mm[Hg]", "R", "20260505053100+0000"], ["150022", "70", "mm[Hg]", "R", "20260505053100+0000"],
                                                  ["149546", "60", "{beat}/min", "R", "20260505053100+0000"]]], "values as hl7apy reads them", read(sent[0]))
    check(read(kpa)[3][:2] == [["150021", "17.0", "kPa", "R", read(kpa)[3][0][4]], ["150022", "10.9", "kPa", "R", read(kpa)[3][0][4]]], "kPa", read(kpa))
    check(read(weight)[3] == [["188736", "71.20", "kg", "R", "20260505073320+0200"]], "a weight", read(weight))
    check(read(odd)[2] == ["irregular_pulse"] and len(read(odd)[3]) == 4, "flags are notes of the order", read(odd))
    check([v[3] for v in read(sent[5])[3]] == ["C"] * 3 and read(sent[5])[3][2][1] == "99", "a correction", read(sent[5]))
    check([(v[0], v[1] or "", v[3]) for v in read(sent[6])[3]] == [("150021", "", "D"), ("150022", "", "D"), ("149546", "", "D")], "a deletion", read(sent[6]))
    check(deliver(address, sent) == (oks(sent), 0) and receiver.kept() == kept, "sent again, each message has the same bytes under the same MSH-10")
    receiver.stop()


def kill():
    if not PYTHON: return print("skipped: hl7apy is not installed")
    rounds, count = int(os.environ.get("KILLS", "6")), 100
    receiver = Independent()
    box = Outbox("hl7+tcp://127.0.0.1:%d/?sender=pi-7" % receiver.port)
    ids, begin, total = set(), time.monotonic(), 0
    for turn in range(rounds):
        box.lines += [reading(turn * count + n) for n in range(count)]
        ids |= {r["id"] + ".0" for r in box.lines}
        total += box.deliver(240, kills=2, on_kill=receiver.kill, seed=turn)[1]
    kept = receiver.kept()
    lost = ids - set(kept)
    # By OBR-2, the reading's id: another MSH-10 for the same reading would be a second message to the receiver.
    orders = [next(s for s in message.split("\r") if s.startswith("OBR")).split("|")[2] for message in kept.values()]
    twice = len(orders) - len(set(orders))
    print("kill: %d x kill -9 in %.0f s, %d of them with readings unanswered; %d readings, %d lost, %d twice, %d refused"
          % (total, time.monotonic() - begin, box.broken, len(ids), len(lost), twice, len(box.refused)))
    check(box.lines == [] and not lost and not twice and not box.refused and set(kept) == ids, "kill: each exactly once", box.said[-1:], list(box.refused.values())[:1])
    check(box.broken > rounds // 2, "kill: most of them interrupt a delivery", box.broken)
    receiver.stop()


if __name__ == "__main__":
    if not support.BINARY.exists(): raise SystemExit("%s is not built: swift build --package-path Remote --product cuff-sink-hl7" % support.BINARY)
    sections = {f.__name__: f for f in (answers, faults, tls, messages, kill)}
    begin = time.monotonic()
    try:
        for key in sys.argv[1:] or list(sections): sections[key]()
    finally: shutil.rmtree(FOLDER, ignore_errors=True)
    print("cuff-sink-hl7: %d checks in %.0f s, %d failed" % (counted(), time.monotonic() - begin, len(failures)))
    sys.exit(bool(failures))
