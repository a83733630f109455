"""A small, strict FHIR R4 server for the checks: transactions with conditional create, update and references, and nothing that
the standard does not allow. Durable: what it answered for survives kill -9.

    fhir_server.py PORT DATABASE [none|basic:USER:PASSWORD|bearer:TOKEN|smart:CLIENT:PUBLIC-KEY-FILE]
"""
import base64, http.server, json, re, sqlite3, subprocess, sys, tempfile, threading, time, urllib.parse, uuid

LOINC, MDC, UCUM = "http://loinc.org", "urn:iso:std:iso:11073:10101", "http://unitsofmeasure.org"
DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
UUID = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

class Fault(Exception):
    def __init__(self, status, text): self.status, self.text = status, text

def need(holds, text, status=422):
    if not holds: raise Fault(status, text)

parse = json.loads

def codes(concept, system): return [c["code"] for c in concept.get("coding", []) if c.get("system") == system]

def observation(r):
    known = {"resourceType", "id", "meta", "extension", "identifier", "status", "category", "code", "subject", "effectiveDateTime", "device", "performer",
             "component", "valueQuantity", "derivedFrom", "interpretation", "note", "dataAbsentReason", "bodySite"}
    need(not set(r) - known, "unknown element %s" % (set(r) - known))
    need(r.get("status") in ("final", "preliminary", "entered-in-error"), "status %r" % r.get("status"))
    need("code" in r and "reference" in r.get("subject", {}), "no code or subject")
    need(DATETIME.fullmatch(r.get("effectiveDateTime", "")), "effectiveDateTime %r" % r.get("effectiveDateTime"))
    profiles = r.get("meta", {}).get("profile", [])
    vital = any("vital-signs" in codes(c, "http://terminology.hl7.org/CodeSystem/observation-category") for c in r.get("category", []))
    need(not r.get("component") == [], "an empty list")
    for q in [r] + r.get("component", []):
        need(not ("valueQuantity" in q and "dataAbsentReason" in q), "a value and its absence")
        if "valueQuantity" in q:
            v = q["valueQuantity"]
            need(isinstance(v.get("value"), (int, float)) and v.get("system") == UCUM and v.get("code"), "quantity %r" % v)
    if any(p.endswith("/bp") for p in profiles):
        need(vital and "85354-9" in codes(r["code"], LOINC), "bp: category or code")
        need("valueQuantity" not in r, "bp: a panel has no value of its own")
        for want in ("8480-6", "8462-4"):
            need(len([c for c in r.get("component", []) if want in codes(c["code"], LOINC)]) == 1, "bp: component " + want)
        for c in r["component"]:
            need(("valueQuantity" in c) != ("dataAbsentReason" in c), "bp: neither value nor absence")
            if "valueQuantity" in c:
                need(c["valueQuantity"]["code"] == "mm[Hg]", "bp: unit")
                need(c["valueQuantity"]["value"] < 400, "bp: %s mmHg is above the limit of this server" % c["valueQuantity"]["value"])
    if any(p.endswith("/heartrate") for p in profiles):
        need(vital and "8867-4" in codes(r["code"], LOINC), "heartrate: category or code")
        need("dataAbsentReason" in r or r.get("valueQuantity", {}).get("code") == "/min", "heartrate: value")
    if any("/phd/" in p for p in profiles):
        need(any("phd" in codes(c, "http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories") for c in r.get("category", [])), "phd: category")
        need(any("gatewayDevice" in e["url"] for e in r.get("extension", [])) and "device" in r, "phd: gateway or device")

