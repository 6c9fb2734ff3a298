# Ace of Spades across a bridge: BetterSpades on the servers of other games. The programs are in the folder of --real.
# Invariant: what each side saw is read from its own connection: BetterSpades' by a shim in front of the bridge, the server's by a player of its game.
import os
import sys
import time

from aos import BetterSpades
from aos_eyes import Eyes
from bzflag import start_bzfs
from cases.bridge import end
from cases.bzflag_bridge import TILE
from cases.bzflag_bridge import place_of as tile_place
from cases.ogar import start_server as start_ogar
from panic import PORT as PANIC_PORT
from panic import folder_of, start_server as start_panic
from panic_hunter import Field, Hunter
from shim import Shim
from stage import check, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from bzflag_tank import Client as BzflagTank  # noqa: E402
from player import Unseen, apart  # noqa: E402


class Visit:
    """BetterSpades, with the bridge in front of a server of another game."""

    def __init__(self, stage, to, name="bettertest"):
        self.stage, self.recording = stage, stage.path("bridge.mcap")
        self.bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", "aos://127.0.0.1:0?dialect=0.75", "--to", to,
                                             "--record", self.recording])
        listener_port = int(self.bridge.wait_for(r"^listening aos 0\.75 127\.0\.0\.1:(\d+)").group(1))
        self.before = stage.keep(Shim(listener_port))
        self.eyes = stage.keep(Eyes(self.before))
        self.real = BetterSpades(stage, self.before.port, name)

    def joins(self, seconds=90):
        """Presses the key 1 to choose team and weapon, until it is in play."""
        def in_play():
            self.real.keys("1")
            time.sleep(1)
            check(self.real.run.alive(), f"BetterSpades ended: {self.real.run.tail()}")
            return self.eyes.alive
        wait_until(in_play, seconds, f"BetterSpades was not put into play: {self.bridge.tail()} {self.real.run.tail()}")
        time.sleep(1)
        return self

    def walks(self, seconds):
        self.real.holds("forward")
        time.sleep(seconds)
        self.real.holds("forward", False)

    def roams(self):
        """Walks and turns, shoots and jumps."""
        self.walks(2)
        self.real.turns(30, 0)
        self.real.keys(self.real.KEYS["jump"])
        self.real.clicks(times=2)
        self.real.turns(0, 4)  # each shot kicks the view up

    def ends(self):
        shot = self.real.screenshot("betterspades.png")
        check(os.path.getsize(shot) > 1500, "the screenshot is empty")
        check(self.real.run.alive(), f"BetterSpades ended: {self.real.run.tail()}")
        self.real.keys("Escape", "y")
        self.bridge.wait_for("closed: client left", 20)
        return self.eyes.did() + "; " + end(self.stage, self.bridge, self.recording)


def place_of(blocks):
    """The place in metres from the middle, as in the matrix."""
    return (blocks[0] - 256) * 1.5625, (256 - blocks[1]) * 1.5625


def killed_once(visit, native, name):
    """The native shoots until BetterSpades is dead; each side must have seen as many deaths as the other."""
    before, end_at = len(visit.eyes.died), time.monotonic() + 60
    while len(visit.eyes.died) == before:
        check(time.monotonic() < end_at, f"{native.name} did not kill BetterSpades in a minute")
        seen = next((unit for unit in native.others() if unit.owner == name), None)
        try:
            if native.where() is None:
                native.respawn()
            if seen:
                native.go_to((seen.place[0] - 30, seen.place[1]), 5)
                native.shoot(0.0)
        except Unseen:
            check(native.gone is None, f"the native is out: {native.gone}")
    time.sleep(1)
    deaths = sum(death.victim == name for death in native.deaths)
    check(len(visit.eyes.died) == deaths, f"BetterSpades was told of {len(visit.eyes.died)} deaths, its server of {deaths}")
    check(visit.eyes.died[-1][1] == native.name, f"killed by {native.name}, and told {visit.eyes.died[-1][1]}")
    wait_until(lambda: visit.eyes.alive, 30, "BetterSpades did not come back")


