# A server of the wiki page's dialect, for one player at a time. It answers messages in any order.
# Invariant: it trusts its player, as the page says, and sends what the player reports as the server's message of the same kind.
from __future__ import annotations

import tcp
from codec import CLIENT, SERVER
from session import Closed, Session
from wiki import WIKI
from wiki_client import FLAGS, NOBODY, size_of, world_hash
from wire import Seen

VERSION = "1910"  # as drawn
CHUNK = 1024 - 6  # "MaxPacketLen - 6"
ON_GROUND, ON_TANK = 1, 2  # FlagOnGround, FlagOnTank
TEAMS = 5  # rogue, red, green, blue, purple


class WikiServer(Session):
    """The server's end of the next connection. A player with a call sign in `rejected` is rejected with the code there."""

    def __init__(self, listener: tcp.Listener, world: bytes, others: list[Seen], rejected: dict[str, int] | None = None) -> None:
        super().__init__(WIKI, SERVER, listener.accept(size_of(CLIENT)))
        self.world, self.others, self.rejected = world, others, rejected or {}
        self.number, self.player, self.linked = len(others) + 1, NOBODY, False
        self.flags: list[Seen] = [{"flag_id": flag_id, "status": ON_GROUND, "owner": NOBODY} for flag_id in (1, 2, 9)]

    def greet(self) -> None:
        self.expect("Header")
        self.send("Version", version=VERSION, player=self.number)

    def serve(self) -> None:
        """Answers until the player leaves."""
        try:
            while (heard := self.next())[0] != "MsgExit":
                self.answer(*heard)
        except Closed:
            pass

    def serve_until(self, name: str) -> Seen:
        """Answers messages until one of this kind arrives; returns the fields of that message, and does not answer it."""
        while (heard := self.next())[0] != name:
            self.answer(*heard)
        return heard[1]

    def answer(self, name: str, asked: Seen) -> None:
        """Does not answer MsgPlayerUpdate and MsgGMUpdate, which a server sends only to other players, nor a returned MsgLagPing."""
        getattr(self, "on_" + name, lambda asked: None)(asked)

    def on_MsgNegotiateFlags(self, asked: Seen) -> None:
        self.send("MsgNegotiateFlags", flags=[flag for flag in FLAGS if flag not in asked["flags"]])

    def on_MsgWantWHash(self, asked: Seen) -> None:
        self.send("MsgWantWHash", hash=world_hash(self.world))

    def on_MsgGetWorld(self, asked: Seen) -> None:
        rest = self.world[asked["offset"]:]
        self.send("MsgGetWorld", remaining=max(len(rest) - CHUNK, 0), data=rest[:CHUNK].hex())

    def on_MsgEnter(self, asked: Seen) -> None:
        """The page: "The server then automatically sends updates about each flag, team, and player". The new player is the last."""
        if code := self.rejected.get(asked["call_sign"]):
            self.send("MsgReject", code=code)
            return
        self.player = asked["player"]
        self.send("MsgAccept")
        for number, flag in enumerate(self.flags):
            self.send("MsgFlagUpdate", flag_num=number, flag=flag)
        for team in range(TEAMS):
            self.send("MsgTeamUpdate", team=team, size=int(team == asked["team"]), active=int(team == asked["team"]))
        for player in [*self.others, {**asked, "wins": 0, "losses": 0}]:
            self.send("MsgAddPlayer", **player)

    def on_MsgUDPLinkRequest(self, asked: Seen) -> None:
        if asked["player"] == self.number:
            self.send("MsgUDPLinkEstablished")
            self.send("MsgUDPLinkRequest", "datagram")

    def on_MsgUDPLinkEstablished(self, asked: Seen) -> None:
        self.linked = True

    def on_MsgAlive(self, asked: Seen) -> None:
        self.send("MsgAlive", player=self.player, **asked)

    def on_MsgKilled(self, asked: Seen) -> None:
        self.send("MsgKilled", victim=self.player, **asked)

    def on_MsgGrabFlag(self, asked: Seen) -> None:
        if asked["flag_num"] >= len(self.flags):
            return
        self.flags[asked["flag_num"]] |= {"status": ON_TANK, "owner": self.player}
        self.send("MsgGrabFlag", grabber=self.player, flag_num=asked["flag_num"], flag=self.flags[asked["flag_num"]])

    def on_MsgDropFlag(self, asked: Seen) -> None:
        for number in self._carried():
            self.flags[number] |= {"status": ON_GROUND, "owner": NOBODY, "position": asked["position"]}
            self.send("MsgDropFlag", dropper=self.player, flag_num=number, flag=self.flags[number])

    def on_MsgCaptureFlag(self, asked: Seen) -> None:
        for number in self._carried():
            self.flags[number] |= {"status": ON_GROUND, "owner": NOBODY}
            self.send("MsgCaptureFlag", capturer=self.player, flag_num=number, team=asked["team"])

    def on_MsgScore(self, asked: Seen) -> None:
        self.send("MsgScore", player=self.player, **asked)

    def on_MsgMessage(self, asked: Seen) -> None:
        self.send("MsgMessage", **{"from": self.player}, **asked)

    def on_MsgShotBegin(self, asked: Seen) -> None:
        """Sent to all, including the shooter; by UDP once the link is established."""
        self.send("MsgShotBegin", "datagram" if self.linked else "stream", **asked)

    def on_MsgShotEnd(self, asked: Seen) -> None:
        self.send("MsgShotEnd", "datagram" if self.linked else "stream", **asked)

    def _carried(self) -> list[int]:
        return [number for number, flag in enumerate(self.flags) if flag["owner"] == self.player]
