"""Home averages: plans of readings, and what each rule of data/rules.json makes of them."""

import json
import random
from collections import Counter
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

from exact import at, half_up, instant, later, mean, stamp, text, variability, wall

DATA = Path(__file__).resolve().parent.parent / "data"
RULES = json.loads((DATA / "rules.json").read_text())
THRESHOLDS = {one["guideline"]: one["thresholds"] for one in json.loads((DATA / "guidelines.json").read_text())}
PAUSE = 600
NEVER = {
    "implausible": "implausible",
    "invalid": "invalid",
    "not_available": "invalid",
    "test_data": "test_data",
    "demo_data": "test_data",
    "calibration_ongoing": "test_data",
    "early_indication": "provisional",
    "ongoing": "provisional",
}


def sessions_of(readings, zone):
    """Sessions of (window, day, readings), and the number of readings that can never count, by reason."""
    out, good = Counter(), []
    for reading in sorted(readings, key=lambda one: instant(one["measured"])):
        reasons = [NEVER[flag] for flag in reading.get("flags", []) if flag in NEVER]
        if reasons:
            out[min(reasons, key=["implausible", "invalid", "test_data", "provisional"].index)] += 1
        else:
            good.append(reading)
    averaged = [instant(one["measured"]) for one in good if "averaged" in one.get("flags", [])]
    kept = []
    for reading in good:
        time = instant(reading["measured"])
        if "averaged" not in reading.get("flags", []) and any(0 <= other - time <= PAUSE for other in averaged):
            out["part_of_average"] += 1
        else:
            kept.append(reading)
    groups = []
    for reading in kept:
        if not groups or instant(reading["measured"]) - instant(groups[-1][-1]["measured"]) > PAUSE:
            groups.append([])
        groups[-1].append(reading)
    first = wall(kept[0]["measured"], zone).date() if kept else None
    placed = []
    for group in groups:
        begin = wall(group[0]["measured"], zone)
        window, day = "other", begin.date()
        if begin.hour < 3:
            window, day = "evening", day - timedelta(days=1)
        elif 4 <= begin.hour < 12:
            window = "morning"
        elif begin.hour >= 16:
            window = "evening"
        placed.append((window, max(day, first), group))
    return first, placed, out


def means_of(part, of_sessions):
    """The exact means of sessions, each of which may count once."""
    found = {}
    for key in ("systolic_mmHg", "diastolic_mmHg"):
        values = [[Fraction(str(one[key])) for one in group] for _, _, group in part]
        found[key] = mean([mean(group) for group in values] if of_sessions else [value for group in values for value in group])
    return found


def printed(value, threshold):
    """One decimal within 1 mmHg of the threshold, else whole; more where the printed value would change sides."""
    places = 1 if abs(value - threshold) <= 1 else 0
    while (Fraction(half_up(value, places)) >= threshold) != (value >= threshold):
        places += 1
    return half_up(value, places)


