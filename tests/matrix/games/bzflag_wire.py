# BZFlag 2.4's wire, as far as a tank needs it: frames, and what is packed in them. Law: nothing here remembers anything.
from __future__ import annotations

import struct
import zlib
from typing import Iterator

HEADER = b"BZFLAG\r\n\r\n"
VERSION = b"BZFS0221"
ALL, SERVER = 254, 253
TEAM_CHAT = 251  # less the number of the team
CODES = ("R*", "G*", "B*", "P*", "V", "QT", "OO", "F", "MG", "GM", "L", "R", "SB", "IB", "ST", "T", "N", "SH", "SR", "SW", "PZ", "G", "JP",
         "ID", "CL", "CB", "O", "LT", "RT", "M", "B", "JM", "WA", "A", "BY", "FO", "NJ", "RC", "RO", "TR", "WG", "SE", "US", "TH", "BU", "MQ")
ALIVE, PAUSED, FALLING = 1, 2, 0x40
SHOT = struct.Struct(">fBH3f3ffh2sf")
MISSILE = struct.Struct(">BH3f3ffhB")
UPDATE = struct.Struct(">fBih3f3fff")
SMALL = struct.Struct(">fBih3h3hhh")
FLAG = struct.Struct(">H2sHHB12f")
TURN = 3.141592653589793 / 32766


def frame(code: str, payload: bytes = b"") -> bytes:
    return struct.pack(">H", len(payload)) + code.encode() + payload


def frames(data: bytearray) -> Iterator[tuple[str, bytes]]:
    """Takes whole messages off the front."""
    while len(data) >= 4 and len(data) >= 4 + (size := data[0] << 8 | data[1]):
        yield data[2:4].decode("latin-1"), bytes(data[4:4 + size])
        del data[:4 + size]


def text(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace")


def enter(kind: int, team: int, name: str) -> bytes:
    return struct.pack(">Hh32s128s22s60s", kind, team, name.encode(), b"", b"", b"matrix") + b"\0"


def motion(code: str, payload: bytes) -> tuple[int, int, int, tuple, tuple, float]:
    """(player, order, status, position, velocity, heading) of either update."""
    if code == "pu":
        _, player, order, status, x, y, z, u, v, w, yaw, _ = UPDATE.unpack_from(payload)
        return player, order, status, (x, y, z), (u, v, w), yaw
    _, player, order, status, x, y, z, u, v, w, yaw, _ = SMALL.unpack_from(payload)
    return player, order, status, (x / 50, y / 50, z / 50), (u / 100, v / 100, w / 100), yaw * TURN


def variables(payload: bytes) -> Iterator[tuple[str, str]]:
    at = 2
    for _ in range(struct.unpack_from(">H", payload)[0]):
        pair = []
        for _ in range(2):
            size = payload[at]
            pair.append(payload[at + 1:at + 1 + size].decode("latin-1"))
            at += 1 + size
        yield pair[0], pair[1]


def boxes(world: bytes) -> list[tuple[float, float, float, float]]:
    """(x, y, half width, half depth) of each box and pyramid. Raises ValueError if more than plain things are built."""
    head, packed = struct.unpack_from(">HHHII", world), world[14:]
    data, at = zlib.decompressobj().decompress(packed), 0
    if head[1] != 0x6865:
        raise ValueError("no world header")

    def number() -> int:
        nonlocal at
        at += 4
        return struct.unpack_from(">I", data, at - 4)[0]
    if any(number() for _ in range(5)):
        raise ValueError("colours, materials or drivers, which are not read here")
    name = number()  # of the group
    at += name
    found = []
    for size in (25, 29, 29):  # walls, boxes, pyramids
        for _ in range(number()):
            if size == 29:
                x, y, _, _, width, depth, _ = struct.unpack_from(">7f", data, at)
                found.append((x, y, width, depth))
            at += size
    return found
