"""An endpoint for lines that keeps each key once, durably: keeper.py PORT DATABASE."""
import http.server, sqlite3, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            # The same key with other content would be a second reading under the name of the first.
            row = self.server.db.execute("SELECT line FROM kept WHERE key = ?", (self.headers["Idempotency-Key"],)).fetchone()
            if row is None: self.server.db.execute("INSERT INTO kept VALUES (?, ?)", (self.headers["Idempotency-Key"], data.decode()))
            status = 204 if row is None or row[0] == data.decode() else 422
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = allow_reuse_address = True
    def handle_error(self, request, client_address): pass

server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
server.lock = threading.Lock()
server.db = sqlite3.connect(sys.argv[2], check_same_thread=False, isolation_level=None)
server.db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, line TEXT)")
server.serve_forever(0.05)
