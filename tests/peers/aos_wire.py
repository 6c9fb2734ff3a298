# The packets of Ace of Spades 0.80, each described once: the draft's State Update, and the packets that it keeps from 0.75.
# Invariant: written only from the draft and from measurements. README.md lists what these leave open, and how we read it.
from __future__ import annotations

import random
from typing import Callable

from codec import CLIENT, GREETING, SERVER, Codec, Kind
from text import Bytes, FixedText, RestText
from wire import Array, Field, Float, Int, Reader, Record, Rest, Seen, When, Wrong

RELIABLE, UNRELIABLE = ("stream",), ("datagram", "stream")  # the first is sent; each is read

U8, I8, U32, I32, F32 = Int("<B"), Int("<b"), Int("<I"), Int("<i"), Float("<")
POINT = Record(x=F32, y=F32, z=F32)
BLOCK = Record(x=I32, y=I32, z=I32)
COLOUR = Record(b=U8, g=U8, r=U8)
INPUTS = Array(U8, 30)  # newest first
QUERY = "query"  # stands for the code of a datagram outside of ENet
EXTENSION = "extension"  # stands for the code of a packet whose number (65 to 255) is its first field


class OneOf(Field):
    """A byte that must be one of these values."""

    def __init__(self, *legal: int) -> None:
        self.legal, self.blank = legal, legal[0]

    def read(self, reader: Reader, seen: Seen) -> int:
        return self._checked(reader.take(1)[0])

    def write(self, value: int, seen: Seen) -> bytes:
        return bytes([self._checked(value)])

    def invent(self, dice: random.Random, seen: Seen) -> int:
        return dice.choice(self.legal)

    def _checked(self, value: int) -> int:
        if value not in self.legal:
            raise Wrong(f"{value} is not one of {self.legal}")
        return value


# The State Data of the draft. In a player's entry, Still is 1 if the three points are left out. State-30 has no Still.
STATE: dict[str, Field] = {"pos": POINT, "ori": POINT, "vel": POINT}
MOVED = {name: When(lambda seen: not seen["still"], field) for name, field in STATE.items()}
PLAYER_STATE = Record(id=U8, input=U8, still=OneOf(0, 1), **MOVED)
HEAD: dict[str, Field] = {"sequence": U32, "input": INPUTS}
NOW, OLDEST = {"state": Record(**STATE)}, {"state_30": Record(**STATE)}

# The draft says "107 bytes", but its fields have another length. Each possible reading is accepted; only the first two are sent.
STATE_UPDATES = {
    "State Update": Record(**HEAD, still=OneOf(0), **NOW, **OLDEST),  # 108
    "State Update/still": Record(**HEAD, still=OneOf(1), **OLDEST),  # 72
    "State Update/36": Record(**HEAD, still=OneOf(1)),
    "State Update/73": Record(**HEAD, still=OneOf(1), still_30=OneOf(0), **OLDEST),
    "State Update/107": Record(**HEAD, **NOW, **OLDEST),
    "State Update/109": Record(**HEAD, still=OneOf(0), **NOW, still_30=OneOf(0), **OLDEST),
}


class Territories(Rest):
    """Entries up to the end of the packet: as many as the count says, or more. The additional ones have no meaning."""

    def read(self, reader: Reader, seen: Seen) -> list:
        return self._counted(super().read(reader, seen), seen)

    def write(self, value: list, seen: Seen) -> bytes:
        return super().write(self._counted(value, seen), seen)

    def invent(self, dice: random.Random, seen: Seen) -> list:
        return [self.item.invent(dice, {}) for _ in range(seen["territory_count"] + dice.randint(0, 3))]

    def _counted(self, items: list, seen: Seen) -> list:
        if len(items) < seen["territory_count"]:
            raise Wrong(f"{len(items)} territories, but the count is {seen['territory_count']}")
        return items


def _slot(mask: int) -> tuple[When, When]:
    """The field of an intel in State Data: its place, or its carrier if the bit `mask` of the flags is set."""
    return (When(lambda seen: seen["mode"] == 0 and not seen["flags"] & mask, POINT),
            When(lambda seen: seen["mode"] == 0 and bool(seen["flags"] & mask), Record(carrier=U8, pad=Bytes(11))))


def _state_data() -> Record:
    def of(mode: int, field: Field) -> When:
        return When(lambda seen: seen["mode"] == mode, field)
    intel_1, carrier_1 = _slot(2)
    intel_2, carrier_2 = _slot(1)
    return Record(
        id=U8, fog=COLOUR, team1=COLOUR, team2=COLOUR, team1_name=FixedText(10), team2_name=FixedText(10),
        mode=OneOf(0, 1), score1=of(0, U8), score2=of(0, U8), cap_limit=of(0, U8), flags=of(0, U8), intel1=intel_1,
        intel1_carrier=carrier_1, intel2=intel_2, intel2_carrier=carrier_2, base1=of(0, POINT), base2=of(0, POINT),
        extra=of(0, Bytes()),  # SpadesX sends 20 bytes after the last field
        territory_count=of(1, U8), territories=of(1, Territories(Record(position=POINT, team=U8))))


