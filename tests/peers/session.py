# A session: one end of a connection, client or server. It sends messages and waits for messages.
# Invariant: every wait has a time limit. All bytes that were sent and received are kept, with their lanes.
from __future__ import annotations

import collections
import concurrent.futures
import time
from typing import Callable, Protocol

from codec import CLIENT, PLAY, SERVER, Codec
from wire import Seen, Wrong

SECONDS = 10.0  # limit of each wait


class Closed(Exception):
    """The other end has closed the connection."""


class Silent(Exception):
    """An expected message did not arrive in time."""


class Transport(Protocol):
    def send(self, lane: str, frame: bytes) -> None: ...

    def receive(self, seconds: float) -> list[tuple[str, bytes]]:
        """Waits for whole frames, and returns them in order; an empty list after `seconds`. Raises Closed."""

    def close(self) -> None: ...


class Session:
    """`way` is the role of this end. A message stays in the queue until expect() or next() returns it."""

    def __init__(self, codec: Codec, way: str, transport: Transport) -> None:
        self.codec, self.way, self.transport = codec, way, transport
        self._other = CLIENT if way == SERVER else SERVER
        self._stage = codec.first_stage(self._other)
        self.sent: list[tuple[str, bytes]] = []
        self.heard: list[tuple[str, bytes]] = []
        self.counts: collections.Counter[str] = collections.Counter()  # received messages, by kind
        self._waiting: list[tuple[str, Seen]] = []
        self._wrong: Wrong | None = None  # the error of the first invalid message; raised after all valid ones

    def send(self, name: str, lane: str = "stream", /, **fields) -> None:
        self.send_raw(self.codec.encode(self.way, name, fields), lane)

    def send_raw(self, frame: bytes, lane: str = "stream") -> None:
        """Sends a frame unchanged, valid or not."""
        self.sent.append((lane, frame))
        self.transport.send(lane, frame)

    def expect(self, name: str, seconds: float = SECONDS) -> Seen:
        """Waits for a message of this kind, removes it from the queue, and returns its fields."""
        end = time.monotonic() + seconds
        while True:
            for index, (kind, fields) in enumerate(self._waiting):
                if kind == name:
                    del self._waiting[index]
                    return fields
            self._hear(end, f"no {name}; unread: {[kind for kind, _ in self._waiting]}")

    def next(self, seconds: float = SECONDS) -> tuple[str, Seen]:
        """Waits for a message; removes the first from the queue and returns it."""
        end = time.monotonic() + seconds
        while not self._waiting:
            self._hear(end, "nothing arrived")
        return self._waiting.pop(0)

    def expect_close(self, seconds: float = SECONDS) -> str:
        """Reads everything up to the end of the connection; returns how it ended."""
        end = time.monotonic() + seconds
        try:
            while True:
                self._hear(end, "the connection did not end")
        except Closed as end_of_it:
            return str(end_of_it)

    def close(self) -> None:
        self.transport.close()

    def _hear(self, end: float, otherwise: str) -> None:
        if self._wrong:
            raise self._wrong
        left = end - time.monotonic()
        frames = self.transport.receive(left) if left > 0 else []
        if not frames and time.monotonic() >= end:
            raise Silent(f"{self.way}: {otherwise}")
        for lane, frame in frames:
            self.heard.append((lane, frame))
            try:
                name, fields = self.codec.decode(self._other, self._stage, frame)
            except Wrong as wrong:
                self._wrong = self._wrong or wrong
                continue
            self._stage = PLAY
            self.counts[name] += 1
            self._waiting.append((name, fields))


def together(serve: Callable[[], object], play: Callable[[], object]) -> None:
    """Runs both at the same time, until both have ended; raises the errors of both."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(serve), pool.submit(play)]
        faults = [fault for end in ends if (fault := end.exception(SECONDS * 3))]
    if faults:
        raise ExceptionGroup("a script failed", faults)
