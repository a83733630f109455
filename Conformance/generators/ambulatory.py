"""Ambulatory recordings: a day and a night of automatic measurements, some of which fail."""

import random
from datetime import timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from exact import at, instant, later, mean, stamp, text, variability, wall

# The least numbers and the hours without a diary, in minutes after midnight. esh-2021 and the 70 % of htn-canada-2017 are from memory.
RULES = {
    "esc-2024": dict(percent=70, day=8, night=4, hours=((420, 1380), (1380, 1860))),
    "nice-ng136": dict(day=14, night=0, hours=((480, 1320), (1320, 1920))),
    "htn-canada-2017": dict(percent=70, day=20, night=7, hours=((480, 1320), (1320, 1920))),
    "esh-2021": dict(percent=70, day=20, night=7, hours=((540, 1260), (60, 360))),
}
# A measurement within five minutes of a failure repeats it.
RETRY = 300
PRESSURES = ("systolic_mmHg", "diastolic_mmHg")


def minutes(clock):
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


def hours_of(case):
    """Day and night as ranges of minutes; an end beyond 1,440 is on the next day."""
    if "asleep" not in case:
        return RULES[case["rule"]]["hours"]
    asleep, awake = minutes(case["asleep"]), minutes(case["awake"])
    day = (awake, asleep if asleep > awake else asleep + 1440)
    return day, (asleep, awake if awake > asleep else awake + 1440)


def part_of(time, zone, hours):
    clock = wall(time, zone)
    minute = clock.hour * 60 + clock.minute
    for name, (low, high) in zip(("night", "day"), reversed(hours)):
        if low <= minute < high or low <= minute + 1440 < high:
            return name
    return None


def waking_of(first, zone, hours):
    """The beginning and the end of the night of the first reading at night."""
    clock, (low, high) = wall(first, zone), hours[1]
    minute, end = clock.hour * 60 + clock.minute, high % 1440
    midnight = clock.replace(hour=0, minute=0, second=0)
    stop = midnight + timedelta(minutes=end if end > minute else end + 1440)
    return [when.replace(tzinfo=ZoneInfo(zone)).timestamp() for when in (stop - timedelta(minutes=high - low), stop)]


def expected_number(case, events, hours):
    """By the plan for 24 hours, or the measurements that were tried, where one that repeats a failure counts once."""
    if "every_min" in case:
        time = instant(events[0]["measured"])
        end, count = max(time + 86400, instant(events[-1]["measured"]) + 1), 0
        while time < end:
            count += 1
            stamped = stamp(at("UTC", "1970-01-01T00:00") + timedelta(seconds=time), case["zone"])
            at_night = part_of(stamped, case["zone"], hours) == "night"
            time += 60 * (case.get("every_night_min", case["every_min"]) if at_night else case["every_min"])
        return count
    count, failed_at = 0, None
    for event in events:
        time = instant(event["measured"])
        count += failed_at is None or time - failed_at > RETRY
        failed_at = time if "failed" in event else None
    return count


def dipping(fall):
    """ESC 2024: a ratio of night to day of 0.8 to 0.9 is the usual fall, both ends included."""
    return "extreme_dipper" if fall > 20 else "dipper" if fall >= 10 else "non_dipper" if fall >= 0 else "riser"