def _kinds(number: int | str, kind: str, /, *ways: str, lanes: tuple[str, ...] = RELIABLE, body: Record | None = None,
           **fields: Field) -> list[Kind]:
    return [Kind(kind, way, number, body or Record(**fields), lanes) for way in ways]


BOTH = (CLIENT, SERVER)
KINDS = [
    *(Kind(name, way, QUERY, Record(text=RestText()), ("datagram",), GREETING)
      for name, way in (("Hello", CLIENT), ("Hello Reply", SERVER))),
    *(Kind(name, CLIENT, 0, body, UNRELIABLE) for name, body in STATE_UPDATES.items()),
    *_kinds(0, "State Update", SERVER, lanes=UNRELIABLE, sequence=U32, players=Array(PLAYER_STATE, U8),
            extra=Bytes(most=9)),
    *_kinds(1, "Orientation Data", *BOTH, orientation=POINT),  # 1 to 3 are obsolete: read, never sent
    *_kinds(2, "World Update", SERVER, lanes=UNRELIABLE, players=Rest(Record(position=POINT, orientation=POINT))),
    *_kinds(3, "Input Data", *BOTH, id=U8, keys=U8),
    *_kinds(4, "Weapon Input", *BOTH, id=U8, buttons=U8),
    *_kinds(5, "Hit", CLIENT, id=U8, part=U8),
    *_kinds(5, "Set HP", SERVER, hp=U8, type=U8, source=POINT),
    *_kinds(6, "Grenade", *BOTH, id=U8, fuse=F32, position=POINT, velocity=POINT),
    *_kinds(7, "Set Tool", *BOTH, id=U8, tool=U8),
    *_kinds(8, "Set Colour", *BOTH, id=U8, colour=COLOUR),
    *_kinds(9, "Existing Player", *BOTH, id=U8, team=U8, weapon=U8, tool=U8, kills=U32, colour=COLOUR, name=RestText()),
    *_kinds(10, "Short Player Data", CLIENT, id=U8, team=U8, weapon=U8),
    *_kinds(11, "Move Object", SERVER, object=U8, team=U8, position=POINT),
    *_kinds(12, "Create Player", SERVER, id=U8, weapon=U8, team=U8, position=POINT, name=RestText()),
    *_kinds(13, "Block Action", *BOTH, id=U8, action=U8, block=BLOCK),
    *_kinds(14, "Block Line", *BOTH, id=U8, start=BLOCK, end=BLOCK),
    *_kinds(15, "State Data", SERVER, body=_state_data()),
    *_kinds(16, "Kill Action", SERVER, victim=U8, killer=U8, type=U8, respawn=U8),
    *_kinds(17, "Chat Message", *BOTH, id=U8, type=U8, text=RestText()),
    *_kinds(18, "Map Start", SERVER, size=U32),
    *_kinds(19, "Map Chunk", SERVER, data=Bytes()),
    *_kinds(20, "Player Left", SERVER, id=U8),
    *_kinds(21, "Territory Capture", SERVER, territory=U8, winning=U8, team=U8),
    *_kinds(22, "Progress Bar", SERVER, territory=U8, team=U8, rate=I8, progress=F32),
    *_kinds(23, "Intel Capture", SERVER, id=U8, winning=U8),
    *_kinds(24, "Intel Pickup", SERVER, id=U8),
    *_kinds(25, "Intel Drop", SERVER, id=U8, position=POINT),
    *_kinds(26, "Restock", SERVER, id=U8),
    *_kinds(27, "Fog Colour", SERVER, unused=U8, colour=COLOUR),
    *_kinds(28, "Weapon Reload", *BOTH, id=U8, clip=U8, reserve=U8),
    *_kinds(29, "Change Team", CLIENT, id=U8, team=U8),
    *_kinds(30, "Change Weapon", *BOTH, id=U8, weapon=U8),
    *_kinds(31, "Handshake Init", SERVER, challenge=Array(U8, 4)),
    *_kinds(32, "Handshake Return", CLIENT, challenge=Array(U8, 4)),
    *_kinds(33, "Version Get", SERVER, properties=Rest(U8)),
    *_kinds(34, "Version Response", CLIENT, client=U8, major=U8, minor=U8, revision=U8, system=RestText()),
    *_kinds(60, "Ext Info", *BOTH, extensions=Array(Record(id=U8, version=U8), U8)),
    *_kinds(64, "Player Properties", *BOTH, sub=U8, id=U8, hp=U8, blocks=U8, grenades=U8, clip=U8, reserve=U8,
            score=U32),
    *_kinds(EXTENSION, "Extension Packet", *BOTH, number=OneOf(*range(65, 256)), sub=U8, data=Bytes()),
]


class Aos(Codec):
    def seal(self, kind: Kind, body: bytes) -> bytes:
        return body if kind.code in (EXTENSION, QUERY) else bytes([kind.code]) + body

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[object, bytes]:
        if stage == GREETING:
            return QUERY, frame
        if not frame:
            raise Wrong("an empty packet")
        return (EXTENSION, frame) if frame[0] > 64 else (frame[0], frame[1:])

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        return frame[:1] + damage(frame[1:])


AOS = Aos(KINDS)
