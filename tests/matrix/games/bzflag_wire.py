# BZFlag's wire in 1.10, 2.0, 2.4 and on the wiki's page, as far as a tank needs it: the layouts of messages, and the differences.
# Invariant: a dialect is data, mostly its changes to the dialect before it; nothing here has state.
# Messages are named by the two letters of their codes, separately for each direction; fields have the same names in all dialects.
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Callable, Iterator

from bzflag_world import Box, packed, records
from text import Bytes
from wire import Array, Field, Float, Int, Reader, Record, Rest, Seen, When, Wrong

HEADER = b"BZFLAG\r\n\r\n"
CODES = ("R*", "G*", "B*", "P*", "V", "QT", "OO", "F", "MG", "GM", "L", "R", "SB", "IB", "ST", "T", "N", "SH", "SR", "SW", "PZ", "G", "JP",
         "ID", "CL", "CB", "O", "LT", "RT", "M", "B", "JM", "WA", "A", "BY", "FO", "NJ", "RC", "RO", "TR", "WG", "SE", "US", "TH", "BU", "MQ")
NUMBERED = ("", *CODES[:33])  # the page's flags by number
SINCE_2_0 = ("BY", "FO", "NJ", "QT", "RC", "RO", "TR", "WG")  # 1.10's quick turn is its "A"
TANK, LOOKS_ON, OBSERVERS = 0, 1, 5  # types of the page's players; a team since 1.10
ALIVE, PAUSED, FALLING, CLASSIC = 1, 2, 0x40, 0x7F  # of a tank's status; 2.0 has more bits, which each add fields
BY_PHYSICS = 0x7064  # the reason of a death that names a physics driver
REJECTS = ("bad request", "bad team", "bad type", "not here", "team full", "server full", "bad callsign", "repeated callsign", "rejoin too soon",
           "banned address", "banned host", "banned id")


class Text(Field):
    """Text in a field of so many bytes, or to the message's end; bytes after a NUL are ignored."""
    blank = ""

    def __init__(self, size: int | None = None) -> None:
        self.size = size

    def read(self, reader: Reader, seen: Seen) -> str:
        return reader.take(reader.left() if self.size is None else self.size).split(b"\0")[0].decode("utf-8", "replace")

    def write(self, value: str, seen: Seen) -> bytes:
        return value.encode() if self.size is None else value.encode()[:self.size].ljust(self.size, b"\0")


class Short(Text):
    """Text after its length in a byte."""

    def read(self, reader: Reader, seen: Seen) -> str:
        return reader.take(U8.read(reader, seen)).decode("latin-1")


class Scaled(Int):
    def __init__(self, unit: float) -> None:
        super().__init__(">h")
        self.unit = unit

    def read(self, reader: Reader, seen: Seen) -> float:
        return super().read(reader, seen) * self.unit


class Status(Int):
    """A tank's status; bits with another meaning in this version are refused."""

    def read(self, reader: Reader, seen: Seen) -> int:
        value = super().read(reader, seen)
        if value & ~CLASSIC:
            raise Wrong(f"a status {value:#x} with bits of later versions")
        return value


class Numbered(Int):
    """A flag's letters, by its number."""
    blank = ""

    def read(self, reader: Reader, seen: Seen) -> str:
        number = super().read(reader, seen)
        if number >= len(NUMBERED):
            raise Wrong(f"no flag has the number {number}")
        return NUMBERED[number]

    def write(self, value: str, seen: Seen) -> bytes:
        return super().write(NUMBERED.index(value), seen)


Layouts = dict[str, Record | None]  # by code; None: not in this dialect
U8, U16, I16, U32, I32, U64, F32 = *map(Int, (">B", ">H", ">h", ">I", ">i", ">Q")), Float(">")
VECTOR, LETTERS, CALLSIGN, MOTTO, WORDS = Array(F32, 3), Text(2), Text(32), Text(128), Text(128)
NOTHING, ANYTHING = Record(), Record(rest=Bytes())


def flag(kind: Field, owner: Field) -> Record:
    return Record(kind=kind, status=U16, endurance=U16, owner=owner, position=VECTOR, launch=VECTOR, landing=VECTOR, flight=VECTOR)