def evaluate(case):
    zone, rule, hours = case["zone"], RULES[case["rule"]], hours_of(case)
    events = sorted(case["events"], key=lambda one: instant(one["measured"]))
    points = [one | {"part": part_of(one["measured"], zone, hours)} for one in events if "systolic_mmHg" in one and "flags" not in one]
    parts = {"24h": points} | {name: [one for one in points if one["part"] == name] for name in ("day", "night")}
    exact = {name: {key: mean(Fraction(str(one[key])) for one in part) for key in PRESSURES} for name, part in parts.items()}
    expected = expected_number(case, events, hours)
    result = {"expected": expected, "valid": len(points), "failed": sum("failed" in one for one in events)}
    enough = len(points) * 100 >= rule.get("percent", 0) * expected
    valid = enough and len(parts["day"]) >= rule["day"] and len(parts["night"]) >= rule["night"] and len(points) > 1
    result["valid_recording"] = valid
    for name, part in parts.items():
        result[f"mean_{name}"] = {"readings": len(part)} | {key: text(value) for key, value in exact[name].items()} if part else None
    spans = [high - low for low, high in hours]
    at_night = [one for one in points if one["part"] == "night"]
    if at_night:
        begin, end = waking_of(at_night[0]["measured"], zone, hours)
        whole = sum(spans) == 1440
        spans = [1440 - int(end - begin) // 60 if whole else spans[0], int(end - begin) // 60]
    if parts["day"] and parts["night"]:
        weighted = {key: (exact["day"][key] * spans[0] + exact["night"][key] * spans[1]) / sum(spans) for key in PRESSURES}
        result["mean_by_hours"] = {key: text(value) for key, value in weighted.items()}
        ratio = exact["night"]["systolic_mmHg"] / exact["day"]["systolic_mmHg"]
        result |= {
            "night_day_ratio": text(ratio),
            "fall_percent": text(100 * (1 - ratio)),
            "dipping": dipping(100 * (1 - ratio)) if valid else None,
        }
    if at_night:
        result |= surges(points, at_night, end)
    for key in PRESSURES:
        values = {name: variability([Fraction(str(one[key])) for one in part]) for name, part in parts.items()}
        found = {"all": values["24h"], "day": values["day"], "night": values["night"]}
        if found["day"] and found["night"]:
            found["weighted_sd"] = round((found["day"]["sd"] * spans[0] + found["night"]["sd"] * spans[1]) / sum(spans), 6)
        gaps = [
            (abs(Fraction(str(b[key])) - Fraction(str(a[key]))), int(instant(b["measured"]) - instant(a["measured"])))
            for a, b in zip(points, points[1:])
        ]
        if sum(gap for _, gap in gaps):
            found["arv_by_time"] = text(sum(step * gap for step, gap in gaps) / sum(gap for _, gap in gaps))
        result[key.replace("mmHg", "variability")] = found if found["all"] else None
    return result


def surges(points, at_night, waking):
    """The rise in the morning by two published definitions: Kario 2003 (sleep trough), and the two hours before waking."""
    value = lambda one: Fraction(str(one["systolic_mmHg"]))  # noqa: E731
    after = [value(one) for one in points if waking <= instant(one["measured"]) < waking + 7200]
    before = [value(one) for one in points if waking - 7200 <= instant(one["measured"]) < waking]
    asleep = [value(one) for one in at_night if instant(one["measured"]) < waking]
    if not after or not asleep:
        return {"sleep_trough_surge_mmHg": None, "prewaking_surge_mmHg": None}
    lowest = asleep.index(min(asleep))
    trough = asleep[max(0, lowest - 1) : lowest + 2]
    return {
        "sleep_trough_surge_mmHg": text(mean(after) - mean(trough)),
        "trough_mmHg": [float(one) for one in trough],
        "prewaking_surge_mmHg": text(mean(after) - mean(before)) if before else None,
    }


def recording(dice, zone, start, every=(20, 30), night=(1380, 420), levels=(138, 118), lost=0.05, hours=24, retries=False, rise=14):
    """Readings about two levels, with failures."""
    begin, events = at(zone, start), []
    time = begin
    while time < later(begin, hours=hours):
        clock = time.astimezone(ZoneInfo(zone))
        minute = clock.hour * 60 + clock.minute
        asleep = minute >= night[0] or minute < night[1]
        systolic = levels[asleep] + dice.randint(-9, 9) + (rise if night[1] <= minute < night[1] + 120 else 0)
        if dice.random() < lost:
            events.append({"measured": stamp(time, zone), "failed": dice.choice(["movement", "cuff_loose", "no_result"])})
            if retries:
                events.append({"measured": stamp(later(time, minutes=2), zone), "systolic_mmHg": systolic, "diastolic_mmHg": systolic - 50})
        else:
            events.append({"measured": stamp(time, zone), "systolic_mmHg": systolic, "diastolic_mmHg": systolic - 50 + dice.randint(-5, 5)})
        time = later(time, minutes=every[asleep])
    return events


def even(zone, day, night):
    """One pressure by day and one at night, every half hour."""
    events = recording(random.Random(0), zone, "2026-06-01T10:00", every=(30, 30), lost=0)
    for one in events:
        hour = wall(one["measured"], zone).hour
        one["systolic_mmHg"], one["diastolic_mmHg"] = (night, 70) if hour >= 23 or hour < 7 else (day, 85)
    return events


def recordings():
    """(name, what it shows, the case without id and expected)."""
    berlin, diary = "Europe/Berlin", {"asleep": "23:00", "awake": "07:00"}
    plan = {"every_min": 20, "every_night_min": 30}
    draw = lambda seed, zone=berlin, start="2026-06-01T09:30", **more: recording(
        random.Random(f"day {seed}"), zone, start, **more
    )  # noqa: E731
    for rule in RULES:
        yield f"usual-{rule}", "20 minutes by day, 30 at night, by the diary", {"rule": rule, **diary, **plan, "events": draw(rule)}
        yield f"fixed-hours-{rule}", "the same without a diary: the hours of the rule", {"rule": rule, **plan, "events": draw(rule)}
    yield "tried", "no plan: the measurements that were tried, repeats within five minutes counted once", {
        "rule": "esc-2024",
        **diary,
        "events": draw(1, lost=0.2, retries=True),
    }
    yield "too-few", "more than 30 % failed", {"rule": "esc-2024", **diary, **plan, "events": draw(2, lost=0.4)}
    yield "no-night", "ended before the night", {"rule": "esc-2024", **diary, **plan, "events": draw(3, hours=10)}
    yield "sleeps-late", "a night from 01:30 to 09:15", {
        "rule": "esc-2024",
        "asleep": "01:30",
        "awake": "09:15",
        **plan,
        "events": draw(4, night=(1500, 555)),
    }
    yield "sleeps-by-day", "a night from 08:00 to 15:00, after a night shift", {
        "rule": "esc-2024",
        "asleep": "08:00",
        "awake": "15:00",
        **plan,
        "events": draw(5),
    }
    for day, night, name in (
        (100, 80, "20-percent"),
        (1000, 799, "more-than-20-percent"),
        (100, 90, "10-percent"),
        (1000, 901, "less-than-10-percent"),
        (120, 120, "none"),
        (120, 121, "rise"),
    ):
        scale = 10 if day == 1000 else 1
        yield f"fall-{name}", "the border of a class of the fall at night", {
            "rule": "esc-2024",
            **diary,
            "every_min": 30,
            "events": even(berlin, day / scale if scale > 1 else day, night / scale if scale > 1 else night),
        }
    marked = draw(6)
    for place, flag in ((3, "invalid"), (20, "test_data"), (50, "not_available")):
        marked[place] = {"measured": marked[place]["measured"], "systolic_mmHg": 210, "diastolic_mmHg": 120, "flags": [flag]}
    yield "left-out", "values that the cuff calls invalid, or that are a test", {"rule": "esc-2024", **diary, **plan, "events": marked}
    yield "clock-back", "the night has nine hours (Berlin, 2026-10-25)", {
        "rule": "esc-2024",
        **diary,
        "events": draw(7, start="2026-10-24T09:30"),
    }
    yield "clock-forward", "the night has seven hours (New York, 2026-03-08)", {
        "rule": "esc-2024",
        "zone": "America/New_York",
        **diary,
        "events": draw(8, zone="America/New_York", start="2026-03-07T09:30"),
    }


def cases(more=None):
    if more:
        found = [
            (
                "random",
                "drawn",
                {
                    "rule": more.choice(sorted(RULES)),
                    "asleep": more.choice(["22:15", "23:00", "00:40"]),
                    "awake": more.choice(["05:50", "07:00"]),
                    "events": recording(
                        more,
                        "Europe/Berlin",
                        more.choice(["2026-06-01T09:30", "2026-03-28T11:00", "2026-10-24T08:10"]),
                        every=more.choice([(20, 30), (15, 60), (30, 30)]),
                        lost=more.choice([0, 0.1, 0.3]),
                        retries=more.random() < 0.5,
                    ),
                },
            )
        ]
    else:
        found = recordings()
    for name, about, case in found:
        whole = {"id": f"ambulatory/{name}", "kind": "ambulatory", "about": about, "zone": "Europe/Berlin"} | case
        yield whole | {"expected": evaluate(whole)}
