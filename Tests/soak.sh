#!/bin/sh
# soak.sh CUFF SECONDS: eight simulated cuffs send without end into a watch with four sinks. Prints memory and descriptors as
# it goes, and exits 1 when either grows in the last third: memory by more than 2 MiB, descriptors at all. The nameless files
# of known readings, which SQLite opens when its cache is full, are not counted.
set -eu
cuff=$(realpath "$1") seconds=${2:-600}
work=$(mktemp -d "${TMPDIR:-/tmp}/cuff-soak.XXXXXX")
pids=""
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM
assign=""
# A simulated cuff holds at most 100,000 measurements. Within that, fast enough for every cache to be full before the last
# third: the known readings of a file sink fill theirs, of 8 MiB, with some 400,000.
[ "$seconds" -ge 400 ] || { echo "soak: less than 400 s do not fill the caches" >&2; exit 64; }
every=$((seconds / 80))
for number in 1 2 3 4 5 6 7 8; do
    "$cuff" simulate and-std --count 100000 --seed "$number" --every ${every}ms --link "$work/cuff$number" >/dev/null 2>&1 &
    pids="$pids $!"
    assign="$assign --assign $work/cuff$number=and-std"
done
waited=0
while [ ! -e "$work/cuff8" ] && [ "$waited" -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
# shellcheck disable=SC2086
XDG_STATE_HOME="$work/state" "$cuff" watch --no-config $assign --stats --metrics 0 \
    --sink "sqlite:$work/bp.db" --sink "jsonl:$work/bp.jsonl" --sink "csv:$work/bp.csv" --sink "exec:cat" >/dev/null 2>"$work/said" &
watch=$!
pids="$pids $watch"
echo "soak: eight cuffs, $seconds s, sinks sqlite jsonl csv exec"
printf '%8s %10s %6s %10s\n' seconds 'memory,KiB' files readings
start=$(date +%s) before="" failed=0 highest=0
step=$((seconds / 20)); [ "$step" -ge 1 ] || step=1
while :; do
    sleep "$step"
    kill -0 "$watch" 2>/dev/null || { echo "soak: the watch ended"; cat "$work/said"; exit 1; }
    elapsed=$(($(date +%s) - start))
    memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$watch/status")
    files=$(find "/proc/$watch/fd" -mindepth 1 ! -lname '*(deleted)' 2>/dev/null | wc -l)
    printf '%8s %10s %6s %10s\n' "$elapsed" "$memory" "$files" "$(wc -l <"$work/bp.jsonl")"
    if [ "$elapsed" -ge $((seconds * 2 / 3)) ]; then
        [ -n "$before" ] || { before=$memory filesbefore=$files; }
        [ "$memory" -le "$highest" ] || highest=$memory
        [ "$files" -le "$filesbefore" ] || { echo "soak: descriptors grew from $filesbefore to $files"; failed=1; }
    fi
    [ "$elapsed" -lt "$seconds" ] || break
done
[ $((highest - before)) -le 2048 ] || { echo "soak: memory grew by $((highest - before)) KiB in the last third"; failed=1; }
kill -TERM "$watch"
wait "$watch" || true
grep -E "commits|^cuff: sink|sink " "$work/said" || true
lines=$(wc -l <"$work/bp.jsonl") unique=$(sort -u "$work/bp.jsonl" | wc -l)
rows=$(($(wc -l <"$work/bp.csv") - 1))
echo "soak: $lines readings in jsonl ($((lines - unique)) twice), $rows in csv; last third: memory +$((highest - before)) KiB"
[ "$lines" = "$unique" ] && [ "$lines" = "$rows" ] || { echo "soak: the sinks differ"; failed=1; }
exit "$failed"
