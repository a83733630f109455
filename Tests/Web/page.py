"""page.py CUFF BROWSER PICTURES: the page of `cuff watch --web` in a browser: no error of the console, no request to another host,
nothing beyond the window at any width, contrast of all text, live pressures, focus and selection across updates, a lost server, tables
without scripts, two persons with 10,000 readings, and the report on two pages of paper."""
import base64, datetime, json, os, random, re, subprocess, sys, tempfile, time, urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import Chromium
from feeder import Feeder

CUFF, BROWSER, PICTURES = sys.argv[1], sys.argv[2], Path(sys.argv[3])
WIDTHS = [(320, 640), (375, 812), (768, 1024), (1280, 800), (3840, 2160)]
failed = 0


def check(holds, what, detail=""):
    global failed
    print(("ok      " if holds else "FAILED  ") + what)
    if not holds:
        failed += 1
        print("        " + str(detail)[:2000])


# The contrast of each text with its background (WCAG 2.1, 1.4.3), from the computed styles. Colours are read back from a
# canvas, so that every notation counts; where several layers lie over each other, they are mixed as the browser does.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas"); canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const colour = text => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = (top, below) => { const a = top[3];
    return [0, 1, 2].map(i => top[i] * a + below[i] * (1 - a)).concat(1); };
  const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const behind = element => { const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(colour(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), paper); };
  const luminance = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const found = []; let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement, style = getComputedStyle(e);
    if (!node.data.trim() || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
    if (style.visibility === "hidden" || e.getClientRects().length === 0) continue;
    texts++;
    let opacity = 1; for (let p = e; p; p = p.parentElement) opacity *= Number(getComputedStyle(p).opacity);
    const ink = colour(e instanceof SVGElement ? style.fill : style.color); ink[3] *= opacity;
    const ground = behind(e), mixed = over(ink, ground);
    const [light, dark] = [luminance(mixed), luminance(ground)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className.baseVal ?? e.className}: ${node.data.trim().slice(0, 40)}`);
  }
  return { texts, found };
})()"""

# Elements beyond the right edge, except in boxes that scroll.
OVERFLOW = """(() => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest(".wide") && !e.classList.contains("wide") || e.classList.contains("skip")) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > width + 0.5 || box.left < -0.5)) found.push(`${e.tagName}.${e.className.baseVal ?? e.className} ${box.left}–${box.right}`);
  }
  return found;
})()"""


AXE = Path(".build/axe/axe_core_python/axe.min.js")


def accessible(browser, what):
    """axe-core's rules, if it could be installed: each violation with its elements."""
    if not AXE.exists(): return
    browser.value(AXE.read_text() + "; true")
    result = browser.value("""axe.run({ resultTypes: ["violations"] }).then(r => ({ passes: r.passes.length,
      found: r.violations.map(v => `${v.impact} ${v.id}: ${v.help}; ${v.nodes.slice(0, 3).map(n => n.target.join(" ")).join(", ")}`) }))""")
    check(result["found"] == [] and result["passes"] > 10, f"{what}: axe-core finds nothing", result)


HOUSEHOLD = """
[device.kitchen]
match = "{0}"
driver = "maibobo"

[device.hall]
match = "{1}"
driver = "maibobo"

[person.Anna]
cuffs = ["kitchen"]

[person.Ben]
cuffs = ["hall"]

[report]
rule = "esc-2024"
"""


class Watch:
    """`cuff watch --web` on a free port, with a configuration and a database of its own."""

    def __init__(self, folder, config, *more):
        self.folder = folder
        path = os.path.join(folder, "config.toml")
        with open(path, "w") as file: file.write(config)
        self.environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state", XDG_DATA_HOME=folder + "/data", TZ="UTC",
                                CUFF_CONFIG=path)
        self.log = open(os.path.join(folder, "log"), "w+")
        words = [CUFF, "watch", "--web", "127.0.0.1:0", "--sink", f"sqlite:{folder}/bp.db", *more]
        self.process = subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=self.log)
        self.url = None
        for _ in range(400):
            self.url = next((word for word in self.text().split() if word.startswith("http://")), None)
            if self.url: return
            time.sleep(0.05)
        sys.exit("the watch serves no page:\n" + self.text())

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def close(self, kills=False):
        if self.process.poll() is not None: return
        self.process.kill() if kills else self.process.terminate()
        self.process.wait(30)


def looks(browser, name, widths=WIDTHS, texts=10):
    """A picture of each width, light and dark; nothing beyond the window, and contrast."""
    for width, height in widths:
        for scheme in ("light", "dark"):
            browser.look(width, height, scheme)
            what = f"{name}, {width} px, {scheme}"
            check(browser.value(f"innerWidth === {width}"), f"{what}: the window", browser.value("innerWidth"))
            beyond = browser.value(OVERFLOW)
            check(beyond == [], f"{what}: nothing beyond the window", beyond)
            contrast = browser.value(CONTRAST)
            check(contrast["found"] == [] and contrast["texts"] > texts, f"{what}: contrast of {contrast['texts']} texts is 4.5 or more", contrast)
            browser.picture(PICTURES / f"{name}-{width}-{scheme}.png")
            if width in (375, 1280): accessible(browser, what)


PHONE_AND_DESK = [(375, 812), (1280, 800)]


def empty(browser):
    with tempfile.TemporaryDirectory() as folder:
        watch = Watch(folder, "")
        try:
            browser.open(watch.url)
            check(browser.wait("document.getElementById('state').textContent.startsWith('Connected')"), "an empty page follows the cuffs")
            looks(browser, "empty", PHONE_AND_DESK, texts=5)
            browser.open("about:blank")
        finally: watch.close()


def measuring(browser):
    with tempfile.TemporaryDirectory() as folder:
        feeder = Feeder(2)
        link = os.path.join(folder, "cuff")
        simulated = subprocess.Popen([CUFF, "simulate", "and-std", "--count", "40", "--every", "300ms", "--link", link], stdout=subprocess.DEVNULL)
        for _ in range(200):
            if os.path.lexists(link): break
            time.sleep(0.05)
        watch = Watch(folder, HOUSEHOLD.format(*feeder.paths), "--sink", "jsonl:/dev/full?", "--assign", f"{os.path.realpath(link)}=and-std")
        try:
            examine(browser, feeder, watch)
        finally:
            watch.close()
            simulated.kill()
            simulated.wait()
            feeder.close()


def examine(browser, feeder, watch):
    # The cuffs' clocks are of May.
    url = watch.url + "?days=0"
    browser.open(url)
    feeder.start(rate=20)
    check(browser.wait("document.getElementById('state').textContent.startsWith('Connected')"), "the page follows the cuffs")
    check(browser.wait("document.querySelectorAll('#live .live').length === 2"), "two cuffs measure",
          browser.value("document.getElementById('live').outerHTML"))
    text = browser.value("document.getElementById('live').innerText")
    check("hall: measuring" in text and "kitchen: measuring" in text, "a measuring cuff has its name and says so", text)
    first = browser.value("document.querySelector('#live b').textContent")
    check(browser.wait(f"document.querySelector('#live b').textContent !== '{first}'"), "the pressure moves")
    feeder.results()
    check(browser.wait("document.querySelectorAll('#readings tbody tr').length >= 6"), "readings appear by themselves",
          browser.value("document.getElementById('readings').innerText"))
    check(browser.wait("!!document.querySelector('#readings svg')"), "there is a chart")
    check(browser.wait("document.querySelectorAll('#live .live').length === 2"), "two cuffs measure again")
    size = "parseFloat(getComputedStyle(document.querySelector('{}') ?? document.body).fontSize)"
    check(browser.wait(f"!!document.querySelector('.live b') && {size.format('.live b')} * 2 < {size.format('.latest b')}", 10),
          "a live pressure is smaller than a result", browser.value("document.getElementById('page').innerText"))
    looks(browser, "measuring", texts=40)
    browser.look(1280, 800)
    scale = browser.value("Math.min(...[...document.querySelectorAll('.broad text')].map(t => t.getBoundingClientRect().height))")
    check(scale >= 10, "the scale of the chart can be read", scale)
    # Both measures see what they are for.
    browser.value("document.querySelector('h1').style.color = 'rgb(150, 150, 150)'; document.querySelector('footer').style.marginLeft = '2000px'")
    check(len(browser.value(CONTRAST)["found"]) == 1 and len(browser.value(OVERFLOW)) > 1, "what is grey and what is beyond the window is seen",
          [browser.value(CONTRAST), browser.value(OVERFLOW)])
    browser.value("document.querySelector('h1').removeAttribute('style'); document.querySelector('footer').removeAttribute('style')")
    keyboard(browser)
    updates(browser, feeder)
    check(browser.value("document.querySelector('#cuffs').innerText").count(": connected;") == 3, "the cuffs are listed",
          browser.value("document.querySelector('#cuffs').innerText"))
    check("kitchen (maibobo)" in browser.value("document.querySelector('#cuffs').innerText"), "by the names of the configuration")
    check("not working" in browser.value("document.querySelector('#sinks').innerText"), "a failing sink says so")
    names = browser.value("[...document.querySelectorAll('#readings h2')].map(e => e.innerText)")
    check(names[:2] == ["Anna", "Ben"], "each person has a part", names)
    browser.value("document.querySelector('#persons a:nth-child(2)').click()")
    check(browser.wait("document.querySelectorAll('#readings h2').length === 1 && document.querySelector('#readings h2').innerText === 'Anna'"),
          "one person at a time")
    browser.open(url)
    check(browser.wait("document.querySelectorAll('#live .live').length === 2"), "the cuffs still measure")
    feeder.stop()
    check(browser.wait("!document.querySelector('.live:not(.lost)')", 30), "a pressure that is not renewed is taken away",
          browser.value("document.getElementById('live').outerHTML"))
    feeder.start(rate=20)
    check(browser.wait("!!document.querySelector('.live:not(.lost)')", 30), "it comes back with the next one")
    check(browser.problems == [], "no error of the console", browser.problems)
    foreign = [one for one in browser.requests if not one.startswith(("http://127.0.0.1:", "data:", "about:"))]
    check(foreign == [] and len(browser.requests) >= 4, "no requests to other hosts", foreign)

    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    rows = browser.value("document.querySelectorAll('#readings tbody tr').length")
    check(rows >= 6, "without scripts the tables are there", rows)
    check(browser.value("document.getElementById('state').textContent").startswith("As of"), "and say of when they are")
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    with urllib.request.urlopen(watch.url + "api/readings?limit=3") as answer:
        check(len(json.load(answer)["readings"]) == 3, "the same readings as JSON")

    browser.open(url)
    check(browser.wait("!!document.querySelector('.live:not(.lost)')"), "measuring, before the server ends")
    feeder.stop()
    watch.close(kills=True)
    check(browser.wait("!document.getElementById('gone').hidden"), "a lost server is said")
    text = browser.value("document.getElementById('gone').innerText")
    check(re.match(r"Not connected since [0-2]\d:[0-5]\d\.", text), "with the time since", text)
    check(browser.value("!document.querySelector('.live:not(.lost)')"), "and no pressure stays")
    looks(browser, "lost", PHONE_AND_DESK)
    browser.open("about:blank")
    browser.problems.clear()


def updates(browser, feeder):
    """A new reading changes what it must, and neither focus, selection nor scroll position."""
    browser.value("""(() => {
      const row = document.querySelector("#readings tbody tr"), range = document.createRange();
      range.selectNodeContents(row.querySelector("td"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.querySelector(".ranges a:last-child").focus({ preventScroll: true });
      window.kept = { row, rows: document.querySelectorAll("#readings tbody tr").length, text: String(getSelection()) };
      scrollTo(0, 400);
    })()""")
    place = browser.value("[scrollY, document.activeElement.href, String(getSelection())]")
    for _ in range(3):
        feeder.results()
        if browser.wait("document.querySelectorAll('#readings tbody tr').length > kept.rows", 10): break
    check(browser.value("document.querySelectorAll('#readings tbody tr').length > kept.rows && document.contains(kept.row)"),
          "a new reading is a new row beside the others")
    after = browser.value("[scrollY, document.activeElement.href, String(getSelection())]")
    check(after[1:] == place[1:] and place[2] != "", "focus and selection stay", [place, after])
    check(after[0] == place[0] > 0, "and the scroll position", [place, after])


def keyboard(browser):
    """The first stop of the tab key skips to the readings, and each stop is shown."""
    browser.ask("Page.bringToFront")
    browser.value("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)")
    stops = []
    for _ in range(6):
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        stops.append(browser.value("(e => [e.className || e.tagName, getComputedStyle(e).outlineStyle])(document.activeElement)"))
    check(stops[0][0] == "skip", "the tab key first offers to skip to the readings", stops)
    check(all(style == "solid" for name, style in stops if name in ("skip", "A")) and len(stops) == 6, "each stop is shown", stops)


def line(place, time, person, draw):
    """One reading of a person, as `cuff export --format jsonl` writes it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00")
    reading = {"type": "blood_pressure", "schema": 1, "id": time.strftime("%Y%m%dT%H%M%S") + f"-{place:016x}", "driver": "r1",
               "device": "kitchen" if person == 0 else "hall", "systolic_mmHg": 130 + 12 * person + draw.randrange(-12, 13),
               "diastolic_mmHg": 82 + draw.randrange(-8, 9), "pulse_per_min": 70 + draw.randrange(-9, 10), "measured": stamp,
               "clock": "device_time", "device_time": stamp[:19], "received": stamp}
    if place % 17 == 0: reading["flags"] = ["irregular_pulse"]
    if place % 23 == 0: reading["note"] = "after climbing the stairs, with the window open and the radio on"
    if place % 5 == 0: reading["medication"] = "ramipril 5 mg"
    return json.dumps(reading) + "\n"


def fill(folder, count, days):
    """`count` readings of two persons over `days` days, up to an hour ago."""
    draw, end = random.Random(4), datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    path = os.path.join(folder, "own.jsonl")
    with open(path, "w") as file:
        for place in range(count):
            # Two readings each morning and each evening.
            day, part = divmod(place // 2, 4)
            day = day * days * 8 // count
            time = end.replace(hour=(7, 7, 20, 20)[part], minute=(10, 13, 30, 33)[part], second=place % 60) - datetime.timedelta(days=day)
            if time < end: file.write(line(place, time, place % 2, draw))
    run = subprocess.run([CUFF, "import", path, "--db", f"{folder}/bp.db", "--yes"], capture_output=True, text=True,
                         env=dict(os.environ, HOME=folder, TZ="UTC"))
    if run.returncode: sys.exit(f"cuff import: {run.stderr}")


def household(browser):
    """10,000 readings of two persons: the page, its time and its size, in German, and the report."""
    with tempfile.TemporaryDirectory() as folder:
        feeder = Feeder(2)
        fill(folder, 10_000, 1250)
        watch = Watch(folder, HOUSEHOLD.format(*feeder.paths))
        try:
            times, sizes = {}, {}
            for days in (30, 7, 365, 0):
                begun = time.monotonic()
                with urllib.request.urlopen(f"{watch.url}?days={days}") as answer: body = answer.read()
                times[days], sizes[days] = round(1000 * (time.monotonic() - begun)), len(body)
            begun = time.monotonic()
            with urllib.request.urlopen(f"{watch.url}?days=0") as answer: answer.read()
            again = round(1000 * (time.monotonic() - begun))
            files = 0
            for name in ("style.css", "live.js"):
                with urllib.request.urlopen(watch.url + name) as answer: files += len(answer.read())
            print(f"        10,000 readings: {times} ms by range, {again} ms again; {sizes} bytes, and {files} of style and script")
            check(max(sizes.values()) + files <= 100_000, "the page of two persons has at most 100 kB", [sizes, files])
            if "release" in CUFF: check(max(times.values()) < 100, "its first paint takes less than 100 ms", times)
            browser.open(watch.url)
            looks(browser, "two-persons", PHONE_AND_DESK, texts=40)
            browser.open(watch.url + "?days=0&lang=de")
            check(browser.value("document.documentElement.lang === 'de' && document.querySelector('h1').innerText === 'Blutdruck'"), "in German")
            looks(browser, "german-all", PHONE_AND_DESK, texts=40)
            browser.look(1280, 800, media="print")
            browser.picture(PICTURES / "page-print.png")
            browser.look(1280, 800)
            link = browser.value("document.querySelector('.files a').href")
            browser.open(link)
            check(browser.value("!!document.querySelector('.box') && getComputedStyle(document.querySelector('h1')).fontSize === '24px'"),
                  "the report is one click away, with its style", browser.value("document.body.innerText"))
            looks(browser, "report", PHONE_AND_DESK, texts=40)
            problems = [one for one in browser.problems if "favicon" not in one]
            check(problems == [], "no error of the console", problems)
        finally:
            watch.close()
            feeder.close()


def paper(browser):
    """Sixty days of one person, four readings a day, on two pages of A4 and of Letter."""
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, 480, 60)
        for size in ("a4", "letter"):
            for language in ("en", "de"):
                page = os.path.join(folder, f"{size}-{language}.html")
                words = [CUFF, "report", "--db", f"{folder}/bp.db", "--device", "kitchen", "--paper", size, "--lang", language, "--rule", "esc-2024"]
                run = subprocess.run(words + ["-o", page], capture_output=True, text=True, env=dict(os.environ, HOME=folder, TZ="UTC"))
                if run.returncode: return check(False, "a report", run.stderr)
                browser.open(f"file://{page}")
                browser.ask("Emulation.setEmulatedMedia", media="", features=[])
                data = base64.b64decode(browser.ask("Page.printToPDF", preferCSSPageSize=True)["data"])
                count = len(re.findall(rb"/Type\s*/Page\b", data))
                with open(PICTURES / f"report-{size}-{language}.pdf", "wb") as file: file.write(data)
                check(count == 2, f"sixty days on two pages of {size}, {language}", f"{count} pages")


PICTURES.mkdir(parents=True, exist_ok=True)
browser = Chromium(BROWSER)
try:
    wanted = sys.argv[4:]
    for part in (empty, measuring, household, paper):
        if not wanted or part.__name__ in wanted: part(browser)
finally: browser.close()
print(f"pictures are in {PICTURES}")
sys.exit(1 if failed else 0)
