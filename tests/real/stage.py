# A stage: one case's folder, programs and deadline.
# Invariant: whatever a case started has ended when the case is over, however it ended; every wait has a limit; and a thread that
# dies of an error fails the case.
import contextlib
import ctypes
import fcntl
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


class Failed(Exception):
    """A case failed; the text says in one sentence what was wrong."""


class Missing(Exception):
    """This machine lacks a program: the case is skipped, and reported as skipped."""


_dead_threads = []  # for each dead thread of this case, its error


def _thread_died(death):
    threading.__excepthook__(death)
    if not issubclass(death.exc_type, OSError):  # an OSError means that its peer is gone; the case knows whether that is allowed
        _dead_threads.append(f"a thread of the case died ({death.thread.name}): {death.exc_value!r}")


def check_threads():
    """Raises Failed if a thread of this case has died, because its observations are then incomplete."""
    if _dead_threads:
        raise Failed(_dead_threads[0])


def check(truth, sentence):
    if not truth:
        raise Failed(sentence)


def wait_until(truth, seconds, sentence):
    """Polls `truth` (for state without events) and returns its first true value. `sentence`, or its result if it is callable, is the error text."""
    end = time.monotonic() + seconds
    while True:
        value = truth()
        if value:
            return value
        check_threads()
        if time.monotonic() >= end:
            raise Failed(f"{sentence() if callable(sentence) else sentence} (waited {seconds} s)")
        time.sleep(0.05)


def private_network():
    """As root: enters a network namespace that has only loopback, so that fixed ports are free and nothing leaves the machine.
    REQUIRES: no thread runs yet."""
    if os.geteuid() == 0 and LIBC.unshare(CLONE_NEWNET) == 0:
        with socket.socket(type=socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


RESERVED = []


def free_port():
    """A port that is free for TCP and UDP, for programs that cannot pick one themselves. It is below the range from which
    Linux chooses, and reserved as in tests/support/free_port.cc."""
    while True:
        block = random.randrange(1250)
        port = 12000 + 16 * block
        reserved = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            reserved.bind(f"\0entente test ports {block}")
            with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
                tcp.bind(("127.0.0.1", port))
                udp.bind(("127.0.0.1", port))
        except OSError:
            reserved.close()
            continue
        RESERVED.append(reserved)
        return port


def program(*places):
    """The first of these programs that can run here; Debian installs games outside of the PATH."""
    for place in places:
        found = shutil.which(place, path=os.environ["PATH"] + ":/usr/games")
        if found:
            return found
    raise Missing(f"{places[0]} is not installed")


class Program:
    """A running program in its own process group; wait_for() waits for lines of its log."""

    def __init__(self, name, argv, folder, env=None, stdin=False, cwd=None):
        self.name, self.argv = name, argv
        self.log = os.path.join(folder, name + ".log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                argv, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})}, cwd=cwd, preexec_fn=self._alone)

    @staticmethod
    def _alone():
        os.setsid()
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def alive(self):
        return self.process.poll() is None

    def wait_for(self, pattern, seconds=10, times=1):
        """Waits until the log holds `pattern` (a regular expression) `times` times; returns the last match."""
        def seen():
            found = list(re.finditer(pattern, self.text(), re.MULTILINE))
            if len(found) < times and not self.alive():
                raise Failed(f"{self.name} ended ({self.process.returncode}) before it said {pattern!r}: {self.tail()}")
            return found[-1] if len(found) >= times else None
        return wait_until(seen, seconds, f"{self.name} never said {pattern!r}: {self.tail()}")

    def tail(self, lines=3):
        return " | ".join(self.text().strip().splitlines()[-lines:])

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, seconds=10):
        """Waits for the end; returns the exit code (negative: the signal that ended it)."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} did not end in {seconds} s: {self.tail()}") from None

    def signal(self, number):
        if self.alive():
            os.kill(self.process.pid, number)

    def stop(self, seconds=10):
        """SIGTERM, then wait; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self.process.stdin:
            with contextlib.suppress(BrokenPipeError):  # a line that the program did not read
                self.process.stdin.close()


class Stage:
    """The surroundings of a case: a fresh folder, the build's `entente`, and programs that end with the case."""

    def __init__(self, folder, entente, plays=None, minutes=0.0):
        self.folder, self.entente, self.plays, self._minutes = folder, entente, plays, minutes
        self.goes_on = False  # whether the case called minutes()
        self._running, self._counted = [], 0
        _dead_threads.clear()
        threading.excepthook = _thread_died
        os.makedirs(folder, exist_ok=True)

    @property
    def minutes(self):
        """How long a game that can continue has to be played; 0: until the case has seen everything."""
        self.goes_on = True
        return self._minutes

    def path(self, name):
        return os.path.join(self.folder, name)

    def count(self):
        """1, 2, 3, …: to number names that a case uses several times."""
        self._counted += 1
        return self._counted

    def start(self, name, argv, **how):
        started = Program(name, argv, self.folder, **how)
        self._running.append(started)
        return started

    def keep(self, thing):
        """Registers anything else with a kill(), to be killed at the end of the case."""
        self._running.append(thing)
        return thing

    def relay(self, game, dialect, to_port, *options, name="relay", env=None):
        """`entente proxy` in front of a server on loopback; returns it with the port it announced."""
        relay = self.start(name, [self.entente, "proxy", "--listen", f"{game}://127.0.0.1:0?dialect={dialect}",
                                  "--to", f"{game}://127.0.0.1:{to_port}?dialect={dialect}", *options], env=env)
        announced = relay.wait_for(rf"^listening {game} {re.escape(dialect)} 127\.0\.0\.1:(\d+)$")
        return relay, int(announced.group(1))

    def rounds(self, play):
        """Plays once, and again until `--minutes` are over; returns how often."""
        end, count = time.monotonic() + 60 * self.minutes, 0
        while count == 0 or time.monotonic() < end:
            play()
            count += 1
        return count

    def run(self, *argv, seconds=60):
        """Runs `entente` to its end; returns (exit code, output)."""
        ended = subprocess.run([self.entente, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", timeout=seconds, check=False)
        return ended.returncode, ended.stdout

    def verify(self, recording):
        """Checks that all of the recording decodes and re-encodes to the same bytes; returns verify's numbers."""
        code, said = self.run("verify", recording)
        last = said.strip().splitlines()[-1] if said.strip() else ""
        numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", last)}
        check(numbers.get("frames", 0) > 0, f"verify counted no frame: {last!r}")
        bad = {k: numbers.get(k) for k in ("opaque", "refused", "undecoded", "mismatched") if numbers.get(k) != 0}
        check(not bad and code == 0, f"verify: exit {code}, {last}")
        return numbers

    def close(self):
        for thing in reversed(self._running):
            thing.kill()
