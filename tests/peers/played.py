# Runs a client's script and a server's script with the relay between them, and checks what each received.
# Invariant: each end receives exactly the bytes that the other sent. The recording has the same number of messages, all decoded.
from __future__ import annotations

import collections
import unittest
from typing import Callable, Protocol

from codec import CLIENT, SERVER
from relay import Relay
from session import Closed, Session, together
from wire import Wrong


class Listener(Protocol):
    port: int

    def close(self) -> None: ...


Script = Callable[[Session], object]


def until_fault(session: Session) -> None:
    """Reads messages until the connection ends, or until one is invalid."""
    try:
        while True:
            session.next()
    except (Closed, Wrong):
        pass


class Played(unittest.TestCase):
    """The base of tests that run scripts. A subclass defines how to listen, connect and accept, and Entente's names of messages."""
    called: dict[tuple[str, str], str] = {}  # (way, the peer's name of a kind): Entente's name, if it differs

    def listen(self) -> Listener:
        raise NotImplementedError

    def urls(self, port: int) -> tuple[str, str]:
        """The URL on which the relay listens, and the URL of the server on this port."""
        raise NotImplementedError

    def client(self, port: int) -> Session:
        raise NotImplementedError

    def server(self, listener: Listener) -> Session:
        """Waits for a client."""
        raise NotImplementedError

    def play(self, serve: Script, play: Script) -> None:
        listener, relay = self.set_up()
        with relay:
            ends = self.both_ends(listener, relay, serve, play)
        self.assert_untouched(ends[CLIENT], ends[SERVER])
        self.assert_untouched(ends[SERVER], ends[CLIENT])
        self.assert_recorded(relay, ends)

    def misbehave(self, way: str, frame: bytes, serve: Script, play: Script) -> dict[str, int]:
        """Runs both scripts. Then one end sends the frame, and each reads what arrives. Then runs both scripts again through the same
        relay, without the frame. Returns the counts of `entente verify`."""
        listener, relay = self.set_up()

        def then(script: Script, speaks: bool) -> Script:
            def whole(session: Session) -> None:
                script(session)
                if speaks:
                    session.send_raw(frame)
                until_fault(session)
            return whole
        with relay:
            self.both_ends(listener, relay, then(serve, way == SERVER), then(play, way == CLIENT))
            self.both_ends(listener, relay, serve, play)
        return relay.verify()

    def set_up(self) -> tuple[Listener, Relay]:
        listener = self.listen()
        self.addCleanup(listener.close)
        relay = Relay(*self.urls(listener.port))
        self.addCleanup(relay.forget)
        return listener, relay

    def both_ends(self, listener: Listener, relay: Relay, serve: Script, play: Script) -> dict[str, Session]:
        ends: dict[str, Session] = {}

        def end(script: Script, open_end: Callable[[], Session]) -> None:
            session = open_end()
            ends[session.way] = session
            try:
                script(session)
            finally:
                session.close()
        try:
            together(lambda: end(serve, lambda: self.server(listener)), lambda: end(play, lambda: self.client(relay.port)))
        except ExceptionGroup as group:
            group.add_note(f"the relay said:\n{relay.log()}")
            raise
        return ends

    def assert_untouched(self, said: Session, heard: Session) -> None:
        lanes = {lane for lane, _ in said.sent + heard.heard}
        for lane in sorted(lanes):  # the order between lanes is not defined
            self.assertEqual([data.hex() for by, data in said.sent if by == lane],
                             [data.hex() for by, data in heard.heard if by == lane], f"sent by the {said.way}, {lane}")

    def assert_recorded(self, relay: Relay, ends: dict[str, Session]) -> None:
        numbers = relay.verify()
        self.assertEqual(numbers["frames"], numbers["exact"], numbers)
        expected: collections.Counter[tuple[str, str]] = collections.Counter()
        for way, other in ((CLIENT, SERVER), (SERVER, CLIENT)):
            for name, count in ends[other].counts.items():
                expected[way, self.called.get((way, name), name)] += count
        self.assertEqual(expected, relay.inspect())
