# The operator moves real clients from one arena to another while they play.
# Invariant: a player's arena is read from the words of both arenas; what its client knows, from what it prints, shows or received.
import re
import time

from aos_player import STATE
from arena_guests import CellGuest, PageGuest, RedGuest, SpadeGuest, TankGuest, Watched
from bzflag import DEBIAN, Bzadmin
from cases.cigar2 import BORDER, told
from cases.replay import Watcher
from stage import check, wait_until

TANKS, PAGES, WORDS = "bzflag://127.0.0.1:0?dialect=2.4", "native+ws://127.0.0.1:0?dialect=json", "native://127.0.0.1:0?dialect=json"
MEN, CELLS, REDS = "aos://127.0.0.1:0?dialect=0.75", "ogar+ws://127.0.0.1:0", "panic://127.0.0.1:0?dialect=le-padded"
TOLD = "you were moved to the arena '{}'"
IN_TIME = 60  # seconds, with two processors that draw a tank and a page


class Place(Watched):
    """One of the arenas."""

    def __init__(self, stage, name, ports):
        super().__init__(stage.keep(Watcher(ports["native"])))
        self.name, self.ports = name, ports

    def has(self, name):
        return name in self.words().names.values()

    def name_of(self, prefix):
        """The name that begins so: the arena chooses the name of Panic's client."""
        return next((name for name in list(self.words().names.values()) if name.startswith(prefix)), None)


def start_arenas(stage, *arenas):
    """Starts one program with several arenas, each (name, rules, listeners). Returns (the program, its control socket, a Place for each arena)."""
    config, socket = stage.path("entente.toml"), stage.path("control.sock")
    with open(config, "w", encoding="ascii") as file:
        file.write(f'[control]\nsocket = "{socket}"\n')
        for name, rules, listen in arenas:
            file.write(f'[[arena]]\nname = "{name}"\n{rules}\nlisten = {list(listen)}\n'.replace("'", '"'))
    run = stage.start("entente", [stage.entente, "run", config])
    run.wait_for(r"^listening ", 20, times=sum(len(listen) for _, _, listen in arenas))
    ports = iter((game, int(port)) for game, port in re.findall(r"^listening (\S+) .*127\.0\.0\.1:(\d+)$", run.text(), re.MULTILINE))
    return run, socket, *(Place(stage, name, dict(next(ports) for _ in listen)) for name, _, listen in arenas)


