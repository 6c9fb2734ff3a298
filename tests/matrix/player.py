# The interface of every game to the harness: a client that plays, and a server.
# Invariant: a place is metres from the middle, x east, y north, in a world of 800 m; a heading is radians counter-clockwise from east.
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
PATIENCE = 8.0  # seconds to wait for any event
Place = tuple[float, float]


class NotInGame(Exception):
    """This game does not have the verb."""


class Unseen(Exception):
    """An expected event did not come; the text says which, in one sentence."""


class Ended(Exception):
    """The connection is over."""


@dataclass
class Unit:
    """A player's unit, as one side sees it."""
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
    """The distance along the axis on which it is larger, because tiles are square."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def toward(one: Place, other: Place) -> float:
    return math.atan2(other[1] - one[1], other[0] - one[0])


def turned(one: float, other: float) -> float:
    """The angle between two headings, 0 to pi."""
    return abs((one - other + math.pi) % (2 * math.pi) - math.pi)


def verb(method: Callable) -> Callable:
    """Marks a verb that a game has only if its driver overrides it."""
    def missing(self, *_: object, **__: object):
        raise NotInGame(f"{self.GAME} has no {method.__name__}")
    missing.__name__, missing.__doc__, missing.missing = method.__name__, method.__doc__, True
    return missing


class Watched:
    """State that one thread changes and others wait for."""

    def has(self, name: str) -> bool:
        """Whether this game has that verb."""
        return not hasattr(getattr(type(self), name), "missing")

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())

    def wait(self, truth: Callable[[], object], seconds: float, sentence: str) -> object:
        """Waits for the first true value of `truth`, which is evaluated at every change."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (value := truth()):
                left = end - time.monotonic()
                if left <= 0:
                    raise Unseen(f"{sentence} ({seconds:g} s)")
                self.changed.wait(min(left, 0.02))  # some conditions depend on other players, or on time alone
            return value


class Player(Watched):
    """A client of one game. `listen` runs in a separate thread and updates the state below."""
    GAME = ""
    SLANTS = True  # moves in any direction, not only along the sides of tiles
    native = False  # connected directly to the server: it may do things faster if the server allows it

    def __init__(self, port: int, name: str) -> None:
        super().__init__()
        self.port, self.name = port, name
        self.shots: list[Shot] = []
        self.heard: list[Said] = []
        self.deaths: list[Death] = []
        self.hurts = 0
        self.gone: str | None = None  # the reason, once the connection is over
        self.frames = {"sent": 0, "heard": 0}
        self.sent_at = 0.0  # when the last requested message was sent
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
        except Exception as wrong:  # a message that no document describes is a finding, not a fault of the harness
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
        """Reads one message, or all that arrives within a tenth of a second."""
        raise NotImplementedError

    def known_as(self) -> set:
        """The names that the server may have for its units, if it is directly connected."""
        return {self.name}

    def attack(self, place: Place) -> None:
        """Tries once to hurt the player at that place."""
        self.shoot(toward(self.here(), place))

    def take_cover(self) -> None:
        """Waits until no shot is in flight, in games where shots fly."""

    def side_with(self, team: object) -> None:
        """Before joining: asks for that team, in games where a player may choose."""

    def wake(self) -> None:
        """Finds out which of several units the player steers, if the messages do not say it."""

    def misses(self, nearest: list, walls: list, tile: float) -> list:
        """The walls that do not exist for this player: of `walls` if the player has a list of walls, else of `nearest`."""
        own = self.walls()
        return [wall for wall in walls if not any(apart(wall, other) <= 0.6 * tile for other in own)]

    @verb
    def join(self): """Joins; returns once in play."""
    @verb
    def watch(self): """Joins as a spectator."""
    @verb
    def where(self): """The player's place, or None."""
    @verb
    def heading(self): """The player's heading."""
    @verb
    def others(self): """A list of the living units of others."""
    @verb
    def go_to(self, place, seconds): """Drives there; returns when it is there, or after that time."""
    @verb
    def halt(self): """Stops now."""
    @verb
    def face(self, yaw): """Turns there."""
    @verb
    def shoot(self, yaw): """One shot."""
    @verb
    def respawn(self): """Asks for a respawn; returns once in play."""
    @verb
    def say(self, text): """Chats to all."""
    @verb
    def say_team(self, text): """Chats to the player's team."""
    @verb
    def say_to(self, name, text): """Chats to one player."""
    @verb
    def score(self, name): """A number, or None."""
    @verb
    def team(self): """The player's team."""
    @verb
    def team_scores(self): """The scores of teams that were received."""
    @verb
    def leave(self): """Leaves with the game's own message."""
    @verb
    def walls(self): """Places of what stands in the way."""
    @verb
    def bounds(self): """(width, height) in metres."""
    @verb
    def pickups(self): """Places of what can be picked up."""
    @verb
    def tokens(self): """The tokens: {number: carrier's name or None}."""
    @verb
    def grab(self, number): """Takes a token."""
    @verb
    def drop(self): """Drops it."""
    @verb
    def ammo(self): """Shots left, or seconds that a reload takes."""
    @verb
    def health(self): """The health, 0 to 1, or a size."""
    @verb
    def jump(self): """Jumps."""
    @verb
    def height(self, name): """Metres above ground, as this player sees it."""
    @verb
    def guide(self, name): """Shoots a guided missile at that player."""
    @verb
    def guided(self): """The number of updates received about a missile in flight."""
    @verb
    def time_left(self): """Seconds left, or None."""
    @verb
    def over(self): """Whether the round is over."""
    @verb
    def lag(self): """Whether a measure of lag was exchanged."""
    @verb
    def edits(self): """The number of changes of the world that were received."""


