# Ogar's modern revision 3 across a bridge, on either end of it. Its players are those of the matrix, written from the document.
# Invariant: deaths are counted on the connection of the side that decides them; the other side must have received the same number.
import math
import os
import sys
import time

from bzflag import GREETING, HEADER, Bzadmin, Tank, frames, positions, start_bzfs
from cases.bridge import end, start_bridge
from cases.bzflag import drive_on, travel
from cases.ogar import start_server as start_ogar
from panic import DRIVE, MOVE, STEPS, ScriptedPlayer, start_server as start_panic
from shim import Shim
from stage import check, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from ogar import Client  # noqa: E402
from player import Unseen, apart, together, toward  # noqa: E402


def killed(talk):
    """How often the player of this connection to a bzfs has died, by the server's messages."""
    return sum(code == "kl" and body[0] == talk.to_client[GREETING - 1] for code, body in frames(bytes(talk.to_client[GREETING:])))


def ogar_on_bzfs(stage):
    """Stock bzfs and bzadmin; two players of Ogar's modern3 across the bridge: join, chat both ways, hunt each other, leave"""
    bzfs, port = start_bzfs(stage)
    admin = Bzadmin(stage, "anna", port).joined()
    behind = stage.keep(Shim(port))
    recording = stage.path("bridge.mcap")
    bridge, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0?dialect=modern3", f"bzflag://127.0.0.1:{behind.port}", "--record", recording)
    carl, dora = players = [stage.keep(Client(listening, name)) for name in ("carl", "dora")]
    for player in players:
        player.join()
        admin.run.wait_for(rf"'?{player.name}'? joined", 20)
    carl.say("hello anna")
    admin.hears("carl", "hello anna")
    admin.says("hello carl")
    carl.wait(lambda: any(said.text == "hello carl" and said.sender == "anna" for said in carl.heard), 10, "anna was not heard")
    until = time.monotonic() + max(25, 60 * stage.minutes)
    together(lambda: hunt(carl, dora, until), lambda: hunt(dora, carl, until))
    # The first connection only probed the dialect.
    for player, talk in zip(players, [talk for talk in behind.talks if len(talk.to_client) > 100]):
        wait_until(lambda: player.dead() == killed(talk), 5, f"bzfs told {killed(talk)} deaths of {player.name}, who counts {player.dead()}")
    deaths, moves = [player.dead() for player in players], [len(list(positions(told(flow)))) for flow in behind.flows]
    driven = [travel(list(positions(told(flow)))) for flow in behind.flows]
    check(min(driven) > 20, f"driven {driven} m")
    for player in players:
        player.leave()
        admin.run.wait_for(rf"'?{player.name}'? left", 10)
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return f"driven {driven[0]:.0f} m and {driven[1]:.0f} m, {sum(moves)} updates, {deaths} deaths on both sides; " + end(stage, bridge, recording)


def told(flow):
    return [message for datagram in list(flow.to_server) for message in frames(datagram)]


def hunt(player, prey, until):
    """Approaches, aims, shoots; respawns when killed."""
    while time.monotonic() < until:
        try:
            if player.where() is None:
                player.respawn()
            seen = [unit for unit in player.others() if unit.owner == prey.name]
            if not seen:
                player.go_to((0.0, 0.0), 3)
            elif apart(seen[0].place, player.here()) > 80:
                player.go_to(seen[0].place, 2)
            else:
                player.shoot(toward(player.here(), seen[0].place))
        except Unseen:
            check(player.gone is None, f"the connection of {player.name} is over: {player.gone}")


def bzflag_on_ogarii(stage):
    """Stock bzflag under Xvfb on autopilot, on OgarII: spawns, drives, is eaten; no false deaths, no kick"""
    server, to_port = start_ogar(stage, "ogarii")
    recording = stage.path("bridge.mcap")
    bridge, listening = start_bridge(stage, "bzflag://127.0.0.1:0?dialect=2.4", f"ogar+ws://127.0.0.1:{to_port}?dialect=modern3",
                                     "--record", recording)
    before = stage.keep(Shim(listening))
    tank = Tank(stage, "redtank", "red", before.port)
    wait_until(lambda: before.talks and heard(before, "ac"), 60, "the client was not let in")
    tank.spawn_on_autopilot()
    wait_until(lambda: heard(before, "al"), 20, "the tank was not put into play")
    stage.rounds(lambda: drive_on([tank]) if stage.minutes else time.sleep(30))
    shot = tank.screenshot("redtank.png")
    check(os.path.getsize(shot) > 3000, "the screenshot is empty")
    check(tank.run.alive() and server.alive(), "a program ended")
    check(not heard(before, "sk"), "the client was thrown out")
    spawns, deaths = len(heard(before, "al")), len(heard(before, "kl"))
    claims = sum(code == "kl" for code, _ in frames(bytes(before.talks[0].to_server[len(HEADER):])))
    driven = travel(list(positions(own_updates(before))))
    check(claims == 0, f"{claims} deaths that nobody told of")
    check(driven > 20, f"it drove {driven:.0f} m")
    check(spawns >= deaths, f"{spawns} spawns for {deaths} deaths")
    tank.run.stop()
    seen = end(stage, bridge, recording)
    no_early_spawn(stage, recording)
    return f"driven {driven:.0f} m, {spawns} times put into play or back to its place, {deaths} deaths, none false; {seen}"


