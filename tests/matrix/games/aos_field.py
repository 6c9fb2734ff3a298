# A server of Ace of Spades with the observed behaviour of SpadesX and piqueserver: it moves each player by the player's keys, and decides hits.
# Invariant: if a real server would move a player back, drop, mute or ban it, this one records an abuse and answers in the same way.
from __future__ import annotations

import math
import random
import select
import struct
import threading
import time
from typing import Callable

from aos_ground import FLOOR, Ground, Man, Place3, metres
from aos_player import (BLOCK, CHAT, CREATE, GRENADE, GRENADES, GUN, HIT, INPUT, INTEL_CAPTURE, INTEL_DROP, INTEL_PICKUP, JOIN, KILL, LINE, MAP_CHUNK,
                        MOVE_OBJECT, ORIENTATION, PLAYER_LEFT, POSITION, PRIMARY, RELOAD, SET_COLOUR, SET_TOOL, STATE, VERSION, WEAPON_INPUT)
from aos_seat import CLIP, RESERVE, Seat
from aos_speech import MAP_CACHED, VERSIONS, url
from enet_host import UNSEQUENCED, Host, Link
from player import Place, Server, Unit
from wire import Wrong

SET_HP = HIT
BLUE, GREEN, WATCHES, NOBODY, BUILDER = 0, 1, 255, 255, 32
NAMES = {BLUE: "blue", GREEN: "green"}
BANNED, WRONG_VERSION, FULL, KICKED = 1, 3, 4, 10
TILE, TILES = 16, 32  # blocks of a wall's side; walls a side of the map
TICK, PAINT, STALL = 1 / 60, 0.1, 0.05  # seconds
FARTHEST = 6.0  # most blocks between the server's place of a player and the place that the player sends
REACH, SIGHT, AIM = 3.0, 128.0, 5.0  # blocks: reach of an intel, range of a gun, error of an aim at a victim
DAMAGE, INTERVAL, LOADS = {0: 49, 1: 100, 2: 33, 3: 33, 4: 80}, 0.5, 2.5  # a rifle's
BACK_AFTER, LIMIT = 3, 10  # seconds until a respawn; captures to win
MUTED = 5, 10.0  # lines, within seconds
SHAKE, BUILDS = 0.1, 3.0  # seconds between two blocks; the reach in blocks from the middle of the body, with some tolerance
SPRINTS = 0x80
HOMES = {BLUE: (216, 290), GREEN: (296, 290)}
INTEL, TENT = {BLUE: (208.5, 344.5), GREEN: (304.5, 344.5)}, {BLUE: (208.5, 376.5), GREEN: (304.5, 376.5)}


