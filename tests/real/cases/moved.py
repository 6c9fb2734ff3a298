# Real clients in an arena whom the operator moves to another arena while they play.
# Law: where a player is, is read from the words of both arenas; what its client knows, from what it prints, shows or was sent.
import re
import time

from arena_guests import PageGuest, TankGuest, Watched
from bzflag import DEBIAN, Bzadmin
from cases.replay import Watcher
from stage import check, wait_until

TANKS, PAGES, WORDS = "bzflag://127.0.0.1:0?dialect=2.4", "native+ws://127.0.0.1:0?dialect=json", "native://127.0.0.1:0?dialect=json"
TOLD = "you were moved to the arena 'hall'"
IN_TIME = 60  # seconds, where two processors draw a tank and a page


class Place(Watched):
    """One of the arenas."""

    def __init__(self, stage, ports):
        super().__init__(stage.keep(Watcher(ports["native"])))
        self.ports = ports

    def has(self, name):
        return name in self.words().names.values()


def start_arenas(stage):
    """Two arenas of the same map, with bots in the second one, where players are few: (the program, its control socket, both places)."""
    config, socket = stage.path("entente.toml"), stage.path("control.sock")
    with open(config, "w", encoding="ascii") as file:
        file.write(f'[control]\nsocket = "{socket}"\n'
                   f'[[arena]]\nname = "lobby"\nside = 200\nlisten = ["{TANKS}", "{PAGES}", "{WORDS}"]\n'
                   f'[[arena]]\nname = "hall"\nside = 200\nbots = 6\nlisten = ["{TANKS}", "{WORDS}"]\n')
    run = stage.start("entente", [stage.entente, "run", config])
    run.wait_for(r"started entente", 20)
    ports = [(game, int(port)) for game, port in re.findall(r"^listening (\S+) \S+ 127\.0\.0\.1:(\d+)$", run.text(), re.MULTILINE)]
    return run, socket, Place(stage, dict(ports[:3])), Place(stage, dict(ports[3:]))


def plays(place, guest, moved=False):
    """Acts for the guest until it is in play there; with `moved`, until it has driven there."""
    end, first = time.monotonic() + 2 * IN_TIME, None
    while True:
        there = place.in_play().get(guest.name)
        first = first or there
        if there and (not moved or there != first):
            return
        check(guest.run.alive(), f"{guest.name} ended: {guest.run.tail()}")
        check(time.monotonic() < end, f"{guest.name} is at {there}, first seen at {first}")
        guest.act(there, [])
        time.sleep(0.3)


def moved(stage):
    """Stock bzadmin, stock bzflag and the page, moved by `entente ctl move` from one arena to another of the same map: each plays on there and sees who is there"""
    run, socket, lobby, hall = start_arenas(stage)
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
        code, said = stage.run("ctl", "--socket", socket, "move", name, "hall")
        found = re.search(r"in (\d+) ms", said)
        check(code == 0 and found, f"move {name}: exit {code}, {said!r}")
        took.append(f"{name} {found.group(1)} ms")
        wait_until(lambda: hall.has(name) and not lobby.has(name), IN_TIME, f"{name} is not in the hall, or still in the lobby")
    anna.run.wait_for(re.escape(TOLD), 20)
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
    return f"moved in {', '.join(took)}; each heard bzadmin and saw a bot of the hall"


CASES = {"moved": moved}
