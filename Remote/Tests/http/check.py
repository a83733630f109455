#!/usr/bin/env python3
"""Checks of cuff-sink-http against real servers on loopback, started and stopped here.

    check.py [SECTION...]      lines faults tls influx fhir smart orphan sekmet kill (all without a name)
    KILLS=25                   rounds of `kill` for each server
    CUFF_SEKMET=PROGRAM        the FHIR server of PyPI (pip install sekmet-fhir==0.1.1); `sekmet` on PATH otherwise

Exits 0 when every check holds; a server that is not installed is skipped, and said.
"""
import contextlib, json, os, pathlib, shutil, signal, ssl, subprocess, sys, tempfile, threading, time, urllib.parse, warnings

sys.dont_write_bytecode = True
from support import *

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-http-check-"))
started = []

def start(words, port, **more):
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    started.append(process)
    if not wait_for(port): raise SystemExit("%s did not start" % words[0])
    return process

# ---- lines

def lines():
    endpoint = Recorder()
    address = "http://127.0.0.1:%d/ward/3?kind=bp&x=a%%20b" % endpoint.port
    sent = [reading(0), reading(1, revision=2), reading(2, measured=None)]
    check(run(address, sent) == oks(sent), "every line is acknowledged, in order")
    check([d.decode() for _, _, _, d in endpoint.requests] == [line(r) + "\n" for r in sent], "the lines arrive byte by byte as cuff wrote them")
    check({p for _, p, _, _ in endpoint.requests} == {"/ward/3?kind=bp&x=a%20b"}, "path and query as they were written", endpoint.requests[0][1])
    check([h["Idempotency-Key"] for _, _, h, _ in endpoint.requests] == ['"%s.%d"' % (r["id"], r.get("revision", 0)) for r in sent], "Idempotency-Key")
    check(all("Authorization" not in h for _, _, h, _ in endpoint.requests), "no credentials without any")
    check({h["Content-Type"] for _, _, h, _ in endpoint.requests} == {"application/json"}, "Content-Type")

    for credentials, address, want in (
        ({"http.token": "s3cret-token\nsecond line\n"}, "http://127.0.0.1:%d/", "Bearer s3cret-token"),
        ({"http.password": "pass:wörd\n", "http.token": "no"}, "http://n%%C3%%A9e@127.0.0.1:%d/", "Basic " + __import__("base64").b64encode("née:pass:wörd".encode()).decode())):
        endpoint.requests.clear()
        run(address % endpoint.port, sent[:1], credentials=credentials)
        check([h.get("Authorization") for _, _, h, _ in endpoint.requests] == [want], "credentials", want)

    helper = Helper("http://127.0.0.1:%d/" % endpoint.port, credentials={"http.token": "s3cret"})
    helper.send(sent[0])
    check([helper.next(), helper.next()] == ["ready 1"] + oks(sent[:1]), "a token from a file")
    public = "".join(pathlib.Path("/proc/%d/%s" % (helper.process.pid, name)).read_text() for name in ("cmdline", "environ"))
    check("s3cret" not in public, "`ps` shows no secret")
    helper.close()
    os.chmod(helper.home + "/cuff/credentials/http.token", 0o640)
    helper = Helper("http://127.0.0.1:%d/" % endpoint.port, environment={"XDG_CONFIG_HOME": helper.home})
    said, _ = helper.finish()
    check(len(said) == 2 and said[1].startswith("fatal ") and "chmod 600" in said[1], "a credential that others can read is refused", said)
    check("s3cret" not in " ".join(said), "and is not told")

    many = [reading(n) for n in range(1000)]
    endpoint.requests.clear()
    begin = time.monotonic()
    check(run("http://127.0.0.1:%d/" % endpoint.port, many) == oks(many), "a thousand lines")
    print("lines: 1000 readings in %.2f s" % (time.monotonic() - begin))

    endpoint.requests.clear()
    said = ask("http://127.0.0.1:%d/ward?a=b" % endpoint.port, {"http.token": "s3cret"})
    check(said[1] == 0 and said[0].startswith("ok ") and "not known without sending a reading" in said[0], "lines --check", said)
    check([(m, p, h.get("Authorization"), d) for m, p, h, d in endpoint.requests] == [("OPTIONS", "/ward?a=b", "Bearer s3cret", b"")], "it asks for OPTIONS alone")
    for code, status, word in ((405, 0, "405"), (401, 78, "credentials"), (503, 75, "503")):
        endpoint.plan = lambda handler, code=code: handler.answer(code)
        said = ask("http://127.0.0.1:%d/" % endpoint.port)
        check(said[1] == status and word in said[0], "lines --check: HTTP %d" % code, said)
    endpoint.plan = None
    said = ask("http://example.org/")
    check(said[1] == 78 and "use https" in said[0], "lines --check: an address that is not allowed", said)

    helper = Helper("http://127.0.0.1:%d/" % endpoint.port)
    helper.send("this is not a reading")
    said, _ = helper.finish()
    check(said[1].startswith("fatal "), "a line that is no reading", said)

# ---- faults

