# A minimal server of Ogar's modern revision 3: cells move toward their mice, eat, split, eject, die.
# Invariant: 25 ticks a second; a client receives only what is in its window. All input for which OgarII closes the connection closes it here, too.
from __future__ import annotations

import math
import random
import socket
import threading
import time
from dataclasses import dataclass, field

from modern3 import EJECT, Q_DOWN, SAY, SPAWN, SPECTATE
from ogar_speech import Legacy, Modern, speech
from player import Place, Server, Unit, hang_up, listener
from websocket import BINARY, CLOSE, PING, PONG, Served
from wire import Wrong

PLAYER, PELLET, VIRUS, EJECTED = range(4)
OWNED, NAMED = 1, 2
UNITS = 17.678  # to a metre
EDGE = 7071.0
TICK = 0.04
SPAWN_SIZE, PELLET_SIZE, EJECTED_SIZE, SPLIT_SIZE, MERGE = 32, 10, 38, 60, 30.0
EAT, OVERLAP, BOOST = 1.140175425, 3, 780
WINDOW = (1920, 1080)


def url(dialect: str) -> str:
    return "ogar+ws://127.0.0.1:{port}?dialect=" + dialect


@dataclass
class Cell:
    kind: int
    x: float
    y: float
    size: float
    colour: list[int]
    owner: Guest | None = None
    boost: tuple[float, float, float] = (0.0, 0.0, 0.0)  # direction, and the remaining way
    born: float = field(default_factory=time.monotonic)

    def mass(self) -> float:
        return self.size * self.size / 100


@dataclass
class Guest:
    """A connection."""
    frames: Served
    speech: Modern | Legacy
    name: str = ""
    cells: list[int] = field(default_factory=list)
    mouse: tuple[float, float] = (0.0, 0.0)
    colour: list[int] = field(default_factory=list)
    known: dict[int, tuple] = field(default_factory=dict)
    middle: tuple[float, float] = (0.0, 0.0)
    chat: list[dict] = field(default_factory=list)
    splits: int = 0
    eject: bool = False
    welcomed: bool = False
    asked: bool = False
    watches: bool = False
    said_at: float = field(default_factory=time.monotonic)
    gone: str | None = None
    spawned: bool = False


