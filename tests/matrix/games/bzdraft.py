# BZFlag's draft for 1.8 and later, which no released program speaks: a tank, and a server that keeps the page's rules.
from __future__ import annotations

from bzdraft_arena import URL, Arena  # noqa: F401
from bzdraft_tank import GAME, Client  # noqa: F401


def start(stage) -> Arena:
    return Arena(stage.dice)


def client(port: int, name: str) -> Client:
    return Client(port, name)
