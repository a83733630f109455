"""Bytes of sessions, and the check rules that several protocols share."""


def device(*frames):
    return [["device", bytes(frame).hex()] for frame in frames]


def host(*frames):
    return [["host", bytes(frame).hex()] for frame in frames]


SILENCE = [["event", "silence"]]


def raw(text):
    """Bytes from pairs of digits."""
    return bytes.fromhex(text)


def total(data):
    """The low byte of the sum."""
    return sum(data) & 0xFF


def xor(data):
    value = 0
    for byte in data:
        value ^= byte
    return value


def crc8(data, polynomial=0x8C, start=0):
    """Reflected CRC-8; 8C is CRC-8/MAXIM."""
    value = start
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
    return value


assert crc8(b"123456789") == 0xA1


def reading(systolic, diastolic, **more):
    """An expected reading; None means that the value must be absent."""
    names = {"mean": "mean_mmHg", "pulse": "pulse_per_min", "time": "device_time"}
    return {"systolic_mmHg": systolic, "diastolic_mmHg": diastolic} | {names.get(key, key): value for key, value in more.items()}


def protocol(name, cuff, transport, grade, source, sessions, verb=""):
    return {"protocol": name, "cuff": cuff, "transport": transport, "grade": grade, "source": source, "sessions": sessions, "verb": verb}


def readings(*some, **more):
    return {"readings": list(some)} | more
