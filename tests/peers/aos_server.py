# A server of Ace of Spades 0.80. It reacts to its clients' packets, and sends its decisions to the clients concerned.
# Invariant: when it forwards a packet that names its sender, it writes the true sender. It bans a client that sends anything else before
# Existing Player (except answers to the handshake).
from __future__ import annotations

from functools import partial
from itertools import count
from typing import Callable, Iterator

import enet_session
from aos import BANNED, CHAT_SYSTEM, FULL, GAME, KICKED, NOBODY, VERSION, WRONG_VERSION
from aos_map import CTF, chunks, landscape, point, state_data
from aos_motion import Moved, Told
from codec import CLIENT, SERVER
from enet_host import Loop
from enet_session import Heard
from wire import Seen, Value

BEFORE_JOINING = {"Existing Player", "Handshake Return", "Version Response", "Ext Info"}
STATE_UPDATES = [kind.name for kind in GAME.codec.kinds if (kind.way, kind.code) == (CLIENT, 0)]
TOLD_TO_OTHERS = ("Weapon Input", "Grenade", "Set Tool", "Set Colour")
TOLD_TO_ALL = ("Block Action", "Block Line", "Chat Message")  # also to the sender, who shows them only then
HIT_POINTS, DAMAGE = 100, {0: 49, 1: 100, 2: 33, 3: 33, 4: 80}  # a rifle's damage, by the part of the body
SHOT, TEAM_CHANGED, WEAPON_CHANGED = 0, 5, 6  # types of Kill Action
BY_WEAPON = 1  # type of Set HP
CHALLENGE = [0, 0, 0, 42]


class Seat(enet_session.Session):
    """One client. `player` has the fields of its Existing Player, once it has joined."""

    def __init__(self, server: Server, id: int):
        super().__init__(GAME, server.loop, SERVER)
        self.server, self.id, self.welcome = server, id, False
        self.void()

    def void(self) -> None:
        """Resets the client to the state before it joined."""
        self.player: Seen | None = None
        self.hp, self.moved, self.told = HIT_POINTS, Moved(), Told()

    def connected(self, data: int) -> None:
        super().connected(data)
        self.server.came(self)

    def heard(self, heard: Heard) -> None:
        if self.player or heard.name in BEFORE_JOINING:
            super().heard(heard)
        else:
            self.server.throw_out(self)

    def disconnected(self, reason: int) -> None:
        super().disconnected(reason)
        self.server.left(self)


