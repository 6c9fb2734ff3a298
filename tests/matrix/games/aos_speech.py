# The packets that differ between the versions of Ace of Spades: the map, the players' places and their keys, for a client (man) and a server (field).
# Invariant: written from the documents; each object serves one end of one link. Packets that are the same in every version are in aos_man.py and aos_field.py.
from __future__ import annotations

import math
import struct
import time
import zlib
from collections import deque
from typing import Iterator

from aos_ground import Ground, Man, Place3
from aos_motion import INPUTS, Moved, Mover, Told, newer, state
from aos_player import HANDSHAKE, INPUT, MAP_START, ORIENTATION, POSITION, WORLD
from aos_wire import AOS
from codec import CLIENT, PLAY, SERVER
from enet_host import RELIABLE, UNRELIABLE
from wire import Seen, Wrong

MAP_CACHED = HANDSHAKE  # the same number, from a client of 0.76
VERSIONS = {"0.75": 3, "0.76": 4, "0.80": 5}  # the data of the connection
TELLS = 1.05  # seconds between two positions that a client sends
ASTRAY = 1.0  # blocks: from this difference on, the place that a server of 0.80 sends is a command, not a delay
A_SECOND = 32.0  # blocks per second in one unit of the wire's speed
View = tuple[int, Place3, Place3]  # player, place, look


def url(dialect: str) -> str:
    return "aos://127.0.0.1:{port}?dialect=" + dialect


def speech(dialect: str) -> Keyed:
    return Stated() if dialect == "0.80" else Keyed(dialect)


class Keyed:
    """0.75 and 0.76: a client sends look and keys when they change, and its place once a second; the server sends all places."""
    FLAGS = RELIABLE  # of the packets about a client's own body
    SOONEST = 0.7  # least seconds between two places that a server accepts
    RELAYS = True  # the server forwards keys as they come
    BANS = False  # whether the server bans a client that sends anything before its name

    def __init__(self, dialect: str) -> None:
        self.caches = dialect == "0.76"  # the server sends the map's checksum, and a client that has the map says so
        self._view = struct.Struct("<B6f" if dialect == "0.76" else "<6f")
        self._sent, self._told = {INPUT: 0}, 0.0

    def begin(self, _: Man) -> None:
        """The server has put the man at a place."""
        self._sent.pop(ORIENTATION, None)
        self._told = time.monotonic()

    # client
    def says(self, man: Man, number: int) -> Iterator[bytes]:
        """The packets for the changes of the man's body."""
        for kind, now, payload in ((ORIENTATION, man.look, struct.pack("<3f", *man.look)), (INPUT, man.keys, bytes([number, man.keys]))):
            if self._sent.get(kind) != now:
                self._sent[kind] = now
                yield bytes([kind]) + payload
        if time.monotonic() - self._told > TELLS:
            self._told = time.monotonic()
            yield struct.pack("<B3f", POSITION, *man.place)

    def told(self, packet: bytes, number: int) -> tuple[Place3 | None, list[View]]:
        """The place to which the server moves this player (`number`), if any; and the places of the others."""
        if packet[0] == POSITION:
            return struct.unpack("<3f", packet[1:]), []
        found = enumerate(self._view.iter_unpack(packet[1:]))
        views = [(view[0] if self.caches else at, view[-6:-3], view[-3:]) for at, view in found]
        return None, [view for view in views if view[0] != number]

    def checksum(self, packet: bytes) -> int | None:
        """The checksum of the map, from Map Start."""
        if len(packet) != 5 and not self.caches:
            raise Wrong(f"a Map Start of {len(packet)} bytes")
        return struct.unpack_from("<I", packet, 5)[0] if self.caches else None

    # a server's
    def starts(self, land: Ground, size: int) -> bytes:
        named = struct.pack("<I", zlib.crc32(land.vxl())) + b"matrix\0" if self.caches else b""
        return struct.pack("<BI", MAP_START, size) + named

    def heard(self, packet: bytes) -> list[tuple[int, object]]:
        """The client's packets about its body, in their form of 0.75."""
        return [(packet[0], packet[2] if packet[0] == INPUT else struct.unpack("<3f", packet[1:]))]

    def puts(self, _: int, man: Man) -> Iterator[bytes]:
        yield struct.pack("<B3f", POSITION, *man.place)

    def paints(self, men: dict[int, Man]) -> Iterator[bytes]:
        """World Updates of all players; a player who is not in play has no place."""
        nowhere = bytes(24)
        numbers = sorted(men) if self.caches else range(max(men, default=-1) + 1)
        views = [(bytes([n]) if self.caches else b"") + (struct.pack("<6f", *men[n].place, *men[n].look) if n in men else nowhere) for n in numbers]
        if views:
            yield bytes([WORLD]) + b"".join(views)


