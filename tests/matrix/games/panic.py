# Tank Commander Panic, protocol version 2: a client, written from the protocol's document.
# Invariant: the server decides the rules; a client only sends requests, and trusts the server's messages.
from __future__ import annotations

import math
import socket
import struct
import time
from typing import Iterable, Iterator

from messages import Passed, Timed, of_stream
from panic_wire import (AMMO, AMMO_PIECE, DESTROY, DIALECTS, DRIVE, GAME, HEALTH, HEALTH_PIECE, MOVE, OVER, QUIT, SHOOT, SIZES, START, STATE, STEPS,
                        TANK, YAW, Ground, Piece, nearest, url)
from panic_world import World
from player import LOOPBACK, Death, Driver, Ended, Place, Player, Shot, Unit, Unseen, hang_up, off


class Client(Player):
    GAME = GAME
    SLANTS = False
    STEP = 9.0  # most seconds for a step: on other games' servers a tank must turn and drive

    def __init__(self, port: int, name: str, dialect: str = "be-packed") -> None:
        super().__init__(port, name)
        self.wire = DIALECTS[dialect]
        self.pieces: dict[int, Piece] = {}
        self.own: list[int] = []
        self.player, self.ground, self.ends = 0, Ground(32, 32), []
        self.ammunition: int | None = None
        self.started, self.moves, self.active, self._edits = False, 0, 0, 0
        self._data, self._going = bytearray(), (0, 0)
        self._answers: list[tuple[int, int, int]] = []  # (piece, direction, value) of each Move

    def join(self) -> None:
        self._connect()
        self.wait(lambda: self.started and self.own, 20, "the game did not start")
        self.wait(lambda: self._living(), 10, "no own tank was created")

    def watch(self) -> None:
        self._connect()
        self.wait(lambda: self.started and not self._living() and self.pieces, 10, "nothing to look at came")

    def _connect(self) -> None:
        self.socket = socket.create_connection((LOOPBACK, self.port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.run()

    def listen(self) -> None:
        self.socket.settimeout(None)
        data = self.socket.recv(65536)
        if not data:
            raise Ended("closed")
        self._data += data
        with self.changed:
            while self._take():
                self.frames["heard"] += 1
            self.changed.notify_all()

    def _take(self) -> bool:
        if not self._data:
            return False
        kind = self._data[0]
        layout = self.wire.state if kind == STATE else self.wire.create if kind < AMMO else self.wire.event
        if not 1 <= kind <= OVER or 11 <= kind <= 15:
            raise ValueError(f"a message of type {kind}")
        size = struct.calcsize(layout)
        if len(self._data) < size:
            return False
        fields = struct.unpack_from(layout, self._data)
        if kind == STATE:
            whole = size + struct.calcsize(self.wire.tank) * fields[4]
            if len(self._data) < whole:
                return False
            tanks = [tank for tank, in struct.iter_unpack(self.wire.tank, self._data[size:whole])]
            size = whole
            self._state(fields, tanks)
        elif kind < AMMO:
            self._create(*fields)
        else:
            self._event(*fields)
        del self._data[:size]
        return True

    def _state(self, fields: tuple, tanks: list[int]) -> None:
        _, number, version, self.player, _ = fields
        if (number, version) not in SIZES:
            raise ValueError(f"map {number}/{version}, which no client owns")
        self.ground, self.own, self.pieces, self.started = Ground(*SIZES[number, version]), tanks, {}, False

    def _create(self, kind: int, value: int, piece: int, x: int, y: int) -> None:
        if kind < TANK and self.started:
            self._edits += 1
        self.pieces[piece] = Piece(kind, value, x, y)

    def _event(self, kind: int, direction: int, value: int, number: int) -> None:
        if kind == AMMO:
            self.ammunition = value
        elif kind == START:
            self.started = True
        elif kind == OVER:
            self.ends.append(value)
        else:
            if number not in self.pieces:
                raise ValueError(f"event {kind} of piece {number}, which was never created")
            {HEALTH: self._health, DESTROY: self._destroy, MOVE: self._move}[kind](number, direction, value)

    def _health(self, number: int, _: int, value: int) -> None:
        piece = self.pieces[number]
        if piece.kind < TANK:
            self._edits += 1
        if number in self.own and value < piece.value:
            self.hurts += 1
        if value <= 0 < piece.value:
            self._died(number)
        piece.value = value

    def _destroy(self, number: int, *_: int) -> None:
        piece = self.pieces[number]
        if piece.kind < TANK:
            self._edits += 1
        elif piece.value > 0:
            self.hurts += number in self.own
            self._died(number)
        piece.value = 0
        if number not in self.own:
            del self.pieces[number]
            self.pieces[number] = Piece(piece.kind, 0, piece.x, piece.y)  # a client never forgets an id

    def _died(self, number: int) -> None:
        self.deaths.append(Death(self.name if number in self.own else self.pieces[number].colour(), None))

    def _move(self, number: int, direction: int, value: int) -> None:
        piece = self.pieces[number]
        self._answers.append((number, direction, value))
        step = STEPS.get(direction, (0, 0))
        piece.x, piece.y, piece.direction = piece.x + step[0] * value, piece.y + step[1] * value, direction
        if value == 0 and number not in self.own:
            self.shots.append(Shot(piece.colour(), self.ground.place(*piece.tile()), YAW.get(direction)))

    # what the player sees
    def known_as(self) -> set:
        """Servers of this game do not know names."""
        return {self.team()}

    def _living(self) -> list[int]:
        return [number for number in self.own if number in self.pieces and self.pieces[number].value > 0]

    def tank(self) -> int:
        living = self._living()
        if not living:
            raise Unseen(f"{self.name} has no tank left")
        return self.active if self.active in living else living[0]

    def where(self) -> Place | None:
        with self.changed:
            return self.ground.place(*self.pieces[self.tank()].tile()) if self._living() else None

    def heading(self) -> float | None:
        return YAW.get(self.pieces[self.tank()].direction)

    def others(self) -> list[Unit]:
        with self.changed:
            return [Unit(piece.colour(), self.ground.place(*piece.tile()), YAW.get(piece.direction), piece.colour(), piece.value)
                    for number, piece in self.pieces.items() if piece.kind >= TANK and piece.value > 0 and number not in self.own]

    def team(self) -> object:
        return self.pieces[self.tank()].colour()

    def bounds(self) -> tuple[float, float]:
        return self.ground.bounds()

    def walls(self) -> list[Place]:
        """The client draws its own map; the walls are the tiles that the server did not let it enter."""
        return self.bumps

    def misses(self, nearest: list[Place], walls: list[Place], tile: float) -> list[Place]:
        """Drives to the nearest wall: a wall is a tile for which a Move has the value 0."""
        for wall in nearest:
            self.go_to(wall, 60)
        return [wall for wall in nearest if not any(off(wall, bump) <= 0.6 * tile for bump in self.bumps)]

    def pickups(self) -> list[Place]:
        with self.changed:
            return [self.ground.place(*piece.tile()) for piece in self.pieces.values()
                    if piece.kind in (HEALTH_PIECE, AMMO_PIECE) and piece.value > 0]

    def ammo(self) -> float | None:
        return self.ammunition

    def health(self) -> float | None:
        return float(self.pieces[self.tank()].value) if self._living() else None

    def over(self) -> bool:
        return bool(self.ends)

    def edits(self) -> int:
        return self._edits

    # actions
    bumps: list[Place] = []

    def act(self, action: int, direction: int, wait: float = 0.0) -> int | None:
        """Sends one Action; with `wait`, returns the value of the Move that answers it."""
        with self.changed:
            number, before = self.tank(), len(self._answers)
        self._send(action, direction, number)
        if not wait:
            return None

        def answered() -> tuple | None:
            return next((one for one in self._answers[before:] if one[:2] == (number, direction)), None)
        try:
            return self.wait(answered, wait, f"no Move answered Action {action} {direction}")[2]
        except Unseen:
            return None

    def _send(self, action: int, direction: int, number: int) -> None:
        self.sent_at = time.monotonic()
        self.frames["sent"] += 1
        self.socket.sendall(struct.pack(self.wire.action, self.player, action, direction, number))

    def go_to(self, place: Place, seconds: float) -> None:
        """Steps along the longer axis first, around obstacles; ends in the goal's tile, or when no step is possible."""
        goal, end, blocked = self.ground.tile(place), time.monotonic() + seconds, 0
        self.bumps = []
        while time.monotonic() < end and blocked < 4:
            x, y = self.pieces[self.tank()].tile()
            wished = self._wishes(goal[0] - x, goal[1] - y)
            if not wished:
                return
            value = self.act(DRIVE, wished[blocked % len(wished)], min(self.STEP, max(end - time.monotonic(), 0.1)))
            blocked = 0 if value else blocked + 1
            if not value:
                dx, dy = STEPS[wished[(blocked - 1) % len(wished)]]
                self.bumps.append(self.ground.place(x + dx, y + dy))

    @staticmethod
    def _wishes(dx: int, dy: int) -> list[int]:
        along, across = (2 if dx > 0 else 4), (3 if dy > 0 else 1)
        if not dx and not dy:
            return []
        if not dy:
            return [along]
        if not dx:
            return [across]
        return [along, across] if abs(dx) >= abs(dy) else [across, along]

    def start_moving(self, yaw: float) -> None:
        self._going = (len(self._answers), nearest(yaw))
        self.act(DRIVE, nearest(yaw))

    def halt(self) -> None:
        """Waits for the answer to the last step; then the tank stands."""
        before, direction = self._going
        if direction:
            self.wait(lambda: any(answer[1] == direction for answer in self._answers[before:]), self.STEP, "the step was not answered")
        self._going = (0, 0)

    def face(self, yaw: float) -> None:
        self.act(DRIVE, nearest(yaw), self.STEP)

    def shoot(self, yaw: float) -> None:
        self.act(SHOOT, nearest(yaw))

    def leave(self) -> None:
        self._closing, self.sent_at = True, time.monotonic()
        self.socket.sendall(struct.pack(self.wire.action, self.player, QUIT, 0, 0))
        self.socket.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        self._closing = True
        if hasattr(self, "socket"):
            hang_up(self.socket)


def read(dialect: str, up: bool, pieces: Iterable[Timed]) -> Iterator[Passed]:
    wire = DIALECTS[dialect]

    def size(data: bytes) -> int | None:
        if up or data[0] != STATE:
            return struct.calcsize(wire.action if up else wire.create if data[0] < AMMO else wire.event)
        length = struct.calcsize(wire.state)
        return length + struct.calcsize(wire.tank) * struct.unpack_from(wire.state, data)[4] if len(data) >= length else None
    for at, message in of_stream(pieces, size):
        if up:
            yield at, message, struct.unpack(wire.action, message)[1] == SHOOT
        else:
            yield at, message, message[0] == MOVE and struct.unpack(wire.event, message)[2] == 0


driver = Driver(GAME, Client, lambda stage, dialect: World(stage.path(""), stage.dice, dialect), url, read, DIALECTS, to_watch="&watch=yes")
