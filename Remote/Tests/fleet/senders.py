"""Many machines in one process: raw MQTT 3.1.1 (OASIS, 2014), with the outbox and the pauses of cuff-sink-mqtt.

A sender connects with a last will, publishes its presence and a heartbeat, and then its readings with QoS 1, at most 20 unacknowledged. A
reading leaves the outbox with its PUBACK. After a lost connection it waits 1 s, then twice as long each time up to 30 s, but at least twice as
long as it waited for the broker, multiplied by a number between 0.5 and 1.5 that each machine has of its own. A broker that does not answer
CONNECT within 50 s, or acknowledges nothing for 45 s, counts as lost.
"""
import collections, errno, heapq, json, random, select, socket, time

WINDOW = 20


def text(value):
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


def packet(first, body):
    length, rest = b"", len(body)
    while True:
        rest, digit = rest // 128, rest % 128
        length += bytes([digit | (128 if rest else 0)])
        if not rest: return bytes([first]) + length + body


class Sender:
    def __init__(self, number, name, password):
        self.number, self.name, self.password = number, name, password
        self.spread = random.uniform(0.5, 1.5)
        self.outbox, self.under_way, self.acknowledged = collections.deque(), {}, set()
        self.socket, self.is_connected, self.pause, self.sent, self.made, self.losses = None, False, 1.0, 0, 0, 0
        self.input, self.output, self.mid, self.moved = b"", b"", 0, 0.0

    def make(self, count):
        for _ in range(count):
            self.made += 1
            key = f"20260505T{self.made // 3600 % 24:02}{self.made // 60 % 60:02}{self.made % 60:02}-{self.name}-{self.made:06}"
            self.outbox.append((f"cuff/{self.name}/{self.name}/u1/reading", json.dumps({
                "type": "blood_pressure", "schema": 1, "id": key, "driver": "phd", "device": self.name, "user": 1, "person": f"s-{self.number}",
                "systolic_mmHg": 100 + self.made % 60, "diastolic_mmHg": 80, "pulse_per_min": 66, "measured": "2026-05-05T07:33:00+02:00", "clock": "set",
                "device_time": "2026-05-05T07:33:00", "received": "2026-05-05T05:40:00.120Z", "origin": "memory", "model": "BP-7000"}), key))

    def heartbeat(self):
        body = json.dumps({"type": "status", "schema": 1, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "every_s": 300, "waiting": len(self.outbox),
                           "refused": 0, "clock": "synchronised", "disk_free_bytes": 5 * 10**9, "disk_bytes": 16 * 10**9,
                           "cuffs": [{"driver": "phd", "device": self.name}], "version": "0.2.0", "user": self.name})
        self.publish(f"cuff/{self.name}/heartbeat/status", body, retain=True)

    def publish(self, topic, body, retain=False):
        self.mid = self.mid % 65535 + 1
        self.output += packet(0x33 if retain else 0x32, text(topic) + self.mid.to_bytes(2, "big") + body.encode())
        return self.mid

    def greet(self):
        flags = 0x80 | 0x40 | 0x20 | 0x08 | 0x04 | 0x02
        self.output = packet(0x10, text("MQTT") + bytes([4, flags]) + (300).to_bytes(2, "big") + text(f"cuff-{self.name}") + text(f"cuff/{self.name}/status")
                             + text("offline") + text(self.name) + text(self.password))

    def take(self, data):
        """Returns the packets of the input."""
        self.input += data
        while len(self.input) >= 2:
            length, shift, at = 0, 0, 1
            while at < len(self.input):
                digit = self.input[at]
                length, shift, at = length | (digit & 127) << shift, shift + 7, at + 1
                if not digit & 128: break
            else: return
            if len(self.input) < at + length: return
            yield self.input[0] & 0xF0, self.input[at:at + length]
            self.input = self.input[at + length:]