class Arena(Server):
    GAME = "ogar"
    line_every = 1.1
    duel = 20.0  # within the window of a small cell

    def __init__(self, dice: random.Random, dialect: str = "modern3") -> None:
        super().__init__()
        self.dice, self.dialect, self.teams = dice, dialect, False
        self.cells: dict[int, Cell] = {}
        self.guests: list[Guest] = []
        self.abuses: list[str] = []
        self.partings: list[tuple[str, str]] = []
        self._last, self._eaten, self._ticks, self._stopped = 0, [], 0, False
        for _ in range(50):
            self._add(Cell(PELLET, dice.uniform(-1500, 1500), dice.uniform(-1500, 1500), PELLET_SIZE, [16, 255, 115]))
        self._add(Cell(VIRUS, 3000, 3000, 100, [51, 255, 51]))
        self._listener = listener()
        self.port = self._listener.getsockname()[1]
        for loop in (self._accept, self._run):
            threading.Thread(target=loop, daemon=True).start()

    def url(self, port: int) -> str:
        return url(self.dialect).format(port=port)

    # connections
    def _accept(self) -> None:
        while not self._stopped:
            try:
                stream, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(stream,), daemon=True).start()

    def _serve(self, stream: socket.socket) -> None:
        guest = None
        try:
            guest = Guest(Served(stream), speech(self.dialect))
            stream.settimeout(60)
            while True:
                opcode, payload = guest.frames.receive()
                if opcode == CLOSE:
                    guest.gone = "closed %d" % int.from_bytes(payload[:2], "big") if payload else "closed"
                    guest.frames.send(payload[:2], CLOSE)
                    break
                if opcode in (PING, PONG) or not payload:
                    return self._hang_up(guest, "Unexpected message format")
                for name, told in guest.speech.heard(payload):
                    with self.changed:
                        self._take(guest, name, told)
                        self.changed.notify_all()
        except Wrong as wrong:
            if guest:
                self._hang_up(guest, f"Unknown message type ({wrong})")
        except (OSError, EOFError, AttributeError) as error:
            if guest:
                guest.gone = guest.gone or f"lost: {error!r}"
        finally:
            if guest:
                self._forget(guest)
        return None

    def _hang_up(self, guest: Guest, reason: str, code: int = 1003) -> None:
        guest.gone = f"thrown out: {reason}"
        if "type" in reason or "format" in reason:
            self.abuses.append(reason)
        try:
            guest.frames.send(code.to_bytes(2, "big") + reason.encode(), CLOSE)
        except OSError:
            pass

    def _forget(self, guest: Guest) -> None:
        """The real server keeps the cells of a lost connection for a while; this one removes them at once."""
        with self.changed:
            self.partings.append((guest.name, guest.gone or "left"))
            if guest in self.guests:
                self.guests.remove(guest)
            for number in list(guest.cells):
                self._remove(number)
            self.changed.notify_all()

    def _take(self, guest: Guest, name: str, told: dict) -> None:
        if name == "ProtocolVersion":
            self.guests.append(guest)
        elif name == "Ping":
            guest.asked = True
            for frame in guest.speech.pong():
                guest.frames.send(frame)
        else:
            self._wish(guest, told)

    def _wish(self, guest: Guest, told: dict) -> None:
        flags = told["flags"]
        guest.mouse = (told["mouse_x"], told["mouse_y"])
        guest.splits += told["splits"]
        if flags & SPAWN:
            if guest.welcomed:
                self._spawn(guest, told["name"])
            else:
                self.abuses.append("a spawn name before the first update")
        guest.watches = (guest.watches or bool(flags & (SPECTATE | Q_DOWN))) and not guest.cells
        guest.eject = guest.eject or bool(flags & EJECT)
        if flags & SAY and time.monotonic() - guest.said_at >= 1:
            self._say(guest.name or "Spectator", told["chat"], 0)
        if flags & SAY:
            guest.said_at = time.monotonic()

    def _say(self, name: str, lines: list[str], server: int) -> None:
        for guest in self.guests:
            guest.chat += [{"source": name, "colour": [127, 127, 127], "is_server": server, "content": line} for line in lines if line.strip()]

    # cells
    def _add(self, cell: Cell) -> int:
        self._last += 1
        self.cells[self._last] = cell
        if cell.owner:
            cell.owner.cells.append(self._last)
        return self._last

    def _remove(self, number: int, by: int | None = None) -> None:
        cell = self.cells.pop(number, None)
        if cell and cell.owner and number in cell.owner.cells:
            cell.owner.cells.remove(number)
        if by is not None:
            self._eaten.append((number, by))

    def _spawn(self, guest: Guest, name: object) -> None:
        if guest.cells:
            return
        guest.name, guest.watches, guest.spawned = str(name)[:16], False, True
        guest.colour = guest.colour or [self.dice.choice((16, 240)), self.dice.randint(16, 240), 120]
        x, y = self._clear()
        self._add(Cell(PLAYER, x, y, SPAWN_SIZE, guest.colour, guest))
        guest.mouse = (x, y)

    def _clear(self) -> tuple[float, float]:
        """A place away from all players."""
        while True:
            x, y = self.dice.uniform(-900, 900), self.dice.uniform(-900, 900)
            if all(not cell.owner or math.hypot(cell.x - x, cell.y - y) > cell.size + 250 for cell in self.cells.values()):
                return x, y

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopped:
            due = max(due + TICK, time.monotonic() - TICK)
            time.sleep(max(due - time.monotonic(), 0))  # the game's tick
            with self.changed:
                self._tick()
                self.changed.notify_all()

    def _tick(self) -> None:
        self._ticks += 1
        self._eaten = []
        for guest in self.guests:
            for _ in range(min(guest.splits, 4)):
                self._split(guest)
            if guest.eject:
                self._ejects(guest)
            guest.splits, guest.eject = 0, False
        for number, cell in list(self.cells.items()):
            self._move(cell)
        for guest in self.guests:
            for number in list(guest.cells):
                if number in self.cells:
                    self._eat(number)
        for guest in list(self.guests):
            self._tell(guest)

    def _move(self, cell: Cell) -> None:
        if cell.boost[2] >= 1:
            step = cell.boost[2] / 9
            cell.x, cell.y = cell.x + cell.boost[0] * step, cell.y + cell.boost[1] * step
            cell.boost = (*cell.boost[:2], cell.boost[2] - step)
        if cell.owner:
            dx, dy = cell.owner.mouse[0] - cell.x, cell.owner.mouse[1] - cell.y
            far = math.hypot(dx, dy)
            if far >= 1:
                step = min(88 * cell.size ** -0.4396754, far)
                cell.x, cell.y = cell.x + dx / far * step, cell.y + dy / far * step
        reach = EDGE - cell.size / 2
        cell.x, cell.y = max(-reach, min(reach, cell.x)), max(-reach, min(reach, cell.y))

    def _aim(self, guest: Guest, cell: Cell) -> tuple[float, float]:
        dx, dy = guest.mouse[0] - cell.x, guest.mouse[1] - cell.y
        far = math.hypot(dx, dy)
        return (dx / far, dy / far) if far else (1.0, 0.0)

    def _split(self, guest: Guest) -> None:
        for number in list(guest.cells):
            cell = self.cells[number]
            if cell.size >= SPLIT_SIZE and len(guest.cells) < 16:
                cell.size /= math.sqrt(2)
                cell.born = time.monotonic()
                ahead = self._aim(guest, cell)
                self._add(Cell(PLAYER, cell.x + 40 * ahead[0], cell.y + 40 * ahead[1], cell.size, guest.colour, guest, (*ahead, BOOST)))

    def _ejects(self, guest: Guest) -> None:
        for number in list(guest.cells):
            cell = self.cells[number]
            if cell.size >= SPLIT_SIZE:
                cell.size = math.sqrt(cell.size ** 2 - 43 ** 2)
                ahead = self._aim(guest, cell)
                self._add(Cell(EJECTED, cell.x + cell.size * ahead[0], cell.y + cell.size * ahead[1], EJECTED_SIZE, guest.colour, None, (*ahead, BOOST)))

    def _eat(self, number: int) -> None:
        eater = self.cells[number]
        for other, cell in list(self.cells.items()):
            if other == number or other not in self.cells or not self._edible(eater, cell):
                continue
            if math.hypot(cell.x - eater.x, cell.y - eater.y) <= eater.size - cell.size / OVERLAP:
                eater.size = math.sqrt(eater.size ** 2 + cell.size ** 2)
                self._remove(other, number)

    @staticmethod
    def _edible(eater: Cell, cell: Cell) -> bool:
        if cell.owner is eater.owner and cell.owner is not None:
            return min(time.monotonic() - eater.born, time.monotonic() - cell.born) > MERGE and eater.size >= cell.size
        return cell.kind == PELLET or cell.kind != VIRUS and eater.size >= cell.size * EAT

    # sending
    def _window(self, guest: Guest) -> tuple[float, float, float]:
        own = [self.cells[number] for number in guest.cells]
        if own:
            guest.middle = sum(cell.x for cell in own) / len(own), sum(cell.y for cell in own) / len(own)
            return *guest.middle, min(64 / sum(cell.size for cell in own), 1) ** 0.4
        leader = max((cell for cell in self.cells.values() if cell.owner), key=lambda cell: cell.size, default=None)
        if guest.watches and leader:
            guest.middle = leader.x, leader.y
        return *guest.middle, 0.4 if guest.watches else 1.0

    def _tell(self, guest: Guest) -> None:
        x, y, scale = self._window(guest)
        width, height = WINDOW[0] / scale / 2, WINDOW[1] / scale / 2
        seen = {number: cell for number, cell in self.cells.items() if number in guest.cells or
                abs(cell.x - x) - cell.size <= width and abs(cell.y - y) - cell.size <= height}
        parts: dict = {}
        if guest.watches and not guest.cells:
            parts["area"] = {"x": x, "y": y, "scale": scale}
        if not guest.welcomed:
            parts["border"] = {"left": -EDGE, "right": EDGE, "top": -EDGE, "bottom": EDGE}
            parts["server"] = {"gamemode": 0, "major": 1, "minor": 3, "patch": 6}
        if guest.asked:
            alive = sum(bool(other.cells) for other in self.guests)
            parts["world"] = {"server_name": "arena", "gamemode_name": "FFA", "load": 0.1, "uptime": 60, "connections": {
                "limit": 100, "external": len(self.guests), "internal": 0, "alive": alive, "spectating": 0}}
        if guest.chat:
            parts["chat"] = guest.chat
        if self._ticks % 4 == 0:
            parts["board"] = self._board(guest)
        parts |= self._changes(guest, seen)
        guest.welcomed, guest.asked, guest.chat = True, False, []
        try:
            for frame in guest.speech.tell(parts):
                guest.frames.send(frame, BINARY)
        except OSError:
            pass

    def _changes(self, guest: Guest, seen: dict[int, Cell]) -> dict:
        now = {number: (cell.x, cell.y, int(cell.size)) for number, cell in seen.items()}
        added = [self._added(guest, number, seen[number]) for number in now if number not in guest.known]
        moved = [{"id": number, "flags": 3, "x": at[0], "y": at[1], "size": at[2]} for number, at in now.items()
                 if number in guest.known and guest.known[number] != at]
        removed = [number for number in guest.known if number not in now]
        eaten = [{"killed": killed, "killer": killer} for killed, killer in self._eaten if killed in removed]
        guest.known = now
        return {name: part for name, part in (("added", added), ("updated", moved), ("eaten", eaten), ("removed", removed)) if part}

    @staticmethod
    def _added(guest: Guest, number: int, cell: Cell) -> dict:
        told = {"id": number, "type": cell.kind, "x": cell.x, "y": cell.y, "size": int(cell.size), "colour": cell.colour,
                "flags": OWNED * (cell.owner is guest)}
        if cell.owner and cell.owner.name:
            told |= {"flags": told["flags"] | NAMED, "name": cell.owner.name}
        return told

    def _board(self, guest: Guest) -> dict:
        playing = sorted((other for other in self.guests if other.cells), key=self._mass, reverse=True)
        if self.teams:
            return {"type": 2, "pie": [0.5, 0.25, 0.25]}
        return {"type": 1, "ffa": [{"position": rank + 1, "flags": 3 * (other is guest), "name": other.name} for rank, other in enumerate(playing[:10])]}

    def _mass(self, guest: Guest) -> float:
        return sum(self.cells[number].mass() for number in guest.cells)

    # its state
    def units(self) -> list[Unit]:
        with self.changed:
            return [Unit(guest.name, (cell.x / UNITS, -cell.y / UNITS), None, tuple(cell.colour), cell.size)
                    for guest in self.guests if guest.cells
                    for cell in [max((self.cells[number] for number in guest.cells), key=lambda cell: cell.size)]]

    def score(self, name: str) -> float | None:
        with self.changed:
            return next((self._mass(guest) for guest in self.guests if guest.name == name), None)

    def notice(self, words: str) -> None:
        with self.changed:
            self._say("Server", [words], 1)

    def kick(self, name: str, reason: str) -> None:
        with self.changed:
            for guest in [guest for guest in self.guests if guest.name == name]:
                self._hang_up(guest, reason)

    def strengthen(self, name: str) -> None:
        """Makes this player's cell large, and the others' small."""
        with self.changed:
            for guest in self.guests:
                for number in guest.cells[1:]:
                    self._remove(number)
                for number in guest.cells:
                    self.cells[number].size = 160.0 if guest.name == name else 45.0

    def show_teams(self) -> None:
        self.teams = True

    def bounds(self) -> tuple[float, float]:
        return 2 * EDGE / UNITS, 2 * EDGE / UNITS

    def pickups(self) -> list[Place]:
        with self.changed:
            return [(cell.x / UNITS, -cell.y / UNITS) for cell in self.cells.values() if cell.kind == PELLET]

    def stop(self) -> None:
        self._stopped = True
        hang_up(self._listener)