def newcomer(one: Field, **late: Field) -> Record:
    return Record(player=one, type=U16, team=U16, wins=U16, losses=U16, **late, callsign=CALLSIGN, motto=MOTTO)


FLAG, TEAM = flag(LETTERS, U8), Record(team=U16, size=U16, won=U16, lost=U16)
CARRIED = Record(player=U8, number=U16, flag=FLAG)
SETTINGS = {"max_players": U16, "max_shots": U16, "max_flags": U16, "acceleration": Array(F32, 2), "shake_time": U16, "shake_wins": U16, "zero": U32}
SHOT = {"player": U8, "shot": U16, "position": VECTOR, "velocity": VECTOR, "age": F32, "team": I16, "kind": LETTERS, "life": F32}
MISSILE = Record(player=U8, shot=U16, position=VECTOR, velocity=VECTOR, age=F32, team=I16, target=U8)
SHOT_END = Record(player=U8, shot=U16, reason=U16)
MOTION = {"time": F32, "player": U8, "order": I32}
POSE = {"position": VECTOR, "velocity": VECTOR, "azimuth": F32, "turn": F32}
SMALL = {"position": Array(Scaled(0.02), 3), "velocity": Array(Scaled(0.01), 3), "azimuth": Scaled(math.pi / 32766), "turn": Scaled(0.001)}
DEATH = {"killer": U8, "reason": I16, "shot": I16}
KILLED_BY = {"kind": LETTERS, "driver": When(lambda seen: seen["reason"] == BY_PHYSICS, I32)}
ENTER = {"type": U16, "team": U16, "callsign": CALLSIGN, "motto": MOTTO}
LATER = {"tail": Bytes()}  # the fields that the status announces

CLIENT_1_10: Layouts = {
    "nf": Record(codes=Rest(LETTERS)), "wh": NOTHING, "gw": Record(offset=U32), "en": Record(**ENTER, zero=U8), "ex": NOTHING, "al": NOTHING,
    "kl": Record(**DEATH), "gf": Record(number=U16), "df": Record(position=VECTOR), "sb": Record(**SHOT), "se": SHOT_END, "gm": MISSILE,
    "mg": Record(to=U8, words=WORDS), "pu": Record(**MOTION, status=I16, **POSE), "pa": Record(on=U8), "pi": Record(sequence=U16),
    "of": Record(number=U8), "og": NOTHING,
}
CLIENT_2_0 = CLIENT_1_10 | {
    "ws": NOTHING, "en": Record(**ENTER, token=Text(22), version=Text(60), zero=U8), "kl": Record(**DEATH, **KILLED_BY),
    "sb": Record(time=F32, **SHOT),
}
SERVER_1_10: Layouts = {
    "nf": Record(codes=Rest(LETTERS)), "wh": Record(hash=Text()), "gw": Record(left=U32, data=Bytes()), "ac": Record(player=U8),
    "rj": Record(reason=U16), "sk": NOTHING, "ap": newcomer(U8, team_kills=U16), "rp": Record(player=U8),
    "al": Record(player=U8, position=VECTOR, azimuth=F32), "fu": Record(flags=Array(Record(number=U16, flag=FLAG), U16)), "gf": CARRIED,
    "df": CARRIED, "cf": Record(player=U8, number=U16, team=U16), "tf": Record(giver=U8, taker=U8, number=U16, flag=FLAG),
    "tu": Record(teams=Array(TEAM, U8)), "to": Record(seconds=U16),
    "so": Record(player=U8, team=U16), "kl": Record(victim=U8, **DEATH), "sb": Record(**SHOT), "se": SHOT_END, "gm": MISSILE,
    "sc": Record(scores=Array(Record(player=U8, wins=U16, losses=U16, team_kills=U16), U8)), "tp": Record(player=U8, entry=U16, exit=U16),
    "mg": Record(sender=U8, to=U8, words=WORDS), "pu": Record(**MOTION, status=Status(">h"), **POSE), "pa": Record(player=U8, on=U8),
    "au": ANYTHING, "vi": ANYTHING, "nR": Record(player=U8), "sv": Record(variables=Array(Record(name=Short(), value=Short()), U16)),
    "pi": Record(sequence=U16), "of": NOTHING, "og": NOTHING,
}
SERVER_2_0 = SERVER_1_10 | {
    "gs": Record(world_size=F32, style=U16, **SETTINGS), "cu": ANYTHING, "rj": Record(reason=U16, words=WORDS), "to": Record(seconds=I32),
    "kl": Record(victim=U8, **DEATH, **KILLED_BY), "sb": Record(time=F32, **SHOT), "mg": Record(sender=U8, to=U8, words=Text()),
    "pu": Record(**MOTION, status=I16, **POSE, **LATER), "ps": Record(**MOTION, status=I16, **SMALL, **LATER), "au": Record(player=U8, on=U8),
    "vi": None, "gt": Record(microseconds=U64), "pb": ANYTHING, "ai": ANYTHING, "rr": Record(last=U8), "fr": ANYTHING, "cs": ANYTHING,
}
SERVER_2_4 = SERVER_2_0 | {
    "ft": ANYTHING, "gs": Record(world_size=F32, type=U16, style=U16, **SETTINGS), "mg": Record(sender=U8, to=U8, kind=U8, words=Text()),
    "hc": ANYTHING, "Nf": ANYTHING,
}

