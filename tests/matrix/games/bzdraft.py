# BZFlag's draft for 1.8 and later, which no released program speaks: a tank, and a server that keeps the page's rules.
from __future__ import annotations

from bzdraft_arena import URL, Arena
from bzdraft_tank import GAME, Client
from player import Driver

driver = Driver(GAME, lambda port, name, _: Client(port, name), lambda stage, _: Arena(stage.dice), lambda _: URL)
