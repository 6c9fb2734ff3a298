# Both ends of a session in the wiki's dialect: greeting, flags, world, entering, the UDP link, the game, leaving.
# Law: each step says what the page has said there and waits for what the page has answered; README.md has the readings.
from __future__ import annotations

import hashlib

import tcp
from codec import CLIENT, GREETING, PLAY, SERVER
from session import Session
from wire import Seen
from wiki import WIKI

VERSION = "1910"  # as drawn
CHUNK = 1024 - 6  # "MaxPacketLen - 6"
FLAGS = ["R*", "G*", "B*", "P*", "V", "F", "GM", "L", "SW"]
NOBODY: Seen = {"address": [0, 0, 0, 0], "port": 0, "number": 0}
ROGUE = 0


def _size(way: str) -> tcp.Size:
    """How what this way says is cut."""
    return lambda data, first: WIKI.size(way, GREETING if first else PLAY, data)


class WikiClient(Session):
    """`me` is the id that the server's MsgAddPlayer gave."""
    transport: tcp.Tcp

    def __init__(self, port: int) -> None:
        super().__init__(WIKI, CLIENT, tcp.connect(port, _size(SERVER)))
        self.number, self.me = 0, NOBODY

    def greet(self) -> None:
        self.send("Header")
        self.number = self.expect("Version")["player"]

    def negotiate(self, flags: list[str] = FLAGS) -> list[str]:
        """The server's flags that are not among these."""
        self.send("MsgNegotiateFlags", flags=flags)
        return self.expect("MsgNegotiateFlags")["flags"]

    def download(self) -> bytes:
        """The world, its hash checked."""
        self.send("MsgWantWHash")
        promised, world, remaining = self.expect("MsgWantWHash")["hash"], b"", 1
        while remaining:
            self.send("MsgGetWorld", offset=len(world))
            answer = self.expect("MsgGetWorld")
            world, remaining = world + bytes.fromhex(answer["data"]), answer["remaining"]
        if promised != world_hash(world):
            raise AssertionError(f"the world's hash is {world_hash(world)}, {promised} was promised")
        return world

    def ask_to_enter(self, call_sign: str, email: str = "anonymous", kind: int = 0, team: int = ROGUE) -> None:
        address, port = self.transport.stream.getsockname()
        self.me = {"address": [int(part) for part in address.split(".")], "port": port, "number": self.number}
        self.send("MsgEnter", player=self.me, type=kind, team=team, call_sign=call_sign, email=email)

    def enter(self, call_sign: str) -> list[Seen]:
        """Enters; returns the players that were there before."""
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


class WikiServer(Session):
    """The server's end of the next connection. `answer` does what a server does with a player's message."""

    def __init__(self, listener: tcp.Listener, number: int = 1) -> None:
        super().__init__(WIKI, SERVER, listener.accept(_size(CLIENT)))
        self.number, self.player = number, NOBODY

    def greet(self) -> None:
        self.expect("Header")
        self.send("Version", version=VERSION, player=self.number)

    def negotiate(self, flags: list[str] = FLAGS) -> None:
        known = self.expect("MsgNegotiateFlags")["flags"]
        self.send("MsgNegotiateFlags", flags=[flag for flag in flags if flag not in known])

    def offer(self, world: bytes) -> None:
        self.expect("MsgWantWHash")
        self.send("MsgWantWHash", hash=world_hash(world))

    def upload(self, world: bytes) -> None:
        self.offer(world)
        end = 0
        while end < len(world):
            offset = self.expect("MsgGetWorld")["offset"]
            end = min(offset + CHUNK, len(world))
            self.send("MsgGetWorld", remaining=len(world) - end, data=world[offset:end].hex())

    def reject(self, code: int) -> None:
        self.expect("MsgEnter")
        self.send("MsgReject", code=code)

    def admit(self, others: list[Seen]) -> None:
        """Lets the player in, after these others, with the id that it brought."""
        asked = self.expect("MsgEnter")
        self.player = asked["player"]
        self.send("MsgAccept")
        for player in [*others, {**asked, "wins": 0, "losses": 0}]:
            self.send("MsgAddPlayer", **player)

    def link(self) -> None:
        if (number := self.expect("MsgUDPLinkRequest")["player"]) != self.number:
            raise AssertionError(f"a UDP link for player {number}")
        self.send("MsgUDPLinkEstablished")
        self.send("MsgUDPLinkRequest", "datagram")
        self.expect("MsgUDPLinkEstablished")

    def answer(self, name: str, lane: str = "stream", **more) -> Seen:
        """Waits for the player's message of this kind and sends it on in the server's own form: the same fields, said of
        that player (in the first field, if the player's form lacks it), with what only the server knows in `more`."""
        asked = self.expect(name)
        first = next(iter(WIKI.find(SERVER, name).body.fields))
        self.send(name, lane, **{first: self.player, **asked, **more})
        return asked


def world_hash(world: bytes) -> str:
    """'t' for a random world, then the MD5."""
    return "t" + hashlib.md5(world).hexdigest()
