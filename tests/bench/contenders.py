# The measured programs: starts each relay in front of the echo server, and the arena, on a given core.
# Invariant: each contender has its own folder, which is removed with it; it is killed with all its children.
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

LOAD_CORE, RELAY_CORE = 0, 1
START_LIMIT = 10  # seconds
PR_SET_PDEATHSIG = 1
CONTROL = "control"  # the control socket of an arena for bots, in its folder


def _settle(cores):
    os.sched_setaffinity(0, cores)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(command, core, **how):
    """Starts a process in its own group, on one core or a set of cores; it ends with this program."""
    cores = core if isinstance(core, set) else {core}
    return subprocess.Popen([str(word) for word in command], text=True, start_new_session=True,
                            preexec_fn=lambda: _settle(cores), **how)


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=START_LIMIT)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_listening(process, port):
    for _ in range(START_LIMIT * 100):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None:
            raise RuntimeError("it ended at once")
        time.sleep(0.01)
    raise RuntimeError(f"it does not listen after {START_LIMIT} s")


HAPROXY = """
global
  nbthread 1
  maxconn 4000
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen relay
  bind 127.0.0.1:{port}
  server echo {echo}
"""

NGINX = """
{module}
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid {folder}/pid;
error_log {folder}/error.log error;
events {{ worker_connections 16384; }}
stream {{
  proxy_timeout 60s;
  server {{ listen 127.0.0.1:{port}; proxy_pass {echo}; }}
  server {{ listen 127.0.0.1:{port} udp rcvbuf=4m; proxy_pass {echo}; }}
}}
"""
NGINX_STREAM = pathlib.Path("/usr/lib/nginx/modules/ngx_stream_module.so")


ENTENTE = """
[log]
level = "warn"
[limits]
sessions = 1000000
sessions_per_address = 1000000
connects_per_second = 1000000
connects_burst = 1000000
bytes_per_second = 1000000000
messages_per_second = 1000000000
datagrams_per_second = 1000000000
address_bytes_per_second = 1000000000
address_messages_per_second = 1000000000
server_bytes_per_second = 1000000000
server_messages_per_second = 1000000000
[[route]]
listen = "bzflag://127.0.0.1:0?dialect=2.4"
to = "{server}"
record = "{record}"
"""


class Contender:
    """One relay: `carries` are the kinds of cells that it supports, `needs` the program that must be installed."""

    translates = False  # to native, so that it has another server
    core = RELAY_CORE

    def __init__(self, name, carries, needs=None):
        self.name, self.carries, self.needs = name, carries, needs
        self.complaints = []

    def missing(self):
        return self.needs is not None and shutil.which(self.needs) is None

    @contextlib.contextmanager
    def running(self, echo):
        """Yields (address, pid); pid 0 where there is no process."""
        with tempfile.TemporaryDirectory(prefix="entente-bench-") as folder:
            self.folder = pathlib.Path(folder)
            process, address = self.start(echo, self.folder)
            try:
                yield address, process.pid
            finally:
                kill(process)
                self.complaints += self.said(self.folder)

    def said(self, _):
        """Lines of its log that belong below the table."""
        return []


class Direct(Contender):
    """No relay: the limit of the load itself."""

    @contextlib.contextmanager
    def running(self, echo):
        yield echo, 0


class Announcing(Contender):
    """Prints its address as the last word of its first line."""

    def __init__(self, name, carries, program, arguments, translates=False):
        super().__init__(name, carries, str(program))
        self.arguments, self.translates = arguments, translates

    def start(self, echo, folder):
        log = folder / "log"
        process = spawn([self.needs, *self.arguments(echo, folder)], self.core, stdout=subprocess.PIPE,
                        stderr=log.open("w"))
        line = process.stdout.readline().split()
        if not line:
            kill(process)
            raise RuntimeError(f"{self.name} did not start:\n{log.read_text()}")
        return process, line[-1]

    def said(self, folder):
        return (folder / "log").read_text().splitlines()


class Configured(Contender):
    """A relay whose port is set in its configuration."""

    def start(self, echo, folder):
        for _ in range(3):
            port = free_port()
            log = open(folder / "log", "w")
            process = spawn(self.command(echo, port, folder), RELAY_CORE, stdout=log, stderr=log)
            try:
                wait_until_listening(process, port)
                return process, f"127.0.0.1:{port}"
            except RuntimeError as problem:
                kill(process)
                failed = f"{self.name}: {problem}\n{(folder / 'log').read_text()}"
        raise RuntimeError(failed)


class Haproxy(Configured):
    def command(self, echo, port, folder):
        (folder / "conf").write_text(HAPROXY.format(port=port, echo=echo))
        return ["haproxy", "-db", "-f", folder / "conf"]


class Nginx(Configured):
    def command(self, echo, port, folder):
        module = f"load_module {NGINX_STREAM};" if NGINX_STREAM.exists() else ""
        (folder / "conf").write_text(NGINX.format(port=port, echo=echo, folder=folder, module=module))
        return ["nginx", "-e", "stderr", "-p", folder, "-c", folder / "conf"]


class Socat(Configured):
    def command(self, echo, port, folder):
        return ["socat", f"TCP-LISTEN:{port},bind=127.0.0.1,fork,backlog=4096,reuseaddr,nodelay", f"TCP:{echo},nodelay"]


def entente(record, to="bzflag://{}?dialect=2.4"):
    """All limits are enabled, at values that the load does not reach, so that their cost is measured, too."""

    def arguments(echo, folder):
        recording = folder / "session.mcap" if record else ""
        (folder / "conf").write_text(ENTENTE.format(server=to.format(echo), record=recording))
        return ["run", folder / "conf"]

    return arguments


def arena(build, seats):
    """Not a relay: an arena of the largest size, with so many seats."""
    words = f"arena --listen ogar+ws://127.0.0.1:0 --seats {seats} --side 800 --log-level warn"
    return Announcing("entente " + words, {"arena"}, build / "entente", lambda echo, folder: words.split())


def arena_of(build, listen, seats):
    """The same, for the bots of one game."""
    words = f"arena --listen {listen} --seats {seats} --side 800 --log-level warn"
    return Announcing("entente " + words, {"bots"}, build / "entente",
                      lambda echo, folder: [*words.split(), "--control", folder / CONTROL])


def cpu_seconds(pid):
    """The CPU seconds that a process has used so far, with all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def earlier(program):
    """An earlier build of the program, beside which this one is measured."""
    return [Announcing("before", {"tcp", "udp"}, program, entente(record=False)),
            Announcing("before bridging", {"bridge"}, program, entente(record=False, to="native://{}"), translates=True)]


def all_contenders(build):
    both, program = {"tcp", "udp"}, build / "entente"
    copies = both | {"bridge"}  # what is bridged by us, copied by them
    return [
        Direct("direct", copies),
        Announcing("floor", copies, build / "tests/bench/bench_floor", lambda echo, folder: [echo]),
        Haproxy("HAProxy", {"tcp", "bridge"}, "haproxy"),
        Nginx("nginx", copies, "nginx"),
        Socat("socat", {"tcp"}, "socat"),
        Announcing("entente", both, program, entente(record=False)),
        Announcing("entente + recording", both, program, entente(record=True)),
        Announcing("entente bridging", {"bridge"}, program, entente(record=False, to="native://{}"), translates=True),
    ]
