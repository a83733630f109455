"""Exact arithmetic and times of the generators: fractions, sample deviations, wall clocks."""

import math
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo


def mean(values):
    """The exact mean; None without values."""
    values = [Fraction(value) for value in values]
    return sum(values, Fraction(0)) / len(values) if values else None


def text(value):
    """`1479/11`, `132`."""
    return None if value is None else str(Fraction(value))


def half_up(value, places):
    """A decimal number as text, half up (towards positive infinity)."""
    scaled = math.floor(Fraction(value) * 10**places + Fraction(1, 2))
    sign, digits = "-" if scaled < 0 else "", str(abs(scaled)).rjust(places + 1, "0")
    return sign + (digits[:-places] + "." + digits[-places:] if places else digits)


def root(value):
    """The square root of a fraction, correct to more digits than a double has."""
    scale = 10**40
    return math.isqrt(value.numerator * scale * scale // value.denominator) / scale


def deviation(values):
    """The sample standard deviation (n - 1); None for fewer than two values."""
    if len(values) < 2:
        return None
    center = mean(values)
    return root(sum(((Fraction(v) - center) ** 2 for v in values), Fraction(0)) / (len(values) - 1))


def variability(values):
    """SD, CV, average real variability and range of values in the order of time; None for fewer than two."""
    if len(values) < 2:
        return None
    steps = [abs(Fraction(b) - Fraction(a)) for a, b in zip(values, values[1:])]
    sd = deviation(values)
    return {
        "sd": round(sd, 6),
        "cv_percent": round(100 * sd / float(mean(values)), 6),
        "arv": text(mean(steps)),
        "max_minus_min": text(max(map(Fraction, values)) - min(map(Fraction, values))),
    }


def at(zone, wall):
    """The instant of a time on the wall clock: `2026-05-04T07:05`, with an offset where the clock shows it twice."""
    time = datetime.fromisoformat(wall)
    return time if time.tzinfo else time.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)


def stamp(time, zone):
    """`2026-05-04T07:05:00+02:00`."""
    return time.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")


def wall(time, zone):
    """The wall clock in a zone, without an offset."""
    return datetime.fromisoformat(time).astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def instant(time):
    """Seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()


def later(time, **parts):
    return time + timedelta(**parts)
