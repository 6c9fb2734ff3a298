# A client of Ace of Spades 0.80.
# Invariant: it sends Existing Player when it has the whole map, and no movement before its Create Player. It raises Wrong where a
# released client disconnects: if the first packet is not Map Start, or if a packet names an unknown player.
from __future__ import annotations

import zlib

import enet_session
from aos_motion import Mover, state
from aos_wire import AOS
from enet_host import Loop
from enet_session import Game, Heard
from wire import Seen, Wrong

VERSION = 5  # the connect data
BANNED, TOO_MANY, WRONG_VERSION, FULL, KICKED = 1, 2, 3, 4, 10
RIFLE, SMG, SHOTGUN = range(3)
SPADE, BLOCK, GUN, GRENADE = range(4)
CHAT_ALL, CHAT_TEAM, CHAT_SYSTEM = range(3)
NOBODY = 255
GREY = {"b": 111, "g": 111, "r": 111}
WE = {"client": ord("E"), "major": 0, "minor": 8, "revision": 0, "system": "any"}

# The fields that must name a known player. A chat message is not in this list: its player may be NOBODY.
NAMES = {"Weapon Input": ("id",), "Set Tool": ("id",), "Kill Action": ("victim", "killer"), "Player Left": ("id",),
         "Intel Capture": ("id",), "Intel Pickup": ("id",), "Intel Drop": ("id",), "Weapon Reload": ("id",)}

GAME = Game(AOS, lambda packet: [packet], channels=1, range_coder=True)


class Client(enet_session.Client):
    def __init__(self, loop: Loop, port: int, version: int = VERSION):
        super().__init__(GAME, loop, port, version)
        self.id: int | None = None
        self.mover: Mover | None = None
        self.players: set[int] | None = None  # the ids of the players in the game; None before the first Map Start
        self.others: dict[int, Seen] = {}  # the latest state of each player, from the server
        self.react("Handshake Init", lambda asked: self.send("Handshake Return", **asked))
        self.react("Version Get", lambda _: self.send("Version Response", **WE))
        self.react("Ext Info", lambda _: self.send("Ext Info", extensions=[{"id": 194, "version": 1}]))
        self.react("State Update", self._moved)

    def get_map(self) -> tuple[bytes, list[Seen], Seen]:
        """The map as VXL, the players in the game, and State Data, which is the last packet."""
        self.expect("Map Start")
        self.mover, stream, players = None, b"", []
        while (heard := self.expect("Map Chunk", "Existing Player", "State Data")).name != "State Data":
            if heard.name == "Map Chunk":
                stream += bytes.fromhex(heard.fields["data"])
            else:
                players.append(heard.fields)
        self.id = heard.fields["id"]
        return zlib.decompress(stream), players, heard.fields

    def join(self, name: str, team: int = 0, weapon: int = RIFLE) -> Seen:
        """Joins; returns the Create Player of its own id. Those of other players are discarded."""
        self.send("Existing Player", id=self.id, team=team, weapon=weapon, tool=GUN, kills=0, colour=GREY,
                  name=name + "\0")
        return self.spawned()

    def spawned(self) -> Seen:
        while (created := self.expect("Create Player").fields)["id"] != self.id:
            pass
        self.mover = Mover(state(tuple(created["position"].values())))
        return created

    def move(self, keys: int, now: Seen) -> Seen:
        """Sends a State Update; returns its fields. REQUIRES: the player has spawned."""
        kind, fields = self.mover.tick(keys, now)
        self.send(kind, **fields)
        return fields

    def heard(self, heard: Heard) -> None:
        if heard.name == "Map Start":  # forget all players
            self.players, self.others = set(), {}
        if self.players is None:
            raise Wrong(f"{heard.name} before the first Map Start")
        if heard.name in ("Existing Player", "Create Player"):
            self.players.add(heard.fields["id"])
        if unknown := {heard.fields[name] for name in NAMES.get(heard.name, ())} - self.players:
            raise Wrong(f"{heard.name} names unknown players: {unknown}")
        if heard.name == "Player Left":
            self.players.remove(heard.fields["id"])
        super().heard(heard)

    def _moved(self, update: Seen) -> None:
        for player in update["players"]:
            if not player["still"]:
                self.others[player["id"]] = {name: player[name] for name in ("pos", "ori", "vel")}
