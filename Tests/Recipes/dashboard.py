"""dashboard.py FILE: reads a dashboard with the types of grafana-foundation-sdk, and compares what they keep of it. Exits with 1 for a
member that they do not know or that has another type."""
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def differences(mine, kept, place=""):
    if isinstance(mine, dict) and isinstance(kept, dict):
        return [one for key in mine for one in (differences(mine[key], kept[key], f"{place}/{key}") if key in kept else [f"{place}/{key} is unknown"])]
    if isinstance(mine, list) and isinstance(kept, list) and len(mine) == len(kept):
        return [one for number in range(len(mine)) for one in differences(mine[number], kept[number], f"{place}/{number}")]
    return [] if mine == kept else [f"{place}: {mine!r} became {kept!r}"]


register_default_plugins()
source = json.load(open(sys.argv[1]))
found = differences(source, json.loads(JSONEncoder().encode(Dashboard.from_json(source))))
print("\n".join(found))
sys.exit(bool(found))
