"""The state of the room, computed ("folded") from its facts.

Invariant: the same facts in the same order give the same room. Facts about unknown players or units are ignored. A server
cannot make it grow without bound: beyond the limits below, new things are left out and counted.
"""
from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Callable, Optional

from . import words
from .codec import Message

MOST_PLAYERS, MOST_UNITS, MOST_SHOTS, MOST_TOKENS, MOST_ZONES, MOST_RULES, MOST_OWNED = 4096, 100_000, 4096, 4096, 1024, 4096, 4096
MOST_EDITS = 1_000_000
BELIEVED_S = 1.0  # how long a unit is expected to go on at its velocity
UNKNOWN_LIFE_S = 10.0  # of a shot whose life is not told
MOST_DRIFT = 0.001  # of two clocks: seconds in each second
LONGEST_LIFE_S = 60.0  # of a shot
FLASH_S = 0.2  # of a ray, or a blow: it hits at once


@dataclass(slots=True)
class Player:
    id: int
    name: str = ""
    team: words.Team = "TEAM_ANY"
    role: words.Role = "PLAY"
    badges: int = 0  # sum of Badge
    responding: bool = False
    units: list[int] = field(default_factory=list)
    active: int = 0  # the unit that it steers
    wins: int = 0
    losses: int = 0
    team_kills: int = 0
    ping_s: float = 0.0
    ammo: Optional[words.Ammo] = None


@dataclass(slots=True)
class Unit:
    id: int
    owner: int = 0  # a player; 0: nobody
    kind: words.UnitKind = "TANK"
    team: words.Team = "TEAM_ANY"
    name: str = ""
    radius: float = 0.0
    health: float = 0.0
    max_health: float = 0.0  # 0: it is either unhurt or dead
    alive: bool = False  # in play
    hidden: bool = False  # out of sight; where it is, is not known
    pose: words.Pose = field(default_factory=words.Pose)  # the newest that was told
    told_s: float = 0.0  # when, in the room's time


