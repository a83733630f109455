"""An HL7 receiver that shares no code with cuff: receiver.py PORT DATABASE.

hl7apy parses each message against the tables of HL7 2.6 and refuses what they do not allow. A message is stored once, by MSH-10, in a durable
transaction before it is acknowledged; the same MSH-10 with other bytes is rejected."""
import socketserver, sqlite3, sys, threading, time
from hl7apy.consts import VALIDATION_LEVEL
from hl7apy.exceptions import HL7apyException
from hl7apy.parser import parse_message

lock = threading.Lock()
database = sqlite3.connect(sys.argv[2], check_same_thread=False, isolation_level=None)
database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS kept (id TEXT PRIMARY KEY, message TEXT)")


def answer(text):
    control, code, why = text.split("|")[9], "AA", ""
    try:
        message = parse_message(text, validation_level=VALIDATION_LEVEL.STRICT)
        message.validate()
        assert message.msh.msh_10.value == control
        with lock:
            row = database.execute("SELECT message FROM kept WHERE id = ?", (control,)).fetchone()
            if row is None: database.execute("INSERT INTO kept VALUES (?, ?)", (control, text))
            elif row[0] != text: code, why = "AR", "another message has this control id"
    except HL7apyException as error: code, why = "AR", "%s: %s" % (type(error).__name__, error)
    return "MSH|^~\\&|WARD||cuff||%s||ACK^R01^ACK|%s|P|2.6\rMSA|%s|%s|%s\r" % (time.strftime("%Y%m%d%H%M%S"), control, code, control, why)


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        block = b""
        while byte := self.rfile.read(1):
            block += byte
            if block.endswith(b"\x1c\r"):
                assert block.startswith(b"\x0b")
                self.wfile.write(b"\x0b" + answer(block[1:-2].decode()).encode() + b"\x1c\r")
                block = b""


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True
    def handle_error(self, request, client_address): pass


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever(0.05)
