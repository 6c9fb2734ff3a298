# Players of one game on the real server of another, through `entente proxy` as a bridge.
# Invariant: what each side saw is read from its own bytes, not from our recording or log.
import struct
import time
from concurrent.futures import ThreadPoolExecutor

from bzflag import Bzadmin, start_bzfs
from cases.ogar import MODERN, Player, start_server as start_ogar
from panic import AMMO, DRIVE, MOVE, SHOOT, ScriptedPlayer, start_server as start_panic
from stage import check, wait_until


def start_bridge(stage, listen, to, *options):
    """`entente proxy` between two games; returns it with the port it announced."""
    bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", listen, "--to", to, *options])
    announced = bridge.wait_for(r"^listening [\w ./-]+ 127\.0\.0\.1:(\d+)$")
    return bridge, int(announced.group(1))


def end(stage, bridge, recording=None):
    """Stops the bridge, and checks its exit code and that its recording of both links decodes."""
    check(bridge.stop() == 0, f"the bridge did not end with exit code 0: {bridge.tail()}")
    if recording is None:
        return ""
    numbers = stage.verify(recording)
    return f"{numbers['exact']} of {numbers['frames']} frames exact"


def drive(player, tank, steps, square=(1, 2, 3, 4)):
    """Drives along a square of two steps per side; returns the number of Moves with Value 1 that answered."""
    answered = len(player.game.of(MOVE))
    for step in range(steps):
        player.act(DRIVE, square[step // 2 % 4], tank)
    time.sleep(0.5)
    return sum(1 for direction, value, piece in player.game.of(MOVE)[answered:] if piece == tank and value == 1)


def inward(tile, size=32):
    """The square whose first sides lead away from the nearest edges of the map."""
    across, along = (2 if tile[0] < size / 2 else 4), (3 if tile[1] < size / 2 else 1)
    return along, across, 4 - along, 6 - across


def panic_on_ogarii(stage):
    """Two scripted Panic players on OgarII: each has a tank, sees the other's, drives and shoots"""
    recording = stage.path("bridge.mcap")
    server, port = start_ogar(stage, "ogarii")
    bridge, listening = start_bridge(stage, "panic://127.0.0.1:0?dialect=le-padded", f"ogar+ws://127.0.0.1:{port}?dialect=modern3",
                                     "--record", recording)
    players = [stage.keep(ScriptedPlayer(listening)) for _ in range(2)]
    for player in players:
        wait_until(player.game.started, 20, f"the game did not start: {bridge.tail()}")
    tanks = [player.game.of(1)[0][1][0] for player in players]
    moved = [drive(player, tank, 8) for player, tank in zip(players, tanks)]
    check(min(moved) >= 4, f"of 8 steps, only {moved} were taken")
    # OgarII answers a shot with a piece of mass, not with a Move, so do not wait for one.
    players[0].socket.sendall(struct.pack("<HBBI", players[0].game.of(1)[0][0], SHOOT, 2, tanks[0]))
    time.sleep(1)
    for player in players:
        player.kill()
    check(server.alive(), f"OgarII died: {server.tail()}")
    return f"{moved} of 8 steps taken; " + end(stage, bridge, recording)


def ogar_on_panic(stage):
    """Two scripted players of Ogar's modern revision 3 on Panic's released server"""
    recording = stage.path("bridge.mcap")
    server = start_panic(stage)
    bridge, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0?dialect=modern3", "panic://127.0.0.1:4410?dialect=le-padded",
                                     "--record", recording)
    players = [Player(listening, MODERN) for _ in range(2)]
    with ThreadPoolExecutor() as both:  # the server starts when it has two
        lively = list(both.map(Player.play_modern, players))
    for player in players:
        player.socket.kill()
    check(server.alive(), f"the Panic server died: {server.tail()}")
    seen = end(stage, bridge, recording)
    check(all(lively), f"heard only {[dict(player.heard) for player in players]}")
    return seen


def panic_on_bzfs(stage):
    """Stock bzfs and bzadmin; a scripted Panic player across the bridge: joins, drives, shoots and leaves; bzadmin sees it join and leave"""
    recording = stage.path("bridge.mcap")
    with open(stage.path("field.bzw"), "w", encoding="ascii") as world:
        world.write("box\nposition 95 95 0\nsize 2 2 9\nend\n")  # in a corner, from which the square leads away
    bzfs, port = start_bzfs(stage, "-world", world.name)
    admin = Bzadmin(stage, "anna", port).joined()
    bridge, listening = start_bridge(stage, "panic://127.0.0.1:0?dialect=le-padded", f"bzflag://127.0.0.1:{port}", "--record", recording)
    player = stage.keep(ScriptedPlayer(listening))
    admin.run.wait_for(r"panic\S* joined", 20)
    wait_until(player.game.started, 20, f"the game did not start: {bridge.tail()}")
    tank = player.game.of(1)[0][1][0]
    square = inward(player.game.pieces()[tank])
    player.act(DRIVE, square[0], tank)  # may be answered by the Move that reports the tank's first direction
    wait_until(lambda: any(value == 1 for _, value, _ in player.game.of(MOVE)), 10, "the first step was not taken")
    moved = drive(player, tank, 6, square)
    check(moved == 6, f"of 6 steps, only {moved} were taken")
    began = time.monotonic()
    player.act(SHOOT, 1, tank)  # answered once the tank has turned there and shot
    turned = time.monotonic() - began
    wait_until(lambda: player.game.of(AMMO)[-1][1] == 99, 5, "the shot was not counted")
    player.kill()
    admin.run.wait_for(r"panic\S* left", 20)
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return f"{moved} of 6 steps taken, a shot after {turned:.1f} s; " + end(stage, bridge, recording)


def bots_on_bzfs(stage):
    """Stock bzfs and two of our bots for 15 s: they join, spawn, hunt each other and leave, and nobody is kicked"""
    with open(stage.path("field.bzw"), "w", encoding="ascii") as world:  # so small that they meet in time, wherever they spawn
        world.write("world\nsize 100\nend\n")
    bzfs, port = start_bzfs(stage, "-world", world.name)
    bots = stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{port}?dialect=2.4", "--count", "2",
                                "--behaviour", "hunt", "--seconds", "15"])
    for name in ("bot-1", "bot-2"):
        bzfs.wait_for(rf"{name} \[\d+\] has joined", 20)
    seen = bots.wait_for(r"^bots 2 of 2 were let in, 0 refused or kicked, 0 disconnected; spawns=(\d+) shots=(\d+) .*$", 40)
    check(int(seen.group(1)) >= 2, f"they did not all spawn: {seen.group(0)}")
    check(int(seen.group(2)) >= 1, f"nobody shot: {seen.group(0)}")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return seen.group(0)


CASES = {"bots": bots_on_bzfs, "bridge_panic_bzfs": panic_on_bzfs}
REAL_CASES = {"bridge_panic_ogarii": panic_on_ogarii, "bridge_ogar_panic": ogar_on_panic}
