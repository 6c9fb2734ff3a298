# Real clients of several games in one arena, without a server: `entente arena` with bots.
# Invariant: what each did is read from the arena's words, as a native client receives them; screenshots are only for people.
import math
import re
import time

from aos import start_spadesx
from aos_eyes import Eyes as SpadeEyes
from arena_guests import CellGuest, PageGuest, RedGuest, SpadeGuest, TankGuest, Watched, men_shown, tanks_shown
from bzflag import DEBIAN, R_1_10, R_2_0, Bzadmin, Tank, start_bzfs
from bzflag_eyes import Eyes as TankEyes
from cases.replay import Watcher
from shim import Shim
from stage import Missing, check, wait_until

LISTEN = {"bzflag": ("bzflag://127.0.0.1:0?dialect=2.4&fallback=1.10", "bzflag 2.4"), "bzflag 2.0": ("bzflag://127.0.0.1:0?dialect=2.0", "bzflag 2.0"),
          "panic": ("panic://127.0.0.1:0?dialect=le-padded", "panic"), "aos": ("aos://127.0.0.1:0?dialect=0.75", "aos"),
          "ogar": ("ogar+ws://127.0.0.1:0", "ogar"), "page": ("native+ws://127.0.0.1:0?dialect=json", r"native\+ws"),
          "native": ("native://127.0.0.1:0?dialect=json", "native")}  # and the name in its announcement


class Arena(Watched):
    """`entente arena` with a watcher that receives its words."""

    def __init__(self, stage, *options, side=200):
        self.stage, self.recording, self.side = stage, stage.path("arena.mcap"), side
        listens = [word for url, _ in LISTEN.values() for word in ("--listen", url)]
        self.run = stage.start("arena", [stage.entente, "arena", *listens, "--side", str(side), "--respawn-ms", "1000", "--record", self.recording, *options])
        self.ports = {client: int(self.run.wait_for(rf"^listening {said} .*127\.0\.0\.1:(\d+)$").group(1)) for client, (_, said) in LISTEN.items()}
        super().__init__(stage.keep(Watcher(self.ports["native"])))

    def number_of(self, name):
        return next((player["id"] for player in self.watcher.of("player") if player.get("name") == name), None)

    def waits_for(self, name, seconds):
        return wait_until(lambda: self.number_of(name), seconds, f"{name} did not come in: {self.run.tail()}")

    def units_of(self, player):
        return {unit["id"] for unit in self.watcher.of("unit") if unit.get("owner") == player}

    def moved(self, player):
        return bool(self.units_of(player) & self.watcher.moved())

    def deaths(self, player):
        """(deaths, kills by victim) of this player, by the arena's words."""
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
    """An arena with three bots, stock bzflag on autopilot, and stock bzadmin, which chats: bzflag drives, shoots, kills, dies and respawns"""
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
        if not arena.moved(player):  # after a fast join, the first key press came too early
            tank.toggle_autopilot()
            time.sleep(2)
    tank.screenshot("bzflag.png")
    admin.says("well fought")
    wait_until(lambda: any(said.get("text") == "well fought" for said in arena.watcher.of("said")), 10, "what bzadmin said was not heard")
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    return arena.ends()


GUESTS = {"tank": lambda stage, arena: TankGuest(stage, "tank", arena.ports["bzflag"], DEBIAN),
          "tank20": lambda stage, arena: TankGuest(stage, "tank20", arena.ports["bzflag 2.0"], R_2_0),
          "tank110": lambda stage, arena: TankGuest(stage, "tank110", arena.ports["bzflag"], R_1_10),  # by the same listener as 2.4
          "spade": lambda stage, arena: SpadeGuest(stage, "spade", arena.ports["aos"]),
          "cigar": lambda stage, arena: CellGuest(stage, "cigar", arena.ports["ogar"]),
          "panic": lambda stage, arena: RedGuest(stage, "panic", arena.ports["panic"], arena.side),
          "paul": lambda stage, arena: PageGuest(stage, "paul", arena.ports["page"])}
MAY_LACK = ("tank20", "tank110")  # their releases may be missing in the folder of --real
COMING, PLAY, ALL_SEEN = 120, 20, 240  # seconds, with two processors that draw seven games
OFF = 10.0  # metres between the shown and the true place of a player: two tiles of Panic's, and the way of a tank in 0.4 s
LINE = "well met all of you"


