# What a BZFlag client (1.10 or later) received, and what it sent about itself, collected from the bytes that a shim kept.
# Invariant: independent of our adapters: it reads frames, and a few of their fields.
import math
import struct
import time

from bzflag import GREETING, HEADER, frames
from follower import Follower

ALIVE = 1


class Tank:
    def __init__(self, name):
        self.name, self.alive, self.order = name, False, -1
        self.place, self.velocity, self.at = (0.0, 0.0), (0.0, 0.0), time.monotonic()

    def be(self, place, velocity, alive):
        self.place, self.velocity, self.alive, self.at = place, velocity, alive, time.monotonic()

    def now(self):
        """The current place by dead reckoning, as a client draws it."""
        late = time.monotonic() - self.at
        return tuple(place + late * speed for place, speed in zip(self.place, self.velocity))


class Eyes(Follower):
    """Follows one client of the shim: `own` is the place that it sends, `others` the players that it sees; also records deaths."""

    def __init__(self, shim, header=HEADER, words_at=3):
        """`header`: the bytes that a client of this version sends first; `words_at`: the offset of the text in MsgMessage."""
        self._words_at = words_at
        self.shim, self.id, self.own, self.others = shim, None, Tank("me"), {}
        self.died, self.claims, self.spawns, self.shots, self.shots_seen, self.texts, self.over = [], 0, 0, 0, 0, [], 0
        self.kills, self.ended = 0, False
        self.corrected = []  # metres by which it was moved while alive
        self._at, self._flows = {"down": None, "up": len(header)}, {}
        self.start()

    def _look(self):
        for talk in self.shim.talks[:1]:
            self._stream("down", talk.to_client, self._told)
            self._stream("up", talk.to_server, self._said)
        for number, flow in enumerate(list(self.shim.flows)):
            self._datagrams((number, "down"), flow.to_client, self._told)
            self._datagrams((number, "up"), flow.to_server, self._said)

    def _stream(self, way, data, hear):
        if self._at[way] is None:
            if len(data) < GREETING:
                return
            self.id, self._at[way] = data[GREETING - 1], GREETING
        for code, body in frames(bytes(data[self._at[way]:])):
            self._at[way] += 4 + len(body)
            hear(code, body)

    def _datagrams(self, way, kept, hear):
        while self._flows.get(way, 0) < len(kept):
            for code, body in frames(kept[self._flows.get(way, 0)]):
                hear(code, body)
            self._flows[way] = self._flows.get(way, 0) + 1

    def _told(self, code, body):
        if code == "ap":
            name = body[11:43].split(b"\0")[0].decode("latin-1")
            if body[0] != self.id:
                self.others[body[0]] = Tank(name)
        elif code == "rp":
            self.others.pop(body[0], None)
        elif code == "al":
            number, x, y = struct.unpack_from(">Bff", body)
            if number == self.id and self.own.alive:
                self.corrected.append(math.dist(self.own.now(), (x, y)))
            elif number == self.id:
                self.spawns += 1
            tank = self.own if number == self.id else self.others.get(number)
            if tank:
                tank.be((x, y), (0.0, 0.0), True)
        elif code == "kl":
            if body[0] == self.id:
                self.died.append(time.monotonic())
            self.kills += body[1] == self.id != body[0]
            tank = self.own if body[0] == self.id else self.others.get(body[0])
            if tank:
                tank.alive = False
        elif code in ("pu", "ps") and body[4] in self.others:
            self._move(self.others[body[4]], code, body)
        elif code == "sb":
            self.shots_seen += body[4] != self.id
        elif code == "mg":
            self.texts.append(body[self._words_at:].split(b"\0")[0].decode("utf-8", "replace"))
        elif code == "so":
            self.over += 1
        elif code == "sk":
            self.ended = True

    def _said(self, code, body):
        if code in ("pu", "ps"):
            self._move(self.own, code, body)
        self.claims += code == "kl"
        self.shots += code == "sb"

    @staticmethod
    def _move(tank, code, body):
        order, status = struct.unpack_from(">ih", body, 5)
        if order <= tank.order:
            return
        tank.order = order
        if code == "pu":
            x, y, _, u, v, _ = struct.unpack_from(">6f", body, 11)
        else:
            x, y, _, u, v, _ = struct.unpack_from(">6h", body, 11)
            x, y, u, v = 0.02 * x, 0.02 * y, 0.01 * u, 0.01 * v
        if tank.alive or status & ALIVE:
            tank.be((x, y), (u, v), bool(status & ALIVE))


def apart(one, other):
    """The distance along the axis on which it is larger, because tiles are square."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def travel(points):
    """Metres driven; a jump of more than 60 m is a spawn."""
    steps = [math.dist(p, q) for p, q in zip(points, points[1:])]
    return sum(step for step in steps if step < 60)
