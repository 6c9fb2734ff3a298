# What the harness asks of every game: one end of a connection that plays, and a server that is played on.
# Law: a place is metres from the middle, x east, y north, in a world of 800 m; a heading is radians counter-clockwise from east.
from __future__ import annotations

import math
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator

from messages import Passed, Timed

LOOPBACK = "127.0.0.1"
WORLD = 800.0  # metres from edge to edge
NOBODY = ""
PATIENCE = 8.0  # seconds that anything may take to come
Place = tuple[float, float]


class NotInGame(Exception):
    """A verb that this game has not."""


class Unseen(Exception):
    """What had to come did not, in one sentence."""


class Ended(Exception):
    """The connection is over."""


@dataclass
class Unit:
    """A body of some player, as one end sees it."""
    owner: str
    place: Place
    yaw: float | None = None
    team: object = None
    size: float = 0.0


@dataclass
class Shot:
    owner: str
    place: Place
    yaw: float | None
    at: float = field(default_factory=time.monotonic)


@dataclass
class Said:
    sender: str
    text: str
    scope: str = "all"
    at: float = field(default_factory=time.monotonic)


@dataclass
class Death:
    victim: str
    killer: str | None
    at: float = field(default_factory=time.monotonic)


def apart(one: Place, other: Place) -> float:
    return math.dist(one, other)


def off(one: Place, other: Place) -> float:
    """By the worse axis: tiles are square."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def toward(one: Place, other: Place) -> float:
    return math.atan2(other[1] - one[1], other[0] - one[0])


def turned(one: float, other: float) -> float:
    """How far two headings are apart, 0 to pi."""
    return abs((one - other + math.pi) % (2 * math.pi) - math.pi)


def verb(method: Callable) -> Callable:
    """A verb that a game has only if its driver says how."""
    def missing(self, *_: object, **__: object):
        raise NotInGame(f"{self.GAME} has no {method.__name__}")
    missing.__name__, missing.__doc__, missing.missing = method.__name__, method.__doc__, True
    return missing


class Watched:
    """State that one thread changes and others wait upon."""

    def has(self, name: str) -> bool:
        """Whether this game has that verb."""
        return not hasattr(getattr(type(self), name), "missing")

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())

    def wait(self, truth: Callable[[], object], seconds: float, sentence: str) -> object:
        """The first true value of it; asked again at every change."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (value := truth()):
                left = end - time.monotonic()
                if left <= 0:
                    raise Unseen(f"{sentence} ({seconds:g} s)")
                self.changed.wait(min(left, 0.02))  # some truths are other ends', or change with time alone
            return value


class Player(Watched):
    """A client of one game. `listen` runs in a thread of its own and keeps the view below up to date."""
    GAME = ""
    SLANTS = True  # goes in any direction, not only along its tiles' sides
    native = False  # straight on the server: it may hurry, if the server lets it

    def __init__(self, port: int, name: str) -> None:
        super().__init__()
        self.port, self.name = port, name
        self.shots: list[Shot] = []
        self.heard: list[Said] = []
        self.deaths: list[Death] = []
        self.hurts = 0
        self.gone: str | None = None  # the goodbye, once the connection is over
        self.frames = {"sent": 0, "heard": 0}
        self.sent_at = 0.0  # when the last message that the player wished for went out
        self._closing = False

    def run(self) -> None:
        threading.Thread(target=self._run, daemon=True, name=f"{self.GAME} {self.name}").start()

    def _run(self) -> None:
        try:
            while not self._closing:
                self.listen()
            why = "left"
        except (OSError, EOFError, Ended) as over:
            why = str(over) or type(over).__name__
        except Exception as wrong:  # a message that no document draws: evidence, not a broken harness
            why = f"could not read it: {wrong!r}"
        with self.changed:
            self.gone = self.gone or why
            self.changed.notify_all()

    def wait(self, truth: Callable[[], object], seconds: float, sentence: str) -> object:
        def still() -> object:
            value = truth()
            if not value and self.gone is not None:
                raise Unseen(f"{sentence}: the {self.GAME} connection of {self.name} is over: {self.gone}")
            return value
        return super().wait(still, seconds, sentence)

    def here(self) -> Place:
        place = self.where()
        if place is None:
            raise Unseen(f"{self.name} is nowhere")
        return place

    def dead(self) -> int:
        return sum(death.victim == self.name for death in self.deaths)

    def listen(self) -> None:
        """Takes one message, or what comes within a tenth of a second."""
        raise NotImplementedError

    def known_as(self) -> set:
        """What the server may call its units, where it came straight to it."""
        return {self.name}

    def attack(self, place: Place) -> None:
        """One try to hurt whoever stands there."""
        self.shoot(toward(self.here(), place))

    def take_cover(self) -> None:
        """Waits until nothing that was shot flies any more, where shots fly."""

    def side_with(self, team: object) -> None:
        """Before it joins: wishes to be of that team, where one may choose."""

    def wake(self) -> None:
        """Finds out which of several units one steers, if that is not plain to see."""

    def misses(self, nearest: list, walls: list, tile: float) -> list:
        """Of these walls, those that are not there for this player. REQUIRES: a list of them at hand; else look at the nearest."""
        own = self.walls()
        return [wall for wall in walls if not any(apart(wall, other) <= 0.6 * tile for other in own)]

    @verb
    def join(self): """Is in, and in play."""
    @verb
    def watch(self): """Is in, and looks on."""
    @verb
    def where(self): """One's own place, or None."""
    @verb
    def heading(self): """Where one looks."""
    @verb
    def others(self): """Living units of others, as a list."""
    @verb
    def go_to(self, place, seconds): """Drives there; returns when it is there, or after that time."""
    @verb
    def halt(self): """Stops now."""
    @verb
    def face(self, yaw): """Turns there."""
    @verb
    def shoot(self, yaw): """One shot."""
    @verb
    def respawn(self): """Asks for it, and is back."""
    @verb
    def say(self, text): """To all."""
    @verb
    def say_team(self, text): """To one's team."""
    @verb
    def say_to(self, name, text): """To one."""
    @verb
    def score(self, name): """A number, or None."""
    @verb
    def team(self): """One's own."""
    @verb
    def team_scores(self): """What was told of them."""
    @verb
    def leave(self): """With the game's own goodbye."""
    @verb
    def walls(self): """Places of what stands in the way."""
    @verb
    def bounds(self): """(width, height) in metres."""
    @verb
    def pickups(self): """Places of what can be picked up."""
    @verb
    def tokens(self): """What can be carried: {number: carrier's name or None}."""
    @verb
    def grab(self, number): """Takes a token."""
    @verb
    def drop(self): """Drops it."""
    @verb
    def ammo(self): """Shots left, or seconds that a reload takes."""
    @verb
    def health(self): """0 to 1, or a size."""
    @verb
    def jump(self): """Off the ground."""
    @verb
    def height(self, name): """Metres above ground, as seen here."""
    @verb
    def guide(self, name): """Shoots a guided missile at somebody."""
    @verb
    def guided(self): """How often a missile in flight was told of."""
    @verb
    def time_left(self): """Seconds, or None."""
    @verb
    def over(self): """The round is."""
    @verb
    def lag(self): """A measure of it was exchanged."""
    @verb
    def edits(self): """Changes of the world that were told."""