class Everybody:
    """The real clients in one arena: the arena's name for each, and the players that each was shown at their true places."""

    def __init__(self, stage, arena):
        self.arena, self.guests, self.names, self.lacking, self.shown = arena, {}, {}, [], set()
        for key, comes in GUESTS.items():
            try:
                self.guests[key] = comes(stage, arena)
            except Missing as missing:
                if key not in MAY_LACK:
                    raise
                self.lacking.append(str(missing))
                continue
            self.names[key] = wait_until(lambda: self._name_of(key), COMING, f"{key} did not come in: {arena.run.tail()}")

    def _name_of(self, key):
        """Makes the client act until it has joined, and returns the arena's name for it; Panic's client has no name."""
        time.sleep(0.2)
        if key in ("spade", "cigar"):
            self.guests[key].act(None, [])
        return next((name for name in list(self.arena.words().names.values()) if name == key or name.startswith(key + "-")), None)

    def act(self):
        there = self.arena.in_play()
        for key, guest in self.guests.items():
            check(guest.run.alive(), f"{key} ended: {guest.run.tail()}")
            unseen = [self.names[other] for looker, other in self.not_shown() if looker == key]
            goals = [there[name] for name in unseen or self.names.values() if name in there and name != self.names[key]]
            guest.act(there.get(self.names[key]), goals)
            self.look()

    def look(self):
        """Records which players each client now shows at the places that the arena has for them."""
        there = self.arena.in_play()
        for looker, guest in self.guests.items():
            shown = guest.shown()
            if looker == "panic" and len(shown) < len(there) - 1:  # it shows no names, but one tank for each player
                continue
            for other in self.guests:
                name, true = self.names[other], there.get(self.names[other])
                if other != looker and true and any(one in (name, None) and math.dist(place, true) < OFF for one, place in shown):
                    self.shown.add((looker, other))

    def not_shown(self):
        return [(looker, other) for looker in self.guests for other in self.guests if looker != other and (looker, other) not in self.shown]

    def moved(self):
        return [key for key in self.guests if self.arena.moved(self.arena.number_of(self.names[key]))]

    def in_play_together(self):
        return not self.missing() and not self.not_shown() and len(self.moved()) == len(self.guests)

    def wanting(self):
        still = [key for key in self.guests if key not in self.moved()]
        return f"not moved: {still}; not in play: {self.missing()}; not shown to: {self.not_shown()}"

    def missing(self):
        """The clients that are not in play, by the arena's words."""
        there = self.arena.in_play()
        return [key for key in self.guests if self.names[key] not in there]


def arena_all(stage):
    """bzflag 2.4, 2.0 and 1.10 on autopilot, bzadmin, BetterSpades, Panic's client, Cigar2 and the page in one arena: all play at the same time; each moves and is shown to the others at its place; those with chat receive bzadmin's line"""
    arena = Arena(stage, "--health", "1000", side=100)
    admin = Bzadmin(stage, "anna", arena.ports["bzflag"])
    all_of_them = Everybody(stage, arena)
    guests = all_of_them.guests
    began = time.monotonic()
    while not (all_of_them.in_play_together() and time.monotonic() - began > PLAY):
        all_of_them.act()
        check(time.monotonic() - began < ALL_SEEN, all_of_them.wanting())
    for guest in guests.values():
        guest.screenshot()
    check(not all_of_them.missing(), f"not in play after the pictures: {all_of_them.missing()}")
    admin.says(LINE)
    for key, guest in guests.items():
        if key != "panic":  # it has no chat
            wait_until(lambda: any(LINE in text for text in guest.heard()), 20, f"{key} was not shown what bzadmin said: {guest.heard()[-3:]}")
    guests["paul"].page.says("hello from a browser")
    admin.hears("paul", "hello from a browser")
    rows = guests["paul"].page.rows()
    check(all(any(name in row for row in rows) for name in all_of_them.names.values()), f"the page's table is {rows}")
    guests["paul"].page.end()
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    for key, guest in guests.items():
        check(guest.run.alive(), f"{key} ended: {guest.run.tail()}")
    lacking = "; lacking: " + "; ".join(all_of_them.lacking) if all_of_them.lacking else ""
    return f"{len(guests)} real clients in play at once, moved, shown {len(all_of_them.shown)} times one to another{lacking}; " + arena.ends()


VETERANS = ("veteran-1", "veteran-2")
WALLS = "box\nposition 60 60 0\nsize 15 10 9\nend\npyramid\nposition -60 50 0\nsize 8 8 10\nend\n"
RECORDED, AT = 12, 8.5  # seconds of recording, and the time in it from which the arena continues
SURE = 1.0  # most seconds between the beginning of a recording and the shim's estimate of it
NEAR = 15.0  # metres that a bot may drive until the arena's watcher has joined; an estimate
BESIDE = 40.0  # metres: where a man stood on a wall, the tank is placed beside it


