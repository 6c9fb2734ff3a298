# What Entente adds: from when a frame that carries an event was handed to it until it had sent out what became of it, both ways.
# Law: a pane on either side of it says when, by the kernel's clock; no server and no client of ours is in what is measured.
# A line of chat is found again by its words, and a shot is the first one after it.
from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Iterator

from messages import Passed, Timed
from pane import Piece, pieces
from player import Driver, Player, Unseen, apart
from scene import Scene

LIMIT = 2.0  # milliseconds at the 99th percentile, besides a game's own tick
QUIET = 1.0  # milliseconds that the panes, which do nothing, may take at the 99th percentile: beyond, the machine is too busy to judge
HEARD = 0.2  # seconds until a server's change is known everywhere
APART = 1.0  # seconds between two events
ARRIVES, ANSWERS = 5 * 10**8, 2 * 10**9  # nanoseconds from an act to its frame, and from that to what it became


@dataclass
class Event:
    up: bool  # ours did it
    words: str  # of chat; none: a shot
    since: int
    until: int = 0  # when it had been done

    def is_in(self, message: bytes, shot: bool) -> bool:
        return self.words.encode() in message or self.words.encode("utf-16le") in message if self.words else shot


@dataclass
class Added:
    """Milliseconds of each event, of a pair; None: nothing came of it within two seconds."""
    up: dict[str, list[float | None]]
    down: dict[str, list[float | None]]
    ticks: tuple[float, float]  # milliseconds for which the server's game, and the player's, lets a message wait
    panes: list[float]  # what panes took to pass on


def measure(scene: Scene, rounds: int) -> Added:
    events = list(play(scene, rounds))
    if not events:
        raise Unseen("nobody could shoot or say anything")
    time.sleep(ANSWERS / 1e9)
    behind, before = (list(pieces(log)) for log in scene.logs)
    added = Added({}, {}, (0.0, 0.0) if scene.relay else (scene.back.tick, scene.front.tick),                   [(piece.went - piece.came) / 1e6 for piece in before + behind if piece.came > events[0].since])
    for up, said, told in ((True, read(scene.front, scene.front.ours, before, up=True, came=False), read(scene.back, scene.back.theirs, behind, up=True, came=True)),
                           (False, read(scene.back, scene.back.theirs, behind, up=False, came=False), read(scene.front, scene.front.ours, before, up=False, came=True))):
        for event in events:
            sent = first(said, event, event.since, event.until + ARRIVES) if event.up == up else None
            if sent is not None:
                became = first(told, event, sent, sent + ANSWERS)
                (added.up if up else added.down).setdefault("line" if event.words else "shot", []).append((became - sent) / 1e6 if became else None)
    return added


def play(scene: Scene, rounds: int) -> Iterator[Event]:
    """Each in turn shoots away from the other and says something; the first time nothing counts, as they turn."""
    scene.ready()
    yaw, talks = scene.meet(), scene.us.has("say") and scene.them.has("say")
    for turn in range(rounds + 1):
        scene.ready()
        if apart(scene.us.here(), scene.them.here()) > scene.server.duel + scene.tile() / 2:  # a split carries one on, out of sight at last
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
    """Of all links, one way; `came`: to the pane, else went from it."""
    links: dict[int, list[Timed]] = {}
    for piece in passed:
        if piece.up == up:
            links.setdefault(piece.link, []).append((piece.came if came else piece.went, piece.data))
    return sorted(message for link in links.values() for message in driver.read(dialect, up, link))


def first(messages: list[Passed], event: Event, since: int, until: int) -> int | None:
    return next((at for at, message, shot in messages if since <= at <= until and event.is_in(message, shot)), None)


def percentile(numbers: list[float], part: float) -> float:
    return sorted(numbers)[min(int(part * len(numbers)), len(numbers) - 1)]


HEAD = ("pair", "to the server: events", "p50, ms", "p99, ms", "to the player: events", "p50, ms", "p99, ms", "of it a game's tick, ms", "a pane's p99, ms", "")


def line(pair: str, added: Added) -> tuple[list[str], str]:
    """Its row of the table, and what is wrong with it, if anything is."""
    cells, faults = [pair], []
    for way, kinds, tick in (("to the server", added.up, added.ticks[0]), ("to the player", added.down, added.ticks[1])):
        all_, known = sum(kinds.values(), []), [took for took in sum(kinds.values(), []) if took is not None]
        cells += [f"{len(all_)}" + (f" ({len(all_) - len(known)} came to nothing)" if len(known) < len(all_) else ""),
                  *(f"{percentile(known, part):.2f}" if known else "–" for part in (0.5, 0.99))]
        if known and percentile(known, 0.99) > LIMIT + tick:
            faults.append(f"{way} {percentile(known, 0.99):.2f} ms")
        if not known:
            faults.append(f"{way} nothing was measured")
    panes = percentile(added.panes, 0.99)
    cells += [", ".join(f"{tick:g} {way}" for way, tick in zip(("to the server", "to the player"), added.ticks) if tick), f"{panes:.2f}"]
    verdict = "" if not faults else "ABOVE" if panes <= QUIET else "not judged: the machine is busy"
    return [*cells, verdict], ", ".join(faults) if verdict == "ABOVE" else ""