def faults():
    sent = [reading(n) for n in range(3)]
    def plan(status, body=b"", **headers):
        return lambda handler: handler.answer(status, body, **headers)
    endpoint = Recorder()
    address = "http://127.0.0.1:%d/x" % endpoint.port
    for status, word, *said in (
        (200, "ok"), (201, "ok"), (202, "ok"), (204, "ok"), (400, "refuse", "HTTP 400: it says why"), (413, "refuse"), (422, "refuse"),
        (401, "fatal", "credentials"), (403, "fatal", "permissions"), (404, "fatal", "path"), (405, "fatal"), (410, "fatal"), (415, "fatal"), (418, "fatal"),
        (408, "later"), (409, "later"), (425, "later"), (429, "later", "wait 7 s"), (500, "later"), (502, "later"), (503, "later", "wait 7 s"), (507, "later", "disk is full: free some space")):
        endpoint.plan = plan(status, b"" if status == 204 else b'{"error":"it says why"}', Retry_After="7")
        endpoint.requests.clear()
        answers = run(address, sent)
        if word in ("ok", "refuse"):
            check([a.split(" ")[:3] for a in answers] == [[word, r["id"], "0"] for r in sent], "HTTP %d" % status, answers)
        else:
            check(len(answers) == 1 and answers[0].startswith(word + " ") and len(endpoint.requests) == 1, "HTTP %d" % status, answers)
        check(all(text in answers[0] for text in said), "HTTP %d tells %s" % (status, said), answers[:1])

    for status in (301, 302, 303, 307, 308):
        other = Recorder()
        endpoint.plan = plan(status, Location="http://127.0.0.1:%d/elsewhere" % other.port)
        answers = run(address, sent[:1], credentials={"http.token": "s3cret"})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "/elsewhere" in answers[0], "HTTP %d" % status, answers)
        check(other.requests == [], "nothing goes where a redirect points")

    def cut(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.wfile.flush()
        ProxyHandler.abort(handler)
    endpoint.plan = cut
    answers = run(address, sent[:1])
    check(len(answers) == 1 and answers[0].startswith("later "), "an answer that is cut is no acknowledgement", answers)
    def raw(text):
        def plan(handler):
            handler.wfile.write(text)
            handler.wfile.flush()
            handler.close_connection = True
        return plan
    whole = b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 0\r\n\r\n"
    for length in list(range(1, len(whole))) + [len(whole)]:
        endpoint.plan = raw(whole[:length])
        answers = run(address, sent[:1])
        check(answers == oks(sent[:1]) if length == len(whole) else len(answers) == 1 and answers[0].startswith("later "),
              "an answer cut off after %d bytes" % length, answers)
    for text, word in ((b"HTTP/1.1 200 OK\r\n\r\n", "later"), (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "ok"), (b"HTTP/1.0 200 OK\r\n\r\n", "ok"),
                       (b"HTTP/1.1 204 No Content\r\n\r\n", "ok"), (b"HTTP/1.1 204 No Content\r\n", "later"), (b"HTTP/1.0 200 OK\r\n", "later"),
                       (b"HTTP/1.1 103 Early Hints\r\n\r\n", "later"), (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "later")):
        endpoint.plan = raw(text)
        answers = run(address, sent[:1])
        check(len(answers) == 1 and answers[0].startswith(word + " "), "the answer %r" % text, answers)
    endpoint.plan = ProxyHandler.abort
    answers = run(address, sent[:1])
    check(len(answers) == 1 and answers[0].startswith("later "), "a connection that is cut before an answer", answers)
    def flood(handler):
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(200): handler.wfile.write(b"x" * 65536)
        handler.close_connection = True
    endpoint.plan = flood
    answers = run(address, sent[:1])
    check(len(answers) == 1 and answers[0].startswith("later ") and "8 MB" in answers[0], "an answer without end", answers)

    endpoint.plan = lambda handler: (time.sleep(2), handler.answer(200))
    check(run(address, sent[:1]) == oks(sent[:1]), "a slow server")
    endpoint.plan = lambda handler: (time.sleep(70), ProxyHandler.abort(handler))
    begin = time.monotonic()
    answers = run(address, sent[:1])
    took = time.monotonic() - begin
    check(len(answers) == 1 and answers[0].startswith("later ") and 40 < took < 55, "a silent server: before cuff's 60 s", answers, took)
    print("faults: a silent server is given up after %.0f s" % took)
    check(run("http://127.0.0.1:%d/" % free_port(), sent[:1])[0].startswith("later "), "no server")
    check(run("https://does-not-exist.invalid/", sent[:1])[0].startswith("later "), "no such host")

    # What a server echoes may hold what it was sent.
    endpoint.plan = lambda handler: handler.answer(400, ("you sent " + handler.headers["Authorization"]).encode())
    answers = run(address, sent[:1], credentials={"http.token": "s3cret-token"})
    check("s3cret" not in " ".join(answers), "a server that echoes a secret", answers)
    answers = run("http://me@127.0.0.1:%d/" % endpoint.port, sent[:1], credentials={"http.password": "hidden-word"})
    check("hidden" not in " ".join(answers) and "bWU6" not in " ".join(answers), "a server that echoes a password", answers)

    for address in ("http://example.org/", "influx+http://10.0.0.1/?db=x", "ftp://h/", "gopher", "https:///x", "https://u:hidden@h/", "influx+https://h/",
                    "influx+https://h/?db=a&bucket=b&org=c", "influx+https://h/?databse=a", "fhir+https://h/fhir", "fhir+https://h/?subject=p1",
                    "fhir+https://h/?subject=Patient/1&subject.1=Patient/2", "fhir+https://h/?subject.-1=Patient/1", "fhir+https://h/?subject=Patient/1&profile=us",
                    "https://h/?cafile=/does/not/exist", "https://u@h/", "fhir+https://h/?subject=Patient/1&client=me"):
        answers = run(address, [])
        check(len(answers) == 1 and answers[0].startswith("fatal "), "%s is a fault of the configuration" % address, answers)
        check("hidden" not in " ".join(answers), "no password is repeated", answers)
    check(subprocess.run([BINARY], capture_output=True, timeout=120).returncode == 64, "without an argument it exits with 64")

# ---- tls

def certificates():
    def openssl(*words): subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=FOLDER, timeout=180)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Check CA")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    for name, host, begin, end in (("good", "localhost", "20200101000000Z", "20991231000000Z"), ("expired", "localhost", "20200101000000Z", "20200201000000Z"),
                                   ("early", "localhost", "20900101000000Z", "20991231000000Z"), ("other", "elsewhere.example", "20200101000000Z", "20991231000000Z")):
        (FOLDER / "ca.cnf").write_text("[ca]\ndefault_ca=x\n[x]\nnew_certs_dir=.\ndatabase=%s.db\nserial=%s.srl\ndefault_md=sha256\npolicy=p\nunique_subject=no\n"
                                       "copy_extensions=none\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=DNS:%s\n" % (name, name, host))
        (FOLDER / (name + ".db")).write_text("")
        (FOLDER / (name + ".srl")).write_text("01\n")
        openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "server.csr", "-out", name + ".pem", "-startdate", begin, "-enddate", end)

