"""Classes and thresholds of data/guidelines.json, at and beside every border."""

import json
from fractions import Fraction
from pathlib import Path

GUIDELINES = json.loads((Path(__file__).resolve().parent.parent / "data" / "guidelines.json").read_text())
SETTINGS = ("home", "office", "ambulatory_day", "ambulatory_night", "ambulatory_24h")


def holds(value, bounds):
    low, high = bounds
    return (low is None or value >= low) and (high is None or value < high)


def class_of(table, systolic, diastolic):
    """The first class of the table, which begins with the highest, that the words of the document describe."""
    for name, join, high, low in table:
        if (any if join == "or" else all)([holds(systolic, high), holds(diastolic, low)]):
            return name
    raise ValueError(f"no class holds {systolic}/{diastolic}")


def borders(table, threshold, place):
    """Every border of one pressure, a tenth below it, and values beyond."""
    edges = {bound for entry in table for bound in entry[2 + place] if bound is not None} | ({threshold[place]} if threshold else set())
    found = {Fraction(edge) for edge in edges} | {edge - Fraction(1, 10) for edge in edges}
    return sorted(found | {Fraction(min(edges) - 20), Fraction(max(edges) + 15)})


def cases():
    for one in GUIDELINES:
        for setting in SETTINGS:
            table, threshold = one["classes"].get(setting), one["thresholds"].get(setting)
            if not table and not threshold:
                continue
            highs, lows = (borders(table or [], threshold, place) for place in (0, 1))
            # A systolic pressure is always well above the diastolic one.
            means = sorted({(high, lows[0]) for high in highs} | {(max(highs[0], low + 15), low) for low in lows} | set(zip(highs, lows)))
            expected = []
            for systolic, diastolic in means:
                result = {"at_or_above": systolic >= threshold[0] or diastolic >= threshold[1]} if threshold else {}
                expected.append(result | ({"class": class_of(table, systolic, diastolic)} if table else {}))
            yield {
                "id": f"classes/{one['guideline']}/{setting}",
                "kind": "classes",
                "about": f"{one['source']}; {one['grade']}",
                "guideline": one["guideline"],
                "setting": setting,
                "means": [{"systolic_mmHg": float(s), "diastolic_mmHg": float(d)} for s, d in means],
                "expected": {"means": expected},
            }
