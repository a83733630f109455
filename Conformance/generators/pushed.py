"""Cuffs that send unasked."""

from wire import SILENCE, crc8, device, protocol, raw, reading, readings, total, xor


# A&D STD: SYN SYN SOH, address, STX, fields behind RS, ETX, XOR of all from SOH to ETX.
def and_std(time, systolic, mean, diastolic, pulse, error="E00"):
    fields = f"TM2655\x1e{time}\x1eRB\x1eM\x1e{error}\x1eS{systolic:3}\x1eM{mean:3}\x1eD{diastolic:3}\x1eP{pulse:3}\x1eI17\x1eL139\x1e"
    body = b"\x0100\x02" + fields.encode() + b"\x03"
    return b"\x16\x16" + body + bytes([xor(body)])


def inbody(systolic, diastolic, pulse):
    """The fields that an InBody does not use are 30, their separators included."""
    fields = "0" * 26 + f"0S{systolic:3}\x1eM000\x1eD{diastolic:3}\x1eP{pulse:3}\x1eO00\x1e0000\x1e"
    body = b"\x0100\x02" + fields.encode() + b"\x03"
    return b"\x16\x16" + body + bytes([xor(body)])


# The printed command "read the last result" has the same check.
assert xor(raw("0130300252420 3".replace(" ", ""))) == 0x10
AND = [and_std("2605050731", 128, 97, 82, 71), and_std("2605051802", 203, 146, 118, 104)]
assert {len(frame) for frame in [*AND, inbody(122, 79, 64)]} == {64}

# Omron HBP: lines without a check.
BP = b"bp,%s,2026/05/05,07:31,128,097,082,071,0\r\nbp,%s,2026/05/05,07:35,203,146,118,104,0\r" % (b"0" * 20, b"0" * 20)
FIVE = b"2026,05,06,09,33,%s,0,118,076,058,0\r\n" % (b"0" * 20)
FIVE_FAILED = b"2026,05,06,09,30,%s,7,   ,   ,   ,0\r\n" % (b"0" * 20)
assert len(FIVE) == 53 + 2


# AMPall: a caret, systolic, mean, diastolic, pulse, perhaps an arrhythmia digit, a caret.
def ampall(systolic, mean, diastolic, pulse, more=""):
    return f"^{systolic:03}{mean:03}{diastolic:03}{pulse:03}{more}^".encode()


# A&D UA-767PC; its source prints 804C4C4960 for 152/76, 73: ten hexadecimal digits: code, systolic - diastolic, diastolic, pulse, one more.
def ua767(systolic, diastolic, pulse, code=0x80, last=0x60):
    return f"{code:02X}{systolic - diastolic:02X}{diastolic:02X}{pulse:02X}{last:02X}".encode()


assert ua767(152, 76, 73) == b"804C4C4960"


def ft201(time, systolic, diastolic, pulse):
    return b"\x02" + f" {time} {systolic:03} {diastolic:03} {pulse:03}".encode() + b"\x03"


def sunrom(systolic, diastolic, pulse, first=0x20):
    return bytes([first]) + f"{systolic:03}, {diastolic:03}, {pulse:03}\n".encode()


# Maibobo: AA 80, version, length from the first command byte to the last of the data, XOR of all after AA 80.
def maibobo(data, version=2):
    body = bytes([version, len(data)]) + bytes(data)
    return b"\xaa\x80" + body + bytes([xor(body)])


def maibobo_result(time, systolic, diastolic, pulse):
    """Time in binary, then values with the high byte first."""
    values = b"".join(value.to_bytes(2, "big") for value in (systolic, diastolic, pulse))
    return maibobo(b"\x01\x06\x01" + bytes(time) + values)


assert maibobo(raw("0105000000003700")) == raw("aa8002080105000000003700 39".replace(" ", ""))


# Berry: 55 AA, number of bytes after it, type, data, inverted sum.
def berry(kind, *data):
    body = bytes([len(data) + 3, kind, *data])
    return b"\x55\xaa" + body + bytes([~total(body) & 0xFF])