def tls():
    certificates()
    def serve(name, version=None):
        endpoint = Recorder()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if version:
            with warnings.catch_warnings(action="ignore") if sys.version_info >= (3, 11) else contextlib.nullcontext(): context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.load_cert_chain(FOLDER / (name + ".pem"), FOLDER / "server.key")
        endpoint.socket = context.wrap_socket(endpoint.socket, server_side=True)
        return endpoint
    sent = [reading(0)]
    good = serve("good")
    address = "https://localhost:%d/x?cafile=%s" % (good.port, urllib.parse.quote(str(FOLDER / "ca.pem")))
    check(run(address, sent) == oks(sent), "a private CA, named by cafile")
    check(good.requests[0][1] == "/x", "cafile is not sent to the server", good.requests[0][1])
    for name, words in (("expired", "clock"), ("early", "clock"), ("other", "host name")):
        endpoint = serve(name)
        answers = run("https://localhost:%d/x?cafile=%s" % (endpoint.port, FOLDER / "ca.pem"), sent, credentials={"http.token": "s3cret"})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and words in answers[0] and endpoint.requests == [], "certificate: " + name, answers)
    answers = run("https://localhost:%d/x" % good.port, sent)
    check(len(answers) == 1 and answers[0].startswith("fatal ") and "cafile" in answers[0], "an unknown CA", answers)
    answers = run("https://localhost:%d/x?cafile=/etc/hostname" % good.port, sent)
    check(len(answers) == 1 and answers[0].startswith("fatal "), "a cafile without certificates", answers)
    old = serve("good", ssl.TLSVersion.TLSv1_1)
    answers = run("https://localhost:%d/x?cafile=%s" % (old.port, FOLDER / "ca.pem"), sent)
    check(len(answers) == 1 and answers[0].startswith(("later ", "fatal ")) and old.requests == [], "TLS 1.1 is not spoken", answers)

# ---- influx

class Influx:
    def __init__(self, auth=False):
        self.folder, self.port, self.auth = tempfile.mkdtemp(dir=FOLDER), free_port(), auth
        self.rpc = free_port()
        pathlib.Path(self.folder, "influxdb.conf").write_text(
            'reporting-disabled = true\nbind-address = "127.0.0.1:%d"\n[meta]\n  dir = "%s/meta"\n[data]\n  dir = "%s/data"\n  wal-dir = "%s/wal"\n'
            '[monitor]\n  store-enabled = false\n[http]\n  bind-address = "127.0.0.1:%d"\n  auth-enabled = %s\n'
            % (self.rpc, self.folder, self.folder, self.folder, self.port, "true" if auth else "false"))
        self.start()
    def start(self):
        self.process = start(["influxd", "-config", self.folder + "/influxdb.conf"], self.port)
    def kill(self):
        self.process.kill()
        self.process.wait(120)
        self.start()
    def query(self, text, db="bp", user=None):
        more = "&u=%s&p=%s" % user if user else ""
        status, body = fetch("http://127.0.0.1:%d/query?db=%s&epoch=ns&q=%s%s" % (self.port, db, urllib.parse.quote(text), more), method="POST")
        value = json.loads(body)
        check(status == 200 and "error" not in value["results"][0], "influx: " + text, value)
        return [dict(zip(s["columns"], row)) for s in value["results"][0].get("series", []) for row in s["values"]]

