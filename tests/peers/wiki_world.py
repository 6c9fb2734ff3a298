# The world database of BZFlag's wiki page: blocks of length, code and body. The first is the header, the last is the end block.
# Invariant: each block has the length of the page's drawing. No bytes follow the end block.
from __future__ import annotations

import random

from wiki import VECTOR
from wire import Float, Int, Reader, Record, Seen, Wrong

U8, U16, U32, F32 = Int(">B"), Int(">H"), Int(">I"), Float(">")
SOLID = {"center": VECTOR, "angle": F32, "width": F32, "depth": F32, "height": F32}
BLOCKS: dict[int, tuple[str, Record]] = {
    0x7374: ("style", Record(version=U16, world_size=F32, style=U16, max_players=U16, max_shots=U16, max_flags=U16,
                             linear_acceleration=F32, angular_acceleration=F32, shake_timeout=U16, shake_wins=U16,
                             epoch_offset=U32)),
    0x6261: ("base", Record(team=U16, center=VECTOR, angle=F32, size=VECTOR, safety=VECTOR)),
    0x776C: ("wall", Record(center=VECTOR, angle=F32, width=F32, height=F32)),
    0x7079: ("pyramid", Record(**SOLID, sdf=U8)),
    0x6278: ("box", Record(**SOLID, sdf=U8)),
    0x7465: ("teleporter", Record(**SOLID, border=F32, sdf=U8)),
    0x6C6E: ("link", Record(**{"from": U16}, to=U16)),
    0x6564: ("end", Record()),
}
HEADER_OF_1_10 = 0x6865  # the code of the style block in 1.10; read, never written
CODES = {name: code for code, (name, _) in BLOCKS.items()}

Block = tuple[str, Seen]


def decode_world(data: bytes) -> list[Block]:
    reader, blocks = Reader(data), []
    while not blocks or blocks[-1][0] != "end":
        size, code = U16.read(reader, {}), U16.read(reader, {})
        if code == HEADER_OF_1_10:
            code = CODES["style"]
        if code not in BLOCKS:
            raise Wrong(f"unknown block code {code:#06x}")
        name, body = BLOCKS[code]
        inner = Reader(reader.take(size))
        blocks.append((name, body.read(inner, {})))
        if inner.left():
            raise Wrong(f"{name}: {inner.left()} bytes after its end")
    if blocks[0][0] != "style" or reader.left():
        raise Wrong(f"a world that begins with {blocks[0][0]} and has {reader.left()} bytes after its end")
    return blocks


def encode_world(blocks: list[Block]) -> bytes:
    world = b""
    for name, fields in blocks:
        body = BLOCKS[CODES[name]][1].write(fields, {})
        world += U16.write(len(body), {}) + U16.write(CODES[name], {}) + body
    return world


def invent_world(seed: int, count: int = 80) -> list[Block]:
    """A random world with `count` blocks between the header and the end block."""
    dice = random.Random(seed)
    inner = [name for name in CODES if name not in ("style", "end")]
    names = ["style", *inner, *dice.choices(inner, k=count - len(inner)), "end"]
    return [(name, BLOCKS[CODES[name]][1].invent(dice, {})) for name in names]
