# Ace of Spades' map as a height field, and a man who walks on it at the measured speeds.
# Invariant: x is east, y south, z down, in blocks; a man's place is that of his eyes, 2.25 blocks above the ground under him.
from __future__ import annotations

import math
import zlib
from typing import Iterator

SIDE, FLOOR, WALL = 512, 62, 54  # blocks; the tops of the floor and of walls
METRE = 800.0 / SIDE  # metres a block
EYES, HALF, STEP = 2.25, 0.45, 1.0
UP, DOWN, LEFT, RIGHT, JUMP, CROUCH, SNEAK, SPRINT = (1 << bit for bit in range(8))
WALKS, SPRINTS, SLOW = 7.9, 10.3, 4.0  # blocks a second
RESPONSE = 4.0  # per second: how fast the speed approaches the speed of the keys
RISES, FALLS = -10.2, 32.0  # a jump's speed in blocks per second; gravity in blocks per second squared

Place3 = tuple[float, float, float]


def metres(x: float, y: float) -> tuple[float, float]:
    return (x - SIDE / 2) * METRE, (SIDE / 2 - y) * METRE


def blocks(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] / METRE + SIDE / 2, SIDE / 2 - place[1] / METRE


class Ground:
    """The ground: for each column, the z of the highest solid block."""

    def __init__(self, tops: bytearray) -> None:
        self.tops = tops

    @classmethod
    def of(cls, walls: list[tuple[int, int, int]]) -> Ground:
        """A floor with square walls: (x, y, side) of each."""
        tops = bytearray([FLOOR]) * (SIDE * SIDE)
        for x, y, side in walls:
            for row in range(y, y + side):
                tops[row * SIDE + x:row * SIDE + x + side] = bytes([WALL]) * side
        return cls(tops)

    @classmethod
    def read(cls, vxl: bytes) -> Ground:
        tops, at = bytearray(), 0
        while len(tops) < SIDE * SIDE:
            tops.append(vxl[at + 1])
            while vxl[at]:
                at += 4 * vxl[at]
            at += 4 * (vxl[at + 2] - vxl[at + 1] + 2)
        return cls(tops)

    def vxl(self) -> bytes:
        """A coloured voxel on top of each column, and solid below."""
        colours = {FLOOR: b"\x40\x90\x40\xff"}
        return b"".join(bytes((0, top, top, 0)) + colours.get(top, b"\x80\x80\x80\xff") for top in self.tops)

    def chunks(self, size: int = 8192) -> Iterator[bytes]:
        """The map as one zlib stream, cut into chunks."""
        stream = zlib.compress(self.vxl(), 5)
        return (stream[at:at + size] for at in range(0, len(stream), size))

    def top(self, x: float, y: float) -> int:
        """The z of the column's highest block. Outside of the map it is 0, higher than any man can climb."""
        return self.tops[int(y) * SIDE + int(x)] if 0 <= x < SIDE and 0 <= y < SIDE else 0

    def under(self, x: float, y: float) -> int:
        """The z of the block on which a man at that place stands."""
        return min(self.top(x + dx, y + dy) for dx in (-HALF, HALF) for dy in (-HALF, HALF))

    def stands(self, x: float, y: float) -> Place3:
        return x, y, self.under(x, y) - EYES

    def change(self, x: int, y: int, z: int, built: bool) -> None:
        at = y * SIDE + x
        self.tops[at] = min(self.tops[at], z) if built else max(self.tops[at], z + 1) if self.tops[at] == z else self.tops[at]


class Man:
    """A man's body, moved by keys and look."""

    def __init__(self, place: Place3) -> None:
        self.place, self.look, self.keys = place, (1.0, 0.0, 0.0), 0
        self.speed, self.rise = (0.0, 0.0), 0.0

    def yaw(self) -> float:
        """Counter-clockwise from east, as seen from above."""
        return math.atan2(-self.look[1], self.look[0])

    def wish(self) -> tuple[float, float]:
        """The speed that the keys ask for, in blocks per second along x and y."""
        ahead = bool(self.keys & UP) - bool(self.keys & DOWN)
        aside = bool(self.keys & RIGHT) - bool(self.keys & LEFT)
        flat = math.hypot(self.look[0], self.look[1]) or 1.0
        x, y = self.look[0] / flat, self.look[1] / flat
        fast = SPRINTS if self.keys & SPRINT else SLOW if self.keys & SNEAK else 2.4 if self.keys & CROUCH else WALKS
        far = math.hypot(ahead, aside) or 1.0
        return fast * (x * ahead - y * aside) / far, fast * (y * ahead + x * aside) / far

    def step(self, ground: Ground, seconds: float) -> None:
        share = min(RESPONSE * seconds, 1.0)
        self.speed = tuple(now + (wished - now) * share for now, wished in zip(self.speed, self.wish()))
        x, y, z = self.place
        feet = z + EYES
        for axis in (0, 1):
            to = (x + self.speed[0] * seconds, y) if axis == 0 else (x, y + self.speed[1] * seconds)
            if ground.under(*to) >= feet - STEP - 0.01:
                x, y = to
            else:
                self.speed = (0.0, self.speed[1]) if axis == 0 else (self.speed[0], 0.0)
        floor = ground.under(x, y)
        standing = feet >= floor - 0.01 and self.rise >= 0
        if standing and self.keys & JUMP:
            self.rise, standing = RISES, False
        if standing:
            self.rise, feet = 0.0, float(floor)
        else:
            self.rise += FALLS * seconds
            feet = min(feet + self.rise * seconds, float(floor))
            self.rise = 0.0 if feet >= floor else self.rise
        self.place = x, y, feet - EYES
