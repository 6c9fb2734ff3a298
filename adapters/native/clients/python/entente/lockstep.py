"""A player of a lockstep arena, without asyncio: for training, where a program decides when time advances.

    with Arena(lockstep=True, seed=1, bots=1) as arena, LockstepBot(arena.port, "anna") as bot:
        bot.send("spawn")
        for _ in range(1000):
            bot.goto(0, 0)
            events = bot.step()

What you send takes effect when you call step(). With several players in an arena, time advances when all have called it, so
each needs a thread or a process of its own. The same seed and the same calls give the same match.
"""
from __future__ import annotations

import socket
import time
from typing import Any

from . import words
from .bot import CONTRACT, Event
from .codec import LONGEST_LINE, Message, Word, make_intent, parse_fact, spell_intent
from .errors import ClaimRefused, ConnectionLost, Kicked, ProtocolError, Refused, TimeLimit
from .room import Room
from .wishes import Wishes

CHUNK = 65536
LONGEST_WAIT_S = 86400.0  # for one read: sockets refuse time limits of more than 24 days


class LockstepBot(Wishes):
    """Enters when it is made. `timeout`: seconds for that, and for each step; then TimeLimit is raised."""

    def __init__(self, port: int, name: str = "bot", *, host: str = "127.0.0.1", team: words.Team = "TEAM_ANY", role: words.Role = "PLAY",
                 timeout: float = 30.0) -> None:
        self.room = Room(clock=None)
        self._number = 0  # of the last intent
        self._timeout = timeout
        self._ends = time.monotonic() + timeout  # of what waits now
        self._lines: list[bytes] = []  # that were read, the next one last
        self._part = bytearray()
        self._unsent = bytearray()
        enter = make_intent("enter", {"name": name, "team": team, "role": role, "contract": CONTRACT})
        try:
            self._socket = socket.create_connection((host, port), min(timeout, LONGEST_WAIT_S))
        except OSError as error:
            raise ConnectionLost(f"cannot connect to {host}:{port}: {error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.send(enter)
            self._flush()
            while not self.room.ready or self.me is None:
                self._hear()
        except BaseException:
            self.close()
            raise

    def send(self, intent: str | Word, **fields: Any) -> None:
        """As Bot.send(). It is sent with the next step()."""
        self._unsent += spell_intent(make_intent(intent, fields) if isinstance(intent, str) else intent) + b"\n"
        self._number += 1

    def step(self, ticks: int = 1) -> list[Event]:
        """Lets time advance by so many ticks (of room.rule("tick_s") seconds), and returns what happened, without poses.

        Raises ClaimRefused if the server refuses the step, and whatever ends the session.
        """
        self.send(self.wish_to_step(ticks))
        self._ends = time.monotonic() + self._timeout
        self._flush()
        events: list[Event] = []
        while True:
            message = self._hear()
            if message.cause == self._number and message.to == self.room.me:
                if message.kind == "clock":
                    return events
                if isinstance(message.word, words.ClaimRefused):
                    raise ClaimRefused(message.word.why)
            if message.word is not None and message.kind != "pose":
                events.append(Event(message.kind, message.word, message.at_us))

    def spawn(self, most_ticks: int = 1000) -> None:
        """Comes into play, and lets time advance until then. Raises TimeLimit."""
        for _ in range(most_ticks):
            if self.unit is not None:
                return
            self.send(words.Spawn())
            self.step()
        raise TimeLimit(f"no spawn within {most_ticks} ticks")

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> LockstepBot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- Inside -----------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        try:
            self._socket.sendall(self._unsent)
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error
        self._unsent.clear()

    def _hear(self) -> Message:
        """Folds the next fact."""
        while not self._lines:
            self._read()
        if time.monotonic() > self._ends:
            raise TimeLimit("an answer of the server", self._timeout)
        message = parse_fact(self._lines.pop())
        self.room.hear(message)
        if isinstance(message.word, words.Kicked):
            raise Kicked(message.word.text or "no reason was given")
        if isinstance(message.word, words.Refused):
            raise Refused(message.word.code, message.word.text, message.word.may_retry)
        if isinstance(message.word, words.You) and self.room.contract > CONTRACT:
            raise Refused("WRONG_VERSION", f"the server speaks version {self.room.contract} of native; this package knows {CONTRACT}")
        return message

    def _receive(self) -> bytes:
        """At least one byte; nothing if the server has closed the connection."""
        while True:
            left = self._ends - time.monotonic()
            self._socket.settimeout(min(max(left, 0.001), LONGEST_WAIT_S))
            try:
                return self._socket.recv(CHUNK)
            except TimeoutError:
                if left <= LONGEST_WAIT_S:
                    raise TimeLimit("an answer of the server", self._timeout) from None

    def _read(self) -> None:
        try:
            data = self._receive()
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error
        if not data:
            raise ConnectionLost("the server closed the connection")
        end = data.rfind(b"\n")
        if end < 0:
            self._part += data
        else:
            self._lines = (bytes(self._part) + data[:end]).split(b"\n")[::-1]
            self._part = bytearray(data[end + 1:])
        if len(self._part) > LONGEST_LINE:
            raise ProtocolError("message", f"longer than {LONGEST_LINE} bytes")