def influx():
    if not shutil.which("influxd"): return print("skipped: http: influxd is not installed (Debian package influxdb)")
    server = Influx()
    address = "influx+http://127.0.0.1:%d/?db=bp" % server.port
    sent = [reading(0)]
    answers = run(address, sent)
    check(len(answers) == 1 and answers[0].startswith("fatal ") and "bp" in answers[0], "no such database", answers)
    server.query("CREATE DATABASE bp", db="")
    odd = reading(3, device='a b,c=d\\e"f', driver="phd", user=2, flags=["irregular_pulse", "body_movement"], systolic_kPa=None, mean_mmHg=97)
    kpa = json.loads(line(reading(4, driver="phd")), parse_float=str)
    sent = [reading(0), reading(1), reading(0, id="20260505T053130-00000000000000aa", systolic_mmHg=133), odd,
            line(kpa).replace('"systolic_mmHg":114', '"systolic_kPa":16.0,"systolic_mmHg":120.01'),
            reading(5, type="measurement", event="failed", reason="movement", code="E44", systolic_mmHg=None, diastolic_mmHg=None, pulse_per_min=None),
            {**reading(6), "type": "pending", "of": "blood_pressure"}, reading(6, revision=2),
            reading(7, type="quantity", code="MDC_PULS_OXIM_SAT_O2", mdc=150456, value="97", unit="%", systolic_mmHg=None, diastolic_mmHg=None, pulse_per_min=None)]
    want = ["ok %s %d" % (json.loads(r)["id"] if isinstance(r, str) else r["id"], 0 if isinstance(r, str) else r.get("revision", 0)) for r in sent]
    for _ in range(2):
        answers = run(address, sent)
        check(answers == want, "influx: all are acknowledged", answers)
        rows = server.query("SELECT * FROM blood_pressure")
        check(len(rows) == 6, "influx: six blood pressures, even if sent again", len(rows))
    check(len({r["time"] for r in rows}) == 6, "influx: two readings of one minute stay two")
    by = {r["id"]: r for r in rows}
    first = by[sent[0]["id"]]
    check(0 <= first["time"] - 1777959060 * 10**9 < 10**6, "influx: the time, and less than a millisecond", first["time"])
    check((first["systolic_mmHg"], first["diastolic_mmHg"], first["pulse_per_min"], first["driver"]) == (110, 70, 60, "and-std"), "influx: the values", first)
    check(by[odd["id"]]["device"] == 'a b,c=d_e"f' and by[odd["id"]]["user"] == "2" and by[odd["id"]]["irregular_pulse"] is True, "influx: tags and flags", by[odd["id"]])
    check(by[kpa["id"]]["systolic_kPa"] == 16.0 and by[kpa["id"]]["systolic_mmHg"] == 120.01, "influx: kPa", by[kpa["id"]])
    check([(r["event"], r["reason"], r["code"]) for r in server.query('SELECT * FROM "measurement"')] == [("failed", "movement", "E44")], "influx: a failure")
    check([r["value"] for r in server.query("SELECT * FROM quantity")] == [97], "influx: a quantity")
    check([r["of"] for r in server.query("SELECT * FROM pending")] == ["blood_pressure"], "influx: pending readings stand apart")

    # Deleted, twice, and what it was while it was pending; the others stay.
    gone = [sent[0], odd, reading(6), reading(7, type="quantity", code="MDC_PULS_OXIM_SAT_O2", mdc=150456, systolic_mmHg=None, diastolic_mmHg=None, pulse_per_min=None)]
    for _ in range(2):
        answers = run(address, [deletion(r) for r in gone] + [deletion(reading(99)), deletion(reading(98, measured=None))])
        check([a.split()[0] for a in answers] == ["ok"] * 6, "influx: deletions are acknowledged", answers)
        check({r["id"] for r in server.query("SELECT * FROM blood_pressure")} == set(by) - {r["id"] for r in gone}, "influx: deleted points are gone, and no others")
        check(server.query("SELECT * FROM pending") == [] and server.query("SELECT * FROM quantity") == [], "influx: also pending ones and quantities")

    answers = run(address, [reading(10, measured=None), reading(11, measured="2026-13-05T07:33:00Z"), reading(12)])
    check([a.split()[0] for a in answers] == ["refuse", "refuse", "ok"], "influx: without a time it is refused", answers)
    # A field whose type is another already: the server takes the other points of the batch and refuses this one.
    server.query("CREATE DATABASE typed", db="")
    fetch("http://127.0.0.1:%d/write?db=typed" % server.port, "POST", b'blood_pressure,device=port-1-1.2,driver=and-std,user=7 pulse_per_min="text" 1777959090000000000')
    mixed = [reading(n, **({"user": 7} if n == 5 else {})) for n in range(20)]
    answers = run("influx+http://127.0.0.1:%d/?db=typed" % server.port, mixed)
    refused = [a for a in answers if a.startswith("refuse")]
    check(len(answers) == 20 and all("field type conflict" in a for a in refused) and refused, "influx: a conflict is reported", answers[:3])
    check(sum(a.startswith("ok") for a in answers) == len(server.query("SELECT * FROM blood_pressure WHERE id != ''", db="typed")), "influx: what is acknowledged is there")

    proxy = Proxy(server.port)
    server.query("CREATE DATABASE faulty", db="")
    box = Outbox("influx+http://127.0.0.1:%d/?db=faulty" % proxy.port)
    proxy.faults = [500, 429, "drop-before", None, "drop-after", "cut", None, "slow", 503]
    box.lines = [reading(n) for n in range(300)]
    box.deliver(240)
    rows = server.query("SELECT id FROM blood_pressure", db="faulty")
    check(box.lines == [] and len(rows) == 300 and len({r["id"] for r in rows}) == 300, "influx: 300 through a line that breaks", len(box.lines), len(rows))
    check(not box.refused, "influx: nothing is set aside by a fault of the line", box.refused)

    many = [reading(n) for n in range(20000)]
    server.query("CREATE DATABASE many", db="")
    begin = time.monotonic()
    check(run("influx+http://127.0.0.1:%d/?db=many" % server.port, many) == oks(many), "influx: 20,000 readings")
    took = time.monotonic() - begin
    print("influx: 20,000 readings in %.1f s, %d/s" % (took, 20000 / took))
    check(server.query("SELECT count(id) FROM blood_pressure", db="many")[0]["count"] == 20000, "influx: 20,000 rows")

    locked = Influx(auth=True)
    fetch("http://127.0.0.1:%d/query?q=%s" % (locked.port, urllib.parse.quote("CREATE USER root WITH PASSWORD 'root-word' WITH ALL PRIVILEGES")), "POST")
    root = ("root", "root-word")
    for text in ("CREATE DATABASE bp", "CREATE USER writer WITH PASSWORD 'sesame'", "GRANT WRITE ON bp TO writer", "CREATE USER reader WITH PASSWORD 'sesame'", "GRANT READ ON bp TO reader"):
        locked.query(text, db="", user=root)
    place = "127.0.0.1:%d/?db=bp" % locked.port
    one = [reading(0)]
    check(run("influx+http://writer@" + place, one, credentials={"influx.password": "sesame\n"}) == oks(one), "influx: a password")
    for who, word, said in (("writer", "wrong", "credentials"), ("reader", "sesame", "permissions"), ("", "sesame", "credentials")):
        answers = run("influx+http://%s%s" % (who + "@" if who else "", place), one, credentials={"influx.password": word})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and said in answers[0] and "sesame" not in answers[0], "influx: %s:%s" % (who, word), answers)

    for where, credentials, status, word in (
        ("influx+http://writer@" + place, "sesame", 0, "may write"), ("influx+http://reader@" + place, "sesame", 78, "permissions"),
        ("influx+http://writer@" + place, "wrong", 78, "credentials"), ("influx+http://writer@" + place.replace("bp", "none"), "sesame", 78, "none"),
        ("influx+http://writer@127.0.0.1:%d/?db=bp" % free_port(), "sesame", 75, "")):
        said = ask(where, {"influx.password": credentials})
        check(said[1] == status and said[0].startswith({0: "ok ", 75: "later ", 78: "fatal "}[status]) and word in said[0] and credentials not in said[0],
              "influx --check: " + where, said)
    check(len(locked.query("SELECT * FROM blood_pressure", user=root)) == 1, "influx --check stores nothing")

    two = Recorder(lambda handler: handler.answer(204))
    check(run("influx+http://127.0.0.1:%d/base/?org=a%%26b&bucket=c%%20d" % two.port, one, credentials={"influx.token": "tok"}) == oks(one), "influx 2")
    method, path, headers, body = two.requests[0]
    check(path == "/base/api/v2/write?org=a%26b&bucket=c%20d&precision=ns" and headers["Authorization"] == "Token tok", "influx 2: request", path, headers)
    two.plan = lambda handler: handler.answer(400, b'{"code":"invalid","message":"writing requires points"}')
    said = ask("influx+http://127.0.0.1:%d/?org=a&bucket=c" % two.port, {"influx.token": "tok"})
    check(said[1] == 0 and said[0].startswith("ok "), "influx 2: a write of nothing", said)
    two.plan = lambda handler: handler.answer(404, b'{"code":"not found","message":"bucket \\"c d\\" not found"}')
    answers = run("influx+http://127.0.0.1:%d/?org=a&bucket=c" % two.port, one)
    check(answers[0].startswith("fatal ") and "bucket" in answers[0], "influx 2: no such bucket", answers)
    two.plan = lambda handler: handler.answer(200, b"<html>welcome</html>")
    answers = run("influx+http://127.0.0.1:%d/?db=a" % two.port, one)
    check(answers[0].startswith("fatal "), "influx: a web server is not InfluxDB", answers)

# ---- fhir

class FHIR:
    def __init__(self, auth="none", port=None, database=None):
        self.port, self.auth = port or free_port(), auth
        self.database = database or "%s/fhir-%d.db" % (FOLDER, self.port)
        self.start()
    def start(self): self.process = start([sys.executable, HERE / "fhir_server.py", str(self.port), self.database, self.auth], self.port)
    def kill(self):
        self.process.kill()
        self.process.wait(120)
        self.start()
    def all(self, kind, headers=None):
        return [e["resource"] for e in json.loads(fetch("http://127.0.0.1:%d/fhir/%s" % (self.port, kind), headers=headers)[1])["entry"]]
    def panels(self): return [r for r in self.all("Observation") if "85354-9" in json.dumps(r["code"])]

