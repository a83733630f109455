"""Statistics of readings, computed without a line of the program: Python's zoneinfo, fsum and statistics modules.

stdin:  one reading a line: milliseconds since 1970, systolic, diastolic, mean or -, pulse or -, source, trigger, id
argv:   zone, bucketing
stdout: one line per bucket and source (-1: merged), fields separated by blanks
"""
import math
import statistics
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

zone, bucketing = ZoneInfo(sys.argv[1]), sys.argv[2]


def label(ms):
    t = datetime.fromtimestamp(ms / 1000, tz=timezone.utc).astimezone(zone)
    if bucketing == "day":
        return t.strftime("%Y-%m-%d")
    if bucketing == "week":
        return "%04d-W%02d" % t.isocalendar()[:2]
    if bucketing == "month":
        return t.strftime("%Y-%m")
    if bucketing == "hour":
        z = t.strftime("%z")
        return t.strftime("%Y-%m-%dT%H:00") + z[:3] + ":" + z[3:]
    if bucketing == "hour-of-day":
        return t.strftime("%H")
    return "morning" if 6 <= t.hour < 12 else "afternoon" if 12 <= t.hour < 18 else "evening" if 18 <= t.hour < 22 else "night"


buckets = {}
for line in sys.stdin:
    ms, *values, source, trigger, key = line.split()
    row = (int(ms), [None if v == "-" else float(v) for v in values], trigger, key)
    for s in (int(source), -1):
        buckets.setdefault((label(int(ms)), s), []).append(row)


def describe(points):
    if not points:
        return ["0"]
    points.sort(key=lambda p: (p[0], p[2]))
    values = [v for _, v, _ in points]
    low, high = min(values), max(values)
    area = math.fsum((a[1] + b[1]) / 2 * (b[0] - a[0]) for a, b in zip(points, points[1:]))
    span = points[-1][0] - points[0][0]
    mean = math.fsum(values) / len(values)
    return [
        str(len(values)), repr(low), next(k for _, v, k in points if v == low), repr(high),
        next(k for _, v, k in points if v == high), repr(mean), repr(area / span if span else mean),
        repr(statistics.stdev(values)) if len(values) > 1 else "-", points[-1][2],
    ]


for (name, source), rows in sorted(buckets.items()):
    fields = [name, str(source), str(len(rows)), str(sum(r[2] == "manual" for r in rows)), str(sum(r[2] == "automatic" for r in rows))]
    for index in range(4):
        fields += describe([(ms, v[index], k) for ms, v, _, k in rows if v[index] is not None])
    print(*fields)