def plays(place, guest, moved=False, name=None):
    """Plays the client until it is in play there; with `moved`, until it has driven there."""
    end, first, name = time.monotonic() + 2 * IN_TIME, None, name or guest.name
    while True:
        others = place.in_play()
        there = others.pop(name, None)
        first = first or there
        if there and (not moved or there != first):
            return
        check(guest.run.alive(), f"{name} ended: {guest.run.tail()}")
        check(time.monotonic() < end, f"{name} is at {there}, first seen at {first}")
        guest.act(there, list(others.values()) if guest.turn // 20 % 2 else [])  # a wall may be on the way to the nearest
        time.sleep(0.3)


def moved(stage):
    """Stock bzadmin, stock bzflag and the page, moved by `entente ctl move` from one arena to another with the same map: each plays on there, and sees the players there"""
    run, socket, lobby, hall = start_arenas(stage, ("lobby", "side = 200", (TANKS, PAGES, WORDS)),
                                            ("hall", "side = 200\nbots = 6", (TANKS, WORDS)))  # bots, because there are few players
    anna, bob = Bzadmin(stage, "anna", lobby.ports["bzflag"]), Bzadmin(stage, "bob", hall.ports["bzflag"])
    for admin in (anna, bob):
        admin.run.wait_for(rf"'{admin.run.name}' joined the game as Observer", 20)
    tank = TankGuest(stage, "tank", lobby.ports["bzflag"], DEBIAN)
    page = PageGuest(stage, "paul", lobby.ports["native+ws"])
    for guest in (tank, page):
        plays(lobby, guest)
    took = []
    for name in ("anna", "tank", "paul"):
        wait_until(lambda: lobby.has(name), IN_TIME, f"{name} is not in the lobby")
        took.append(f"{name} {changes_place(stage, socket, name, hall, lobby)} ms")
    anna.run.wait_for(re.escape(TOLD.format("hall")), 20)
    anna.says("here I am")
    bob.hears("anna", "here I am", 20)
    bob.says("well met")
    anna.hears("bob", "well met", 20)
    wait_until(lambda: any("well met" in line for line in tank.heard()), 20, f"bzflag was told only {tank.heard()}")
    page.page.sees("well met")
    for guest in (tank, page):
        plays(hall, guest, moved=True)
        wait_until(lambda: any(name.startswith("bot") for name, _ in guest.shown()), 20, lambda: f"{guest.name} is shown only {guest.shown()}")
        guest.screenshot()
    page.page.end()
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    for admin in (anna, bob):
        check(admin.quits() == 0, f"{admin.run.name} did not leave with exit code 0")
    check(run.stop(20) == 0, f"entente did not end with exit code 0: {run.tail()}")
    return f"moved in {', '.join(took)}; each received bzadmin's line and saw a bot of the new arena"


def ordered(stage, socket, name, place):
    """The answer of `ctl move`: (exit code, line)."""
    return stage.run("ctl", "--socket", socket, "move", name, place.name)


def changes_place(stage, socket, name, there, back):
    """Moves a player, and waits until it is only in the new arena; returns the milliseconds of the move."""
    code, said = ordered(stage, socket, name, there)
    took = re.search(r"in (\d+) ms", said)
    check(code == 0 and took, f"move {name} to {there.name}: exit {code}, {said!r}")
    wait_until(lambda: there.has(name) and not back.has(name), IN_TIME, f"{name} is not in the {there.name}, or still in the {back.name}")
    return int(took.group(1))


def crosses(stage, socket, guest, there, back, name=None):
    """Moves a client, and waits until it drives in the new arena; returns the milliseconds of the move."""
    name = name or guest.name
    took = changes_place(stage, socket, name, there, back)
    answers_menu(guest)
    plays(there, guest, moved=True, name=name)
    return took


def answers_menu(guest):
    """Answers the menu that BetterSpades shows after each map until it is in play, and Cigar2 when its last cell is gone."""
    if isinstance(guest, CellGuest):
        guest.act(None, [])
    spawns, end = len(guest.eyes.spawns) if isinstance(guest, SpadeGuest) else 0, time.monotonic() + IN_TIME
    while isinstance(guest, SpadeGuest) and len(guest.eyes.spawns) == spawns:
        check(time.monotonic() < end, f"{guest.name} was not put into play: {guest.run.tail()}")
        guest.act(None, [])
        time.sleep(0.5)


def links(guest):
    """The number of connections that the client has opened for its game."""
    if isinstance(guest, SpadeGuest):
        return len(guest.shim.flows)
    return sum(isinstance(guest, RedGuest) or b"101 Switching" in talk.to_client[:64] for talk in list(guest.shim.talks))


def worlds(guest):
    """The number of worlds that the client received; for the page, which receives them as words, `links` and `shown` are checked instead."""
    if isinstance(guest, SpadeGuest):
        return guest.eyes.told[STATE]
    return told(guest.shim.talks[0])[1][BORDER] if isinstance(guest, CellGuest) else 0


def moved_abroad(stage):
    """BetterSpades, Cigar2 and the page, moved by `entente ctl move` to an arena with another map and back while they play: each keeps its connection, receives the new world and a notice, sees only the players there, receives bzadmin's line, and plays on"""
    run, socket, lobby, hall = start_arenas(stage, ("lobby", "side = 120\nhealth = 1000", (TANKS, MEN, CELLS, PAGES, WORDS)),
                                            ("hall", "side = 160\nhealth = 1000\nbots = 7\nbehaviour = \"wander\"", (TANKS, WORDS)))
    stage.start("stays", [stage.entente, "bot", f"native://127.0.0.1:{lobby.ports['native']}?dialect=json", "--name", "stays"])
    admins = {place: Bzadmin(stage, name, place.ports["bzflag"]) for place, name in ((lobby, "anna"), (hall, "bob"))}
    for admin in admins.values():
        admin.run.wait_for(rf"'{admin.run.name}' joined the game as Observer", 20)
    guests = [SpadeGuest(stage, "spade", lobby.ports["aos"]), CellGuest(stage, "cigar", lobby.ports["ogar"]), PageGuest(stage, "paul", lobby.ports["native+ws"])]
    for guest in guests:
        plays(lobby, guest, moved=True)
    seen = []
    for there, back, mine, other in ((hall, lobby, "bot", "stays"), (lobby, hall, "stays", "bot")):
        took = []
        for guest in guests:
            had, were = links(guest), worlds(guest)
            took.append(f"{guest.name} {crosses(stage, socket, guest, there, back)} ms")
            wait_until(lambda: any(TOLD.format(there.name) in line for line in guest.heard()), 20, lambda: f"{guest.name} was told only {guest.heard()[-3:]}")
            check(links(guest) == had, f"{guest.name} has connected {links(guest) - had} times more")
            check(isinstance(guest, PageGuest) or worlds(guest) == were + 1, f"{guest.name} was sent {worlds(guest) - were} worlds")
            sees(there, guest, mine)
            shown = [name for name, _ in guest.shown() if name and name.startswith(other)]
            check(not shown, f"in the {there.name}, {guest.name} is shown {shown}")
            guest.screenshot()
        line = f"welcome to the {there.name}"
        admins[there].says(line)
        for guest in guests:
            wait_until(lambda: any(line in text for text in guest.heard()), 20, lambda: f"{guest.name} did not hear bzadmin: {guest.heard()[-3:]}")
        seen.append(f"to the {there.name}: {', '.join(took)}")
    guests[2].page.end()
    for guest in guests:
        check(guest.run.alive(), f"{guest.name} ended: {guest.run.tail()}")
    check(run.stop(20) == 0, f"entente did not end with exit code 0: {run.tail()}")
    return "; ".join(seen) + "; each kept its connection"


def sees(place, guest, prefix):
    """Plays the client until its connection shows it a player of that name."""
    end = time.monotonic() + IN_TIME
    while not any(name and name.startswith(prefix) for name, _ in guest.shown()):
        check(time.monotonic() < end, f"in the {place.name}, {guest.name} is shown only {guest.shown()}")
        in_play = place.in_play()
        guest.act(in_play.get(guest.name), [where for name, where in in_play.items() if name.startswith(prefix)])
        time.sleep(0.3)


def moved_panic(stage):
    """Panic's released client and stock bzflag, moved while they play: to an arena with the same map, where they play on; to an arena without a listener for their game, and they stay; to an arena with another map, and they are told where to connect, and disconnected"""
    run, socket, lobby, twin, cell, hall = start_arenas(
        stage, ("lobby", "side = 100\nhealth = 1000", (TANKS, REDS, WORDS)), ("twin", "side = 100\nhealth = 1000\nbots = 4\nbehaviour = \"wander\"", (TANKS, REDS, WORDS)),
        ("cell", "side = 120", (WORDS,)), ("hall", "side = 140\nhealth = 1000", (TANKS, REDS, WORDS)))
    red, tank = RedGuest(stage, "red", lobby.ports["panic"], 100), TankGuest(stage, "tank", lobby.ports["bzflag"], DEBIAN)
    name = wait_until(lambda: lobby.name_of("panic"), IN_TIME, f"Panic's client did not come in: {run.tail()}")
    plays(lobby, red, moved=True, name=name)
    plays(lobby, tank, moved=True)
    took = []
    for guest, called in ((red, name), (tank, "tank")):
        took.append(f"{called} {crosses(stage, socket, guest, twin, lobby, called)} ms")
        wait_until(lambda: len(guest.shown()) >= 2, 20, lambda: f"{called} is shown only {guest.shown()}")
        code, said = ordered(stage, socket, called, cell)
        check(code == 1 and "stays where it is" in said, f"move {called} where its game is not spoken: exit {code}, {said!r}")
        plays(twin, guest, moved=True, name=called)
        guest.screenshot()
    check(len(red.shim.talks) == 1, f"Panic's client has connected {len(red.shim.talks)} times")
    for guest, called, game in ((red, name, "panic"), (tank, "tank", "bzflag")):
        place = f"127.0.0.1:{hall.ports[game]}"
        code, said = ordered(stage, socket, called, hall)
        check(code == 0 and f"connect to {place}" in said, f"move {called} to another map: exit {code}, {said!r}")
        wait_until(lambda: not twin.has(called), IN_TIME, f"{called} is still in the twin")
    wait_until(lambda: not red.run.alive(), 20, "Panic's client did not notice")
    check("Connection closed" in red.run.text(), f"Panic's client said at the end: {red.run.tail()}")
    wait_until(lambda: any(f"connect to 127.0.0.1:{hall.ports['bzflag']}" in line for line in tank.heard()), 20, lambda: f"bzflag was told only {tank.heard()[-3:]}")
    check(not hall.has(name) and not hall.has("tank"), "a client is in the arena to which it was only referred")
    tank.screenshot()
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    check(run.stop(20) == 0, f"entente did not end with exit code 0: {run.tail()}")
    return f"moved in {', '.join(took)} and played on; stayed where the arena had no listener for them; for another map, referred to its address and disconnected"


CASES = {"moved": moved}
REAL_CASES = {"moved_abroad": moved_abroad, "moved_panic": moved_panic}