# The page's boxes: a player in eight bytes, flags by number, a way to look along instead of an angle.
OLD_FLAG, OLD_SHOT_END = flag(Numbered(">H"), U64), Record(player=U64, shot=U16, reason=U16)
OLD_SHOT = Record(player=U64, shot=U16, position=VECTOR, velocity=VECTOR, age=F32, kind=Numbered(">H"), life=F32)
OLD_MISSILE = Record(player=U64, shot=U16, position=VECTOR, velocity=VECTOR, age=F32, target=U64)
OLD_ALIVE, OLD_CARRIED = {"position": VECTOR, "forward": VECTOR}, Record(player=U64, number=U16, flag=OLD_FLAG)
CLIENT_WIKI = CLIENT_1_10 | {
    "gw": Record(offset=U16), "en": Record(player=U64, **ENTER), "al": Record(**OLD_ALIVE), "kl": Record(killer=U64, shot=I16), "sb": OLD_SHOT,
    "se": OLD_SHOT_END, "gm": OLD_MISSILE, "sc": Record(wins=U16, losses=U16), "mg": Record(to=U64, team=U16, words=WORDS),
    "pu": Record(player=U64, status=U16, **POSE), "pa": None,
}
SERVER_WIKI: Layouts = {
    "nf": Record(codes=Rest(LETTERS)), "wh": Record(hash=Text()), "gw": Record(left=U16, data=Bytes()), "ac": NOTHING, "rj": Record(reason=U16),
    "sk": NOTHING, "ap": newcomer(U64), "rp": Record(player=U64), "al": Record(player=U64, **OLD_ALIVE),
    "fu": Record(flags=Array(Record(number=U16, flag=OLD_FLAG), 1)), "gf": OLD_CARRIED, "df": OLD_CARRIED,
    "cf": Record(player=U64, number=U16, team=U16), "tu": Record(teams=Array(Record(team=U16, size=U16, active=U16, won=U16, lost=U16), 1)),
    "to": Record(seconds=U16), "so": Record(player=U64, team=U16), "kl": Record(victim=U64, killer=U64, shot=I16), "sb": OLD_SHOT,
    "se": OLD_SHOT_END, "gm": OLD_MISSILE, "sc": Record(scores=Array(Record(player=U64, wins=U16, losses=U16), 1)),
    "tp": Record(player=U64, entry=U16, exit=U16), "mg": Record(sender=U64, to=U64, team=U16, words=WORDS),
    "pu": Record(player=U64, status=Status(">H"), **POSE), "pi": Record(sequence=U16), "rr": Record(last=U8), "of": NOTHING, "og": NOTHING,
}