class Room:
    """`clock`: returns seconds, never decreasing. Without it, and in a lockstep arena, the room's time is that of its newest fact."""

    def __init__(self, clock: Optional[Callable[[], float]] = time.monotonic) -> None:
        self.me = 0  # your player's id
        self.contract, self.newest = 1, 1  # versions of the protocol
        self.ready = False  # the description of the room is complete
        self.about = words.Room()
        self.rules: dict[str, str] = {}
        self.world: Optional[words.World] = None  # the map
        self.edits: list[words.Edit] = []  # changes of the map since it was sent
        self.players: dict[int, Player] = {}
        self.units: dict[int, Unit] = {}
        self._shots: dict[tuple[int, int], words.Shot] = {}  # by shooter and number; some may have ended
        self.tokens: dict[int, words.Token] = {}
        self.zones: dict[int, words.Zone] = {}
        self.team_scores: dict[str, words.TeamScore] = {}
        self.board = words.Board()
        self.round = words.Round()
        self.waiting: Optional[words.Waiting] = None
        self.view: Optional[words.View] = None
        self.clock: Optional[words.Clock] = None  # of a replay, or a lockstep arena
        self.resyncing = False  # a replay moves to another moment: what is told is not an event
        self.left_out = 0  # things that exceed a limit
        self.at_us = 0  # the time of the newest fact
        self._seconds = clock
        self._ahead = -math.inf  # of the room's time, of the fact with the shortest delay; smaller with time, as our clock may be faster
        self._heard = 0.0  # when the newest fact came, by our clock
        self._ends: dict[tuple[int, int], float] = {}  # of shots, in the room's time

    # -- What is asked ----------------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """The room's time in seconds. It is estimated between two facts; in a lockstep arena, time stands still between them."""
        if self._seconds is None or self._ahead == -math.inf or self.rule("lockstep"):
            return self.at_us / 1e6
        return max(self.at_us / 1e6, self._seconds() + self._ahead)

    @property
    def shots(self) -> dict[tuple[int, int], words.Shot]:
        """The shots in the air, by shooter and number."""
        self._forget_shots_before(self.now_s)
        return self._shots

    def rule(self, name: str, otherwise: float = 0.0) -> float:
        """The number of a rule, such as "speed"."""
        try:
            value = float(self.rules[name])
        except (KeyError, ValueError):
            return otherwise
        return value if math.isfinite(value) else otherwise

    def player_named(self, name: str) -> Optional[Player]:
        return next((player for player in self.players.values() if player.name == name), None)

    def units_of(self, player: int) -> list[Unit]:
        known = self.players.get(player)
        return [self.units[unit] for unit in known.units if unit in self.units] if known else []

    def unit_of(self, player: int) -> Optional[Unit]:
        """The unit that the player steers, otherwise its largest; only units in play, in sight."""
        alive = [unit for unit in self.units_of(player) if unit.alive and not unit.hidden]
        active = self.players[player].active if player in self.players else 0
        return next((unit for unit in alive if unit.id == active), None) or max(alive, key=lambda unit: unit.radius, default=None)

    def place_of(self, unit: Unit, later_s: float = 0.0) -> words.Pose:
        """Where the unit is now, or will be: it goes on at its velocity for at most a second."""
        told = unit.pose
        gone = min(max(self.now_s - unit.told_s, 0.0), BELIEVED_S) + later_s
        return words.Pose(unit=unit.id, x=told.x + told.vx * gone, y=told.y + told.vy * gone, z=told.z + told.vz * gone, vx=told.vx,
                          vy=told.vy, vz=told.vz, yaw=told.yaw + told.yaw_rate * gone, pitch=told.pitch, yaw_rate=told.yaw_rate)

    def others(self) -> list[Unit]:
        """The units of other players that are in play and in sight, the nearest to yours first."""
        mine = self.unit_of(self.me)
        found = [unit for unit in self.units.values() if unit.alive and not unit.hidden and unit.owner not in (0, self.me)]
        if mine is None:
            return found
        at = self.place_of(mine)
        return sorted(found, key=lambda unit: distance(at, self.place_of(unit)))

    def foes(self) -> list[Unit]:
        """As others(), without your team mates."""
        me = self.players.get(self.me)
        friends = me.team if me and me.team not in ("ROGUE", "TEAM_ANY") else None
        return [unit for unit in self.others() if friends is None or self._team_of(unit.owner) != friends]

    def _team_of(self, player: int) -> Optional[words.Team]:
        known = self.players.get(player)
        return known.team if known is not None else None

    # -- What is told -----------------------------------------------------------------------------------------------

    def hear(self, message: Message) -> bool:
        """Folds a fact. True if it is an event; False in a resync, or if its kind is unknown."""
        self.at_us = max(self.at_us, message.at_us)
        if self._seconds is not None and message.at_us:
            now = self._seconds()
            self._ahead = max(message.at_us / 1e6 - now, self._ahead - MOST_DRIFT * (now - self._heard))
            self._heard = now
        fold = getattr(self, "_" + message.kind, None) if message.word is not None else None
        if fold is not None:
            fold(message.word, message.at_us / 1e6)
        return message.word is not None and not self.resyncing

    def _room_for(self, table: object, most: int) -> bool:
        if len(table) < most:  # type: ignore[arg-type]
            return True
        self.left_out += 1
        return False

    def _you(self, word: words.You, _at: float) -> None:
        self.me, self.contract, self.newest = word.player, word.contract or 1, word.newest or 1

    def _ready(self, _word: words.Ready, _at: float) -> None:
        self.ready = True

    def _room(self, word: words.Room, _at: float) -> None:
        self.about = word

    def _rule(self, word: words.Rule, _at: float) -> None:
        if word.name in self.rules or self._room_for(self.rules, MOST_RULES):
            self.rules[word.name] = word.value

    def _world(self, word: words.World, _at: float) -> None:
        self.world, self.edits = word, []

    def _world_edit(self, word: words.WorldEdit, _at: float) -> None:
        if word.edit is not None and self._room_for(self.edits, MOST_EDITS):
            self.edits.append(word.edit)

    def _player(self, word: words.Player, _at: float) -> None:
        known = self.players.get(word.id)
        if known is None:
            if not self._room_for(self.players, MOST_PLAYERS):
                return
            known = self.players[word.id] = Player(word.id)
        known.name, known.team, known.role = word.name, word.team, word.role
        known.badges, known.responding = word.badges, word.responding

    def _player_gone(self, word: words.PlayerGone, _at: float) -> None:
        for unit in self.units_of(word.id):
            del self.units[unit.id]
        self.players.pop(word.id, None)

    def _owns(self, word: words.Owns, _at: float) -> None:
        known = self.players.get(word.player)
        if known is not None:
            known.units, known.active = list(dict.fromkeys(word.units))[:MOST_OWNED], word.active

    def _unit(self, word: words.Unit, at: float) -> None:
        if word.id not in self.units and not self._room_for(self.units, MOST_UNITS):
            return
        self.units[word.id] = Unit(word.id, word.owner, word.kind, word.team, word.name, word.radius, word.health, word.max_health, word.alive,
                                   False, word.pose or words.Pose(unit=word.id), at)

    def _unit_changed(self, word: words.UnitChanged, _at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is None:
            return
        for name in ("radius", "name", "team"):
            value = getattr(word, name)
            if value is not None:
                setattr(unit, name, value)

    def _pose(self, word: words.Pose, at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is None:
            return
        unit.pose, unit.told_s, unit.hidden = word, at, False
        if word.radius > 0:
            unit.radius = word.radius

    def _corrected(self, word: words.Corrected, at: float) -> None:
        if word.pose is not None:
            self._pose(word.pose, at)

    def _hidden(self, word: words.Hidden | words.Teleported, _at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is not None:
            unit.hidden = True

    _teleported = _hidden  # until the next pose says where it is

    def _gone(self, word: words.Gone, _at: float) -> None:
        unit = self.units.pop(word.unit, None)
        owner = self.players.get(unit.owner) if unit is not None else None
        if owner is not None and word.unit in owner.units:
            owner.units.remove(word.unit)

    def _spawned(self, word: words.Spawned, at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is None:
            return
        unit.alive, unit.hidden, unit.health = True, False, unit.max_health
        if word.pose is not None:
            unit.pose, unit.told_s = word.pose, at

    def _died(self, word: words.Died, _at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is not None:
            unit.alive = False

    def _health(self, word: words.Health, _at: float) -> None:
        unit = self.units.get(word.unit)
        if unit is not None:
            unit.health, unit.max_health = word.now, word.max or unit.max_health

    def _ammo(self, word: words.Ammo, _at: float) -> None:
        if word.player in self.players:
            self.players[word.player].ammo = word

    def _shot(self, word: words.Shot, at: float) -> None:
        if len(self._ends) >= 256:
            self._forget_shots_before(at)
        key = word.shooter, word.shot
        if key not in self._shots and not self._room_for(self._shots, MOST_SHOTS):
            return
        speed = math.hypot(word.vx, word.vy, word.vz)
        life = word.life or (word.range / speed if speed > 0 and word.range > 0 else UNKNOWN_LIFE_S)
        life = FLASH_S if word.kind in ("RAY", "MELEE") else min(max(life, 0.0), LONGEST_LIFE_S)
        self._shots[key], self._ends[key] = word, at + life

    def _shot_moved(self, word: words.ShotMoved, _at: float) -> None:
        shot = self._shots.get((word.shooter, word.shot))
        if shot is not None:
            shot.x, shot.y, shot.z, shot.vx, shot.vy, shot.vz = word.x, word.y, word.z, word.vx, word.vy, word.vz

    def _shot_ended(self, word: words.ShotEnded, _at: float) -> None:
        self._forget_shot((word.shooter, word.shot))

    def _forget_shots_before(self, now: float) -> None:
        for key in [key for key, end in self._ends.items() if end < now]:
            self._forget_shot(key)

    def _forget_shot(self, key: tuple[int, int]) -> None:
        self._shots.pop(key, None)
        self._ends.pop(key, None)

    def _token(self, word: words.Token, _at: float) -> None:
        if word.id in self.tokens or self._room_for(self.tokens, MOST_TOKENS):
            self.tokens[word.id] = word

    def _token_taken(self, word: words.TokenTaken | words.TokenDropped, at: float) -> None:
        if word.token is not None:
            self._token(word.token, at)

    _token_dropped = _token_taken

    def _zone(self, word: words.Zone, _at: float) -> None:
        if word.id in self.zones or self._room_for(self.zones, MOST_ZONES):
            self.zones[word.id] = word
        if word.id in self.tokens:
            self.tokens[word.id] = replace(self.tokens[word.id], team=word.owner)

    def _score(self, word: words.Score, _at: float) -> None:
        known = self.players.get(word.player)
        if known is not None:
            known.wins, known.losses, known.team_kills = word.wins, word.losses, word.team_kills

    def _team_score(self, word: words.TeamScore, _at: float) -> None:
        if word.team in self.team_scores or self._room_for(self.team_scores, 64):
            self.team_scores[word.team] = word

    def _board(self, word: words.Board, _at: float) -> None:
        self.board = word

    def _round(self, word: words.Round, _at: float) -> None:
        self.round = word

    def _waiting(self, word: words.Waiting, _at: float) -> None:
        self.waiting = word

    def _view(self, word: words.View, _at: float) -> None:
        self.view = word

    def _lag(self, word: words.Lag, _at: float) -> None:
        if word.player in self.players:
            self.players[word.player].ping_s = word.ping_s

    def _clock(self, word: words.Clock, _at: float) -> None:
        self.clock = word
        self.resyncing = word.paused and word.speed == 0 and not self.resyncing


def distance(one: words.Pose | words.Shot | words.Token, other: words.Pose | words.Shot | words.Token) -> float:
    """In metres, on the ground."""
    return math.hypot(one.x - other.x, one.y - other.y)
