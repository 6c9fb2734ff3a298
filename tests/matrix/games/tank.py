# A tank by BZFlag's rules, for any of its protocols: it drives, aims, carries flags, and detects hits on itself.
# Invariant: it drives within the rules, and reports only its own death; subclasses encode the messages.
from __future__ import annotations

import math
import re
import threading
import time
from dataclasses import dataclass, field

from player import PATIENCE, Death, Place, Player, Said, Shot, Unit, Unseen, apart, toward

TICK = 0.05
SPEED, TURN_RATE, SHOT_SPEED, MUZZLE, GUN = 25.0, 0.785398, 100.0, 4.42, 1.57
LENGTH, WIDTH, TALL = 6.0, 2.8, 2.05
ON_GROUND, CARRIED = 1, 2  # a flag's status
TEAMS = ("rogue", "red", "green", "blue", "purple", "observer")
OBSERVER, GREEN, BLUE = 5, 2, 3


@dataclass
class Body:
    """A player, as this client knows it."""
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
        """The current place by dead reckoning."""
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


class Tank(Player):
    """Subclasses encode and send the messages: `say_pose` and the other methods down to `speak`."""

    def __init__(self, port: int, name: str, team: int = BLUE) -> None:
        super().__init__(port, name)
        self.wished_team, self.id = team, 255
        self.players: dict[int, Body] = {}
        self.flights: list[Flight] = []
        self.flags: dict[int, tuple] = {}  # by number: two letters, status, carrier, place
        self.teams: dict[int, tuple] = {}
        self.size, self.max_shots = 0.0, 1
        self.missiles, self.clock, self.ended = 0, None, False
        self._goal: Place | None = None
        self._wished_yaw: float | None = None
        self._speed, self._spin, self._rise = 0.0, 0.0, 0.0
        self._told, self._died_at, self._fired = 0.0, -9.0, [-99.0] * 256

    # messages, sent by subclasses
    def enter(self, team: int) -> None:
        """Enters the game in that team."""
        raise NotImplementedError

    def say_pose(self, me: Body, spin: float) -> None:
        raise NotImplementedError

    def say_death(self, flight: Flight) -> None:
        raise NotImplementedError

    def say_shot(self, me: Body, slot: int, muzzle: tuple, velocity: tuple, flag: str) -> None:
        raise NotImplementedError

    def say_missile(self, me: Body, target: int) -> None:
        """Sends the target of the shot that was fired last."""
        raise NotImplementedError

    def say_alive(self) -> None:
        raise NotImplementedError

    def say_grab(self, number: int) -> None:
        raise NotImplementedError

    def speak(self, words: str, team: int | None = None, player: int | None = None) -> None:
        """Chats to that team, to that player, or to all."""
        raise NotImplementedError

    def reload(self) -> float:
        """The reload time in seconds."""
        return 3.5

    def boxes(self) -> list[tuple[float, float, float, float]]:
        """(x, y, half width, half depth) of each obstacle."""
        raise NotImplementedError

    # joining
    def join(self) -> None:
        self.enter(GREEN if self.native else self.wished_team)  # enemies of the players through Entente
        self.start()
        self.respawn()

    def watch(self) -> None:
        self.enter(OBSERVER)

    def start(self) -> None:
        threading.Thread(target=self._drive_on, daemon=True, name=f"tank {self.name}").start()

    # the tank
    def me(self) -> Body | None:
        return self.players.get(self.id)

    def alive(self) -> bool:
        return bool(self.me() and self.me().alive)

    def _drive_on(self) -> None:
        while not self._closing and self.gone is None:
            time.sleep(TICK)  # the period of the tank's updates
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
        """Turns first, then drives; stops exactly at the goal."""
        far = apart(me.position[:2], self._goal) if self._goal else 0.0
        yaw = toward(me.position[:2], self._goal) if self._goal and far > 0.01 else self._wished_yaw
        off = (yaw - me.yaw + math.pi) % (2 * math.pi) - math.pi if yaw is not None else 0.0
        self._spin = max(-TURN_RATE, min(TURN_RATE, off / TICK))
        self._speed = 0.0 if abs(off) > 0.05 or not self._goal else min(SPEED, far / TICK)
        if self._goal and far <= 0.01 or not self._goal and abs(off) < 0.001:
            self._goal, self._wished_yaw, self._speed, self._spin = None, None, 0.0, 0.0
            self.changed.notify_all()

    def _tell(self) -> None:
        self._told = time.monotonic()
        self.say_pose(self.me(), self._spin)

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
        self.say_death(flight)

    def hears_shot(self, shooter: int, number: int, start: tuple, velocity: tuple, life: float) -> None:
        if shooter != self.id:
            self.flights.append(Flight(shooter, number, start, velocity, life))
            self.shots.append(Shot(self.name_of(shooter), start[:2], math.atan2(velocity[1], velocity[0])))

    def name_of(self, number: int) -> str:
        return self.players[number].name if number in self.players else ""

    def hears_death(self, victim: int, killer: int) -> None:
        self.deaths.append(Death(self.name_of(victim), self.name_of(killer) or None))
        if victim in self.players:
            self.players[victim].alive = False
        if victim == self.id:
            self.hurts, self._died_at = self.hurts + 1, time.monotonic()

    def hears_line(self, sender: str, words: str, scope: str) -> None:
        """A server can report a hit that does not kill only as a line of chat."""
        self.heard.append(Said(sender, words, scope))
        if sender == "SERVER" and re.search(r"\bhit\b|\d+ ?/ ?\d+", words):
            self.hurts += 1

    # what the tank sees
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
        """The middles of the obstacles, cut into pieces of at most 25 m."""
        found = []
        for x, y, width, depth in self.boxes():
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
            return {number: self.name_of(owner) if status == CARRIED else None for number, (_, status, owner, _) in self.flags.items() if status}

    def height(self, name: str) -> float:
        with self.changed:
            return max((body.position[2] for body in self.players.values() if body.name == name), default=0.0)

    def guided(self) -> int:
        return self.missiles

    def time_left(self) -> int | None:
        return self.clock

    def over(self) -> bool:
        return self.ended or self.clock == 0

    # actions
    def go_to(self, place: Place, seconds: float) -> None:
        with self.changed:
            self.here()
            self.sent_at, self._goal = time.monotonic(), place
            if self.native:  # a server accepts any place from its tanks
                me = self.me()
                me.position, self._goal = (*place, 0.0), None
                self._tell()
                return
        try:
            self.wait(lambda: self._goal is None or not self.alive(), seconds, "still driving")
        except Unseen:
            self.halt()

    def start_moving(self, yaw: float) -> None:
        """Starts to move along its heading; a turn first would delay the move."""
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

    def shoot(self, yaw: float, flag: str = "") -> None:
        self.face(yaw)
        reload = self.reload()
        self.wait(lambda: time.monotonic() - min(self._fired[:self.max_shots]) > reload + 0.1, reload + 1, "no shot is loaded")
        with self.changed:
            me, slot = self.me(), min(range(self.max_shots), key=lambda one: self._fired[one])
            self._fired[slot] = self.sent_at = time.monotonic()
            ahead = (math.cos(me.yaw), math.sin(me.yaw))
            muzzle = (me.position[0] + MUZZLE * ahead[0], me.position[1] + MUZZLE * ahead[1], me.position[2] + GUN)
            self.say_shot(me, slot, muzzle, (SHOT_SPEED * ahead[0], SHOT_SPEED * ahead[1], 0.0), flag)

    def take_cover(self) -> None:
        self.wait(lambda: all(time.monotonic() - flight.born > flight.life for flight in self.flights), PATIENCE, "a shot flies on and on")

    def respawn(self) -> None:
        self.wait(lambda: time.monotonic() - self._died_at > 5.2, 6, "the wait after a death")
        self._let_fly_by()
        self.sent_at = time.monotonic()
        self.say_alive()
        self.wait(self.alive, 20, "no MsgAlive for the own tank")
        with self.changed:
            self._tell()

    def _let_fly_by(self) -> None:
        """Shots that flew while it was dead have not hit it."""
        with self.changed:
            now = time.monotonic()
            self.flights = [flight for flight in self.flights if now - flight.born <= flight.life]
            for flight in self.flights:
                flight.tested = now - flight.born

    def say(self, words: str) -> None:
        self.sent_at = time.monotonic()
        self.speak(words)

    def say_team(self, words: str) -> None:
        self.sent_at = time.monotonic()
        self.speak(words, team=self.me().team)

    def say_to(self, name: str, words: str) -> None:
        self.sent_at = time.monotonic()
        self.speak(words, player=self._number(name))

    def _number(self, name: str) -> int:
        return next(number for number, body in self.players.items() if body.name == name)

    def grab(self, number: int) -> None:
        """Grabs the flag once it lies on the ground."""
        self.wait(lambda: self.flags[number][1] == ON_GROUND, 15, f"flag {number} does not lie on the ground")
        place = self.flags[number][3]
        self.go_to(place, 40)
        self.say_grab(number)

    def jump(self) -> None:
        with self.changed:
            self._rise = 19.0

    def guide(self, name: str) -> None:
        hidden = ("GM", "PZ", "")  # the kind of a flag may be hidden until it is carried
        number = next(number for number, (code, status, *_) in self.flags.items() if code in hidden and status)
        self.grab(number)
        self.wait(lambda: self.flags[number][2] == self.id and self.flags[number][0] == "GM", PATIENCE, "got no guided missile")
        self.shoot(0.0, "GM")
        self.say_missile(self.me(), self._number(name))


def inside(tank: Body, at: tuple) -> bool:
    dx, dy = at[0] - tank.position[0], at[1] - tank.position[1]
    along, across = dx * math.cos(tank.yaw) + dy * math.sin(tank.yaw), dy * math.cos(tank.yaw) - dx * math.sin(tank.yaw)
    return abs(along) <= LENGTH / 2 and abs(across) <= WIDTH / 2 and 0 <= at[2] - tank.position[2] <= TALL
