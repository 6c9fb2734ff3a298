# Panic's released programs across a bridge: the server played by clients of another dialect, the client on the servers of
# other games. They lie in a folder of --real.
import re
import time

from cases_ogar import start_server as start_ogar
from cases_panic import play_to_the_win
from panic import DRIVE, HEALTH, MOVE, Game, Packed, RealClient, ScriptedPlayer, start_server
from shim import Shim
from stage import check, wait_until


def bridge(stage, to, dialect="le-padded"):
    """`entente proxy` between Panic clients of that dialect and the server of the URL; returns it and its port."""
    run = stage.start("bridge", [stage.entente, "proxy", "--listen", f"panic://127.0.0.1:0?dialect={dialect}", "--to", to])
    return run, int(run.wait_for(rf"^listening panic {dialect} 127\.0\.0\.1:(\d+)").group(1))


def panic_dialects(stage):
    """Panic's released server (le-padded) and two scripted players of the document's be-packed, a game to the win"""
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


CASES = {"panic_dialects": panic_dialects, "panic_on_ogar": panic_on_ogar}
