#!/usr/bin/env python3
"""Writes one person's blood pressures as CSV files for an app on a phone: --sink 'exec+ack:./phone-csv.py --user 1 FOLDER'.

One file for each day, with the columns that the app "Blood pressure monitor" (derdilla) imports. Each row has the reading's id in its notes, so that a
reading which is sent again is written once.
"""
import argparse
import datetime
import json
import os
import sys

HEADER = "timestampUnixMs,systolic,diastolic,pulse,notes\n"
UNUSABLE = {"invalid", "not_available", "ongoing", "test_data", "demo_data"}


def keep(folder, reading):
    """None if the row is on disk; otherwise why it can never be."""
    values = [reading.get(name) for name in ("systolic_mmHg", "diastolic_mmHg")]
    pulse = reading.get("pulse_per_min")
    if not all(isinstance(value, int) for value in values) or not isinstance(pulse, (int, type(None))):
        return "the app needs whole numbers in mmHg and per minute"
    if UNUSABLE & set(reading.get("flags", [])):
        return "the values are not usable: " + ", ".join(reading["flags"])
    if "measured" not in reading:
        return "the time of the measurement is not known"
    time = datetime.datetime.fromisoformat(reading["measured"].replace("Z", "+00:00"))
    note = "cuff " + reading["id"]
    row = "%d,%d,%d,%s,%s\n" % (time.timestamp() * 1000, *values, "null" if pulse is None else pulse, note)
    path = os.path.join(folder, "blood-pressure-%s.csv" % time.date().isoformat())
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        content = file.read()
        # A row without its line feed was left by a crash.
        whole = content[:content.rfind("\n") + 1]
        if any(line.endswith("," + note) for line in whole.splitlines()):
            return None if row in whole.splitlines(True) else "the file has this reading with other values"
        file.seek(0)
        file.write((whole or HEADER) + row)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int, default=0, help="the cuff's user slot; 0: readings without one")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    print("ready 1", flush=True)
    for line in sys.stdin:
        if not line.endswith("\n"):
            return  # cuff exited while writing this line and will resend it.
        reading = json.loads(line)
        name = "%s %d" % (reading["id"], reading.get("revision", 0))
        why = None
        # Another person's reading and a failed measurement are acknowledged, and not written.
        if reading["type"] == "blood_pressure" and reading.get("user", 0) == arguments.user:
            try:
                why = keep(arguments.folder, reading)
            except OSError as error:
                return print("later", error.strerror, flush=True)
        # In one piece: part of a line is not an answer.
        sys.stdout.write(("refuse %s %s\n" % (name, why)) if why else "ok %s\n" % name)
        sys.stdout.flush()


main()
