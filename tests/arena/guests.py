# One client of each game in one arena: those of the matrix, an Ace of Spades player, and native players over TCP and over WebSocket, like a browser.
# Invariant: each is written from its game's documents and independent of the others; places are metres from the middle.
from __future__ import annotations

import importlib
import json
import math
import select
import socket
import struct
import time
from functools import partial

from aos_player import CHAT, CREATE, FORWARD, INPUT, KILL, PLAYER_LEFT, PRIMARY, WEAPON_INPUT, WORLD
from aos_player import Player as Trooper
from player import LOOPBACK, PATIENCE, Death, Ended, Place, Player, Said, Unit, hang_up
from websocket import CLOSE, TEXT, WebSocket

BLOCK = 1.5625  # metres


def of_matrix(game: str) -> type:
    """The matrix's client of that game."""
    return importlib.import_module(game).Client


class Soldier(Player):
    """Ace of Spades 0.75: `man` receives and sends; its state is read on demand."""
    GAME = "aos"

    def __init__(self, port: int, name: str) -> None:
        super().__init__(port, name)
        self.bodies: dict[int, tuple] = {}

    def join(self) -> None:
        self.man = Trooper(self.port, self.name)
        seen = self.man._take

        def take(kind: int, packet: bytes) -> None:
            seen(kind, packet)
            if kind == WORLD:
                for number in range((len(packet) - 1) // 24):
                    self.bodies[number] = struct.unpack_from("<6f", packet, 1 + 24 * number)
        self.man._take = take
        self.man.joins()

    def _names(self) -> dict[int, str]:
        there: dict[int, str] = {}
        for packet in list(self.man.heard):
            if packet[0] in (CREATE, 9):
                text = packet[16:] if packet[0] == CREATE else packet[12:]
                there[packet[1]] = text.split(b"\0")[0].decode("cp437")
            elif packet[0] == PLAYER_LEFT:
                there.pop(packet[1], None)
        return there

    @staticmethod
    def _metres(x: float, y: float) -> Place:
        return (x - 256) * BLOCK, (256 - y) * BLOCK

    def where(self) -> Place | None:
        return self._metres(*self.man.position[:2]) if self.man.alive else None

    def others(self) -> list[Unit]:
        bodies, dead = dict(self.bodies), self._dead()
        return [Unit(name, self._metres(*bodies[number][:2])) for number, name in self._names().items()
                if number != self.man.id and any(bodies.get(number, ())) and number not in dead]

    def _dead(self) -> set[int]:
        dead: set[int] = set()
        for packet in list(self.man.heard):
            if packet[0] == KILL:
                dead.add(packet[1])
            elif packet[0] == CREATE:
                dead.discard(packet[1])
        return dead

    @property
    def seen_deaths(self) -> list[Death]:
        names = self._names()
        return [Death(names.get(packet[1], "?"), names.get(packet[2])) for packet in self.man.of(KILL)]

    def lines(self) -> list[Said]:
        names = self._names()
        return [Said(names.get(packet[1], ""), packet[3:].split(b"\0")[0].decode("utf-8", "replace")) for packet in self.man.of(CHAT)]

    def say(self, text: str) -> None:
        self.man.says(text)

    def start_moving(self, yaw: float) -> None:
        self.man.looks(math.cos(yaw), -math.sin(yaw))
        self.man.me(INPUT, FORWARD)

    def halt(self) -> None:
        self.man.me(INPUT, 0)

    def shoot(self, yaw: float) -> None:
        self.man.looks(math.cos(yaw), -math.sin(yaw))
        self.man.me(WEAPON_INPUT, PRIMARY)

    def cease(self) -> None:
        self.man.me(WEAPON_INPUT, 0)

    def leave(self) -> None:
        self.man.leaves()

    def kill(self) -> None:
        if hasattr(self, "man"):
            self.man.kill()


class Scribe(Player):
    """A native JSON client, which reads the arena's state as words, and also plays."""
    GAME = "native"

    def __init__(self, port: int, name: str) -> None:
        super().__init__(port, name)
        self.me = self.shot = 0
        self.names: dict[int, str] = {}
        self.owners: dict[int, int] = {}
        self.places: dict[int, tuple[float, float]] = {}
        self.alive: set[int] = set()
        self.scores: dict[int, int] = {}
        self.solids: list[dict] = []
        self._data = b""

    def join(self) -> None:
        self.connect()
        self.run()
        self.tell("enter", name=self.name)
        self.wait(lambda: self.me in self.names, 10, "is not in")
        self.respawn()

    def respawn(self) -> None:
        """Asks for its respawn itself; the arena grants it only after a while."""
        asked = 0.0

        def back() -> Place | None:
            nonlocal asked
            if not self.where() and time.monotonic() - asked > 0.5:
                asked = time.monotonic()
                self.tell("spawn")
            return self.where()
        self.wait(back, PATIENCE, "no unit of its own")

    def connect(self) -> None:
        self.socket = socket.create_connection((LOOPBACK, self.port), timeout=10)

    def tell(self, kind: str, **fields) -> None:
        self.send(json.dumps({kind: fields}).encode())

    def send(self, word: bytes) -> None:
        self.socket.sendall(word + b"\n")

    def listen(self) -> None:
        words = self.receive() if select.select([self.socket], [], [], 0.25)[0] else []
        with self.changed:
            for word in words:
                self._hear(json.loads(word))
            self.changed.notify_all()

    def receive(self) -> list[bytes]:
        data = self.socket.recv(1 << 16)
        if not data:
            raise Ended("closed")
        *words, self._data = (self._data + data).split(b"\n")
        return words

    def _hear(self, fact: dict) -> None:
        for kind, told in fact.items():
            heard = getattr(self, "_on_" + kind, None)
            if heard:
                heard(told)

    def _on_you(self, told: dict) -> None:
        self.me = told["player"]

    def _on_player(self, told: dict) -> None:
        self.names[told["id"]] = told.get("name", "")

    def _on_player_gone(self, told: dict) -> None:
        self.names.pop(told["id"], None)

    def _on_unit(self, told: dict) -> None:
        self.owners[told["id"]] = told.get("owner", 0)
        self._on_pose(told.get("pose", {}) | {"unit": told["id"]})
        (self.alive.add if told.get("alive") else self.alive.discard)(told["id"])

    def _on_gone(self, told: dict) -> None:
        self.owners.pop(told["unit"], None)
        self.alive.discard(told["unit"])

    def _on_pose(self, told: dict) -> None:
        self.places[told["unit"]] = told.get("x", 0.0), told.get("y", 0.0)

    def _on_corrected(self, told: dict) -> None:
        self._on_pose(told["pose"])

    def _on_spawned(self, told: dict) -> None:
        self._on_pose(told["pose"])
        self.alive.add(told["unit"])

    def _on_died(self, told: dict) -> None:
        self.alive.discard(told.get("unit", 0))
        self.deaths.append(Death(self.names.get(told["player"], "?"), self.names.get(told.get("killer", 0))))

    def _on_said(self, told: dict) -> None:
        self.heard.append(Said(self.names.get(told.get("from", 0), ""), told.get("text", "")))

    def _on_world(self, told: dict) -> None:
        self.solids = [solid for solid in told.get("solids", []) if not solid.get("shots_pass")]

    def clear(self, one: Place, other: Place) -> bool:
        """Whether nothing that stops shots is between the two places or close to the line."""
        steps = max(int(math.dist(one, other)), 1)
        return not any(self._inside(solid, *(a + (b - a) * step / steps for a, b in zip(one, other))) for solid in self.solids for step in range(steps + 1))

    @staticmethod
    def _inside(solid: dict, x: float, y: float, near: float = 1.0) -> bool:
        dx, dy, yaw = x - solid.get("x", 0.0), y - solid.get("y", 0.0), solid.get("yaw", 0.0)
        along, across = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
        return abs(along) <= solid.get("half_x", 0.0) + near and abs(across) <= solid.get("half_y", 0.0) + near

    def _on_score(self, told: dict) -> None:
        self.scores[told["player"]] = told.get("wins", 0)

    def _units(self) -> list[tuple[int, Unit]]:
        return [(owner, Unit(self.names[owner], self.places[unit])) for unit, owner in self.owners.items()
                if unit in self.alive and owner in self.names]

    def where(self) -> Place | None:
        with self.changed:
            return next((unit.place for owner, unit in self._units() if owner == self.me), None)

    def others(self) -> list[Unit]:
        with self.changed:
            return [unit for owner, unit in self._units() if owner != self.me]

    def of(self, name: str) -> Place | None:
        """The arena's place for that player."""
        with self.changed:
            return next((unit.place for _, unit in self._units() if unit.owner == name), None)

    def score(self, name: str) -> int:
        return next((self.scores.get(number, 0) for number, one in self.names.items() if one == name), 0)

    def go_to(self, place: Place, seconds: float) -> None:
        self.tell("toward", x=place[0], y=place[1])

    def start_moving(self, yaw: float) -> None:
        x, y = self.here()
        self.tell("toward", x=x + 300 * math.cos(yaw), y=y + 300 * math.sin(yaw))

    def halt(self) -> None:
        x, y = self.here()
        self.tell("toward", x=x, y=y)

    def shoot(self, yaw: float) -> None:
        x, y = self.here()
        unit = next(unit for unit, owner in self.owners.items() if owner == self.me)
        self.shot += 1
        self.tell("fire", unit=unit, shot=self.shot, x=x, y=y, vx=100 * math.cos(yaw), vy=100 * math.sin(yaw))

    def say(self, text: str) -> None:
        self.tell("say", text=text)

    def kill(self) -> None:
        self._closing = True
        if hasattr(self, "socket"):
            hang_up(self.socket)

    leave = kill


class Surfer(Scribe):
    """The same over WebSocket, like a browser: each text message is a word."""

    def connect(self) -> None:
        self.web = WebSocket(self.port)
        if self.web.status != 101:
            raise Ended(f"answered {self.web.status}")
        self.socket = self.web.socket

    def send(self, word: bytes) -> None:
        self.web.send(word, TEXT)

    def receive(self) -> list[bytes]:
        opcode, word = self.web.receive()
        if opcode == CLOSE:
            raise Ended(f"closed: {word[2:].decode()}")
        if opcode != TEXT:
            raise ValueError(f"a message of opcode {opcode}, which no script reads as words")
        return [word]


CLIENTS = {"bzflag": of_matrix("bzflag_tank"), "bzflag 1.10": partial(of_matrix("bzflag_tank"), dialect="1.10"), "bzdraft": of_matrix("bzdraft_tank"),
           "ogar": of_matrix("ogar"), "panic": of_matrix("panic"), "aos": Soldier, "browser": Surfer, "native": Scribe}
LISTEN = {"bzflag": "bzflag://127.0.0.1:0?dialect=2.4&fallback=1.10", "bzdraft": "bzdraft://127.0.0.1:0", "ogar": "ogar+ws://127.0.0.1:0",
          "panic": "panic://127.0.0.1:0?dialect=be-packed", "aos": "aos://127.0.0.1:0?dialect=0.75", "browser": "native+ws://127.0.0.1:0?dialect=json",
          "native": "native://127.0.0.1:0?dialect=json"}
LISTENERS = {game: game for game in LISTEN} | {"bzflag 1.10": "bzflag"}  # the listener of each client
NAMES = {"bzflag": "anna", "bzflag 1.10": "otto", "bzdraft": "dora", "ogar": "olga", "panic": "", "aos": "axel", "browser": "bert", "native": "nina"}
CHAT_GAMES = [game for game in CLIENTS if game != "panic"]


def said(player: Player) -> list[str]:
    """Every line of chat that the client received, with its sender."""
    return [f"{line.sender}: {line.text}" for line in (player.lines() if isinstance(player, Soldier) else player.heard)]


def saw_die(player: Player) -> list[Death]:
    return player.seen_deaths if isinstance(player, Soldier) else player.deaths