class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.db.executescript("""PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
            CREATE TABLE IF NOT EXISTS resource (type TEXT, id TEXT, version INTEGER, body TEXT, PRIMARY KEY (type, id));
            CREATE TABLE IF NOT EXISTS identifier (type TEXT, system TEXT, value TEXT, id TEXT);
            CREATE INDEX IF NOT EXISTS by_value ON identifier (type, system, value);""")
        self.lock = threading.Lock()

    def find(self, kind, query):
        items = urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=True)
        values = [v for k, v in items if k == "identifier"]
        need(len(values) == 1 and "|" in values[0], "this server searches by one identifier alone, not by %r" % query, 400)
        system, value = values[0].split("|", 1)
        return [row[0] for row in self.db.execute("SELECT id FROM identifier WHERE type = ? AND system = ? AND value = ?", (kind, system, value))]

    def body(self, kind, id):
        row = self.db.execute("SELECT body, version FROM resource WHERE type = ? AND id = ?", (kind, id)).fetchone()
        return row and {**parse(row[0]), "id": id, "meta": {**parse(row[0]).get("meta", {}), "versionId": str(row[1])}}

    def save(self, resource, id):
        kind = resource["resourceType"]
        row = self.db.execute("SELECT version FROM resource WHERE type = ? AND id = ?", (kind, id)).fetchone()
        self.db.execute("INSERT OR REPLACE INTO resource VALUES (?, ?, ?, ?)", (kind, id, row[0] + 1 if row else 1, json.dumps(resource)))
        self.db.execute("DELETE FROM identifier WHERE type = ? AND id = ?", (kind, id))
        for one in resource.get("identifier", []):
            self.db.execute("INSERT INTO identifier VALUES (?, ?, ?, ?)", (kind, one["system"], one["value"], id))

    def transaction(self, bundle):
        need(bundle.get("resourceType") == "Bundle" and bundle.get("type") == "transaction" and bundle.get("entry"), "not a transaction", 400)
        entries = bundle["entry"]
        urls = [e.get("fullUrl", "") for e in entries]
        need(len(urls) == len(set(urls)) and all(UUID.fullmatch(u) for u in urls), "fullUrl")
        # First where everything is, then what refers to it.
        places, todo, seen = {}, [], set()
        for e in entries:
            resource, request = e["resource"], e["request"]
            kind = resource["resourceType"]
            first = resource["identifier"][0]
            query = request["ifNoneExist"] if request["method"] == "POST" else request["url"].split("?", 1)[1]
            need(request["url"].split("?")[0] == kind, "url %r" % request["url"], 400)
            criterion = urllib.parse.parse_qs(query)["identifier"][0]
            need(criterion == "%s|%s" % (first["system"], first["value"]), "the criterion %r is not the identifier" % criterion)
            need(criterion not in seen, "two entries of one identity", 400)
            seen.add(criterion)
            found = self.find(kind, query)
            need(len(found) < 2, "several match", 412)
            places[e["fullUrl"]] = (kind, found[0] if found else str(uuid.uuid4()))
            todo.append((e, found))
        for e, found in todo:
            resource = self.resolved(e["resource"], places)
            if resource["resourceType"] == "Observation": observation(resource)
            else: need(resource["resourceType"] == "Device" and resource.get("type") is not None, "this server takes Observation and Device")
            if e["request"]["method"] == "PUT" or not found: self.save(resource, places[e["fullUrl"]][1])
        return {"resourceType": "Bundle", "type": "transaction-response", "entry": [
            {"response": {"status": "200 OK" if found else "201 Created", "location": "%s/%s/_history/1" % places[e["fullUrl"]]}} for e, found in todo]}

    def resolved(self, value, places):
        if isinstance(value, list): return [self.resolved(v, places) for v in value]
        if not isinstance(value, dict): return value
        out = {k: self.resolved(v, places) for k, v in value.items()}
        reference = value.get("reference")
        if not isinstance(reference, str): return out
        if reference.startswith("urn:"):
            need(reference in places, "points nowhere: " + reference)
            out["reference"] = "%s/%s" % places[reference]
        elif "?" in reference:
            kind, query = reference.split("?", 1)
            found = self.find(kind, query)
            need(found, "%s does not exist" % reference, 404)
            need(len(found) == 1, "%s: several match" % reference, 412)
            out["reference"] = "%s/%s" % (kind, found[0])
        else:
            # Some servers call this the sender's fault, and say 400.
            need(self.body(*reference.split("/", 1)), "Resource %s not found" % reference, 400)
        return out

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    tokens = {}
    def log_message(self, *a): pass

    def reply(self, status, value, kind="application/fhir+json"):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fault(self, status, text):
        self.reply(status, {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "processing", "diagnostics": text}]})

    def allowed(self):
        kind, _, rest = self.server.auth.partition(":")
        given = self.headers.get("Authorization", "")
        if kind == "none": return given == ""
        if kind == "basic": return given == "Basic " + base64.b64encode(rest.encode()).decode()
        if kind == "bearer": return given == "Bearer " + rest
        return given.startswith("Bearer ") and self.tokens.get(given[7:], 0) > time.time()

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/fhir/.well-known/smart-configuration":
            return self.reply(200, {"token_endpoint": "http://127.0.0.1:%d/token" % self.server.server_address[1]}, "application/json")
        # Open to everybody (FHIR R4, http.html#capabilities).
        if path == "/fhir/metadata":
            return self.reply(200, {"resourceType": "CapabilityStatement", "status": "active", "date": "2026-01-01", "kind": "instance", "fhirVersion": "4.0.1",
                                    "format": ["json"], "rest": [{"mode": "server", "interaction": [{"code": "transaction"}]}]})
        if not self.allowed(): return self.fault(401, "who are you?")
        try:
            with self.server.store.lock:
                words = path.removeprefix("/fhir/").split("/")
                if len(words) == 2:
                    body = self.server.store.body(*words)
                    return self.reply(200, body) if body else self.fault(404, "%s is not here" % "/".join(words))
                store = self.server.store
                found = store.find(words[0], query) if query else [r[0] for r in store.db.execute("SELECT id FROM resource WHERE type = ?", words)]
                self.reply(200, {"resourceType": "Bundle", "type": "searchset", "total": len(found),
                                 "entry": [{"resource": store.body(words[0], id), "search": {"mode": "match"}} for id in found]})
        except Fault as fault: self.fault(fault.status, fault.text)

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/token": return self.token(data)
        if not self.allowed(): return self.fault(401, "who are you?")
        if self.path != "/fhir": return self.fault(404, "nothing is at " + self.path)
        if self.headers.get("Content-Type") != "application/fhir+json": return self.fault(415, "Content-Type")
        with self.server.store.lock:
            db = self.server.store.db
            db.execute("BEGIN IMMEDIATE")
            try:
                answer = self.server.store.transaction(parse(data))
                db.execute("COMMIT")
            except (Fault, KeyError, ValueError, IndexError, TypeError) as fault:
                db.execute("ROLLBACK")
                return self.fault(getattr(fault, "status", 400), getattr(fault, "text", repr(fault)))
        self.reply(200, answer)

    def token(self, data):
        """RFC 7523: the signature is checked by openssl, not by the code that made it."""
        items = dict(urllib.parse.parse_qsl(data.decode(), strict_parsing=True))
        def part(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        try:
            _, client, key = self.server.auth.split(":", 2)
            head, claims, signature = items["client_assertion"].split(".")
            said, who, seal = json.loads(part(head)), json.loads(part(claims)), part(signature)
            need(items["grant_type"] == "client_credentials" and "system/Observation" in items["scope"], "grant or scope")
            need(items["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "assertion type")
            need(who["iss"] == who["sub"] == client, "client %r" % who)
            need(who["aud"] == "http://127.0.0.1:%d/token" % self.server.server_address[1], "aud %r" % who["aud"])
            need(time.time() < who["exp"] <= time.time() + 300 and len(who["jti"]) >= 16, "exp or jti")
            if said["alg"] == "ES384":
                need(len(seal) == 96, "the signature has %d bytes" % len(seal))
                r, s = (int.from_bytes(seal[i:i + 48], "big") for i in (0, 48))
                def number(n):
                    raw = n.to_bytes(n.bit_length() // 8 + 1, "big")
                    return bytes([2, len(raw)]) + raw
                inner = number(r) + number(s)
                seal = bytes([0x30, len(inner)]) + inner
            else: need(said["alg"] == "RS384", "alg")
            with tempfile.NamedTemporaryFile() as f:
                f.write(seal)
                f.flush()
                done = subprocess.run(["openssl", "dgst", "-sha384", "-verify", key, "-signature", f.name], input=(head + "." + claims).encode(), capture_output=True, timeout=30)
            need(done.returncode == 0, "the signature is wrong")
        except (Fault, KeyError, ValueError) as fault:
            return self.reply(400, {"error": "invalid_client", "error_description": getattr(fault, "text", repr(fault))}, "application/json")
        token = str(uuid.uuid4())
        self.tokens[token] = time.time() + 20
        self.reply(200, {"access_token": token, "token_type": "bearer", "expires_in": 20}, "application/json")

if __name__ == "__main__":
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 64
        def handle_error(self, request, client_address): pass
    server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
    server.store = Store(sys.argv[2])
    server.auth = sys.argv[3] if len(sys.argv) > 3 else "none"
    for id in ("p1", "p2"):
        if not server.store.body("Patient", id):
            server.store.save({"resourceType": "Patient", "identifier": [{"system": "urn:oid:1.2.36.146.595.217.0.1", "value": id + "+x"}]}, id)
    server.serve_forever(0.05)