def average(rule, readings, zone):
    """What a rule makes of the readings."""
    first, sessions, out = sessions_of(readings, zone)
    of_sessions = rule.get("mean_of") == "sessions"
    counted, daily, singles = [], {}, 0
    for window, day, group in sessions:
        number = (day - first).days + 1
        used = []
        for place, reading in enumerate(group):
            if number <= rule.get("leaves_out_days", 0):
                out["first_days"] += 1
            elif number > rule.get("last_day", number):
                out["after_plan"] += 1
            elif rule.get("only_morning_and_evening") and window == "other":
                out["neither_morning_nor_evening"] += 1
            elif place >= rule.get("takes_of_session", len(group)):
                out["surplus_of_session"] += 1
            else:
                used.append(reading)
        if used:
            counted.append((window, day, used))
            daily.setdefault(day, []).extend(used)
        singles += len(used) == len(group) == 1
    result = {
        "readings": sum(len(group) for _, _, group in counted),
        "readings_measured": sum(len(group) for _, _, group in sessions),
        "days": len(daily),
        "days_measured": len({day for _, day, _ in sessions}),
        "sessions": len(counted),
        "single_sessions": singles,
    }
    have = {
        "readings": result["readings"],
        "days": result["days"],
        "readings_measured": result["readings_measured"],
        "days_measured": result["days_measured"],
    }
    few = {name: [have[name], rule["least_" + name]] for name in have if have[name] < rule.get("least_" + name, 0)}
    result |= {"complete": not few, "too_few": few, "left_out": dict(sorted(out.items()))}
    whole = means_of(counted, of_sessions)
    result |= {key: text(value) for key, value in whole.items()}
    parts = {name: [one for one in counted if one[0] == name] for name in ("morning", "evening")}
    halves = {name: means_of(part, of_sessions) for name, part in parts.items()}
    for name, part in parts.items():
        result[name] = (
            {"readings": sum(len(group) for _, _, group in part)} | {key: text(v) for key, v in halves[name].items()} if part else None
        )
    both = all(parts.values())
    result["morning_minus_evening"] = {key: text(halves["morning"][key] - halves["evening"][key]) for key in whole} if both else None
    days = [daily[day] for day in sorted(daily)]
    half = len(days) // 2
    early, late = ([("", None, group) for group in some] for some in (days[:half], days[len(days) - half :]))
    slope = {key: means_of(late, False)[key] - means_of(early, False)[key] for key in whole} if len(days) >= 4 else None
    result["trend"] = {"days": half} | {key: text(value) for key, value in slope.items()} if slope else None
    if len(days) >= 5:
        series = {key: [mean(Fraction(str(one[key])) for one in day) for day in days] for key in whole}
        result["day_to_day"] = {"days": len(days)} | {key: variability(values) for key, values in series.items()}
    else:
        result["day_to_day"] = None
    guideline = rule.get("guideline")
    if guideline and result["readings"] and not few and result["readings"] > 1:
        limits = THRESHOLDS[guideline]["home"]
        compared = [half for half, part in zip(halves.values(), parts.values()) if part] if guideline.startswith("jsh") else [whole]
        result["threshold"] = {
            key.replace("mmHg", "reached"): any(one[key] >= limit for one in compared) for key, limit in zip(whole, limits)
        }
        result["text"] = {key: printed(whole[key], limit) for key, limit in zip(whole, limits)}
    return result


def plan(zone, start, days):
    """Readings of (time after the start of a day, systolic, diastolic, flags…), day by day, in the order of time."""
    found = []
    for number, rows in enumerate(days):
        for clock, systolic, diastolic, *flags in rows:
            day = later(at("UTC", start + "T00:00").replace(tzinfo=None), days=number + clock.count("+"))
            time = at(zone, f"{day:%Y-%m-%d}T{clock.strip('+')}")
            reading = {"measured": stamp(time, zone), "systolic_mmHg": systolic, "diastolic_mmHg": diastolic}
            found.append(reading | ({"flags": flags} if flags else {}))
    return sorted(found, key=lambda one: instant(one["measured"]))


def usual(dice, level=135, morning="07:00", evening="20:30"):
    """A day of two readings in the morning and two in the evening."""
    rows = []
    for clock in (morning, evening):
        for minute in (0, 2):
            hour, begin = clock.split(":")
            rows.append((f"{hour}:{int(begin) + minute:02}", level + dice.randint(-8, 8), level - 50 + dice.randint(-5, 5)))
    return rows


