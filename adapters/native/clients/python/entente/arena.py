"""Runs `entente arena` as a child process, on a free port of this machine, to train and test bots.

    with Arena(bots=3) as arena:
        bot = await connect(port=arena.port)
"""
from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import threading
from collections import deque
from typing import Any, Optional

from .errors import ConnectionLost, TimeLimit

START_S = 60.0


class Arena:
    """`options`: those of `entente arena` without their dashes, such as bots=3, respawn_ms=500, lockstep=True.

    `program`: the file `entente`; otherwise that of the environment's ENTENTE, otherwise the one in PATH. Raises ConnectionLost
    if it ends before it listens, with what it said.
    """

    def __init__(self, program: Optional[str] = None, **options: Any) -> None:
        file = program or os.environ.get("ENTENTE") or shutil.which("entente")
        if not file:
            raise ConnectionLost("the program `entente` is not in PATH")
        given = [part for name, value in options.items() if value is not False
                 for part in ([f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)]))]
        self.port = 0
        self._lines: deque[str] = deque(maxlen=200)  # the newest that it wrote
        self._ports: queue.Queue[int] = queue.Queue()  # 0: it wrote its last line
        self._process = subprocess.Popen([file, "arena", "--listen", "native://127.0.0.1:0?dialect=json", *given], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        threading.Thread(target=self._read, name="entente arena", daemon=True).start()
        try:
            self.port = self._ports.get(timeout=START_S)
        except queue.Empty:
            self.close()
            raise TimeLimit("the start of the arena", START_S) from None
        if not self.port:
            self.close()
            raise ConnectionLost("the arena did not start: " + "\n".join(self._lines))

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.append(line.rstrip())
            if found := re.match(r"listening native .*:(\d+)$", line):
                self._ports.put(int(found[1]))
        self._ports.put(0)

    @property
    def log(self) -> str:
        """Its newest lines."""
        return "\n".join(self._lines)

    def close(self) -> None:
        """Stops it, and waits until it has ended."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
