# BZFlag 2.4: a tank on its wire, written from the facts of it.
from __future__ import annotations

import re
import select
import socket
import struct
import time

from bzflag_wire import (ALIVE, ALL, CODES, FALLING, FLAG, HEADER, MISSILE, PAUSED, SHOT, TEAM_CHAT, UPDATE, VERSION, boxes, enter, frame, frames,
                         motion, text, variables)
from bzflag_wire import SERVER as FROM_SERVER
from player import LOOPBACK, PATIENCE, Ended, Unseen, hang_up
from tank import BLUE, SHOT_SPEED, Body, Flight, Tank

GAME = "bzflag"


class Client(Tank):
    GAME = GAME

    def __init__(self, port: int, name: str, team: int = BLUE) -> None:
        super().__init__(port, name, team)
        self.variables: dict[str, str] = {}
        self.world, self.whole = b"", False
        self.accepted = self.linked = self._asked_link = False
        self.pings = 0
        self._data, self._salt, self._order, self._shot = bytearray(), 0, 0, 0
        self._reason = ""

    # joining
    def enter(self, team: int) -> None:
        self._connect()
        self._ask("nf", b"".join(code.encode().ljust(2, b"\0") for code in CODES), lambda: "nf" in self._answers)
        self._ask("ws", b"", lambda: self.size)
        self._ask("wh", b"", lambda: "wh" in self._answers)
        self._ask("gw", struct.pack(">I", 0), lambda: self.whole)
        self._ask("en", enter(0, team, self.name), lambda: self.me())
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
        self.hears_shot(shooter, number, (x, y, z), (u, v, w), life)

    def _on_gm(self, payload: bytes) -> None:
        self.missiles += payload[0] != self.id

    def _on_se(self, payload: bytes) -> None:
        shooter, number = struct.unpack_from(">BH", payload)
        self.flights = [flight for flight in self.flights if (flight.shooter, flight.number) != (shooter, number)]

    def _on_kl(self, payload: bytes) -> None:
        self.hears_death(payload[0], payload[1])

    def _on_mg(self, payload: bytes) -> None:
        sender, to = payload[0], payload[1]
        scope = "all" if to == ALL else "team" if 244 <= to <= TEAM_CHAT else "me"
        self.hears_line("SERVER" if sender == FROM_SERVER else self.name_of(sender), text(payload[3:]), scope)

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

    # sending
    def _send(self, code: str, payload: bytes = b"") -> None:
        self.frames["sent"] += 1
        self.socket.sendall(frame(code, payload))

    def _datagram(self, code: str, payload: bytes = b"") -> None:
        self.frames["sent"] += 1
        self.datagrams.sendto(frame(code, payload), (LOOPBACK, self.port))

    def _fast(self, code: str, payload: bytes) -> None:
        (self._datagram if self.linked else self._send)(code, payload)

    # how it is said
    def say_pose(self, me: Body, spin: float) -> None:
        self._order += 1
        status = (PAUSED if me.paused else 0) | (ALIVE if me.alive else 0) | (FALLING if me.position[2] > 0 else 0)
        self._fast("pu", UPDATE.pack(time.monotonic() % 65536, self.id, self._order, status, *me.position, *me.velocity, me.yaw, spin))

    def say_death(self, flight: Flight) -> None:
        self._send("se", struct.pack(">BHH", flight.shooter, flight.number, 1))
        self._send("kl", struct.pack(">BhH2s", flight.shooter, 1, flight.number, b"\0\0"))

    def say_shot(self, me: Body, slot: int, muzzle: tuple, velocity: tuple, flag: str) -> None:
        self._salt = (self._salt + 1) & 0x7F
        self._shot = slot | self._salt << 8
        self._fast("sb", SHOT.pack(time.monotonic() % 65536, self.id, self._shot, *muzzle, *velocity, 0.0, me.team, flag.encode(), self.reload()))

    def say_missile(self, me: Body, target: int) -> None:
        self._fast("gm", MISSILE.pack(self.id, self._shot, *me.position, SHOT_SPEED, 0.0, 0.0, 0.1, me.team, target))

    def say_alive(self) -> None:
        self._send("al")

    def say_grab(self, number: int) -> None:
        self._send("gf", struct.pack(">H", number))

    def speak(self, words: str, team: int | None = None, player: int | None = None) -> None:
        to = ALL if team is None and player is None else player if team is None else TEAM_CHAT - team
        self._send("mg", struct.pack(">B128s", to, words.encode()))

    def drop(self) -> None:
        self._send("df", struct.pack(">3f", *self.me().position))

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

    # what else is seen
    def boxes(self) -> list[tuple[float, float, float, float]]:
        return boxes(self.world)

    def ammo(self) -> float | None:
        return self.reload() if "_reloadTime" in self.variables else None

    def reload(self) -> float:
        return self._variable("_reloadTime")

    def lag(self) -> bool:
        return self.pings > 0

    def _variable(self, name: str) -> float:
        """Values are expressions of other variables."""
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
