#!/usr/bin/env python3
"""Delivers the rows of all CSV files in a folder to cuff: cuff watch --source 'exec:./csv-folder.py FOLDER'.

The columns are found by their names in the first line; see --help. Times without a zone are this computer's. New files and new rows are delivered
while it runs. The protocol: say `ready 1`, then write one reading a line; cuff answers `ok ID` when it is stored, or `refuse ID TEXT`. After a restart all
rows are sent again: cuff recognises them by their ids.
"""
import argparse
import csv
import datetime
import json
import os
import re
import select
import sys

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--time", default="time", help="the column of the time")
parser.add_argument("--format", help="its format, as of strptime (default: ISO 8601)")
parser.add_argument("--systolic", default="systolic")
parser.add_argument("--diastolic", default="diastolic")
parser.add_argument("--pulse", default="pulse", help="may be missing")
parser.add_argument("--unit", default="mmHg", choices=("mmHg", "kPa"))
parser.add_argument("--flag", action="append", default=[], metavar="COLUMN=WORD", help="a column that is not 0 or empty where the flag WORD applies")
parser.add_argument("--user", metavar="PATTERN", help="a regular expression for file names; its first group is the user slot")
parser.add_argument("--every", type=float, default=10, metavar="SECONDS", help="how often the folder is read")
options = parser.parse_args()


def number(text):
    value = float(text)
    return int(value) if value.is_integer() and "." not in text else value


def reading(row, user):
    text = row[options.time].strip()
    time = datetime.datetime.strptime(text, options.format) if options.format else datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    found = {"type": "blood_pressure", "measured": (time if time.tzinfo else time.astimezone()).isoformat(timespec="seconds"), "origin": "memory"}
    for name, column in (("systolic", options.systolic), ("diastolic", options.diastolic)):
        found["%s_%s" % (name, options.unit)] = number(row[column])
    if row.get(options.pulse):
        found["pulse_per_min"] = number(row[options.pulse])
    if user:
        found["user"] = user
    flags = [word for column, word in (flag.split("=") for flag in options.flag) if row.get(column, "").strip() not in ("", "0")]
    if flags:
        found["flags"] = flags
    values = [str(found.get(name, "")) for name in ("systolic_" + options.unit, "diastolic_" + options.unit, "pulse_per_min")]
    # The same row has the same id in whatever file it is.
    found["id"] = "-".join([re.sub(r"[^0-9T]", "", found["measured"]), *values, str(user or "")])
    return found


def rows(path):
    match = re.search(options.user, os.path.basename(path)) if options.user else None
    with open(path, newline="", encoding="utf-8-sig") as file:
        text = file.read()
    # A row without its line feed is still being written.
    for number, row in enumerate(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()), 2):
        try:
            yield reading(row, int(match[1]) if match else None)
        except KeyError as error:
            print("%s: there is no column %s; see --help" % (path, error), file=sys.stderr)
            return
        except (TypeError, ValueError) as error:
            print("%s:%d: %s" % (path, number, error), file=sys.stderr)


def main():
    print("ready 1", flush=True)
    if not os.path.isdir(options.folder):
        print("fatal %s is not a folder" % options.folder, flush=True)
        return
    sent, seen = set(), {}
    while True:
        try:
            paths = sorted(entry.path for entry in os.scandir(options.folder) if entry.name.lower().endswith(".csv"))
        except OSError as error:
            sys.stdout.write("later %s: %s\n" % (options.folder, error.strerror))
            sys.stdout.flush()
            paths = []
        for path in paths:
            now = os.stat(path)
            if seen.get(path) == (now.st_mtime_ns, now.st_size):
                continue
            seen[path] = (now.st_mtime_ns, now.st_size)
            for one in rows(path):
                if one["id"] not in sent:
                    sent.add(one["id"])
                    sys.stdout.write(json.dumps(one) + "\n")
                    sys.stdout.flush()
        if select.select([sys.stdin], [], [], options.every)[0]:
            answers = os.read(sys.stdin.fileno(), 1 << 16)
            if not answers:
                return  # cuff has ended.
            for line in answers.decode().splitlines():
                if line.startswith("refuse "):
                    print(line, file=sys.stderr)


main()
