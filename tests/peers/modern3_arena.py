# A small world for a scripted server of modern revision 3: one player, pellets and a virus. The player moves only on move().
# Invariant: it uses no clock, and no random numbers except those of the seed. Places are whole numbers, which a float32 represents exactly.
from __future__ import annotations

import math
import random

from wire import Seen

PLAYER, PELLET, VIRUS, EJECTED = range(4)
OWNED, NAMED = 1, 2  # flags of an added cell
PLACE, SIZE = 1, 2  # flags of an updated cell
EDGE = 7071.0
STEP, SPAWN_SIZE, PELLET_SIZE, EJECTED_SIZE, VIRUS_SIZE = 20, 64, 10, 38, 100
COLOURS = {PLAYER: [240, 14, 14], PELLET: [16, 255, 115], VIRUS: [51, 255, 51], EJECTED: [240, 14, 14]}


class Arena:
    """`cells` has all cells. take() returns what has changed since its last call, as parts of an Update."""

    def __init__(self, seed: int, pellets: int = 40) -> None:
        dice = random.Random(seed)
        self.cells: dict[int, Seen] = {}
        self.own: list[int] = []
        self._last = 0
        self._changes: dict[str, list] = {}
        for _ in range(pellets):
            self._add(PELLET, dice.randint(-200, 200), dice.randint(-200, 200), PELLET_SIZE)
        self._add(VIRUS, 1000, 1000, VIRUS_SIZE)

    def spawn(self, name: str) -> None:
        if not self.own:
            self.own.append(self._add(PLAYER, 0, 0, SPAWN_SIZE, OWNED | NAMED, name=name))

    def split(self) -> None:
        for parent in list(self.own):
            cell = self.cells[parent]
            self._update(parent, size=int(cell["size"] / math.sqrt(2)))
            self.own.append(self._add(PLAYER, cell["x"] + 40, cell["y"], cell["size"], OWNED | NAMED, name=cell["name"]))

    def eject(self) -> None:
        for cell in self.own:
            self._add(EJECTED, self.cells[cell]["x"] + 300, self.cells[cell]["y"], EJECTED_SIZE)

    def move(self, x: int, y: int) -> None:
        """Moves the player's cells one step towards x, y; they eat the pellets under them."""
        for mover in self.own:
            cell = self.cells[mover]
            far = math.hypot(x - cell["x"], y - cell["y"])
            if far:
                part = min(STEP / far, 1)
                self._update(mover, x=float(round(cell["x"] + (x - cell["x"]) * part)),
                             y=float(round(cell["y"] + (y - cell["y"]) * part)))
            for eaten in [number for number, other in self.cells.items() if self._under(other, cell)]:
                self._change("eaten", {"killed": eaten, "killer": mover})
                self._remove(eaten)
                self._update(mover, size=cell["size"] + 1)

    def die(self) -> None:
        """Removes the player's cells without an eater, like an operator's kill."""
        for cell in list(self.own):
            self._remove(cell)

    def everything(self) -> list[Seen]:
        """All cells, as added cells. Clears the list of changes."""
        self._changes = {}
        return [self._as_added(number) for number in self.cells]

    def take(self) -> dict[str, list]:
        """The changes. A cell is at most once in each part; a new cell is added, not updated."""
        changes, self._changes = self._changes, {}
        new = changes.get("added", [])
        moved = [number for number in dict.fromkeys(changes.pop("updated", [])) if number in self.cells and number not in new]
        if new:
            changes["added"] = [self._as_added(number) for number in new]
        if moved:
            changes["updated"] = [{"id": number, "flags": PLACE | SIZE} | {key: self.cells[number][key] for key in ("x", "y", "size")}
                                  for number in moved]
        return changes

    def _add(self, kind: int, x: float, y: float, size: int, flags: int = 0, **more) -> int:
        self._last += 1
        self.cells[self._last] = {"type": kind, "x": float(x), "y": float(y), "size": size, "colour": COLOURS[kind],
                                  "flags": flags, **more}
        self._change("added", self._last)
        return self._last

    def _as_added(self, number: int) -> Seen:
        return {"id": number, **self.cells[number]}

    def _update(self, number: int, **changed) -> None:
        self.cells[number].update(changed)
        self._change("updated", number)

    def _remove(self, number: int) -> None:
        del self.cells[number]
        if number in self.own:
            self.own.remove(number)
        self._change("removed", number)

    def _change(self, part: str, what: object) -> None:
        self._changes.setdefault(part, []).append(what)

    @staticmethod
    def _under(other: Seen, cell: Seen) -> bool:
        return other["type"] == PELLET and math.hypot(other["x"] - cell["x"], other["y"] - cell["y"]) <= cell["size"]