READINGS = "urn:oid:2.25.4363971277016525869136357347803134537"

def name(resource): return next(i["value"] for i in resource["identifier"] if i["system"] == READINGS)

def fhir():
    server = FHIR()
    base = "fhir+http://127.0.0.1:%d/fhir" % server.port
    sent = [reading(n) for n in range(120)]
    proxy = Proxy(server.port)
    for round in range(2):
        answers = run("fhir+http://127.0.0.1:%d/fhir?subject=Patient/p1" % proxy.port, sent)
        check(answers == oks(sent), "fhir: all are acknowledged", answers[:3])
        panels = server.panels()
        check(len(panels) == 120 and {name(p) for p in panels} == {r["id"] for r in sent}, "fhir: each once, however often", len(panels))
    check(proxy.count <= 2 * 5, "fhir: in transactions of up to 50", proxy.count)
    check(len(server.all("Observation")) == 240 and len(server.all("Device")) == 1, "fhir: the pulses and the cuff")
    check({p["subject"]["reference"] for p in panels} == {"Patient/p1"}, "fhir: the subject")
    one = next(p for p in panels if name(p) == sent[3]["id"])
    check([c["valueQuantity"]["value"] for c in one["component"]] == [113, 73] and one["effectiveDateTime"] == "2026-05-05T05:34:00+00:00", "fhir: values and time", one)

    # One reading that the server will not have, among fifty.
    for bad in ([17], [0], [49], [3, 4, 40], list(range(50))):
        batch = [reading(1000 + n + 100 * len(bad) + bad[0], **({"systolic_mmHg": 450} if n in bad else {})) for n in range(50)]
        answers = run(base + "?subject=Patient/p1", batch)
        want = [("refuse " if n in bad else "ok ") + r["id"] for n, r in enumerate(batch)]
        check([" ".join(a.split()[:2]) for a in answers] == want, "fhir: only the bad ones are set aside", bad, answers[:2])
        check(all("450 mmHg is above the limit" in a for a in answers if a.startswith("refuse")), "fhir: with the server's words", answers[bad[0]])

    # Pending, then completed, then both again, also in the wrong order.
    pending = {**reading(200, pulse_per_min=None), "type": "pending", "of": "blood_pressure"}
    complete = reading(200, revision=2)
    later = reading(200, revision=3, systolic_mmHg=111)
    for batch in ([pending], [pending, complete], [pending, complete], [later], [complete], [pending], [pending, complete, later]):
        answers = run(base + "?subject=Patient/p1", batch)
        check(answers == oks(batch), "fhir: revisions", answers)
    found = [p for p in server.panels() if name(p) == pending["id"]]
    check(len(found) == 1 and found[0]["status"] == "final" and found[0]["component"][0]["valueQuantity"]["value"] == 111, "fhir: the newest revision stays", found)
    check(found[0]["meta"]["versionId"] == "3", "fhir: repetition makes no new version", found[0]["meta"])
    check(len([r for r in server.all("Observation") if name(r) == pending["id"] + ":pulse"]) == 1, "fhir: its pulse came with the completed one")

    # Deleted: no value is left, and nothing that comes late brings one back.
    gone, kept = [sent[5], sent[6], later], sent[7]
    for batch in ([deletion(r) for r in gone], [deletion(r) for r in gone], [sent[5], later]):
        answers = run(base + "?subject=Patient/p1", batch)
        check(answers == oks(batch), "fhir: deletions are acknowledged", answers)
        found = [r for r in server.all("Observation") if name(r).split(":")[0] in {r["id"] for r in gone}]
        check(len(found) == 6 and {r["status"] for r in found} == {"entered-in-error"} and "valueQuantity" not in json.dumps(found), "fhir: entered in error, without values", found[:1])
        check({r["subject"]["reference"] for r in found} == {"Patient/p1"} and all("effectiveDateTime" in r for r in found), "fhir: still whose and when", found[:1])
    check([p["status"] for p in server.panels() if name(p) == kept["id"]] == ["final"], "fhir: the others stay")
    before = len(server.all("Observation"))
    never = [deletion(reading(5000, type="measurement")), deletion(reading(5001, measured=None))]
    check(run(base + "?subject=Patient/p1", never) == oks(never) and len(server.all("Observation")) == before, "fhir: of what it never had nothing is made")

    # A criterion is a query string: what is special in one must not make a second cuff or a second reading.
    for number, odd in enumerate(("a+b c", "50%&x=1#y", "ü|1,2")):
        before = len(server.all("Device"))
        for _ in range(2): check(run(base + "?subject=Patient/p1", [reading(250, id="odd+%d" % number, device=odd)])[0].startswith("ok "), "fhir: device " + odd)
        check(len(server.all("Device")) == before + 1, "fhir: one cuff, however often: " + odd)
    check(len([r for r in server.all("Observation") if name(r) == "odd+0"]) == 1, "fhir: one reading, though its id has a plus")

    # Users.
    who = [reading(300, user=1), reading(301, user=2), reading(302), reading(303, user=3)]
    answers = run(base + "?subject.1=Patient/p1&subject.2=Patient%3Fidentifier=urn:oid:1.2.36.146.595.217.0.1%7Cp2%2Bx&subject.0=Patient/p2", who)
    answers.sort(key=lambda text: text.split()[1])
    check([a.split()[0] for a in answers] == ["ok", "ok", "ok", "refuse"] and "user slot 3" in answers[3], "fhir: a slot without subject is refused", answers)
    subjects = {name(p): p["subject"]["reference"] for p in server.panels()}
    check([subjects.get(r["id"]) for r in who] == ["Patient/p1", "Patient/p2", "Patient/p2", None], "fhir: each to its own", subjects.get(who[1]["id"]))
    answers = run(base + "?subject.1=Patient/p1", [reading(310)])
    check(answers[0].startswith("refuse") and "subject.0" in answers[0], "fhir: no user slot, no subject", answers)

    # Configuration, not content: nothing is set aside.
    for subject in ("Patient/nobody", "Patient%3Fidentifier=urn:oid:1.2.36.146.595.217.0.1%7Cnobody"):
        answers = run(base + "?subject=" + subject, [reading(320), reading(321)])
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "nobody" in answers[0], "fhir: no such patient", answers)
    answers = run(base + "/elsewhere?subject=Patient/p1", [reading(320)])
    check(len(answers) == 1 and answers[0].startswith("fatal "), "fhir: a wrong path", answers)
    web = Recorder(lambda handler: handler.answer(200, b"<html></html>", Content_Type="text/html"))
    answers = run("fhir+http://127.0.0.1:%d/?subject=Patient/p1" % web.port, [reading(320)])
    check(len(answers) == 1 and answers[0].startswith("fatal "), "fhir: a web server is not a FHIR server", answers)
    for body, word in ((b'{"resourceType":"Bundle","type":"transaction-response","entry":[]}', "later"), (b'{"resourceType":"Bundle","type":"transac', "later"),
                       (b'{"resourceType":"Bundle","type":"batch-response","entry":[]}', "fatal"),
                       (b'{"resourceType":"Bundle","type":"transaction-response","entry":[%s]}' % b",".join([b'{"response":{"status":"201"}}'] * 2 + [b'{"response":{"status":"503"}}']), "later")):
        web.plan = lambda handler: handler.answer(200, body, Content_Type="application/fhir+json")
        answers = run("fhir+http://127.0.0.1:%d/?subject=Patient/p1" % web.port, [reading(320)])
        check(len(answers) == 1 and answers[0].startswith(word + " "), "fhir: 200 alone acknowledges nothing", body, answers)

    for subjects, status, word in (("subject=Patient/p1", 0, "it has Patient/p1"), ("subject.1=Patient/p1&subject.2=Patient/p2&profile=phd", 0, "it has Patient/p2"),
                                   ("subject.0=Patient/p1&subject.1=Patient/nobody", 78, "Patient/nobody"),
                                   ("subject=Patient%3Fidentifier=urn:oid:1.2.36.146.595.217.0.1%7Cp1%2Bx", 0, "it has"),
                                   ("subject=Patient%3Fidentifier=urn:oid:1.2.36.146.595.217.0.1%7Cnobody", 78, "does not have the subject")):
        said = ask(base + "?" + subjects)
        check(said[1] == status and word in said[0], "fhir --check: " + subjects, said)
    for place, status, word in ((base + "/elsewhere", 78, ""), ("fhir+http://127.0.0.1:%d/" % web.port, 78, "CapabilityStatement"), ("fhir+http://127.0.0.1:%d/fhir" % free_port(), 75, "")):
        said = ask(place + "?subject=Patient/p1")
        check(said[1] == status and word in said[0], "fhir --check: " + place, said)
    for statement, word in ((b'{"resourceType":"CapabilityStatement","fhirVersion":"5.0.0"}', "5.0.0"),
                            (b'{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1","rest":[{"interaction":[{"code":"batch"}]}]}', "transactions")):
        web.plan = lambda handler: handler.answer(200, statement, Content_Type="application/fhir+json")
        said = ask("fhir+http://127.0.0.1:%d/?subject=Patient/p1" % web.port)
        check(said[1] == 78 and word in said[0], "fhir --check: what the server says of itself", statement, said)

    refused = [reading(330, measured=None), reading(331, type="measurement", event="failed", systolic_mmHg=None), reading(332, type="unheard_of"),
               reading(333, diastolic_mmHg=None), reading(334, measured="2026-05-05T07:33:00")]
    answers = run(base + "?subject=Patient/p1", refused)
    check([a.split()[0] for a in answers] == ["refuse"] * 5 and "time" in answers[0], "fhir: what has no place", answers)

    # The digits of the cuff, absence, flags: as bytes on the wire.
    wire = Recorder()
    wire.plan = lambda handler: handler.answer(200, json.dumps({"resourceType": "Bundle", "type": "transaction-response", "entry": [
        {"response": {"status": "201 Created"}} for _ in json.loads(handler.data)["entry"]]}).encode(), Content_Type="application/fhir+json")
    phd = line(reading(400, driver="phd", device="00091ffffe000101", flags=["irregular_pulse", "averaged", "questionable"], mean_absent="not_a_number"))
    phd = phd.replace('"systolic_mmHg":110', '"systolic_kPa":16.0,"systolic_mmHg":120.010')
    for profile in ("core", "phd"):
        wire.requests.clear()
        answers = run("fhir+http://127.0.0.1:%d/fhir/?subject=Patient/p1&profile=%s&gateway=pi-7" % (wire.port, profile), [phd])
        check(answers == ["ok %s 0" % json.loads(phd)["id"]], "fhir: profile " + profile, answers)
        text = wire.requests[0][3].decode()
        check('"value":16.0,"unit":"kPa"' in text and '"value":120.010,"unit":"mmHg"' in text, "fhir: digits stay", text)
        check('"code":"not-a-number"' in text and "8410608.2" in text and "cuff: averaged" in text and "questionable" in text, "fhir: flags and absence")
        check("00-09-1F-FF-FE-00-01-01" in text, "fhir: the EUI-64 as the guide writes it")
        check(("PhdCompoundNumericObservation" in text) == (profile == "phd") and ("pi-7" in text) == (profile == "phd"), "fhir: profiles of " + profile)
        validate(text, profile)

    box = Outbox("fhir+http://127.0.0.1:%d/fhir?subject=Patient/p1" % proxy.port)
    proxy.faults = [500, 429, "drop-before", None, "drop-after", "cut", None, "slow", 503, "drop-after", "cut"]
    box.lines = [reading(5000 + n, **({"revision": 1} if n % 50 == 7 else {})) for n in range(300)]
    ids = {r["id"] for r in box.lines}
    box.deliver(240)
    mine = [name(p) for p in server.panels() if name(p) in ids]
    check(box.lines == [] and sorted(mine) == sorted(ids), "fhir: 300 through a line that breaks", len(box.lines), len(mine))
    check(not box.refused, "fhir: nothing is set aside by a fault of the line", box.refused)

    for auth, credentials, user in (("basic:nurse:pass word", {"fhir.password": "pass word\n"}, "nurse@"), ("bearer:tok.en", {"fhir.token": "tok.en\n"}, "")):
        locked = FHIR(auth)
        address = "fhir+http://%s127.0.0.1:%d/fhir?subject=Patient/p1" % (user, locked.port)
        check(run(address, sent[:3], credentials=credentials) == oks(sent[:3]), "fhir: " + auth)
        wrong = {key: "wr0ng" for key in credentials}
        answers = run(address, sent[:3], credentials=wrong)
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "credentials" in answers[0] and "wr0ng" not in answers[0], "fhir: wrong " + auth, answers)
        for secret, status in ((credentials, 0), (wrong, 78)):
            said = ask(address, secret)
            check(said[1] == status and "wr0ng" not in said[0] and (status == 0 or "credentials" in said[0]), "fhir --check: " + auth, said)
        folder = tempfile.mkdtemp(dir=FOLDER)
        for key, text in credentials.items(): pathlib.Path(folder, key).write_text(text)
        check(run(address, sent[:3], environment={"CREDENTIALS_DIRECTORY": folder}) == oks(sent[:3]), "fhir: credentials of systemd")

