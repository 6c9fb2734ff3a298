# Real clients in one arena: how the keys of each are pressed, and what its connection shows it of the others.
# Invariant: what a client sees is read from a shim in front of the arena, without our adapters; places are metres from the middle.
import json
import math
import os
import sys

from aos import BetterSpades
from aos_eyes import Eyes as SpadeEyes
from browser import Browser, Pages
from bzflag import Tank
from bzflag_eyes import Eyes as TankEyes
from cases.cigar2 import cigar2
from cases.page import Page
from panic import RealClient
from panic_hunter import Field
from shim import Shim
from stage import wait_until
from websocket import TEXT, spoken

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from ogar import Client as Cells  # noqa: E402
from panic_wire import SIZES, Ground  # noqa: E402
from player import WORLD  # noqa: E402

BLOCK = 1.5625  # metres
STILL, LEAP = 8, 20.0  # turns without movement after which a tank's autopilot key is pressed again; metres that no tank drives in one turn
DEAF = 1.0  # seconds after which a pose is not extrapolated any more


class Words:
    """The state that the arena's facts describe: which players are present, which are in play, and where."""

    def __init__(self):
        self.names, self._owners, self._poses, self._alive, self._now = {}, {}, {}, set(), 0.0

    def hear(self, fact):
        self._now = max(self._now, int(fact.get("at_us", 0)) / 1e6)
        for kind in ("player", "player_gone", "unit", "gone", "spawned", "died", "pose", "corrected"):
            if kind in fact:
                getattr(self, "_on_" + kind)(fact[kind])

    def _on_player(self, told):
        self.names[told["id"]] = told.get("name", "")

    def _on_player_gone(self, told):
        self.names.pop(told["id"], None)

    def _on_unit(self, told):
        self._owners[told["id"]] = told.get("owner", 0)
        self._on_pose(told.get("pose", {}) | {"unit": told["id"]})
        (self._alive.add if told.get("alive") else self._alive.discard)(told["id"])

    def _on_gone(self, told):
        self._owners.pop(told["unit"], None)
        self._alive.discard(told["unit"])

    def _on_spawned(self, told):
        self._on_pose(told["pose"])
        self._alive.add(told["unit"])

    def _on_died(self, told):
        self._alive.discard(told.get("unit", 0))

    def _on_corrected(self, told):
        self._on_pose(told["pose"])

    def _on_pose(self, told):
        self._poses[told["unit"]] = self._now, told

    def _place(self, unit):
        """The place, extrapolated by its velocity, as the native protocol requires."""
        at, pose = self._poses[unit]
        late = min(self._now - at, DEAF)
        return pose.get("x", 0.0) + late * pose.get("vx", 0.0), pose.get("y", 0.0) + late * pose.get("vy", 0.0)

    def in_play(self):
        """name -> place"""
        return {self.names[owner]: self._place(unit) for unit, owner in list(self._owners.items()) if unit in self._alive and owner in self.names}


class Watched:
    """An arena, as its watcher (cases/replay.py) receives it."""

    def __init__(self, watcher):
        self.watcher, self._words, self._read = watcher, Words(), 0

    def words(self):
        """The current state."""
        facts = self.watcher.facts[self._read:]
        for fact in facts:
            self._words.hear(fact)
        self._read += len(facts)
        return self._words

    def in_play(self):
        return self.words().in_play()


class Guest:
    """One real client. `shown()` returns [(name or None, place)] of the others, read from its connection."""

    def __init__(self, stage, name, arena_port):
        self.stage, self.name, self.turn = stage, name, 0
        self.shim = stage.keep(Shim(arena_port))

    def act(self, there, goals):
        """Plays one turn. `there`: its place, or None if it is not in play; `goals`: the places of the players that it has not been shown yet, or of all others."""


def tanks_shown(eyes):
    """[(name, place)] of the others, read from a BZFlag client's connection."""
    return [(tank.name, tank.now()) for tank in list(eyes.others.values()) if tank.alive]


def men_shown(eyes):
    """The same for a client of Ace of Spades, whose map has 512 by 512 blocks."""
    return [(name, ((x - 256) * BLOCK, (256 - y) * BLOCK)) for number, name in list(eyes.people.items())
            if number != eyes.id and number in eyes.places for x, y, _ in [eyes.places[number]]]


def nearest(there, goals):
    """The heading to the nearest of these places."""
    goal = min(goals, key=lambda goal: math.dist(goal, there))
    return math.atan2(goal[1] - there[1], goal[0] - there[0])


class TankGuest(Guest):
    """Stock bzflag of any release, on autopilot."""

    def __init__(self, stage, name, arena_port, release):
        super().__init__(stage, name, arena_port)
        release.program(stage, "bzflag")  # raises Missing if there is none
        self.eyes = stage.keep(TankEyes(self.shim, release.header, 3 if release.dialect == "2.4" else 2))
        self.tank = Tank(stage, name, "rogue", self.shim.port, release)
        self.run, self._last, self._drives, self._stood = self.tank.run, None, False, 0

    def act(self, there, goals):
        self.turn += 1
        if self.turn == 1:
            return self.tank.spawn_on_autopilot()
        self._drives |= bool(there and self._last and 0.1 < math.dist(there, self._last) < LEAP)
        self._last, self._stood = there, self._stood + 1
        if not there:
            self.tank.spawn()
        elif not self._drives and self._stood % STILL == 0:  # after a fast join, the first key press came too early
            self.tank.toggle_autopilot()

    def shown(self):
        return tanks_shown(self.eyes)

    def heard(self):
        return self.eyes.texts

    def screenshot(self):
        return self.tank.screenshot(self.name + ".png")


