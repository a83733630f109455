"""Cuffs on USB that are HID devices: reports instead of a stream."""

from asked import beurer
from wire import SILENCE, device, host, protocol, raw, reading, readings, total, xor


def filled(*data, size=8):
    """A report of a HID cuff by Beurer: the rest is F4."""
    return bytes(data) + b"\xf4" * (size - len(data))


def beurer_hid(*records):
    found = host(filled(0xAA)) + device(filled(0x55)) + host(filled(0xA2)) + device(filled(len(records)))
    for number, record in enumerate(records, 1):
        found += host(filled(0xA3, number)) + device(record)
    return found + host(filled(0xF7)) + SILENCE + host(filled(0xF6))


# BM 96: user, index, unknown, sensor (1 pressure), hour, minute, day, month, year, flags, unknown, systolic, diastolic, pulse.
def bm96(*users):
    wide = lambda *data: filled(*data, size=64)  # noqa: E731
    found = host(filled(0xAA)) + device(wide(0x55)) + host(filled(0xA2)) + device(wide(*map(len, users)))
    for user, records in enumerate(users):
        for index, record in enumerate(records):
            found += host(filled(0xA3, user, index)) + device(wide(user, index, *record))
    return found


# Microlife over HID: 4D, direction, length of what follows, body, sum; reports of a count and up to seven bytes.
def b3(direction, body):
    frame = bytes([0x4D, direction]) + (len(body) + 1).to_bytes(2, "big") + bytes(body)
    return frame + bytes([total(frame)])


def reports(frame, high=0xF0):
    found = []
    for at in range(0, len(frame), 7):
        part = frame[at : at + 7]
        found.append(bytes([high | len(part)]) + part + b"\x00" * (7 - len(part)))
    return found


B3_ASK = b3(0xFF, [0] * 7 + [0xFD])
assert B3_ASK == raw("4dff0009" + "00" * 7 + "fd52")
B3_RECORDS = bytes([128, 82, 71, 26, 5, 5, 7, 31, 0xC0, 0, 203, 118, 104, 26, 5, 5, 18, 2, 0x80, 0, 118, 76, 58, 17, 0, 0, 0, 0, 0x80, 0])
B3 = b3(0x3A, [0] * 3 + [3] + [0] * 34 + list(B3_RECORDS))
assert B3[7] == 3 and len(B3) == 42 + len(B3_RECORDS) + 1


# Omron EEPROM: length, type, address, count, data, 00, and a byte that makes the XOR of all 0.
def eeprom(*data):
    return bytes(data) + bytes([xor(data)])


def eeprom_record(systolic, diastolic, pulse, year, month, day, hour, minute, second, movement=0, irregular=0):
    first = movement << 15 | irregular << 14 | month << 10 | day << 5 | hour
    return bytes([diastolic, systolic - 25, year - 2000, pulse, first >> 8, first & 0xFF, minute >> 2, (minute & 3) << 6 | second]) + bytes(
        6
    )


assert eeprom(0x08, 0x01, 0x00, 0x02, 0xAC, 0x28, 0x00) == raw("08010002ac28008f") and eeprom(8, 0, 0, 0, 0, 0x10, 0)[-1] == 0x18
assert eeprom_record(128, 82, 66, 2016, 5, 17, 7, 41, 30)[2:6] == raw("10421627")


def eeprom_memory(*records):
    memory, found = b"".join(records).ljust(120, b"\xff"), host(b"\x02" + eeprom(8, 0, 0, 0, 0, 0x10, 0)) + device(
        b"\x01" + eeprom(0x18, 0x80, 0, 0, 0, 0x10, *[0] * 17)
    )
    for at in range(0, 120, 40):
        high, low = divmod(0x02AC + at, 256)
        found += host(b"\x02" + eeprom(8, 1, 0, high, low, 40, 0)) + device(
            b"\x01" + eeprom(0x30, 0x81, 0, high, low, 40, *memory[at : at + 40], 0)
        )
    return found + host(b"\x02" + eeprom(8, 0x0F, 0, 0, 0, 0, 0)) + device(b"\x01" + eeprom(8, 0x8F, 0, 0, 0, 0, 0))


# Omron 0590:0028: letters, arguments and their XOR, in reports of a count and seven bytes. Unused bytes are of no meaning.
def counted(data):
    return [bytes([len(data[at : at + 7])]) + data[at : at + 7].ljust(7, b"\0") for at in range(0, len(data), 7)]


def command(letters, *arguments):
    return host(*counted(letters.encode() + bytes(arguments) + bytes([xor(arguments)])))


def reply(*data):
    return device(*counted(b"OK\0" + bytes(data) + bytes([xor(data)])))


def record(systolic, diastolic, pulse, *time, flags=0):
    return [*time, 0, systolic >> 8, systolic & 0xFF, diastolic, pulse, flags >> 8, flags & 0xFF]


