"""RabbitMQ for the checks: one node in a folder of its own, on loopback, with the MQTT listener."""
import os, pathlib, random, shutil, signal, socket, subprocess, time


given = set()


def free_port():
    """An unused port, never the same twice, and outside the range that the kernel assigns to connections."""
    while True:
        port = random.randrange(20000, 32768)
        if port in given: continue
        given.add(port)
        with socket.socket() as listener:
            try: listener.bind(("127.0.0.1", port))
            except OSError: continue
        return port


def listens(port):
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def missing():
    """Why a node cannot run here, or an empty text."""
    if not shutil.which("rabbitmq-server"): return "rabbitmq-server is not installed"
    return "" if os.getuid() == 0 else "only root can start rabbitmq-server as its user"


class RabbitMQ:
    def __init__(self, folder, more="", beside=None, ports=None, management=False, files=0):
        """`more` is added to rabbitmq.conf. `beside`: another node, whose cluster this one joins. `ports`: those of AMQP and MQTT in a
        configuration that is in the folder already. `management`: with the HTTP API, on the port `http`.
        `files`: how many it may open, for thousands of connections."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.amqp, self.mqtt = ports or (free_port(), free_port())
        self.http = free_port() if management else None
        if management: more += f"management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {self.http}\n"
        self.names = beside.names if beside else free_port()
        if not ports:
            (self.folder / "rabbitmq.conf").write_text(
                f"listeners.tcp.1 = 127.0.0.1:{self.amqp}\nmqtt.listeners.tcp.1 = 127.0.0.1:{self.mqtt}\n"
                f"mqtt.exchange = amq.topic\nmqtt.allow_anonymous = false\n{more}")
            (self.folder / "enabled_plugins").write_text("[rabbitmq_mqtt,rabbitmq_management]." if management else "[rabbitmq_mqtt].")
        # The server has a user of its own.
        for path in (self.folder, self.folder / "rabbitmq.conf", self.folder / "enabled_plugins"): shutil.chown(path, "rabbitmq")
        self.name = f"cuff{self.amqp}@localhost"
        self.environment = {
            **os.environ, "RABBITMQ_NODENAME": self.name, "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins", "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia",
            "RABBITMQ_LOG_BASE": f"{folder}/log", "RABBITMQ_PID_FILE": f"{folder}/pid", "RABBITMQ_DIST_PORT": str(free_port()),
            # A name server (epmd) of this node's own: the usual one serves all nodes of the machine, and stays.
            "ERL_EPMD_PORT": str(self.names), "ERL_EPMD_ADDRESS": "127.0.0.1"}
        if files:
            # The server's script changes to its user, which has the usual limit; this is read afterwards.
            (self.folder / "env.conf").write_text(f"ulimit -n {files}\n")
            self.environment["RABBITMQ_CONF_ENV_FILE"] = f"{folder}/env.conf"
        self.process = None
        try: self.begin(beside)
        except BaseException:
            self.stop()
            raise

    def begin(self, beside):
        self.start()
        self.control("await_startup", "--timeout", "300")
        if beside:
            for words in (["stop_app"], ["join_cluster", beside.name], ["start_app"], ["await_startup", "--timeout", "300"]):
                done = self.control(*words)
                if done.returncode: raise SystemExit(f"rabbitmqctl {words[0]}: {done.stderr}{done.stdout}")

    def control(self, *words, input=None):
        return subprocess.run(["rabbitmqctl", "-q", *words], env=self.environment, input=input, capture_output=True, text=True, timeout=300)

    def start(self, limit=300):
        self.process = subprocess.Popen(["rabbitmq-server"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        until = time.monotonic() + limit
        while time.monotonic() < until:
            if listens(self.amqp) and listens(self.mqtt): return
            if self.process.poll() is not None:
                # The name of a node that was killed just now may still be taken.
                time.sleep(0.5)
                self.process = subprocess.Popen(["rabbitmq-server"], env=self.environment, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            time.sleep(0.1)
        logs = "".join(path.read_text(errors="replace")[-3000:] for path in (self.folder / "log").glob("*.log"))
        raise SystemExit(f"RabbitMQ did not start within {limit} s:\n{logs}")

    def kill(self):
        # A server that exited may have left its PID file.
        try: os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError): os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(300)

    def stop(self):
        if self.process and self.process.poll() is None: self.kill()
        subprocess.run(["epmd", "-kill"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        shutil.rmtree(self.folder, ignore_errors=True)

    def waiting(self):
        """How many messages each queue has."""
        words = self.control("list_queues", "name", "messages", "--no-table-headers").stdout.split()
        return dict(zip(words[::2], map(int, words[1::2])))
