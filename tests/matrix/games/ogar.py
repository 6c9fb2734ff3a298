# Ogar in any of its dialects: a cell that plays. Modern revision 3 uses the codec of tests/peers, written from the protocol's document.
# Invariant: a cell sends its mouse 25 times a second, and is where the server says; y grows downward on this wire.
from __future__ import annotations

import math
import threading
import time
from typing import Iterable, Iterator

import web
from messages import Passed, Timed, of_web
from modern3 import EJECT, SAY, SPAWN, SPECTATE
from ogar_arena import EJECTED, OWNED, PELLET, PLAYER, UNITS, Arena, url
from ogar_speech import DIALECTS, speech
from player import PATIENCE, Death, Driver, Ended, Place, Player, Shot, Said, Unit, Unseen, apart, hang_up, toward
from session import Closed

GAME = "ogar"
TICK = 0.04
AIM, FAR = 3.4, 30.0  # metres from the cells' middle to a mouse that hardly moves them, and to one outside of any dead zone
NEAR = 4.0  # metres from the goal at which a cell has arrived


def metres(x: float, y: float) -> Place:
    return x / UNITS, -y / UNITS


class Client(Player):
    GAME = GAME

    def __init__(self, port: int, name: str, dialect: str = "modern3") -> None:
        super().__init__(port, name)
        self.speech = speech(dialect)
        self.cells: dict[int, dict] = {}
        self.own: set[int] = set()
        self.border: dict = {}
        self.board: dict = {}
        self.mode, self.pongs, self.worlds, self.area = 0, 0, 0, None
        self._moved: dict[int, float] = {}
        self._changed_hands = time.monotonic()  # when a cell was lost: the player may now steer another one
        self._goal: Place | None = None

    def join(self) -> None:
        self._connect()
        self.respawn()

    def watch(self) -> None:
        self._connect()
        self._act(SPECTATE)
        self.wait(lambda: self.area, PATIENCE, "no area to look at")

    def _connect(self) -> None:
        self.web = web.connect(self.port)
        self._send(self.speech.hello())
        self.run()
        self.wait(lambda: self.border, 15, "no update with a border")
        threading.Thread(target=self._tick_on, daemon=True, name=f"cell {self.name}").start()

    # hearing
    def listen(self) -> None:
        try:
            for _, frame in self.web.receive(0.25):
                self.frames["heard"] += 1
                for name, told in self.speech.told(frame):
                    with self.changed:
                        self._pong() if name == "Pong" else self._apply(told)
                        self.changed.notify_all()
        except Closed as closed:
            raise Ended(str(closed)) from None

    def _pong(self) -> None:
        self.pongs += 1

    def _apply(self, told: dict) -> None:
        if told["flags"] & 64:
            self.cells, self.own, self.board = {}, set(), {}
        self.border, self.board = told.get("border", self.border), told.get("board", self.board)
        self.area, self.mode = told.get("area", self.area), told.get("server", {}).get("gamemode", self.mode)
        self.worlds += "world" in told
        for line in told.get("chat", []):
            self.heard.append(Said("SERVER" if line["is_server"] else line["source"], line["content"]))
        eaten = {pair["killed"]: pair["killer"] for pair in told.get("eaten", [])}
        eaters = {cell["id"]: cell for cell in told.get("added", [])} | self.cells  # a piece may be thrown and eat within one tick
        for number in dict.fromkeys([*eaten, *self.own.intersection(told.get("removed", []))]):
            self._lost(number, eaten.get(number), eaters.get(eaten.get(number), {}).get("name"))
        for cell in told.get("added", []):
            self._added(dict(cell))
        for cell in told.get("updated", []):
            self._updated(cell)
        for number in told.get("removed", []):
            self.cells.pop(number, None)
            self.own.discard(number)

    def _added(self, cell: dict) -> None:
        number = cell["id"]
        fresh = number not in self.cells
        self.cells[number] = cell
        if cell["flags"] & OWNED:
            self.own.add(number)
            self._moved[number] = time.monotonic() - 60
        elif fresh and cell["type"] == EJECTED:
            shooter = min((unit for unit in self._players()), key=lambda unit: apart(unit.place, metres(cell["x"], cell["y"])), default=None)
            shot = Shot(shooter.owner if shooter else "", metres(cell["x"], cell["y"]), None)
            if shooter and apart(shooter.place, shot.place) > 0.1:
                shot.yaw = toward(shooter.place, shot.place)
            cell["shot"] = shot
            self.shots.append(shot)
        elif fresh and cell["type"] == PLAYER:
            parent = next((other for other in self.cells.values() if other["type"] == PLAYER and other["id"] != number
                           and other.get("name") == cell.get("name")), None)
            if parent:
                here, there = metres(parent["x"], parent["y"]), metres(cell["x"], cell["y"])
                self.shots.append(Shot(cell.get("name", ""), there, toward(here, there)))

    def _updated(self, told: dict) -> None:
        cell = self.cells.get(told["id"])
        if cell is None:
            return
        before = metres(cell["x"], cell["y"])
        if told["id"] in self.own and told.get("size", cell["size"]) < cell["size"] - 1:
            self.hurts += 1
        cell.update({name: value for name, value in told.items() if name not in ("flags", "id")})
        now = metres(cell["x"], cell["y"])
        if apart(before, now) > 0.05:
            self._moved[told["id"]] = time.monotonic()
            if "shot" in cell and cell["type"] == EJECTED:
                cell["shot"].yaw = toward(before, now)

    def _lost(self, number: int, killer: int | None, by: str | None) -> None:
        """A player's cell is gone; if another cell of the same player absorbed it, this is not a death."""
        cell = self.cells.get(number)
        if not cell or cell["type"] != PLAYER or killer in self.own and number in self.own:
            return
        name = self.name if number in self.own else cell.get("name", "")
        if by is None or by != cell.get("name"):
            self.deaths.append(Death(name, by))
            self._changed_hands = time.monotonic() if number in self.own else self._changed_hands
            self.hurts += number in self.own

    # what the player sees
    def _players(self) -> list[Unit]:
        return [Unit(cell.get("name", ""), metres(cell["x"], cell["y"]), None, tuple(cell["colour"]), cell["size"])
                for number, cell in self.cells.items() if cell["type"] == PLAYER and number not in self.own]

    def where(self) -> Place | None:
        """The place of the own cell that moved last, which is the steered one."""
        with self.changed:
            if not self.own:
                return None
            cell = self.cells[max(self.own, key=lambda number: (self._moved.get(number, 0), self.cells[number]["size"]))]
            return metres(cell["x"], cell["y"])

    def others(self) -> list[Unit]:
        with self.changed:
            return self._players()

    def score(self, name: str) -> int | None:
        """A score for comparisons: the negative of the rank on the board."""
        with self.changed:
            return next((-row["position"] for row in self.board.get("ffa", []) if row["name"] == name), None)

    def team(self) -> object:
        with self.changed:
            return tuple(self.cells[min(self.own)]["colour"]) if self.own else None

    def team_scores(self) -> object:
        return self.board.get("pie")

    def bounds(self) -> tuple[float, float]:
        return ((self.border["right"] - self.border["left"]) / UNITS, (self.border["bottom"] - self.border["top"]) / UNITS)

    def pickups(self) -> list[Place]:
        with self.changed:
            return [metres(cell["x"], cell["y"]) for cell in self.cells.values() if cell["type"] == PELLET]

    def health(self) -> float | None:
        with self.changed:
            return float(sum(self.cells[number]["size"] for number in self.own)) if self.own else None

    def lag(self) -> bool:
        if not self.pongs:
            self._send(self.speech.ping())
        return self.pongs > 0 and self.worlds > 0

    # actions
    def _send(self, frames: list[bytes]) -> None:
        for frame in frames:
            self.frames["sent"] += 1
            self.web.send("stream", frame)

    def _act(self, flags: int = 0, **more) -> None:
        place = self._goal or self.where() or (0.0, 0.0)
        with self.changed:
            self._send(self.speech.wish({"mouse_x": round(place[0] * UNITS), "mouse_y": round(-place[1] * UNITS), "flags": flags, **more}))

    def _tick_on(self) -> None:
        while not self._closing and self.gone is None:
            time.sleep(TICK)  # the period of the client's updates
            try:
                self._act()
            except (OSError, Closed):
                return

    def go_to(self, place: Place, seconds: float) -> None:
        self.sent_at, self._goal = time.monotonic(), place
        try:
            self.wait(lambda: not self.own or apart(self.here(), place) < NEAR, seconds, "still on the way")
        except Unseen:
            pass
        self.halt()

    def wake(self) -> None:
        """If the player has several cells that are steered one by one, only a move shows which one is active."""
        def moved() -> bool:
            return any(self._moved.get(number, 0) > self._changed_hands for number in self.own)
        for yaw in (0.0, math.pi / 2, math.pi, -math.pi / 2):
            if len(self.own) < 2 or moved():
                return
            self.start_moving(yaw)
            try:
                self.wait(moved, 1.5, "no cell moves")
            except Unseen:
                pass
            self.halt()

    def start_moving(self, yaw: float) -> None:
        x, y = self.here()
        self.sent_at, self._goal = time.monotonic(), (x + 300 * math.cos(yaw), y + 300 * math.sin(yaw))

    def halt(self) -> None:
        """Puts the mouse on the own cell."""
        self._goal, self.sent_at = None, time.monotonic()

    def shoot(self, yaw: float) -> None:
        """Aims, hardly moving, for as long as a tank takes for half a turn; then presses Space with the mouse far in that direction."""
        x, y = self.here()
        self._goal = (x + AIM * math.cos(yaw), y + AIM * math.sin(yaw))
        time.sleep(0.2 if self.native else 4.2)
        if self.where():
            x, y = self.here()
            self._goal = (x + FAR * math.cos(yaw), y + FAR * math.sin(yaw))
            self.sent_at = time.monotonic()
            self._act(splits=1)
            time.sleep(2 * TICK)  # the mouse must still be there when the split is sent, at the next tick
        self._goal = None

    def attack(self, place: Place) -> None:
        """A big cell eats; in other games a cell has to shoot."""
        if self.native:
            self._goal = place
            time.sleep(TICK)
        else:
            self.shoot(toward(self.here(), place))

    def respawn(self) -> None:
        self.sent_at = time.monotonic()
        for _ in range(4):
            self._act(SPAWN, name=self.name)
            try:
                self.wait(lambda: self.own, 6, "no own cell")
                return
            except Unseen:
                if self.gone is not None:
                    raise
        raise Unseen("no own cell, asked four times")

    def say(self, words: str) -> None:
        time.sleep(1.05)  # one line a second, the server's rule
        self.sent_at = time.monotonic()
        self._act(SAY, chat=[words])

    def leave(self) -> None:
        self._closing, self.sent_at = True, time.monotonic()
        self.web.close()

    def kill(self) -> None:
        self._closing = True
        if hasattr(self, "web"):
            hang_up(self.web.frames.socket)


def read(dialect: str, up: bool, pieces: Iterable[Timed]) -> Iterator[Passed]:
    words, names = speech(dialect), {}
    for at, frame in of_web(pieces):
        shot = False
        for _, parts in words.heard(frame) if up else words.told(frame):
            wished = up and (parts.get("splits", 0) > 0 or parts.get("flags", 0) & EJECT > 0)
            shot = shot or wished or any(is_shot(cell, names) for cell in parts.get("added", []))
            names.update((cell["id"], cell.get("name")) for cell in parts.get("added", []))
            for number in parts.get("removed", []):
                names.pop(number, None)
        yield at, frame, shot


def is_shot(cell: dict, names: dict[int, str | None]) -> bool:
    """Whether the cell was ejected, or split off from a cell with its name."""
    parent = cell.get("name") and cell["id"] not in names and cell["name"] in names.values()
    return cell["type"] == EJECTED or cell["type"] == PLAYER and bool(parent)


driver = Driver(GAME, Client, lambda stage, dialect: Arena(stage.dice, dialect), url, read, DIALECTS, tick=1000 * TICK)
