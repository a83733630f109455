#!/bin/sh
# recording.sh CUFF: the three commands of CONTRIBUTING.md (record, anonymise, check) with simulated cuffs on pseudo terminals.
set -eu
cuff=$(readlink -f "$1")
folder=$(mktemp -d)
export HOME="$folder" XDG_DATA_HOME="$folder/data" XDG_CONFIG_HOME="$folder/config"
cd "$folder"
simulator='' recorder=''
trap 'kill $simulator $recorder 2>/dev/null || true; rm -rf "$folder"' EXIT

numbers() { # the values of readings without their times
    grep -o '"\(systolic\|diastolic\|mean\|pulse\)[^,]*' "$1" | tr '\n' ' '
}

check() { # DRIVER
    "$cuff" capture anonymise mine.capture -o to-send.capture 2>said || { cat said; exit 1; }
    "$cuff" replay to-send.capture >replayed
    [ "$(grep -c '"blood_pressure"' replayed)" = 3 ] || { echo "recording: $1: not 3 readings"; cat replayed; exit 1; }
    [ "$(numbers printed)" = "$(numbers replayed)" ] || { echo "recording: $1: other values"; cat printed replayed; exit 1; }
    # The simulator's first reading is of 2026-05-05.
    if grep -q '2026-05-05T07:31' replayed || ! grep -q '2026-05-05T07:31' printed; then
        echo "recording: $1: the times are not shifted"
        exit 1
    fi
    grep -q '^# changed: anonymised' to-send.capture || { echo "recording: $1: the header does not say what was changed"; exit 1; }
    rm mine.capture to-send.capture
}

simulate() { # DRIVER
    rm -f port
    "$cuff" simulate "$1" --link port >simulated 2>&1 &
    simulator=$!
    for _ in $(seq 100); do [ ! -e port ] || return 0; sleep 0.1; done
    echo "recording: $1: no simulator"
    cat simulated
    exit 1
}

# A cuff whose memory is asked for.
simulate beurer-serial
"$cuff" record ./port --driver beurer-serial -o mine.capture >printed
kill $simulator
check beurer-serial

# A cuff that sends unasked: recorded until it is stopped.
simulate and-std
"$cuff" record ./port --driver and-std --follow -o mine.capture >printed &
recorder=$!
for _ in $(seq 200); do [ "$(grep -c '"blood_pressure"' printed)" -lt 3 ] || break; sleep 0.1; done
kill -INT $recorder
wait $recorder && status=0 || status=$?
recorder=''
[ "$status" = 0 ] || { echo "recording: and-std: record ended with $status"; exit 1; }
kill $simulator
check and-std
echo "two recordings made, anonymised and replayed with the same values"
