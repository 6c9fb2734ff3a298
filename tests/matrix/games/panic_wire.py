# Panic's wire and map: dialects, pieces, and the places of tiles. Invariant: nothing here has state.
from __future__ import annotations

import math
import struct
from dataclasses import dataclass, replace

from player import WORLD, Place, turned

GAME = "panic"
DRIVE, SHOOT, QUIT = 1, 2, 3
STEPS = {1: (0, -1), 2: (1, 0), 3: (0, 1), 4: (-1, 0)}  # north, east, south, west
YAW = {1: math.pi / 2, 2: 0.0, 3: -math.pi / 2, 4: math.pi}
STATE, BRICK, HEALTH_PIECE, AMMO_PIECE, TANK = 1, 2, 8, 9, 16
AMMO, HEALTH, DESTROY, MOVE, START, OVER = range(32, 38)
MODELS = {0: (50, 30, 6), 1: (30, 30, 6), 2: (100, 80, 3), 3: (20, 50, 12)}  # health, power, range
TEAMS = ("red", "blue", "yellow", "green")
SIZES = {(1, 1): (30, 20), (2, 1): (32, 32)}  # columns and rows of the maps that clients own
TICK = 0.010  # seconds; one Action each


@dataclass(frozen=True)
class Dialect:
    """A dialect's byte orders and paddings."""
    action: str
    state: str  # without its tanks
    tank: str
    create: str
    event: str


BE_PACKED = Dialect(">HBBI", ">BBBHB", ">I", ">BiIBB", ">BBiI")
LE_PADDED = Dialect("<HBBI", "<BBBxHBx", ">I", "<BxxxiIBBxx", "<BBxxiI")
DIALECTS = {"be-packed": BE_PACKED, "le-padded": LE_PADDED, "mixed": replace(BE_PACKED, event=LE_PADDED.event)}
STACK = 0x9b  # the released server's padding has leftovers of its stack, seldom 0


def url(dialect: str) -> str:
    return "panic://127.0.0.1:{port}?dialect=" + dialect


def pack(layout: str, *fields: int) -> bytes:
    message, at = bytearray(struct.pack(layout, *fields)), 0
    for letter in layout[1:]:
        message[at] = STACK if letter == "x" else message[at]
        at += struct.calcsize("<" + letter)
    return bytes(message)


@dataclass
class Piece:
    kind: int
    value: int
    x: int
    y: int
    direction: int = 1  # as the released client draws a piece before its first move
    owner: int = 0

    def tile(self) -> tuple[int, int]:
        return self.x, self.y

    def colour(self) -> str:
        return TEAMS[self.kind >> 2 & 3]


class Ground:
    """A map's size, and the places of its tiles in the world."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.tile_size = columns, rows, WORLD / max(columns, rows)

    def place(self, x: int, y: int) -> Place:
        return (x + 0.5 - self.columns / 2) * self.tile_size, (self.rows / 2 - y - 0.5) * self.tile_size

    def tile(self, place: Place) -> tuple[int, int]:
        x = math.floor(place[0] / self.tile_size + self.columns / 2)
        y = math.floor(self.rows / 2 - place[1] / self.tile_size)
        return min(max(x, 0), self.columns - 1), min(max(y, 0), self.rows - 1)

    def bounds(self) -> tuple[float, float]:
        return self.columns * self.tile_size, self.rows * self.tile_size


def nearest(yaw: float) -> int:
    return min(YAW, key=lambda direction: turned(YAW[direction], yaw))
