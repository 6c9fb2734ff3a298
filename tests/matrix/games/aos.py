# Ace of Spades in any of its dialects: scripted players and a server, written from its documents and the observed behaviour of real programs.
# Invariant: independent of the adapters; its ENet is Debian's library.
from __future__ import annotations

from typing import Iterable, Iterator

from aos_field import Field
from aos_man import GAME, Client
from aos_player import PRIMARY, WEAPON_INPUT
from aos_speech import VERSIONS, url
from messages import Passed, Timed, of_enet
from player import Driver


def read(_: str, __: bool, pieces: Iterable[Timed]) -> Iterator[Passed]:
    for at, packet in of_enet(pieces):
        yield at, packet, packet[:1] == bytes([WEAPON_INPUT]) and bool(packet[2] & PRIMARY)


driver = Driver(GAME, Client, lambda stage, dialect: Field(stage.dice, dialect), url, read, VERSIONS)
