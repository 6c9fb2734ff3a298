# BZFlag: a tank of any version in front of Entente, and the stock server of 2.4 with a scripted observer.
# Invariant: the server's state is what the observer receives, which is directly connected to it.
from __future__ import annotations

from typing import Iterable, Iterator

from bzflag_tank import GAME, Client
from bzflag_wire import DIALECTS, HEADER
from messages import Passed, Timed, of_stream
from player import PATIENCE, Driver, Place, Server, Unit, Unseen
from stage import free_port, program

URLS = {dialect: f"bzflag://127.0.0.1:{{port}}?dialect={dialect}" for dialect in DIALECTS}
STOCK = "2.4"  # the dialect of Debian's bzfs, and of players who are directly connected to it
PASSWORD = "sesame"
MOST = 4  # blue tanks allowed; later players are blue


class Bzfs(Server):
    """The stock server; its state is read by an observer, which is also its operator."""
    GAME = GAME

    def __init__(self, stage) -> None:
        super().__init__()
        self.port, self._boxes = free_port(), [(-200.0, 300.0), (200.0, 325.0), (-37.5, 312.5)]
        with open(stage.path("bzfs.bzw"), "w", encoding="ascii") as world:
            world.write("world\n size 400\nend\n" + "".join(
                f"box\n position {x} {y} 0\n size 12.5 12.5 9.4\nend\n" for x, y in self._boxes))
        self.run = stage.start("bzfs", ["stdbuf", "-oL", program("bzfs"), "-i", "127.0.0.1", "-p", str(self.port), "-q", "-noMasterBanlist",
                                        "-ms", "3", "-j", "-ddd", "-world", stage.path("bzfs.bzw"), "-passwd", PASSWORD, "-time", "20",
                                        "-timemanual", "+f", "GM{2}", "-mp", f"9,9,9,{MOST},9,9"])
        self._crowd: list[Client] = []
        self.run.wait_for(r"listening on 127\.0\.0\.1")
        self.witness = Client(self.port, "witness")
        self.witness.watch()
        self.witness.say(f"/password {PASSWORD}")
        self.witness.wait(lambda: any("administrator" in said.text for said in self.witness.heard), PATIENCE,
                          "the witness is no operator")

    def url(self, port: int) -> str:
        return URLS[STOCK].format(port=port)

    def units(self) -> list[Unit]:
        return self.witness.others()

    def score(self, name: str) -> int | None:
        return self.witness.score(name)

    def notice(self, words: str) -> None:
        self.witness.say(f"/say {words}")

    def kick(self, name: str, reason: str) -> None:
        self.witness.say(f'/kick "{name}" {reason}')

    def walls(self) -> list[Place]:
        return self._boxes

    def bounds(self) -> tuple[float, float]:
        return self.witness.bounds()

    def pickups(self) -> list[Place]:
        return self.witness.pickups()

    def fill(self) -> None:
        """Fills the server with tanks that do nothing."""
        try:
            while len(self._crowd) < MOST:
                self._crowd.append(Client(self.port, f"crowd{len(self._crowd)}"))
                self._crowd[-1].join()
        except Unseen:
            pass  # the server is full now

    def empty(self) -> None:
        for tank in self._crowd:
            tank.kill()
        self._crowd = []

    def start_clock(self) -> None:
        self.witness.say("/countdown 1")

    def end_round(self) -> None:
        self.witness.say("/gameover")

    def stop(self) -> None:
        self.witness.kill()


def read(_: str, __: bool, pieces: Iterable[Timed]) -> Iterator[Passed]:
    for at, message in of_stream(pieces, size):
        yield at, message, message[2:4] == b"sb"


def size(data: bytes) -> int | None:
    """The size of the message with which these bytes begin; a greeting counts as a message."""
    greeting = len(HEADER) if data.startswith(HEADER[:4]) else 9 if data.startswith(b"BZFS") else None
    return greeting or (4 + int.from_bytes(data[:2], "big") if len(data) >= 4 else None)


driver = Driver(GAME, lambda port, name, dialect: Client(port, name, dialect=dialect), lambda stage, _: Bzfs(stage), URLS.__getitem__, read, DIALECTS,
                of_server=(STOCK,))
