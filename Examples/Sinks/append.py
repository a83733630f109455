#!/usr/bin/env python3
"""Keeps readings in a file, and answers for each: --sink 'exec+ack:./append.py FILE'.

The protocol: say `ready 1`; for each line of JSON on standard input answer `ok ID REVISION` once the reading is safe,
`later TEXT` where it cannot be kept now, `refuse ID REVISION TEXT` where it never can. Standard error is for people.
"""
import json
import os
import sys

file = open(sys.argv[1], "a", encoding="utf-8")
print("ready 1", flush=True)
for line in sys.stdin:
    reading = json.loads(line)
    try:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        print("later", error.strerror, flush=True)
    else:
        print("ok", reading["id"], reading.get("revision", 0), flush=True)
