# Chooses the pairs that are played, and the dialects of both sides.
# Invariant: the same random numbers give the same bouts.
from __future__ import annotations

import importlib
import random
from dataclasses import dataclass

from scene import GAMES, pairs


# The pairs of which tests/traces/bridges has recordings: each game as client and as server, and each family of dialects.
RECORDED = (("panic-bzflag", "panic=be-packed"), ("panic-ogar", "panic=le-padded", "ogar=legacy6"), ("panic-aos", "panic=mixed"),
            ("bzflag-panic", "panic=le-padded"), ("bzflag-bzdraft", "bzflag=2.0"), ("bzflag-ogar", "bzflag=1.10"),
            ("bzflag-aos", "bzflag=wiki", "aos=0.80"), ("bzdraft-panic", "panic=mixed"), ("bzdraft-aos", "aos=0.76"), ("ogar-bzflag",),
            ("ogar-bzdraft", "ogar=legacy4"), ("ogar-ogar", "ogar=legacy22:modern3"), ("aos-panic", "aos=0.76"), ("aos-bzflag", "aos=0.80"),
            ("aos-ogar", "ogar=legacy11"))

TRIES = 1000  # random choices, of which the best is taken


@dataclass(frozen=True)
class Bout:
    """A pair, and its dialects in the form of --dialect; a game that is not named uses its default dialect."""
    pair: str
    spoken: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ", ".join((self.pair, *self.spoken))


def sample(dice: random.Random, count: int) -> list[Bout]:
    """`count` different pairs, with as many games as possible."""
    draws = [dice.sample(pairs(), min(count, len(pairs()))) for _ in range(TRIES)]
    return [Bout(pair) for pair in max(draws, key=lambda draw: len({game for pair in draw for game in pair.split("-")}))]


def recorded() -> list[Bout]:
    return [Bout(pair, tuple(spoken)) for pair, *spoken in RECORDED]


def each_dialect(dice: random.Random) -> list[Bout]:
    """Every dialect of players and of servers, in as few bouts as possible; no bout is a relay, and few are within one game."""
    drivers = [importlib.import_module(game).driver for game in GAMES]
    fronts = [(driver.GAME, dialect) for driver in drivers for dialect in driver.dialects]
    backs = [(driver.GAME, dialect) for driver in drivers for dialect in driver.of_server]
    most = max(len(fronts), len(backs))
    draws = [list(zip(*(dice.sample(side, len(side)) + dice.choices(side, k=most - len(side)) for side in (fronts, backs)))) for _ in range(TRIES)]
    dealt = min(draws, key=lambda draw: sum((front[0] == back[0]) + 100 * (front == back) for front, back in draw))
    return [bout(front, back) for front, back in dealt]


def bout(front: tuple[str, str], back: tuple[str, str]) -> Bout:
    """The bout for (game, dialect) of the player and of the server."""
    (ours, spoken), (theirs, answered) = front, back
    says = [f"{ours}={spoken}:{answered}"] if ours == theirs else [f"{ours}={spoken}", f"{theirs}={answered}"]
    return Bout(f"{ours}-{theirs}", tuple(one for one in says if not one.endswith("=")))
