# Ace of Spades: a player, written from the protocol's document and the observed behaviour of real clients.
# Invariant: the client moves its own body by its keys; a place that the server sends replaces its own. aos_speech.py has the messages for both.
from __future__ import annotations

import math
import select
import struct
import time
import zlib

from aos_ground import JUMP, METRE, SPRINT, UP, Ground, Man, Place3, blocks, metres
from aos_player import (BLOCK, CHAT, CREATE, EXTENSIONS, GRENADE, GRENADES, GUN, HANDSHAKE, HANDSHAKE_BACK, HIT, INTEL_CAPTURE, INTEL_DROP,
                        INTEL_PICKUP, JOIN, KILL, LINE, MAP_CHUNK, MAP_START, MOVE_OBJECT, PLAYER_LEFT, POSITION, PRIMARY, RELOAD, RESTOCK, SET_TOOL,
                        STATE, VERSION, VERSION_BACK, WEAPON_INPUT, WORLD)
from aos_speech import ASTRAY, MAP_CACHED, VERSIONS, speech
from enet_host import RELIABLE, Host
from player import PATIENCE, Death, Ended, Place, Player, Said, Shot, Unit, Unseen

GAME = "aos"
SET_HP = HIT  # the same number, from the server
BLUE, GREEN, WATCHES = 0, 1, 255
TEAMS = {BLUE: "blue", GREEN: "green"}
SERVER_LINE, TEAM_LINE = 2, 1
RIFLE_LOADS, CLIP, RESERVE = 0.5, 10, 50  # seconds, rounds
TICK, SHOWN = 1 / 60, 0.4  # seconds
NEAR = 0.6  # blocks from the goal at which a man has arrived
SLIDES = 2.0  # blocks that a man slides after he releases his keys
REASONS = {0: "the server let go", 1: "banned", 2: "too many players from one address", 3: "wrong version", 4: "the server is full",
           5: "the server shuts down", 10: "kicked", 20: "the name is taken or not a name"}
MAPS: dict[int, bytes] = {}  # cached maps by checksum; real clients cache them on disk


class Someone:
    """A player, this one or another, as the server describes it."""

    def __init__(self, name: str, team: int, kills: int = 0) -> None:
        self.name, self.team, self.kills, self.alive = name, team, kills, False
        self.place, self.look, self.shot = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), None
        self.lifted, self.pulled = 0.0, False  # blocks above the ground, at most

    def yaw(self) -> float:
        return math.atan2(-self.look[1], self.look[0])


