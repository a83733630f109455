"""Sessions of cuffs: bytes that encoders make from values by the published descriptions, so the expected readings are the values.

Where a source prints a frame, its encoder is checked against that frame when this module is loaded.
"""

import asked
import hid
import monitors
import phd
import pushed

PROTOCOLS = pushed.PROTOCOLS + asked.PROTOCOLS + hid.PROTOCOLS + monitors.PROTOCOLS + phd.PROTOCOLS


def pieces(exchange, size):
    """The same bytes of the device in pieces of a size."""
    found = []
    for side, data in exchange:
        parts = [data[at : at + 2 * size] for at in range(0, len(data), 2 * size)] if side == "device" else [data]
        found += [[side, part] for part in parts]
    return found


def wrong(frame, place):
    """The frame with one wrong bit."""
    found = bytearray.fromhex(frame)
    found[place] ^= 1
    return found.hex()


def replaced(exchange, frame, *others):
    """The exchange with other bytes in the place of the frame."""
    found = []
    for side, data in exchange:
        found += [[side, other] for other in others] if data == frame else [[side, data]]
    if found == exchange:
        raise ValueError("the frame is not in the exchange")
    return found


def damaged(exchange, frame, place):
    """The exchange up to the frame with a result, in which one bit is wrong."""
    end = exchange.index(["device", frame])
    return [*exchange[:end], ["device", wrong(frame, place)], ["event", "silence"]]


def cases():
    for one in PROTOCOLS:
        head = {key: one[key] for key in ("protocol", "cuff", "transport", "grade", "source")}
        for name, about, exchange, expected, *more in one["sessions"]:
            case = {"id": f"sessions/{one['protocol']}/{name}", "kind": "sessions", "about": about} | head
            if one.get("verb"):
                case["verb"] = one["verb"]
            yield case | {"exchange": exchange, "expected": expected}
            if one["transport"].startswith("serial") and len(expected["readings"]) > 0:
                for size in (1, 7):
                    yield case | {
                        "id": f"{case['id']}-in-pieces-of-{size}",
                        "about": f"{about}; the bytes come {size} at a time",
                        "exchange": pieces(exchange, size),
                        "expected": expected,
                    }
            for frame, place in more:
                yield case | {
                    "id": f"{case['id']}-bit-wrong-at-{place}",
                    "about": "one bit of a checked frame is wrong: it gives no reading",
                    "exchange": damaged(exchange, frame, place),
                    "expected": {"readings": []},
                }
                if all(side == "device" for side, _ in exchange):
                    yield case | {
                        "id": f"{case['id']}-bit-wrong-at-{place}-then-whole",
                        "about": "one bit of a checked frame is wrong; the frame follows again, and is read",
                        "exchange": replaced(exchange, frame, wrong(frame, place), frame),
                        "expected": expected,
                    }
                    yield case | {
                        "id": f"{case['id']}-cut-at-{place}-then-whole",
                        "about": "the first part of a frame, then the whole frame: the part does not swallow the frame",
                        "exchange": replaced(exchange, frame, frame[: 2 * place], frame),
                        "expected": expected,
                    }
