#!/bin/sh
# soak.sh CUFF SECONDS: four simulated cuffs send without end into a watch with every kind of sink. Prints memory and
# descriptors as it goes, and exits 1 when either grows in the second half: memory by more than 2 MiB, descriptors at all. The
# nameless lists of known readings are not counted: they are as many as there are ones in their number's binary digits.
set -eu
cuff=$(realpath "$1") seconds=${2:-600}
work=$(mktemp -d "${TMPDIR:-/tmp}/cuff-soak.XXXXXX")
pids=""
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM
assign=""
# A simulated cuff holds at most 100,000 measurements; within that, fast enough for every cache to be full by half-time.
every=$((seconds / 90))
[ "$every" -ge 10 ] || every=10
for number in 1 2 3 4; do
    "$cuff" simulate and-std --count 100000 --seed "$number" --every ${every}ms --link "$work/cuff$number" >/dev/null 2>&1 &
    pids="$pids $!"
    assign="$assign --assign $work/cuff$number=and-std"
done
waited=0
while [ ! -e "$work/cuff4" ] && [ "$waited" -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
# shellcheck disable=SC2086
XDG_STATE_HOME="$work/state" "$cuff" watch --no-config $assign --stats --metrics 0 \
    --sink "sqlite:$work/bp.db" --sink "jsonl:$work/bp.jsonl" --sink "csv:$work/bp.csv" --sink "exec:cat" >/dev/null 2>"$work/said" &
watch=$!
pids="$pids $watch"
echo "soak: four cuffs, $seconds s, sinks sqlite jsonl csv exec"
printf '%8s %10s %6s %10s\n' seconds 'memory,KiB' files readings
start=$(date +%s) half="" failed=0 highest=0
step=$((seconds / 20)); [ "$step" -ge 1 ] || step=1
while :; do
    sleep "$step"
    kill -0 "$watch" 2>/dev/null || { echo "soak: the watch ended"; cat "$work/said"; exit 1; }
    elapsed=$(($(date +%s) - start))
    memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$watch/status")
    files=$(find "/proc/$watch/fd" -mindepth 1 ! -lname '*(deleted)' 2>/dev/null | wc -l)
    printf '%8s %10s %6s %10s\n' "$elapsed" "$memory" "$files" "$(wc -l <"$work/bp.jsonl")"
    if [ "$elapsed" -ge $((seconds / 2)) ]; then
        [ -n "$half" ] || { half=$memory halffiles=$files; }
        [ "$memory" -le "$highest" ] || highest=$memory
        [ "$files" -le "$halffiles" ] || { echo "soak: descriptors grew from $halffiles to $files"; failed=1; }
    fi
    [ "$elapsed" -lt "$seconds" ] || break
done
[ $((highest - half)) -le 2048 ] || { echo "soak: memory grew by $((highest - half)) KiB in the second half"; failed=1; }
kill -TERM "$watch"
wait "$watch" || true
grep -E "commits|^cuff: sink|sink " "$work/said" || true
lines=$(wc -l <"$work/bp.jsonl") unique=$(sort -u "$work/bp.jsonl" | wc -l)
rows=$(($(wc -l <"$work/bp.csv") - 1))
echo "soak: $lines readings in jsonl ($((lines - unique)) twice), $rows in csv; second half: memory +$((highest - half)) KiB"
[ "$lines" = "$unique" ] && [ "$lines" = "$rows" ] || { echo "soak: the sinks differ"; failed=1; }
exit "$failed"
