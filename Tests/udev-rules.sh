#!/bin/bash
# udev-rules/ against the real udev program: its syntax, and what it does to each id of the files.
# The devices are umockdev's; everything runs in private namespaces, because `udevadm test` writes links into /dev.
# Needs root, udev, umockdev; says why when it cannot run.
set -eu
cd "$(dirname "$0")/.."
rules=$PWD/udev-rules
skip() { echo "skipped: $1" >&2; exit 0; }

if [ "${1-}" != inside ]; then
    command -v udevadm >/dev/null || skip "udevadm is not installed (apt install udev)"
    command -v umockdev-run >/dev/null || skip "umockdev is not installed (apt install umockdev)"
    if udevadm verify --help >/dev/null 2>&1; then
        udevadm verify --resolve-names=never "$rules/70-cuff.rules"
    fi
    [ "$(id -u)" = 0 ] || skip "private namespaces need root"
    unshare -n -m true 2>/dev/null || skip "unshare is not permitted here"
    exec unshare -n -m --propagation private "$0" inside
fi

# A /run, a /dev and an /etc/udev of our own.
mount -t tmpfs tmpfs /run
mkdir -p /run/d /run/udev/rules.d /run/work
mount -t tmpfs tmpfs /run/d
for n in null zero full random urandom; do cp -a /dev/$n /run/d/; done
ln -s /proc/self/fd /run/d/fd
mkdir -p /run/d/pts /run/d/shm
mount --move /run/d /dev
mount -t devpts devpts /dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx /dev/ptmx
mkdir -p /etc/udev
mount -t tmpfs tmpfs /etc/udev
mkdir -p /etc/udev/hwdb.d
cp "$rules/70-cuff.hwdb" /etc/udev/hwdb.d/
cp "$rules/70-cuff.rules" /run/udev/rules.d/
systemd-hwdb update 2>/dev/null || udevadm hwdb --update

failures=0
fail() { echo "FAILED: $1" >&2; failures=$((failures + 1)); }

# Syntax, for udev before 254 which has no `verify`: whatever it says about our file is a complaint.
complaints=$(SYSTEMD_LOG_LEVEL=debug udevadm test /sys/class/mem/null 2>&1 | grep -E '70-cuff\.rules:[0-9]+' || true)
[ -z "$complaints" ] || fail "udevadm complains: $complaints"

# tree VENDOR PRODUCT RELEASE SERIAL: one USB device with a serial port and a HID node.
tree() {
    local usb=/devices/pci0000:00/0000:00:14.0/usb1/1-2 serial=""
    [ -z "$4" ] || serial=$'\n'"A: serial=$4\\n"
    cat <<T
P: $usb
E: DEVTYPE=usb_device
E: SUBSYSTEM=usb
E: DEVNAME=/dev/bus/usb/001/004
E: MAJOR=189
E: MINOR=3
A: busnum=1\\n
A: devnum=4\\n
A: idVendor=$1\\n
A: idProduct=$2\\n
A: bcdDevice=$3\\n
A: manufacturer=Maker\\n
A: product=Thing\\n$serial

P: $usb/1-2:1.0
E: DEVTYPE=usb_interface
E: SUBSYSTEM=usb
A: bInterfaceNumber=00\\n
A: bInterfaceClass=ff\\n
A: bInterfaceSubClass=00\\n
A: bInterfaceProtocol=00\\n

P: $usb/1-2:1.0/ttyUSB0
E: SUBSYSTEM=usb-serial
A: port_number=0\\n

P: $usb/1-2:1.0/ttyUSB0/tty/ttyUSB0
E: DEVNAME=/dev/ttyUSB0
E: MAJOR=188
E: MINOR=0
E: SUBSYSTEM=tty
A: dev=188:0\\n

P: $usb/1-2:1.0/0003/hidraw/hidraw0
E: DEVNAME=/dev/hidraw0
E: MAJOR=241
E: MINOR=0
E: SUBSYSTEM=hidraw
A: dev=241:0\\n

T
}

# ask PATH: what udev makes of the device of /run/work/tree.
ask() {
    rm -rf /run/udev/data /run/udev/tags
    SYSTEMD_LOG_LEVEL=debug umockdev-run -d /run/work/tree -- udevadm test --action=add \
        "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2$1" >/run/work/said 2>&1 || true
}
says() { grep -q -- "$1" /run/work/said; }