def validate(text, profile):
    """By models that others wrote, where they are installed."""
    python = os.environ.get("CUFF_FHIR_PYTHON") or sekmet_program() and str(pathlib.Path(sekmet_program()).parent / "python3")
    code = ("import sys, json\nfrom fhir.resources.R4B import get_fhir_model_class\nimport fhirkit\nb = json.loads(sys.stdin.read())\n"
            "get_fhir_model_class('Bundle').model_validate(b)\n"
            "for e in b['entry']:\n  get_fhir_model_class(e['resource']['resourceType']).model_validate(e['resource'])\n  r = fhirkit.validate(e['resource'])\n  print(r)")
    done = subprocess.run([python, "-c", code], input=text, text=True, capture_output=True, timeout=180) if python else None
    if done is None or "ModuleNotFoundError" in done.stderr:
        return print("skipped: http: fhir.resources and fhirkit-rs of PyPI are not installed")
    check(done.returncode == 0, "fhir: valid by fhir.resources and fhirkit: " + profile, done.stderr[-500:])
    check("rror" not in done.stdout.replace("errors=[]", "").replace("'errors': []", ""), "fhir: fhirkit has no errors: " + profile, done.stdout[:600])

# ---- smart

def smart():
    def openssl(*words): subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=FOLDER, timeout=180)
    openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", "es384.key")
    openssl("genrsa", "-out", "rs384.key", "2048")
    openssl("genrsa", "-out", "other.key", "2048")
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "p256.key")
    sent = [reading(n) for n in range(5)]
    for kind in ("es384", "rs384"):
        openssl("pkey", "-in", kind + ".key", "-pubout", "-out", kind + ".pub")
        server = FHIR("smart:ward-3:%s/%s.pub" % (FOLDER, kind))
        address = "fhir+http://127.0.0.1:%d/fhir?subject=Patient/p1&client=ward-3&kid=k1" % server.port
        key = (FOLDER / (kind + ".key")).read_text()
        for _ in range(5):
            check(run(address, sent, credentials={"fhir.key": key}) == oks(sent), "smart: " + kind)
        check(run(address + "&tokenurl=http://127.0.0.1:%d/token" % server.port, sent, credentials={"fhir.key": key}) == oks(sent), "smart: tokenurl")
        answers = run(address, sent, credentials={"fhir.key": (FOLDER / "other.key").read_text()})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "signature" in answers[0], "smart: another key", answers)
        answers = run(address, sent, credentials={"fhir.key": (FOLDER / "p256.key").read_text()})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "P-384" in answers[0], "smart: a key of the wrong kind", answers)
        answers = run(address, sent, credentials={"fhir.key": "-----BEGIN nothing"})
        check(len(answers) == 1 and answers[0].startswith("fatal "), "smart: no key", answers)
        # A token that ends while the helper runs: the next reading asks for another one.
        helper = Helper(address, credentials={"fhir.key": key})
        helper.next()
        helper.send(sent[0])
        check(helper.next() == oks(sent)[0], "smart: the first token")
        server.process.kill()
        server.process.wait(120)
        server.start()
        helper.send(sent[1])
        check(helper.next() == oks(sent)[1], "smart: a token that the server forgot is renewed")
        helper.finish()
        answers = run(address.replace("/fhir?", "/other?"), sent, credentials={"fhir.key": key})
        check(len(answers) == 1 and answers[0].startswith("fatal ") and "tokenurl" in answers[0], "smart: no discovery", answers)

