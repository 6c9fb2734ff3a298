# BZFlag in any of its versions: a tank on its wire, written from the known facts about it.
# Invariant: it acts in its version's order; a message that a client of its version may not receive (yet) ends the connection.
from __future__ import annotations

import hashlib
import math
import random
import re
import select
import socket
import time

from bzflag_wire import ALIVE, DIALECTS, FALLING, HEADER, LOOKS_ON, PAUSED, REJECTS, TANK, frames
from bzflag_world import Box
from player import LOOPBACK, Ended, Unseen, apart, hang_up
from tank import BLUE, OBSERVER, SHOT_SPEED, Body, Flight, Tank
from wire import Seen, Wrong

GAME = "bzflag"
JOINING = 15.0  # most seconds from MsgAccept to its own MsgAddPlayer


class Client(Tank):
    GAME = GAME

    def __init__(self, port: int, name: str, team: int = BLUE, dialect: str = "2.4") -> None:
        super().__init__(port, name, team)
        self.spoken = DIALECTS[dialect]
        self.variables: dict[str, str] = {}
        self.world, self.hash, self.settings = b"", "", {}
        self._boxes: list[Box] = []
        self.accepted = self.linked = False
        self.pings = 0
        self._data, self._salt, self._order, self._shot, self._seat = bytearray(), 0, 0, 0, 0
        self._heard: set[str] = set()
        self._may_hear: frozenset[str] | None = self.spoken.outside  # None: everything

    # joining
    def enter(self, team: int) -> None:
        self._connect()
        if self.spoken.links_first:
            self._link()
        self._ask("nf", codes=list(self.spoken.flags))
        if "ws" in self.spoken.client:
            self._ask("ws", "gs")
        self._ask("wh")
        self._fetch()
        kind, team = self.spoken.looker if team == OBSERVER else (TANK, team)
        with self.changed:
            self._may_hear = frozenset(("ac", "rj", "sk")) if self.spoken.entering is not None else None
        self._send("en", player=self.id, type=kind, team=team, callsign=self.name, motto="matrix")
        self.wait(lambda: self.accepted or self.me(), self.spoken.patience, "no answer to en")
        self.wait(self.me, JOINING, "no MsgAddPlayer of its own")
        if not self.spoken.links_first:
            self._link()

    def _ask(self, code: str, answer: str = "", **fields: object) -> None:
        with self.changed:
            self._may_hear = self.spoken.outside | {answer or code}
            self._heard.discard(answer or code)
        self._send(code, **fields)
        self.wait(lambda: (answer or code) in self._heard, self.spoken.patience, f"no answer to {code}")

    def _fetch(self) -> None:
        """Fetches the world, piece by piece."""
        self._left = 1
        while self._left:
            self._ask("gw", offset=len(self.world))
        if self.spoken.checks_hash and self.hash[1:] != hashlib.md5(self.world).hexdigest():
            raise Unseen(f"the world is not the one of {self.hash}")
        settings, self._boxes = self.spoken.world(self.world)
        self._set(settings)

    def _set(self, settings: Seen) -> None:
        self.settings |= settings
        self.size, self.max_shots = self.settings["world_size"], self.settings["max_shots"]

    def _connect(self) -> None:
        self.socket, self.datagrams = pair()
        self.socket.settimeout(10)
        self.socket.connect((LOOPBACK, self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.spoken.greets:
            self.socket.sendall(HEADER)
        greeting = b""
        while len(greeting) < 9:
            more = self.socket.recv(9 - len(greeting))
            if not more:
                raise Unseen(f"greeted with {greeting!r} and closed")
            greeting += more
        if greeting[:8] != self.spoken.version or greeting[8] == 255:
            raise Unseen(f"greeted with {greeting!r}")
        self.id = self._seat = greeting[8]
        if self.spoken.long_ids:  # until it is told another
            address, port = self.socket.getsockname()
            self.id = int.from_bytes(socket.inet_aton(address) + port.to_bytes(2, "big") + self._seat.to_bytes(2, "big"), "big")
        self.run()

    def _link(self) -> None:
        """Links UDP. A server need not offer it; without an answer, all messages go by TCP."""
        self._datagram("of", number=self._seat)
        try:
            self.wait(lambda: self.linked, 2, "no datagram link")
        except Unseen:
            pass

    # receiving
    def listen(self) -> None:
        ready = select.select([self.socket, self.datagrams], [], [], 0.25)[0]
        if self.datagrams in ready:
            data = bytearray(self.datagrams.recv(65536))
            if len(list(frames(bytearray(data)))) > 1 and not self.spoken.shares:
                raise Wrong(f"a datagram of several messages, {data.hex()}, of which only the first would be read")
            self._hear(data)
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
                code, told = self.spoken.unpack(code, payload)
                if self._may_hear is not None and code not in self._may_hear:
                    raise Wrong(f"{code} too early: only {sorted(self._may_hear)} may be said now")
                heard = getattr(self, "_on_" + code, None)
                if heard:
                    heard(told)
                self._heard.add(code)
            self.changed.notify_all()

    def _within(self, name: str, number: int) -> None:
        """Checks a number against the settings: real clients have room for so many, and do not check."""
        if number >= self.settings.get(name, 0):
            raise Wrong(f"{number}, where {name} is {self.settings.get(name)}")

    def _on_nf(self, told: Seen) -> None:
        if told["codes"]:
            raise Ended(f"the server has flags that it does not know: {told['codes']}")

    def _on_gs(self, told: Seen) -> None:
        self._set(told)

    def _on_wh(self, told: Seen) -> None:
        self.hash = told["hash"]

    def _on_gw(self, told: Seen) -> None:
        self.world, self._left = self.world + bytes.fromhex(told["data"]), told["left"]

    def _on_ac(self, _: Seen) -> None:
        self.accepted, self._may_hear = True, self.spoken.entering

    def _on_rj(self, told: Seen) -> None:
        raise Ended("rejected: " + (told.get("words") or REJECTS[told["reason"]]))

    def _on_sk(self, _: Seen) -> None:
        raise Ended(f"thrown out: {self.heard[-1].text if self.heard else ''}")

    def _on_ap(self, told: Seen) -> None:
        number, looks_on = told["player"], self.spoken.looker[0] == told["type"] == LOOKS_ON
        if self.spoken.long_ids:
            self.id = number if told["callsign"] == self.name else self.id
        else:
            self._within("max_players", number)
        self.players[number] = Body(told["callsign"], OBSERVER if looks_on else told["team"], wins=told["wins"], losses=told["losses"])
        self._may_hear = None if number == self.id else self._may_hear

    def _on_rp(self, told: Seen) -> None:
        self.players.pop(told["player"], None)

    def _on_al(self, told: Seen) -> None:
        body = self.players.get(told["player"])
        if body:
            body.yaw = told["azimuth"] if "azimuth" in told else math.atan2(told["forward"][1], told["forward"][0])
            body.alive, body.position, body.velocity, body.at = True, tuple(told["position"]), (0.0, 0.0, 0.0), time.monotonic()
            body.order = 0

    def _on_pu(self, told: Seen) -> None:
        body = self.players.get(told["player"])
        order = told.get("order", body.order + 1 if body else 0)
        if body and told["player"] != self.id and order > body.order:
            body.order, body.position, body.velocity, body.yaw = order, tuple(told["position"]), tuple(told["velocity"]), told["azimuth"]
            body.alive, body.paused, body.at = bool(told["status"] & ALIVE), bool(told["status"] & PAUSED), time.monotonic()

    _on_ps = _on_pu

    def _on_sb(self, told: Seen) -> None:
        self._within("max_shots", told["shot"] & 0xFF)
        self.hears_shot(told["player"], told["shot"], tuple(told["position"]), tuple(told["velocity"]), told["life"])

    def _on_gm(self, told: Seen) -> None:
        self.missiles += told["player"] != self.id

    def _on_se(self, told: Seen) -> None:
        self.flights = [flight for flight in self.flights if (flight.shooter, flight.number) != (told["player"], told["shot"])]

    def _on_kl(self, told: Seen) -> None:
        victim, killer, me = told["victim"], told["killer"], self.me()
        self.hears_death(victim, killer)
        if "sc" in self.spoken.client and me and self.id in (victim, killer):  # in versions whose players send the scores themselves
            self._send("sc", wins=me.wins + (victim != self.id), losses=me.losses + (victim == self.id))

    def _on_mg(self, told: Seen) -> None:
        sender = "SERVER" if told["sender"] == self.spoken.speaker else self.name_of(told["sender"])
        self.hears_line(sender, told["words"], self.spoken.scope(told))

    def _on_sc(self, told: Seen) -> None:
        for row in told["scores"]:
            if row["player"] in self.players:
                self.players[row["player"]].wins, self.players[row["player"]].losses = row["wins"], row["losses"]

    def _on_tu(self, told: Seen) -> None:
        for row in told["teams"]:
            self.teams[row["team"]] = (row["size"], row["won"], row["lost"])

    def _on_sv(self, told: Seen) -> None:
        self.variables.update((row["name"], row["value"]) for row in told["variables"])

    def _on_pi(self, told: Seen) -> None:
        self.pings += 1
        self._send("pi", **told)

    def _on_of(self, _: Seen) -> None:
        self._datagram("og")
        self.linked = True

    def _on_og(self, _: Seen) -> None:
        self.linked = True

    def _on_fu(self, told: Seen) -> None:
        for row in told["flags"]:
            self._flag(row)

    def _flag(self, told: Seen) -> None:
        self._within("max_flags", told["number"])
        flag = told["flag"]
        self.flags[told["number"]] = (flag["kind"], flag["status"], flag["owner"], tuple(flag["position"][:2]))

    _on_gf = _on_df = _flag

    def _on_pa(self, told: Seen) -> None:
        if told["player"] in self.players:
            self.players[told["player"]].paused = bool(told["on"])

    def _on_to(self, told: Seen) -> None:
        self.clock = told["seconds"]

    def _on_so(self, _: Seen) -> None:
        self.ended = True

    # sending
    def _send(self, code: str, **fields: object) -> None:
        self.frames["sent"] += 1
        self.socket.sendall(self.spoken.pack(code, fields))

    def _datagram(self, code: str, **fields: object) -> None:
        self.frames["sent"] += 1
        self.datagrams.sendto(self.spoken.pack(code, fields), (LOOPBACK, self.port))

    def _fast(self, code: str, **fields: object) -> None:
        (self._datagram if self.linked else self._send)(code, **fields)

    # messages
    def say_pose(self, me: Body, spin: float) -> None:
        self._order += 1
        status = (PAUSED if me.paused else 0) | (ALIVE if me.alive else 0) | (FALLING if me.position[2] > 0 else 0)
        self._fast("pu", time=time.monotonic() % 65536, player=self.id, order=self._order, status=status, position=list(me.position),
                   velocity=list(me.velocity), azimuth=me.yaw, turn=spin)

    def say_death(self, flight: Flight) -> None:
        self._send("se", player=flight.shooter, shot=flight.number, reason=1)
        self._send("kl", killer=flight.shooter, reason=1, shot=flight.number)

    def say_shot(self, me: Body, slot: int, muzzle: tuple, velocity: tuple, flag: str) -> None:
        self._salt = (self._salt + 1) & 0x7F
        self._shot = slot | self._salt << 8
        self._fast("sb", time=time.monotonic() % 65536, player=self.id, shot=self._shot, position=list(muzzle), velocity=list(velocity), team=me.team,
                   kind=flag, life=self.reload())

    def say_missile(self, me: Body, target: int) -> None:
        self._fast("gm", player=self.id, shot=self._shot, position=list(me.position), velocity=[SHOT_SPEED, 0.0, 0.0], age=0.1, team=me.team,
                   target=target)

    def say_alive(self) -> None:
        dice = random.Random(f"{self.name} {self.hurts}")  # by the page, a client chooses its place
        places = ((dice.uniform(-0.4, 0.4) * self.size, dice.uniform(-0.4, 0.4) * self.size) for _ in range(100))
        x, y = next((place for place in places if all(apart(place, box[:2]) > box[2] + box[3] + 10 for box in self._boxes)), (0.0, 0.0))
        self._send("al", position=[x, y, 0.0], forward=[1.0, 0.0, 0.0])

    def say_grab(self, number: int) -> None:
        self._send("gf", number=number)

    def speak(self, words: str, team: int | None = None, player: int | None = None) -> None:
        self._send("mg", words=words, **self.spoken.address(team, player))

    def drop(self) -> None:
        self._send("df", position=list(self.me().position))

    def pause(self) -> None:
        self._send("pa", on=1)

    def leave(self) -> None:
        self._closing, self.sent_at = True, time.monotonic()
        self._send("ex")
        hang_up(self.socket)

    def kill(self) -> None:
        self._closing = True
        if hasattr(self, "socket"):
            hang_up(self.socket, self.datagrams)

    # what else the tank sees
    def boxes(self) -> list[Box]:
        return self._boxes

    def ammo(self) -> float | None:
        """The reload time; if no variable has it, the number of loaded guns."""
        if "sv" not in self.spoken.server:
            return float(sum(time.monotonic() - fired > self.reload() for fired in self._fired[:self.max_shots]))
        return self.reload() if "_reloadTime" in self.variables else None

    def reload(self) -> float:
        return self._variable("_reloadTime")

    def lag(self) -> bool:
        return self.pings > 0

    def _variable(self, name: str) -> float:
        """The value of a variable; it may be an expression of other variables."""
        value = self.variables.get(name, {"_reloadTime": "3.5", "_shotSpeed": "100", "_shotRange": "350"}.get(name, "0"))
        return float(eval(re.sub(r"_\w+", lambda other: str(self._variable(other[0])), value), {"__builtins__": {}}))  # noqa: S307


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
