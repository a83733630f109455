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
# name: days left out, last day, readings of a session, mornings and evenings only, least readings, least days that count, least days
RULES = {
    "all": (0, None, None, False, 0, 0, 0),
    "nice-ng136": (1, None, None, False, 0, 3, 0),
    "esh-2021": (1, None, None, False, 12, 0, 3),
    "aha-2020": (0, None, None, False, 12, 3, 0),
    "htn-canada": (1, 7, None, False, 0, 0, 0),
    "jsh-2019": (0, None, 2, True, 0, 5, 0),
    "esh-longterm": (0, None, None, False, 0, 0, 0),
    "cardx": (0, None, None, False, 0, 0, 0),
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


def mean(rows, index):
    return str(sum((r[index] for r in rows), Fraction(0)) / len(rows)) if rows else "-"


for user, rows in sorted(persons.items()):
    first, sessions, bad = sessions_of(rows)
    for name, (skip, last, take, windows, least, least_days, least_measured) in RULES.items():
        out, counted, held, singles = Counter(bad), [], 0, 0
        for window, day, readings in sessions:
            number = (day - first).days + 1
            used = 0
            for index, row in enumerate(readings):
                if number <= skip:
                    out["first_days"] += 1
                elif last and number > last:
                    out["after_plan"] += 1
                elif windows and window == "other":
                    out["neither_morning_nor_evening"] += 1
                elif take and index >= take:
                    out["surplus_of_session"] += 1
                else:
                    counted.append((window, day, row))
                    used += 1
            held += used > 0
            singles += used > 0 and len(readings) == 1
        days = sorted({day for _, day, _ in counted})
        measured = len({day for _, day, _ in sessions})
        few = [
            f"{word}:{have}/{want}" for word, have, want in
            [("readings", len(counted), least), ("days", len(days), least_days), ("days_measured", measured, least_measured)] if have < want
        ]
        fields = [name, str(user), str(len(counted)), str(len(days)), str(measured), str(held), str(singles)]
        fields += [",".join(few) or "-", ",".join(f"{k}:{v}" for k, v in sorted(out.items())) or "-"]
        for window in (None, "morning", "evening"):
            part = [row for w, _, row in counted if window in (None, w)]
            fields += [str(len(part)), mean(part, 1), mean(part, 2)]
        daily = [Fraction(mean([row for _, d, row in counted if d == day], 1)) for day in days]
        if len(daily) >= 5:
            arv = sum((abs(a - b) for a, b in zip(daily, daily[1:])), Fraction(0)) / (len(daily) - 1)
            fields += [str(arv), repr(float(statistics.stdev([float(x) for x in daily])))]
        else:
            fields += ["-", "-"]
        print(*fields)
