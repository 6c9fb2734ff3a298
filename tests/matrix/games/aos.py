# Ace of Spades in any of its dialects: players and a server of our own, by its documents and what real programs were seen to do.
# Law: nothing here looks at an adapter; the ENet below is Debian's library.
from __future__ import annotations

from aos_field import Field
from aos_man import GAME, Client
from aos_speech import url

CLIENT = SERVER = "0.75"  # what each side speaks
URL = url(CLIENT)

__all__ = ["GAME", "URL", "client", "native", "speak", "start"]


def speak(client: str, server: str | None) -> None:
    """From now on; the server what its clients do, if nothing is said of it."""
    global CLIENT, SERVER, URL
    CLIENT, SERVER, URL = client, server or client, url(client)


def start(stage) -> Field:
    return Field(stage.dice, SERVER)


def client(port: int, name: str) -> Client:
    return Client(port, name, CLIENT)


def native(port: int, name: str) -> Client:
    return Client(port, name, SERVER)
