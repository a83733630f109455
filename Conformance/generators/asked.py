"""Cuffs on a serial line that answer questions. An exchange has the bytes of both sides."""

from wire import SILENCE, crc8, device, host, protocol, raw, reading, readings, total


# R1: STX, fields with commas, ETX, sum of all from STX to ETX. The mean is before the diastolic pressure.
def r1(time, systolic, mean, diastolic, pulse):
    body = f"\x02R1,000000000,{time},{systolic:03},{mean:03},{diastolic:03},{pulse:03},0000,0000,00000,000\x03".encode()
    return body + bytes([total(body)])


def r1_word(byte):
    return bytes([2, byte, 3, total([2, byte, 3])])


ENQ, ACK = r1_word(0x05), r1_word(0x06)
assert (ENQ, ACK) == (raw("0205030a"), raw("0206030b"))
R1 = r1("260505,073110", 128, 97, 82, 71)


# PAR: STX, text, sum of the text as two hexadecimal digits, ETX; a result ends with CR.
def par(text, end=b"\x03"):
    return b"\x02" + text.encode() + f"{total(text.encode()):02X}".encode() + end


def par_result(status, message, values, pulse):
    return par(f"S{status};A0;C00;M{message:02};P{values};R{pulse};T    ;;", b"\x03\r")


assert par("18;;") == raw("0231383b3b444603") and par("01;;")[5:7] == b"D7"
PAR = par_result(1, 0, "128082097", "071")


# SunTech: 3A from the host, 3E and the length from the module; the sum of all bytes is 0.
def suntech(*data):
    return bytes(data) + bytes([-total(data) & 0xFF])


def suntech_result(systolic, mean, diastolic, pulse, error=0):
    # Systolic, diastolic, number of beats, status, eight test codes, heart rate, spare, mean, error, two spares.
    low = lambda value: value.to_bytes(2, "little")  # noqa: E731
    return suntech(0x3E, 0x18, *low(systolic), *low(diastolic), 30, 0, 1, *[0] * 7, pulse, 0, *low(mean), error, 0, 0)


assert suntech(0x3A, 0x79, 0x03, 0x00) == raw("3a7903004a") and suntech(0x3A, 0x20) == raw("3a20a6")


# Beurer and the Andon KD-001 class: pressures less 25; month, day, hour, minute, year.
def beurer(systolic, diastolic, pulse, *time):
    return bytes([systolic - 25, diastolic - 25, pulse, *time])


def beurer_serial(*records):
    found = (
        host(raw("aa"))
        + device(raw("55"))
        + host(raw("a4"))
        + device(b"Andon Blood Pressure Meter KD001")
        + host(raw("a2"))
        + device([len(records)])
    )
    for number, record in enumerate(records, 1):
        found += host([0xA3, number]) + device(b"\xac" + record)
    return found


# Microlife BPA-100: 06, text, sum of the text as two hexadecimal digits.
def bpa100(text):
    return b"\x06" + text.encode() + f"{total(text.encode()):02X}".encode()


def bpa100_record(time, systolic, diastolic, pulse):
    word = f"{systolic | diastolic << 10 | pulse << 20:08X}"
    return f"{time}000000{word}{word}"


assert bpa100("\x12\x16\x18\x2821") == raw("06121618283231 4342".replace(" ", ""))
BPA = bpa100(
    "00030001"
    + "4131"
    + "9" * 20
    + bpa100_record("2605050731", 128, 82, 71)
    + bpa100_record("2605051802", 259, 141, 104)
    + bpa100_record("1500000000", 118, 76, 58)
)


# TaiDoc: 51, command, four bytes, A3 from the host or A5 from the cuff, sum.
def taidoc(command, *data, end=0xA5):
    frame = bytes([0x51, command, *data, *[0] * (4 - len(data)), end])
    return frame + bytes([total(frame)])


def taidoc_time(year, month, day, hour, minute):
    date = (year - 2000) << 9 | month << 5 | day
    return date & 0xFF, date >> 8, minute, hour


assert taidoc(0x43, 0, 0, 1, 1, end=0xA3) == raw("514300000101a339")


def taidoc_memory(*records):
    ask = lambda *data: host(taidoc(*data, end=0xA3))  # noqa: E731
    found = ask(0x22) + device(taidoc(0x22)) + ask(0x24) + device(taidoc(0x24, 0x28, 0x31)) + ask(0x2B) + device(taidoc(0x2B, len(records)))
    for index, (time, systolic, mean, diastolic, pulse) in enumerate(records):
        found += (
            ask(0x25, index)
            + device(taidoc(0x25, *taidoc_time(*time)))
            + ask(0x26, index)
            + device(taidoc(0x26, systolic, mean, diastolic, pulse))
        )
    return found