class Stated(Keyed):
    """0.80: each tick a client sends its whole state and the keys of thirty ticks; the server sends the keys and states of all."""
    FLAGS, SOONEST, RELAYS, BANS = UNRELIABLE, 0.0, False, True

    def __init__(self) -> None:
        super().__init__("0.80")
        self._mover = Mover(state((0.0, 0.0, 0.0)))
        self._been: deque[Place3] = deque(maxlen=INPUTS)
        self._last: int | None = None  # the sequence of the server's newest update
        self._states: dict[int, Seen] = {}
        self._moved, self._tells, self._put = Moved(), Told(), None

    def begin(self, man: Man) -> None:
        mover = Mover(stated(man))
        mover.sequence, self._mover, self._put = self._mover.sequence, mover, None
        self._been.clear()
        self._been.append(man.place)

    # a man's
    def says(self, man: Man, _: int) -> Iterator[bytes]:
        self._been.append(man.place)
        kind, fields = self._mover.tick(man.keys, stated(man))
        yield AOS.encode(CLIENT, kind, fields)

    def told(self, packet: bytes, number: int) -> tuple[Place3 | None, list[View]]:
        """The server's state of this player is late. It is a command only if the player was not there within the last thirty ticks."""
        if packet[0] != POSITION:
            raise Wrong(f"a packet {packet[0]}, which 0.80 has no more")
        _, fields = AOS.decode(SERVER, PLAY, packet)
        if not newer(fields["sequence"], self._last):
            return None, []
        self._last, views = fields["sequence"], {}
        for player in fields["players"]:
            if not player["still"]:
                self._states[player["id"]] = player
            if player["id"] in self._states:
                views[player["id"]] = tuple(tuple(self._states[player["id"]][part].values()) for part in ("pos", "ori"))
        here = views.pop(number, (None,))[0]
        astray = here and all(math.dist(here, place) > ASTRAY for place in self._been)
        return here if astray else None, [(whose, *view) for whose, view in views.items()]

    # a server's
    def heard(self, packet: bytes) -> list[tuple[int, object]]:
        """A client that is not yet where the server put it has not received that place."""
        if packet[0] != POSITION:
            raise Wrong("which 0.80 has no more")
        before, (_, fields) = self._moved.sequence, AOS.decode(CLIENT, PLAY, packet)
        self._moved.hear(fields)
        if self._moved.sequence == before:
            return []
        says: list[tuple[int, object]] = [(INPUT, self._moved.keys)]
        if self._moved.state:
            place, look = (tuple(self._moved.state[part].values()) for part in ("pos", "ori"))
            self._put = self._put if self._put and math.dist(place, self._put) > ASTRAY else None
            says += [(ORIENTATION, look)] + ([] if self._put else [(POSITION, place)])
        return says

    def puts(self, number: int, man: Man) -> Iterator[bytes]:
        fresh = Told()  # so that the next update is complete
        fresh.sequence, self._tells, self._put = self._tells.sequence, fresh, man.place
        return self.paints({number: man})

    def paints(self, men: dict[int, Man]) -> Iterator[bytes]:
        told = {number: Moved() for number in men}
        for number, moved in told.items():
            moved.keys, moved.state = men[number].keys, stated(men[number])
        return (AOS.encode(SERVER, "State Update", fields) for fields in self._tells.packets(told))


def stated(man: Man) -> Seen:
    return state(man.place, man.look, tuple(axis / A_SECOND for axis in (*man.speed, man.rise)))
