"""Cuffs on pseudo terminals that send what a Maibobo sends of its own accord: cuff pressures while it measures, and a result.
The frames are those of the documented layout (see the driver `maibobo`): `AA 80 02 len c1 c2 data… X`, X the xor behind 80."""
import os, pty, threading, time, tty


def frame(*body):
    check = 0
    for byte in body: check ^= byte
    return bytes((0xAA, 0x80) + body + (check,))


def pressure(value): return frame(0x02, 0x08, 0x01, 0x05, 0, 0, 0, 0, value & 0xFF, 0)


def result(systolic, diastolic, pulse, minute):
    return frame(0x02, 0x0F, 0x01, 0x06, 1, 26, 5, 5, 7, minute % 60, minute // 60 % 60, systolic >> 8, systolic & 0xFF,
                 diastolic >> 8, diastolic & 0xFF, pulse >> 8, pulse & 0xFF)


class Feeder:
    def __init__(self, count):
        pairs = [pty.openpty() for _ in range(count)]
        self.own = [own for own, _ in pairs]
        # The other ends stay open, so that a line that is closed and opened again is not the end.
        self.others = [other for _, other in pairs]
        for other in self.others: tty.setraw(other)
        self.paths = [os.ttyname(other) for other in self.others]
        self.thread, self.isRunning, self.sent, self.minute = None, False, 0, 0

    def start(self, rate):
        for own in self.own: os.set_blocking(own, False)
        self.isRunning = True
        self.thread = threading.Thread(target=self.run, args=(rate,), daemon=True)
        self.thread.start()

    def run(self, rate):
        begun, tick = time.monotonic(), 0
        while self.isRunning:
            # Up to 180 mmHg in four seconds, and down again.
            phase = (tick / rate) % 20
            value = int(180 * phase / 4 if phase < 4 else 180 - 9 * (phase - 4))
            for number, own in enumerate(self.own): self.write(own, pressure(max(4, value - number % 7)))
            tick += 1
            time.sleep(max(0, begun + tick / rate - time.monotonic()))

    def write(self, own, bytes):
        try:
            os.write(own, bytes)
            self.sent += 1
        except BlockingIOError: pass

    def results(self):
        self.minute += 1
        for number, own in enumerate(self.own): self.write(own, result(120 + number, 80, 70, self.minute))

    def stop(self):
        self.isRunning = False
        if self.thread: self.thread.join()

    def close(self):
        self.stop()
        for descriptor in self.own + self.others: os.close(descriptor)
