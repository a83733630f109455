"""check.py BINARY NEWEST: what a person sees in Home Assistant of the readings that cuff-sink-mqtt delivers.

Run it with the Python of an environment that holds Home Assistant (`run` makes one). Mosquitto and Home Assistant are started here, on
loopback, in a temporary folder, and stopped again.

Home Assistant 2024.3.3 has no messages of whole devices, which came with 2024.11: `Bridge` splits them into messages of single entities, as
later releases do themselves (mqtt/discovery.py, _parse_device_payload). NEWEST is the folder of homeassistant/components/mqtt of 2026.4, which
needs a newer Python: the message is compared with the names that it accepts.
"""
import json, os, pathlib, secrets, shutil, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request
import jwt
import paho.mqtt.client

BINARY, NEWEST = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cuff-home-assistant-"))
HOME.chmod(0o755)
USER, PASSWORD = "cuff", "c0rrect-h0rse"
CUFF = "00091ffffe000101"
failures = []
# The device trigger that Home Assistant offers for the cuff in its automation editor.
AUTOMATION = """automation:
  - alias: alert
    trigger:
      - platform: device
        domain: mqtt
        device_id: {device}
        type: alert
        subtype: raised
    action: []
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


BROKER, WEB = free_port(), free_port()
ADDRESS = f"mqtt://{USER}@127.0.0.1:{BROKER}/?gateway=pi-7&discovery=devices"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": str(HOME), "CREDENTIALS_DIRECTORY": str(HOME / "credentials")}


def write(name, text, mode=0o600):
    path = HOME / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def wait_for(what, condition, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            value = condition()
        except (OSError, KeyError, urllib.error.URLError):
            value = None
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {seconds} s")


class Broker:
    def __init__(self):
        passwords = write("passwords", "", 0o600)
        subprocess.run(["mosquitto_passwd", "-b", str(passwords), USER, PASSWORD], check=True, stderr=subprocess.DEVNULL)
        passwords.chmod(0o644)
        settings = write("mosquitto.conf", f"listener {BROKER} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n", 0o644)
        self.process = subprocess.Popen(["mosquitto", "-c", str(settings)], stderr=subprocess.DEVNULL)

    def retained(self, topic):
        done = subprocess.run(
            ["mosquitto_sub", "-p", str(BROKER), "-u", USER, "-P", PASSWORD, "-t", topic, "-W", "1", "--retained-only", "-F", "%t %p"],
            capture_output=True, text=True)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())


class Bridge:
    """Splits the messages below devices/ into those of single entities below homeassistant/."""

    def __init__(self):
        self.known = set()
        self.client = paho.mqtt.client.Client("bridge")
        self.client.username_pw_set(USER, PASSWORD)
        self.client.on_connect = lambda client, *_: client.subscribe("devices/device/+/config", 1)
        self.client.on_message = lambda _, __, message: self.split(message.topic.split("/")[2], message.payload)
        wait_for("the broker", lambda: self.client.connect("127.0.0.1", BROKER) == 0)
        self.client.loop_start()

    def split(self, node, payload):
        message = json.loads(payload) if payload else {"cmps": {}}
        topics = set()
        for name, component in message["cmps"].items():
            topic = f"homeassistant/{component.pop('p')}/{node}/{name}/config"
            topics.add(topic)
            # The name of this option before 2025.10.
            if "def_ent_id" in component: component["obj_id"] = component.pop("def_ent_id").split(".")[1]
            self.client.publish(topic, json.dumps({**component, "dev": message["dev"], "o": message["o"]}), 1, True)
        for topic in self.known - topics: self.client.publish(topic, b"", 1, True)
        self.known = topics

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()


class HomeAssistant:
    """One installation: its registry and its broker's address are kept over restarts."""

    def __init__(self):
        self.key, self.process = secrets.token_hex(64), None
        groups = [{"id": f"system-{name}", "name": name} for name in ("admin", "users", "read-only")]
        owner = {"id": "owner", "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "check",
                 "system_generated": False, "local_only": False}
        token = {"id": "token", "user_id": "owner", "client_id": None, "client_name": "check", "client_icon": None,
                 "token_type": "long_lived_access_token", "created_at": "2026-01-01T00:00:00+00:00", "access_token_expiration": 315360000.0,
                 "token": secrets.token_hex(64), "jwt_key": self.key, "last_used_at": None, "last_used_ip": None, "expire_at": None,
                 "credential_id": None, "version": None}
        self.store("auth", {"users": [owner], "groups": groups, "credentials": [], "refresh_tokens": [token]})
        self.store("core.config_entries", {"entries": [{
            "entry_id": "broker", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "broker", "options": {},
            "data": {"broker": "127.0.0.1", "port": BROKER, "username": USER, "password": PASSWORD, "discovery": True},
            "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "unique_id": None, "disabled_by": None}]})

    @staticmethod
    def store(name, data):
        write(f".storage/{name}", json.dumps({"version": 1, "minor_version": 1, "key": name, "data": data}))

    def start(self, units, *more):
        write("configuration.yaml", "\n".join([
            "homeassistant:", "  name: check", f"  unit_system: {units}", "  time_zone: Europe/Berlin", "http:", "  server_host: 127.0.0.1",
            f"  server_port: {WEB}", "api:", "logger:", "  default: warning", *more, ""]))
        now = int(time.time())
        self.token = jwt.encode({"iss": "token", "iat": now - 10, "exp": now + 86400}, self.key, algorithm="HS256")
        with open(HOME / "out", "a") as out:
            self.process = subprocess.Popen([pathlib.Path(sys.executable).parent / "hass", "--skip-pip", "-c", str(HOME)], stdout=out, stderr=out)
        wait_for("the start of Home Assistant", lambda: self.states() is not None, 120)

    def states(self):
        request = urllib.request.Request(f"http://127.0.0.1:{WEB}/api/states", headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return {state["entity_id"]: state for state in json.load(answer)}

    def device(self, entity):
        """The id of its device."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{WEB}/api/template", json.dumps({"template": f"{{{{ device_id('{entity}') }}}}"}).encode(),
            {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer: return answer.read().decode()

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def entities(self):
        """The cuff's own, by the last word of their ids."""
        found = {}
        for name, state in self.states().items():
            for word in ("systolic", "diastolic", "mean", "pulse", "measured", "irregular", "reading", "alert"):
                if "cuff" in name and name.endswith(word): found[word] = state
        return found

    def shows(self, what, **expected):
        """Waits until the entities have these states."""
        seen = {}

        def holds():
            seen.clear()
            seen.update({word: state["state"] for word, state in self.entities().items()})
            return all(seen.get(word) == state for word, state in expected.items())

        try:
            wait_for(what, holds, 30)
            print(f"ok   {what}")
        except AssertionError:
            failures.append(what)
            print(f"FAIL {what}: {seen}")


def check(what, holds, seen=""):
    print(f"ok   {what}" if holds else f"FAIL {what}: {seen}")
    if not holds: failures.append(what)


class Helper:
    """cuff-sink-mqtt, used as cuff does: after `later` it is started again, and the line is sent again."""

    def __init__(self):
        write("credentials/mqtt.password", PASSWORD + "\n")
        self.process = None
        check("the helper is ready, for deletions too", self.start() == "ready 1 deletions\n")

    def start(self):
        self.end()
        self.process = subprocess.Popen([BINARY, ADDRESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**ENVIRONMENT, "CUFF_SINK_OFFERS": "deletions"})
        return self.process.stdout.readline()

    def send(self, line):
        answer = []
        for _ in range(30):
            self.process.stdin.write(json.dumps(line, separators=(",", ":")) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split()
            # Home Assistant subscribes when it has read the announcement.
            if answer[:1] != ["later"]: break
            time.sleep(1)
            self.start()
        check(f"{line['type']} {line['id'][:15]} is acknowledged", answer[:2] == ["ok", line["id"]], answer)

    def end(self):
        if not self.process: return
        try: self.process.stdin.close()
        except BrokenPipeError: pass
        self.process.wait(60)
        self.process = None


def reading(identity, systolic, diastolic, pulse, **more):
    facts = {"type": "blood_pressure", "schema": 1, "id": identity, "driver": "phd", "device": CUFF, "systolic_mmHg": systolic,
             "diastolic_mmHg": diastolic, "pulse_per_min": pulse, "user": 1, "measured": "2026-05-05T07:33:20+02:00", "origin": "push"}
    return facts | more


# The options that the documentation of 2026.4 has for these platforms.
ENTITY = {"platform", "name", "unique_id", "default_entity_id", "availability_topic", "state_topic", "value_template"}
OPTIONS = {
    "sensor": ENTITY | {"unit_of_measurement", "state_class", "device_class", "force_update", "json_attributes_topic"},
    "binary_sensor": ENTITY | {"device_class"},
    "event": ENTITY | {"event_types"},
    "device_automation": {"platform", "automation_type", "topic", "type", "subtype", "payload", "value_template"},
}


def check_message(payload):
    """The message of the device against the names and rules of 2026.4: mqtt/abbreviations.py, const.py and schemas.py."""
    names, message = {}, json.loads(payload)
    exec((NEWEST / "abbreviations.py").read_text(), names)
    expand = lambda table, members: {names[table].get(key, key): value for key, value in members.items()}
    top = expand("ABBREVIATIONS", message)
    check("the message has these members and no other", set(top) == {"device", "origin", "components"}, set(top))
    device, origin = expand("DEVICE_ABBREVIATIONS", top["device"]), expand("ORIGIN_ABBREVIATIONS", top["origin"])
    check("the device is identified", set(device) == {"identifiers", "name", "serial_number"} and len(device["identifiers"]) == 1, device)
    check("the origin is named", set(origin) == {"name", "sw_version"}, origin)
    supported = (NEWEST / "const.py").read_text().split("SUPPORTED_COMPONENTS = (")[1].split(")")[0]
    wrong, identities = [], []
    for name, component in top["components"].items():
        options = expand("ABBREVIATIONS", component)
        platform = options["platform"]
        isEntity = platform != "device_automation"
        if (set(options) - OPTIONS[platform] or f'"{platform}"' not in supported or isEntity and not {"unique_id", "default_entity_id"} <= set(options)
                or isEntity and options["default_entity_id"].split(".")[0] != platform): wrong.append((name, options))
        if isEntity: identities.append(options["unique_id"])
    check("each component has only options of its platform", not wrong and len(top["components"]) == 10, wrong)
    check("each entity has its own unique id", len(set(identities)) == len(identities) == 8, identities)


def run(broker, home):
    home.start("metric")
    helper = Helper()
    first = reading("20260505T073130-d33c245d2be4b540", 128, 82, 71, flags=["irregular_pulse"])
    helper.send(first)
    home.shows("a reading, with the mean unknown", systolic="128", diastolic="82", pulse="71", mean="unknown", irregular="on",
               measured="2026-05-05T05:33:20+00:00")
    check_message(broker.retained("devices/#")[f"devices/device/cuff_{CUFF}/config"])
    entities = home.entities()
    check("systolic is in mmHg and carries the id", (entities["systolic"]["attributes"]["unit_of_measurement"], entities["systolic"]["attributes"].get("id"))
          == ("mmHg", first["id"]), entities["systolic"])
    check("the event is a reading", entities["reading"]["attributes"].get("event_type") == "reading", entities["reading"])
    fired = entities["reading"]["state"]
    second = reading("20260505T080000-0000000000000002", 133, 85, 66, mean_mmHg=101, measured="2026-05-05T08:00:00+02:00")
    helper.send(second)
    home.shows("the next reading", systolic="133", diastolic="85", mean="101", irregular="off")
    older = reading("20260504T070000-0000000000000003", 99, 61, 60, measured="2026-05-04T07:00:00+02:00")
    helper.send(older)
    helper.send({"type": "measurement", "schema": 1, "id": "20260505T081500-0000000000000004", "driver": "phd", "device": CUFF, "user": 1,
                 "event": "failed", "reason": "cuff_loose", "measured": "2026-05-05T08:15:00+02:00"})
    wait_for("the event of a failure", lambda: home.entities()["reading"]["attributes"].get("reason") == "cuff_loose", 30)
    check("a failure is an event with its reason", home.entities()["reading"]["attributes"]["event_type"] == "failed")
    check("each is an event of its own", home.entities()["reading"]["state"] > fired)
    home.shows("neither an older reading nor a failure replaces the newest", systolic="133", diastolic="85")
    device = home.device(entities["systolic"]["entity_id"])
    home.stop()
    home.start("us_customary", *AUTOMATION.format(device=device).splitlines())
    home.shows("after a restart, in a home with US units, the newest is back in mmHg", systolic="133", diastolic="85")
    check("no inches of mercury", home.entities()["systolic"]["attributes"]["unit_of_measurement"] == "mmHg")
    rule = {"type": "alert", "schema": 1, "driver": "phd", "device": CUFF, "rule": "high", "measured": "2026-05-05T08:00:00+02:00", "readings": [second["id"]], "text": "high"}
    triggered = lambda: home.states()["automation.alert"]["attributes"]["last_triggered"]
    helper.send(rule | {"id": "20260505T080000-0000000000000006", "event": "cleared"})
    wait_for("the event of an alert", lambda: home.entities()["alert"]["attributes"].get("event_type") == "cleared", 30)
    check("`cleared` does not trigger an automation for `raised`", triggered() is None, triggered())
    helper.send(rule | {"id": "20260505T080000-0000000000000007", "event": "raised"})
    wait_for("the automation of an alert", triggered, 30)
    check("a raised alert triggers an automation of the device", home.entities()["alert"]["attributes"].get("rule") == "high", home.entities()["alert"])
    helper.send({"type": "deleted", "schema": 1, "id": second["id"], "revision": 255, "of": "blood_pressure", "driver": "phd", "device": CUFF,
                 "user": 1, "measured": second["measured"], "parts": ["pulse_rate"]})
    home.shows("a deleted reading is no longer shown", systolic="unknown", diastolic="unknown", pulse="unknown", mean="unknown")
    helper.send(reading("20260505T090000-0000000000000005", 127, 80, 70, measured="2026-05-05T09:00:00+02:00"))
    home.shows("the next reading after that", systolic="127", diastolic="80")
    helper.end()
    home.shows("without the sink everything is unavailable", **{word: "unavailable" for word in ("systolic", "diastolic", "pulse", "mean", "measured")})
    done = subprocess.run([BINARY, "--forget", CUFF, ADDRESS], env=ENVIRONMENT, capture_output=True, text=True)
    check("forgetting the cuff succeeds", done.returncode == 0, done.stderr)
    wait_for("the removal of the entities", lambda: not home.entities(), 30)
    print("ok   forgetting the cuff removes its entities")
    check("nothing of it is retained", not broker.retained("devices/#"), broker.retained("devices/#"))
    errors = [line for line in (HOME / "out").read_text().splitlines() if " ERROR " in line and "mqtt" in line.lower()]
    check("Home Assistant logged no error of MQTT", not errors, errors[:3])


broker, home = Broker(), HomeAssistant()
bridge = Bridge()
try:
    run(broker, home)
except AssertionError as fault:
    failures.append(str(fault))
    print(f"FAIL {fault}")
finally:
    try:
        home.stop()
        bridge.stop()
    finally:
        broker.process.terminate()
        broker.process.wait(60)
if failures and (HOME / "out").exists(): print((HOME / "out").read_text()[-3000:])
shutil.rmtree(HOME, ignore_errors=True)
sys.exit(1 if failures else 0)
