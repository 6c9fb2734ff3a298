# Measures the delay that Entente adds, in both directions: from the arrival of the frame with an event until Entente has sent the translated event.
# Invariant: panes on both sides of Entente record the times, by the kernel's clock; the measured path contains none of our servers and clients.
# A line of chat is recognised by its words; a shot is the first one after it.
from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Iterator

from messages import Passed, Timed
from pane import Piece, pieces
from player import Driver, Player, Unseen, apart
from scene import Scene

LIMIT = 2.0  # milliseconds at the 99th percentile, in addition to a game's tick
QUIET = 1.0  # milliseconds that the panes themselves may take at the 99th percentile; above it, the machine is too busy to judge
HEARD = 0.2  # seconds until a server's change is known everywhere
APART = 1.0  # seconds between two events
ARRIVES, ANSWERS = 5 * 10**8, 2 * 10**9  # most nanoseconds from an act to its frame, and from that frame to the translated one
End = tuple[Driver, str, list[Piece]]  # the game, its dialect, and what its pane recorded


@dataclass
class Event:
    up: bool  # by our player, to the server
    words: str  # the line of chat; empty for a shot
    since: int
    until: int = 0  # when it had been done

    def is_in(self, message: bytes, shot: bool) -> bool:
        return self.words.encode() in message or self.words.encode("utf-16le") in message if self.words else shot


@dataclass
class Added:
    """A pair's delays in milliseconds, one for each event; None: the event did not come out within two seconds."""
    up: dict[str, list[float | None]]
    down: dict[str, list[float | None]]
    ticks: tuple[float, float]  # milliseconds that a message waits for a tick in the server's game, and in the player's
    panes: list[float]  # milliseconds that the panes took to forward


def measure(scene: Scene, rounds: int) -> Added:
    events = list(play(scene, rounds))
    if not events:
        raise Unseen("no player could shoot or chat")
    time.sleep(ANSWERS / 1e9)
    behind, before = (list(pieces(log)) for log in scene.logs)
    front = scene.front, scene.front.ours, before
    back = scene.back, scene.back.theirs, behind
    return Added(match(events, front, back, up=True), match(events, back, front, up=False),
                 (0.0, 0.0) if scene.relay else (scene.back.tick, scene.front.tick),
                 [(piece.went - piece.came) / 1e6 for piece in before + behind if piece.came > events[0].since])


def match(events: list[Event], source: End, sink: End, *, up: bool) -> dict[str, list[float | None]]:
    said, told = read(*source, up=up, came=False), read(*sink, up=up, came=True)
    took: dict[str, list[float | None]] = {}
    for event in events:
        sent = first(said, event, event.since, event.until + ARRIVES) if event.up == up else None
        if sent is not None:
            became = first(told, event, sent, sent + ANSWERS)
            took.setdefault("line" if event.words else "shot", []).append((became - sent) / 1e6 if became else None)
    return took


def play(scene: Scene, rounds: int) -> Iterator[Event]:
    """Each player in turn shoots away from the other and chats; the first round does not count, because the players turn."""
    scene.ready()
    yaw, talks = scene.meet(), scene.us.has("say") and scene.them.has("say")
    for turn in range(rounds + 1):
        scene.ready()
        if apart(scene.us.here(), scene.them.here()) > scene.server.duel + scene.tile() / 2:  # each split moves a cell, in the end out of view
            yaw = scene.meet()
        known = scene.known_as()
        for up, actor, name, away in ((True, scene.us, known, yaw + math.pi), (False, scene.them, scene.them.name, yaw)):
            scene.server.strengthen(name)
            time.sleep(HEARD)
            for words in ("", f"tally {scene.stage.count()} ho") if talks else ("",):
                event = Event(up, words, time.time_ns())
                acted = done(actor, words, away)
                event.until = time.time_ns()
                if acted and turn:
                    yield event
                time.sleep(APART)


def done(actor: Player, words: str, yaw: float) -> bool:
    try:
        actor.say(words) if words else actor.shoot(yaw)
        return True
    except Unseen:
        return False


def read(driver: Driver, dialect: str, passed: list[Piece], *, up: bool, came: bool) -> list[Passed]:
    """The messages of all links in one direction; with `came` the times are those of arrival at the pane, else of departure."""
    links: dict[int, list[Timed]] = {}
    for piece in passed:
        if piece.up == up:
            links.setdefault(piece.link, []).append((piece.came if came else piece.went, piece.data))
    return sorted(message for link in links.values() for message in driver.read(dialect, up, link))


def first(messages: list[Passed], event: Event, since: int, until: int) -> int | None:
    return next((at for at, message, shot in messages if since <= at <= until and event.is_in(message, shot)), None)


def percentile(numbers: list[float], part: float) -> float:
    return sorted(numbers)[min(int(part * len(numbers)), len(numbers) - 1)]


HEAD = ("pair", "to the server: events", "p50, ms", "p99, ms", "to the player: events", "p50, ms", "p99, ms", "of it a game's tick, ms",
        "a pane's p99, ms", "kept")


def line(pair: str, added: Added) -> tuple[list[str], str]:
    """The pair's row of the table, and what is wrong with it; empty if nothing is."""
    cells, late, missing, panes = [pair], [], [], percentile(added.panes, 0.99)
    for way, kinds, tick in ways(added):
        tries = sum(kinds.values(), [])
        known = [took for took in tries if took is not None]
        cells += [f"{len(tries)}" + (f" ({len(tries) - len(known)} came to nothing)" if len(known) < len(tries) else ""),
                  *(f"{percentile(known, part):.2f}" if known else "–" for part in (0.5, 0.99))]
        if not known:
            missing.append(f"{way} nothing was measured")
        elif percentile(known, 0.99) > LIMIT + tick:
            late.append(f"{way} {percentile(known, 0.99):.2f} ms")
    busy = bool(late) and panes > QUIET
    cells += [", ".join(f"{tick:g} {way}" for way, _, tick in ways(added) if tick), f"{panes:.2f}",
              "nothing measured" if missing else "not judged: the machine is busy" if busy else "ABOVE" if late else "yes"]
    return cells, ", ".join(missing + ([] if busy else late))


def ways(added: Added) -> list[tuple[str, dict[str, list[float | None]], float]]:
    return [("to the server", added.up, added.ticks[0]), ("to the player", added.down, added.ticks[1])]
