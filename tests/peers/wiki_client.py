# A client of the wiki page's dialect: greeting, flags, world, entering, UDP link. After that, a script sends messages.
# Invariant: each step sends the message of the page and waits for the answer of the page. README.md has our readings of the page.
from __future__ import annotations

import hashlib

import tcp
from codec import CLIENT, GREETING, PLAY, SERVER
from session import Session
from wiki import WIKI
from wire import Seen

FLAGS = ["R*", "G*", "B*", "P*", "V", "F", "GM", "L", "SW"]  # that the client knows and the server has
NOBODY: Seen = {"address": [0, 0, 0, 0], "port": 0, "number": 0}
ROGUE = 0


def size_of(way: str) -> tcp.Size:
    """The function that finds the size of a frame of this way."""
    return lambda data, first: WIKI.size(way, GREETING if first else PLAY, data)


def world_hash(world: bytes) -> str:
    """The hash of a random world: 't', then the MD5."""
    return "t" + hashlib.md5(world).hexdigest()


class WikiClient(Session):
    """`me` is the player's id in the server's MsgAddPlayer."""
    transport: tcp.Tcp

    def __init__(self, port: int) -> None:
        super().__init__(WIKI, CLIENT, tcp.connect(port, size_of(SERVER)))
        self.number, self.me = 0, NOBODY

    def greet(self) -> None:
        self.send("Header")
        self.number = self.expect("Version")["player"]

    def negotiate(self, flags: list[str] = FLAGS) -> list[str]:
        """Sends the flags that the client knows; returns the server's flags that it does not know."""
        self.send("MsgNegotiateFlags", flags=flags)
        return self.expect("MsgNegotiateFlags")["flags"]

    def download(self) -> bytes:
        """Downloads the world, and checks its hash."""
        self.send("MsgWantWHash")
        promised, world, remaining = self.expect("MsgWantWHash")["hash"], b"", 1
        while remaining:
            self.send("MsgGetWorld", offset=len(world))
            answer = self.expect("MsgGetWorld")
            world, remaining = world + bytes.fromhex(answer["data"]), answer["remaining"]
        if promised.rstrip("\0") != world_hash(world):
            raise AssertionError(f"the world's hash is {world_hash(world)}, but the server announced {promised}")
        return world

    def ask_to_enter(self, call_sign: str, email: str = "anonymous", kind: int = 0, team: int = ROGUE) -> None:
        address, port = self.transport.stream.getsockname()
        self.me = {"address": [int(part) for part in address.split(".")], "port": port, "number": self.number}
        self.send("MsgEnter", player=self.me, type=kind, team=team, call_sign=call_sign, email=email)

    def enter(self, call_sign: str) -> list[Seen]:
        """Enters; returns the players who were in the game before."""
        self.ask_to_enter(call_sign)
        self.expect("MsgAccept")
        others: list[Seen] = []
        while (player := self.expect("MsgAddPlayer"))["call_sign"] != call_sign:
            others.append(player)
        self.me = player["player"]
        return others

    def link(self) -> None:
        self.send("MsgUDPLinkRequest", "datagram", player=self.number)
        self.expect("MsgUDPLinkEstablished")
        self.expect("MsgUDPLinkRequest")
        self.send("MsgUDPLinkEstablished", "datagram")
