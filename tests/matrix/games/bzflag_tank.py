# BZFlag 2.4: a tank written from the wire facts.
# Law: it drives as the rules allow, tells of its own death, and of nobody else's.
from __future__ import annotations

import math
import re
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass, field

from bzflag_wire import (ALIVE, ALL, CODES, FALLING, FLAG, HEADER, MISSILE, PAUSED, SHOT, TEAM_CHAT, TEAMS, UPDATE, VERSION, boxes, enter, frame,
                         frames, motion, text, variables)
from bzflag_wire import SERVER as FROM_SERVER
from player import LOOPBACK, PATIENCE, Death, Ended, Place, Player, Said, Shot, Unit, Unseen, apart, hang_up, toward

GAME = "bzflag"
TICK = 0.05
SPEED, TURN_RATE, SHOT_SPEED, MUZZLE, GUN = 25.0, 0.785398, 100.0, 4.42, 1.57
LENGTH, WIDTH, TALL = 6.0, 2.8, 2.05
ON_GROUND, CARRIED = 1, 2  # of a flag
OBSERVER, GREEN, BLUE = 5, 2, 3


@dataclass
class Body:
    """A player as this end knows it."""
    name: str
    team: int
    alive: bool = False
    position: tuple = (0.0, 0.0, 0.0)
    velocity: tuple = (0.0, 0.0, 0.0)
    yaw: float = 0.0
    order: int = 0
    paused: bool = False
    wins: int = 0
    losses: int = 0
    at: float = field(default_factory=time.monotonic)

    def place(self) -> Place:
        """Where dead reckoning has it now."""
        late = min(time.monotonic() - self.at, 1.0)
        return self.position[0] + self.velocity[0] * late, self.position[1] + self.velocity[1] * late


@dataclass
class Flight:
    """A shot in the air."""
    shooter: int
    number: int
    start: tuple
    velocity: tuple
    life: float
    tested: float = 0.0
    born: float = field(default_factory=time.monotonic)

    def at(self, age: float) -> tuple:
        return tuple(p + v * age for p, v in zip(self.start, self.velocity))


