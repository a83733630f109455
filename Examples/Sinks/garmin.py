#!/usr/bin/env python3
"""Sends one person's blood pressures to Garmin Connect: --sink 'exec+ack:./garmin.py --user 1'.

Needs python-garminconnect (PyPI: garminconnect) and the tokens that its login leaves in GARMINTOKENS (default ~/.garminconnect). The service
does not recognise a repeated measurement, so the id of each is in its notes, and is looked for there before anything is sent.
"""
import argparse
import datetime
import json
import os
import sys

from garminconnect import Garmin, GarminConnectAuthenticationError, GarminConnectConnectionError, GarminConnectTooManyRequestsError

UNUSABLE = {"invalid", "not_available", "ongoing", "test_data", "demo_data"}


def present(garmin, day, note):
    """The measurement with this note, on this day or one beside it: the service's days may be those of another zone."""
    one = datetime.timedelta(days=1)
    answer = garmin.get_blood_pressure((day - one).isoformat(), (day + one).isoformat())
    for summary in (answer or {}).get("measurementSummaries") or []:
        for measurement in summary.get("measurements") or []:
            if measurement.get("notes") == note:
                return measurement
    return None


def send(garmin, reading):
    """None if the reading is at Garmin now; otherwise why it can never be."""
    values = [reading.get(name) for name in ("systolic_mmHg", "diastolic_mmHg", "pulse_per_min")]
    if not all(isinstance(value, int) for value in values):
        return "Garmin needs systolic, diastolic and pulse as whole numbers in mmHg and per minute"
    if UNUSABLE & set(reading.get("flags", [])):
        return "the values are not usable: " + ", ".join(reading["flags"])
    if "measured" not in reading:
        return "the time of the measurement is not known"
    time, note = reading["measured"].replace("Z", "+00:00"), "cuff " + reading["id"]
    found = present(garmin, datetime.datetime.fromisoformat(time).date(), note)
    if found:
        same = [found.get(name) for name in ("systolic", "diastolic", "pulse")] == values
        return None if same else "Garmin has this reading with other values"
    try:
        garmin.set_blood_pressure(*values, timestamp=time, notes=note)
    except ValueError as error:
        return str(error)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int, default=0, help="the cuff's user slot; 0: readings without one")
    slot = parser.parse_args().user
    garmin = None
    print("ready 1", flush=True)
    for line in sys.stdin:
        if not line.endswith("\n"):
            return  # cuff exited while writing this line and will resend it.
        reading = json.loads(line)
        name = "%s %d" % (reading["id"], reading.get("revision", 0))
        why = None
        # Another person's reading and a failed measurement are acknowledged, and not sent.
        if reading["type"] == "blood_pressure" and reading.get("user", 0) == slot:
            try:
                if garmin is None:
                    garmin = Garmin()
                    garmin.login(os.environ.get("GARMINTOKENS", os.path.expanduser("~/.garminconnect")))
                why = send(garmin, reading)
            except GarminConnectAuthenticationError as error:
                return print("fatal log in to Garmin Connect again:", str(error).replace("\n", " "), flush=True)
            except (GarminConnectConnectionError, GarminConnectTooManyRequestsError, OSError) as error:
                return print("later", str(error).replace("\n", " "), flush=True)
        # In one piece: part of a line is not an answer.
        sys.stdout.write(("refuse %s %s\n" % (name, why)) if why else "ok %s\n" % name)
        sys.stdout.flush()


main()
