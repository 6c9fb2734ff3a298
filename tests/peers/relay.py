# `entente proxy` between a peer's client and a peer's server, and the checks of its recording afterwards.
# Invariant: the end of the `with` block stops it; its exit code must be 0.
from __future__ import annotations

import collections
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import time

import ours

SECONDS = 20.0


class Relay:
    """with Relay(listen URL, to URL) as relay: ... relay.port ...; then relay.verify() and relay.inspect()."""

    def __init__(self, listen: str, to: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="peers.")
        self.recording = os.path.join(self._folder.name, "session.mcap")
        self._urls = ["--listen", listen, "--to", to]
        self.port = 0

    def __enter__(self) -> Relay:
        with open(os.path.join(self._folder.name, "log"), "wb") as log:
            self._process = subprocess.Popen([ours.program("entente"), "proxy", *self._urls, "--record", self.recording],
                                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        try:
            self.port = self._announced()
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        return self

    def _announced(self) -> int:
        said, end = b"", time.monotonic() + SECONDS
        while not (found := re.search(rb"^listening .*:(\d+)$", said, re.MULTILINE)):
            if not select.select([self._process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                raise AssertionError(f"the relay announced nothing: {said!r} {self.log()}")
            if not (more := os.read(self._process.stdout.fileno(), 4096)):
                raise AssertionError(f"the relay ended: {self.log()}")
            said += more
        return int(found.group(1))

    def log(self) -> str:
        with open(os.path.join(self._folder.name, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def alive(self) -> bool:
        return self._process.poll() is None

    def __exit__(self, kind: object, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            code = None
        self._process.stdout.close()
        if kind is None and code != 0:
            raise AssertionError(f"the relay ended with {code}: {self.log()}")

    def forget(self) -> None:
        """Deletes the recording and the log."""
        self._folder.cleanup()

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([ours.program("entente"), *arguments, self.recording], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)

    def verify(self) -> dict[str, int]:
        """The numbers in the last line of `entente verify`. REQUIRES: the block has ended."""
        said = self._ask("verify").stdout
        return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", said.strip().splitlines()[-1])}

    def inspect(self) -> collections.Counter[tuple[str, str]]:
        """The number of messages in the recording, by way ("client" or "server") and name."""
        spoken = {"c2s": "client", "s2c": "server"}
        said = self._ask("inspect", "--json").stdout.splitlines()
        lines = (json.loads(line) for line in said if line.startswith("{"))  # the other lines are notes for people
        return collections.Counter((spoken[line["way"]], line["message"]) for line in lines if "message" in line)
