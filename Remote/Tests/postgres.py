"""PostgreSQL for the checks: a server in a folder of its own, on loopback."""
import glob, os, pathlib, shutil, signal, subprocess, time
from rabbitmq import free_port

BIN = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), None)


def missing():
    """Why a server cannot run here, or an empty text."""
    if not BIN: return "postgresql is not installed"
    return "" if os.getuid() == 0 else "only root can start postgresql as its user"


class PostgreSQL:
    def __init__(self, folder, schema):
        """`folder` is one that every user may enter; `schema` is the SQL of the tables."""
        self.folder, self.port = pathlib.Path(folder), free_port()
        self.data = self.folder / "data"
        self.folder.mkdir(exist_ok=True)
        shutil.chown(self.folder, "postgres")
        self.run(f"{BIN}/initdb", "-N", "-A", "trust", "-D", self.data)
        self.start()
        self.sql("CREATE DATABASE ward", "postgres")
        if schema: self.sql(schema)

    def run(self, *words, check=True):
        return subprocess.run(["runuser", "-u", "postgres", "--", *map(str, words)], check=check, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300).returncode

    def start(self, limit=300):
        """After kill -9 the children of the former server must have ended first."""
        until = time.monotonic() + limit
        while time.monotonic() < until:
            if self.run(f"{BIN}/pg_ctl", "-w", "-D", self.data, "-l", f"{self.data}/log", "-o",
                        f"-p {self.port} -h 127.0.0.1 -k {self.folder}", "start", check=False) == 0: return
            time.sleep(0.3)
        raise SystemExit(f"PostgreSQL did not start within {limit} s: {self.data}/log")

    def kill(self):
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def stop(self):
        self.run(f"{BIN}/pg_ctl", "-w", "-t", "240", "-D", self.data, "-m", "immediate", "stop", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, name="ward", limit=300):
        done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d", name],
                              input=text, capture_output=True, text=True, timeout=limit)
        if done.returncode: raise AssertionError(f"{text}: {done.stderr}")
        return done.stdout.strip()
