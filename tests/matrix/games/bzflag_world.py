# What a server of BZFlag hands out as its world, as far as a tank needs it: how large it is, and what stands in it.
# Law: bytes that are no such world raise ValueError or Wrong; nothing is guessed.
from __future__ import annotations

import struct
import zlib

from wiki_world import decode_world
from wire import Seen

Box = tuple[float, float, float, float]  # x, y, half width, half depth


def records(head: bytes, world: bytes) -> tuple[Seen, list[Box]]:
    """One record after another, `head` first, which has the settings, too: 1.10 and the wiki's page."""
    if world[2:4] != head:
        raise ValueError(f"a world that begins with {world[2:4]!r}, not {head!r}")
    (_, settings), *blocks = decode_world(world)
    return settings, [(*block["center"][:2], block["width"], block["depth"]) for name, block in blocks if name in ("box", "pyramid")]


def packed(wall: int, world: bytes) -> tuple[Seen, list[Box]]:
    """Deflated, as 2.0 and 2.4 have it, whose walls differ in size. Raises ValueError if more than plain things are built."""
    head, data, at = struct.unpack_from(">HHHII", world), zlib.decompressobj().decompress(world[14:]), 0
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
    for kind, size in (("wall", wall), ("box", 29), ("pyramid", 29)):
        for _ in range(number()):
            if kind != "wall":
                x, y, _, _, width, depth, _ = struct.unpack_from(">7f", data, at)
                found.append((x, y, width, depth))
            at += size
    return {}, found