class SpadeGuest(Guest):
    """BetterSpades, by keys and mouse: it walks towards the nearest player."""

    def __init__(self, stage, name, arena_port):
        super().__init__(stage, name, arena_port)
        self.eyes = stage.keep(SpadeEyes(self.shim))
        self.client = BetterSpades(stage, self.shim.port, name)
        self.run = self.client.run

    def act(self, there, goals):
        self.turn += 1
        if not there:
            return self.client.keys("1")  # chooses the team
        self.client.holds("forward", self.turn % 8 < 4)
        if goals:
            x, y = self.eyes.looks
            off = math.remainder(math.atan2(-y, x) - nearest(there, goals), 2 * math.pi)  # y points south
            self.client.turns(round(30 * off), 0, 2)

    def shown(self):
        return men_shown(self.eyes)

    def heard(self):
        return self.eyes.chats

    def screenshot(self):
        return self.client.screenshot(self.name + ".png")


class CellGuest(Guest):
    """Cigar2 in headless Chromium. Its mouse points at players that it has not seen yet, because a cell's view is limited."""

    def __init__(self, stage, name, arena_port):
        super().__init__(stage, name, arena_port)
        pages = stage.keep(Pages(cigar2(stage)))
        self.page = Browser(stage, name + ".chromium", f"http://127.0.0.1:{pages.port}/index.html?ip=127.0.0.1:{self.shim.port}")
        wait_until(lambda: self.shim.talks, 60, "Cigar2's page did not load")  # connecting is its last step; before it, the name would be ignored
        self.page.page(f"const nick = document.getElementById('nick'); nick.value = '{name}'; nick.dispatchEvent(new Event('change'))")
        self.run, self._cells, self._read = self.page.run, Cells(0, name, "legacy6"), 0

    def act(self, there, goals):
        self.turn += 1
        if not there:
            return self.page.page("document.getElementById('play-btn').click()")
        yaw = nearest(there, goals) if goals else self.turn / 3
        self.page.moves(400 + 250 * math.cos(yaw), 300 - 200 * math.sin(yaw))

    def _hear(self):
        told = spoken(bytes(self.shim.talks[0].to_client)) if self.shim.talks else []
        for opcode, payload in told[self._read:]:
            for kind, parts in self._cells.speech.told(payload) if opcode == 2 else []:
                if kind != "Pong":
                    self._cells._apply(parts)
        self._read = len(told)

    def shown(self):
        self._hear()
        return [(unit.owner, unit.place) for unit in self._cells.others()]

    def heard(self):
        self._hear()
        return [line.text for line in self._cells.heard]

    def screenshot(self):
        return self.page.screenshot(self.name + ".png")


class RedGuest(Guest):
    """Panic's released client. It shows no names, and draws every world as a map of its own."""

    def __init__(self, stage, name, arena_port, side):
        super().__init__(stage, name, arena_port)
        self.side, self.client = side, RealClient(stage, name, self.shim.port)
        self.field = Field(lambda: self.shim.talks[0].to_client if self.shim.talks else b"")
        self.run = self.client.run

    def act(self, there, goals):
        self.turn += 1
        if self.turn == 1:
            return self.client.focus()
        keys = list(self.client.DRIVE_KEYS.values())
        self.client._xdotool("key", keys[self.turn // 4 % 4])  # a tank takes its time to turn

    def shown(self):
        self.field.fold()
        if not self.field.player:
            return []
        columns, rows = SIZES[tuple(self.shim.talks[0].to_client[1:3])]
        ground = Ground(columns, rows)
        return [(None, tuple(c * self.side / WORLD for c in ground.place(*self.field.places[piece]))) for piece in self.field.theirs()]

    def screenshot(self):
        return self.client.screenshot()


class PageGuest(Guest):
    """The page of a native listener in headless Chromium, played by keys."""

    WAYS = ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")

    def __init__(self, stage, name, arena_port):
        super().__init__(stage, name, arena_port)
        self.page = Page(stage, "page", self.shim.port)
        self.run, self._talk, self._words, self._read, self._held = self.page.run, None, Words(), 0, ""
        self.page.enters(name)

    def act(self, there, goals):
        self.turn += 1
        self.page.page("[document.getElementById('again')].find((button) => button.checkVisibility())?.click()")  # not by Enter: a moment too late, it would open the chat line
        if self._held:
            self.page.key("keyUp", self._held, self._held)
        self._held = self.WAYS[self.turn // 3 % 4]
        self.page.key("keyDown", self._held, self._held)

    def _hear(self):
        """Reads the last connection that is a WebSocket: the page opens another one before its player enters, and others for its files."""
        talk = next((talk for talk in reversed(list(self.shim.talks)) if b"101 Switching" in talk.to_client[:64]), None)
        if talk is not self._talk:
            self._talk, self._words, self._read = talk, Words(), 0
        told = spoken(bytes(talk.to_client)) if talk else []
        for opcode, word in told[self._read:]:
            if opcode == TEXT:
                self._words.hear(json.loads(word))
        self._read = len(told)

    def shown(self):
        self._hear()
        return [(name, place) for name, place in self._words.in_play().items() if name != self.name]

    def heard(self):
        return self.page.text("log").splitlines()

    def screenshot(self):
        return self.page.screenshot(self.name + ".png")
