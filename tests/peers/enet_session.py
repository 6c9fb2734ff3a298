# One end of a session over ENet: sends messages by name, waits for messages by name, and reacts to messages on arrival.
# Invariant: each received packet is kept unchanged; a packet that cannot be decoded raises Wrong in the caller that runs the loop.
from __future__ import annotations

from typing import Callable, Iterable, Iterator, NamedTuple

from codec import CLIENT, PLAY, SERVER, Codec
from enet_host import RELIABLE, UNRELIABLE, Host, Link, Loop, Packet
from wire import Seen, Value

FLAGS = {"stream": RELIABLE, "datagram": UNRELIABLE}
Reaction = Callable[[Seen], None]


class Game(NamedTuple):
    """What both ends of a game have in common."""
    codec: Codec
    split: Callable[[bytes], Iterable[bytes]]  # splits a packet into its messages
    channels: int
    range_coder: bool


class Heard(NamedTuple):
    name: str
    fields: Seen


class Session:
    """One end of a link."""

    def __init__(self, game: Game, loop: Loop, way: str):
        self.game, self.way = game, way
        self.link: Link
        self.sent: list[Packet] = []
        self.came: list[Packet] = []
        self.connect_data: int | None = None  # None: not connected yet
        self.reason: int | None = None  # None: not disconnected yet
        self._loop, self._theirs = loop, SERVER if way == CLIENT else CLIENT
        self._heard: list[Heard] = []
        self._reactions: dict[str, Reaction] = {}

    def react(self, name: str, reaction: Reaction) -> None:
        """From now on, calls `reaction` with each such message; the message is also kept for `expect`."""
        self._reactions[name] = reaction

    def send(self, kind: str, /, **fields: Value) -> None:
        flags = FLAGS[self.game.codec.find(self.way, kind).lanes[0]]
        self.send_packet(Packet(0, flags, self.game.codec.encode(self.way, kind, fields)))

    def send_packet(self, packet: Packet) -> None:
        """Sends these bytes unchanged, on the packet's channel and with its flags."""
        self.link.send(packet.data, packet.channel, packet.flags)
        self.sent.append(packet)

    def expect(self, *names: str, seconds: float = 10) -> Heard:
        """Waits for a message of one of these kinds, and removes it from the queue. Others stay in the queue."""
        try:
            heard = self._loop.until(lambda: self._first(names), " or ".join(names), seconds)
        except TimeoutError as late:
            raise TimeoutError(f"{late}; unread: {self.unread()}") from None
        self._heard.remove(heard)
        return heard

    def unread(self) -> list[str]:
        """The kinds of the messages that are still in the queue."""
        return [heard.name for heard in self._heard]

    def until_connected(self, seconds: float = 10) -> int:
        return self._loop.until(lambda: self.connect_data, "a connection", seconds)

    def until_over(self, seconds: float = 10) -> int:
        """Waits for the end of the connection; returns the reason of the disconnect, the other end's or ours."""
        return self._loop.until(lambda: self.reason, "a disconnect", seconds)

    def disconnect(self, reason: int = 0) -> None:
        """Disconnects once all queued packets have been delivered."""
        self.link.disconnect(reason)

    def connected(self, data: int) -> None:
        self.connect_data = data

    def received(self, packet: Packet) -> None:
        self.came.append(packet)
        for frame in self.game.split(packet.data):
            self.heard(Heard(*self.game.codec.decode(self._theirs, PLAY, frame)))

    def heard(self, heard: Heard) -> None:
        self._heard.append(heard)
        if heard.name in self._reactions:
            self._reactions[heard.name](heard.fields)

    def disconnected(self, reason: int) -> None:
        self.reason = reason

    def _first(self, names: tuple[str, ...]) -> Heard | None:
        found = next((heard for heard in self._heard if heard.name in names), None)
        if found is None and self.reason is not None:
            raise ConnectionError(f"disconnected with {self.reason} while waiting for {' or '.join(names)}")
        return found


def all_sent(sessions: Iterable[Session]) -> Iterator[tuple[str, str, int]]:
    """The way, kind and packet flags of each message that was sent in these sessions."""
    for session in sessions:
        for packet in session.sent:
            for frame in session.game.split(packet.data):
                yield session.way, session.game.codec.decode(session.way, PLAY, frame)[0], packet.flags


class Client(Session):
    """Connects to a port of this machine."""

    def __init__(self, game: Game, loop: Loop, port: int, data: int):
        super().__init__(game, loop, CLIENT)
        host = loop.add(Host(range_coder=game.range_coder))
        self.link = host.connect(port, game.channels, data, self)


class Server:
    """Listens on a port that the kernel chooses. seat() makes a session for each client."""

    def __init__(self, game: Game, loop: Loop, peers: int = 8):
        self.game, self.loop = game, loop
        self.sessions: list[Session] = []
        self.port = loop.add(Host(self._accept, peers, game.range_coder)).port

    def seat(self) -> Session:
        return Session(self.game, self.loop, SERVER)

    def client(self, number: int, seconds: float = 10) -> Session:
        """The session of the client with this number, counted from 0 in the order of connecting."""
        return self.loop.until(lambda: self.sessions[number] if number < len(self.sessions) else None,
                               f"client {number}", seconds)

    def _accept(self, link: Link) -> Session:
        session = self.seat()
        session.link = link
        self.sessions.append(session)
        return session
