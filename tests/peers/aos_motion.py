# State Update (0.80): what a client sends about itself each tick, and what a server sends about all players.
# Invariant: a client's packet has the last 30 inputs, newest first, and the state after the oldest of them. A player who has not
# moved since the previous packet is "still": the packet has no current state for this player.
from __future__ import annotations

import struct
from collections import deque
from typing import Iterator

from wire import Seen

INPUTS = 30
UP, DOWN, LEFT, RIGHT, JUMP, CROUCH, SNEAK, SPRINT = (1 << bit for bit in range(8))  # placement 1 to 8
MOST = 1152  # bytes of a server's packet
REFRESH = 10  # every tenth update has the full state of all players, because earlier packets may be lost
HEAD, MOVING_BYTES, STILL_BYTES = 6, 39, 3

Numbers = tuple[float, float, float]


def state(pos: Numbers, ori: Numbers = (1.0, 0.0, 0.0), vel: Numbers = (0.0, 0.0, 0.0)) -> Seen:
    return {name: dict(zip("xyz", numbers)) for name, numbers in (("pos", pos), ("ori", ori), ("vel", vel))}


def bits(of: Seen | None) -> bytes:
    """The nine floats of a state as bytes. A player whose bytes have not changed is still."""
    return b"".join(struct.pack("<3f", *point.values()) for point in of.values()) if of else b""


def newer(sequence: int, than: int | None) -> bool:
    """Whether `sequence` comes after `than`. Sequence numbers wrap around."""
    return than is None or 0 < (sequence - than) % (1 << 32) < 1 << 31


class Mover:
    """Makes a client's State Updates, beginning at a spawn."""

    def __init__(self, spawn: Seen):
        self.sequence = 0
        self._inputs = deque([0] * INPUTS, INPUTS)
        self._states = deque([spawn] * INPUTS, INPUTS)
        self._before: Seen | None = None

    def tick(self, keys: int, now: Seen) -> tuple[str, Seen]:
        """The next packet, as kind and fields. `keys`: the keys that were held; `now`: the state after this tick."""
        self._inputs.appendleft(keys)
        self._states.append(now)
        still = bits(now) == bits(self._before)
        fields = {"sequence": self.sequence, "input": list(self._inputs), "still": int(still),
                  "state_30": self._states[0]}
        self.sequence, self._before = (self.sequence + 1) % (1 << 32), now
        return ("State Update/still", fields) if still else ("State Update", fields | {"state": now})


class Moved:
    """What the server knows of a player's movement. `state` is None until the first full packet."""

    def __init__(self) -> None:
        self.sequence: int | None = None
        self.keys, self.state = 0, None

    def hear(self, fields: Seen) -> None:
        """Takes a client's packet, of any length. Ignores it if it is older than the newest."""
        if newer(fields["sequence"], self.sequence):
            self.sequence, self.keys = fields["sequence"], fields["input"][0]
            self.state = fields.get("state", self.state)


class Told:
    """Makes a server's State Updates to one client."""

    def __init__(self) -> None:
        self.sequence, self._updates = 0, 0
        self._told: dict[int, bytes] = {}

    def packets(self, players: dict[int, Moved]) -> Iterator[Seen]:
        """The fields of the packets for these players: one packet, or more if they do not fit. Players without a state are left out."""
        if self._updates % REFRESH == 0:
            self._told.clear()
        self._updates += 1
        elements, size = [], HEAD
        for id, moved in players.items():
            if moved.state is None:
                continue
            element = self._element(id, moved)
            more = STILL_BYTES if element["still"] else MOVING_BYTES
            if size + more > MOST:
                yield self._packet(elements)
                elements, size = [], HEAD
            elements.append(element)
            size += more
        yield self._packet(elements)

    def _element(self, id: int, moved: Moved) -> Seen:
        still = self._told.get(id) == bits(moved.state)
        self._told[id] = bits(moved.state)
        return {"id": id, "input": moved.keys, "still": int(still)} | ({} if still else moved.state)

    def _packet(self, elements: list[Seen]) -> Seen:
        self.sequence += 1
        return {"sequence": self.sequence - 1, "players": elements, "extra": ""}
