"""Statistics of stored readings in buckets of the wall clock."""

import random
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from exact import at, deviation, instant, later, mean, stamp, wall

QUANTITIES = ("systolic_mmHg", "diastolic_mmHg", "mean_mmHg", "pulse_per_min")


def label(time, zone, by):
    clock = wall(time, zone)
    if by == "day":
        return f"{clock:%Y-%m-%d}"
    if by == "week":
        return "%04d-W%02d" % clock.isocalendar()[:2]
    if by == "month":
        return f"{clock:%Y-%m}"
    if by == "hour":
        return datetime.fromisoformat(time).astimezone(ZoneInfo(zone)).replace(minute=0, second=0).isoformat(timespec="minutes")
    return f"{clock:%H}"


def described(points, by):
    """Count, extremes, the latest value, mean, sample deviation, and in days the mean over time by the trapezoidal rule."""
    values = [Fraction(str(value)) for _, value in points]
    seconds = [int(instant(time)) for time, _ in points]
    average = mean(values)
    steps = list(zip(seconds, values))
    area = sum(((a[1] + b[1]) / 2 * (b[0] - a[0]) for a, b in zip(steps, steps[1:])), Fraction(0))
    sd = deviation(values)
    found = {
        "count": len(values),
        "min": points[values.index(min(values))][1],
        "max": points[values.index(max(values))][1],
        "last": points[-1][1],
        "avg": round(float(average), 6),
        "sd": None if sd is None else round(sd, 6),
    }
    weighted = area / (seconds[-1] - seconds[0]) if seconds[-1] > seconds[0] else average
    return found | ({"weighted_avg": round(float(weighted), 6)} if by == "day" else {})


def evaluate(readings, zone, by):
    found = {}
    for reading in sorted(readings, key=lambda one: instant(one["measured"])):
        found.setdefault(label(reading["measured"], zone, by), []).append(reading)
    rows = []
    for name, part in sorted(found.items()):
        row = {"bucket": name, "count": len(part)}
        for key in QUANTITIES:
            points = [(one["measured"], one[key]) for one in part if key in one]
            row[key] = described(points, by) if points else None
        rows.append(row)
    return {"buckets": rows}


def drawn(dice, zone, start, count, spread):
    """Readings at different minutes, with mean and pulse; the pulse is sometimes absent."""
    begin, found = at(zone, start), []
    for minute in sorted(dice.sample(range(spread), count)):
        diastolic = dice.randint(55, 105)
        systolic = diastolic + dice.randint(20, 80)
        reading = {
            "measured": stamp(later(begin, minutes=minute), zone),
            "systolic_mmHg": systolic,
            "diastolic_mmHg": diastolic,
            "mean_mmHg": diastolic + (systolic - diastolic) // 3,
            "pulse_per_min": dice.randint(45, 120),
        }
        if twice(reading["measured"], zone):
            continue
        found.append(reading)
    return found


def twice(time, zone):
    """Whether the wall clock shows this time twice, or not at all: a cuff's clock cannot say which."""
    clock = wall(time, zone).replace(tzinfo=ZoneInfo(zone))
    return clock.replace(fold=0).utcoffset() != clock.replace(fold=1).utcoffset()


def cases(more=None):
    if more:
        found = [
            (
                "random",
                "drawn",
                more.choice(["Europe/Berlin", "America/New_York"]),
                more.choice(["2026-03-20", "2026-10-20"]),
                40,
                30000,
                more,
            )
        ]
    else:
        dice = random.Random(33)
        found = [
            ("two-weeks", "readings over sixteen days", "Europe/Berlin", "2026-05-04", 60, 23000, dice),
            ("clock-forward", "a day of 23 hours (Berlin, 2026-03-29)", "Europe/Berlin", "2026-03-28", 50, 4300, dice),
            ("clock-back", "a day of 25 hours (New York, 2026-11-01)", "America/New_York", "2026-10-31", 50, 4400, dice),
            ("new-year", "weeks of two years (ISO 8601)", "Asia/Kolkata", "2026-12-25", 40, 20000, dice),
            ("one", "one reading: no deviation", "Europe/Berlin", "2026-05-04", 1, 600, dice),
        ]
    for name, about, zone, start, count, spread, dice in found:
        readings = drawn(dice, zone, start + "T00:00", count, spread)
        cuts = ("day", "week", "month", "hour", "hour-of-day")
        yield {
            "id": f"statistics/{name}",
            "kind": "statistics",
            "about": about,
            "zone": zone,
            "by": list(cuts),
            "readings": readings,
            "expected": {by: evaluate(readings, zone, by) for by in cuts},
        }
