# One pair: a server of one game, Entente, a player of the other game in front of Entente, and a player of the server's game behind it (the native player).
# Invariant: our player's actions are judged by the server's state and by the native player, who is connected directly to the server.
from __future__ import annotations

import importlib
import itertools
import math
import os
import re
import sys
from typing import Callable

from player import NOBODY, NotInGame, Place, Player, Server, Unit, Unseen, apart, off, together, turned
from stage import Failed, Program, Stage

GAMES = ("panic", "bzflag", "bzdraft", "ogar", "aos")
PANE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pane.py")
AT_REST = 0.6  # tiles of error allowed at rest
ROUGHLY = math.radians(50)  # headings this close count as equal, because some games turn by quarters
NORTH, EAST, SOUTH, WEST = math.pi / 2, 0.0, -math.pi / 2, math.pi


def pairs() -> list[str]:
    return [f"{front}-{back}" for front, back in itertools.product(GAMES, GAMES)]


class Scene:
    """`us` is the player through Entente, `them` the player without it."""

    def __init__(self, stage: Stage, pair: str, *, panes: bool = False, record: bool = False) -> None:
        """`panes`: put a pane on either side of Entente. `record`: record bridges."""
        self.stage, self.pair, self.record = stage, pair, record
        front, back = pair.split("-")
        self.front, self.back = importlib.import_module(front).driver, importlib.import_module(back).driver
        self.us: Player | None = None
        self.them: Player | None = None
        self.guests: list[Player] = []
        self.fights: dict[str, object] = {}  # for each hunter: what was seen, or why there was no kill
        self.us_known = ""  # the server's name for our player in the last fight
        self.latencies: list[float] = []
        self.met: Place = (0.0, 0.0)  # our player's place when they last met
        self.line_of_fire: float | None = None  # the direction of our player's shot that may still be flying
        self.names = (f"{name}{stage.dice.randint(10, 99)}" for name in itertools.cycle(("anna", "otto", "hannah", "bob")))
        self.server: Server = self.back.start(stage)
        self.ententes: list[Program] = []
        self.recordings: list[str] = []  # one for each Entente, if it records
        self.logs: list[str] = []  # of the panes: before the server, before Entente
        self._server_port = self._pane(self.server.port) if panes else self.server.port
        self.port = self._pane(self._open()) if panes else self._open()
        self._watch_port = 0  # opened for the first spectator

    @property
    def relay(self) -> bool:
        """Whether both sides use the same dialect of the same game."""
        return self.front.URL.format(port=0) == self.server.url(0)

    def _open(self, settings: str = "") -> int:
        """Starts an Entente with a listener for our player's game, with these settings of the listener."""
        listen, to = self.front.URL.format(port=0), self.server.url(self._server_port)
        if not self.relay:  # which takes no settings
            listen, to = listen + settings, to + self.server.settings
        asked = [self.stage.entente, "proxy", "--listen", listen, "--to", to]
        if self.record and not self.relay:
            self.recordings.append(self.stage.path(f"entente{len(self.ententes)}.mcap"))
            asked += ["--record", self.recordings[-1]]
        self.ententes.append(self.stage.start(f"entente{len(self.ententes) or ''}", asked))
        return int(self.ententes[-1].wait_for(r"^listening .*:(\d+)$", 20).group(1))

    def _pane(self, port: int) -> int:
        self.logs.append(self.stage.path(f"pane{len(self.logs)}.pieces"))
        pane = self.stage.start(f"pane{len(self.logs) - 1}", [sys.executable, PANE, str(port), self.logs[-1]])
        return int(pane.wait_for(r"^pane (\d+)$", 20).group(1))

    # joining and leaving
    def ready(self) -> None:
        """Makes sure that both have joined and are alive, if necessary in a new round."""
        if self.us and self.them and self.us.gone is None and self.them.gone is None:
            try:
                for player in (self.us, self.them):
                    if player.where() is None:
                        player.respawn()
                self.until(self.ours, 10, "the server has no unit of our player")
                return
            except (Unseen, NotInGame):
                pass  # a game without respawn starts a new round
        self.clear()
        self.us, self.them = self.visitor(), self.native()
        together(self.us.join, self.them.join)  # some games begin only when all have joined
        self.until(self.ours, 10, "the server has no unit of our player")

    def visitor(self) -> Player:
        return self.keep(self.front.client(self.port, next(self.names)))

    def onlooker(self) -> Player:
        """A spectator. If the game's clients cannot ask to watch, it uses a second listener whose clients all watch."""
        if self.front.to_watch and not self._watch_port:
            self._watch_port = self._open(self.front.to_watch)
        return self.keep(self.front.client(self._watch_port or self.port, next(self.names)))

    def native(self) -> Player:
        player = self.local("native")
        player.native = True
        return player

    def local(self, name: str) -> Player:
        """A player who connects directly to the server, in the server's dialect."""
        return self.keep(self.back.native(self.server.port, name + str(self.stage.count())))

    def keep(self, player: Player) -> Player:
        self.guests.append(player)
        return player

    def clear(self) -> None:
        """All players leave; the server is in its initial state."""
        for guest in self.guests:
            guest.kill()
        if self.guests:
            self.server.again()
        self.guests, self.us, self.them = [], None, None

    # where things are
    def tile(self) -> float:
        """The size of a tile in metres, that of the coarser game."""
        grounds = [end.ground for end in (self.us, self.server) if hasattr(end, "ground")]
        return max((ground.tile_size for ground in grounds), default=25.0)

    def ours(self) -> list[Unit]:
        return [unit for unit in self.server.units() if unit.owner not in self.them.known_as()]

    def truth(self) -> Unit:
        """The server's unit of our player; of several, the one nearest to the place that the player has for itself."""
        units, here = self.ours(), self.us.where()
        if not units:
            raise Unseen("the server has no unit of our player")
        return min(units, key=lambda unit: apart(unit.place, here) if here else 0.0)

    def known_as(self) -> str:
        return self.truth().owner

    def seen_by_us(self) -> Unit | None:
        """The native player, as our player sees it."""
        place = self.them.where()
        return min(self.us.others(), key=lambda unit: apart(unit.place, place), default=None) if place else None

    def error(self) -> float:
        """Tiles between the places that our player and the server have for our player."""
        return off(self.us.here(), self.truth().place) / self.tile()

    def seen_error(self) -> float:
        seen = self.seen_by_us()
        return off(seen.place, self.them.here()) / self.tile() if seen else math.inf

    def free(self, place: Place, goer: Place | None = None) -> bool:
        """Whether no wall and no unit is near a place; our player's unit, and one at `goer`, do not count."""
        width, height = self.server.bounds()
        if abs(place[0]) > width / 2 - 0.4 * self.tile() or abs(place[1]) > height / 2 - 0.4 * self.tile():
            return False
        walls = self.server.walls() if self.server.has("walls") else []
        going = [self.us.here()] + ([goer] if goer else [])
        units = [unit.place for unit in self.server.units() if all(apart(unit.place, one) > self.tile() / 2 for one in going)]
        return all(apart(place, other) > 1.2 * self.tile() for other in walls) and all(apart(place, other) > self.tile() / 2 for other in units)

    def way(self, far: float, *, start: Place | None = None, goer: Place | None = None, behind: float = 0.0,
            rather_not: float | None = None) -> float:
        """A direction in which `far` metres are free, and `behind` metres in the opposite one; `rather_not` only if there is no other."""
        x, y = start or self.us.here()
        yaws = [EAST, WEST, SOUTH, NORTH]
        self.stage.dice.shuffle(yaws)
        if self.us.SLANTS and self.them.SLANTS:
            yaws += [yaw + math.pi / 4 for yaw in yaws]
        if rather_not is not None:
            yaws.sort(key=lambda yaw: turned(yaw, rather_not) < ROUGHLY)
        for yaw in yaws:
            def clear(metres: float) -> bool:
                steps = max(int(abs(metres) / self.tile()), 1)
                return all(self.free((x + metres * step / steps * math.cos(yaw), y + metres * step / steps * math.sin(yaw)), goer) for step in range(1, steps + 1))
            if clear(far) and (not behind or clear(-behind)):
                return yaw
        raise Unseen(f"nothing is free around {x:.0f}, {y:.0f}")

    def meet(self) -> float:
        """Moves the native player within range of our player; returns the direction from our player to it."""
        far = self.server.duel
        self.server.strengthen(NOBODY)
        self.us.wake()
        x, y = self.met = self.truth().place
        for attempt in range(3):
            yaw = self.way(far, start=(x, y), goer=self.them.where(), rather_not=self.line_of_fire)
            self.them.go_to((x + far * math.cos(yaw), y + far * math.sin(yaw)), 40)
            if self.them.where() and apart(self.them.here(), (x, y)) < far + self.tile():
                return yaw
        raise Unseen("the native player did not get there")

    def meet_again(self) -> bool:
        """Meets again if our player has moved away since."""
        moved = bool(self.us.where() and self.ours() and apart(self.truth().place, self.met) > self.tile() / 2)
        if moved:
            self.meet()
        return moved

    # waiting
    def until(self, truth: Callable[[], object], seconds: float, sentence: str) -> object:
        """Waits for a condition on both sides; it is tested whenever the server or our player has changed."""
        return self.us.wait(truth, seconds, sentence)

    def settle(self, error: Callable[[], float], most: float = AT_REST, seconds: float = 6.0) -> float:
        """Waits until the error is at most `most`, or the time is over; returns the error."""
        try:
            self.until(lambda: error() <= most, seconds, "off")
        except Unseen:
            pass
        return error()

    def took(self, since: float, until: float) -> float:
        self.latencies.append(1000 * (until - since))
        return self.latencies[-1]

    def ledger(self) -> list[str]:
        return [line for entente in self.ententes for line in entente.text().splitlines() if re.search("not forwarded|fault", line)]

    def close(self) -> None:
        self.clear()
        self.server.stop()
        for entente in self.ententes:
            try:
                entente.stop()
            except Failed:
                pass
