"""What the checks of cuff-sink-http share: a helper process, readings, servers on loopback, and a proxy that spoils answers."""
import atexit, contextlib, http.client, http.server, json, os, pathlib, queue, random, shutil, socket, subprocess, tempfile, threading, time, urllib.request

HERE = pathlib.Path(__file__).parent
BINARY = pathlib.Path(os.environ.get("CUFF_SINK_HTTP", HERE.parent.parent / ".build/debug/cuff-sink-http"))
HOMES = tempfile.mkdtemp(prefix="cuff-http-")
atexit.register(shutil.rmtree, HOMES, ignore_errors=True)
failures = []
count = 0

def check(holds, what, *values):
    global count
    count += 1
    if not holds:
        failures.append(what)
        print("FAIL", what, *values, flush=True)

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

def wait_for(port, limit=180):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.05)
    return False

def reading(number, **more):
    """A reading as cuff writes it; the number is its place in time."""
    stamp = time.gmtime(1777959090 + 60 * number)
    text = time.strftime("%Y-%m-%dT%H:%M", stamp)
    one = {"type": "blood_pressure", "schema": 1, "id": "%s-%016x" % (time.strftime("%Y%m%dT%H%M%S", stamp), (number + 1) * 0x9E3779B97F4A7C15 % 2**64),
           "driver": "and-std", "device": "port-1-1.2", "systolic_mmHg": 110 + number % 40, "diastolic_mmHg": 70 + number % 20,
           "pulse_per_min": 60 + number % 30, "device_time": text, "measured": text + "+00:00", "clock": "device_time", "origin": "memory"}
    one.update(more)
    return {key: value for key, value in one.items() if value is not None}

def deletion(one):
    """What cuff says of a reading that is deleted: nothing of its values."""
    kept = {key: one[key] for key in ("driver", "device", "user", "measured", "code", "mdc") if key in one}
    parts = [word for word, key in (("pulse_rate", "pulse_per_min"), ("flags", "flags")) if key in one]
    return {"type": "deleted", "schema": 1, "id": one["id"], "revision": 255, "of": one["type"], **kept, **({"parts": parts} if parts else {})}

def line(one): return json.dumps(one, separators=(",", ":"))

