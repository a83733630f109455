"""Home averages by rule, computed without a line of the program: Python's fractions, statistics and zoneinfo.

stdin:  one reading a line, in any order: milliseconds since 1970 or -, systolic, diastolic, flags joined by commas or -, user
argv:   zone
stdout: one line for each rule and user, fields separated by blanks
"""
import statistics
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

ZONE = ZoneInfo(sys.argv[1])
# From the texts: each entry says what its document asks for, in its own words.
RULES = {
    "all": {},
    # "at least 4 days"; "Discard the measurements taken on the first day and use the average value of all the remaining measurements"
    "nice-ng136": dict(skip=1, least_days=3),
    # "at least 3 days with at least 12 readings"; then "Discard the first day and calculate the average of all the other readings."
    "esh-2021": dict(skip=1, least_of_all=12, least_measured=3),
    # "for a minimum of 3 days and up to 7 days"; "all readings are averaged"
    "esc-2024": dict(least_measured=3),
    # "a minimum of 3 days (ie, 12 readings total)"; "the average of all SBP and DBP readings should be obtained"
    "aha-2020": dict(least=12, least_days=3),
    # "for an initial 7-day period. First-day home BP values should not be considered"
    "htn-canada-2017": dict(skip=1, last=7),
    # "in the morning and the evening for 7 days"
    "htn-canada-2025": {},
    # two readings of a session, whose mean is the session's value; mornings and evenings; at least 5 days
    "jsh-2019": dict(take=2, windows=True, least_days=5, of_sessions=True),
    "jsh-2025": dict(take=2, windows=True, least_days=5, of_sessions=True),
    # first day out, at least 3 days
    "ish-2020": dict(skip=1, least_measured=3),
    # 7 days, 2 sessions, 2 readings
    "hope-asia-2023": {},
    "esh-longterm": {},
    "cardx": {},
}
BAD = [
    ({"implausible"}, "implausible"), ({"invalid", "not_available"}, "invalid"),
    ({"test_data", "demo_data", "calibration_ongoing"}, "test_data"), ({"early_indication", "ongoing"}, "provisional"),
]
persons = {}
for line in sys.stdin:
    ms, systolic, diastolic, flags, user = line.split()
    persons.setdefault(int(user), []).append(
        (None if ms == "-" else int(ms), Fraction(systolic), Fraction(diastolic), set() if flags == "-" else set(flags.split(","))))


def wall(ms):
    return datetime.fromtimestamp(ms // 1000, tz=timezone.utc).astimezone(ZONE)


def sessions_of(rows):
    """What can count, as sessions of (window, civil day, readings), and what cannot, with the reason."""
    out, good = Counter(), []
    for row in rows:
        reason = next((word for bad, word in BAD if row[3] & bad), None) or ("time_unknown" if row[0] is None else None)
        if reason:
            out[reason] += 1
        else:
            good.append(row)
    good.sort(key=lambda r: r[0])
    averaged = [r[0] for r in good if "averaged" in r[3]]
    kept = []
    for row in good:
        if "averaged" not in row[3] and any(0 <= t - row[0] <= 600_000 for t in averaged):
            out["part_of_average"] += 1
        else:
            kept.append(row)
    sessions = []
    for row in kept:
        if not sessions or row[0] - sessions[-1][-1][0] > 600_000:
            sessions.append([])
        sessions[-1].append(row)
    first = wall(kept[0][0]).date() if kept else None
    placed = []
    for readings in sessions:
        begin = wall(readings[0][0])
        day = begin.date()
        if begin.hour < 3:
            window, day = "evening", day - timedelta(days=1)
        elif 4 <= begin.hour < 12:
            window = "morning"
        else:
            window = "evening" if begin.hour >= 16 else "other"
        placed.append((window, max(day, first), readings))
    return first, placed, out


def mean(values):
    return sum(values, Fraction(0)) / len(values) if values else None


def text(value):
    return "-" if value is None else str(value)


def result(placed, index, window, of_sessions):
    """The mean of the readings of a window, or of its sessions, each of which counts once."""
    part = [[row[index] for row in rows] for w, _, rows in placed if window in (None, w)]
    return text(mean([mean(values) for values in part] if of_sessions else [value for values in part for value in values]))


for user, rows in sorted(persons.items()):
    first, sessions, bad = sessions_of(rows)
    for name, rule in RULES.items():
        skip, last, take = rule.get("skip", 0), rule.get("last"), rule.get("take")
        out, counted, placed, singles = Counter(bad), [], [], 0
        for window, day, readings in sessions:
            number = (day - first).days + 1
            used = []
            for index, row in enumerate(readings):
                if number <= skip:
                    out["first_days"] += 1
                elif last and number > last:
                    out["after_plan"] += 1
                elif rule.get("windows") and window == "other":
                    out["neither_morning_nor_evening"] += 1
                elif take and index >= take:
                    out["surplus_of_session"] += 1
                else:
                    counted.append((window, day, row))
                    used.append(row)
            if used:
                placed.append((window, day, used))
            singles += len(used) == 1 and len(readings) == 1
        days = sorted({day for _, day, _ in counted})
        measured = len({day for _, day, _ in sessions})
        everything = sum(len(readings) for _, _, readings in sessions)
        asked = [
            ("readings_measured", everything, "least_of_all"), ("readings", len(counted), "least"), ("days", len(days), "least_days"),
            ("days_measured", measured, "least_measured"),
        ]
        few = [f"{word}:{have}/{rule[key]}" for word, have, key in asked if key in rule and have < rule[key]]
        fields = [name, str(user), str(len(counted)), str(everything), str(len(days)), str(measured), str(len(placed)), str(singles)]
        fields += [",".join(few) or "-", ",".join(f"{k}:{v}" for k, v in sorted(out.items())) or "-"]
        for window in (None, "morning", "evening"):
            fields += [str(sum(len(rows) for w, _, rows in placed if window in (None, w)))]
            fields += [result(placed, index, window, rule.get("of_sessions", False)) for index in (1, 2)]
        daily = [mean([row[1] for _, d, row in counted if d == day]) for day in days]
        if len(daily) >= 5:
            arv = sum((abs(a - b) for a, b in zip(daily, daily[1:])), Fraction(0)) / (len(daily) - 1)
            fields += [str(arv), repr(float(statistics.stdev([float(x) for x in daily])))]
        else:
            fields += ["-", "-"]
        print(*fields)
