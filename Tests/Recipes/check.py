#!/usr/bin/env python3
"""check.py CUFF HELPERS [RECIPE...]: runs every block of docs/RECIPES.md against real servers on loopback, with a simulated cuff.

HELPERS is the folder of cuff-sink-mqtt, -http and -postgres. Each recipe runs in a folder and a home of its own; the standard ports
of its text are replaced by free ones. A recipe whose server is not installed is a line `skipped: …`. Exits 0 when every check holds.
"""
import json, os, pathlib, re, shutil, socket, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
CUFF, HELPERS = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-recipes-"))
FOLDER.chmod(0o755)
READINGS = 3
started, failures = [], []


def check(holds, what, *shown):
    if holds: return
    failures.append(what)
    print("FAILED:", what, *[str(one)[-1500:] for one in shown])


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(words, port=None, path=None, **more):
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    started.append(process)
    until = time.monotonic() + 240
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if (path and os.path.exists(path)) or (port and probe.connect_ex(("127.0.0.1", port)) == 0): return process
        time.sleep(0.1)
    raise SystemExit("%s did not start" % words[0])


def blocks(title):
    """The blocks of a section, after the one above all sections."""
    head, *sections = re.split(r"^## (.*)\n", (ROOT / "docs/RECIPES.md").read_text(), flags=re.M)
    text = dict(zip(sections[::2], sections[1::2]))[title]
    return [block for part in (head, text) for block in re.findall(r"^```sh\n(.*?)^```$", part, re.M | re.S)]


def run(title, ports={}, files={}, **environment):
    """Runs a recipe as it is written but for its ports, beside these files; answers its folder and what each block printed."""
    place = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))
    for name, source in files.items(): shutil.copy(source, place / name)
    tools = place / "bin"
    tools.mkdir()
    (tools / "cuff").symlink_to(CUFF)
    for helper in pathlib.Path(HELPERS).glob("cuff-sink-*"):
        if os.access(helper, os.X_OK) and helper.suffix == "": (tools / helper.name).symlink_to(helper)
    link = str(place / "cuff")
    start([CUFF, "simulate", "beurer-serial", "--count", str(READINGS), "--link", link], path=link)
    variables = {**os.environ, "PATH": "%s:%s" % (tools, os.environ["PATH"]), "HOME": str(place), "XDG_RUNTIME_DIR": str(place), "TZ": "UTC", "CUFF_LIBEXEC": HELPERS,
                 "CUFF": link + " --driver beurer-serial", **environment}
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CREDENTIALS_DIRECTORY"): variables.pop(name, None)
    said = []
    for block in blocks(title):
        for standard, port in ports.items(): block = block.replace(":%d/" % standard, ":%d/" % port).replace("-p %d " % standard, "-p %d " % port)
        done = subprocess.run(["sh", "-eu", "-c", block], cwd=place, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, "%s: a block ends well" % title, block, done.stdout, done.stderr)
        said.append(done.stdout)
    return place, said


def present(*programs):
    missing = [one for one in programs if not shutil.which(one)]
    if missing: print("skipped: %s: %s not installed" % (current, ", ".join(missing)))
    return not missing


# ---- recipes

def plain():
    if not present("jq", "sqlite3", "systemd-analyze"): return
    place, said = run("jq, sqlite3 and systemd")
    rows = [line.split("\t") for line in said[1].splitlines()]
    check(len(rows) == READINGS and all(len(row) == 4 and 40 < int(row[1]) < 260 for row in rows), "jq: a row for each reading", said[1])
    check(len(said[2].split("\n")) > READINGS, "sqlite3 and stats", said[2])
    service = (place / ".config/systemd/user/cuff-export.service").read_text()
    command = re.search(r"/bin/sh -c '(.*)'", service)[1].replace("%h", str(place))
    for expected in (READINGS, READINGS):
        subprocess.run(["sh", "-c", command], env={**os.environ, "HOME": str(place), "PATH": "%s/bin:%s" % (place, os.environ["PATH"])}, check=True)
        kept = [json.loads(line) for line in (place / "blood-pressure.jsonl").read_text().splitlines()]
        check(sum(one["type"] == "blood_pressure" for one in kept) == expected, "systemd: each reading once", len(kept))