# Veroval duo: number and records of each user behind STX, answered with ACK and fetched with ENQ.
def veroval(*users):
    found = []
    for user, records in enumerate(users, 1):
        for question, answer in ((f"MRN{user}", f"{len(records):03}"), (f"MDR{user}A", "".join(records))):
            if answer:
                found += (
                    host(b"\x02?" + question.encode() + b"\x03")
                    + device(b"\x06")
                    + SILENCE
                    + host(b"\x05")
                    + device(b"\x02" + question[:4].encode() + answer.encode())
                    + SILENCE
                )
    return found


# iBio and PCT: seven bits a byte; the second byte has the eighth bits of the data; a sum of seven bits.
def seven(first, data, after=()):
    bits = sum((byte >> 7) << place for place, byte in enumerate(data))
    frame = bytes([first, 0x80 | bits, *(0x80 | byte for byte in data), *after])
    return frame + bytes([0x80 | total(frame) & 0x7F])


def words(*values):
    return b"".join((value & 0xFFFF).to_bytes(2, "big") for value in values)


def pct(kind, data):
    return seven(0x14, bytes([kind]) + data.ljust(6, b"\x00"))


assert pct(0x80, b"") == raw("14818080808080808095")
IBIO = {
    "live": lambda value: seven(0x20, words(value) + b"\x00\x01"),
    "end": seven(0x21, b"\x01"),
    "result": seven(0x22, words(143, 88, 107)),
    "pulse": seven(0x23, words(72)),
}
ABSENT = -100


# evgmolt: ten bytes that echo the question: systolic, diastolic, cuff, status, error, settings, an index and the value it names, sum.
def evgmolt(systolic, diastolic, index, value, status=0, cuff=0):
    frame = bytes([0xA0, systolic, diastolic, cuff, status, 0, 0, index, value])
    return frame + bytes([total(frame)])


def evgmolt_result(systolic, mean, diastolic, pulse):
    """Bit 6 of the first status is a new result; index 7 is the pulse, 6 the mean."""
    answers = [
        evgmolt(systolic, diastolic, 7, pulse, status=0x40),
        evgmolt(systolic, diastolic, 2, 3),
        evgmolt(systolic, diastolic, 6, mean),
    ]
    return [pair for answer in answers for pair in host(b"\xa0") + device(answer)]


# Dinamap: characters, two check characters that continue a sum, CR.
def dinamap(text):
    value = 0
    for character in text:
        value += ord(character) - 0x1F
        value -= 0xFFF if value > 0xFFF else 0
    return (text + chr(0x20 + (value >> 6)) + chr(0x20 + (value & 0x3F)) + "\r").encode()


assert [dinamap(one) for one in (" NA", " NC0", " ND", " RA")] == [b" NA!2\r", b" NC0!E\r", b" ND!5\r", b" RA!6\r"]


def dinamap_read(pulse):
    """The cuff's age grows between the first and the second answer, so the values are those of a finished determination."""
    answer = lambda age: host(dinamap(" NA")) + device(dinamap(f" NA110{age:04}128082097"))  # noqa: E731
    return answer(42) + host(dinamap(" RA")) + device(dinamap(f" RA3{pulse}"))


# Uscom BP+: lines; XML with its length and CRC-8 (polynomial 85 reflected, start FF) before it.
assert crc8(b"123456789", 0xA1, 0xFF) == 0x15 and crc8(b"015D90DE1A0000DAMEASUREMODE5", 0xA1, 0xFF) == 0x9F


def bpplus(systolic, mean, diastolic, pulse, time):
    xml = f'<?xml version="1.0"?>\r\n<BPplus version="6.0"><PatientID></PatientID><MeasDataLogger version="6.0" datetime="{time}" guid="6f1d2c3b-0000-4000-8000-000000000001">'
    xml += f"<Sys>{systolic}</Sys><Dia>{diastolic}</Dia><Map>{mean}</Map><Pr>{pulse}</Pr><Alert></Alert></MeasDataLogger>"
    xml += "<Results><Result><cSys>99</cSys><cDia>60</cDia></Result></Results></BPplus>"
    return f"|_XML_Size{len(xml)} {crc8(xml.encode(), 0xA1, 0xFF)}_|\r\n{xml}\r\n".encode()


