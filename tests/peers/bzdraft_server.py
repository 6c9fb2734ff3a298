# A server of BZFlag's draft for 1.8 and later. It reacts to its clients' messages, and sends its decisions to all clients.
# Invariant: when it forwards a message that names its sender, it writes the true sender, not what the client wrote.
from __future__ import annotations

import hashlib
from functools import partial
from typing import Callable, Iterator

import enet_session
from bzdraft import GAME, VERSION
from bzdraft_wire import ID_EVERYONE, ID_ROGUES, Flag, Reject
from codec import SERVER
from enet_host import Loop
from wire import Seen, Value

PIECE = 996  # bytes of a resource in one message of 1024
ROGUES, TEAMS, TYPES = 0, 5, 3
AXES = "xyz"

# Messages that the server forwards, with the field in which it writes the sender.
TOLD_TO_ALL = {"MsgKilled": "victim", "MsgShotBegin": "shooter", "MsgShotEnd": "shooter", "MsgScore": "player_id",
               "MsgTeleport/tp": "player_id"}
TOLD_TO_OTHERS = {"MsgPlayerUpdate": "player_id", "MsgShotUpdate": "shooter"}


class Seat(enet_session.Session):
    """One client. `player` has the fields of its MsgAddPlayer, once it has entered."""

    def __init__(self, server: Server, id: int):
        super().__init__(GAME, server.loop, SERVER)
        self.server, self.id = server, id
        self.player: Seen | None = None
        self.place = {f"position_{axis}": 0 for axis in AXES}

    def disconnected(self, reason: int) -> None:
        super().disconnected(reason)
        self.server.left(self)