class Helper:
    """cuff-sink-http as cuff runs it."""
    def __init__(self, address, credentials=None, environment=None, words=()):
        self.home = tempfile.mkdtemp(dir=HOMES)
        folder = pathlib.Path(self.home, "cuff/credentials")
        folder.mkdir(parents=True)
        for name, text in (credentials or {}).items():
            path = folder / name
            path.write_text(text)
            path.chmod(0o600)
        self.process = subprocess.Popen([BINARY, *words, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_CONFIG_HOME": self.home, **(environment or {})})
        self.answers = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for text in self.process.stdout: self.answers.put(text.decode().rstrip("\n"))
        self.answers.put(None)

    def send(self, *readings):
        with contextlib.suppress(OSError, ValueError):   # it was killed, or its input was closed meanwhile
            self.process.stdin.write("".join((r if isinstance(r, str) else line(r)) + "\n" for r in readings).encode())
            self.process.stdin.flush()

    def next(self, limit=180):
        try: return self.answers.get(timeout=limit)
        except queue.Empty: return "(nothing)"

    def close(self):
        with contextlib.suppress(OSError, ValueError): self.process.stdin.close()

    def finish(self, limit=180):
        """Ends its input; answers every line that it says, and its exit status."""
        self.close()
        said = []
        while (text := self.next(limit)) is not None:
            said.append(text)
            if text == "(nothing)": break
        return said, self.process.wait(limit)

def run(address, readings, **more):
    """Every answer but the first line."""
    helper = Helper(address, **more)
    helper.send(*readings)
    # The end of its input comes after the last answer: a helper does not run for long after it.
    said = []
    while len(said) <= len(readings) and (text := helper.next()) is not None:
        said.append(text)
        if text.startswith(("later ", "fatal ", "(nothing)")): break
    rest, status = helper.finish()
    said += rest
    check(said[:1] == ["ready 1"], "the first line is `ready 1`", said[:1])
    check(status == 0, "it exits with 0", status, said[-1:])
    return said[1:]

def ask(address, credentials=None):
    """`--check`: its one line, and its status."""
    helper = Helper(address, credentials, words=["--check"])
    said, status = helper.finish()
    check(len(said) == 1, "--check says one line", said)
    return (said + [""])[0], status

def oks(readings): return ["ok %s %d" % (r["id"], r.get("revision", 0)) for r in readings]

class Recorder(http.server.ThreadingHTTPServer):
    """An endpoint that keeps what it is sent, or answers what a test tells it to: `plan` takes the handler."""
    daemon_threads = True
    def __init__(self, plan=None):
        self.requests, self.plan = [], plan
        super().__init__(("127.0.0.1", 0), RecorderHandler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
    def handle_error(self, request, client_address): pass

class RecorderHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def body(self): return self.rfile.read(int(self.headers.get("Content-Length", 0)))
    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        self.data = self.body()
        self.server.requests.append((self.command, self.path, dict(self.headers), self.data))
        if self.server.plan: self.server.plan(self)
        else: self.answer(200)
    do_GET = do_OPTIONS = do_POST

class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests to a server and spoils some of the answers, after the server has acted on them."""
    daemon_threads = True
    def __init__(self, upstream):
        self.upstream, self.faults, self.count = upstream, [], 0
        super().__init__(("127.0.0.1", 0), ProxyHandler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
    def handle_error(self, request, client_address): pass

class ProxyHandler(RecorderHandler):
    def do_POST(self):
        data = self.body()
        fault = self.server.faults.pop(0) if self.server.faults else None
        self.server.count += 1
        if fault in (500, 503): return self.answer(fault, b"no\n")
        if fault == 429: return self.answer(429, b"slow down\n", Retry_After="7")
        if fault == "drop-before": return self.abort()
        client = http.client.HTTPConnection("127.0.0.1", self.server.upstream, timeout=120)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "content-length", "connection")}
        try:
            client.request(self.command, self.path, body=data, headers=headers)
            answer = client.getresponse()
            body = answer.read()
        except OSError: return self.abort()
        if fault == "drop-after": return self.abort()
        if fault == "slow": time.sleep(3)
        self.send_response(answer.status)
        for name in ("Content-Type", "Location", "WWW-Authenticate"):
            if answer.getheader(name): self.send_header(name, answer.getheader(name))
        length = len(body) if fault != "cut" else len(body) + 100
        if answer.status != 204: self.send_header("Content-Length", str(length))
        self.end_headers()
        if fault == "cut":
            self.wfile.write(body[:len(body) // 2])
            self.wfile.flush()
            return self.abort()
        self.wfile.write(body)
    do_GET = do_POST
    def abort(self):
        self.close_connection = True
        with contextlib.suppress(OSError): self.connection.shutdown(socket.SHUT_RDWR)

class Outbox:
    """What cuff does with a helper: keeps lines until their own `ok`, sends what is unanswered again, starts it again."""
    def __init__(self, address, **more):
        self.address, self.more, self.lines, self.refused, self.said, self.broken = address, more, [], {}, [], 0
        self.span = 0.1   # how long a helper took for its lines, from `ready` to the last answer
    def deliver(self, limit, kills=0, on_kill=None, seed=1):
        """Until nothing waits. `kills` times the helper, or what `on_kill` kills, dies at a random instant."""
        dice = random.Random(seed)
        end = time.monotonic() + limit
        begin = time.monotonic()
        done = 0
        while self.lines and time.monotonic() < end:
            helper = Helper(self.address, **self.more)
            sent = self.lines[:1000]
            unanswered = {(r["id"], r.get("revision", 0)) for r in sent}
            threading.Thread(target=helper.send, args=sent, daemon=True).start()
            timer = ready = None
            def die(number=done):
                if on_kill and number % 2: on_kill()
                else: helper.process.kill()
            while unanswered and time.monotonic() < end:
                text = helper.next(180)
                if text is None or text == "(nothing)": break
                self.said.append(text)
                if ready is None:
                    ready = time.monotonic()
                    # Within the time that it needs: a kill after that meets nothing.
                    if done < kills:
                        timer = threading.Timer(dice.uniform(0, min(self.span, 0.5)), die)
                        timer.start()
                words = text.split(" ", 3)
                if words[0] in ("ok", "refuse"):
                    key = (words[1], int(words[2]))
                    check(key in unanswered, "an answer for a line that is unanswered", text)
                    unanswered.discard(key)
                    if words[0] == "refuse": self.refused[key] = words[3]
                elif words[0] in ("later", "fatal"): break
            answered = {(r["id"], r.get("revision", 0)) for r in sent} - unanswered
            self.lines = [r for r in self.lines if (r["id"], r.get("revision", 0)) not in answered]
            self.broken += bool(unanswered)
            if not unanswered and not timer: self.span = time.monotonic() - ready
            if timer:
                timer.join()
                done += 1
            helper.close()
            helper.process.kill()
            helper.process.wait(120)
            if unanswered: time.sleep(0.1)
        return time.monotonic() - begin, done

def fetch(url, method="GET", body=None, headers=None):
    request = urllib.request.Request(url, method=method, data=body, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer: return answer.status, answer.read()
    except urllib.error.HTTPError as error: return error.code, error.read()

def counted(): return count
