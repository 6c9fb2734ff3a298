# BZFlag's draft for 1.8 and later, which no released program implements: a tank, and a server that follows the page.
from __future__ import annotations

from typing import Iterable, Iterator

from bzdraft_arena import URL, Arena
from bzdraft_tank import GAME, Client
from messages import Passed, Timed, of_enet
from player import Driver


def read(_: str, __: bool, pieces: Iterable[Timed]) -> Iterator[Passed]:
    for at, packet in of_enet(pieces):
        for message in frames(packet):
            yield at, message, message[2:4] == b"sb"


def frames(packet: bytes) -> Iterator[bytes]:
    """A packet holds one message or several."""
    while len(packet) >= 4:
        size = 4 + int.from_bytes(packet[:2], "big")
        yield packet[:size]
        packet = packet[size:]


driver = Driver(GAME, lambda port, name, _: Client(port, name), lambda stage, _: Arena(stage.dice), lambda _: URL, read)
