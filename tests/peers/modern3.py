# OgarII's "Modern Protocol revision 3" as tables, from its document (protocol_modern.md).
# Invariant: one table for each message, with the document's names. Where the document is open or wrong, README.md has our reading.
from __future__ import annotations

import random
from typing import Callable

from codec import CLIENT, GREETING, SERVER, Codec, Kind
from text import Bytes, OpenText, ZeroText
from wire import Array, Field, Float, Int, Reader, Record, Seen, UntilZero, When, Wrong

U8, U16, U32, I32, F32 = Int("<B"), Int("<H"), Int("<I"), Int("<i"), Float("<")
REVISION = 3
SPAWN, SPECTATE, Q_DOWN, Q_UP, EJECT, MINION_EJECT, MINION_FREEZE, SAY = (1 << bit for bit in range(8))  # a client's flags
SHORTEST_WITH_CHAT = 12  # bytes of a client's update after its opcode, with a count of lines, but without name and lines
CLIENT_LIMIT = 512  # OgarII's limit for a client's message, in bytes


class Flags(Int):
    """An integer for which the document defines only some values or bits. Others are read, but not invented."""

    def __init__(self, form: str, drawn: range) -> None:
        super().__init__(form)
        self.drawn = drawn

    def invent(self, dice: random.Random, seen: Seen) -> int:
        return dice.choice(self.drawn)


class Choice(Flags):
    """The same, but other values are Wrong, because the layout after it depends on the value."""

    def read(self, reader: Reader, seen: Seen) -> int:
        value = super().read(reader, seen)
        if value not in self.drawn:
            raise Wrong(f"{value} is not one of {list(self.drawn)}")
        return value


class SpawnName(OpenText):
    """A name of at least one byte. The NUL counts."""

    def read(self, reader: Reader, seen: Seen) -> str | Seen:
        if not reader.left():
            raise Wrong("no bytes left")
        return super().read(reader, seen)


class ChatLines(Array):
    """Lines of chat. The server requires one byte per line beyond the length of the shortest message."""

    def read(self, reader: Reader, seen: Seen) -> list:
        lines = reader.data[reader.at] if reader.left() else 0
        if len(reader.data) < SHORTEST_WITH_CHAT + bool(seen["flags"] & SPAWN) + lines:
            raise Wrong(f"{lines} lines in a message of {len(reader.data)} bytes")
        return super().read(reader, seen)


def given(bit: int, field: Field) -> When:
    return When(lambda seen: bool(seen["flags"] & bit), field)


class Counts(Field):
    """Numbers of connections. The document has four; the server sends `limit` before them. If exactly four are left in the
    message, they are read as the four of the document."""
    NAMES = ("limit", "external", "internal", "alive", "spectating")
    blank = dict.fromkeys(NAMES, 0)

    def read(self, reader: Reader, seen: Seen) -> Seen:
        names = self.NAMES[1:] if reader.left() == 4 * U16.form.size else self.NAMES
        return {name: U16.read(reader, seen) for name in names}

    def write(self, value: Seen, seen: Seen) -> bytes:
        return b"".join(U16.write(number, seen) for number in value.values())

    def invent(self, dice: random.Random, seen: Seen) -> Seen:
        return {name: U16.invent(dice, seen) for name in self.NAMES}


COLOUR = Array(U8, 3)  # R, G, B
AREA = Record(x=F32, y=F32, scale=F32)
BORDER = Record(left=F32, right=F32, top=F32, bottom=F32)
SERVER_INFO = Record(gamemode=Flags("<B", range(3)), major=U8, minor=U8, patch=U8)
WORLD_INFO = Record(server_name=ZeroText(), gamemode_name=ZeroText(), load=F32, uptime=U32, connections=Counts())
CHAT = Record(source=ZeroText(), colour=COLOUR, is_server=Flags("<B", range(2)), content=ZeroText())
BOARD_ITEM = Record(position=U16, flags=Flags("<B", range(4)), name=ZeroText())
BOARD = Record(type=Choice("<B", range(1, 4)),
               ffa=When(lambda seen: seen["type"] == 1, UntilZero(BOARD_ITEM, U16)),
               pie=When(lambda seen: seen["type"] == 2, Array(F32, U16)),
               text=When(lambda seen: seen["type"] == 3, Array(ZeroText(), U16)))
ADDED = Record(id=U32, type=Flags("<B", range(5)), x=F32, y=F32, size=U16, colour=COLOUR, flags=Flags("<B", range(8)),
               name=given(2, ZeroText()), skin=given(4, ZeroText()))
UPDATED = Record(id=U32, flags=Flags("<B", range(32)), x=given(1, F32), y=given(1, F32), size=given(2, U16),
                 colour=given(4, COLOUR), name=given(8, ZeroText()), skin=given(16, ZeroText()))
EATEN = Record(killed=U32, killer=U32)

PARTS = {"area": 1, "border": 2, "server": 4, "world": 8, "chat": 16, "board": 32, "added": 128, "updated": 256,
         "eaten": 512, "removed": 1024}
CLEAR = 64
SERVER_UPDATE = Record(
    flags=Flags("<H", range(2048)), area=given(1, AREA), border=given(2, BORDER), server=given(4, SERVER_INFO),
    world=given(8, WORLD_INFO), chat=given(16, Array(CHAT, U16)), board=given(32, BOARD),
    added=given(128, UntilZero(ADDED, U32)), updated=given(256, UntilZero(UPDATED, U32)),
    eaten=given(512, UntilZero(EATEN, U32)), removed=given(1024, UntilZero(U32, U32)))

TRAILING = Bytes(most=0)  # the server ignores what follows a client's message
CLIENT_UPDATE = Record(mouse_x=I32, mouse_y=I32, splits=U8, minion_splits=U8, flags=Flags("<B", range(256)),
                       name=given(SPAWN, SpawnName()), chat=given(SAY, ChatLines(OpenText(), U8)), trailing=TRAILING)


def update(flags: int = 0, **parts) -> Seen:
    """The fields of a server's Update with these parts. Sets the flags of the parts."""
    return {"flags": flags | sum(PARTS[name] for name in parts), **parts}


class Modern3(Codec):
    """A frame is one WebSocket message: an opcode and a body."""

    def seal(self, kind: Kind, body: bytes) -> bytes:
        frame = U8.write(kind.code, {}) + body
        if kind.way == CLIENT and len(frame) > CLIENT_LIMIT:
            raise Wrong(f"{len(frame)} bytes, more than {CLIENT_LIMIT}")
        return frame

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[int, bytes]:
        if not frame or (way == CLIENT and len(frame) > CLIENT_LIMIT):
            raise Wrong(f"a message of {len(frame)} bytes")
        return frame[0], frame[1:]

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        return frame[:1] + damage(frame[1:])


MODERN3 = Modern3([
    Kind("ProtocolVersion", CLIENT, 1, Record(revision=Choice("<I", range(REVISION, REVISION + 1)), trailing=TRAILING), stage=GREETING),
    Kind("Ping", CLIENT, 2, Record(trailing=TRAILING)),
    Kind("Update", CLIENT, 3, CLIENT_UPDATE),
    Kind("Pong", SERVER, 2, Record()),
    Kind("Update", SERVER, 3, SERVER_UPDATE),
])
