"""Agents of IEEE 11073-20601 and -10407 (blood pressure). All numbers have the high byte first; docs: docs/PHD.md in this repository."""

from wire import device, host, protocol, raw, reading, readings

NAN, NRES = 0x07FF, 0x0800


def u16(*values):
    return b"".join(value.to_bytes(2, "big") for value in values)


def sized(*parts):
    """A length and the parts."""
    body = b"".join(parts)
    return u16(len(body)) + body


def listed(items):
    """A count, a length and the items."""
    return u16(len(items)) + sized(*items)


def apdu(choice, *parts):
    return u16(choice) + sized(*parts)


def sfloat(mantissa, exponent=0):
    """Four bits of a signed exponent, twelve of a signed mantissa."""
    return u16((exponent & 0xF) << 12 | mantissa & 0xFFF)


def bcd(time):
    """AbsoluteTime of 2026-05-05T07:31:10: a BCD digit in four bits, hundredths last."""
    return raw("".join(character for character in time if character.isdigit())) + b"\0"


PROTOCOL = raw("80000000 8000 80000000 00000000".replace(" ", ""))


def association(config):
    info = PROTOCOL + raw("00800000") + sized(raw("0022090000000001")) + u16(config, 1) + b"\1\0" + listed([])
    return apdu(0xE200, raw("80000000"), listed([u16(0x5079) + sized(info)]))


def answer(result):
    info = PROTOCOL + raw("80000000") + sized(raw("1122334455667788")) + u16(0, 0) + b"\0\0" + listed([])
    return apdu(0xE300, u16(result, 0x5079), sized(info))


assert len(association(0x02BC)) == 54 and association(0x02BC)[:4] == raw("e2000032") and answer(0)[:4] == raw("e300002c")


def data(invoke, choice, *parts):
    return apdu(0xE700, sized(u16(invoke, choice), sized(*parts)))


def event(invoke, kind, info, confirmed=True):
    return data(invoke, 0x0101 if confirmed else 0x0100, u16(0), raw("ffffffff"), u16(kind), sized(info))


def confirmation(invoke, kind, info=b""):
    return data(invoke, 0x0201, u16(0), raw("ffffffff"), u16(kind), sized(info))


def pressures(*values):
    return listed(list(values))


def observations(values, pulse, time):
    """Handle 1 has systolic, diastolic and mean, handle 2 the pulse; each with its time."""
    return [u16(1) + sized(pressures(*values), bcd(time)), u16(2) + sized(pulse, bcd(time))]


def fixed(invoke, *groups, confirmed=True, count=None):
    rows = [row for group in groups for row in group]
    info = u16(0xF000, 0) + (u16(len(rows) if count is None else count) + sized(*rows))
    return event(invoke, 0x0D1D, info, confirmed)


def persons(invoke, *groups):
    return event(invoke, 0x0D1F, u16(0xF000, 0) + listed([u16(person) + listed(rows) for person, rows in groups]))


WORKED = observations([sfloat(118), sfloat(76), sfloat(90)], sfloat(64), "2026-11-20T07:10:12")
assert fixed(2, WORKED) == raw(
    "e700003e003c000201010036"
    "0000ffffffff0d1d002c"
    "f000000000020024"
    "0001001200030006"
    "0076004c005a"
    "2026112007101200"
    "0002000a0040"
    "2026112007101200"
)


def attribute(number, *parts):
    return u16(number) + sized(*parts)


def configuration(invoke, number):
    """The two objects of the standard configuration 700, spelled out under another number."""
    first = [
        attribute(0x092F, u16(2, 0x4A04)),
        attribute(0x0A46, u16(0xF040)),
        attribute(0x0A73, b"\3\3"),
        attribute(0x0A76, listed([u16(0x4A05), u16(0x4A06), u16(0x4A07)])),
        attribute(0x0996, u16(0x0F20)),
        attribute(0x0A55, listed([u16(0x0A75, 10), u16(0x0990, 8)])),
    ]
    second = [
        attribute(0x092F, u16(2, 0x482A)),
        attribute(0x0A46, u16(0xF040)),
        attribute(0x0996, u16(0x0AA0)),
        attribute(0x0A55, listed([u16(0x0A4C, 2), u16(0x0990, 8)])),
    ]
    return event(invoke, 0x0D1C, u16(number) + listed([u16(6, 1) + listed(first), u16(6, 2) + listed(second)]))


def conversation(*exchange, config=0x02BC, known=True):
    found = device(association(config)) + host(answer(0 if known else 3))
    for part in exchange:
        found += part
    return found + device(raw("e40000020000")) + host(raw("e50000020000"))


def reported(invoke, frame, kind=0x0D1D):
    return device(frame) + host(confirmation(invoke, kind))


MORNING = observations([sfloat(128), sfloat(82), sfloat(97)], sfloat(71), "2026-05-05T07:31:10")
EVENING = observations([sfloat(203), sfloat(118), sfloat(146)], sfloat(104), "2026-05-05T18:02:00")
TENTHS = observations([sfloat(1284, -1), sfloat(826, -1), sfloat(979, -1)], sfloat(715, -1), "2026-05-05T07:31:10")
SPECIAL = observations([sfloat(128), sfloat(82), u16(NAN)], u16(NRES), "2026-05-05T07:31:10")
FIRST = reading(128, 82, mean=97, pulse=71, device_time="2026-05-05T07:31:10")
SECOND = reading(203, 118, mean=146, pulse=104, device_time="2026-05-05T18:02:00")

PROTOCOLS = [
    protocol(
        "phd",
        "any agent of IEEE 11073-10407",
        "stream of APDUs (serial, TCP, USB)",
        "A",
        "IEEE 11073-20601 and -10407 as implemented by signove/antidote and others",
        [
            (
                "standard-configuration",
                "configuration 700, one fixed report",
                conversation(reported(1, fixed(1, MORNING))),
                readings(FIRST),
            ),
            (
                "several",
                "two measurements in one report, the later one first",
                conversation(reported(1, fixed(1, EVENING, MORNING))),
                readings(SECOND, FIRST),
            ),
            (
                "unconfirmed",
                "a report that asks for no confirmation",
                conversation(device(fixed(1, MORNING, confirmed=False))),
                readings(FIRST),
            ),
            (
                "tenths",
                "SFLOAT with the exponent -1",
                conversation(reported(1, fixed(1, TENTHS))),
                readings(reading(128.4, 82.6, mean=97.9, pulse=71.5)),
            ),
            (
                "special-values",
                "NaN and NRes are absent values",
                conversation(reported(1, fixed(1, SPECIAL))),
                readings(reading(128, 82, mean=None, pulse=None)),
            ),
            (
                "two-persons",
                "a report for several persons",
                conversation(reported(1, persons(1, (1, MORNING), (2, EVENING)), 0x0D1F)),
                readings(FIRST | {"user": 1}, SECOND | {"user": 2}),
            ),
            (
                "extended-configuration",
                "an unknown configuration is described by the agent",
                conversation(
                    device(configuration(1, 0x4000)) + host(confirmation(1, 0x0D1C, u16(0x4000, 0))),
                    reported(2, fixed(2, MORNING)),
                    config=0x4000,
                    known=False,
                ),
                readings(FIRST),
            ),
            (
                "wrong-count",
                "a report that announces three observations and has two",
                conversation(device(fixed(1, MORNING, count=3))),
                readings(),
            ),
        ],
        verb="follow",
    ),
]