class Fleet:
    """All senders, in one epoll loop. `run` returns when `until()` is true."""

    def __init__(self, senders, ports):
        """The machines are spread over the ports; one that loses its connection tries the next."""
        self.senders, self.ports = senders, ports
        self.poll, self.by_descriptor, self.timers = select.epoll(), {}, []
        self.connected, self.refused, self.acknowledgements = 0, 0, 0

    def connect_all(self, within):
        for sender in self.senders: self.at(time.monotonic() + random.uniform(0, within), sender)

    def at(self, when, sender): heapq.heappush(self.timers, (when, sender.number, sender))

    def open(self, sender):
        sender.socket = socket.socket()
        sender.socket.setblocking(False)
        sender.input, sender.is_connected, sender.moved = b"", False, time.monotonic()
        result = sender.socket.connect_ex(("127.0.0.1", self.ports[(sender.number + sender.losses) % len(self.ports)]))
        if result not in (0, errno.EINPROGRESS): return self.lost(sender)
        sender.greet()
        self.by_descriptor[sender.socket.fileno()] = sender
        self.poll.register(sender.socket, select.EPOLLIN | select.EPOLLOUT)

    def lost(self, sender):
        waited = time.monotonic() - sender.moved if sender.socket and (sender.under_way or not sender.is_connected) else 0
        if sender.socket:
            self.by_descriptor.pop(sender.socket.fileno(), None)
            sender.socket.close()
        if sender.is_connected: self.connected -= 1
        sender.losses += 1
        # Unacknowledged readings are sent again.
        sender.outbox.extendleft(reversed(list(sender.under_way.values())))
        sender.socket, sender.is_connected, sender.under_way, sender.output = None, False, {}, b""
        self.at(time.monotonic() + max(sender.pause, 2 * waited) * sender.spread, sender)
        sender.pause = min(30, sender.pause * 2)

    def fill(self, sender):
        if not sender.under_way: sender.moved = time.monotonic()
        while sender.is_connected and sender.outbox and len(sender.under_way) < WINDOW:
            item = sender.outbox.popleft()
            sender.under_way[sender.publish(item[0], item[1])] = item
            sender.sent += 1
        if sender.output: self.flush(sender)

    def flush(self, sender):
        try: count = sender.socket.send(sender.output)
        except BlockingIOError: count = 0
        except OSError: return self.lost(sender)
        sender.output = sender.output[count:]
        self.poll.modify(sender.socket, select.EPOLLIN | (select.EPOLLOUT if sender.output else 0))

    def receive(self, sender):
        try: data = sender.socket.recv(65536)
        except BlockingIOError: return
        except OSError: data = b""
        if not data: return self.lost(sender)
        sender.moved = time.monotonic()
        for kind, body in sender.take(data):
            if kind == 0x20:
                if body[1]:
                    self.refused += 1
                    return self.lost(sender)
                sender.is_connected = True
                self.connected += 1
                sender.publish(f"cuff/{sender.name}/status", "online", retain=True)
                sender.heartbeat()
            elif kind == 0x40:
                item = sender.under_way.pop(int.from_bytes(body[:2], "big"), None)
                if item:
                    sender.acknowledged.add(item[2])
                    sender.pause = 1.0
                    self.acknowledgements += 1
        self.fill(sender)

    def sweep(self, now):
        """Gives up connections that do not answer."""
        for sender in self.senders:
            if sender.socket and (not sender.is_connected and now - sender.moved > 50 or sender.under_way and now - sender.moved > 45): self.lost(sender)

    def run(self, until, limit):
        end, next_sweep = time.monotonic() + limit, 0
        while not until():
            now = time.monotonic()
            if now > end: return False
            if now > next_sweep:
                self.sweep(now)
                next_sweep = now + 1
            while self.timers and self.timers[0][0] <= now:
                sender = heapq.heappop(self.timers)[2]
                if not sender.socket: self.open(sender)
            for descriptor, events in self.poll.poll(0.05, 4096):
                sender = self.by_descriptor.get(descriptor)
                if not sender or not sender.socket: continue
                if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR): self.receive(sender)
                if sender.socket and events & select.EPOLLOUT: self.flush(sender)
        return True
