# A client of BZFlag's draft for 1.8 and later.
# Invariant: it does what the page says a client does, in that order. It raises Wrong if the server sends a message too early.
from __future__ import annotations

import enet_session
from bzdraft_wire import DRAFT, ENTERING, OUTSIDE, VERSION, frames
from enet_host import Loop
from enet_session import Game, Heard
from wire import Seen, Wrong

GAME = Game(DRAFT, frames, channels=1, range_coder=False)

class Client(enet_session.Client):
    def __init__(self, loop: Loop, port: int, data: int = 0):
        super().__init__(GAME, loop, port, data)
        self.id: int | None = None
        self._may_hear: set[str] | None = OUTSIDE  # None: all messages

    def greet(self, type: int = 0, flags: tuple[int, ...] = ()) -> Seen:
        self.send("MsgVersion", version=VERSION, type=type, flags=list(flags))
        return self.expect("MsgVersion").fields

    def get_world(self) -> tuple[Seen, bytes]:
        """The world's description, and the resource that it names."""
        self.send("MsgGetWorld", offset=0)
        world = self.expect("MsgGetWorld").fields
        return world, self.get_resource(world["world_model_name"])

    def get_resource(self, md5: str) -> bytes:
        """`md5` in hexadecimal."""
        data, remaining = b"", 1
        while remaining:
            self.send("MsgGetResource", offset=len(data), md5=list(bytes.fromhex(md5)))
            piece = self.expect("MsgGetResource").fields
            data, remaining = data + bytes.fromhex(piece["data"]), piece["remaining"]
        return data

    def enter(self, callsign: str, team: int = 1, type: int = 0, email: str = "", password: str = "") -> Seen:
        """Returns its own MsgAddPlayer, which comes after those of all other players. Raises ConnectionRefusedError if rejected."""
        self._may_hear = ENTERING
        self.send("MsgEnter", team=team, type=type, password=password, callsign=callsign, email=email, avatar="")
        answer = self.expect("MsgAccept", "MsgReject")
        if answer.name == "MsgReject":
            self._may_hear = OUTSIDE
            raise ConnectionRefusedError(answer.fields["reason"], answer.fields["text"])
        while (player := self.expect("MsgAddPlayer").fields)["playerid"] != self.id:
            pass
        return player

    def heard(self, heard: Heard) -> None:
        if self._may_hear is not None and heard.name not in self._may_hear:
            raise Wrong(f"{heard.name} before the client has entered")
        if heard.name == "MsgAccept":
            self.id = heard.fields["playerid"]
        if heard.name == "MsgAddPlayer" and heard.fields["playerid"] == self.id:
            self._may_hear = None
        super().heard(heard)

    def leave(self) -> None:
        self.send("MsgExit")
        self.disconnect()
