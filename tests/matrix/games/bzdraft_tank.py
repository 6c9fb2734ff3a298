# BZFlag's draft for 1.8 and later: a tank on its wire. The codec is that of tests/peers, written from the page.
# Invariant: a message that a client may not receive (yet), by the page, ends the connection.
from __future__ import annotations

import select
import time
from typing import Callable

from bzdraft_wire import DRAFT, ENTERING, ID_EVERYONE, ID_ROGUES, OUTSIDE, VERSION, Drop, frames
from bzflag_wire import CODES
from codec import CLIENT, PLAY, SERVER
from enet_host import RELIABLE, UNRELIABLE, Host, Packet
from player import PATIENCE, Ended
from tank import BLUE, OBSERVER, SHOT_SPEED, Body, Flight, Tank
from wiki_world import decode_world
from wire import Seen, Wrong

GAME = "bzdraft"
TURN = 0.005  # seconds between two calls of ENet, which retransmits and pings only when it is called
FLAGS = ("", *CODES)[:34]  # by number, as in the wiki page's time
ALIVE, PAUSED, FALLING = 1, 2, 0x40
PLAYS, WATCHES = 0, 1


def milli(values: tuple, name: str) -> Seen:
    return {f"{name}_{axis}": round(1000 * value) for axis, value in zip("xyz", values)}


def whole(told: Seen, name: str) -> tuple:
    return tuple(told[f"{name}_{axis}"] / 1000 for axis in "xyz")


