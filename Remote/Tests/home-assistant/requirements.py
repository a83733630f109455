"""requirements.py FOLDER: what pip has to install for the parts of Home Assistant that the check uses, and for all that these depend on;
Home Assistant itself would install it at its first start. FOLDER holds the unpacked wheel."""
import json, pathlib, sys

components = pathlib.Path(sys.argv[1]) / "homeassistant/components"
# `analytics` and `cloud` are loaded by its core, whatever the configuration says.
waiting = ["api", "analytics", "automation", "cloud", "config", "event", "frontend", "http", "mqtt", "onboarding", "person", "recorder", "sensor"]
seen, needed = set(), set()
while waiting:
    name = waiting.pop()
    if name in seen: continue
    seen.add(name)
    manifest = json.loads((components / name / "manifest.json").read_text())
    needed |= set(manifest.get("requirements", []))
    waiting += manifest.get("dependencies", [])
print("\n".join(sorted(needed)))
