#!/bin/sh
# The systemd units: readable to systemd, and exposed less than 2.0 by its own reckoning. Says why when it cannot run.
set -eu
cd "$(dirname "$0")/../udev-rules"
if ! command -v systemd-analyze >/dev/null; then
    echo "skipped: systemd-analyze is not installed" >&2
    exit 0
fi
for unit in cuff.service cuff@.service; do
    if ! said=$(systemd-analyze security --offline=true --threshold=${THRESHOLD-20} "./$unit" 2>&1); then
        echo "$said" | grep -v '^✓' >&2
        exit 1
    fi
    echo "$said" | tail -n 1
    # The program is not installed on a build machine, nor is its manual.
    case $unit in *@*) name=cuff@ttyUSB0.service ;; *) name=$unit ;; esac
    copy=$(mktemp -d)
    cp "$unit" "$copy/$name"
    # The drop-in is read with it.
    [ "$unit" != cuff.service ] || { mkdir "$copy/$name.d"; cp cuff-network.conf "$copy/$name.d/network.conf"; }
    complaints=$(systemd-analyze verify --man=no "$copy/$name" 2>&1 | grep -e "$name" -e network.conf | grep -v 'is not executable' || true)
    rm -r "$copy"
    if [ -n "$complaints" ]; then
        echo "$complaints" >&2
        exit 1
    fi
done
