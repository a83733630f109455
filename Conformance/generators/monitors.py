"""Bedside monitors, and an OEM module."""

from wire import device, host, protocol, raw, reading, readings, total


def little(*values):
    return b"".join((value & 0xFFFF).to_bytes(2, "little") for value in values)


# Datex-Ohmeda record interface: 7E, record, sum, 7E; 7D and 7E inside are escaped.
def dri(number, *nibp, status=3, label=1):
    """A header of 40 bytes and one subrecord of the basic class; NIBP is at 72 in its 270 bytes."""
    time = (1_777_966_000 + number).to_bytes(4, "little")
    basic = bytes(72) + status.to_bytes(4, "little") + little(label, *nibp)
    subrecord = time + basic.ljust(270, b"\0") + b"\0\0" + little(0)
    head = (
        little(40 + len(subrecord))
        + bytes([number, 8])
        + little(1)
        + time
        + bytes(4)
        + little(0)
        + little(0)
        + b"\1"
        + (little(0) + b"\xff")
        + bytes(18)
    )
    record = head[:40] + subrecord
    body = record + bytes([total(record)])
    return b"\x7e" + body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e") + b"\x7e"


NONE = -32767
# 126.70 is 317E: it has to be escaped.
DRI = [dri(1, NONE, NONE, NONE, NONE), dri(2, 12670, 8200, 9700, 71), dri(3, 12670, 8200, 9700, 71), dri(4, 20300, 11800, 14600, 104)]


# Philips IntelliVue over RS-232: C0, head, data, CRC-16/X-25 with the low byte first, C1; C0, C1 and 7D inside are escaped.
def x25(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value ^ 0xFFFF


assert x25(b"123456789") == 0x906E


def u16(*values):
    return b"".join(value.to_bytes(2, "big") for value in values)


def sized(*parts):
    body = b"".join(parts)
    return u16(len(body)) + body


def listed(items):
    return u16(len(items)) + sized(*items)


def value(code, unit, number, state=0):
    """A physiological id, its state, its unit and a FLOAT."""
    return u16(code, state, unit) + number.to_bytes(4, "big")


def intellivue(poll, *objects):
    """A poll result with one context."""
    result = u16(poll) + raw("00123456") + raw("2026050507330000") + u16(1, 6, 0x0803) + listed([u16(0) + listed(list(objects))])
    user = raw("e1000002") + u16(2) + sized(u16(poll, 7) + sized(u16(0x21, 0, 0, 0x0C16) + sized(result)))
    frame = b"\x11\x01" + sized(user)
    check = x25(frame)
    body = frame + bytes([check & 0xFF, check >> 8])
    return b"\xc0" + b"".join(bytes([0x7D, byte ^ 0x20]) if byte in (0xC0, 0xC1, 0x7D) else bytes([byte]) for byte in body) + b"\xc1"


def pressure(handle, first, systolic, diastolic, mean, time, state=0):
    """A compound value: the ids of the parts follow that of the whole."""
    parts = [value(first + place, 0x0F20, number, state) for place, number in enumerate((systolic, diastolic, mean), 1)]
    attributes = [u16(0x092F) + sized(u16(1, first)), u16(0x094B) + sized(listed(parts)), u16(0x0990) + sized(raw(time))]
    return u16(handle) + listed(attributes)


EARLY, LATE = "2026050507310000", "2026050518020000"
NBP, ART = 0x4A04, 0x4A14
# 193 is C1: it has to be escaped.
IVUE = [
    intellivue(1, pressure(8, NBP, 128, 82, 97, EARLY)),
    intellivue(2, pressure(8, NBP, 128, 82, 97, EARLY)),
    intellivue(3, pressure(8, NBP, 193, 118, 146, LATE)),
]


# The module with FA: length, module, kind, id, four bytes of sequence, data, sum with or without FA.
def fa(kind, number, *content, sequence=b"\0\0\0\0", head=True):
    body = bytes([0xFA, 11 - 1 + len(content), 2, kind, number]) + sequence + bytes(content)
    return body + bytes([total(body if head else body[1:])])


def fa_measurement(head, error=0):
    sequence = b"\0\0\0\0" if head else b"\x2f\0\0\0"
    make = lambda kind, number, *content: fa(kind, number, *content, sequence=sequence, head=head)  # noqa: E731
    result = make(3, 0x83, *little(259, 141, 180, 104), 1, error, 0, 0)
    return device(make(4, 0x84, 188, 0, 0, 0), make(4, 0x86, 0, 0)) + host(make(2, 3)) + device(result), result.hex()


FA, FA_FRAME = fa_measurement(True)
FA_WITHOUT, _ = fa_measurement(False)
FA_FAILED, _ = fa_measurement(True, error=6)


PROTOCOLS = [
    protocol(
        "ge-dri",
        "GE CARESCAPE B450, B650, B850, B30, B40; Datex-Ohmeda S/5",
        "serial 19200 8E1 RTS/CTS",
        "A",
        "part-cw/LNhealth s5parser (BSD-3), document 8005313",
        [
            (
                "stands-until-the-next",
                "no values, a result twice, another; hundredths of mmHg, a byte that is escaped",
                device(*DRI),
                readings(reading(126.7, 82, mean=97, pulse=71), reading(203, 118, mean=146, pulse=104)),
                (DRI[1].hex(), 60),
            ),
        ],
    ),
    protocol(
        "intellivue",
        "Philips IntelliVue MP and MX series, MIB port",
        "serial 115200 8N1",
        "A",
        "part-cw/LNhealth ivueparser (BSD-3), Philips 4535 645 88011",
        [
            (
                "stands-until-the-next",
                "a result twice, then one with another time; an escaped byte",
                device(*IVUE),
                readings(
                    reading(128, 82, mean=97, device_time="2026-05-05T07:31:00"),
                    reading(193, 118, mean=146, device_time="2026-05-05T18:02:00"),
                ),
                (IVUE[0].hex(), IVUE[0].index(u16(128)) + 1),
            ),
            (
                "arterial-line",
                "an arterial pressure is not a cuff's",
                device(intellivue(1, pressure(8, ART, 142, 76, 98, EARLY))),
                readings(),
            ),
            (
                "invalid",
                "the state says that the values are invalid",
                device(intellivue(1, pressure(8, NBP, 128, 82, 97, EARLY, state=0x8000))),
                readings(),
            ),
        ],
    ),
    protocol(
        "fa-nibp",
        "OEM module with FA frames; its maker is unknown",
        "serial 115200 8N1 or 4800 8N1",
        "B",
        "two public programs that agree on the fields and differ in the sum",
        [
            (
                "sum-with-head",
                "FA belongs to the sum; 259 mmHg needs the high byte",
                FA,
                readings(reading(259, 141, mean=180, pulse=104), pressures=[188]),
                (FA_FRAME, 9),
            ),
            (
                "sum-without-head",
                "FA does not belong to the sum",
                FA_WITHOUT,
                readings(reading(259, 141, mean=180, pulse=104), pressures=[188]),
            ),
            ("failed", "a result with an error is not a reading", FA_FAILED, readings()),
        ],
    ),
]