def home_assistant():
    if not present("mosquitto", "mosquitto_sub") or not helper("cuff-sink-mqtt"): return
    port = free_port()
    configuration = FOLDER / "mosquitto.conf"
    configuration.write_text("listener %d 127.0.0.1\nallow_anonymous true\npersistence false\n" % port)
    start(["mosquitto", "-c", str(configuration)], port)
    place, _ = run("Home Assistant", {1883: port})
    messages = dict(line.split(" ", 1) for line in (place / "messages.txt").read_text().splitlines() if line.startswith(("homeassistant/", "cuff/")))
    announced = json.loads(messages.get("homeassistant/device/cuff_beurer-serial/config", "{}")).get("cmps", {})
    check({"systolic", "diastolic", "pulse", "reading"} <= set(announced), "Home Assistant: the device is announced", sorted(announced))
    check(announced and all("dev_cla" not in announced[one] for one in ("systolic", "diastolic")), "Home Assistant: mmHg stay mmHg", announced)
    states = [json.loads(text) for topic, text in messages.items() if topic.endswith("/state")]
    check(states and all("systolic_mmHg" in one for one in states), "Home Assistant: the newest readings", messages)


def grafana():
    if not present("influxd", "curl") or not helper("cuff-sink-http"): return
    port, rpc = free_port(), free_port()
    (FOLDER / "influxdb.conf").write_text(
        'reporting-disabled = true\nbind-address = "127.0.0.1:%d"\n[meta]\n  dir = "%s/meta"\n[data]\n  dir = "%s/data"\n  wal-dir = "%s/wal"\n'
        '[monitor]\n  store-enabled = false\n[http]\n  bind-address = "127.0.0.1:%d"\n' % (rpc, FOLDER, FOLDER, FOLDER, port))
    start(["influxd", "-config", str(FOLDER / "influxdb.conf")], port)
    place, _ = run("Grafana", {8086: port})
    rows = [row for one in json.loads((place / "answer.json").read_text())["results"][0].get("series", []) for row in one["values"]]
    check(len(rows) == READINGS, "Grafana: the export writes the points of the sink, and no others", rows)
    values = {"timeFilter": "time > 0"}

    def ask(query):
        done = subprocess.run(["curl", "-fsSG", "http://127.0.0.1:%d/query?db=bp" % port, "--data-urlencode", "q=" + query], capture_output=True, text=True)
        answer = json.loads(done.stdout or "{}").get("results", [{}])[0]
        check(done.returncode == 0 and "error" not in answer, "Grafana: a query of the dashboard", query, done.stdout, done.stderr)
        return [one for part in answer.get("series", []) for one in part["values"]]

    def fill(query):
        for name, value in values.items(): query = query.replace("${%s}" % name, value).replace("$" + name, value)
        return query

    dashboard = json.loads((ROOT / "Remote/Grafana/influxdb.json").read_text())
    found = []

    def show(variables):
        """The panels for each choice of the variables. Grafana fills a variable without values with nothing."""
        if variables:
            for values[variables[0]["name"] + ":regex"] in [row[1] for row in ask(fill(variables[0]["query"]))] or [""]: show(variables[1:])
        else:
            found.append([[row for row in ask(fill(target["query"]))] for panel in dashboard["panels"] for target in panel["targets"]])

    show(dashboard["templating"]["list"][1:])
    check([sum(len(one[panel]) for one in found) for panel in range(3)] == [READINGS] * 3, "Grafana: each panel shows each reading once", found)
    check(all(row[1] > row[2] for one in found for row in one[0]), "Grafana: systolic before diastolic", found)
    structure("influxdb")


def structure(name):
    """The dashboard keeps all its members in the types that Grafana Labs publishes (PyPI: grafana-foundation-sdk)."""
    python = ROOT / ".build/recipes/bin/python"
    if not python.exists(): return print("skipped: %s: grafana-foundation-sdk of PyPI is not installed" % current)
    done = subprocess.run([python, "-B", ROOT / "Tests/Recipes/dashboard.py", ROOT / ("Remote/Grafana/%s.json" % name)], capture_output=True, text=True)
    check(done.returncode == 0, "Grafana: the structure of the dashboard", done.stdout, done.stderr)


def fhir():
    server = shutil.which("sekmet") or ROOT / ".build/recipes/bin/sekmet"
    if not os.path.exists(server): return print("skipped: %s: sekmet-fhir of PyPI is not installed" % current)
    if not present("curl", "jq") or not helper("cuff-sink-http"): return
    port = free_port()
    data = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))
    start([str(server), "serve", "--host", "127.0.0.1", "--port", str(port)], port, cwd=data)
    place, _ = run("A FHIR server", {8090: port})
    totals = [(place / name).read_text().strip() for name in ("total.json", "again.json")]
    check(totals == [str(READINGS)] * 2, "FHIR: each reading once, by the sink and by the export", totals)


