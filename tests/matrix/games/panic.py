# Tank Commander Panic, protocol version 2: a client and a server, written from the protocol's document and the rules that
# the released server was seen to keep. Law: rules are the server's; a client only asks, and believes what it is told.
from __future__ import annotations

import math
import queue
import random
import socket
import struct
import threading
import time
from dataclasses import dataclass, field

from player import LOOPBACK, WORLD, Death, Ended, Place, Player, Server, Shot, Unit, Unseen, hang_up, listener, turned

GAME = "panic"
URL = "panic://127.0.0.1:{port}?dialect={dialect}"
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
    """Byte orders and paddings of which several are spoken."""
    action: str
    state: str  # less its tanks
    tank: str
    create: str
    event: str


DIALECTS = {"be-packed": Dialect(">HBBI", ">BBBHB", ">I", ">BiIBB", ">BBiI"),
            "le-padded": Dialect("<HBBI", "<BBBxHBx", ">I", "<BxxxiIBBxx", "<BBxxiI")}


@dataclass
class Piece:
    kind: int
    value: int
    x: int
    y: int
    direction: int = 0
    owner: int = 0

    def tile(self) -> tuple[int, int]:
        return self.x, self.y

    def colour(self) -> str:
        return TEAMS[self.kind >> 2 & 3]


class Ground:
    """A map's size, and where its tiles lie in the world."""

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


class Client(Player):
    GAME = GAME
    STEP = 9.0  # seconds that a step may take: elsewhere a tank must turn and drive

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
        self.wait(lambda: self.player and not self.own and self.pieces, 10, "nothing to look at came")

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
            self.pieces[number] = Piece(piece.kind, 0, piece.x, piece.y)  # a client keeps every id for ever

    def _died(self, number: int) -> None:
        self.deaths.append(Death(self.name if number in self.own else self.pieces[number].colour(), None))

    def _move(self, number: int, direction: int, value: int) -> None:
        piece = self.pieces[number]
        self._answers.append((number, direction, value))
        step = STEPS.get(direction, (0, 0))
        piece.x, piece.y, piece.direction = piece.x + step[0] * value, piece.y + step[1] * value, direction
        if value == 0 and number not in self.own:
            self.shots.append(Shot(piece.colour(), self.ground.place(*piece.tile()), YAW.get(direction)))

    # what is seen
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
        """The picture is the client's own; what counts is where it was not let in."""
        return self.bumps

    def misses(self, nearest: list[Place], walls: list[Place], tile: float) -> list[Place]:
        """Drives there: a wall is where a Move says 0."""
        for wall in nearest:
            self.go_to(wall, 60)
        return [wall for wall in nearest if not any(math.dist(wall, bump) <= 0.6 * tile for bump in self.bumps)]

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

    # what is done
    bumps: list[Place] = []

    def act(self, action: int, direction: int, wait: float = 0.0) -> int | None:
        """One Action; with a wait, the value of the Move that answers it."""
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
        """Steps along the longer way first, around what blocks; ends in the tile, or when nothing goes."""
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
        """A tank stands once its step is answered."""
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


@dataclass
class Seat:
    """A player of the server's: his connection and his tanks."""
    number: int
    socket: socket.socket
    watcher: bool = False
    ammo: int = 100
    defeated: bool = False
    quit: bool = False
    parted: bool = False


class World(Server):
    """The released server's rules: two players of three tanks, a queue that runs one Action every 10 ms. As its document
    has it, who comes later looks on; and when all have left, the next game begins."""
    GAME = GAME
    FULL, TELLS_LEAVES = True, False
    BY_PLAYER = ((10, 15), (21, 15))  # where the players' first tanks stand; the others two rows on

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
        return URL.format(port=port, dialect=self.dialect)

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
        return struct.pack(self.wire.event, kind, direction, value, piece)

    def _created(self) -> bytes:
        living = sorted((piece.y, piece.x, number) for number, piece in self.pieces.items() if piece.value > 0)
        return b"".join(struct.pack(self.wire.create, self.pieces[n].kind, self.pieces[n].value, n, x, y) for y, x, n in living)

    def _state(self, seat: Seat) -> bytes:
        own = [number for number, piece in self.pieces.items() if piece.owner == seat.number]
        return struct.pack(self.wire.state, STATE, 2, 1, seat.number, len(own)) + b"".join(
            struct.pack(self.wire.tank, number) for number in own)

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
            time.sleep(TICK)  # the released server's own pace
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

    # what it holds true
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
        """Bricks appear where nobody is."""
        with self.changed:
            number = self._add(Piece(BRICK, 10, self.dice.randint(24, 28), 2))
            piece = self.pieces[number]
            self._tell_all(struct.pack(self.wire.create, piece.kind, piece.value, number, piece.x, piece.y))

    def end_round(self) -> None:
        """The second player is beaten by the first, who then has won."""
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
    """A map of our own: land inside a wall, and some walls, waters and foliage in its north."""
    rows = [["0" if x in (0, 31) or y in (0, 31) else "3" for x in range(32)] for y in range(32)]
    for digit in "000012":
        x, y = dice.randint(3, 27), dice.randint(3, 9)
        for dx in range(2):
            rows[y][x + dx] = digit
    return ["".join(row) for row in rows]


def start(stage) -> World:
    return World(stage.path(""), stage.dice)


def client(port: int, name: str) -> Client:
    return Client(port, name)
