# Real clients of several games in one arena, without a server: `entente arena` with bots.
# Law: what each did is read from the arena's own words, as a client of the vocabulary hears them; screenshots are for people.
import re
import time

from bzflag import Bzadmin, Tank
from cases_replay import Watcher
from stage import check, wait_until

LISTEN = {"bzflag": "bzflag://127.0.0.1:0?dialect=2.4", "panic": "panic://127.0.0.1:0?dialect=le-padded", "aos": "aos://127.0.0.1:0?dialect=0.75",
          "native": "native://127.0.0.1:0?dialect=json"}


class Arena:
    """`entente arena` with a watcher in it who hears what is true."""

    def __init__(self, stage, *options):
        self.stage, self.recording = stage, stage.path("arena.mcap")
        listens = [word for url in LISTEN.values() for word in ("--listen", url)]
        self.run = stage.start("arena", [stage.entente, "arena", *listens, "--side", "200", "--respawn-ms", "1000", "--record", self.recording, *options])
        self.ports = {game: int(self.run.wait_for(rf"^listening {game} \S+ 127\.0\.0\.1:(\d+)$").group(1)) for game in LISTEN}
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
        time.sleep(1)
    tank.screenshot("bzflag.png")
    admin.says("well fought")
    wait_until(lambda: any(said.get("text") == "well fought" for said in arena.watcher.of("said")), 10, "what bzadmin said was not heard")
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    return arena.ends()


CASES = {"arena": arena_bzflag}
