# A server of BZFlag's draft, by the page: clients report their places and their deaths; the server decides everything else.
# Invariant: the sender's id in a message is not trusted; a message that no honest client sends is recorded as an abuse.
from __future__ import annotations

import hashlib
import math
import random
import select
import threading
import time

from bzdraft_tank import ALIVE, FLAGS, TURN, WATCHES, milli, whole
from bzdraft_wire import DRAFT, ID_EVERYONE, ID_ROGUES, VERSION, Drop, Flag, Reject, frames
from codec import CLIENT, PLAY, SERVER
from enet_host import RELIABLE, UNRELIABLE, Host, Link, Packet
from player import WORLD, Place, Server, Unit, apart
from tank import BLUE, SPEED, TEAMS
from wiki_world import encode_world
from wire import Seen, Wrong

GAME = "bzdraft"
URL = "bzdraft://127.0.0.1:{port}"
SEATS, SHOTS, PIECE = 12, 3, 996  # PIECE: bytes of a resource in one message of 1024
JUMPING = 8  # a bit of the style
REACH = 20.0  # most metres to a flag that is grabbed: the tank's and the flag's radius, and half a second of driving
BOXES = ((-200.0, 300.0), (200.0, 325.0), (-37.5, 312.5))
LYING = ((100.0, -100.0), (-150.0, -50.0))
SENDERS = {"MsgShotBegin": "shooter", "MsgShotEnd": "shooter", "MsgShotUpdate": "shooter", "MsgTeleport/tp": "player_id", "MsgPlayerUpdate": "player_id"}


def world() -> bytes:
    style = {"version": 1, "world_size": WORLD, "style": 0, "max_players": 0, "max_shots": 0, "max_flags": 0, "linear_acceleration": 0.0,
             "angular_acceleration": 0.0, "shake_timeout": 0, "shake_wins": 0, "epoch_offset": 0}
    walls = [("wall", {"center": [x * WORLD / 2, y * WORLD / 2, 0.0], "angle": angle, "width": WORLD / 2, "height": 6.15})
             for x, y, angle in ((0, 1, 1.5 * math.pi), (1, 0, math.pi), (0, -1, 0.5 * math.pi), (-1, 0, 0.0))]
    boxes = [("box", {"center": [x, y, 0.0], "angle": 0.0, "width": 12.5, "depth": 12.5, "height": 9.4, "sdf": 0}) for x, y in BOXES]
    return encode_world([("style", style), *walls, *boxes, ("end", {})])


class Seat:
    """One connection; `told` holds the fields of its MsgAddPlayer, once it has entered."""

    def __init__(self, arena: Arena, link: Link, number: int) -> None:
        self.arena, self.link, self.number = arena, link, number
        self.told: Seen | None = None
        self.alive, self.position, self.velocity, self.yaw, self.at = False, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
        self.loaded = [0.0] * SHOTS

    def connected(self, _: int) -> None:
        pass

    def received(self, packet: Packet) -> None:
        for frame in frames(packet.data):
            try:
                name, said = DRAFT.decode(CLIENT, PLAY, frame)
            except Wrong as wrong:
                return self.arena.abuse(self, f"{wrong}")
            self.arena.hear(self, name, said)
        return None

    def disconnected(self, _: int) -> None:
        self.arena.left(self)

    def tell(self, kind: str, **fields: object) -> None:
        lane = RELIABLE if DRAFT.find(SERVER, kind).lanes[0] == "stream" else UNRELIABLE
        try:
            self.link.send(DRAFT.encode(SERVER, kind, fields), 0, lane)
        except OSError:
            pass  # it is closed

    def place(self) -> Place:
        """The current place by dead reckoning."""
        late = min(time.monotonic() - self.at, 1.0)
        return self.position[0] + self.velocity[0] * late, self.position[1] + self.velocity[1] * late


