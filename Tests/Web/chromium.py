"""A headless Chromium, controlled over its debugging pipe: JSON objects that end with a zero byte, on descriptors 3 and 4."""
import base64, json, os, select, shutil, subprocess, tempfile, time


class Chromium:
    """One browser with one page. What the page logged, threw and asked for is kept in `problems` and `requests`."""

    def __init__(self, program, limit=90):
        self.limit = limit
        self.folder = tempfile.mkdtemp()
        down, self.down = os.pipe()
        self.up, up = os.pipe()

        def descriptors():
            # Either may be 3 or 4 itself.
            one, two = os.dup(down), os.dup(up)
            while one in (3, 4): one = os.dup(one)
            while two in (3, 4): two = os.dup(two)
            os.dup2(one, 3)
            os.dup2(two, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(down)
        os.close(up)
        self.buffer, self.number, self.session = b"", 0, None
        self.problems, self.requests, self.events = [], [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"): self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session: message["sessionId"] = self.session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        wanted = self.number
        while True:
            answer = self.next(self.limit)
            if answer is None: raise TimeoutError(f"{method} was not answered in {self.limit} s")
            if answer.get("id") != wanted: continue
            if "error" in answer: raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def next(self, seconds):
        """The next message; what the page did is noted on the way. None when the time is over."""
        until = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.up], [], [], max(0, until - time.monotonic()))
            if not ready: return None
            more = os.read(self.up, 1 << 16)
            if not more: raise EOFError("the browser has ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, of):
        if method == "Runtime.exceptionThrown":
            self.problems.append("exception: " + json.dumps(of["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled" and of["type"] in ("error", "warning", "assert"):
            self.problems.append(f"console.{of['type']}: " + json.dumps(of["args"])[:400])
        elif method == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"log: {of['entry'].get('text')} {of['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
        if method: self.events.append(method)

    def settle(self, seconds):
        """Lets the page work for a while."""
        until = time.monotonic() + seconds
        while time.monotonic() < until: self.next(until - time.monotonic())

    def open(self, url):
        self.events = []
        self.ask("Page.navigate", url=url)
        until = time.monotonic() + self.limit
        while "Page.loadEventFired" not in self.events:
            if time.monotonic() > until: raise TimeoutError(f"{url} was not loaded")
            self.next(1)

    def value(self, script):
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result: raise RuntimeError(json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def wait(self, script, seconds=60):
        """Until `script` is true; answers whether it became so."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.value(script): return True
            self.settle(0.2)
        return False

    def look(self, width, height, scheme="light", media="screen"):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle(0.3)

    def picture(self, path, most=3000):
        """The whole page, up to `most` pixels of its height."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(most, size["height"]), "scale": 1}
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(path, "wb") as file: file.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        try: self.process.wait(20)
        except subprocess.TimeoutExpired: self.process.kill()
        for descriptor in (self.down, self.up): os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)