class Server(Watched):
    """A server of one game, and its state; `duel` is the distance in metres at which its players fight."""
    GAME = ""
    FULL = False  # two players fill it: later ones can only watch
    TELLS_LEAVES = True  # whether players see that another has left
    duel = 50.0
    line_every = 0.8  # seconds between two lines of chat, so that the server does not mute
    port = 0
    settings = ""  # settings of this server in a bridge's --to

    def url(self, port: int) -> str:
        raise NotImplementedError

    def units(self) -> list[Unit]:
        """Living units, as the server has them."""
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def again(self) -> None:
        """Starts a new round, if a round can end for good."""

    def strengthen(self, name: str) -> None:
        """Makes a player strong enough to win a fight, in games where a weapon is not enough; NOBODY: makes all equal."""

    def show_teams(self) -> None:
        """Makes the server send the scores of teams, if it does not already."""

    @verb
    def score(self, name): """The score that the server has."""
    @verb
    def notice(self, text): """Sends a notice to all."""
    @verb
    def kick(self, name, reason): """Kicks a player."""
    @verb
    def walls(self): """Places of what stands in the way."""
    @verb
    def bounds(self): """(width, height) in metres."""
    @verb
    def pickups(self): """Places of what can be picked up."""
    @verb
    def end_round(self): """Ends the round."""
    @verb
    def start_clock(self): """Starts the clock of a round."""
    @verb
    def edit(self): """Changes the world."""
    @verb
    def fill(self): """Fills the server, if the game does not refuse a name in use."""

    def empty(self) -> None:
        """Undoes fill()."""


Read = Callable[[str, bool, Iterable[Timed]], Iterator[Passed]]


class Driver:
    """A game, for the harness: its players, its server, and the dialects of each side, the default first; if there is only one dialect, its
    name is ""."""

    def __init__(self, game: str, client: Callable[[int, str, str], Player], server: Callable[..., Server], url: Callable[[str], str], read: Read,
                 dialects: Iterable[str] = ("",), of_server: Iterable[str] = (), to_watch: str = "",
                 tick: float = 0.0) -> None:
        """`client(port, name, dialect)` and `server(stage, dialect)` start the two sides; `of_server` are the server's dialects, if not all.
        `url(dialect)` is the URL of a listener, with {port} in it; if a client cannot ask to watch, `to_watch` is the listener's setting that
        makes all its clients watch. `read(dialect, up, pieces)` returns the messages in the pieces of one link in one direction, and which of
        them are shots. `tick`: milliseconds that a message may wait for a tick of the game."""
        self.GAME, self.to_watch, self.tick, self.read = game, to_watch, tick, read
        self._client, self._server, self._url = client, server, url
        self.dialects = tuple(dialects)
        self.of_server = tuple(of_server) or self.dialects
        self.speak(self.dialects[0], None)

    def speak(self, client: str, server: str | None) -> None:
        """Sets the dialects. Without `server`, the server has the clients' dialect if it can. Raises ValueError for an unknown dialect."""
        if client not in self.dialects or server not in (None, *self.of_server):
            raise ValueError(f"players speak {', '.join(self.dialects)}, the server {', '.join(self.of_server)}")
        self.theirs = server or (client if client in self.of_server else self.of_server[0])
        self.ours, self.URL = client, self._url(client)

    def start(self, stage) -> Server:
        return self._server(stage, self.theirs)

    def client(self, port: int, name: str) -> Player:
        """A player through Entente."""
        return self._client(port, name, self.ours)

    def native(self, port: int, name: str) -> Player:
        """A player who is directly connected to the server."""
        return self._client(port, name, self.theirs)


def together(*acts: Callable[[], object]) -> None:
    """Runs all at once, each to its end; then raises the first error."""
    faults: list[BaseException] = []

    def one(act: Callable[[], object]) -> None:
        try:
            act()
        except BaseException as fault:  # raised below, in the calling thread
            faults.append(fault)
    threads = [threading.Thread(target=one, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def hang_up(*sockets: socket.socket) -> None:
    """Closes at once, even if a thread is reading."""
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # not connected
        one.close()


def listener() -> socket.socket:
    return socket.create_server((LOOPBACK, 0))