class Client(Player):
    GAME = GAME

    def __init__(self, port: int, name: str, dialect: str = "0.75") -> None:
        super().__init__(port, name)
        self.dialect, self.speech, self.id, self.land, self.man = dialect, speech(dialect), None, None, None
        self.people: dict[int, Someone] = {}
        self.hp, self.clip, self.reserve, self.grenades_seen, self.scores = 100, CLIP, RESERVE, 0, {}
        self.intel: dict[int, tuple] = {}  # for each team: where its intel lies
        self.carriers: dict[int, int | None] = {BLUE: None, GREEN: None}
        self.ended, self._edits, self._mode, self._placings = False, 0, 0, 0
        self._side: int | None = None  # the requested team; by default natives are enemies of the players through Entente
        self._map, self._vxl, self._checksum, self._goal = zlib.decompressobj(), bytearray(), None, None
        self._fired, self._stepped, self._spoke, self._parted = 0.0, 0.0, 0.0, False

    # -- the link
    def join(self) -> None:
        self._come(self._side if self._side is not None else GREEN if self.native else BLUE)
        self.wait(self.where, 20, "no Create Player of its own")
        self.wait(lambda: self.people[self.id].alive, 5, "not in play")

    def side_with(self, team: object) -> None:
        self._side = next((side for side, name in TEAMS.items() if name == team), None)

    def watch(self) -> None:
        self._come(WATCHES)
        self.wait(lambda: self.id in self.people, 20, "no Create Player of its own")

    def _come(self, team: int) -> None:
        self._host = Host(range_coder=True)
        with self.changed:
            self._link = self._host.connect(self.port, 1, VERSIONS[self.dialect], self)
        self.run()
        self.wait(lambda: self.id is not None, 30, "no State Data")
        self._say(JOIN, bytes([self.id, team, 0, GUN]) + bytes(4) + b"\x6f\x6f\x6f" + self.name.encode() + b"\0")

    def listen(self) -> None:
        select.select([self._host], [], [], 0.01)
        with self.changed:
            if self._closing:
                return
            self._host.service()
            if self.gone is not None:
                raise Ended(self.gone)
            self._live()

    def connected(self, _: int) -> None:
        pass

    def disconnected(self, reason: int) -> None:
        self._parted = True
        # The last line is the reason, which may be truncated; the line before it has all of it.
        words = max((said.text for said in self.heard[-2:] if said.sender == "SERVER"), key=len, default="")
        why = REASONS.get(reason, f"reason {reason}")
        self.gone = f"{why}: {words}" if reason == 10 and words else f"sent away: {why}"
        self.changed.notify_all()

    def received(self, packet) -> None:
        self.frames["heard"] += 1
        heard = self._HEARD.get(packet.data[0])
        if heard:
            heard(self, packet.data)
        self.changed.notify_all()

    def _say(self, kind: int, payload: bytes = b"", wished: bool = False) -> None:
        self._send(bytes([kind]) + payload, RELIABLE, wished)

    def _send(self, packet: bytes, flags: int, wished: bool = False) -> None:
        with self.changed:
            if self.gone is None and not self._closing:
                self.frames["sent"] += 1
                self.sent_at = time.monotonic() if wished else self.sent_at
                self._link.send(packet, 0, flags)
                self._host.flush()

    def _me(self, kind: int, *more: int) -> None:
        self._say(kind, bytes([self.id, *more]))

    # -- receiving
    def _begin_map(self, packet: bytes) -> None:
        self.speech, self.people, self.man, self.id = speech(self.dialect), {}, None, None
        self._map, self._checksum = zlib.decompressobj(), self.speech.checksum(packet)
        self._vxl = bytearray(MAPS.get(self._checksum, b""))
        if self._checksum is not None:
            self._say(MAP_CACHED, bytes([bool(self._vxl)]))

    def _chunk(self, packet: bytes) -> None:
        self._vxl += self._map.decompress(packet[1:])

    def _state(self, packet: bytes) -> None:
        if self._checksum is not None:
            if zlib.crc32(self._vxl) != self._checksum:
                raise ValueError(f"a map whose checksum is not {self._checksum:#x}")
            MAPS[self._checksum] = bytes(self._vxl)
        self.land = Ground.read(self._vxl)
        self._mode, self.id = packet[31], packet[1]
        if self._mode == 0:
            one, two, _, held = packet[32:36]
            self.scores = {"blue": one, "green": two}
            places = [struct.unpack_from("<3f", packet, 36 + 12 * number) for number in range(4)]
            self.intel = dict(enumerate(places[:2]))
            self.tents = dict(enumerate(places[2:]))
            self.carriers = {GREEN: packet[48] if held & 1 else None, BLUE: packet[36] if held & 2 else None}

    def _asked(self, packet: bytes) -> None:
        self._say(HANDSHAKE_BACK, packet[1:])

    def _version(self, _: bytes) -> None:
        self._say(VERSION_BACK, b"e\x01\x00\x00a man")

    def _extensions(self, _: bytes) -> None:
        self._say(EXTENSIONS, bytes([1, 194, 1]))

    def _existing(self, packet: bytes) -> None:
        number, team, _, _, kills = struct.unpack_from("<BBBBI", packet, 1)
        self.people[number] = Someone(name_in(packet[12:]), team, kills)

    def _created(self, packet: bytes) -> None:
        number, _, team, *place = struct.unpack_from("<BBB3f", packet, 1)
        before = self.people.get(number)
        one = self.people[number] = Someone(name_in(packet[16:]), team, before.kills if before else 0)
        one.alive, one.place = team in TEAMS, tuple(place)
        if number == self.id and one.alive:
            self.man = Man(tuple(place))
            self.speech.begin(self.man)
            self.hp, self.clip, self.reserve, self._goal, self._stepped = 100, CLIP, RESERVE, None, time.monotonic()
            self._me(SET_TOOL, GUN)

    def _killed(self, packet: bytes) -> None:
        victim, killer, kind, _ = packet[1:5]
        if kind >= 5:  # the player changed team or weapon
            return self._dies(victim)
        by = self.people[killer].name if killer != victim and killer in self.people else None
        self.deaths.append(Death(self.people[victim].name if victim != self.id else self.name, by))
        if killer != victim and killer in self.people:
            self.people[killer].kills += 1
        if victim == self.id:
            self.hurts += 1
        return self._dies(victim)

    def _dies(self, victim: int) -> None:
        self.people[victim].alive = False
        if victim == self.id:
            self.man = None

    def _hurt(self, packet: bytes) -> None:
        self.hurts += packet[1] < self.hp
        self.hp = packet[1]

    def _world(self, packet: bytes) -> None:
        put, views = self.speech.told(packet, self.id)
        if put:
            self._is_put(put)
        for number, place, look in views:
            one = self.people.get(number)
            if one is None or place == (0.0, 0.0, 0.0):
                continue
            one.place, one.look, one.alive = place, look, one.alive or one.team in TEAMS and not self._died(one)
            if self.land:
                one.lifted = max(one.lifted, self.land.under(place[0], place[1]) - place[2] - 2.25)
            if one.shot and time.monotonic() - one.shot.at < SHOWN:
                one.shot.yaw = one.yaw()  # the look comes with a World Update, after the trigger

    def _died(self, one: Someone) -> bool:
        """Marks the player as dead; late World Updates do not revive it."""
        return any(death.victim == one.name for death in self.deaths)

    def _is_put(self, place: Place3) -> None:
        self._placings += 1
        if self.man:
            self.man.place, self.man.speed = place, (0.0, 0.0)
            self.speech.begin(self.man)

    def _pressed(self, packet: bytes) -> None:
        one = self.people.get(packet[1])
        if one is None or packet[1] == self.id:
            return
        pulled, one.pulled = packet[2] & PRIMARY and not one.pulled, packet[2] & PRIMARY
        if pulled:
            one.shot = Shot(one.name, metres(*one.place[:2]), one.yaw())
            self.shots.append(one.shot)

    def _thrown(self, packet: bytes) -> None:
        self.grenades_seen += packet[1] != self.id

    def _changed(self, packet: bytes) -> None:
        if packet[0] == BLOCK and self.land:
            x, y, z = struct.unpack_from("<3i", packet, 3)
            self.land.change(x, y, z, packet[2] == 0)
        self._edits += 1

    def _chat(self, packet: bytes) -> None:
        number, kind = packet[1], packet[2]
        text = packet[3:].split(b"\0")[0]
        text = text[1:].decode("utf-8", "replace") if text[:1] == b"\xff" else text.decode("cp437")
        by_server = kind == SERVER_LINE or number not in self.people
        self.heard.append(Said("SERVER" if by_server else self.people[number].name, text, "team" if kind == TEAM_LINE else "all"))

    def _left(self, packet: bytes) -> None:
        self.people.pop(packet[1], None)

    def _moved_object(self, packet: bytes) -> None:
        if packet[1] in self.intel:
            self.intel[packet[1]], self.carriers[packet[1]] = struct.unpack_from("<3f", packet, 3), None

    def _picked(self, packet: bytes) -> None:
        self.carriers[1 - self.people[packet[1]].team] = packet[1]

    def _dropped(self, packet: bytes) -> None:
        side = 1 - self.people[packet[1]].team
        self.intel[side], self.carriers[side] = struct.unpack_from("<3f", packet, 2), None

    def _captured(self, packet: bytes) -> None:
        team = self.people[packet[1]].team
        self.carriers[1 - team] = None
        self.scores[TEAMS[team]] = self.scores.get(TEAMS[team], 0) + 1
        self.ended = self.ended or packet[2] != 0

    def _reloaded(self, packet: bytes) -> None:
        if packet[1] == self.id:
            self.clip, self.reserve = packet[2], packet[3]

    def _restocked(self, _: bytes) -> None:
        self.hp, self.reserve = 100, RESERVE

    _HEARD = {MAP_START: _begin_map, MAP_CHUNK: _chunk, STATE: _state, HANDSHAKE: _asked, VERSION: _version, EXTENSIONS: _extensions, JOIN: _existing,
              CREATE: _created, KILL: _killed, SET_HP: _hurt, WORLD: _world, POSITION: _world, WEAPON_INPUT: _pressed, GRENADE: _thrown,
              BLOCK: _changed, LINE: _changed, CHAT: _chat, PLAYER_LEFT: _left, MOVE_OBJECT: _moved_object, INTEL_PICKUP: _picked,
              INTEL_DROP: _dropped, INTEL_CAPTURE: _captured, RELOAD: _reloaded, RESTOCK: _restocked}

    # -- his body
    def _live(self) -> None:
        """Simulates as many 1/60 s steps as have passed, and sends the changes."""
        man, now = self.man, time.monotonic()
        if man is None:
            return
        if now - self._stepped > 0.5:
            self._stepped = now - TICK
        if self._stepped + TICK > now:
            return
        while self._stepped + TICK <= now:
            self._stepped += TICK
            self._steer(man)
            man.step(self.land, TICK)
        self._tell_body(man)

    def _steer(self, man: Man) -> None:
        if self._goal is None:
            return
        x, y = self._goal
        far = math.dist(man.place[:2], (x, y))
        closing = math.hypot(*man.speed) / 4.0  # blocks that the man still slides
        if far < NEAR or far < closing:
            man.keys = 0
            if far < NEAR + 0.6 and math.hypot(*man.speed) < 0.5:
                self._goal = None
                self.changed.notify_all()
            return
        man.look = ((x - man.place[0]) / far, (y - man.place[1]) / far, 0.0)
        man.keys = UP | (SPRINT if far > 10 else 0)

    def _tell_body(self, man: Man) -> None:
        for packet in self.speech.says(man, self.id):
            self._send(packet, self.speech.FLAGS)

    # -- what the player sees
    def where(self) -> Place | None:
        with self.changed:
            return metres(*self.man.place[:2]) if self.man else None

    def heading(self) -> float | None:
        return self.man.yaw() if self.man else None

    def others(self) -> list[Unit]:
        with self.changed:
            return [Unit(one.name, metres(*one.place[:2]), one.yaw(), TEAMS.get(one.team)) for number, one in self.people.items()
                    if number != self.id and one.alive and one.place != (0.0, 0.0, 0.0)]

    def score(self, name: str) -> int | None:
        with self.changed:
            return next((one.kills for one in self.people.values() if one.name == name), None)

    def team(self) -> object:
        return TEAMS.get(self.people[self.id].team)

    def team_scores(self) -> dict:
        return self.scores

    def walls(self) -> list[Place]:
        """Every eighth column that is too high to climb."""
        tops = self.land.tops
        floor = max(set(tops[::997]), key=tops[::997].count)
        return [metres(x + 0.5, y + 0.5) for y in range(4, 512, 8) for x in range(4, 512, 8) if tops[512 * y + x] < floor - 1]

    def bounds(self) -> tuple[float, float]:
        return 512 * METRE, 512 * METRE

    def tokens(self) -> dict:
        """A player can carry the other team's intel; opponents can carry its own team's."""
        with self.changed:
            mine = self.people[self.id].team
            return {side: self.people[carrier].name if carrier in self.people else None for side, carrier in self.carriers.items()
                    if carrier is not None or side != mine}

    def ammo(self) -> float | None:
        return float(self.clip)

    def health(self) -> float | None:
        return float(self.hp) if self.man else None

    def height(self, name: str) -> float:
        """The greatest height above the ground so far, in metres."""
        with self.changed:
            return max((one.lifted * METRE for one in self.people.values() if one.name == name), default=0.0)

    def guided(self) -> int:
        return self.grenades_seen

    def over(self) -> bool:
        """Whether the round is over; without a capture, a line of chat says so."""
        return self.ended or any(said.sender == "SERVER" and "round is over" in said.text for said in self.heard)

    def lag(self) -> bool:
        """Whether ENet's pings have measured the lag, which is what clients show."""
        with self.changed:
            return self._link.round_trip_ms is not None

    def edits(self) -> int:
        return self._edits

    # -- actions
    def go_to(self, place: Place, seconds: float) -> None:
        if self.native:
            return self._is_taken_to(blocks(place))
        with self.changed:
            self.here()
            self._goal, self.sent_at = blocks(place), time.monotonic()
        try:
            self.wait(lambda: self._goal is None or self.man is None, seconds, "still on the way")
        except Unseen:
            pass
        self.halt()

    def _is_taken_to(self, place: Place) -> None:
        """Moves there by a command of this server, as real servers have one."""
        before = self._placings
        self._say(CHAT, bytes([self.id, 0]) + f"/go {place[0]:.2f} {place[1]:.2f}".encode() + b"\0", wished=True)
        self.wait(lambda: self._placings > before or self.man is None or math.dist(self.man.place[:2], place) < ASTRAY, 5,
                  "the server's command did nothing")

    def start_moving(self, yaw: float) -> None:
        with self.changed:
            self.here()
            self._look(yaw)
            self.man.keys, self.sent_at = UP, time.monotonic()
            self._tell_body(self.man)

    def halt(self) -> None:
        with self.changed:
            self._goal, self.sent_at = None, time.monotonic()
            if self.man:
                self.man.keys = 0
                self._tell_body(self.man)

    def face(self, yaw: float) -> None:
        with self.changed:
            self.here()
            self._goal = None
            self._look(yaw)
            self._tell_body(self.man)

    def _look(self, yaw: float, pitch: float = 0.0) -> None:
        self.man.look = (math.cos(yaw) * math.cos(pitch), -math.sin(yaw) * math.cos(pitch), -math.sin(pitch))

    def shoot(self, yaw: float) -> None:
        """Looks, pulls the trigger, and reports the player that the ray hit; reloads when the clip is empty."""
        self.wait(lambda: time.monotonic() - self._fired > RIFLE_LOADS + 0.1, 2, "no shot is loaded")
        if self.clip == 0:
            self._me(RELOAD, self.clip, self.reserve)
            self.wait(lambda: self.clip > 0, 8, "the gun was not loaded")
        self.face(yaw)
        time.sleep(0.05)  # a look goes out before the trigger is pulled
        with self.changed:
            self.here()
            self._fired, self.clip = time.monotonic(), self.clip - 1
            self._say(WEAPON_INPUT, bytes([self.id, PRIMARY]), wished=True)
            self._claim(yaw)
        time.sleep(0.1)
        self._me(WEAPON_INPUT, 0)

    def _claim(self, yaw: float) -> None:
        """Reports the first player that the ray hits, if it is of the other team."""
        here, mine = self.man.place, self.people[self.id].team
        best = None
        for number, one in self.people.items():
            dx, dy = one.place[0] - here[0], one.place[1] - here[1]
            along, aside = dx * math.cos(yaw) - dy * math.sin(yaw), dx * math.sin(yaw) + dy * math.cos(yaw)
            if number != self.id and one.alive and one.team != mine and 0 < along < 128 and abs(aside) < 0.5 and (best is None or along < best[0]):
                best = along, number
        if best:
            self._say(HIT, bytes([best[1], 0]))

    def respawn(self) -> None:
        """Waits for the respawn, which servers do by themselves."""
        self.sent_at = time.monotonic()
        self.wait(self.where, 20, "not back in play")

    def say(self, words: str) -> None:
        self._speak(words, 0)

    def say_team(self, words: str) -> None:
        self._speak(words, TEAM_LINE)

    def _speak(self, words: str, kind: int) -> None:
        """At most one line in 2.6 s: piqueserver mutes a player for the fifth line within ten seconds."""
        time.sleep(max(0.0, self._spoke + 2.6 - time.monotonic()))
        self._spoke = time.monotonic()
        self._say(CHAT, bytes([self.id, kind]) + words.encode("cp437") + b"\0", wished=True)

    def grab(self, number: int) -> None:
        """Goes to the intel; the server then gives it to the player. A walk across the whole world takes more than 40 s."""
        self.go_to(metres(*self.intel[number][:2]), 90)

    def jump(self) -> None:
        with self.changed:
            self.here()
            self.man.keys |= JUMP
            self._tell_body(self.man)
        time.sleep(0.3)
        self.halt()

    def guide(self, _: str) -> None:
        """Throws a grenade ahead."""
        self._me(SET_TOOL, GRENADES)
        time.sleep(1.1)  # servers want a tool to be held for so long
        with self.changed:
            place, look = self.man.place, self.man.look
            self._say(GRENADE, bytes([self.id]) + struct.pack("<7f", 2.0, *place, look[0], look[1], look[2] - 0.3), wished=True)
        self._me(SET_TOOL, GUN)

    def leave(self) -> None:
        with self.changed:
            self.sent_at = time.monotonic()
            self.man = None
            self._link.disconnect(0)
            self._host.flush()
        self.wait_gone()

    def wait_gone(self) -> None:
        end = time.monotonic() + PATIENCE
        with self.changed:
            while self.gone is None and time.monotonic() < end:
                self.changed.wait(0.02)

    def kill(self) -> None:
        """Sends a disconnect; without one, a server would wait for half a minute."""
        if self._closing or not hasattr(self, "_link"):
            return
        with self.changed:
            self._closing, end = True, time.monotonic() + 2
            if not self._parted:
                self._link.disconnect(0)
            while not self._parted and time.monotonic() < end:
                self._host.service()
                time.sleep(0.005)
            self._host.close()


def name_in(field: bytes) -> str:
    return field.split(b"\0")[0].decode("cp437")