def no_early_spawn(stage, recording):
    """Checks that no name is sent before the first picture: OgarII would take it for a request to leave the queue."""
    _, said = stage.run("inspect", recording, seconds=120)
    lines = said.splitlines()
    border = next((at for at, line in enumerate(lines) if " s2c " in line and " border={" in line), len(lines))
    name = next((at for at, line in enumerate(lines) if " ClientUpdate " in line and " name=" in line), len(lines))
    check(border < name < len(lines), f"a name in line {name}, the first border in line {border}")


def heard(shim, wanted):
    """Messages of this code about our client, which is alone and has number 0."""
    return [body for code, body in frames(bytes(shim.talks[0].to_client[GREETING:])) if code == wanted and (wanted == "ac" or not body or body[0] == 0)]


def own_updates(shim):
    by_stream = list(frames(bytes(shim.talks[0].to_server[len(HEADER):])))
    return by_stream + [message for flow in shim.flows for message in told(flow)]


class Watched:
    """The places of a Panic tank, by the Moves of its server."""

    def __init__(self, game, tank):
        self.game, self.tank, self.times = game, tank, []

    def tile(self):
        x, y = self.game.pieces()[self.tank]
        for direction, value, piece in self.game.of(MOVE):
            if piece == self.tank and direction in STEPS:
                x, y = x + STEPS[direction][0] * value, y + STEPS[direction][1] * value
        return x, y

    def place(self, columns=30, rows=20):
        x, y = self.tile()
        side = 800 / max(columns, rows)
        return (x + 0.5 - columns / 2) * side, (rows / 2 - y - 0.5) * side


def ogar_watches_panic(stage):
    """Panic's released server; a spectator of Ogar's modern3 across the bridge sees a Panic tank drive: 25 pictures a second, always less than two tiles behind"""
    server = start_panic(stage)
    _, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0?dialect=modern3", "panic://127.0.0.1:4410?dialect=le-padded")
    native, looker = stage.keep(ScriptedPlayer(4410)), stage.keep(Client(listening, "looker"))
    looker.watch()  # the leader, who is the only player
    wait_until(native.game.started, 20, "the game did not start")
    tank = native.game.of(1)[0][1][0]
    watched, pictures, end_at = Watched(native.game, tank), [], time.monotonic() + max(20, 60 * stage.minutes)
    start = watched.place()
    cell = wait_until(lambda: next((number for number, one in list(looker.cells.items())
                                    if one["type"] == 0 and apart(cell_place(one), start) < 5), None), 10, "the native tank is not seen")

    def drive():
        direction = 2
        while time.monotonic() < end_at:
            before = watched.tile()
            for pause in (0.25,) * 6 + (0.06,) * 4:  # single steps, then at the rate of a held key
                native.act(DRIVE, direction, tank)
                time.sleep(pause)
            if watched.tile() == before:
                direction = 1 + direction % 4
            direction = 1 + (direction + 1) % 4 if watched.tile()[0] > 24 else direction

    def look():
        last = None
        while time.monotonic() < end_at:
            with looker.changed:
                looker.changed.wait(0.1)
                one = looker.cells.get(cell)
            check(one is not None, "the native tank is not shown any more")
            here = cell_place(one)
            if here != last:
                pictures.append((time.monotonic(), here, apart(here, watched.place())))
                last = here
    together(drive, look)
    check(server.alive(), "the Panic server died")
    side = 800 / 30
    behind = max(far for _, _, far in pictures) / side
    gaps = sorted(b[0] - a[0] for a, b in zip(pictures, pictures[1:]) if b[0] - a[0] < 0.2)
    leaps = sorted(math.dist(a[1], b[1]) for a, b in zip(pictures, pictures[1:]))
    check(len(pictures) > 100, f"only {len(pictures)} pictures of a tank that drives")
    check(behind <= 2.2, f"{behind:.1f} tiles behind")
    check(gaps[len(gaps) // 2] < 0.06, f"a picture every {1000 * gaps[len(gaps) // 2]:.0f} ms")
    return (f"{len(pictures)} pictures of it moving, one every {1000 * gaps[len(gaps) // 2]:.0f} ms, {leaps[len(leaps) // 2]:.1f} m each; "
            f"at most {behind:.2f} tiles behind")


def cell_place(cell):
    return cell["x"] / 17.678, -cell["y"] / 17.678


CASES = {"bridge_ogar_bzfs": ogar_on_bzfs}
REAL_CASES = {"bridge_bzflag_ogarii": bzflag_on_ogarii, "ogar_watches_panic": ogar_watches_panic}
