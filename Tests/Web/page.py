"""page.py CUFF BROWSER PICTURES: the page of `cuff watch --web` as a person sees it: no error of the console, no request to
anybody else, nothing beyond the window at any width, contrast of all text, live pressures, and tables without scripts."""
import json, os, subprocess, sys, tempfile, time, urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import Chromium
from feeder import Feeder

CUFF, BROWSER, PICTURES = sys.argv[1], sys.argv[2], Path(sys.argv[3])
WIDTHS = [(375, 812), (768, 1024), (1280, 800), (3840, 2160)]
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


def main(folder):
    feeder = Feeder(2)
    link = os.path.join(folder, "cuff")
    simulated = subprocess.Popen([CUFF, "simulate", "and-std", "--count", "40", "--every", "300ms", "--link", link], stdout=subprocess.DEVNULL)
    for _ in range(200):
        if os.path.lexists(link): break
        time.sleep(0.05)
    environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state", XDG_DATA_HOME=folder + "/data", TZ="UTC")
    assigned = [f"{os.path.realpath(link)}=and-std"] + [f"{path}=maibobo" for path in feeder.paths]
    words = [CUFF, "watch", "--no-config", "--web", "127.0.0.1:0", "--sink", f"sqlite:{folder}/bp.db", "--sink", "jsonl:/dev/full?"]
    log = open(os.path.join(folder, "log"), "w+")
    watch = subprocess.Popen(words + [w for a in assigned for w in ("--assign", a)], env=environment, stdout=subprocess.DEVNULL, stderr=log)
    browser = None
    try:
        url = None
        for _ in range(400):
            log.seek(0)
            url = next((word for line in log for word in line.split() if word.startswith("http://")), None)
            if url: break
            time.sleep(0.05)
        if not url:
            log.seek(0)
            return check(False, "the watch serves a page", log.read())
        browser = Chromium(BROWSER)
        examine(browser, feeder, url)
    finally:
        if browser: browser.close()
        watch.terminate()
        watch.wait(30)
        simulated.kill()
        simulated.wait()
        feeder.close()
    log.seek(0)
    check(watch.returncode == 0 or watch.returncode == 143, "the watch ended on request", f"{watch.returncode} {log.read()}")


def examine(browser, feeder, url):
    browser.open(url)
    feeder.start(rate=20)
    check(browser.wait("document.getElementById('state').textContent.startsWith('Connected')"), "the page follows the cuffs")
    check(browser.wait("document.querySelectorAll('#live .live').length === 2"), "two cuffs measure",
          browser.value("document.getElementById('live').outerHTML"))
    first = browser.value("document.querySelector('#live b').textContent")
    check(browser.wait(f"document.querySelector('#live b').textContent !== '{first}'"), "the pressure moves")
    check(browser.wait("document.querySelectorAll('#readings tbody tr').length >= 6"), "readings appear by themselves",
          browser.value("document.getElementById('readings').innerText"))
    check(browser.wait("!!document.querySelector('#readings svg')"), "there is a trend")
    for width, height in WIDTHS:
        for scheme in ("light", "dark"):
            browser.look(width, height, scheme)
            what = f"{width} px, {scheme}"
            check(browser.value(f"innerWidth === {width}"), f"{what}: the window", browser.value("innerWidth"))
            beyond = browser.value(OVERFLOW)
            check(beyond == [], f"{what}: nothing beyond the window", beyond)
            contrast = browser.value(CONTRAST)
            check(contrast["found"] == [] and contrast["texts"] > 40, f"{what}: contrast of {contrast['texts']} texts is 4.5 or more", contrast)
            scale = browser.value("Math.min(...[...document.querySelectorAll('svg text')].map(t => t.getBoundingClientRect().height))")
            check(scale >= 10, f"{what}: the scale of the trend can be read", scale)
            browser.picture(PICTURES / f"page-{width}-{scheme}.png")
    browser.look(1280, 800)
    # Both measures see what they are for.
    browser.value("document.querySelector('h1').style.color = 'rgb(150, 150, 150)'; document.querySelector('footer').style.marginLeft = '2000px'")
    check(len(browser.value(CONTRAST)["found"]) == 1 and len(browser.value(OVERFLOW)) > 1, "what is grey and what is beyond the window is seen",
          [browser.value(CONTRAST), browser.value(OVERFLOW)])
    browser.value("document.querySelector('h1').removeAttribute('style'); document.querySelector('footer').removeAttribute('style')")
    keyboard(browser)
    feeder.results()
    check(browser.wait("document.querySelector('#cuffs-part').innerText.includes('maibobo')"), "the cuffs are listed")
    feeder.stop()
    check(browser.wait("document.getElementById('live').hidden", 30), "a pressure that comes no more is taken away",
          browser.value("document.getElementById('live').outerHTML"))
    check(browser.problems == [], "no error of the console", browser.problems)
    foreign = [one for one in browser.requests if not one.startswith((url, "data:", "about:"))]
    check(foreign == [] and len(browser.requests) >= 4, "no requests to other hosts", foreign)

    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    rows = browser.value("document.querySelectorAll('#readings tbody tr').length")
    check(rows >= 6, "without scripts the tables are there", rows)
    check(browser.value("document.getElementById('state').textContent").startswith("As of"), "and say of when they are")
    browser.look(375, 812)
    browser.picture(PICTURES / "page-375-no-script.png")
    with urllib.request.urlopen(url + "api/readings?limit=3") as answer:
        check(len(json.load(answer)["readings"]) == 3, "the same readings as JSON")


def keyboard(browser):
    """The first stop of the tab key skips to the readings, and each stop shows that it is one."""
    browser.ask("Page.bringToFront")
    stops = []
    for _ in range(6):
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        stops.append(browser.value("(e => [e.className, getComputedStyle(e).outlineStyle])(document.activeElement)"))
    check(stops[0][0] == "skip", "the tab key first offers to skip to the readings", stops)
    check(all(style == "solid" for name, style in stops if name in ("skip", "wide")), "each stop is shown", stops)


with tempfile.TemporaryDirectory() as folder: main(folder)
print(f"pictures are in {PICTURES}")
sys.exit(1 if failed else 0)