class Arena(Server):
    GAME = GAME

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self.dice, self.abuses = dice, []
        self.resource = world()
        self.name = hashlib.md5(self.resource).hexdigest()
        self.seats: dict[int, Seat] = {}
        self.flags = [{"flag_num": number, "flag_id": FLAGS.index("GM"), "status": Flag.ON_GROUND, "player_id": 0, **milli((*place, 0.0), "position")}
                      for number, place in enumerate(LYING)]
        self.team_wins = {team: [0, 0] for team in range(5)}
        self.host = Host(self._accept, SEATS + 4)
        self.port, self._stopped = self.host.port, False
        threading.Thread(target=self._run, daemon=True, name="arena").start()

    def url(self, port: int) -> str:
        return URL.format(port=port)

    def _run(self) -> None:
        while not self._stopped:
            select.select([self.host], [], [], TURN)
            with self.changed:
                if not self._stopped:
                    self.host.service()
                    self.host.flush()
                self.changed.notify_all()

    def _accept(self, link: Link) -> Seat:
        number = next(number for number in range(1, 249) if number not in self.seats)
        self.seats[number] = Seat(self, link, number)
        return self.seats[number]

    def abuse(self, seat: Seat, what: str) -> None:
        self.abuses.append(f"{seat.told['call_sign'] if seat.told else 'somebody'}: {what}")

    # joining and leaving
    def players(self) -> list[Seat]:
        return [seat for seat in self.seats.values() if seat.told]

    def tell(self, kind: str, **fields: object) -> None:
        for seat in self.players():
            seat.tell(kind, **fields)

    def left(self, seat: Seat) -> None:
        """A client that has left may disconnect only after another player got its number."""
        if self.seats.get(seat.number) is seat:
            del self.seats[seat.number]
        if seat.told:
            self._let_go(seat, Drop.KILLED)
            seat.told = None
            self.tell("MsgRemovePlayer", playerid=seat.number)

    # messages of clients
    def hear(self, seat: Seat, name: str, said: Seen) -> None:
        before = {"MsgVersion": self._greet, "MsgGetWorld": self._describe, "MsgGetResource": self._serve, "MsgEnter": self._enter}
        within = {"MsgExit": lambda seat, _: self.left(seat), "MsgAlive": self._revive, "MsgKilled": self._killed, "MsgGrabFlag": self._grab,
                  "MsgDropFlag": lambda seat, said: self._let_go(seat, said["reason"]), "MsgMessage": self._message}
        if name in before:
            return before[name](seat, said)
        if not seat.told:
            return self.abuse(seat, f"{name} before it is in")
        if name in within:
            return within[name](seat, said)
        return self._pass_on(seat, name, said) if name in SENDERS else None

    def _greet(self, seat: Seat, _: Seen) -> None:
        seat.tell("MsgVersion", version=VERSION, playerid=seat.number, can_join=int(len(self.seats) <= SEATS))

    def _describe(self, seat: Seat, _: Seen) -> None:
        seat.tell("MsgGetWorld", style=JUMPING, max_players=SEATS, max_shots=SHOTS, max_flags=len(self.flags), linear_acceleration=0,
                  angular_acceleration=0, bad_flag_shake_time=15, bad_flag_shake_win_count=1, server_time=60_000, world_model_name=self.name)

    def _serve(self, seat: Seat, asked: Seen) -> None:
        whole_one = self.resource if bytes(asked["md5"]).hex() == self.name else b""
        piece = whole_one[asked["offset"]:asked["offset"] + PIECE]
        seat.tell("MsgGetResource", offset=asked["offset"], remaining=max(len(whole_one) - asked["offset"] - len(piece), 0), md5=asked["md5"],
                  data=piece.hex())

    def _enter(self, seat: Seat, asked: Seen) -> None:
        others = [other.told["call_sign"] for other in self.players() if other is not seat]
        wrong = next((reason for reason, so in ((Reject.BAD_REQUEST, asked["callsign"] in ("", *others)), (Reject.BAD_TEAM, asked["team"] > 4),
                                                (Reject.BAD_TYPE, asked["type"] > 2)) if so), None)
        if wrong is not None:
            return seat.tell("MsgReject", reason=wrong, text=f"{asked['callsign']} is taken" if wrong == Reject.BAD_REQUEST else "no such thing")
        newcomer = seat.told is None
        score = {"wins": 0, "losses": 0} if newcomer else {name: seat.told[name] for name in ("wins", "losses")}
        seat.told = {"playerid": seat.number, "type": asked["type"], "team": asked["team"], **score, "call_sign": asked["callsign"],
                     "email": asked["email"], "avatar_name": asked["avatar"]}
        seat.tell("MsgAccept", playerid=seat.number)
        if newcomer:
            for flag in self.flags:
                seat.tell("MsgFlagUpdate", **flag)
            for other in self.players():
                if other is not seat:
                    seat.tell("MsgAddPlayer", **other.told)
        return self.tell("MsgAddPlayer", **seat.told)

    def _revive(self, seat: Seat, _: Seen) -> None:
        if seat.alive or seat.told["type"] == WATCHES:
            return self.abuse(seat, "MsgAlive of who lives or looks on")
        place = self._free_place()
        seat.alive, seat.position, seat.velocity, seat.yaw, seat.at = True, (*place, 0.0), (0.0, 0.0, 0.0), 0.0, time.monotonic()
        return self.tell("MsgAlive", player_id=seat.number, **milli(seat.position, "position"))

    def _free_place(self) -> Place:
        while True:
            place = (self.dice.uniform(-250, 250), self.dice.uniform(-250, 250))
            taken = [*BOXES, *LYING, *(seat.place() for seat in self.players() if seat.alive)]
            if all(apart(place, other) > 60 for other in taken):
                return place

    def _killed(self, seat: Seat, said: Seen) -> None:
        """A death; only the victim may report it, once per life."""
        if not seat.alive:
            return self.abuse(seat, "a second death in one life")
        seat.alive = False
        self._let_go(seat, Drop.KILLED)
        self.tell("MsgKilled", **said | {"victim": seat.number})
        self._count(seat, 0, 1)
        killer = self.seats.get(said["killer"])
        if killer and killer.told and killer is not seat:
            self._count(killer, 1, 0)
        return None

    def _count(self, seat: Seat, wins: int, losses: int) -> None:
        told, team = seat.told, self.team_wins[seat.told["team"]]
        told["wins"], told["losses"], team[0], team[1] = told["wins"] + wins, told["losses"] + losses, team[0] + wins, team[1] + losses
        self.tell("MsgScore", player_id=seat.number, wins=told["wins"], losses=told["losses"])
        self.tell("MsgTeamUpdate", team=told["team"], wins=team[0], losses=team[1])

    def _grab(self, seat: Seat, said: Seen) -> None:
        flag = self.flags[said["flag_num"]] if said["flag_num"] < len(self.flags) else None
        carries = any(one["status"] == Flag.ON_TANK and one["player_id"] == seat.number for one in self.flags)
        if not flag or flag["status"] != Flag.ON_GROUND or carries or not seat.alive:
            return None  # too late, or not allowed: no answer
        if apart(whole(flag, "position")[:2], seat.place()) > REACH:
            return self.abuse(seat, f"grabs a flag {apart(whole(flag, 'position')[:2], seat.place()):.0f} m away")
        flag.update(status=Flag.ON_TANK, player_id=seat.number)
        return self.tell("MsgGrabFlag", **flag)

    def _let_go(self, seat: Seat, reason: int) -> None:
        for flag in self.flags:
            if flag["status"] == Flag.ON_TANK and flag["player_id"] == seat.number:
                flag.update(status=Flag.ON_GROUND, **milli((*seat.position[:2], 0.0), "position"))
                self.tell("MsgDropFlag", reason=reason, **flag)

    def _message(self, seat: Seat, said: Seen) -> None:
        to = said["to_id"]
        for other in self.players():
            if other is seat or to in (ID_EVERYONE, other.number, ID_ROGUES - other.told["team"]):
                other.tell("MsgMessage", **said | {"from_player_id": seat.number})

    def _pass_on(self, seat: Seat, name: str, said: Seen) -> None:
        if not seat.alive:
            return None if name == "MsgPlayerUpdate" and not said["status"] & ALIVE else self.abuse(seat, f"{name} of who does not live")
        if name == "MsgPlayerUpdate":
            self._posed(seat, said)
        if name == "MsgShotBegin":
            self._fired(seat, said)
        for other in self.players():
            if other is not seat:
                other.tell(name, **said | {SENDERS[name]: seat.number})
        return None

    def _posed(self, seat: Seat, said: Seen) -> None:
        seat.position, seat.velocity, seat.yaw, seat.at = whole(said, "position"), whole(said, "velocity"), said["azimuth"] / 1000, time.monotonic()
        if math.hypot(*seat.velocity[:2]) > 1.05 * SPEED:
            self.abuse(seat, f"drives {math.hypot(*seat.velocity[:2]):.1f} m/s")
        if max(map(abs, seat.position[:2])) > WORLD / 2 + 10:
            self.abuse(seat, f"is outside at {seat.position[:2]}")

    def _fired(self, seat: Seat, said: Seen) -> None:
        number, now = said["shot_id"], time.monotonic()
        if number >= SHOTS or seat.loaded[number] > now:
            return self.abuse(seat, f"fires shot {number}, which is not loaded")
        seat.loaded[number] = now + 0.9 * said["lifetime"] / 1000  # a delayed message may follow the last one sooner
        if apart(seat.place(), whole(said, "position")[:2]) > REACH:
            self.abuse(seat, "fires from elsewhere")
        return None

    # its state
    def units(self) -> list[Unit]:
        with self.changed:
            return [Unit(seat.told["call_sign"], seat.place(), seat.yaw, TEAMS[seat.told["team"]]) for seat in self.players() if seat.alive]

    def score(self, name: str) -> int | None:
        with self.changed:
            return next((seat.told["wins"] - seat.told["losses"] for seat in self.players() if seat.told["call_sign"] == name), None)

    def notice(self, words: str) -> None:
        with self.changed:
            self.tell("MsgMessage", from_player_id=0, to_id=ID_EVERYONE, message=words)

    def show_teams(self) -> None:
        with self.changed:
            self.tell("MsgTeamUpdate", team=BLUE, wins=self.team_wins[BLUE][0], losses=self.team_wins[BLUE][1])

    def walls(self) -> list[Place]:
        return list(BOXES)

    def bounds(self) -> tuple[float, float]:
        return WORLD, WORLD

    def pickups(self) -> list[Place]:
        with self.changed:
            return [whole(flag, "position")[:2] for flag in self.flags if flag["status"] == Flag.ON_GROUND]

    def start_clock(self) -> None:
        with self.changed:
            self.tell("MsgTimeLeft", time_left=60)

    def end_round(self) -> None:
        with self.changed:
            self.tell("MsgScoreOver", player_or_team_id=ID_ROGUES - BLUE)

    def stop(self) -> None:
        with self.changed:
            self._stopped = True
            self.host.close()
