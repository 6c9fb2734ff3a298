# Panic's released programs across a bridge: clients of another dialect on the server, and the client on the servers of
# other games. The programs are in the folder of --real.
import os
import random
import struct
import time

from bzflag import start_bzfs
from cases.ogar import start_server as start_ogar
from cases.panic import play_to_the_win
from panic import AMMO, DESTROY, HEALTH, MOVE, STEPS, Game, Packed, RealClient, ScriptedPlayer, start_server
from shim import Shim
from stage import check, wait_until
from websocket import CLOSE, WebSocket


def bridge(stage, to, dialect="le-padded"):
    """`entente proxy` between Panic clients of that dialect and the server of the URL; returns it and its port."""
    run = stage.start("bridge", [stage.entente, "proxy", "--listen", f"panic://127.0.0.1:0?dialect={dialect}", "--to", to])
    return run, int(run.wait_for(rf"^listening panic {dialect} 127\.0\.0\.1:(\d+)").group(1))


def panic_dialects(stage):
    """Panic's released server (le-padded) and two scripted players of the documented be-packed, across a bridge: they play until one wins"""
    server = start_server(stage)
    behind = stage.keep(Shim(4410))
    run, port = bridge(stage, f"panic://127.0.0.1:{behind.port}?dialect=le-padded", "be-packed")
    players = []
    for number in (1, 2):
        players.append(stage.keep(ScriptedPlayer(port, Packed)))
        wait_until(lambda: len(behind.talks) >= number, 10, "the bridge did not connect to the server")
    wait_until(lambda: all(player.game.started() for player in players), 20, "the game did not start")
    players.sort(key=lambda player: player.game.of(1)[0][0])
    actions = play_to_the_win(stage, players[0].game, players[0].act)
    wait_until(lambda: players[0].game.over() == 1 and players[1].game.over() == 0, 10, "nobody was told of the win")
    check(server.alive(), "the Panic server died")
    sent = sum(len(talk.to_server) for talk in behind.talks) // 8
    check(sent == actions, f"the server was sent {sent} Actions for {actions}")
    check(run.stop() == 0, "the bridge did not end with exit code 0")
    check(server.alive(), "the Panic server died when it was left")
    return f"won after {actions} Actions, of which the server got each; it lives"


def drives(game):
    return sum(abs(value) for direction, value, piece in game.of(MOVE) if piece == game.of(1)[0][1][0])


def panic_on_ogar(stage):
    """Panic's released client under Xvfb on OgarII, driven by key presses"""
    server, to_port = start_ogar(stage, "ogarii")
    run, port = bridge(stage, f"ogar+ws://127.0.0.1:{to_port}?dialect=modern3")
    before = stage.keep(Shim(port))
    client = RealClient(stage, "red", before.port)
    wait_until(lambda: before.talks, 10, "the client did not connect")
    game = Game(lambda: bytes(before.talks[0].to_client))
    wait_until(game.started, 20, "the client was never put into play")
    client.focus()
    end = time.monotonic() + max(20, 60 * stage.minutes)
    presses = 0
    while time.monotonic() < end:
        for direction in (2, 3, 4, 1):
            for _ in range(4):
                client._xdotool("key", client.DRIVE_KEYS[direction])
                presses += 1
                time.sleep(0.3)
            check(client.run.alive(), f"the client ended: {client.run.tail(8)}")
    client.screenshot()
    check(drives(game) > 3, f"the tank moved {drives(game)} tiles")
    check(server.alive(), "OgarII died")
    check(run.stop() == 0, "the bridge did not end with exit code 0")
    return f"{presses} key presses, {drives(game)} tiles driven, {len(game.of(HEALTH))} changes of health; all live"


BRICK = 2


def panic_walls(stage):
    """Panic's released client on stock bzfs, driven by key presses: walls are shown as bricks, and it does not drive into them"""
    _, to_port = start_bzfs(stage, "-worldsize", "400")
    run, port = bridge(stage, f"bzflag://127.0.0.1:{to_port}")
    before = stage.keep(Shim(port))
    client = RealClient(stage, "red", before.port)
    wait_until(lambda: before.talks, 10, "the client did not connect")
    game = Game(lambda: bytes(before.talks[0].to_client))
    wait_until(game.started, 40, "the client was never put into play")
    client.focus()
    dice, end_at = random.Random(3), time.monotonic() + max(60, 60 * stage.minutes)
    while time.monotonic() < end_at:
        direction = dice.choice((1, 2, 3, 4))
        for _ in range(6):
            client._xdotool("key", client.DRIVE_KEYS[direction])
            time.sleep(0.7)
        check(client.run.alive(), f"the client ended: {client.run.tail(8)}")
    client.screenshot()
    tank = game.of(1)[0][1][0]
    bricks, place, stops, drives, strange = set(), None, 0, 0, []
    for kind, fields in game.told():
        if kind == BRICK:
            bricks.add(fields[2:4])
        elif 16 <= kind < 32 and fields[1] == tank:
            place = fields[2:4]
        elif kind == MOVE and fields[2] == tank:
            (dx, dy), value = STEPS[fields[0]], fields[1]
            ahead = place[0] + dx, place[1] + dy
            if value == 0 and (ahead in bricks or not (0 <= ahead[0] < 32 and 0 <= ahead[1] < 32)):
                stops += 1
            elif value:
                strange += [ahead] if ahead in bricks and place not in bricks else []
                place, drives = (place[0] + dx * value, place[1] + dy * value), drives + 1
    check(len(bricks) > 10 and stops > 0 and drives > 10, f"{len(bricks)} bricks, {stops} stops at one, {drives} tiles driven")
    check(len(strange) <= drives / 50, f"it drove into bricks at {strange}, of {drives} tiles")  # a server moves tanks back now and then
    check(run.stop() == 0, "the bridge did not end with exit code 0")
    return f"{len(bricks)} bricks, {drives} tiles driven, {stops} stops before a brick or the edge, {len(strange)} drives into one"