def record_veterans(stage, url, port, eyes_of, shown):
    """`entente record` records two of our bots on that server. Returns the recording, and the places around that time at which its connection showed them: name -> places."""
    recording, shim = stage.path("before.mcap"), stage.keep(Shim(port))
    stage.start("veterans", [stage.entente, "bot", url.format(port), "--count", "2", "--name", "veteran", "--behaviour", "wander", "--seconds", "90"])
    time.sleep(5)  # until they have joined and move
    eyes, places = stage.keep(eyes_of(shim)), {}
    onlooker = stage.start("record", [stage.entente, "record", "--from", url.format(shim.port), recording, "--name", "olga", "--seconds", str(RECORDED)])
    wait_until(lambda: shim.talks or shim.flows, 20, f"the onlooker does not come: {onlooker.tail()}")
    began = time.monotonic()
    while onlooker.alive():
        if abs(time.monotonic() - began - AT) < SURE:
            for name, place in shown(eyes):
                places.setdefault(name, []).append(place)
        time.sleep(0.05)
    check(onlooker.wait() == 0, f"record did not end with exit code 0: {onlooker.tail()}")
    return recording, {name: places[name] for name in VETERANS if name in places}


def plays_on(stage, recording, before, near=NEAR):
    """An arena continues the recording: its players have the same names and places, and play on; stock bzflag joins and drives among them."""
    check(before, "nobody was in play then")
    arena = Arena(stage, "--from", recording, "--at", str(AT), "--behaviour", "wander", "--bots", "4")
    there = wait_until(lambda: all(name in arena.in_play() for name in before) and arena.in_play(), 10, f"not all of {list(before)} are there: {arena.run.tail()}")
    off = max(min(math.dist(there[name], place) for place in before[name]) for name in before)
    check(off < near, f"they were at {[(name, before[name][0], before[name][-1]) for name in before]}, and go on from {there}")
    tank = TankGuest(stage, "tank", arena.ports["bzflag"], DEBIAN)
    number, end = arena.waits_for("tank", COMING), time.monotonic() + 90
    while not all(arena.moved(one) for one in (number, *map(arena.number_of, before))):
        check(time.monotonic() < end, f"of {VETERANS} and the tank some did not move: {arena.in_play()}")
        check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
        tank.act(arena.in_play().get("tank"), [])
        time.sleep(0.3)
    wait_until(lambda: {name for name, _ in tank.shown()} >= set(before), 30, f"bzflag was shown only {tank.shown()}")
    tank.screenshot()
    drove = min(math.dist(places[0], places[-1]) for places in before.values())
    return arena, f"{', '.join(before)} went on {off:.2f} m from where they were seen in two seconds around {AT} s, in which they drove {drove:.1f} m; "


def arena_from_bzfs(stage):
    """Two bots on stock bzfs, recorded with `entente record`; an arena continues the recording, with the same walls, and with bots of the same names at the same places; stock bzflag drives among them"""
    with open(stage.path("field.bzw"), "w", encoding="ascii") as world:
        world.write("world\nsize 100\nend\n" + WALLS)
    bzfs, port = start_bzfs(stage, "-world", world.name)
    recording, before = record_veterans(stage, "bzflag://127.0.0.1:{}?dialect=2.4", port, TankEyes, tanks_shown)
    bzfs.stop()
    arena, said = plays_on(stage, recording, before)
    solids = arena.watcher.of("world")[0].get("solids", [])
    check(any(math.dist((solid.get("x", 0.0), solid.get("y", 0.0)), (60, 60)) < 1 for solid in solids), f"the arena's walls are {solids}")
    return said + arena.ends()


def arena_from_spadesx(stage):
    """The same with two bots of Ace of Spades on SpadesX 710270d: the map's walls stand on a flat floor, and stock bzflag drives between them"""
    spadesx, port = start_spadesx(stage)
    recording, before = record_veterans(stage, "aos://127.0.0.1:{}?dialect=0.75", port, SpadeEyes, men_shown)
    spadesx.stop()
    arena, said = plays_on(stage, recording, before, NEAR + BESIDE)
    world = arena.watcher.of("world")[0]
    check(world.get("kind") == "SOLIDS" and len(world.get("solids", [])) > 20, f"the arena's world is {str(world)[:200]}")
    floating = [solid for solid in world["solids"] if solid.get("z", 0.0) > 0]
    check(not floating, f"{len(floating)} walls stand in the air")
    return f"{len(world['solids'])} walls; " + said + arena.ends()


CASES = {"arena": arena_bzflag, "arena_from_bzfs": arena_from_bzfs}
REAL_CASES = {"arena_all": arena_all, "arena_from_spadesx": arena_from_spadesx}
