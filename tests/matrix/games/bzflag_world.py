# Reads the world that a BZFlag server sends, as far as a tank needs it: its size and its obstacles.
# Invariant: bytes that are not such a world raise ValueError or Wrong; nothing is guessed.
from __future__ import annotations

import struct
import zlib

from wiki_world import decode_world
from wire import Seen

Box = tuple[float, float, float, float]  # x, y, half width, half depth


def records(head: bytes, world: bytes) -> tuple[Seen, list[Box]]:
    """The world of 1.10 and of the wiki's page: records, of which the first, `head`, also has the settings."""
    if world[2:4] != head:
        raise ValueError(f"a world that begins with {world[2:4]!r}, not {head!r}")
    (_, settings), *blocks = decode_world(world)
    return settings, [(*block["center"][:2], block["width"], block["depth"]) for name, block in blocks if name in ("box", "pyramid")]


def packed(wall: int, world: bytes) -> tuple[Seen, list[Box]]:
    """The compressed world of 2.0 and 2.4, whose walls differ in size. Raises ValueError if it has more than plain obstacles."""
    head, data, at = struct.unpack_from(">HHHII", world), zlib.decompressobj().decompress(world[14:]), 0
    if head[1] != 0x6865:
        raise ValueError("no world header")

    def number() -> int:
        nonlocal at
        at += 4
        return struct.unpack_from(">I", data, at - 4)[0]
    if any(number() for _ in range(5)):
        raise ValueError("colours, materials or drivers, which are not read here")
    name = number()  # the group's name
    at += name
    found = []
    for kind, size in (("wall", wall), ("box", 29), ("pyramid", 29)):
        for _ in range(number()):
            if kind != "wall":
                x, y, _, _, width, depth, _ = struct.unpack_from(">7f", data, at)
                found.append((x, y, width, depth))
            at += size
    return {}, found
