# A server of Tank Commander Panic, with the observed rules of the released server.
# Invariant: an Action that would make the released server abort is recorded here as an abuse, and not carried out.
from __future__ import annotations

import queue
import random
import socket
import struct
import threading
import time
from dataclasses import dataclass

from panic_wire import (AMMO, AMMO_PIECE, BRICK, DESTROY, DIALECTS, DRIVE, GAME, HEALTH, HEALTH_PIECE, MODELS, MOVE, OVER, QUIT, SHOOT, START,
                        STATE, STEPS, TANK, TICK, YAW, Ground, Piece, pack, url)
from player import Place, Server, Unit, hang_up, listener


@dataclass
class Seat:
    """A player of the server: the connection and the tanks."""
    number: int
    socket: socket.socket
    watcher: bool = False
    ammo: int = 100
    defeated: bool = False
    quit: bool = False
    parted: bool = False


class World(Server):
    """The released server's rules: two players with three tanks each, a queue that runs one Action every 10 ms. By its
    document, later clients watch, and the next game begins when all have left."""
    GAME = GAME
    FULL, TELLS_LEAVES = True, False
    BY_PLAYER = ((10, 15), (21, 15))  # the places of the players' first tanks; the others are two rows further

    def __init__(self, folder: str, dice: random.Random, dialect: str = "be-packed") -> None:
        super().__init__()
        self.dialect, self.wire, self.dice = dialect, DIALECTS[dialect], dice
        self.ground, self.rows = Ground(32, 32), draw(dice)
        self.duel = 2 * self.ground.tile_size
        with open(f"{folder}/2_1_matrix.map", "w", encoding="ascii") as file:
            file.write(self.map_text())
        self.settings = f"&maps={folder}"
        self._queue: queue.Queue = queue.Queue()
        self._empty()
        self._listener = listener()
        self.port = self._listener.getsockname()[1]
        self._stopped = False
        for loop in (self._accept, self._run):
            threading.Thread(target=loop, daemon=True).start()

    def url(self, port: int) -> str:
        return url(self.dialect).format(port=port)

    def _empty(self) -> None:
        self.seats: list[Seat] = []
        self.pieces: dict[int, Piece] = {}
        self.kills: dict[int, int] = {}
        self.acted: list[tuple[float, int, int, int]] = []
        self.partings: list[tuple[int, str]] = []

    def map_text(self) -> str:
        starts = [";".join(f"{x},{y + 2 * row}" for row in range(3)) for x, y in self.BY_PLAYER]
        return "\n".join(["matrix", "2", "1", "2", "32", "32", *starts, "", *self.rows, ""])

    # connections
    def _accept(self) -> None:
        while not self._stopped:
            try:
                stream, _ = self._listener.accept()
            except OSError:
                return
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.changed:
                if self.seats and all(seat.parted for seat in self.seats if not seat.watcher):
                    self._empty()
                seat = Seat(len(self.seats) + 1, stream, watcher=len(self.seats) >= 2)
                self.seats.append(seat)
                if seat.watcher:
                    self._greet(seat)
                elif len(self.seats) == 2:
                    self._begin()
                self.changed.notify_all()
            threading.Thread(target=self._hear, args=(seat,), daemon=True).start()

    def _hear(self, seat: Seat) -> None:
        size, data = struct.calcsize(self.wire.action), b""
        try:
            while more := seat.socket.recv(4096):
                data += more
                while len(data) >= size:
                    self._queue.put((seat, struct.unpack(self.wire.action, data[:size])))
                    data = data[size:]
        except OSError:
            pass
        with self.changed:
            seat.parted = True
            self.partings.append((seat.number, "quit" if seat.quit else "closed"))
            self.changed.notify_all()

    def _tell(self, seat: Seat, data: bytes) -> None:
        try:
            seat.socket.sendall(data)
        except OSError:
            pass

    def _tell_all(self, data: bytes) -> None:
        for seat in self.seats:
            self._tell(seat, data)

    def _event(self, kind: int, direction: int = 0, value: int = 0, piece: int = 0) -> bytes:
        return pack(self.wire.event, kind, direction, value, piece)

    def _created(self) -> bytes:
        living = sorted((piece.y, piece.x, number) for number, piece in self.pieces.items() if piece.value > 0)
        return b"".join(pack(self.wire.create, self.pieces[n].kind, self.pieces[n].value, n, x, y) for y, x, n in living)

    def _state(self, seat: Seat) -> bytes:
        own = [number for number, piece in self.pieces.items() if piece.owner == seat.number]
        return pack(self.wire.state, STATE, 2, 1, seat.number, len(own)) + b"".join(
            pack(self.wire.tank, number) for number in own)

    # the game
    def _begin(self) -> None:
        for seat, (x, y) in zip(self.seats, self.BY_PLAYER):
            for model in range(3):
                self._add(Piece(TANK + 4 * (seat.number - 1) + model, MODELS[model][0], x, y + 2 * model, owner=seat.number))
        self._add(Piece(AMMO_PIECE, 25, 15, 20))
        self._add(Piece(HEALTH_PIECE, 20, 17, 20))
        for seat in self.seats:
            self._tell(seat, self._state(seat) + self._event(AMMO, value=seat.ammo))
        self._tell_all(self._created())
        self._tell_all(self._event(START))

    def _greet(self, seat: Seat) -> None:
        self._tell(seat, self._state(seat) + self._event(AMMO) + self._created() + self._event(START))

    def _add(self, piece: Piece) -> int:
        number = len(self.pieces) + 1
        self.pieces[number] = piece
        return number

    def _run(self) -> None:
        while not self._stopped:
            time.sleep(TICK)  # the pace of the released server
            try:
                seat, action = self._queue.get(timeout=0.5)
            except queue.Empty:
                continue
            with self.changed:
                self._act(seat, *action)
                self.changed.notify_all()

    def _act(self, by: Seat, player: int, action: int, direction: int, number: int) -> None:
        self.acted.append((time.monotonic(), action, direction, number))
        seat = next((seat for seat in self.seats if seat.number == player), None)
        if seat is None or seat.defeated or action not in (DRIVE, SHOOT, QUIT):
            return self._wrong(f"Action {action} of player {player}") if action in (DRIVE, SHOOT) else None
        if action == QUIT:
            return self._quit(by)
        piece = self.pieces.get(number)
        if piece is None or piece.value <= 0 or piece.owner != by.number or direction not in STEPS:
            return self._wrong(f"Action {action} {direction} of piece {number} by player {by.number}")
        (self._drive if action == DRIVE else self._shoot)(seat, number, piece, direction)

    abuses: list[str] = []

    def _wrong(self, what: str) -> None:
        """The released server would abort."""
        self.abuses = [*self.abuses, what]

    def _at(self, x: int, y: int) -> int | None:
        return next((n for n, piece in self.pieces.items() if piece.tile() == (x, y) and piece.value > 0), None)

    def _drives(self, x: int, y: int) -> bool:
        return 0 <= x < 32 and 0 <= y < 32 and bool(int(self.rows[y][x]) & 2)

    def _drive(self, seat: Seat, number: int, piece: Piece, direction: int) -> None:
        x, y = piece.x + STEPS[direction][0], piece.y + STEPS[direction][1]
        there = self._at(x, y)
        taken = there is not None and self.pieces[there].kind in (HEALTH_PIECE, AMMO_PIECE)
        moves = self._drives(x, y) and (there is None or taken)
        piece.direction = direction
        if moves:
            piece.x, piece.y = x, y
        self._tell_all(self._event(MOVE, direction, int(moves), number))
        if moves and taken:
            self._pick_up(seat, number, piece, there)

    def _pick_up(self, seat: Seat, number: int, tank: Piece, there: int) -> None:
        found = self.pieces[there]
        if found.kind == AMMO_PIECE:
            seat.ammo += found.value
            self._tell(seat, self._event(AMMO, value=seat.ammo))
        else:
            tank.value += found.value
            self._tell_all(self._event(HEALTH, value=tank.value, piece=number))
        found.value = 0
        self._tell_all(self._event(DESTROY, piece=there))

    def _shoot(self, seat: Seat, number: int, piece: Piece, direction: int) -> None:
        if seat.ammo <= 0:
            return
        seat.ammo -= 1
        piece.direction = direction
        self._tell_all(self._event(MOVE, direction, 0, number))
        self._tell(seat, self._event(AMMO, value=seat.ammo))
        _, power, reach = MODELS[piece.kind & 3]
        for far in range(1, reach + 1):
            x, y = piece.x + STEPS[direction][0] * far, piece.y + STEPS[direction][1] * far
            if not (0 <= x < 32 and 0 <= y < 32):
                return self._wrong("a shot over the edge of the map")
            target = self._at(x, y)
            if target is not None and self.pieces[target].kind not in (HEALTH_PIECE, AMMO_PIECE):
                return self._hit(seat, target, power)
            if not int(self.rows[y][x]) & 1:
                return None
        return None

    def _hit(self, seat: Seat, number: int, power: int) -> None:
        target = self.pieces[number]
        target.value = max(target.value - power, 0)
        if target.value:
            return self._tell_all(self._event(HEALTH, value=target.value, piece=number))
        self._tell_all(self._event(DESTROY, piece=number))
        if target.kind >= TANK:
            self.kills[seat.number] = self.kills.get(seat.number, 0) + 1
            self._judge(target.owner, seat)
        return None

    def _judge(self, owner: int, winner: Seat | None) -> None:
        if any(piece.owner == owner and piece.value > 0 for piece in self.pieces.values()):
            return
        loser = self.seats[owner - 1]
        loser.defeated = True
        self._tell(loser, self._event(OVER, value=0))
        if winner and sum(not seat.defeated for seat in self.seats if not seat.watcher) <= 1:
            self._tell(winner, self._event(OVER, value=1))

    def _quit(self, seat: Seat) -> None:
        seat.quit = True
        seat.socket.shutdown(socket.SHUT_RDWR)
        left = [other for other in self.seats if not other.quit and not other.parted and not other.watcher]
        if len(left) == 1:
            self._tell(left[0], self._event(OVER, value=1))

    # its state
    def units(self) -> list[Unit]:
        with self.changed:
            return [Unit(piece.colour(), self.ground.place(*piece.tile()), YAW.get(piece.direction), piece.colour(), piece.value)
                    for piece in self.pieces.values() if piece.kind >= TANK and piece.value > 0
                    and not self.seats[piece.owner - 1].parted]

    def walls(self) -> list[Place]:
        return [self.ground.place(x, y) for y, row in enumerate(self.rows) for x, digit in enumerate(row) if digit == "0"]

    def bounds(self) -> tuple[float, float]:
        return self.ground.bounds()

    def pickups(self) -> list[Place]:
        with self.changed:
            return [self.ground.place(*piece.tile()) for piece in self.pieces.values()
                    if piece.kind in (HEALTH_PIECE, AMMO_PIECE) and piece.value > 0]

    def edit(self) -> None:
        """Adds bricks at free places."""
        with self.changed:
            number = self._add(Piece(BRICK, 10, self.dice.randint(24, 28), 2))
            piece = self.pieces[number]
            self._tell_all(pack(self.wire.create, piece.kind, piece.value, number, piece.x, piece.y))

    def end_round(self) -> None:
        """The first player beats the second, and wins."""
        with self.changed:
            for number, piece in self.pieces.items():
                if piece.owner == 2 and piece.value > 0:
                    piece.value = 0
                    self._tell_all(self._event(DESTROY, piece=number))
            self._judge(2, self.seats[0])

    def again(self) -> None:
        self.wait(lambda: all(seat.parted for seat in self.seats if not seat.watcher), 5, "somebody stays in the Panic game")

    def stop(self) -> None:
        self._stopped = True
        hang_up(self._listener, *(seat.socket for seat in self.seats))


def draw(dice: random.Random) -> list[str]:
    """A random map: land inside a wall, and some walls, water and foliage in its north."""
    rows = [["0" if x in (0, 31) or y in (0, 31) else "3" for x in range(32)] for y in range(32)]
    for digit in "000012":
        x, y = dice.randint(3, 27), dice.randint(3, 9)
        for dx in range(2):
            rows[y][x + dx] = digit
    return ["".join(row) for row in rows]