assert berry(0x02, 0x01) == raw("55aa040201f8")


# Creative PC-300: AA 55, token, length of what follows, data, CRC-8/MAXIM.
def creative(token, *data):
    body = b"\xaa\x55" + bytes([token, len(data) + 1, *data])
    return body + bytes([crc8(body)])


def creative_result(systolic, mean, diastolic, pulse, irregular=False):
    return creative(0x43, 0x01, systolic >> 8 | (0x80 if irregular else 0), systolic & 0xFF, mean, diastolic, pulse)


assert creative(0x40, 0x01) == raw("aa5540020129") and creative(0x40, 0x02) == raw("aa55400202cb")
CREATIVE = creative_result(259, 180, 141, 104, irregular=True)


# Ivy Vital-Guard: FF, name, 400 bytes of waves, lines, FE.
def ansar(*lines):
    return b"\xffANSAR-B " + b"\x80" * 400 + b"".join(line.encode() + b"\r" for line in lines) + b"\xfe"


IVY = ["HR=1;80;;", "NIBP=4;128;82;97;71;;", "P1=3;111;73;88;;", "SPO2=1;100;PR=80 ;"]
LATER = [IVY[0], "NIBP=4;134;86;102;77;;", *IVY[2:]]


# HL7 version 2 between VT and FS CR; components of OBX-3 by caret.
def hl7(message, time, *observations):
    text = f"MSH|^~\\&|NC_Monitor|A|||{time}||ORU^R01^ORU_R01|{message}|P|2.6\rOBR||||1|||{time}\r"
    for code, name, value, unit in observations:
        text += f"OBX||NM|{code}^{name}^MDC|1.1.9.{code}|{value}|{unit}||||F|||{time}+0000\r"
    return b"\x0b" + text.encode() + b"\x1c\r"


MMHG, MINUTE = "266016^MDC_DIM_MMHG^MDC", "264864^MDC_DIM_BEAT_PER_MIN^MDC"
CUFF = [
    ("150301", "MDC_PRESS_CUFF_SYS", 128, MMHG),
    ("150302", "MDC_PRESS_CUFF_DIA", 82, MMHG),
    ("150303", "MDC_PRESS_CUFF_MEAN", 97, MMHG),
]
PULSE = ("149546", "MDC_PULS_RATE_NON_INV", 71, MINUTE)
ARTERY = [("150037", "MDC_PRESS_BLD_ART_ABP_SYS", 132, MMHG), ("150038", "MDC_PRESS_BLD_ART_ABP_DIA", 71, MMHG)]
NOON = "20260505120000"