class Client(Tank):
    GAME = GAME

    def __init__(self, port: int, name: str, team: int = BLUE) -> None:
        super().__init__(port, name, team)
        self.world: Seen = {}
        self.blocks: list = []
        self._may_hear: set[str] | None = OUTSIDE  # None: everything
        self._connected, self._greeted, self._shot = False, False, 0
        self._resource, self._remaining = b"", 0
        self._why = ""  # the reason, if the connection ends

    # joining
    def enter(self, team: int) -> None:
        self.host = Host()
        self.link = self.host.connect(self.port, 1, 0, self)
        self.run()
        self.wait(lambda: self._connected, PATIENCE, "no connection")
        kind = WATCHES if team == OBSERVER else PLAYS
        self._ask("MsgVersion", lambda: self._greeted, version=VERSION, type=kind, flags=list(range(1, len(FLAGS))))
        self._ask("MsgGetWorld", lambda: self.world, offset=0)
        self._fetch(self.world["world_model_name"])
        with self.changed:
            self._may_hear = ENTERING
        self._ask("MsgEnter", self.me, team=0 if team == OBSERVER else team, type=kind, password="", callsign=self.name, email="", avatar="")

    def _ask(self, kind: str, answered: Callable[[], object], **fields: object) -> None:
        self._send(kind, **fields)
        self.wait(answered, 2 * PATIENCE, f"no answer to {kind}")

    def _fetch(self, md5: str) -> None:
        """Fetches a resource piece by piece. An invalid name, or a resource that does not match its name, is the server's fault."""
        self._remaining = 1
        while self._remaining:
            before = len(self._resource)
            self._ask("MsgGetResource", lambda: len(self._resource) > before or not self._remaining, offset=before, md5=list(bytes.fromhex(md5)))
        self.blocks = decode_world(self._resource)
        self.size = self.blocks[0][1]["world_size"]

    # receiving
    def listen(self) -> None:
        select.select([self.host], [], [], TURN)
        with self.changed:
            self.host.service()
            self.changed.notify_all()

    def connected(self, _: int) -> None:
        self._connected = True

    def disconnected(self, _: int) -> None:
        raise Ended(self._why or "disconnected without a goodbye")

    def received(self, packet: Packet) -> None:
        for frame in frames(packet.data):
            name, told = DRAFT.decode(SERVER, PLAY, frame)
            self.frames["heard"] += 1
            if self._may_hear is not None and name not in self._may_hear:
                raise Wrong(f"{name} before the client has entered")
            heard = getattr(self, "_on_" + name.removeprefix("Msg").split("/")[0], None)
            if heard:
                heard(told)

    def _on_Version(self, told: Seen) -> None:
        self._greeted = told["can_join"]

    def _on_GetWorld(self, told: Seen) -> None:
        self.world, self.max_shots = told, max(told["max_shots"], 1)

    def _on_GetResource(self, told: Seen) -> None:
        if told["offset"] == len(self._resource):
            self._resource, self._remaining = self._resource + bytes.fromhex(told["data"]), told["remaining"]

    def _on_Accept(self, told: Seen) -> None:
        self.id = told["playerid"]

    def _on_Reject(self, told: Seen) -> None:
        self._why = told["text"]
        raise Ended(f"rejected for {told['reason']}: {told['text']}")

    def _on_SuperKill(self, _: Seen) -> None:
        last = self.heard[-1].text if self.heard else ""
        raise Ended(self._why or f"thrown out: {last}")

    def _on_AddPlayer(self, told: Seen) -> None:
        number, team = told["playerid"], OBSERVER if told["type"] == WATCHES else told["team"]
        body = self.players.setdefault(number, Body(told["call_sign"], team))
        body.name, body.team, body.wins, body.losses = told["call_sign"], team, told["wins"], told["losses"]
        if number == self.id:
            self._may_hear = None

    def _on_RemovePlayer(self, told: Seen) -> None:
        self.players.pop(told["playerid"], None)

    def _on_Alive(self, told: Seen) -> None:
        body = self.players.get(told["player_id"])
        if body:
            body.alive, body.position, body.velocity, body.yaw, body.at = True, whole(told, "position"), (0.0, 0.0, 0.0), 0.0, time.monotonic()

    def _on_PlayerUpdate(self, told: Seen) -> None:
        body = self.players.get(told["player_id"])
        if body and told["player_id"] != self.id:
            body.position, body.velocity, body.yaw = whole(told, "position"), whole(told, "velocity"), told["azimuth"] / 1000
            body.alive, body.paused, body.at = bool(told["status"] & ALIVE), bool(told["status"] & PAUSED), time.monotonic()

    def _on_ShotBegin(self, told: Seen) -> None:
        life = (told["lifetime"] - told["time"]) / 1000
        self.hears_shot(told["shooter"], told["shot_id"], whole(told, "position"), whole(told, "velocity"), life)

    def _on_ShotUpdate(self, told: Seen) -> None:
        self.missiles += told["shooter"] != self.id
        for flight in self.flights:
            if (flight.shooter, flight.number) == (told["shooter"], told["shot_id"]):
                flight.start, flight.velocity, flight.tested = whole(told, "position"), whole(told, "velocity"), 0.0
                flight.life, flight.born = flight.life - (time.monotonic() - flight.born), time.monotonic()

    def _on_ShotEnd(self, told: Seen) -> None:
        self._forget(told["shooter"], told["shot_id"])

    def _on_Killed(self, told: Seen) -> None:
        self._forget(told["killer"], told["shot_id"])  # no MsgShotEnd follows
        self.hears_death(told["victim"], told["killer"])

    def _forget(self, shooter: int, number: int) -> None:
        self.flights = [flight for flight in self.flights if (flight.shooter, flight.number) != (shooter, number)]

    def _on_Score(self, told: Seen) -> None:
        if told["player_id"] in self.players:
            self.players[told["player_id"]].wins, self.players[told["player_id"]].losses = told["wins"], told["losses"]

    def _on_TeamUpdate(self, told: Seen) -> None:
        self.teams[told["team"]] = (told["wins"], told["losses"])

    def _on_FlagUpdate(self, told: Seen) -> None:
        code = FLAGS[told["flag_id"]] if told["flag_id"] < len(FLAGS) else "?"
        self.flags[told["flag_num"]] = (code, told["status"], told["player_id"], whole(told, "position")[:2])

    _on_GrabFlag = _on_FlagUpdate

    def _on_DropFlag(self, told: Seen) -> None:
        self._on_FlagUpdate(told)
        if told["reason"] == Drop.CAPTURED:
            for number in [number for number, body in self.players.items() if body.alive and body.team == told["flag_id"]]:
                self.hears_death(number, told["player_id"])

    def _on_Message(self, told: Seen) -> None:
        to = told["to_id"]
        scope = "all" if to == ID_EVERYONE else "team" if ID_ROGUES - 4 <= to <= ID_ROGUES else "me"
        self.hears_line(self.name_of(told["from_player_id"]) if told["from_player_id"] else "SERVER", told["message"], scope)

    def _on_TimeLeft(self, told: Seen) -> None:
        self.clock = told["time_left"]

    def _on_ScoreOver(self, _: Seen) -> None:
        self.ended = True

    # messages
    def _send(self, kind: str, **fields: object) -> None:
        with self.changed:
            self.frames["sent"] += 1
            lane = RELIABLE if DRAFT.find(CLIENT, kind).lanes[0] == "stream" else UNRELIABLE
            self.link.send(DRAFT.encode(CLIENT, kind, fields), 0, lane)
            self.host.flush()

    def say_pose(self, me: Body, spin: float) -> None:
        status = (PAUSED if me.paused else 0) | (ALIVE if me.alive else 0) | (FALLING if me.position[2] > 0 else 0)
        self._send("MsgPlayerUpdate", player_id=self.id, status=status, **milli(me.position, "position"), **milli(me.velocity, "velocity"),
                   azimuth=round(1000 * me.yaw), angular_velocity=round(1000 * spin))

    def say_death(self, flight: Flight) -> None:
        self._send("MsgKilled", victim=self.id, killer=flight.shooter, flag_id=0, shot_id=flight.number)

    def say_shot(self, me: Body, slot: int, muzzle: tuple, velocity: tuple, flag: str) -> None:
        self._shot = slot
        self._send("MsgShotBegin", shooter=self.id, shot_id=slot, **milli(muzzle, "position"), **milli(velocity, "velocity"), time=0,
                   lifetime=round(1000 * self.reload()), flag_id=FLAGS.index(flag))

    def say_missile(self, me: Body, target: int) -> None:
        self._send("MsgShotUpdate", shooter=self.id, shot_id=self._shot, **milli(me.position, "position"),
                   **milli((SHOT_SPEED, 0.0, 0.0), "velocity"), time=100, target=target)

    def say_alive(self) -> None:
        self._send("MsgAlive")

    def say_grab(self, number: int) -> None:
        self._send("MsgGrabFlag", flag_num=number)

    def speak(self, words: str, team: int | None = None, player: int | None = None) -> None:
        to = ID_EVERYONE if team is None and player is None else player if team is None else ID_ROGUES - team
        self._send("MsgMessage", from_player_id=0, to_id=to, message=words)

    def drop(self) -> None:
        self._tell()  # by the page, the flag is dropped at the last place that the server received
        self._send("MsgDropFlag", reason=Drop.DROPPED)

    def leave(self) -> None:
        self.sent_at, self._why = time.monotonic(), "left"
        with self.changed:
            self._send("MsgExit")
            self.link.disconnect()

    def kill(self) -> None:
        with self.changed:
            self._closing = True
            if hasattr(self, "link"):
                self.link.hang_up()

    # what else the tank sees
    def boxes(self) -> list[tuple[float, float, float, float]]:
        return [(block["center"][0], block["center"][1], block["width"], block["depth"]) for name, block in self.blocks if name in ("box", "pyramid")]

    def ammo(self) -> float | None:
        """The number of loaded guns."""
        return float(sum(time.monotonic() - fired > self.reload() for fired in self._fired[:self.max_shots]))