# The recorded answer of a 7080IT that libomron prints: 2007-01-01 00:06:38, 123/78, 87.
assert [item[1] for item in reply(*record(123, 78, 87, 7, 1, 1, 0, 6, 38))] == ["074f4b0007010100", "07062600007b4e57", "0300004500000000"]


def omron(*banks):
    found = host(raw("74bc"), *[raw("0700000000000000")] * 4, raw("0200000000000000")) + device(raw("024f4b0000000000"))
    found += host(raw("0556455230300000")) + device(*counted(b"OK\0M7080IT 207" + bytes([xor(b"M7080IT 207")])))
    for bank, records in enumerate(banks):
        found += command("GDC", 0, bank, 0, 0) + reply(0, 10, 0, len(records))
        for index, one in enumerate(records):
            found += command("GME", 0, bank, 0, index) + reply(*one)
    return found + host(raw("05454e44ffff0000")) + device(raw("024f4b0000000000"), raw("054f46460d0a0000"))


EEPROM = eeprom_memory(eeprom_record(128, 82, 66, 2016, 5, 17, 7, 41, 30), eeprom_record(203, 118, 104, 2016, 5, 17, 21, 5, 9, irregular=1))

PROTOCOLS = [
    protocol(
        "beurer-hid",
        "Beurer BM58 (USB)",
        "hid 0c45:7406",
        "A",
        "muling-tt/beurer_bm58 (GPL-3, facts only), roose242/bmdump (MIT)",
        [
            (
                "two-records",
                "bit 7 of the day is user 2",
                beurer_hid(beurer(128, 82, 71, 5, 5, 7, 31, 26), beurer(203, 118, 104, 5, 0x85, 18, 2, 26)),
                readings(
                    reading(128, 82, pulse=71, user=1, time="2026-05-05T07:31"),
                    reading(203, 118, pulse=104, user=2, time="2026-05-05T18:02"),
                ),
            ),
        ],
        verb="read",
    ),
    protocol(
        "beurer-bm96",
        "Beurer BM 96 Cardio",
        "hid 314a:0102",
        "B",
        "roose242/bmtoolkit bmquery.py (MIT)",
        [
            (
                "two-users",
                "an ECG between the pressures is no reading",
                bm96(
                    [(0, 1, 7, 31, 5, 5, 26, 2, 0, 128, 82, 71), (0, 2, 7, 40, 5, 5, 26, 0, 0, 70, 0, 0)],
                    [(0, 1, 18, 2, 5, 5, 26, 2, 0, 203, 118, 104)],
                ),
                readings(
                    reading(128, 82, pulse=71, user=1, time="2026-05-05T07:31"),
                    reading(203, 118, pulse=104, user=2, time="2026-05-05T18:02"),
                ),
            ),
        ],
        verb="read",
    ),
    protocol(
        "microlife-hid",
        "Microlife BP B3 Comfort PC",
        "hid 04d9:b554",
        "B",
        "vytautas-valaitis/microlife_bp, which prints the question",
        [
            (
                "three-records",
                "reports of seven bytes; a month of 0 is a clock that was never set",
                host(bytes([len(B3_ASK)]) + B3_ASK) + device(*reports(B3)),
                readings(
                    reading(128, 82, pulse=71, time="2026-05-05T07:31", flags=["irregular_pulse"]),
                    reading(203, 118, pulse=104, time="2026-05-05T18:02"),
                    reading(118, 76, pulse=58, device_time=None),
                ),
                (reports(B3)[6].hex(), 1),
            ),
        ],
        verb="read",
    ),
    protocol(
        "omron-eeprom",
        "Omron M3 IT, M6 Comfort IT",
        "hid 0590:0090",
        "A",
        "userx14/omblepy and LazyT/obpm (GPL-3, facts only), issues with printed frames",
        [
            (
                "two-records",
                "the first slots of user 1; FF is an empty slot",
                EEPROM,
                readings(
                    reading(128, 82, pulse=66, user=1, time="2016-05-17T07:41:30"),
                    reading(203, 118, pulse=104, user=1, time="2016-05-17T21:05:09", flags=["irregular_pulse"]),
                ),
            ),
        ],
    ),
    protocol(
        "omron-hid",
        "Omron HEM-790IT, HEM-7080IT",
        "hid 0590:0028",
        "A",
        "openyou/libomron (BSD-3)",
        [
            (
                "two-users",
                "index 0 is the newest; 0001 is an irregular pulse",
                omron(
                    [record(141, 93, 66, 26, 5, 4, 21, 2, 44, flags=1), record(128, 82, 71, 26, 5, 4, 7, 31, 10)],
                    [record(259, 118, 104, 26, 5, 5, 18, 2, 0)],
                ),
                readings(
                    reading(141, 93, pulse=66, user=1, device_time="2026-05-04T21:02:44", flags=["irregular_pulse"]),
                    reading(128, 82, pulse=71, user=1, device_time="2026-05-04T07:31:10"),
                    reading(259, 118, pulse=104, user=2, device_time="2026-05-05T18:02:00"),
                ),
            ),
        ],
        verb="read",
    ),
]
