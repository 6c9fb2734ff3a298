# A map for an Ace of Spades server: VXL, cut into packets, and the State Data for it.
# Invariant: the same seed gives the same map.
from __future__ import annotations

import random
import zlib
from typing import Iterator

from wire import Seen

SIDE, TILE, GROUND = 512, 32, 60
CHUNK = 1024  # bytes; any size is valid; with this one, a small map takes several packets
ENTRIES = 16  # of the table of territories; always sent in full, because a client copies the whole table
CTF, TERRITORIES = 0, 1
NEUTRAL = 2


def point(x: float, y: float, z: float) -> Seen:
    return {"x": x, "y": y, "z": z}


def colour(b: int, g: int, r: int) -> Seen:
    return {"b": b, "g": g, "r": r}


def landscape(seed: int) -> bytes:
    """Tiles of random height; each column is one span, with one coloured voxel on top."""
    dice, rows = random.Random(seed), []
    for _ in range(SIDE // TILE):
        row = b""
        for _ in range(SIDE // TILE):
            top = dice.randint(GROUND - 5, GROUND)
            row += bytes((0, top, top, 0, *dice.randbytes(3), 255)) * TILE
        rows.append(row * TILE)
    return b"".join(rows)


def chunks(vxl: bytes) -> Iterator[str]:
    """The map as one zlib stream, in pieces, each in hexadecimal."""
    stream = zlib.compress(vxl)
    return (stream[at:at + CHUNK].hex() for at in range(0, len(stream), CHUNK))


def state_data(mode: int) -> Seen:
    """All fields except the receiver's id. Nobody carries an intel."""
    common = {"fog": colour(255, 232, 128), "team1": colour(200, 0, 0), "team2": colour(0, 200, 0),
              "team1_name": "Blue", "team2_name": "Green", "mode": mode}
    if mode == TERRITORIES:
        table = [{"position": point(100.0 * n, 256.0, 58.0), "team": NEUTRAL} for n in range(1, 4)]
        empty = {"position": point(0.0, 0.0, 0.0), "team": 0}
        return common | {"territory_count": len(table), "territories": table + [empty] * (ENTRIES - len(table))}
    return common | {"score1": 0, "score2": 0, "cap_limit": 10, "flags": 0,
                     "intel1": point(100.0, 256.0, 59.0), "intel2": point(400.0, 256.0, 59.0),
                     "base1": point(90.0, 256.0, 59.0), "base2": point(410.0, 256.0, 59.0), "extra": ""}