tty=/1-2:1.0/ttyUSB0/tty/ttyUSB0
hid=/1-2:1.0/0003/hidraw/hidraw0

certain() {  # VENDOR PRODUCT RELEASE DRIVER NODES…
    local vendor=$1 product=$2 release=$3 driver=$4
    shift 4
    tree "$vendor" "$product" "$release" SER123 >/run/work/tree
    ask ""
    says '^ID_CUFF=1' || fail "$vendor:$product: the USB device has no ID_CUFF"
    says '^ID_MM_DEVICE_IGNORE=1' || fail "$vendor:$product: ModemManager is not told"
    for node in "$@"; do
        tree "$vendor" "$product" "$release" SER123 >/run/work/tree
        ask "$node"
        says '^ID_CUFF=1' || fail "$vendor:$product $node: no ID_CUFF"
        says "^ID_CUFF_DRIVER=$driver\$" || fail "$vendor:$product $node: no driver"
        says 'MODE 0660\|mode=0660\|mode 0660' || fail "$vendor:$product $node: mode"
        says "GROUP $(getent group dialout | cut -d: -f3)\|gid=$(getent group dialout | cut -d: -f3)" || fail "$vendor:$product $node: group"
        says "run: 'uaccess'\|RUN{builtin}.*uaccess\|RUN 'uaccess'" || fail "$vendor:$product $node: no access for the seat"
        says "cuff/$driver-SER123" || fail "$vendor:$product $node: no link by serial number"
        tree "$vendor" "$product" "$release" "" >/run/work/tree
        ask "$node"
        says "cuff/$driver-port-1-2" || says "cuff/$driver-Maker" || fail "$vendor:$product $node: no link by socket"
    done
}

uncertain() {  # VENDOR PRODUCT RELEASE
    tree "$1" "$2" "$3" SER123 >/run/work/tree
    for node in "" $tty $hid; do
        ask "$node"
        if says ID_CUFF || says '^ID_MM_'; then fail "$1:$2 $node: touched, though it may be anything"; fi
        if [ "$node" = $hid ] && says "GROUP\|MODE 0660"; then fail "$1:$2 $node: opened, though it may be anything"; fi
    done
}

checked=0
while read -r vendor product driver; do
    certain "$vendor" "$product" 0100 "$driver" $tty $hid
    checked=$((checked + 1))
done < <(awk '/^usb:v/ { v = tolower(substr($0, 6, 4)); p = tolower(substr($0, 11, 4)) }
              /^ ID_CUFF_DRIVER=/ { sub(/.*=/, ""); print v, p, $0 }' "$rules/70-cuff.hwdb")
while read -r vendor product release driver; do
    certain "$vendor" "$product" "$release" "$driver" $hid
    uncertain "$vendor" "$product" 9999
    checked=$((checked + 1))
done < <(sed -n 's/^SUBSYSTEM=="hidraw", ATTRS{idVendor}=="\([^"]*\)", ATTRS{idProduct}=="\([^"]*\)", ATTRS{bcdDevice}=="\([^"]*\)", .*ID_CUFF_DRIVER}="\([^"]*\)"$/\1 \2 \3 \4/p' "$rules/70-cuff.rules")
while read -r vendor product; do
    uncertain "$vendor" "$product" 0100
    checked=$((checked + 1))
done < <(sed -n 's/^#SUBSYSTEM.*idVendor}=="\(....\)", ATTRS{idProduct}=="\(....\)".*/\1 \2/p' "$rules/70-cuff.rules" | sort -u)

# A line for one port, uncommented by its owner, does what it says and only there.
line=$(sed -n 's/^#\(SUBSYSTEM=="tty", ATTRS{idVendor}=="0403".*\)/\1/p' "$rules/70-cuff.rules" | head -n 1)
if [ -n "$line" ]; then
    echo "${line/1-1.2/1-2}" >/run/udev/rules.d/71-cuff-local.rules
    tree 0403 6001 0600 SER123 >/run/work/tree
    ask $tty
    says '^ID_MM_PORT_IGNORE=1' && says 'cuff/.*-1-2' || fail "the line for one port does nothing at its port"
    echo "$line" >/run/udev/rules.d/71-cuff-local.rules
    ask $tty
    if says '^ID_CUFF='; then fail "the line for one port reaches another"; fi
fi

[ "$failures" = 0 ] || exit 1
echo "udev rules: $checked ids as they should be"