# ---- sekmet

def sekmet_program(): return os.environ.get("CUFF_SEKMET") or shutil.which("sekmet")

def sekmet():
    if not sekmet_program(): return print("skipped: http: sekmet is not installed (PyPI: sekmet-fhir==0.1.1; its program is named by CUFF_SEKMET)")
    folder, port = tempfile.mkdtemp(dir=FOLDER), free_port()
    process = start([sekmet_program(), "serve", "--host", "127.0.0.1", "--port", str(port)], port, cwd=folder)
    base = "http://127.0.0.1:%d/fhir" % port
    kind = {"Content-Type": "application/fhir+json"}
    status, body = fetch(base + "/Patient", "POST", json.dumps({"resourceType": "Patient", "identifier": [{"system": "urn:oid:1.2.3", "value": "a+b"}]}).encode(), kind)
    check(status == 201, "sekmet: a patient", status, body[:200])
    patient = "Patient/" + json.loads(body)["id"]
    def total(query): return json.loads(fetch(base + "/" + query)[1]).get("total")
    sent = [reading(n, flags=["irregular_pulse"] if n % 3 == 0 else None) for n in range(60)]
    address = "fhir+" + base + "/?subject=" + patient
    said = ask(address)
    check(said[1] == 0 and patient in said[0], "sekmet --check", said)
    said = ask(address + "0")
    check(said[1] == 78 and "does not have the subject" in said[0], "sekmet --check: no such patient", said)
    check(total("Observation") == 0, "sekmet --check stores nothing")
    for _ in range(2):
        answers = run(address, sent)
        check(answers == oks(sent), "sekmet: all are acknowledged", answers[:2])
        check((total("Observation?code=http://loinc.org%7C85354-9"), total("Observation?code=http://loinc.org%7C8867-4"), total("Device")) == (60, 60, 1), "sekmet: each once")
    pending = {**reading(200, pulse_per_min=None), "type": "pending", "of": "blood_pressure"}
    for batch in ([pending], [pending, reading(200, revision=2)], [pending, reading(200, revision=2)]):
        answers = run(address, batch)
        check(answers == oks(batch), "sekmet: revisions", answers)
    found = json.loads(fetch(base + "/Observation?identifier=%s%%7C%s" % (READINGS, pending["id"]))[1])["entry"]
    check(len(found) == 1 and found[0]["resource"]["status"] == "final" and found[0]["resource"]["meta"]["versionId"] == "2", "sekmet: completed once", found[0]["resource"]["meta"])
    gone = deletion(sent[3])
    for _ in range(2): check(run(address, [gone]) == oks([gone]), "sekmet: a deletion")
    for suffix in ("", ":pulse", ":status"):
        found = json.loads(fetch(base + "/Observation?identifier=%s%%7C%s%s" % (READINGS, gone["id"], suffix))[1])["entry"]
        check(len(found) == 1 and found[0]["resource"]["status"] == "entered-in-error" and "valueQuantity" not in json.dumps(found), "sekmet: entered in error" + suffix, found)
    answers = run("fhir+" + base + "/?subject=Patient%3Fidentifier=urn:oid:1.2.3%7Ca%2Bb&profile=phd", [reading(210, driver="phd", device="00091ffffe000101")])
    check(answers == oks([reading(210)]), "sekmet: a conditional reference, the PHD profiles", answers)
    for subject in ("Patient%3Fidentifier=urn:oid:1.2.3%7Cnobody",):
        answers = run("fhir+" + base + "/?subject=" + subject, [reading(211)])
        check(len(answers) == 1 and answers[0].startswith("fatal "), "sekmet: no such patient", answers)
    # Two helpers at once, as when cuff was killed and started again, and helpers that are killed.
    both = [reading(1000 + n) for n in range(150)]
    helpers = [Helper(address) for _ in range(2)]
    for helper in helpers: threading.Thread(target=helper.send, args=both).start()
    for helper in helpers: check(sum(text.startswith("ok") for text in helper.finish()[0]) == 150, "sekmet: two helpers at once")
    box = Outbox(address)
    box.lines = [reading(2000 + n) for n in range(200)]
    box.deliver(240, kills=10)
    check(box.lines == [] and total("Observation?code=http://loinc.org%7C85354-9") == 60 + 1 + 1 + 150 + 200, "sekmet: each once")
    process.kill()