MAP_SHOWN = 10_000  # bytes of a screenshot: a black window takes less than half of that, a dimmed map more than twice


def watches(stage, name, port):
    """The released client watches by that port: it shows the map, receives all moves, and pans by its arrow keys."""
    before = stage.keep(Shim(port))
    client = RealClient(stage, name, before.port)
    wait_until(lambda: before.talks, 10, "the client did not connect")
    game = Game(lambda: bytes(before.talks[0].to_client))
    wait_until(lambda: len({piece for _, _, piece in game.of(MOVE)}) >= 3, 60, "no moves of three tanks were received")
    client.focus()
    for direction in (2, 3, 4, 1):
        for _ in range(4):
            client._xdotool("key", client.DRIVE_KEYS[direction])
            time.sleep(0.1)
    told = len(game.of(MOVE))
    wait_until(lambda: len(game.of(MOVE)) > told + 20, 60, "nothing moves any more")
    check(client.run.alive(), f"the client ended: {client.run.tail(8)}")
    size = os.path.getsize(client.screenshot())
    check(size > MAP_SHOWN, f"a screenshot of {size} bytes shows no map")
    check(not before.talks[0].to_server, "who only watches sent an Action")
    client.run.kill()
    return len(game.of(MOVE))


def panic_watches(stage):
    """Panic's released client watches an arena with bots (`watch=yes`), then a replay of its recording: it shows the map, and pans"""
    listen, recording = "panic://127.0.0.1:0?dialect=le-padded", stage.path("arena.mcap")
    arena = stage.start("arena", [stage.entente, "arena", "--listen", listen + "&watch=yes", "--bots", "4", "--record", recording])
    moves = [watches(stage, "live", int(arena.wait_for(r"^listening panic .*127\.0\.0\.1:(\d+)$").group(1)))]
    check(arena.stop() == 0, "the arena did not end with exit code 0")
    replay = stage.start("replay", [stage.entente, "replay", recording, "--listen", listen, "--loop"])
    moves.append(watches(stage, "replayed", int(replay.wait_for(r"^listening panic .*127\.0\.0\.1:(\d+)$").group(1))))
    check(replay.stop() == 0, "the replay did not end with exit code 0")
    return f"{moves[0]} Moves seen as it was played, {moves[1]} as it was replayed; the client lives"


class Mouse:
    """A modern3 player that points in random directions and splits now and then."""

    def __init__(self, port, seed):
        self.random = random.Random(seed)
        self.socket = WebSocket(port, "/")
        self.socket.send(b"\x01\x03\0\0\0")
        self.updates = 0

    def hear(self, seconds):
        for opcode, payload in self.socket.messages(seconds):
            check(opcode != CLOSE, f"a player was closed: {payload!r}")
            self.updates += payload[:1] == b"\x03"

    def spawn(self):
        self.socket.send(b"\x03" + bytes(10) + b"\x01" + b"mouse\0")

    def point(self):
        x, y = (self.random.randint(-7000, 7000) for _ in range(2))
        splits = self.random.random() < 0.3
        for _ in range(5):
            self.socket.send(b"\x03" + struct.pack("<iiBBB", x, y, splits, 0, 0))
            splits = False
            self.hear(0.04)

    def kill(self):
        self.socket.kill()


def ogar_on_panic(stage):
    """Two players of Ogar's modern3, across a bridge to Panic's released server: they point anywhere, also beyond the map's edge, and split"""
    server = start_server(stage)
    behind = stage.keep(Shim(4410))
    run = stage.start("bridge", [stage.entente, "proxy", "--listen", "ogar+ws://127.0.0.1:0?dialect=modern3",
                                 "--to", f"panic://127.0.0.1:{behind.port}?dialect=le-padded"])
    port = int(run.wait_for(r"^listening ogar modern3 127\.0\.0\.1:(\d+)").group(1))
    players = [stage.keep(Mouse(port, seed)) for seed in (1, 2)]
    wait_until(lambda: len(behind.talks) == 2, 10, "the bridge did not connect twice")
    games = [Game(lambda talk=talk: bytes(talk.to_client)) for talk in behind.talks]
    wait_until(lambda: all(game.started() for game in games), 20, "the game did not start")
    for player in players:
        player.hear(0.5)
        player.spawn()
    began = time.monotonic()
    while time.monotonic() < began + max(30, 60 * stage.minutes) and games[0].over() is None:
        for player in players:
            player.point()
        check(server.alive(), f"the Panic server died: {server.tail()}")
    seconds = time.monotonic() - began
    sent = [len(talk.to_server) // 8 for talk in behind.talks]
    check(all(10 < count < 10 * seconds + 10 for count in sent), f"{sent} Actions in {seconds:.0f} s")
    check(all(player.updates > 100 for player in players), f"{[p.updates for p in players]} updates were heard")
    moved = sum(value for _, value, _ in games[0].of(MOVE))
    check(moved > 20, f"the tanks moved {moved} tiles")
    check(run.stop() == 0, "the bridge did not end with exit code 0")
    check(server.alive(), "the Panic server died when it was left")
    shots, deaths = sum(len(game.of(AMMO)) - 1 for game in games), len(games[0].of(DESTROY))
    return f"{seconds:.0f} s: {sum(sent)} Actions, {moved} tiles, {shots} shots, {deaths} tanks lost; the server lives"


CASES = {"ogar_on_panic": ogar_on_panic, "panic_dialects": panic_dialects, "panic_on_ogar": panic_on_ogar, "panic_walls": panic_walls, "panic_watches": panic_watches}
