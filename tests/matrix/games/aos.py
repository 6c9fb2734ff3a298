# Ace of Spades 0.75: players and a server of our own, by the protocol's document and what real programs were seen to do.
# Law: nothing here looks at an adapter; the ENet below is Debian's library.
from __future__ import annotations

from aos_field import Field
from aos_man import GAME, Client

URL = "aos://127.0.0.1:{port}?dialect=0.75"

__all__ = ["GAME", "URL", "client", "start"]


def start(stage) -> Field:
    return Field(stage.dice, URL)


def client(port: int, name: str) -> Client:
    return Client(port, name)
