#!/usr/bin/env python3
"""Appends readings to a file and acknowledges each: --sink 'exec+ack:./append.py FILE'.

The protocol: say `ready 1`; for each line of JSON on standard input answer `ok ID REVISION` once the reading is safe,
`later TEXT` where it cannot be kept now, `refuse ID REVISION TEXT` where it never can. Nothing follows after `later`. A reading may
come again, also after a crash: it is known by its id and revision, and kept once. Standard error is for people.
"""
import json
import os
import stat
import sys


def key(line):
    """The id and revision of a reading; None for a partial line."""
    try:
        reading = json.loads(line)
        return reading["id"], reading.get("revision", 0)
    except (ValueError, KeyError, TypeError):
        return None


def kept(file):
    """The readings already in the file. Truncates a partial last line left by a crash."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        return set()
    with open(file, "rb", closefd=False) as lines:
        content = lines.read()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.ftruncate(file, whole)
    return {key(line) for line in content[:whole].splitlines()}


def keep(file, line):
    while line:
        line = line[os.write(file, line):]
    os.fsync(file)


def main(path):
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    known = kept(file)
    print("ready 1", flush=True)
    for line in sys.stdin.buffer:
        name = key(line)
        if not line.endswith(b"\n"):
            return  # cuff exited while writing this line and will resend it.
        if name is None:
            return print("fatal a line has no id", flush=True)
        try:
            if name not in known:
                keep(file, line)
        except OSError as error:
            return print("later", error.strerror, flush=True)
        known.add(name)
        print("ok", *name, flush=True)


main(sys.argv[1])