# ---- orphan

def orphan():
    """cuff is killed: the helper finishes the request that is under way, and leaves the rest to the next one."""
    endpoint = Recorder(lambda handler: (time.sleep(0.2), handler.answer(200)))
    script = ("import subprocess, sys, time\np = subprocess.Popen(sys.argv[1:3], stdin=subprocess.PIPE)\n"
              "p.stdin.write(sys.stdin.buffer.read())\np.stdin.flush()\nprint(p.pid, flush=True)\ntime.sleep(60)")
    parent = subprocess.Popen([sys.executable, "-c", script, BINARY, "http://127.0.0.1:%d/" % endpoint.port], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    parent.stdin.write("".join(line(reading(n)) + "\n" for n in range(100)).encode())
    parent.stdin.close()
    said = [parent.stdout.readline() for _ in range(2)]
    helper = int(next(text for text in said if not text.startswith(b"ready")))
    while not endpoint.requests: time.sleep(0.01)
    parent.kill()
    parent.wait()
    end = time.monotonic() + 5
    while pathlib.Path("/proc/%d/exe" % helper).exists() and time.monotonic() < end:
        with contextlib.suppress(OSError):
            if pathlib.Path("/proc/%d/stat" % helper).read_text().split()[2] == "Z": break
        time.sleep(0.02)
    check(time.monotonic() < end and 1 <= len(endpoint.requests) <= 5, "an orphan ends after the request that is under way", len(endpoint.requests))

# ---- kill

def kill():
    rounds = int(os.environ.get("KILLS", "6"))
    if shutil.which("influxd"):
        server = Influx()
        server.query("CREATE DATABASE bp", db="")
        proxy = Proxy(server.port)
        box = Outbox("influx+http://127.0.0.1:%d/?db=bp" % server.port)
        acknowledged = killing(box, rounds, server.kill, 30000)
        rows = [r["id"] for r in server.query("SELECT id FROM blood_pressure")]
        report("influx", acknowledged, rows, box)
    server = FHIR()
    box = Outbox("fhir+http://127.0.0.1:%d/fhir?subject=Patient/p1" % server.port)
    acknowledged = killing(box, rounds, server.kill, 2500)
    observations = [name(r) for r in server.all("Observation")]
    report("fhir", acknowledged, [n for n in observations if ":" not in n], box)
    report("fhir, pulses", {a + ":pulse" for a in acknowledged}, [n for n in observations if ":" in n], box)
    class Keeper:
        """Keeps a line and its key in one transaction, and answers a key that it knows as before; durable."""
        def __init__(self):
            self.port = free_port()
            self.start()
        def start(self): self.process = start([sys.executable, HERE / "keeper.py", str(self.port), str(FOLDER / "keeper.db")], self.port)
        def kill(self):
            self.process.kill()
            self.process.wait(120)
            self.start()
    server = Keeper()
    box = Outbox("http://127.0.0.1:%d/" % server.port)
    acknowledged = killing(box, rounds, server.kill, 3000)
    import sqlite3
    report("lines", acknowledged, [json.loads(r[0])["id"] for r in sqlite3.connect(FOLDER / "keeper.db").execute("SELECT line FROM kept")], box)

def killing(box, rounds, kill_server, count):
    ids = set()
    made = 0
    total = 0
    begin = time.monotonic()
    for turn in range(rounds):
        box.lines += [reading(made + n) for n in range(count // rounds)]
        ids |= {r["id"] for r in box.lines}
        made += count // rounds
        _, done = box.deliver(240, kills=2, on_kill=kill_server, seed=turn)
        total += done
    check(box.lines == [], "kill: nothing waits in the end", len(box.lines), box.said[-1:])
    print("kill: %d x kill -9 in %.0f s, %d of them with readings unanswered" % (total, time.monotonic() - begin, box.broken))
    check(box.broken > rounds // 2, "kill: most of them hit something", box.broken)
    return ids

def report(what, acknowledged, found, box):
    lost, twice = acknowledged - set(found), len(found) - len(set(found))
    print("kill: %s: %d readings, %d lost, %d twice, %d refused" % (what, len(acknowledged), len(lost), twice, len(box.refused)))
    check(not lost and not twice and not box.refused and set(found) == acknowledged, "kill: %s: each exactly once" % what)

if __name__ == "__main__":
    if not BINARY.exists(): raise SystemExit("%s is not built: swift build --product cuff-sink-http" % BINARY)
    sections = {f.__name__: f for f in (lines, faults, tls, influx, fhir, smart, orphan, sekmet, kill)}
    chosen = sys.argv[1:] or list(sections)
    begin = time.monotonic()
    try:
        for key in chosen: sections[key]()
    finally:
        for process in started:
            process.kill()
            process.wait(120)
        shutil.rmtree(FOLDER, ignore_errors=True)
    print("cuff-sink-http: %d checks in %.0f s, %d failed" % (counted(), time.monotonic() - begin, len(failures)))
    sys.exit(bool(failures))