@dataclass(frozen=True)
class Dialect:
    """One version, for a client of it."""
    client: Layouts
    server: Layouts
    version: bytes  # in the server's greeting
    world: Callable[[bytes], tuple[Seen, list[Box]]]
    flags: tuple[str, ...]  # the flags that a client of it knows
    greets: bool  # whether the client sends first
    links_first: bool  # whether it asks for UDP before anything else, or after entering
    shares: bool  # whether a server's datagram may hold several messages; otherwise only the first is read
    outside: frozenset[str]  # unrequested messages that it accepts before entering
    entering: frozenset[str] | None  # and from MsgAccept to its own MsgAddPlayer; None: anything
    checks_hash: bool = True
    patience: float = 8.0  # seconds that an answer may take
    rogues: int = 250  # the receiver of a line to a team is this number minus the team's; 0: there is a separate field for the team
    everybody: int = 254
    speaker: int = 253  # the sender of the server's lines
    long_ids: bool = False  # whether ids are made of an address, and sent only after entering
    looker: tuple[int, int] = (TANK, OBSERVERS)  # type and team of a spectator
    drawn_twice: dict[tuple[str, int], str] = field(default_factory=dict)  # by code and length: the code of the message that it really is

    def pack(self, code: str, told: Seen) -> bytes:
        """Encodes a message, without the values for which this dialect has no field."""
        layout = self.client[code]
        return frame(code, layout.write({name: value for name, value in told.items() if name in layout.fields}, {}))

    def unpack(self, code: str, payload: bytes) -> tuple[str, Seen]:
        """Decodes a message; raises Wrong if it does not have exactly the dialect's layout."""
        code = self.drawn_twice.get((code, len(payload)), code)
        layout, reader = self.server.get(code), Reader(payload)
        if layout is None:
            raise Wrong(f"no server of {self.version.decode()} says {code!r}")
        told = layout.read(reader, {})
        if reader.left():
            raise Wrong(f"{code}: {reader.left()} bytes after its end")
        return code, told

    def address(self, team: int | None, player: int | None) -> Seen:
        """The address fields of a line to that team, to that player, or to all."""
        if player is not None:
            return {"to": player, "team": 0}
        return {"to": self.everybody if team is None or not self.rogues else self.rogues - team, "team": team or 0}

    def scope(self, told: Seen) -> str:
        if told["to"] == self.everybody:
            return "team" if told.get("team") else "all"
        return "team" if self.rogues - 7 <= told["to"] <= self.rogues else "me"


# The real 2.x clients accept these early; the real 1.10 and the page's client accept only answers (and sk at any time).
UNASKED = frozenset(("sk", "rj", "gt", "of", "og", "sv", "mg", "pi", "cu", "ft"))
ASKED, FIRST = frozenset(("sk",)), frozenset(("rj", "sk", "ap", "tu", "fu"))
V1_10 = Dialect(CLIENT_1_10, SERVER_1_10, b"BZFS1910", partial(records, b"he"), ("", *(code for code in CODES if code not in SINCE_2_0)),
                greets=False, links_first=False, shares=False, outside=ASKED, entering=FIRST | {"sv", "of"}, checks_hash=False, patience=5.0)
V2_0 = Dialect(CLIENT_2_0, SERVER_2_0, b"BZFS0026", partial(packed, 24), ("", *CODES), greets=False, links_first=True, shares=True,
               outside=UNASKED, entering=None)
V2_4 = Dialect(CLIENT_2_0, SERVER_2_4, b"BZFS0221", partial(packed, 25), ("", *CODES), greets=True, links_first=True, shares=True,
               outside=UNASKED, entering=None, rogues=251)
WIKI = Dialect(CLIENT_WIKI, SERVER_WIKI, b"BZFS1910", partial(records, b"st"), CODES[:33], greets=True, links_first=False, shares=False,
               outside=ASKED, entering=FIRST, rogues=0, everybody=0, speaker=0, long_ids=True, looker=(LOOKS_ON, 0),
               drawn_twice={("to", 10): "tu"})
DIALECTS = {"2.4": V2_4, "2.0": V2_0, "1.10": V1_10, "wiki": WIKI}


def frame(code: str, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(2, "big") + code.encode() + payload


def frames(data: bytearray) -> Iterator[tuple[str, bytes]]:
    """Removes whole messages from the front, and returns them."""
    while len(data) >= 4 and len(data) >= 4 + (size := data[0] << 8 | data[1]):
        yield data[2:4].decode("latin-1"), bytes(data[4:4 + size])
        del data[:4 + size]