BPPLUS = bpplus(131, 97, 79, 66, "2026-05-04T09:12:40")

SERIAL_BEURER = beurer_serial(beurer(128, 82, 71, 5, 5, 7, 31, 26), beurer(203, 118, 104, 5, 5, 18, 2, 26))
TAIDOC = taidoc_memory(((2026, 5, 5, 7, 31), 128, 97, 82, 71), ((2026, 5, 4, 21, 2), 203, 146, 118, 104))
SOME = [reading(128, 82, mean=97, pulse=71), reading(203, 118, mean=146, pulse=104)]

PROTOCOLS = [
    protocol(
        "r1",
        "Selvas ACCUNIQ BP500, Terumo BP-500",
        "serial 38400 8N1",
        "A",
        "public readers and a simulator of the R1 record; the two printed control packets",
        [
            (
                "asked",
                "ENQ, the record, ACK",
                host(ENQ) + device(R1) + host(ACK),
                readings(reading(128, 82, mean=97, pulse=71, time="2026-05-05T07:31:10")),
                (R1.hex(), 33),
            ),
            ("nothing-stored", "zeros", host(ENQ) + device(r1("000000,000000", 0, 0, 0, 0)), readings()),
        ],
        verb="read",
    ),
    protocol(
        "par-nibp",
        "PAR NIBP2010, NIBP2020 UP and relatives",
        "serial 4800 8N1",
        "A",
        "CardioArtLab/NIBP-project, tincho77/NIBP-ABATON and their manual's table of commands",
        [
            (
                "result",
                "systolic, diastolic, mean",
                host(par("18;;")) + device(PAR),
                readings(reading(128, 82, mean=97, pulse=71)),
                (PAR.hex(), 18),
            ),
            (
                "no-pulse",
                "blanks are an absent value",
                host(par("18;;")) + device(par_result(1, 0, "203118146", "   ")),
                readings(reading(203, 118, mean=146, pulse=None)),
            ),
            (
                "failed",
                "M06, cuff loose: an error frame may still have the previous pressures",
                host(par("18;;")) + device(par_result(2, 6, "128082097", "071")),
                readings(),
            ),
        ],
        verb="read",
    ),
    protocol(
        "suntech-advantage",
        "SunTech Advantage OEM",
        "serial 9600 8N1",
        "A",
        "ak-git/DesktopFX, tests; printed constants",
        [
            (
                "result",
                "16 bits, low byte first; the mean is last",
                host(suntech(0x3A, 0x79, 3, 0)) + device(suntech_result(259, 180, 141, 104)),
                readings(reading(259, 141, mean=180, pulse=104)),
                (suntech_result(259, 180, 141, 104).hex(), 2),
            ),
        ],
        verb="read",
    ),
    protocol(
        "beurer-serial",
        "Beurer BM58, BM65 (serial)",
        "serial 4800 8N1",
        "A",
        "DaveDavenport/BPM, McKael/gobm65, curzon01/bm58 (facts only)",
        [
            (
                "two-records",
                "pressures less 25",
                SERIAL_BEURER,
                readings(reading(128, 82, pulse=71, time="2026-05-05T07:31"), reading(203, 118, pulse=104, time="2026-05-05T18:02")),
            ),
            ("empty", "no records", beurer_serial(), readings()),
        ],
        verb="read",
    ),
    protocol(
        "microlife-bpa100",
        "Microlife BPA-100, BP A6 PC",
        "serial 19200 8N1",
        "A",
        "phako/BPM (MIT), frankyn/BPADataDownloader (Apache-2.0); printed frame 06 12 16 18 28 32 31 43 42",
        [
            (
                "three-records",
                "ten bits for each value; the third has a clock that was never set",
                host(raw("12161822")) + device(BPA),
                readings(
                    reading(128, 82, pulse=71, time="2026-05-05T07:31"),
                    reading(259, 141, pulse=104, time="2026-05-05T18:02"),
                    reading(118, 76, pulse=58, device_time=None),
                ),
                (BPA.hex(), 55),
            ),
            ("empty", "no records", host(raw("12161822")) + device(bpa100("00000001" + "4131" + "9" * 20)), readings()),
        ],
        verb="read",
    ),
    protocol(
        "taidoc",
        "Fora P30 Plus, TaiDoc TD-31xx",
        "serial 19200 8N1",
        "A",
        "glucometers-tech/glucometer-protocols; printed frame 51 43 00 00 01 01 A3 39",
        [
            (
                "two-records",
                "index 0 is the newest; systolic, mean, diastolic, pulse",
                TAIDOC,
                readings(SOME[0] | {"device_time": "2026-05-05T07:31"}, SOME[1] | {"device_time": "2026-05-04T21:02"}),
                (taidoc(0x26, 128, 97, 82, 71).hex(), 2),
            ),
        ],
        verb="read",
    ),
    protocol(
        "veroval-duo",
        "Hartmann Veroval duo control",
        "serial over CDC-ACM",
        "B",
        "ignisf/vdc_export (AGPL-3, facts only)",
        [
            (
                "two-users",
                "date, beat, pressures, pulse, four remarks, usable",
                veroval(["2605050731" "1" "128082071" "0000" "1"], ["2605051802" "1" "203118104" "0000" "1"]),
                readings(
                    reading(128, 82, pulse=71, user=1, time="2026-05-05T07:31"),
                    reading(203, 118, pulse=104, user=2, time="2026-05-05T18:02"),
                ),
            ),
        ],
        verb="read",
    ),
    protocol(
        "dinamap-ascii",
        "GE Carescape V100, ProCare, Dinamap PRO",
        "serial 9600 8N1",
        "A",
        "GE 2010566 as quoted by public readers; eight printed commands",
        [
            ("finished", "the pulse is asked separately", dinamap_read("071"), readings(reading(128, 82, mean=97, pulse=71))),
        ],
        verb="read",
    ),
    protocol(
        "evgmolt-oem",
        "evgmolt OEM NIBP board",
        "serial 115200 8N1",
        "B",
        "evgmolt/OEM_NIBP (facts only)",
        [
            (
                "new-result",
                "pulse and mean follow in later answers, in turn with other values",
                evgmolt_result(128, 97, 82, 71),
                readings(reading(128, 82, mean=97, pulse=71)),
                (evgmolt(128, 82, 7, 71, status=0x40).hex(), 1),
            ),
        ],
        verb="read",
    ),
    protocol(
        "leyutek-pct",
        "Leyutek PCT boards",
        "serial 115200 8N1",
        "A",
        "a dozen public programs that unpack the same ten bytes; printed start command",
        [
            (
                "measurement",
                "a result counts after the end of a measurement",
                device(pct(2, words(188) + b"\x00\x01"), pct(3, b"\x01"))
                + host(pct(0x89, b""))
                + device(pct(4, words(143, 88, 107)) + pct(5, words(72))),
                readings(reading(143, 88, mean=107, pulse=72), pressures=[188]),
                ((pct(4, words(143, 88, 107)) + pct(5, words(72))).hex(), 4),
            ),
            (
                "no-pulse",
                "-100 is an absent value",
                device(pct(2, words(188) + b"\x00\x01"), pct(3, b"\x01"))
                + host(pct(0x89, b""))
                + device(pct(4, words(143, 88, 107)) + pct(5, words(ABSENT))),
                readings(reading(143, 88, mean=107, pulse=None)),
            ),
            (
                "failed",
                "an end with an error: an older result is no reading",
                device(pct(2, words(40) + b"\x00\x01"), pct(3, b"\x0a")),
                readings(),
            ),
        ],
    ),
    protocol(
        "ibio-board",
        "iBio multi-parameter boards",
        "serial 115200 8N1",
        "A",
        "xnlengao/source_ibio (facts only)",
        [
            (
                "measurement",
                "as the PCT boards, with identifiers of their own",
                device(IBIO["live"](188), IBIO["end"]) + host(b"\x5e\xde") + device(IBIO["result"] + IBIO["pulse"]),
                readings(reading(143, 88, mean=107, pulse=72), pressures=[188]),
                ((IBIO["result"] + IBIO["pulse"]).hex(), 3),
            ),
        ],
    ),
    protocol(
        "uscom-bpplus",
        "Uscom BP+",
        "serial 115200 8N1",
        "A",
        "doingnz/bpconnect docs/SDK.md; CRC checked against its printed write commands",
        [
            (
                "recall",
                "a stored measurement; central pressures are no cuff's",
                host(b"d 5\r\n") + device(b"D 5\r\n") + host(b"r 11\r\n") + device(BPPLUS),
                readings(reading(131, 79, mean=97, pulse=66, time="2026-05-04T09:12:40")),
                (BPPLUS.hex(), BPPLUS.index(b"<Sys>") + 5),
            ),
        ],
    ),
]