class Server(Watched):
    """A server of one game, and what it holds true; `duel` is from how far its players fight."""
    GAME = ""
    FULL = False  # with two players in it: who comes later can only look on
    TELLS_LEAVES = True  # players see that another has left
    duel = 50.0
    line_every = 0.8  # seconds between two lines of chat, for who shall not be muted
    port = 0
    settings = ""  # for a bridge's --to: what it may be told of this server

    def url(self, port: int) -> str:
        raise NotImplementedError

    def units(self) -> list[Unit]:
        """Living units, as the server has them."""
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def again(self) -> None:
        """A fresh round, if a round can be over for good."""

    def strengthen(self, name: str) -> None:
        """Makes one fit to win a fight, where that takes more than a weapon; NOBODY: all are alike."""

    def show_teams(self) -> None:
        """Makes it tell the scores of teams, if it does not already."""

    @verb
    def score(self, name): """As the server has it."""
    @verb
    def notice(self, text): """Tells everybody."""
    @verb
    def kick(self, name, reason): """Throws somebody out."""
    @verb
    def walls(self): """Places of what stands in the way."""
    @verb
    def bounds(self): """(width, height) in metres."""
    @verb
    def pickups(self): """Places of what can be picked up."""
    @verb
    def end_round(self): """So that it is over."""
    @verb
    def start_clock(self): """So that there is time left."""
    @verb
    def edit(self): """Changes the world."""
    @verb
    def fill(self): """Has no room for anybody more, where a server refuses nobody for his name."""

    def empty(self) -> None:
        """Has room again."""


Read = Callable[[str, bool, Iterable[Timed]], Iterator[Passed]]


class Driver:
    """What a game gives the harness: its players, its server, and what each side can speak, most usual first; with one dialect alone,
    it is ""."""

    def __init__(self, game: str, client: Callable[[int, str, str], Player], server: Callable[..., Server], url: Callable[[str], str], read: Read,
                 dialects: Iterable[str] = ("",), of_server: Iterable[str] = (), to_watch: str = "",
                 tick: float = 0.0) -> None:
        """`client(port, name, dialect)`, `server(stage, dialect)`, which speaks those `of_server` if not all; of an endpoint to listen on,
        `url(dialect)` has {port} in it, and `to_watch` is the setting by which all who come there watch, where a client cannot say so.
        `read(dialect, up, pieces)` tells what passed on a wire of it: of the pieces of one link, one way, the messages, and which are
        shots. `tick`: milliseconds for which this game lets its messages wait."""
        self.GAME, self.to_watch, self.tick, self.read = game, to_watch, tick, read
        self._client, self._server, self._url = client, server, url
        self.dialects = tuple(dialects)
        self.of_server = tuple(of_server) or self.dialects
        self.speak(self.dialects[0], None)

    def speak(self, client: str, server: str | None) -> None:
        """From now on; the server what its clients do, if it can and nothing is said of it. Raises ValueError for what nobody here speaks."""
        if client not in self.dialects or server not in (None, *self.of_server):
            raise ValueError(f"players speak {', '.join(self.dialects)}, the server {', '.join(self.of_server)}")
        self.theirs = server or (client if client in self.of_server else self.of_server[0])
        self.ours, self.URL = client, self._url(client)

    def start(self, stage) -> Server:
        return self._server(stage, self.theirs)

    def client(self, port: int, name: str) -> Player:
        """One who comes through Entente."""
        return self._client(port, name, self.ours)

    def native(self, port: int, name: str) -> Player:
        """One who comes straight to the server."""
        return self._client(port, name, self.theirs)


def together(*acts: Callable[[], object]) -> None:
    """At once, each to its end; the first fault is raised."""
    faults: list[BaseException] = []

    def one(act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as fault:  # raised below, in the thread that asked
            faults.append(fault)
    threads = [threading.Thread(target=one, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def hang_up(*sockets: socket.socket) -> None:
    """At once, even if a thread listens."""
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # nobody is there
        one.close()


def listener() -> socket.socket:
    return socket.create_server((LOOPBACK, 0))