class Server(enet_session.Server):
    """Plays on a map made from `seed`. update() sends the positions of all players."""

    def __init__(self, loop: Loop, seed: int, mode: int = CTF, players: int = 32):
        super().__init__(GAME, loop, peers=players + 1)
        self.map, self.mode, self.most = landscape(seed), mode, players
        self.banned = False  # the only address: all clients are on this machine
        self._reactions: dict[str, Callable[[Seat, Seen], None]] = {
            "Existing Player": self._join, "Weapon Reload": self._reload, "Hit": self._hit,
            "Change Team": self._change_team, "Change Weapon": self._change_weapon,
            "Handshake Return": lambda seat, _: seat.send("Version Get", properties=[]),
            "Version Response": lambda seat, _: seat.send("Ext Info", extensions=[{"id": 194, "version": 1}]),
            **{kind: lambda seat, said: seat.moved.hear(said) for kind in STATE_UPDATES},
            **{kind: partial(self._told, kind) for kind in TOLD_TO_OTHERS + TOLD_TO_ALL}}

    def seat(self) -> Seat:
        taken = {seat.id for seat in self.sessions if seat.reason is None}
        seat = Seat(self, next(id for id in count() if id not in taken))
        for kind, reaction in self._reactions.items():
            seat.react(kind, partial(reaction, seat))
        return seat

    def here(self) -> list[Seat]:
        """The clients that have the map, and so receive packets about players."""
        return [seat for seat in self.sessions if seat.welcome and seat.reason is None]

    def players(self) -> Iterator[Seat]:
        return (seat for seat in self.here() if seat.player)

    def tell(self, kind: str, /, **fields: Value) -> None:
        for seat in self.here():
            seat.send(kind, **fields)

    def update(self) -> None:
        moved = {seat.id: seat.moved for seat in self.players()}
        for seat in self.players():
            for fields in seat.told.packets(moved):
                seat.send("State Update", **fields)

    def next_map(self, seed: int, mode: int) -> None:
        """Sends a new map; all players have to join again."""
        self.map, self.mode = landscape(seed), mode
        for seat in self.here():
            seat.void()
        for seat in self.here():
            self._send_map(seat)

    def kick(self, seat: Seat, text: str) -> None:
        seat.send("Chat Message", id=NOBODY, type=CHAT_SYSTEM, text=text)
        seat.disconnect(KICKED)

    def throw_out(self, seat: Seat) -> None:
        self.banned = True
        seat.disconnect(BANNED)

    def came(self, seat: Seat) -> None:
        checks = ((self.banned, BANNED), (seat.connect_data != VERSION, WRONG_VERSION), (seat.id >= self.most, FULL))
        refused = next((reason for wrong, reason in checks if wrong), None)
        if refused is None:
            seat.welcome = True
            self._send_map(seat)
            seat.send("Handshake Init", challenge=CHALLENGE)
        else:
            seat.disconnect(refused)

    def left(self, seat: Seat) -> None:
        if seat.player:
            seat.player = None
            self.tell("Player Left", id=seat.id)

    def _send_map(self, seat: Seat) -> None:
        pieces = list(chunks(self.map))
        seat.send("Map Start", size=sum(map(len, pieces)) // 2)
        for piece in pieces:
            seat.send("Map Chunk", data=piece)
        for other in self.players():
            seat.send("Existing Player", **other.player)
        seat.send("State Data", id=seat.id, **state_data(self.mode))

    def _join(self, seat: Seat, said: Seen) -> None:
        seat.player = said | {"id": seat.id}
        self._create(seat)

    def _create(self, seat: Seat) -> None:
        seat.hp = HIT_POINTS
        self.tell("Create Player", id=seat.id, weapon=seat.player["weapon"], team=seat.player["team"],
                  position=point(100.5 + 10 * seat.id, 256.5, 52.0), name=seat.player["name"])

    def _told(self, kind: str, seat: Seat, said: Seen) -> None:
        for other in self.players():
            if kind in TOLD_TO_ALL or other is not seat:
                other.send(kind, **said | {"id": seat.id})

    def _reload(self, seat: Seat, said: Seen) -> None:
        """Tells the others that the reload begins, and the player that it is complete."""
        self._told("Weapon Reload", seat, said)
        seat.send("Weapon Reload", id=seat.id, clip=10, reserve=50)

    def _hit(self, seat: Seat, said: Seen) -> None:
        victim = next((other for other in self.players() if other.id == said["id"]), None)
        if victim:
            victim.hp = max(victim.hp - DAMAGE.get(said["part"], 0), 0)
            victim.send("Set HP", hp=victim.hp, type=BY_WEAPON, source=point(0.0, 0.0, 0.0))
            if not victim.hp:
                self.tell("Kill Action", victim=victim.id, killer=seat.id, type=SHOT, respawn=5)

    def _change_team(self, seat: Seat, said: Seen) -> None:
        self._changed(seat, TEAM_CHANGED, team=said["team"])

    def _change_weapon(self, seat: Seat, said: Seen) -> None:
        self._changed(seat, WEAPON_CHANGED, weapon=said["weapon"])

    def _changed(self, seat: Seat, why: int, **what: int) -> None:
        seat.player.update(what)
        self.tell("Kill Action", victim=seat.id, killer=seat.id, type=why, respawn=0)
        self._create(seat)
