#!/bin/sh
# The hotplug watcher's tests against umockdev's /sys and udev. Builds what is not built; prints why when it cannot run.
set -e
cd "$(dirname "$0")/.."
if ! command -v umockdev-wrapper >/dev/null; then
    echo "skipped: umockdev is not installed (apt install umockdev)" >&2
    exit 0
fi
swift build --build-tests
exec umockdev-wrapper swift test --skip-build --disable-xctest --filter 'HotplugWatcherTests' "$@"
