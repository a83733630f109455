"""Classes and thresholds by guideline, written from the words of each document and without a line of the program.

stdin:  systolic diastolic, two fractions a line
stdout: guideline setting systolic diastolic class (blanks as _), - where there is no table; then "at-or-above" or "below" the threshold, or -
"""
import sys
from fractions import Fraction

AND, OR = all, any


def when(join, systolic, diastolic):
    """Ranges as the documents print them: (120, 130) is "120-129" of a mean, None means that there is no bound."""
    def holds(value, bounds):
        low, high = bounds
        return (low is None or value >= low) and (high is None or value < high)
    return lambda s, d: join([holds(s, systolic), holds(d, diastolic)])


def from_(systolic, diastolic):
    return when(OR, (systolic, None), (diastolic, None))


def below(systolic, diastolic):
    return when(AND, (None, systolic), (None, diastolic))


# The highest first; "Individuals with SBP and DBP in 2 categories should be designated to the higher BP category."
ACC_AHA = [("stage 2", from_(140, 90)), ("stage 1", when(OR, (130, 140), (80, 90))), ("elevated", when(AND, (120, 130), (None, 80))),
           ("normal", below(120, 80))]
# Table 11: 120/80, 130/80 and 140/90 at the clinic are 120/80, 130/80 and 135/85 at home.
ACC_AHA_HOME = [("stage 2", from_(135, 85)), ("stage 1", when(OR, (130, 135), (80, 85))), ("elevated", when(AND, (120, 130), (None, 80))),
                ("normal", below(120, 80))]
SIX = [("grade 3", from_(180, 110)), ("grade 2", when(OR, (160, 180), (100, 110))), ("grade 1", when(OR, (140, 160), (90, 100))),
       ("high-normal", when(OR, (130, 140), (85, 90))), ("normal", when(OR, (120, 130), (80, 85))), ("optimal", below(120, 80))]
ESH_HOME = [("hypertension", from_(135, 85)), ("borderline", when(OR, (130, 135), (80, 85))), ("normal", below(130, 80))]
JSH = [("grade III", from_(180, 110)), ("grade II", when(OR, (160, 180), (100, 110))), ("grade I", when(OR, (140, 160), (90, 100))),
       ("elevated", when(OR, (130, 140), (80, 90))), ("high-normal", when(AND, (120, 130), (None, 80))), ("normal", below(120, 80))]
JSH_HOME = [("grade III", from_(160, 100)), ("grade II", when(OR, (145, 160), (90, 100))), ("grade I", when(OR, (135, 145), (85, 90))),
            ("elevated", when(OR, (125, 135), (75, 85))), ("high-normal", when(AND, (115, 125), (None, 75))), ("normal", below(115, 75))]
ISH = [("grade 2", from_(160, 100)), ("grade 1", when(OR, (140, 160), (90, 100))), ("high-normal", when(OR, (130, 140), (85, 90))),
       ("normal", below(130, 85))]
# A stage needs the clinic's value and the one out of it.
NICE_HOME = [("in the range of stage 2", from_(150, 95)), ("in the range of stage 1", when(OR, (135, 150), (85, 95))),
             ("below stage 1", below(135, 85))]
NICE_OFFICE = [("stage 3 or severe", from_(180, 120)), ("in the range of stage 2", when(OR, (160, 180), (100, 120))),
               ("in the range of stage 1", when(OR, (140, 160), (90, 100))), ("below stage 1", below(140, 90))]


def esc(elevated, hypertension):
    """Table 5 of ESC 2024: non-elevated needs both below."""
    return [("hypertension", from_(*hypertension)),
            ("elevated", when(OR, (elevated[0], hypertension[0]), (elevated[1], hypertension[1]))), ("non-elevated", below(*elevated))]


HOME, OFFICE, DAY, NIGHT, ALL = "home", "office", "ambulatory_day", "ambulatory_night", "ambulatory_24h"
EUROPE = {OFFICE: (140, 90), HOME: (135, 85), DAY: (135, 85), NIGHT: (120, 70), ALL: (130, 80)}
US = {OFFICE: (130, 80), HOME: (130, 80), DAY: (130, 80), NIGHT: (110, 65), ALL: (125, 75)}
CLASSES = {
    "nice-ng136": {HOME: NICE_HOME, DAY: NICE_HOME, OFFICE: NICE_OFFICE}, "esh-2021": {HOME: ESH_HOME}, "esc-esh-2018": {OFFICE: SIX},
    "esh-2023": {HOME: ESH_HOME, OFFICE: SIX},
    "esc-2024": {OFFICE: esc((120, 70), (140, 90)), HOME: esc((120, 70), (135, 85)), DAY: esc((120, 70), (135, 85)),
                 ALL: esc((115, 65), (130, 80)), NIGHT: esc((110, 60), (120, 70))},
    "acc-aha-2017": {OFFICE: ACC_AHA, HOME: ACC_AHA_HOME}, "acc-aha-2025": {OFFICE: ACC_AHA, HOME: ACC_AHA_HOME},
    "htn-canada-2020": {}, "htn-canada-2025": {}, "jsh-2019": {OFFICE: JSH, HOME: JSH_HOME}, "jsh-2025": {OFFICE: JSH, HOME: JSH_HOME},
    "ish-2020": {OFFICE: ISH}, "hope-asia-2023": {}, "taiwan-2022": {},
}
THRESHOLDS = {
    "nice-ng136": {HOME: (135, 85), OFFICE: (140, 90), DAY: (135, 85)}, "esh-2021": EUROPE, "esc-esh-2018": {}, "esh-2023": EUROPE,
    "esc-2024": EUROPE, "acc-aha-2017": US, "acc-aha-2025": US,
    "htn-canada-2020": {HOME: (135, 85), OFFICE: (140, 90), DAY: (135, 85), ALL: (130, 80)},
    # "a uniform definition for hypertension of BP >= 130/80"
    "htn-canada-2025": {HOME: (130, 80), OFFICE: (130, 80)},
    "jsh-2019": EUROPE, "jsh-2025": {OFFICE: (140, 90), HOME: (135, 85)}, "ish-2020": EUROPE, "hope-asia-2023": EUROPE,
    "taiwan-2022": {HOME: (130, 80)},
}
for line in sys.stdin:
    systolic, diastolic = line.split()
    s, d = Fraction(systolic), Fraction(diastolic)
    for name, tables in CLASSES.items():
        for setting in (HOME, OFFICE, DAY, NIGHT, ALL):
            found = next((word for word, holds in tables[setting] if holds(s, d)), "?") if setting in tables else "-"
            threshold = THRESHOLDS[name].get(setting)
            reached = "-" if threshold is None else "at-or-above" if s >= threshold[0] or d >= threshold[1] else "below"
            print(name, setting, systolic, diastolic, found.replace(" ", "_"), reached)
