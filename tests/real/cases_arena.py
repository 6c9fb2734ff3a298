# Real clients of several games in one arena, without a server: `entente arena` with bots.
# Law: what each did is read from the arena's own words, as a client of the vocabulary hears them; screenshots are for people.
import math
import os
import re
import time

from aos import BetterSpades
from browser import Browser, Pages
from bzflag import Bzadmin, Tank
from cases_replay import Watcher
from panic import RealClient
from stage import Missing, check, wait_until

LISTEN = {"bzflag": "bzflag://127.0.0.1:0?dialect=2.4", "panic": "panic://127.0.0.1:0?dialect=le-padded", "aos": "aos://127.0.0.1:0?dialect=0.75", "ogar": "ogar+ws://127.0.0.1:0",
          "native": "native://127.0.0.1:0?dialect=json"}


class Arena:
    """`entente arena` with a watcher in it who hears what is true."""

    def __init__(self, stage, *options):
        self.stage, self.recording = stage, stage.path("arena.mcap")
        listens = [word for url in LISTEN.values() for word in ("--listen", url)]
        self.run = stage.start("arena", [stage.entente, "arena", *listens, "--side", "200", "--respawn-ms", "1000", "--record", self.recording, *options])
        self.ports = {game: int(self.run.wait_for(rf"^listening {game} .*127\.0\.0\.1:(\d+)$").group(1)) for game in LISTEN}
        self.watcher = stage.keep(Watcher(self.ports["native"]))

    def number_of(self, name):
        return next((player["id"] for player in self.watcher.of("player") if player.get("name") == name), None)

    def waits_for(self, name, seconds):
        return wait_until(lambda: self.number_of(name), seconds, f"{name} did not come in: {self.run.tail()}")

    def units_of(self, player):
        return {unit["id"] for unit in self.watcher.of("unit") if unit.get("owner") == player}

    def moved(self, player):
        return bool(self.units_of(player) & self.watcher.moved())

    def deaths(self, player):
        """(how often it died, whom it killed how often), by the arena."""
        died = self.watcher.of("died")
        return sum(one.get("player") == player for one in died), sum(one.get("killer") == player for one in died)

    def shots(self, player):
        return sum(shot.get("shooter") == player for shot in self.watcher.of("shot"))

    def ends(self):
        check(self.run.stop(20) == 0, f"the arena did not end with exit code 0: {self.run.tail()}")
        numbers = self.stage.verify(self.recording)
        played = re.findall(r"^played (.*?) players=(\d+) present=\d+ kills=(\d+) deaths=(\d+)", self.run.text(), re.MULTILINE)
        return "; ".join(f"{game} {kills} kills, {deaths} deaths" for game, _, kills, deaths in played) + f"; {numbers['frames']} frames verified"


def arena_bzflag(stage):
    """Stock bzflag on autopilot among three bots in an arena, and stock bzadmin, who talks: it drives, shoots, kills, dies and comes back"""
    arena = Arena(stage, "--bots", "4")
    tank = Tank(stage, "tank", "rogue", arena.ports["bzflag"])
    admin = Bzadmin(stage, "anna", arena.ports["bzflag"])
    admin.run.wait_for(r"'anna' joined the game as Observer", 20)
    tank.spawn_on_autopilot()
    end = time.monotonic() + 240
    player = arena.waits_for("tank", 60)
    while not (all(arena.deaths(player)) and arena.moved(player)):
        check(time.monotonic() < end, f"the tank did not kill and die, and move: {arena.deaths(player)}, {arena.shots(player)} shots")
        check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
        tank.spawn()
        time.sleep(2)
        if not arena.moved(player):  # it came in so fast that the key was too early
            tank.toggle_autopilot()
            time.sleep(2)
    tank.screenshot("bzflag.png")
    admin.says("well fought")
    wait_until(lambda: any(said.get("text") == "well fought" for said in arena.watcher.of("said")), 10, "what bzadmin said was not heard")
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    return arena.ends()


class Cigar:
    """Cigar2 in headless Chromium, its mouse going round."""

    def __init__(self, stage, port):
        web = os.path.join(stage.plays or "", "cigar2", "web")
        if not os.path.exists(os.path.join(web, "index.html")):
            raise Missing("cigar2/web/index.html is not in the folder of --real")
        pages = stage.keep(Pages(web))
        self.page = Browser(stage, "chromium", f"http://127.0.0.1:{pages.port}/index.html?ip=127.0.0.1:{port}")
        wait_until(lambda: self.page.page("document.getElementById('play-btn') !== null"), 30, "Cigar2's page did not load")
        self.page.page("const nick = document.getElementById('nick'); nick.value = 'cigar'; nick.dispatchEvent(new Event('change'))")
        self.turn = 0

    def plays(self):
        """Play does nothing to who lives."""
        self.page.page("document.getElementById('play-btn').click()")

    def circles(self):
        self.turn += 1
        self.page.moves(400 + 250 * math.cos(self.turn / 5), 300 + 200 * math.sin(self.turn / 5))


def arena_all(stage):
    """Stock bzflag on autopilot, BetterSpades, Panic's released client and Cigar2 in Chromium in one arena: each comes in, moves, lives to the end"""
    arena = Arena(stage)
    spades = BetterSpades(stage, arena.ports["aos"], "spade")
    cigar = Cigar(stage, arena.ports["ogar"])
    tank = Tank(stage, "tank", "rogue", arena.ports["bzflag"])
    tank.spawn_on_autopilot()
    players = {"tank": arena.waits_for("tank", 60)}

    def comes(name, does):
        def there():
            does()
            time.sleep(1)
            return arena.number_of(name)
        players[name] = wait_until(there, 90, f"{name} did not come in: {arena.run.tail()}")
    comes("cigar", cigar.plays)
    comes("spade", lambda: spades.keys("1"))
    red = RealClient(stage, "red", arena.ports["panic"])
    red.focus()
    players["red"] = wait_until(lambda: next((one["id"] for one in arena.watcher.of("player") if one["name"].startswith("panic-")), None), 30,
                                "Panic's client did not come in")
    end, presses = time.monotonic() + 90, 0
    spades.holds("forward")
    while not all(arena.moved(player) for player in players.values()):
        still = [name for name, player in players.items() if not arena.moved(player)]
        check(time.monotonic() < end, f"of the real clients {still} did not move")
        for _ in range(5):
            cigar.circles()
            time.sleep(0.1)
        cigar.plays()
        spades.keys("1")
        red._xdotool("key", list(red.DRIVE_KEYS.values())[presses // 4 % 4])  # a tank takes its time to turn
        presses += 1
        tank.spawn()
        if "tank" in still and presses % 3 == 0:
            tank.toggle_autopilot()
    spades.holds("forward", False)
    tank.screenshot("bzflag.png")
    spades.screenshot("betterspades.png")
    cigar.page.screenshot("cigar2.png")
    red.screenshot()
    for name, run in (("bzflag", tank.run), ("BetterSpades", spades.run), ("Panic's client", red.run), ("Chromium", cigar.page.run)):
        check(run.alive(), f"{name} ended: {run.tail()}")
    return f"{len(players)} real clients moved; " + arena.ends()


CASES = {"arena": arena_bzflag}
REAL_CASES = {"arena_all": arena_all}