def postgres():
    folder = next((p for p in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True) if (p / "postgres").exists()), None)
    if folder is None: return print("skipped: %s: PostgreSQL not installed" % current)
    if not present("psql", "createdb") or not helper("cuff-sink-postgres"): return
    port, data = free_port(), FOLDER / "postgres"
    data.mkdir()
    me = []
    if os.getuid() == 0:
        shutil.chown(data, "postgres")
        me = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    subprocess.run(me + [folder / "initdb", "-N", "-A", "trust", "-U", "postgres", "-D", data / "db"], check=True, capture_output=True)
    start(me + [str(folder / "postgres"), "-p", str(port), "-h", "127.0.0.1", "-k", str(data), "-D", str(data / "db")], port)
    # The port is open before the server takes sessions.
    until = time.monotonic() + 240
    while subprocess.run(["pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode and time.monotonic() < until: time.sleep(0.1)
    server = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres"}
    place, _ = run("PostgreSQL", {5432: port}, {"recorded.capture": ROOT / "captures/and-std/bad-check-then-good.capture"}, **server)
    rows = (place / "rows.txt").read_text().splitlines()
    check(len(rows) == READINGS and all(len(row.split("|")) == 4 for row in rows), "PostgreSQL: a row for each reading", rows)
    count = subprocess.run(["psql", "-XAtd", "ward", "-c", "SELECT count(*) FROM cuff.blood_pressure"], env={**os.environ, **server}, capture_output=True, text=True)
    check(count.stdout.strip() == str(READINGS + 1), "PostgreSQL: the recorded reading is there too", count)
    dashboard = json.loads((ROOT / "Remote/Grafana/postgresql.json").read_text())

    def ask(query):
        done = subprocess.run(["psql", "-XAtd", "ward", "-v", "ON_ERROR_STOP=1", "-c", query], env={**os.environ, **server, "PGUSER": "grafana"}, capture_output=True, text=True)
        check(done.returncode == 0, "PostgreSQL: a query of the dashboard", query, done.stderr)
        return done.stdout.splitlines()

    people = ask(dashboard["templating"]["list"][1]["query"])
    check(people == [os.uname().nodename + " " + driver for driver in ("and-std", "beurer-serial")], "PostgreSQL: the variable `person`", people)
    for panel in dashboard["panels"]:
        query = panel["targets"][0]["rawSql"].replace("$__timeFilter(measured)", "measured BETWEEN '2000-01-01' AND now()")
        shown = [row for one in people for row in ask(query.replace("${person:sqlstring}", "'%s'" % one))]
        check(len(shown) == READINGS + 1, "PostgreSQL: the panel shows each reading once", panel["title"], shown)
    structure("postgresql")
    said = (place / "checked.txt").read_text()
    check(said == "ward.toml: ok\nsink ward: ok: the database at 127.0.0.1/ward takes readings of `cuff`\n", "PostgreSQL: config check --connect", said)


# What garmin.py uses of garminconnect 0.3.2, with its checks and its form of answers; it keeps measurements in a file.
GARMIN = """
import datetime, json, os
class GarminConnectAuthenticationError(Exception): pass
class GarminConnectConnectionError(Exception): pass
class GarminConnectTooManyRequestsError(Exception): pass
class Garmin:
    def login(self, tokenstore):
        if not os.path.exists(tokenstore): raise GarminConnectAuthenticationError("Username and password are required")
    def kept(self): return [json.loads(line) for line in open("kept.jsonl")] if os.path.exists("kept.jsonl") else []
    def get_blood_pressure(self, startdate, enddate):
        found = [one for one in self.kept() if startdate <= one["measurementTimestampLocal"][:10] <= enddate]
        return {"measurementSummaries": [{"measurements": found}] if found else []}
    def set_blood_pressure(self, systolic, diastolic, pulse, timestamp="", notes=""):
        for value, low, high in ((systolic, 70, 260), (diastolic, 40, 150), (pulse, 20, 250)):
            if not isinstance(value, int) or not low <= value <= high: raise ValueError("must be an int in [%d, %d]" % (low, high))
        time = datetime.datetime.fromisoformat(timestamp).replace(tzinfo=None).isoformat()
        with open("kept.jsonl", "a") as file:
            file.write(json.dumps({"measurementTimestampLocal": time, "systolic": systolic, "diastolic": diastolic, "pulse": pulse, "notes": notes}) + "\\n")
"""
ONE = {"type": "blood_pressure", "id": "a", "systolic_mmHg": 128, "diastolic_mmHg": 82, "pulse_per_min": 71, "measured": "2026-05-05T23:59:00-05:00"}


def answers(place, words, *readings, **environment):
    """What an example says to readings; of a reading None removes a member."""
    lines = "".join(json.dumps({key: value for key, value in {**ONE, **one}.items() if value is not None}) + "\n" for one in readings)
    done = subprocess.run([sys.executable, *words], cwd=place, input=lines, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0 and not done.stderr and done.stdout.startswith("ready 1\n"), "an example ends well", words, done.stdout, done.stderr)
    return done.stdout.splitlines()[1:]


def garmin():
    stub = FOLDER / "stub"
    stub.mkdir()
    (stub / "garminconnect.py").write_text(GARMIN)
    files = {"garmin.py": ROOT / "Examples/Sinks/garmin.py"}
    place, said = run("Garmin Connect", files=files, PYTHONPATH=str(stub), GARMINTOKENS=str(stub))
    kept = [json.loads(line) for line in (place / "kept.jsonl").read_text().splitlines()]
    check(len(kept) == READINGS == len({one["notes"] for one in kept}), "Garmin: each reading once", kept)
    words, known = ["garmin.py"], {"PYTHONPATH": str(stub), "GARMINTOKENS": str(stub)}
    check(answers(place, words, {}, {}, {"revision": 1}, {"user": 2, "id": "b"}, {"type": "measurement", "id": "c"}, **known)
          == ["ok a 0", "ok a 0", "ok a 1", "ok b 0", "ok c 0"], "Garmin: repetitions, another person and a failure")
    kept = [json.loads(line) for line in (place / "kept.jsonl").read_text().splitlines()]
    check([one["measurementTimestampLocal"] for one in kept[READINGS:]] == ["2026-05-05T23:59:00"], "Garmin: sent once, with the local time", kept)
    refused = answers(place, words, {"systolic_mmHg": 130}, {"id": "d", "pulse_per_min": None}, {"id": "e", "systolic_mmHg": 300}, {"id": "f", "measured": None},
                      {"id": "g", "systolic_mmHg": 128.5}, {"id": "h", "flags": ["invalid"]}, **known)
    check([one.split()[:3] for one in refused] == [["refuse", name, "0"] for name in "adefgh"], "Garmin: what cannot be stored is refused", refused)
    said = answers(place, words, {"id": "z"}, PYTHONPATH=str(stub), GARMINTOKENS="/nowhere")
    check(len(said) == 1 and said[0].startswith("fatal "), "Garmin: without a login", said)


def phone():
    files = {"phone-csv.py": ROOT / "Examples/Sinks/phone-csv.py"}
    place, said = run("Health Connect on a phone", files=files)
    rows = said[-1].splitlines()
    check(rows[0] == "timestampUnixMs,systolic,diastolic,pulse,notes" and len(rows) == READINGS + 1, "Health Connect: a row for each reading", rows)
    words, path = ["phone-csv.py", "phone"], place / "phone/blood-pressure-2026-05-05.csv"
    path.write_text(path.read_text() + "1777")
    check(answers(place, words, {}, {}, {"id": "b", "pulse_per_min": None}, {"id": "c", "user": 1}, {"systolic_mmHg": 1})
          == ["ok a 0", "ok a 0", "ok b 0", "ok c 0", "refuse a 0 the file has this reading with other values"], "Health Connect: answers")
    # 2026-05-06T04:59:00Z
    check(path.read_text().splitlines() == rows + ["1778043540000,128,82,71,cuff a", "1778043540000,128,82,null,cuff b"], "Health Connect: rows", path.read_text())
    said = answers(place, ["phone-csv.py", "nowhere"], {})
    check(said == ["later No such file or directory"], "Health Connect: no folder", said)


def helper(name):
    path = os.path.join(HELPERS, name)
    if not os.access(path, os.X_OK): print("skipped: %s: %s is not built" % (current, path))
    return os.access(path, os.X_OK)


recipes = (plain, home_assistant, grafana, fhir, postgres, garmin, phone)
unknown = set(sys.argv[3:]) - {recipe.__name__ for recipe in recipes}
if unknown: sys.exit("unknown recipe %s; they are %s" % (", ".join(unknown), " ".join(recipe.__name__ for recipe in recipes)))
try:
    for recipe in recipes:
        current = recipe.__name__
        if not sys.argv[3:] or current in sys.argv[3:]: recipe()
finally:
    for process in reversed(started):
        process.terminate()
        try: process.wait(10)
        except subprocess.TimeoutExpired: process.kill()
    shutil.rmtree(FOLDER, ignore_errors=True)
print("recipes: %s" % ("every check holds" if not failures else "%d checks failed" % len(failures)))
sys.exit(bool(failures))