class Client(Player):
    GAME = GAME

    def __init__(self, port: int, name: str, team: int = BLUE) -> None:
        super().__init__(port, name)
        self.wished_team, self.id = team, 255
        self.players: dict[int, Body] = {}
        self.flights: list[Flight] = []
        self.variables: dict[str, str] = {}
        self.flags: dict[int, tuple] = {}
        self.teams: dict[int, tuple] = {}
        self.world, self.whole, self.size, self.max_shots = b"", False, 0.0, 1
        self.accepted = self.linked = self._asked_link = False
        self.pings, self.missiles, self.clock, self.ended = 0, 0, None, False
        self._data, self._slot, self._salt, self._order = bytearray(), 0, 0, 0
        self._goal: Place | None = None
        self._wished_yaw: float | None = None
        self._speed, self._spin, self._rise = 0.0, 0.0, 0.0
        self._told, self._died_at, self._fired = 0.0, -9.0, [-99.0] * 256
        self._reason = ""

    # joining
    def join(self) -> None:
        self._enter(GREEN if self.native else self.wished_team)  # enemies of those who came through Entente
        self.respawn()

    def watch(self) -> None:
        self._enter(OBSERVER)

    def _enter(self, team: int) -> None:
        self._connect()
        self._ask("nf", b"".join(code.encode().ljust(2, b"\0") for code in CODES), lambda: "nf" in self._answers)
        self._ask("ws", b"", lambda: self.size)
        self._ask("wh", b"", lambda: "wh" in self._answers)
        self._ask("gw", struct.pack(">I", 0), lambda: self.whole)
        self._ask("en", enter(0, team, self.name), lambda: self.me())
        threading.Thread(target=self._drive_on, daemon=True, name=f"tank {self.name}").start()
        self._link()

    def _ask(self, code: str, payload: bytes, answered) -> None:
        self._send(code, payload)
        self.wait(answered, PATIENCE, f"no answer to {code}")

    def _connect(self) -> None:
        self._answers: set[str] = set()
        self.socket, self.datagrams = pair()
        self.socket.settimeout(10)
        self.socket.connect((LOOPBACK, self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(HEADER)
        greeting = b""
        while len(greeting) < 9:
            more = self.socket.recv(9 - len(greeting))
            if not more:
                raise Unseen(f"greeted with {greeting!r} and closed")
            greeting += more
        if greeting[:8] != VERSION or greeting[8] == 255:
            raise Unseen(f"greeted with {greeting!r}")
        self.id = greeting[8]
        self.run()

    def _link(self) -> None:
        """A server need not offer it; without an answer all goes by TCP."""
        self._datagram("of", bytes([self.id]))
        try:
            self.wait(lambda: self.linked, 2, "no datagram link")
        except Unseen:
            pass

    # hearing
    def listen(self) -> None:
        ready = select.select([self.socket, self.datagrams], [], [], 0.25)[0]
        if self.datagrams in ready:
            self._hear(bytearray(self.datagrams.recv(65536)))
        if self.socket in ready:
            data = self.socket.recv(65536)
            if not data:
                raise Ended("closed without a goodbye")
            self._data += data
            self._hear(self._data)

    def _hear(self, data: bytearray) -> None:
        with self.changed:
            for code, payload in frames(data):
                self.frames["heard"] += 1
                self._answers.add(code)
                heard = getattr(self, "_on_" + code, None)
                if heard:
                    heard(payload)
            self.changed.notify_all()

    def _on_gs(self, payload: bytes) -> None:
        self.size, self.max_shots = struct.unpack_from(">f", payload)[0], struct.unpack_from(">H", payload, 10)[0]

    def _on_gw(self, payload: bytes) -> None:
        self.world += payload[4:]
        self.whole = struct.unpack_from(">I", payload)[0] == 0
        if not self.whole:
            self._send("gw", struct.pack(">I", len(self.world)))

    def _on_ap(self, payload: bytes) -> None:
        number, _, team, wins, losses, _, name = struct.unpack_from(">BHHHHH32s", payload)
        self.players[number] = Body(text(name), team, wins=wins, losses=losses)

    def _on_rp(self, payload: bytes) -> None:
        self.players.pop(payload[0], None)

    def _on_al(self, payload: bytes) -> None:
        number, x, y, z, yaw = struct.unpack_from(">B3ff", payload)
        if number in self.players:
            body = self.players[number]
            body.alive, body.position, body.velocity, body.yaw, body.at = True, (x, y, z), (0.0, 0.0, 0.0), yaw, time.monotonic()
            body.order = 0 if number != self.id else body.order

    def _update(self, code: str, payload: bytes) -> None:
        number, order, status, position, velocity, yaw = motion(code, payload)
        body = self.players.get(number)
        if body and number != self.id and order > body.order:
            body.order, body.position, body.velocity, body.yaw, body.at = order, position, velocity, yaw, time.monotonic()
            body.alive, body.paused = bool(status & ALIVE), bool(status & PAUSED)

    def _on_pu(self, payload: bytes) -> None:
        self._update("pu", payload)

    def _on_ps(self, payload: bytes) -> None:
        self._update("ps", payload)

    def _on_sb(self, payload: bytes) -> None:
        _, shooter, number, x, y, z, u, v, w, _, _, _, life = SHOT.unpack_from(payload)
        if shooter != self.id:
            self.flights.append(Flight(shooter, number, (x, y, z), (u, v, w), life))
            self.shots.append(Shot(self._name(shooter), (x, y), math.atan2(v, u)))

    def _on_gm(self, payload: bytes) -> None:
        self.missiles += payload[0] != self.id

    def _on_se(self, payload: bytes) -> None:
        shooter, number = struct.unpack_from(">BH", payload)
        self.flights = [flight for flight in self.flights if (flight.shooter, flight.number) != (shooter, number)]

    def _on_kl(self, payload: bytes) -> None:
        victim, killer = payload[0], payload[1]
        self.deaths.append(Death(self._name(victim), self._name(killer) or None))
        if victim in self.players:
            self.players[victim].alive = False
        if victim == self.id:
            self.hurts, self._died_at = self.hurts + 1, time.monotonic()

    def _on_mg(self, payload: bytes) -> None:
        sender, to = payload[0], payload[1]
        scope = "all" if to == ALL else "team" if 244 <= to <= TEAM_CHAT else "me"
        self.heard.append(Said("SERVER" if sender == FROM_SERVER else self._name(sender), text(payload[3:]), scope))
        if sender == FROM_SERVER and re.search(r"\bhit\b|\d+ ?/ ?\d+", self.heard[-1].text):
            self.hurts += 1

    def _on_sc(self, payload: bytes) -> None:
        for number, wins, losses, _ in struct.iter_unpack(">BHHH", payload[1:]):
            if number in self.players:
                self.players[number].wins, self.players[number].losses = wins, losses

    def _on_tu(self, payload: bytes) -> None:
        for team, size, won, lost in struct.iter_unpack(">HHHH", payload[1:]):
            self.teams[team] = (size, won, lost)

    def _on_sv(self, payload: bytes) -> None:
        self.variables.update(variables(payload))

    def _on_pi(self, payload: bytes) -> None:
        self.pings += 1
        self._send("pi", payload)

    def _on_of(self, _: bytes) -> None:
        if not self.linked:
            self._datagram("og")
        self.linked = True

    def _on_og(self, _: bytes) -> None:
        self.linked = True

    def _on_fu(self, payload: bytes) -> None:
        for at in range(2, len(payload) - FLAG.size + 1, FLAG.size):
            self._flag(payload[at:])

    def _on_gf(self, payload: bytes) -> None:
        self._flag(payload[1:])

    def _on_df(self, payload: bytes) -> None:
        self._flag(payload[1:])

    def _flag(self, record: bytes) -> None:
        number, code, status, _, owner, x, y, z, *_ = FLAG.unpack_from(record)
        self.flags[number] = (text(code), status, owner, (x, y))

    def _on_pa(self, payload: bytes) -> None:
        if payload[0] in self.players:
            self.players[payload[0]].paused = bool(payload[1])

    def _on_to(self, payload: bytes) -> None:
        self.clock = struct.unpack_from(">i", payload)[0]

    def _on_so(self, _: bytes) -> None:
        self.ended = True

    def _on_rj(self, payload: bytes) -> None:
        self._reason = text(payload[2:])

    def _on_sk(self, _: bytes) -> None:
        last = self.heard[-1].text if self.heard else ""
        raise Ended(self._reason or f"thrown out: {last}")

    def _name(self, number: int) -> str:
        return self.players[number].name if number in self.players else ""

    # sending
    def _send(self, code: str, payload: bytes = b"") -> None:
        self.frames["sent"] += 1
        self.socket.sendall(frame(code, payload))

    def _datagram(self, code: str, payload: bytes = b"") -> None:
        self.frames["sent"] += 1
        self.datagrams.sendto(frame(code, payload), (LOOPBACK, self.port))

    def _fast(self, code: str, payload: bytes) -> None:
        (self._datagram if self.linked else self._send)(code, payload)

    # the tank
    def me(self) -> Body | None:
        return self.players.get(self.id)

    def alive(self) -> bool:
        return bool(self.me() and self.me().alive)

    def _drive_on(self) -> None:
        while not self._closing and self.gone is None:
            time.sleep(TICK)  # the tank's own clock
            try:
                with self.changed:
                    if self.alive():
                        self._step()
            except OSError:
                return

    def _step(self) -> None:
        me, before = self.me(), (self._speed, self._spin, self._rise)
        if self._goal or self._wished_yaw is not None:
            self._steer(me)
        x, y, z = me.position
        me.yaw += self._spin * TICK
        if z > 0 or self._rise > 0:
            z, self._rise = max(z + self._rise * TICK, 0.0), self._rise - 9.81 * TICK
            self._rise = self._rise if z > 0 else 0.0
        me.position = (x + self._speed * math.cos(me.yaw) * TICK, y + self._speed * math.sin(me.yaw) * TICK, z)
        me.velocity, me.at = (self._speed * math.cos(me.yaw), self._speed * math.sin(me.yaw), self._rise), time.monotonic()
        if (self._speed, self._spin, self._rise) != (0, 0, 0) or before != (0, 0, 0) or time.monotonic() - self._told > 0.5:
            self._tell()
        self._test_hits(me)

    def _steer(self, me: Body) -> None:
        """Turns first, then drives; arrives at the very spot."""
        far = apart(me.position[:2], self._goal) if self._goal else 0.0
        yaw = toward(me.position[:2], self._goal) if self._goal and far > 0.01 else self._wished_yaw
        off = (yaw - me.yaw + math.pi) % (2 * math.pi) - math.pi if yaw is not None else 0.0
        self._spin = max(-TURN_RATE, min(TURN_RATE, off / TICK))
        self._speed = 0.0 if abs(off) > 0.05 or not self._goal else min(SPEED, far / TICK)
        if self._goal and far <= 0.01 or not self._goal and abs(off) < 0.001:
            self._goal, self._wished_yaw, self._speed, self._spin = None, None, 0.0, 0.0
            self.changed.notify_all()

    def _tell(self) -> None:
        me, self._told, self._order = self.me(), time.monotonic(), self._order + 1
        status = (PAUSED if me.paused else 0) | (ALIVE if me.alive else 0) | (FALLING if me.position[2] > 0 else 0)
        self._fast("pu", UPDATE.pack(time.monotonic() % 65536, self.id, self._order, status, *me.position, *me.velocity, me.yaw, self._spin))

    def _test_hits(self, me: Body) -> None:
        for flight in list(self.flights):
            age = time.monotonic() - flight.born
            steps = max(int((min(age, flight.life) - flight.tested) / 0.01), 1)
            for step in range(steps + 1):
                at = flight.at(flight.tested + (min(age, flight.life) - flight.tested) * step / steps)
                if inside(me, at):
                    return self._die(flight)
            flight.tested = min(age, flight.life)
            if age > flight.life:
                self.flights.remove(flight)
        return None

    def _die(self, flight: Flight) -> None:
        self.flights.remove(flight)
        self.me().alive, self._speed, self._spin, self._goal, self._wished_yaw = False, 0.0, 0.0, None, None
        self._send("se", struct.pack(">BHH", flight.shooter, flight.number, 1))
        self._send("kl", struct.pack(">BhH2s", flight.shooter, 1, flight.number, b"\0\0"))

    # what is seen
    def where(self) -> Place | None:
        with self.changed:
            return self.me().position[:2] if self.alive() else None

    def heading(self) -> float | None:
        return self.me().yaw

    def others(self) -> list[Unit]:
        with self.changed:
            return [Unit(body.name, body.place(), body.yaw, TEAMS[body.team] if body.team < 6 else None)
                    for number, body in self.players.items() if number != self.id and body.alive]

    def score(self, name: str) -> int | None:
        with self.changed:
            return next((body.wins - body.losses for body in self.players.values() if body.name == name), None)

    def team(self) -> object:
        return TEAMS[self.me().team]

    def team_scores(self) -> dict:
        return {TEAMS[team]: counts for team, counts in self.teams.items() if team < 5}

    def walls(self) -> list[Place]:
        """Middles of what stands there, cut into pieces of at most 25 m."""
        found = []
        for x, y, width, depth in boxes(self.world):
            across, along = max(round(2 * width / 25), 1), max(round(2 * depth / 25), 1)
            found += [(x - width + (i + 0.5) * 2 * width / across, y - depth + (j + 0.5) * 2 * depth / along)
                      for i in range(across) for j in range(along)]
        return found

    def bounds(self) -> tuple[float, float]:
        return self.size, self.size

    def pickups(self) -> list[Place]:
        with self.changed:
            return [place for code, status, _, place in self.flags.values() if status == ON_GROUND]

    def tokens(self) -> dict:
        with self.changed:
            return {number: self._name(owner) if status == CARRIED else None for number, (_, status, owner, _) in self.flags.items() if status}

    def ammo(self) -> float | None:
        return self._variable("_reloadTime") if "_reloadTime" in self.variables else None

    def height(self, name: str) -> float:
        with self.changed:
            return max((body.position[2] for body in self.players.values() if body.name == name), default=0.0)

    def guided(self) -> int:
        return self.missiles

    def time_left(self) -> int | None:
        return self.clock

    def over(self) -> bool:
        return self.ended or self.clock == 0

    def lag(self) -> bool:
        return self.pings > 0

    def _variable(self, name: str) -> float:
        """Values are expressions of other variables."""
        value = self.variables.get(name, {"_reloadTime": "3.5", "_shotSpeed": "100", "_shotRange": "350"}.get(name, "0"))
        return float(eval(re.sub(r"_\w+", lambda other: str(self._variable(other[0])), value), {"__builtins__": {}}))  # noqa: S307

    # what is done
    def go_to(self, place: Place, seconds: float) -> None:
        with self.changed:
            self.here()
            self.sent_at, self._goal = time.monotonic(), place
            if self.native:  # a server believes its tanks
                me = self.me()
                me.position, self._goal = (*place, 0.0), None
                self._tell()
                return
        try:
            self.wait(lambda: self._goal is None or not self.alive(), seconds, "still driving")
        except Unseen:
            self.halt()

    def start_moving(self, yaw: float) -> None:
        """Along where it looks: a turn first would not be the start of a move."""
        x, y = self.here()
        with self.changed:
            self.sent_at = time.monotonic()
            self.me().yaw, self._goal = yaw, (x + 300 * math.cos(yaw), y + 300 * math.sin(yaw))

    def halt(self) -> None:
        with self.changed:
            self._goal, self._wished_yaw, self._speed, self._spin, self.sent_at = None, None, 0.0, 0.0, time.monotonic()
            if self.alive():
                self.me().velocity = (0.0, 0.0, 0.0)
                self._tell()

    def face(self, yaw: float) -> None:
        with self.changed:
            self.sent_at, self._goal, self._wished_yaw = time.monotonic(), None, yaw
        self.wait(lambda: self._wished_yaw is None or not self.alive(), 6, "still turning")

    def shoot(self, yaw: float, flag: bytes = b"\0\0") -> None:
        self.face(yaw)
        reload = self._variable("_reloadTime")
        self.wait(lambda: time.monotonic() - min(self._fired[:self.max_shots]) > reload + 0.1, reload + 1, "no shot is loaded")
        with self.changed:
            me, slot = self.me(), min(range(self.max_shots), key=lambda one: self._fired[one])
            self._fired[slot], self._salt, self.sent_at = time.monotonic(), (self._salt + 1) & 0x7F, time.monotonic()
            self._shot = slot | self._salt << 8
            ahead = (math.cos(me.yaw), math.sin(me.yaw))
            muzzle = (me.position[0] + MUZZLE * ahead[0], me.position[1] + MUZZLE * ahead[1], me.position[2] + GUN)
            self._fast("sb", SHOT.pack(time.monotonic() % 65536, self.id, self._shot, *muzzle, SHOT_SPEED * ahead[0], SHOT_SPEED * ahead[1], 0.0,
                                       0.0, me.team, flag, reload))

    def take_cover(self) -> None:
        self.wait(lambda: all(time.monotonic() - flight.born > flight.life for flight in self.flights), PATIENCE, "a shot flies on and on")

    def respawn(self) -> None:
        self.wait(lambda: time.monotonic() - self._died_at > 5.2, 6, "the wait after a death")
        self.sent_at = time.monotonic()
        self._send("al")
        self.wait(self.alive, 20, "no MsgAlive for the own tank")
        with self.changed:
            self._tell()

    def say(self, words: str) -> None:
        self._speak(ALL, words)

    def say_team(self, words: str) -> None:
        self._speak(TEAM_CHAT - self.me().team, words)

    def say_to(self, name: str, words: str) -> None:
        self._speak(next(number for number, body in self.players.items() if body.name == name), words)

    def _speak(self, to: int, words: str) -> None:
        self.sent_at = time.monotonic()
        self._send("mg", struct.pack(">B128s", to, words.encode()))

    def grab(self, number: int) -> None:
        """From where it lies, once it does."""
        self.wait(lambda: self.flags[number][1] == ON_GROUND, 15, f"flag {number} does not lie on the ground")
        place = self.flags[number][3]
        self.go_to(place, 40)
        self._send("gf", struct.pack(">H", number))

    def drop(self) -> None:
        self._send("df", struct.pack(">3f", *self.me().position))

    def jump(self) -> None:
        with self.changed:
            self._rise = 19.0

    def guide(self, name: str) -> None:
        number = next(number for number, (code, *_) in self.flags.items() if code in ("GM", "PZ"))
        self.grab(number)
        self.wait(lambda: self.flags[number][2] == self.id and self.flags[number][0] == "GM", PATIENCE, "got no guided missile")
        self.shoot(0.0, b"GM")
        target = next(number for number, body in self.players.items() if body.name == name)
        me = self.me()
        self._fast("gm", MISSILE.pack(self.id, self._shot, *me.position, SHOT_SPEED, 0.0, 0.0, 0.1, me.team, target))

    def pause(self) -> None:
        self._send("pa", b"\1")

    def leave(self) -> None:
        self._closing, self.sent_at = True, time.monotonic()
        self._send("ex")
        hang_up(self.socket)

    def kill(self) -> None:
        self._closing = True
        if hasattr(self, "socket"):
            hang_up(self.socket, self.datagrams)


def inside(tank: Body, at: tuple) -> bool:
    dx, dy = at[0] - tank.position[0], at[1] - tank.position[1]
    along, across = dx * math.cos(tank.yaw) + dy * math.sin(tank.yaw), dy * math.cos(tank.yaw) - dx * math.sin(tank.yaw)
    return abs(along) <= LENGTH / 2 and abs(across) <= WIDTH / 2 and 0 <= at[2] - tank.position[2] <= TALL


def pair() -> tuple[socket.socket, socket.socket]:
    """TCP and UDP on one port. bzfs links none whose low byte is 0 to 3: it reads the port with its bytes swapped."""
    while True:
        stream, datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        stream.bind((LOOPBACK, 0))
        try:
            if stream.getsockname()[1] & 0xFF > 3:
                datagrams.bind(stream.getsockname())
                return stream, datagrams
        except OSError:
            pass
        stream.close()
        datagrams.close()
