# Players of other games on SpadesX and piqueserver, through `entente proxy` as a bridge. The servers are in the folder of --real.
# Invariant: results are read from the packets between the bridge and the server, and from a player who is connected directly.
import math
import os
import sys
import time

from aos import start_piqueserver, start_spadesx
from aos_eyes import Eyes
from aos_player import Player
from bzflag import GREETING, Bzadmin, Tank, frames
from cases.bridge import end, start_bridge
from panic import Game, RealClient
from shim import Shim
from stage import check, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from ogar import Client as Cell  # noqa: E402
from player import Unseen  # noqa: E402

PLAYED = 30  # seconds, without --minutes


class Visit:
    """A bridge for players of another game to a server, with a watcher on the server that is independent of our code."""

    def __init__(self, stage, start, listen):
        self.stage = stage
        self.server, self.port = start(stage)
        self.watcher = stage.keep(Player(self.port, "watcher")).joins(1)
        self.behind = stage.keep(Shim(self.port))
        self.recording = stage.path("bridge.mcap")
        self.bridge, self.listener_port = start_bridge(stage, listen, f"aos://127.0.0.1:{self.behind.port}?dialect=0.75", "--record", self.recording)
        self.seconds = max(PLAYED, 60 * stage.minutes)

    def eyes(self, number=0):
        return self.stage.keep(Eyes(self.behind, number))

    def meets(self, name, seconds=60):
        """Waits until the server shows that player to all."""
        self.watcher.waits(lambda: self.watcher.number_of(name) is not None, seconds, f"{name}; {self.bridge.tail()}")

    def ends(self, eyes):
        check(self.server.alive(), f"the server died: {self.server.tail()}")
        check(eyes.goodbye is None, f"{eyes.name} was sent away with {eyes.goodbye}: {eyes.chats[-2:]}")
        check(eyes.walked() > self.seconds / 4, f"{eyes.name} walked {eyes.walked():.0f} blocks in {self.seconds:.0f} s")
        check(len(eyes.put) <= 1 + self.seconds // 60, f"{eyes.name} was put elsewhere {len(eyes.put)} times")
        self.watcher.leaves()
        return f"{eyes.did()}; " + end(self.stage, self.bridge, self.recording)


def bzflag_on(stage, start):
    visit = Visit(stage, start, "bzflag://127.0.0.1:0?dialect=2.4")
    admin = Bzadmin(stage, "anna", visit.listener_port)
    admin.run.wait_for(r"'anna' joined the game as Observer", 60)
    admin.says("hello from bzadmin")
    visit.watcher.hears("hello from bzadmin")
    visit.watcher.says("hello from the spades")
    admin.hears("watcher", "hello from the spades")
    before = stage.keep(Shim(visit.listener_port))
    tank, eyes = Tank(stage, "redtank", "red", before.port), visit.eyes(1)
    wait_until(lambda: before.talks and any(code == "ac" for code, _ in frames(bytes(before.talks[0].to_client[GREETING:]))), 60,
               f"the tank was not let in: {visit.bridge.tail()}")
    tank.spawn_on_autopilot()
    visit.meets("redtank")
    until = time.monotonic() + visit.seconds
    while time.monotonic() < until:
        time.sleep(1)
        check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
        if not eyes.alive:
            tank.spawn()
    tank.screenshot("redtank.png")
    said = visit.ends(eyes)
    tank.run.stop()
    return said


def panic_on(stage, start):
    visit = Visit(stage, start, "panic://127.0.0.1:0?dialect=le-padded")
    before, eyes = stage.keep(Shim(visit.listener_port)), visit.eyes()
    client = RealClient(stage, "red", before.port)
    wait_until(lambda: before.talks, 10, "the client did not connect")
    game = Game(lambda: bytes(before.talks[0].to_client))
    wait_until(game.started, 60, f"the client was never put into play: {visit.bridge.tail()}")
    wait_until(lambda: eyes.alive, 30, "no man of its own on the server")
    client.focus()
    until, presses = time.monotonic() + visit.seconds, 0
    while time.monotonic() < until:
        for direction in (2, 3, 4, 1):
            for _ in range(3):
                client._xdotool("key", client.DRIVE_KEYS[direction])
                presses += 1
                time.sleep(2.2)  # a tile is 16 blocks
            client._xdotool("key", client.SHOOT_KEYS[direction])
            check(client.run.alive(), f"the client ended: {client.run.tail(8)}")
    client.screenshot()
    return f"{presses} key presses; " + visit.ends(eyes)


def ogar_on(stage, start):
    visit = Visit(stage, start, "ogar+ws://127.0.0.1:0?dialect=modern3")
    cell, eyes = stage.keep(Cell(visit.listener_port, "cell")), visit.eyes()
    cell.join()
    visit.meets("cell")
    cell.say("hello from a cell")
    visit.watcher.hears("hello from a cell")
    visit.watcher.says("hello from the spades")
    cell.wait(lambda: any(said.text == "hello from the spades" for said in cell.heard), 10, "the watcher was not heard")
    until, turn = time.monotonic() + visit.seconds, 0
    while time.monotonic() < until:
        try:
            if cell.where() is None:
                cell.respawn()
            x, y = cell.here()
            turn += 1
            cell.go_to((x + 40 * math.cos(turn), y + 40 * math.sin(turn)), 4)
            cell.shoot(turn)
        except Unseen:
            check(cell.gone is None, f"the connection of the cell is over: {cell.gone}")
    said = visit.ends(eyes)
    cell.leave()
    return said


def bzflag_on_spadesx(stage):
    """SpadesX 710270d; stock bzadmin and stock bzflag 2.4.26 on autopilot under Xvfb across the bridge: chat both ways, walk, shoot"""
    return bzflag_on(stage, start_spadesx)


def bzflag_on_piqueserver(stage):
    """piqueserver 1.4.1; stock bzadmin and stock bzflag 2.4.26 on autopilot under Xvfb across the bridge: the same"""
    return bzflag_on(stage, start_piqueserver)


def panic_on_spadesx(stage):
    """SpadesX 710270d; Panic's released client under Xvfb across the bridge, driven by key presses"""
    return panic_on(stage, start_spadesx)


def panic_on_piqueserver(stage):
    """piqueserver 1.4.1; Panic's released client under Xvfb across the bridge, driven by key presses"""
    return panic_on(stage, start_piqueserver)


def ogar_on_spadesx(stage):
    """SpadesX 710270d; a player of Ogar's modern3 across the bridge: chats both ways, roams, shoots"""
    return ogar_on(stage, start_spadesx)


def ogar_on_piqueserver(stage):
    """piqueserver 1.4.1; a player of Ogar's modern3 across the bridge: the same"""
    return ogar_on(stage, start_piqueserver)


CASES = {"bridge_bzflag_spadesx": bzflag_on_spadesx, "bridge_bzflag_piqueserver": bzflag_on_piqueserver,
         "bridge_panic_spadesx": panic_on_spadesx, "bridge_panic_piqueserver": panic_on_piqueserver,
         "bridge_ogar_spadesx": ogar_on_spadesx, "bridge_ogar_piqueserver": ogar_on_piqueserver}