class Server(enet_session.Server):
    """`resource` is the world database; its md5, in hexadecimal, is the world model's name."""

    def __init__(self, loop: Loop, resource: bytes, flags: int = 3, max_players: int = 6, max_team: int = 3,
                 rogues: bool = True, password: str = "", users: dict[str, str] | None = None):
        super().__init__(GAME, loop)
        self.resource, self.md5 = resource, hashlib.md5(resource).hexdigest()
        self.max_players, self.max_team, self.rogues = max_players, max_team, rogues
        self.password, self.users = password, users or {}
        self.flags = [{"flag_num": number, "flag_id": number + 1, "status": Flag.ON_GROUND, "player_id": 0,
                       **{f"position_{axis}": 1000 * number for axis in AXES}} for number in range(flags)]
        self._reactions: dict[str, Callable[[Seat, Seen], None]] = {
            "MsgVersion": self._greet, "MsgGetWorld": self._describe, "MsgGetResource": self._serve,
            "MsgEnter": self._enter, "MsgExit": lambda seat, _: self.left(seat), "MsgAddPlayer": self._change,
            "MsgAlive": self._alive, "MsgGrabFlag": self._grab, "MsgDropFlag": self._drop, "MsgMessage": self._message,
            **{kind: partial(self._told, kind, sender) for kind, sender in (TOLD_TO_ALL | TOLD_TO_OTHERS).items()}}

    def seat(self) -> Seat:
        seat = Seat(self, len(self.sessions) + 1)
        for kind, reaction in self._reactions.items():
            seat.react(kind, partial(reaction, seat))
        return seat

    def players(self) -> Iterator[Seat]:
        return (seat for seat in self.sessions if seat.player)

    def tell(self, kind: str, /, **fields: Value) -> None:
        for seat in self.players():
            seat.send(kind, **fields)

    def kill(self, seat: Seat) -> None:
        """Ends one client's session."""
        seat.send("MsgSuperKill")
        seat.disconnect()

    def left(self, seat: Seat) -> None:
        if seat.player:
            seat.player = None
            self.tell("MsgRemovePlayer", playerid=seat.id)

    def _greet(self, seat: Seat, asked: Seen) -> None:
        seat.send("MsgVersion", version=VERSION, playerid=seat.id, can_join=int(seat.id <= self.max_players))

    def _describe(self, seat: Seat, asked: Seen) -> None:
        seat.send("MsgGetWorld", style=0x10, max_players=self.max_players, max_shots=5, max_flags=len(self.flags),
                  linear_acceleration=50_000, angular_acceleration=38_000, bad_flag_shake_time=15,
                  bad_flag_shake_win_count=1, server_time=60_000, world_model_name=self.md5)

    def _serve(self, seat: Seat, asked: Seen) -> None:
        """Sends a piece of the resource. An unknown resource is empty."""
        offset, known = asked["offset"], self.resource if bytes(asked["md5"]).hex() == self.md5 else b""
        piece = known[offset:offset + PIECE]
        seat.send("MsgGetResource", offset=offset, remaining=max(len(known) - offset - len(piece), 0), md5=asked["md5"],
                  data=piece.hex())

    def _enter(self, seat: Seat, asked: Seen) -> None:
        refused = self._refusal(seat, asked)
        if refused is not None:
            seat.send("MsgReject", reason=refused, text=f"no {asked['callsign']} here")
            return
        newcomer = seat.player is None
        seat.player = {"playerid": seat.id, "type": asked["type"], "team": asked["team"], "wins": 0, "losses": 0,
                       "call_sign": asked["callsign"], "email": asked["email"], "avatar_name": asked["avatar"]}
        seat.send("MsgAccept", playerid=seat.id)
        if newcomer:
            self._catch_up(seat)
        self.tell("MsgAddPlayer", **seat.player)

    def _refusal(self, seat: Seat, asked: Seen) -> int | None:
        others = [other.player for other in self.players() if other is not seat]
        checks = (
            (asked["callsign"] in ("", *(other["call_sign"] for other in others)), Reject.BAD_REQUEST),
            (asked["team"] >= TEAMS, Reject.BAD_TEAM),
            (asked["type"] >= TYPES, Reject.BAD_TYPE),
            (asked["team"] == ROGUES and not self.rogues, Reject.NO_ROGUES),
            (asked["password"] != self.users.get(asked["callsign"], asked["password"]), Reject.NEED_USER_AUTH),
            (asked["callsign"] not in self.users and self.password not in ("", asked["password"]),
             Reject.NEED_SERVER_AUTH),
            (len(others) >= self.max_players, Reject.SERVER_FULL),
            (sum(other["team"] == asked["team"] for other in others) >= self.max_team, Reject.TEAM_FULL))
        return next((reason for wrong, reason in checks if wrong), None)

    def _catch_up(self, seat: Seat) -> None:
        """Sends all that a new client has to know before its own MsgAddPlayer."""
        for flag in self.flags:
            seat.send("MsgFlagUpdate", **flag)
        for team in range(TEAMS):
            seat.send("MsgTeamUpdate", team=team, wins=0, losses=0)
        for other in self.players():
            if other is not seat:
                seat.send("MsgAddPlayer", **other.player)

    def _change(self, seat: Seat, asked: Seen) -> None:
        if seat.player:
            seat.player.update({name: asked[name] for name in ("call_sign", "email", "avatar_name")})
            self.tell("MsgAddPlayer", **seat.player)

    def _alive(self, seat: Seat, asked: Seen) -> None:
        if seat.player:
            self.tell("MsgAlive", player_id=seat.id, **seat.place)

    def _grab(self, seat: Seat, asked: Seen) -> None:
        flag = self.flags[asked["flag_num"]] if asked["flag_num"] < len(self.flags) else None
        if seat.player and flag and flag["status"] == Flag.ON_GROUND:
            flag.update(status=Flag.ON_TANK, player_id=seat.id)
            self.tell("MsgGrabFlag", **flag)

    def _drop(self, seat: Seat, asked: Seen) -> None:
        for flag in self.flags:
            if seat.player and flag["status"] == Flag.ON_TANK and flag["player_id"] == seat.id:
                flag.update(status=Flag.ON_GROUND, **seat.place)
                self.tell("MsgDropFlag", reason=asked["reason"], **flag)

    def _message(self, seat: Seat, asked: Seen) -> None:
        """Sends the line to everyone, to a team (253 minus its number) or to a player; the sender receives it, too."""
        to = asked["to_id"]
        for other in self.players():
            if seat.player and (other is seat or to in (ID_EVERYONE, other.id, ID_ROGUES - other.player["team"])):
                other.send("MsgMessage", **asked | {"from_player_id": seat.id})

    def _told(self, kind: str, sender: str, seat: Seat, asked: Seen) -> None:
        if not seat.player:
            return
        if kind == "MsgPlayerUpdate":
            seat.place = {name: asked[name] for name in seat.place}
        for other in self.players():
            if kind in TOLD_TO_ALL or other is not seat:
                other.send(kind, **asked | {sender: seat.id})
