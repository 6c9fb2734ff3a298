"""What a bot can ask for, and what that needs to know. Shared by Bot (bot.py) and LockstepBot (lockstep.py)."""
from __future__ import annotations

import math
from typing import Any, Optional

from . import words
from .codec import Word
from .errors import BadIntent
from .room import Player, Room, Unit

LONGEST_STEP = 90_000  # ticks


class Wishes:
    """`room` and send() are those of the class that inherits this."""

    room: Room
    _shots = 0  # fired so far

    def send(self, intent: str | Word, **fields: Any) -> None:
        raise NotImplementedError

    @property
    def me(self) -> Optional[Player]:
        """Your player; None while you are not in."""
        return self.room.players.get(self.room.me)

    @property
    def unit(self) -> Optional[Unit]:
        """The unit that you steer; None while you are out of play."""
        return self.room.unit_of(self.room.me)

    def goto(self, x: float, y: float) -> None:
        """Steers your unit to this place. It goes on until the next goto(), stop() or turn_to()."""
        self.send(words.Toward(x=x, y=y))

    def follow(self, target: Unit | Player | words.Pose | tuple[float, float]) -> None:
        """Steers to where the target is now. Call it again as the target moves."""
        at = self._pose_of(target)
        self.goto(at.x, at.y)

    def stop(self) -> None:
        """Stands still."""
        at = self.room.place_of(self._mine())
        self.goto(at.x, at.y)

    def turn_to(self, target: Unit | Player | words.Pose | tuple[float, float]) -> None:
        """Turns on the spot until the target is ahead."""
        x, y, _ = self.aim(target)
        self.send(words.Keys(yaw=math.atan2(y, x)))

    def aim(self, target: Unit | Player | words.Pose | tuple[float, float]) -> tuple[float, float, float]:
        """The direction in which a shot meets the target, if it goes on as it does now. Length 1."""
        at, mine = self._pose_of(target), self.room.place_of(self._mine())
        speed = self.room.rule("shot_speed", 100.0)
        x, y, z = at.x - mine.x, at.y - mine.y, at.z - mine.z
        # The time after which the shot, at its speed, is as far away as the target: a quadratic equation.
        a = at.vx ** 2 + at.vy ** 2 - speed ** 2
        b = 2 * (x * at.vx + y * at.vy)
        c = x * x + y * y
        root = b * b - 4 * a * c
        later = max((-b - math.sqrt(root)) / (2 * a), 0.0) if a < 0 and root >= 0 else 0.0
        x, y = x + at.vx * later, y + at.vy * later
        far = math.sqrt(x * x + y * y + z * z)
        return (x / far, y / far, z / far) if far > 0 else (math.cos(mine.yaw), math.sin(mine.yaw), 0.0)

    def shoot_at(self, target: Unit | Player | words.Pose | tuple[float, float]) -> int:
        """Fires one shot at the target, with lead. Returns the number of the shot."""
        return self._fire(*self.aim(target))

    def fire(self, target: Unit | Player | words.Pose | tuple[float, float]) -> int:
        """Fires one shot at where the target is now, without lead. Returns the number of the shot."""
        at, mine = self._pose_of(target), self.room.place_of(self._mine())
        return self._fire(at.x - mine.x, at.y - mine.y, at.z - mine.z)

    def _fire(self, x: float, y: float, z: float) -> int:
        mine = self._mine()
        at = self.room.place_of(mine)
        self._shots += 1
        self.send(words.Fire(unit=mine.id, shot=self._shots, x=at.x, y=at.y, z=at.z, vx=x, vy=y, vz=z))
        return self._shots

    def say(self, text: str, *, to: Optional[Player | int] = None, team: bool = False) -> None:
        """Says a line to all, to your team, or to one player."""
        if to is not None:
            self.send(words.Say(scope="ONE", to=to if isinstance(to, int) else to.id, text=text))
        else:
            self.send(words.Say(scope="MY_TEAM" if team else "EVERYBODY", text=text))

    def wish_to_step(self, ticks: int) -> words.Playback:
        """What step() sends."""
        if not hasattr(ticks, "__index__") or not 1 <= ticks <= LONGEST_STEP:
            raise BadIntent("playback.by_s", f"{ticks!r:.40} is not a number of ticks from 1 to {LONGEST_STEP}")
        if not self.room.rule("lockstep"):
            raise BadIntent("playback.by_s", "this is no lockstep arena")
        return words.Playback(by_s=ticks * self.room.rule("tick_s", 0.04))

    def _mine(self) -> Unit:
        if self.unit is None:
            raise BadIntent("unit", "you are not in play")
        return self.unit

    def _pose_of(self, target: Unit | Player | words.Pose | tuple[float, float]) -> words.Pose:
        if isinstance(target, Player):
            unit = self.room.unit_of(target.id)
            if unit is None:
                raise BadIntent("target", f"{target.name} is not in play, or out of sight")
            target = unit
        if isinstance(target, Unit):
            return self.room.place_of(target)
        return target if isinstance(target, words.Pose) else words.Pose(x=target[0], y=target[1])