PROTOCOLS = [
    protocol(
        "and-std",
        "A&D TM-2655P, TM-2657P; InBody BPBIO320, BPBIO750",
        "serial 9600 8N1",
        "A",
        "BaobabHealthTrust/app_vitals vitalsserver.c and public readers of the TM-2655P",
        [
            (
                "two-results",
                "results with a mean; the second has three digits everywhere",
                device(*AND),
                readings(
                    reading(128, 82, mean=97, pulse=71, device_time="2026-05-05T07:31"),
                    reading(203, 118, mean=146, pulse=104, device_time="2026-05-05T18:02"),
                ),
                (AND[0].hex(), 34),
                (AND[0].hex(), 63),
            ),
            (
                "failed",
                "E45, no diastolic pressure: numbers in the frame are no reading",
                device(and_std("2605050731", 128, 97, 82, 71, "E45")),
                readings(),
            ),
            (
                "inbody",
                "unused fields and their separators are overwritten with 30; M000 is an absent mean",
                device(inbody(122, 79, 64)),
                readings(reading(122, 79, mean=None, pulse=64)),
                (inbody(122, 79, 64).hex(), 35),
            ),
        ],
    ),
    protocol(
        "omron-hbp",
        "Omron HBP-9020, HBP-9030",
        "serial 9600 8N1",
        "A",
        "leon80148/BP_checker (MIT), which cites Omron 2873643-0F, p. 20",
        [
            (
                "bp",
                "the mean stands between systolic and diastolic; lines end with CR LF or CR",
                device(BP),
                readings(
                    reading(128, 82, mean=97, pulse=71, device_time="2026-05-05T07:31"),
                    reading(203, 118, mean=146, pulse=104, device_time="2026-05-05T07:35"),
                ),
            ),
            (
                "format-5",
                "53 characters; without a mean",
                device(FIVE),
                readings(reading(118, 76, mean=None, pulse=58, device_time="2026-05-06T09:33")),
            ),
            ("format-5-failed", "an error digit, and blanks for the values", device(FIVE_FAILED), readings()),
        ],
    ),
    protocol(
        "ampall-bp868f",
        "AMPall BP868F",
        "serial 9600 8N1",
        "A",
        "two public readers, one of which cites AMP-RND-0001",
        [
            (
                "results",
                "twelve digits, then thirteen, after the stray bytes 00 0E",
                device(b"\x00\x0e" + ampall(128, 97, 82, 71), ampall(203, 146, 118, 104, "1")),
                readings(reading(128, 82, mean=97, pulse=71), reading(203, 118, mean=146, pulse=104)),
            ),
            ("digit-lost", "eleven digits are no result", device(b"^12809708207^") + SILENCE, readings()),
        ],
    ),
    protocol(
        "and-ua767pc",
        "A&D UA-767PC",
        "serial 9600 8N1",
        "A",
        "videntity/python-omhe (GPL-2, facts only)",
        [
            (
                "two",
                "the first digits are the difference of the pressures",
                device(ua767(128, 82, 71)) + SILENCE + device(ua767(203, 118, 104)) + SILENCE,
                readings(reading(128, 82, pulse=71), reading(203, 118, pulse=104)),
            ),
            ("cut-short", "eight characters, then silence: no result", device(ua767(128, 82, 71)[:8]) + SILENCE, readings()),
        ],
    ),
    protocol(
        "paramatech-ft201",
        "ParamaTech FT-201",
        "serial 4800 8N2",
        "B",
        "a public C# class whose origin is not established: layout of the text between STX and ETX",
        [
            (
                "two",
                "bytes before STX and after ETX are ignored",
                device(b"\x3f\x3f\x00" + ft201("260505 0731", 128, 82, 71) + b"\x5a", ft201("260505 1802", 203, 118, 104)),
                readings(
                    reading(128, 82, pulse=71, device_time="2026-05-05T07:31"), reading(203, 118, pulse=104, device_time="2026-05-05T18:02")
                ),
            ),
            ("letter", "a letter among the digits", device(ft201("260505 0731", 128, 82, 71).replace(b"128", b"1O8")), readings()),
        ],
    ),
    protocol(
        "sunrom-1437",
        "Sunrom 1437 and boards like it",
        "serial 9600 8N1",
        "A",
        "Sunrom, page of part 1437",
        [
            (
                "two",
                "one byte to skip, then three numbers",
                device(sunrom(128, 82, 71), sunrom(203, 118, 104, 0x0D)),
                readings(reading(128, 82, pulse=71), reading(203, 118, pulse=104)),
            ),
            ("digit-lost", "a line with two digits in a field", device(sunrom(128, 82, 71).replace(b"082", b"82")), readings()),
        ],
    ),
    protocol(
        "maibobo",
        "Maibobo RBP-9804, BP-88A",
        "serial 9600 8N1",
        "A for results, B for the frame",
        "ZackKingS/BloodPressureMeasureDemo and public clients",
        [
            (
                "two",
                "values with the high byte first; 259 needs it",
                device(maibobo_result((26, 5, 5, 7, 31, 10), 128, 82, 71), maibobo_result((26, 5, 5, 18, 2, 0), 259, 141, 104)),
                readings(
                    reading(128, 82, pulse=71, device_time="2026-05-05T07:31:10"),
                    reading(259, 141, pulse=104, device_time="2026-05-05T18:02:00"),
                ),
                (maibobo_result((26, 5, 5, 7, 31, 10), 128, 82, 71).hex(), 14),
            ),
        ],
    ),
    protocol(
        "berry-pm6750",
        "Berry Medical PM6750",
        "serial 115200 8N1",
        "A",
        "elmerrocha/telsy-cab (AGPL-3, facts only)",
        [
            (
                "measurement",
                "live pressures are halved on the line; the mean stands between the others; the packet has no pulse",
                device(berry(3, 0x04, 50, 0, 0, 0), berry(3, 0x04, 90, 0, 0, 0), berry(3, 0x00, 0, 128, 97, 82)),
                readings(reading(128, 82, mean=97), pressures=[100, 180]),
                (berry(3, 0x00, 0, 128, 97, 82).hex(), 6),
            ),
            (
                "cuff-loose",
                "state 4: the values count with state 0 only",
                device(berry(3, 0x04, 3, 0, 0, 0), berry(3, 0x10, 0, 128, 97, 82)),
                readings(),
            ),
        ],
    ),
    protocol(
        "creative-pc300",
        "Creative Medical PC-300 and relatives",
        "serial 115200 8N1",
        "A",
        "frames printed by the maker's C# demonstration; CRC-8/MAXIM holds on them",
        [
            (
                "measurement",
                "live pressure with the beat and mode bits; 259 mmHg needs the high bits; bit 7 is an irregular pulse",
                device(
                    creative(0x40, 0x01), creative(0x42, 0x01, 0x00, 0x58), creative(0x42, 0x01, 0x11, 0x0A), CREATIVE, creative(0x40, 0x02)
                ),
                readings(reading(259, 141, mean=180, pulse=104, flags=["irregular_pulse"]), pressures=[88, 266]),
                (CREATIVE.hex(), 6),
            ),
            (
                "failed",
                "an error instead of a result",
                device(creative(0x40, 0x01), creative(0x42, 0x01, 0x00, 0x1F), creative(0x43, 0x02, 0x84)),
                readings(),
            ),
        ],
    ),
    protocol(
        "ansar-b",
        "Ivy Vital-Guard 450C",
        "serial 9600 8N1",
        "A",
        "mdpnp/mdpnp AnsarB.java (BSD-2)",
        [
            (
                "stands-until-the-next",
                "a result is repeated every second; a change is a new one; P1 is an invasive pressure",
                device(ansar(*IVY), ansar(*IVY), ansar(*LATER), ansar(*LATER)),
                readings(reading(128, 82, mean=97, pulse=71), reading(134, 86, mean=102, pulse=77)),
            ),
            ("no-result", "empty fields", device(ansar(IVY[0], "NIBP=0;;;;;;"), ansar(IVY[0], "NIBP=0;;;;;;")), readings()),
        ],
    ),
    protocol(
        "hl7-oru",
        "Comen NC5 and other monitors that send HL7",
        "tcp, MLLP",
        "A",
        "HL7 2.6, IHE PCD-01 and the MDC codes of ISO/IEEE 11073-10101",
        [
            (
                "cuff",
                "codes 150301 to 150303 and 149546",
                device(hl7("1", NOON, *CUFF, PULSE)),
                readings(reading(128, 82, mean=97, pulse=71, device_time="2026-05-05T12:00:00")),
            ),
            ("arterial-line", "an arterial pressure is not a cuff's", device(hl7("1", NOON, *ARTERY)), readings()),
            (
                "beside-an-arterial-line",
                "both in one message",
                device(hl7("1", NOON, *ARTERY, *CUFF)),
                readings(reading(128, 82, mean=97, pulse=None)),
            ),
            (
                "absent",
                "8388607 is the FLOAT that is not a number; a pulse of zero is absent",
                device(hl7("1", NOON, *CUFF[:2], (*CUFF[2][:2], 8388607, MMHG), (*PULSE[:2], 0, MINUTE))),
                readings(reading(128, 82, mean=None, pulse=None)),
            ),
        ],
        verb="follow",
    ),
]