def aos_on_bzfs(stage):
    """Stock bzfs; BetterSpades 0.1.5 under Xvfb by keys and mouse across the bridge: walks, shoots, chats, is shot by a tank, respawns"""
    bzfs, port = start_bzfs(stage)
    native, name = stage.keep(BzflagTank(port, "native1")), "bettertest"
    native.native = True
    native.join()
    visit = Visit(stage, f"bzflag://127.0.0.1:{port}?dialect=2.4", name).joins()

    def me():
        return next((unit for unit in native.others() if unit.owner == name), None)
    wait_until(me, 10, "the tank does not see BetterSpades")
    check(visit.eyes.number_of("native1") is not None, f"BetterSpades does not see the tank: {visit.eyes.people}")
    visit.real.says("hello from the spades")
    native.wait(lambda: any("hello from the spades" in said.text for said in native.heard), 10, "BetterSpades was not heard")
    native.say("hello from a tank")
    wait_until(lambda: any("hello from a tank" in chat for chat in visit.eyes.chats), 10, "the tank was not heard")

    def round_():
        here, shots = me().place, len(native.shots)
        visit.walks(2)
        visit.roams()
        check(me() is None or apart(me().place, here) > 5, f"the server has BetterSpades where it was, at {here}")
        check(len(native.shots) > shots, "its shots were not seen")
        killed_once(visit, native, name)
    visit.stage.rounds(round_)
    visit.real.screenshot("played.png")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return visit.ends()


def aos_on_panic(stage):
    """Panic's released server and a scripted player who hunts; BetterSpades 0.1.5 under Xvfb by keys and mouse across the bridge"""
    server = start_panic(stage)
    behind = stage.keep(Shim(PANIC_PORT))
    maps = os.path.join(folder_of(stage), "resources/graphics/maps")
    visit = Visit(stage, f"panic://127.0.0.1:{behind.port}?dialect=le-padded&maps={maps}")
    wait_until(lambda: behind.talks, 30, "the bridge did not connect to the server")
    field = Field(lambda: behind.talks[0].to_client)
    hunter = stage.keep(Hunter(stage, PANIC_PORT, every=1.0))
    visit.joins()
    hunter.holds = True
    field.fold()
    began, off = len(field.lost), []
    end_at = time.monotonic() + max(40, 60 * stage.minutes)
    while time.monotonic() < end_at and field.over is None and hunter.field.over is None:
        visit.roams()
        hunter.holds = time.monotonic() < end_at - 25
        time.sleep(1)
        field.fold()
        if visit.eyes.alive and visit.eyes.own and field.mine():
            here = place_of(visit.eyes.own[-1][1])
            off.append(min(apart(here, tile_place(field.places[piece])) for piece in field.mine()) / TILE)
    field.fold()
    moves, lost = sum(field.moves[piece] for piece in field.own), sum(piece in field.own for piece, _ in field.lost[began:])
    check(moves > 2, f"its tanks moved {moves} tiles")
    check(len(visit.eyes.died) == lost, f"BetterSpades was told of {len(visit.eyes.died)} deaths, and lost {lost} tanks")
    check(server.alive(), f"the Panic server died: {server.tail()}")
    return f"{moves} moves, {lost} tanks lost, {sorted(off)[len(off) // 2]:.1f} tiles off at the median; " + visit.ends()


def aos_on_ogarii(stage):
    """OgarII 1.3.6; BetterSpades 0.1.5 under Xvfb by keys and mouse across the bridge: glides, splits, sees cells, chats"""
    server, port = start_ogar(stage, "ogarii")
    visit = Visit(stage, f"ogar+ws://127.0.0.1:{port}?dialect=modern3").joins()
    visit.real.says("hello from the spades")
    wait_until(lambda: any("hello from the spades" in chat for chat in visit.eyes.chats), 10, "OgarII does not repeat what BetterSpades said")

    end_at = time.monotonic() + max(40, 60 * stage.minutes)
    while time.monotonic() < end_at:
        visit.roams()
        wait_until(lambda: visit.eyes.alive, 30, "BetterSpades, eaten, did not come back")
    check(visit.eyes.people, "it saw nobody")
    check(visit.eyes.walked() > 10, f"it went {visit.eyes.walked():.0f} blocks")
    check(server.alive(), f"OgarII died: {server.tail()}")
    return visit.ends()


REAL_CASES = {"bridge_aos_bzfs": aos_on_bzfs, "bridge_aos_panic": aos_on_panic, "bridge_aos_ogarii": aos_on_ogarii}
