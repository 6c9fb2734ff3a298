"""A duel in a lockstep arena as an environment for reinforcement learning, with the interface of Gymnasium.

    env = Duel(seed=1)
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

It works without Gymnasium and NumPy. With Gymnasium, Duel is a gymnasium.Env; with NumPy, observations are arrays. observe()
and act() also work with a Bot, so what was learned here can play on any server.
"""
from __future__ import annotations

import math
import random
from typing import Any, Optional

from .arena import Arena
from .lockstep import LockstepBot
from .room import Unit
from .wishes import Wishes

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    import gymnasium
    Base: type = gymnasium.Env
except ImportError:
    gymnasium, Base = None, object  # type: ignore[assignment]

WAYS = 8  # directions in which it can drive, counted from that of the foe
LEADS = (-1.0, 0.0, 1.0, 2.0)  # how far ahead of the foe it can shoot: 1 is where the foe will be, if it goes on as it does
FEATURES = ("bias", "distance", "closing", "crossing", "facing", "loaded", "health")
FAR = 100.0  # metres, to scale


class Discrete:
    """The numbers from 0 to n - 1."""

    def __init__(self, n: int, seed: Optional[int] = None) -> None:
        self.n, self._random = n, random.Random(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        self._random.seed(seed)

    def sample(self) -> int:
        return self._random.randrange(self.n)

    def contains(self, value: Any) -> bool:
        return hasattr(value, "__index__") and 0 <= value < self.n


class Box:
    """`size` numbers from `low` to `high`."""

    def __init__(self, low: float, high: float, size: int) -> None:
        self.low, self.high, self.shape = low, high, (size,)

    def contains(self, value: Any) -> bool:
        return len(value) == self.shape[0] and all(self.low <= one <= self.high for one in value)


def clamp(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def target_of(bot: Wishes) -> Optional[Unit]:
    return next(iter(bot.room.foes()), None)


def observe(bot: Wishes) -> list[float]:
    """FEATURES of the nearest foe as your unit sees it, each from -1 to 1. Without one of both: all 0 but `bias`."""
    unit, target = bot.unit, target_of(bot)
    if unit is None or target is None:
        return [1.0] + [0.0] * (len(FEATURES) - 1)
    at, foe = bot.room.place_of(unit), bot.room.place_of(target)
    x, y = foe.x - at.x, foe.y - at.y
    far = math.hypot(x, y) or 1.0
    ahead, aside = (foe.vx * x + foe.vy * y) / far, (foe.vy * x - foe.vx * y) / far
    speed = bot.room.rule("speed", 25.0)
    in_air = sum(shooter == bot.room.me for shooter, _ in bot.room.shots)
    return [1.0, clamp(far / FAR - 1), clamp(-ahead / speed), clamp(aside / speed), clamp(math.cos(at.yaw - math.atan2(y, x))),
            clamp(1.0 - in_air / max(bot.room.about.most_shots, 1)), clamp(unit.health / (unit.max_health or 1.0))]


def act(bot: Wishes, action: int) -> None:
    """0 to 7: drives in this eighth of a turn from the foe's direction; 8 and more: shoots, with one of LEADS. Needs both units."""
    unit, target = bot.unit, target_of(bot)
    if unit is None or target is None:
        return
    at, foe = bot.room.place_of(unit), bot.room.place_of(target)
    if action < WAYS:
        way = math.atan2(foe.y - at.y, foe.x - at.x) + action * math.tau / WAYS
        bot.goto(at.x + FAR * math.cos(way), at.y + FAR * math.sin(way))
        return
    later = LEADS[action - WAYS] * math.hypot(foe.x - at.x, foe.y - at.y) / bot.room.rule("shot_speed", 100.0)
    bot.fire((foe.x + foe.vx * later, foe.y + foe.vy * later))


class Duel(Base):  # type: ignore[misc]
    """One tank against the arena's own bots. A kill gives 1, a hit 0.2, a shot -0.1, a death -1. An episode has `steps` steps of `ticks` ticks.

    reset() goes on in the same arena, with a new life; reset(seed=…) begins anew in another one, with that seed. `options`:
    those of `entente arena`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, seed: int = 1, steps: int = 200, ticks: int = 5, **options: Any) -> None:
        self.steps, self.ticks = steps, ticks
        self.options = {"bots": 2, "behaviour": "wander", "side": 150, "respawn_ms": 0, "balls": 2, "reload_ms": 1000} | options
        actions, size = WAYS + len(LEADS), len(FEATURES)
        self.action_space = gymnasium.spaces.Discrete(actions, seed=seed) if gymnasium else Discrete(actions, seed)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (size,)) if gymnasium else Box(-1.0, 1.0, size)
        self.arena: Optional[Arena] = None
        self.bot: Optional[LockstepBot] = None
        self._seed, self._done = seed, 0

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        if gymnasium:
            super().reset(seed=seed)  # seeds np_random
        if seed is not None or self.bot is None:
            self.close()
            self._seed = self._seed if seed is None else seed
            self.arena = Arena(lockstep=True, seed=self._seed, **self.options)
            self.bot = LockstepBot(self.arena.port, "learner")
            self.action_space.seed(self._seed)
        elif self.bot.unit is not None:
            self.bot.send("death_claim", why="BY_ITSELF")
            self.bot.step()
        self.bot.spawn()
        self._done = 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        bot = self.bot
        assert bot is not None, "call reset() first"
        act(bot, int(action))
        reward, mine = 0.0, bot.unit.id if bot.unit else 0
        for event in bot.step(self.ticks):
            if event.kind == "died":
                reward += (event.word.killer == bot.room.me) - (event.word.player == bot.room.me)
            elif event.kind == "shot":
                reward -= 0.1 * (event.word.shooter == bot.room.me)
            elif event.kind == "health" and event.word.by == bot.room.me and event.word.unit != mine:
                reward += 0.2
        self._done += 1
        return self._observation(), reward, bot.unit is None, self._done >= self.steps, {}

    def close(self) -> None:
        if self.bot is not None:
            self.bot.close()
        if self.arena is not None:
            self.arena.close()
        self.bot = self.arena = None

    def _observation(self) -> Any:
        assert self.bot is not None
        seen = observe(self.bot)
        return numpy.array(seen, dtype="float32") if numpy else seen