class Field(Server):
    GAME = "aos"
    line_every = 2.6

    def __init__(self, dice: random.Random, dialect: str = "0.75") -> None:
        super().__init__()
        self.dice, self.dialect, self._full, self._stopped = dice, dialect, False, False
        self._tiles = [(dice.randint(3, 27) + i, dice.randint(3, 9)) for _ in range(4) for i in (0, 1)]
        self.land = Ground.of([(TILE * x, TILE * y, TILE) for x, y in self._tiles])
        self.seats: list[Seat] = []
        self.scores, self.intel = {BLUE: 0, GREEN: 0}, dict(INTEL)
        self.carriers: dict[int, Seat | None] = {BLUE: None, GREEN: None}
        self._hears: dict[int, Callable[[Seat, bytes], None]] = {
            JOIN: self._join, POSITION: self._move, ORIENTATION: self._move, INPUT: self._move, WEAPON_INPUT: self._press, HIT: self._hit,
            GRENADE: self._grenade, SET_TOOL: self._hold, SET_COLOUR: self._tell_others, BLOCK: self._block, LINE: self._block, CHAT: self._chat,
            RELOAD: self._reload}
        self._moves: dict[int, Callable[[Seat, object], None]] = {POSITION: self._place, ORIENTATION: self._look, INPUT: self._keys}
        self._host = Host(self._accept, 32, range_coder=True)
        self.port = self._host.port
        threading.Thread(target=self._run, daemon=True, name="aos server").start()

    def url(self, port: int) -> str:
        return url(self.dialect).format(port=port)

    abuses: list[str] = []

    def _wrong(self, seat: Seat, what: str) -> None:
        self.abuses = [*self.abuses, f"{seat.name}: {what}"]

    # -- the clock
    def _run(self) -> None:
        stepped = painted = served = time.monotonic()
        while not self._stopped:
            select.select([self._host], [], [], 0.005)
            with self.changed:
                if self._stopped:
                    return
                now = time.monotonic()
                for seat in self.seats if now - served > STALL else ():
                    seat.told -= now - served  # messages that came meanwhile were not sent too early
                served = now
                self._host.service()
                while stepped + TICK <= now:
                    stepped += TICK
                    self._step()
                if now - painted >= PAINT:
                    painted = now
                    self._paint()
                self._host.flush()
                self.changed.notify_all()

    def _step(self) -> None:
        now = time.monotonic()
        for seat in self._players():
            if seat.man:
                seat.man.step(self.land, TICK)
            if seat.back_at and now >= seat.back_at:
                self._create(seat)
            if seat.loaded_at and now >= seat.loaded_at:
                took = min(CLIP - seat.clip, seat.reserve)
                seat.clip, seat.reserve, seat.loaded_at = seat.clip + took, seat.reserve - took, None
                seat.send(RELOAD, bytes([seat.number, seat.clip, seat.reserve]))

    def _paint(self) -> None:
        men = {seat.number: seat.man for seat in self._players() if seat.man}
        for seat in self._players() if men else ():
            for packet in seat.speech.paints(men):
                seat.forward(packet, UNSEQUENCED)

    # -- joining and leaving
    def _players(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.team is not None]

    def _named(self, name: str) -> Seat | None:
        return next((seat for seat in self._players() if seat.name == name), None)

    def _tell(self, kind: int, payload: bytes, but: Seat | None = None) -> None:
        """Sends to all clients that have the map, in play or not."""
        for seat in self.seats:
            if seat.welcome and seat is not but:
                seat.send(kind, payload)

    def _tell_others(self, seat: Seat, packet: bytes) -> None:
        self._tell(packet[0], bytes([seat.number]) + packet[2:], seat)

    def _accept(self, link: Link) -> Seat:
        taken = {seat.number for seat in self.seats}
        seat = Seat(self, link, next(number for number in range(64) if number not in taken))
        self.seats.append(seat)
        return seat

    def came(self, seat: Seat, data: int) -> None:
        if data != VERSIONS[self.dialect] or self._full:
            return seat.dismiss(FULL if data == VERSIONS[self.dialect] else WRONG_VERSION)
        seat.pieces = list(self.land.chunks())
        seat.forward(seat.speech.starts(self.land, sum(map(len, seat.pieces))))
        return None if seat.speech.caches else self._show(seat, False)

    def _show(self, seat: Seat, cached: bool) -> None:
        for piece in () if cached else seat.pieces:
            seat.send(MAP_CHUNK, piece)
        seat.send(VERSION, b"")
        for other in self._players():
            seat.send(JOIN, struct.pack("<4BI", other.number, other.team, 0, other.tool, other.kills) + b"\x6f\x6f\x6f" + other.name.encode() + b"\0")
        held = (1 if self.carriers[GREEN] else 0) | (2 if self.carriers[BLUE] else 0)

        def slot(side: int) -> bytes:
            carrier = self.carriers[side]
            return bytes([carrier.number]) + bytes(11) if carrier else struct.pack("<3f", *self.intel[side], FLOOR)
        state = bytes([seat.number]) + b"\xff\xe8\x80" + b"\xc8\0\0" + b"\0\xc8\0" + b"Blue".ljust(10, b"\0") + b"Green".ljust(10, b"\0") + b"\0"
        state += bytes([self.scores[BLUE], self.scores[GREEN], LIMIT, held]) + slot(BLUE) + slot(GREEN)
        state += b"".join(struct.pack("<3f", *TENT[side], FLOOR) for side in (BLUE, GREEN))
        seat.welcome = True
        return seat.send(STATE, state)

    def left(self, seat: Seat) -> None:
        self.seats.remove(seat)
        if seat.team is not None:
            self._drop(seat)
            self._tell(PLAYER_LEFT, bytes([seat.number]))
        self.changed.notify_all()

    def heard(self, seat: Seat, packet: bytes) -> None:
        kind = packet[0]
        if kind == MAP_CACHED and seat.speech.caches and not seat.welcome:
            self._show(seat, packet[1] == 1)
        elif kind == JOIN or seat.team is not None and kind in self._hears:
            try:
                self._hears[kind](seat, packet)
            except (struct.error, Wrong) as wrong:
                self._wrong(seat, f"a packet {kind} of {len(packet)} bytes, for which piqueserver bans: {wrong}")
        elif seat.team is None and kind in self._hears:
            self._wrong(seat, f"a packet {kind} before it is in")
            if seat.speech.BANS:
                seat.dismiss(BANNED)

    def _join(self, seat: Seat, packet: bytes) -> None:
        name = packet[12:].split(b"\0")[0].decode("cp437")[:15] or "Deuce"
        seat.name = next(one for one in (name, *(f"{name[:14]}{n}" for n in range(1, 9))) if self._named(one) in (None, seat))
        seat.team, seat.tool = self._balanced(seat, packet[2]), packet[4]
        self._create(seat)

    def _balanced(self, newcomer: Seat, wished: int) -> int:
        """As piqueserver with team balancing: no player joins the larger team."""
        others = [seat.team for seat in self._players() if seat is not newcomer]
        larger = wished in NAMES and others.count(wished) > others.count(1 - wished)
        return 1 - wished if larger else wished

    def _create(self, seat: Seat) -> None:
        place: Place3 = (0.0, 0.0, 0.0)
        if seat.team in NAMES:
            x, y = HOMES[seat.team]
            place = self.land.stands(x + self.dice.randint(0, 7) + 0.5, y + self.dice.randint(0, 30) + 0.5)
            seat.man, seat.hp, seat.clip, seat.reserve, seat.buttons = Man(place), 100, CLIP, RESERVE, 0
            seat.speech.begin(seat.man)
        seat.back_at, seat.loaded_at, seat.told = None, None, -9.0
        self._tell(CREATE, struct.pack("<3B3f", seat.number, 0, seat.team, *place) + seat.name.encode() + b"\0")

    # -- actions of players
    def _move(self, seat: Seat, packet: bytes) -> None:
        if packet[0] == INPUT and packet[1] != seat.number:
            self._wrong(seat, f"keys of player {packet[1]}")
        for what, said in seat.speech.heard(packet):
            self._moves[what](seat, said)

    def _place(self, seat: Seat, place: Place3) -> None:
        if not seat.man:
            return
        now, far = time.monotonic(), math.dist(place, seat.man.place)
        soon = now - seat.told < seat.speech.SOONEST
        seat.told = now
        if soon or not far < FARTHEST:
            self._wrong(seat, f"told its place within {seat.speech.SOONEST} s" if soon else f"was {far:.1f} blocks from where it is")
            return seat.put()
        seat.man.place = place
        return self._touch(seat)

    def _touch(self, seat: Seat) -> None:
        """Handles an intel or a tent at the player's place."""
        other, here = 1 - seat.team, seat.man.place[:2]
        if self.carriers[other] is None and math.dist(here, self.intel[other]) < REACH:
            self.carriers[other] = seat
            self._tell(INTEL_PICKUP, bytes([seat.number]))
        elif self.carriers[other] is seat and math.dist(here, TENT[seat.team]) < REACH:
            self._capture(seat, False)

    def _capture(self, seat: Seat, wins: bool) -> None:
        other = 1 - seat.team
        self.carriers[other], self.intel[other] = None, INTEL[other]
        self.scores[seat.team] += 1
        self._tell(INTEL_CAPTURE, bytes([seat.number, wins]))
        self._tell(MOVE_OBJECT, struct.pack("<BB3f", other, other, *INTEL[other], FLOOR))

    def _drop(self, seat: Seat) -> None:
        for side, carrier in self.carriers.items():
            if carrier is seat:
                self.carriers[side], self.intel[side] = None, seat.man.place[:2] if seat.man else INTEL[side]
                self._tell(INTEL_DROP, bytes([seat.number]) + struct.pack("<3f", *self.intel[side], FLOOR))

    def _look(self, seat: Seat, look: Place3) -> None:
        size = math.hypot(*look)
        if not 0 < size < 40:
            return self._wrong(seat, f"looks along {look}")
        if seat.man:
            seat.man.look = tuple(axis / size for axis in look)

    def _keys(self, seat: Seat, keys: int) -> None:
        if seat.man:
            seat.man.keys = keys
            if seat.speech.RELAYS:
                self._tell(INPUT, bytes([seat.number, keys]), seat)

    def _press(self, seat: Seat, packet: bytes) -> None:
        if seat.man:
            seat.buttons = packet[2]
            if packet[2] & PRIMARY and seat.tool == GUN:
                seat.clip = max(seat.clip - 1, 0)
            self._tell_others(seat, packet)

    def _hold(self, seat: Seat, packet: bytes) -> None:
        seat.tool = packet[2]
        self._tell_others(seat, packet)

    def _hit(self, seat: Seat, packet: bytes) -> None:
        victim, part = packet[1:3]
        now, prey = time.monotonic(), next((one for one in self._players() if one.number == victim), None)
        if not seat.man or prey is None or not prey.man or prey.team == seat.team:
            return
        off = aside(seat.man, prey.man.place)
        wrong = ("without a pull" if not seat.buttons & PRIMARY else "in a sprint" if seat.man.keys & SPRINTS else "too soon" if
                 now - seat.fired < INTERVAL - 0.05 else f"{off:.1f} blocks aside" if off > AIM else None)
        if wrong:
            return self._wrong(seat, f"a hit {wrong}")
        seat.fired, prey.hp = now, max(prey.hp - DAMAGE.get(part, 0), 0)
        prey.send(SET_HP, bytes([prey.hp, 1]) + struct.pack("<3f", *seat.man.place))
        if prey.hp == 0:
            self._kill(prey, seat)

    def _kill(self, prey: Seat, by: Seat) -> None:
        self._drop(prey)
        prey.man, prey.back_at, prey.buttons, by.kills = None, time.monotonic() + BACK_AFTER, 0, by.kills + (by is not prey)
        self._tell(KILL, bytes([prey.number, by.number, 0, BACK_AFTER]))

    def _grenade(self, seat: Seat, packet: bytes) -> None:
        if seat.tool != GRENADES:
            return self._wrong(seat, "a grenade thrown with another tool in hand")
        return self._tell_others(seat, packet)

    def _reload(self, seat: Seat, packet: bytes) -> None:
        seat.loaded_at = seat.loaded_at or time.monotonic() + LOADS
        self._tell_others(seat, packet)

    def _block(self, seat: Seat, packet: bytes) -> None:
        now = time.monotonic()
        if now - seat.built < SHAKE:
            return self._wrong(seat, "blocks within 0.1 s")
        seat.built = now
        if packet[0] == BLOCK:
            action, x, y, z = struct.unpack("<B3i", packet[2:15])
            if action > 2 or not (0 <= x < 512 and 0 <= y < 512 and 0 <= z < FLOOR):
                return self._wrong(seat, f"block action {action} at {x}, {y}, {z}")
            self.land.change(x, y, z, action == 0)
        return self._tell(packet[0], bytes([seat.number]) + packet[2:])

    def _chat(self, seat: Seat, packet: bytes) -> None:
        words, now = packet[3:].split(b"\0")[0], time.monotonic()
        if words.startswith(b"/go ") and seat.man:
            x, y = map(float, words[4:].split())
            seat.man.place, seat.man.speed = self.land.stands(x, y), (0.0, 0.0)
            return seat.put()
        seat.lines = [*(line for line in seat.lines if now - line < MUTED[1]), now]
        if len(seat.lines) >= MUTED[0] or len(words) > 108:
            self._wrong(seat, f"{len(seat.lines)} lines in {MUTED[1]:g} s, {len(words)} bytes")
        for other in self._players():
            if packet[2] == 0 or other.team == seat.team:
                other.send(CHAT, bytes([seat.number, packet[2]]) + words + b"\0")
        return None

    # -- its state, and requests of the harness
    def units(self) -> list[Unit]:
        with self.changed:
            return [Unit(seat.name, metres(*seat.man.place[:2]), seat.man.yaw(), NAMES[seat.team]) for seat in self._players() if seat.man]

    def score(self, name: str) -> int | None:
        with self.changed:
            seat = self._named(name)
            return seat.kills if seat else None

    def notice(self, text: str) -> None:
        with self.changed:
            self._tell(CHAT, bytes([NOBODY, 2]) + text.encode() + b"\0")

    def kick(self, name: str, reason: str) -> None:
        with self.changed:
            seat = self._named(name)
            seat.send(CHAT, bytes([NOBODY, 2]) + reason.encode() + b"\0")
            seat.dismiss(KICKED)

    def fill(self) -> None:
        self._full = True

    def empty(self) -> None:
        self._full = False

    def walls(self) -> list[Place]:
        return [metres(TILE * (x + 0.5), TILE * (y + 0.5)) for x, y in self._tiles]

    def bounds(self) -> tuple[float, float]:
        return 800.0, 800.0

    def end_round(self) -> None:
        with self.changed:
            self._capture(next(seat for seat in self._players() if seat.team in NAMES), True)

    def edit(self) -> None:
        """Builds a wall of blocks away from all players, large enough for a game of tiles to show."""
        with self.changed:
            left, top = TILE * self.dice.randint(24, 28), TILE * 2
            self._tell(SET_COLOUR, bytes([BUILDER, 0x20, 0x40, 0xc0]))
            for x in range(left, left + TILE):
                for y in range(top, top + TILE):
                    for z in range(FLOOR - 3, FLOOR):
                        self.land.change(x, y, z, True)
                        self._tell(BLOCK, bytes([BUILDER, 0]) + struct.pack("<3i", x, y, z))

    def again(self) -> None:
        self.wait(lambda: not self._players(), 10, f"{[seat.name for seat in self._players()]} stay in the Ace of Spades game")

    def stop(self) -> None:
        with self.changed:
            self._stopped = True
            self._host.close()


def aside(man: Man, place: Place3) -> float:
    """The distance in blocks between that place and the man's line of sight."""
    way = [b - a for a, b in zip(man.place, place)]
    along = sum(w * l for w, l in zip(way, man.look))
    return math.dist(way, [along * l for l in man.look]) if along > 0 else math.inf
