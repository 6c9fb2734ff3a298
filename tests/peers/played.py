# Plays a client's script and a server's with the relay between them, and checks what came through.
# Law: both ends receive exactly the bytes that the other sent, and the recording has as many messages, all decoded.
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
    """Reads all messages, up to the end or to the first wrong one."""
    try:
        while True:
            session.next()
    except (Closed, Wrong):
        pass


class Played(unittest.TestCase):
    """The base of tests that play; they say how to listen, to connect and to accept, and what Entente calls a message."""
    called: dict[tuple[str, str], str] = {}  # (way, the peer's name of a kind): Entente's, if it is another

    def listen(self) -> Listener:
        raise NotImplementedError

    def urls(self, port: int) -> tuple[str, str]:
        """Where the relay listens, and the server on this port."""
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
        """One end sends this frame after the two scripts, and the other reads all that arrives; then the same relay plays the
        scripts once more without the frame. Returns the counts of `entente verify`."""
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
        for lane in sorted(lanes):  # lanes overtake each other
            self.assertEqual([data.hex() for by, data in said.sent if by == lane],
                             [data.hex() for by, data in heard.heard if by == lane], f"said by the {said.way}, {lane}")

    def assert_recorded(self, relay: Relay, ends: dict[str, Session]) -> None:
        numbers = relay.verify()
        self.assertEqual(numbers["frames"], numbers["exact"], numbers)
        expected: collections.Counter[tuple[str, str]] = collections.Counter()
        for way, other in ((CLIENT, SERVER), (SERVER, CLIENT)):
            for name, count in ends[other].counts.items():
                expected[way, self.called.get((way, name), name)] += count
        self.assertEqual(expected, relay.inspect())