def plans():
    """(name, what it shows, zone, readings)."""
    dice = random.Random(2026)
    berlin, york, monday = "Europe/Berlin", "America/New_York", "2026-05-04"
    weeks = {days: [usual(dice, 142 if day == 0 else 135) for day in range(days)] for days in (1, 2, 3, 4, 7, 9)}
    for days, week in weeks.items():
        yield f"{days}-days", f"{days} days of 2 + 2 readings; the first is higher", berlin, plan(berlin, monday, week)
    yield "eleven", "three days with one reading fewer than twelve", berlin, plan(berlin, monday, [*weeks[3][:2], weeks[3][2][:3]])
    long = [[(f"07:0{n}", 140 - n, 90 - n) for n in range(4)] + [(f"21:0{n}", 130 + n, 80 + n) for n in range(3)] for _ in range(6)]
    yield "long-sessions", "four readings in the morning and three in the evening", berlin, plan(berlin, monday, long)
    single = [[("07:00", 130 + day, 80 + day), ("21:00", 138 - day, 88 - day)] for day in range(6)]
    yield "single-readings", "sessions of one reading", berlin, plan(berlin, monday, single)
    late = [[("23:58", 131 + day, 81), ("00:00+", 129, 82 + day), ("02:59+", 140, 90), ("03:00+", 150, 95)] for day in range(5)]
    yield "midnight", "sessions over midnight, and before and after 03:00", berlin, plan(berlin, monday, late)
    night = [[("00:30", 128, 79), ("00:32", 126, 78), ("07:00", 136, 86), ("20:00", 132, 84)], *weeks[4]]
    yield "begins-at-night", "the first reading is at 00:30: it belongs to day 1, and cannot belong to a day before it", berlin, plan(
        berlin, monday, night
    )
    pause = [
        [
            ("07:00:00", 134, 84),
            ("07:10:00", 132, 83),
            ("07:20:01", 130, 82),
            ("16:00", 129, 81),
            ("15:59:59", 128, 80),
            ("12:00", 141, 91),
            ("11:59:59", 143, 92),
            ("04:00", 125, 77),
            ("03:59:59", 124, 76),
        ]
        for _ in range(5)
    ]
    yield "borders", "pauses of 10:00 and 10:01, and the ends of morning and evening", berlin, plan(berlin, monday, pause)
    flags = [
        "invalid",
        "not_available",
        "test_data",
        "demo_data",
        "calibration_ongoing",
        "early_indication",
        "ongoing",
        "irregular_pulse",
        "body_movement",
        "cuff_loose",
        "improper_position",
        "questionable",
    ]
    marked = [[*day, ("09:00", 190, 120, flags[number]), ("09:02", 190, 119, flags[number + 5])] for number, day in enumerate(weeks[7])]
    yield "flags", "readings that count and readings that do not, by the cuff's remark", berlin, plan(berlin, monday, marked)
    triple = [
        [
            ("07:00", 140, 90),
            ("07:02", 136, 87),
            ("07:04", 132, 84),
            ("07:05", 136, 87, "averaged"),
            ("20:00", 130, 82),
            ("20:10", 131, 83, "averaged"),
            ("20:21", 129, 81),
            ("20:31:01", 128, 80, "averaged"),
        ]
        for _ in range(6)
    ]
    yield "averaged", "a cuff's own averages after single inflations, up to and beyond ten minutes", berlin, plan(berlin, monday, triple)
    edge = [[("07:00", 135, 85), ("07:02", 135, 85), ("20:00", 135, 85), ("20:02", 135, 85)] for _ in range(7)]
    yield "at-the-threshold", "means of exactly 135/85", berlin, plan(berlin, monday, edge)
    below = [*edge[:6], [("07:00", 135, 85), ("07:02", 134, 84), ("20:00", 135, 85), ("20:02", 135, 85)]]
    yield "just-below", "means less than 135/85 by a small part of 1 mmHg", berlin, plan(berlin, monday, below)
    decimals = [[("07:00", 134.5, 84.2), ("07:02", 136.1, 85.7), ("20:00", 133.9, 84.9), ("20:02", 135.3, 85.5)] for _ in range(7)]
    yield "decimals", "pressures with a decimal", berlin, plan(berlin, monday, decimals)
    gaps = [weeks[7][0], [], weeks[7][1][:1], [], weeks[7][2], weeks[7][3][2:], [], weeks[7][4]]
    yield "gaps", "days without readings, and days with a part", berlin, plan(berlin, monday, gaps)
    spring = [usual(dice, morning="04:10", evening="23:50") for _ in range(6)]
    yield "clock-forward", "the clock goes forward on the third day (New York, 2026-03-08)", york, plan(york, "2026-03-06", spring)
    yield "clock-back", "the clock goes back on the third day (Berlin, 2026-10-25)", berlin, plan(berlin, "2026-10-23", spring)
    for seed in range(6):
        yield f"random-{seed}", "drawn", *drawn(random.Random(seed))


def drawn(dice):
    """A plan at random: any hours, sessions of one to four readings, remarks."""
    zone, start = dice.choice([("Europe/Berlin", "2026-03-25"), ("America/New_York", "2026-10-28"), ("Asia/Kolkata", "2026-02-26")])
    days = []
    for day in range(dice.randint(3, 10)):
        rows = []
        for hour in sorted(dice.sample(range(24), dice.randint(day == 0, 4))):
            for minute in sorted(dice.sample(range(40), dice.randint(1, 4))):
                diastolic = dice.randint(60, 104)
                flags = [dice.choice(sorted(NEVER) + ["averaged", "questionable", "irregular_pulse"])] if dice.random() < 0.15 else []
                if flags != ["implausible"]:
                    rows.append((f"{hour:02}:{minute:02}", diastolic + dice.randint(20, 79), diastolic, *flags))
        days.append(rows)
    return zone, plan(zone, start, days)


def cases(more=None):
    """The cases of the corpus, or one more at random."""
    found = [("random", "drawn", *drawn(more))] if more else plans()
    for name, about, zone, readings in found:
        yield {
            "id": f"averages/{name}",
            "kind": "averages",
            "about": about,
            "zone": zone,
            "readings": readings,
            "expected": {rule["rule"]: average(rule, readings, zone) for rule in RULES},
        }
