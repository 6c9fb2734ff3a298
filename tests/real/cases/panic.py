# The released Panic server and clients through the relay, played to the win. The programs are in the folder of --real.
from panic import DRIVE, SHOOT, Game, Map, RealClient, ScriptedPlayer, folder_of, start_server
from shim import Shim, untouched
from stage import check, wait_until

AMBUSH, SOUTH = (26, 12), 3  # one tile north of the second player's three tanks, which stand in a column
SHOTS = 7                    # a Commander's power of 30 against 50, 30 and 100


def between_shims(stage, recording):
    server = start_server(stage)
    behind = stage.keep(Shim(4410))
    relay, port = stage.relay("panic", "le-padded", behind.port, "--record", recording)
    return server, behind, relay, stage.keep(Shim(port))


def play_to_the_win(stage, winner, act):
    """The first player drives its Commander to the ambush and shoots the column down; returns the number of Actions."""
    pieces = winner.pieces()
    commander = winner.of(1)[0][1][0]
    way = Map(folder_of(stage)).way(pieces[commander], AMBUSH, set(pieces.values()) - {pieces[commander]})
    for direction in way:
        act(DRIVE, direction, commander)
    for _ in range(SHOTS):
        act(SHOOT, SOUTH, commander)
    return len(way) + SHOTS


def proved(stage, before, behind, relay, recording):
    wait_until(lambda: not isinstance(untouched(before, behind), str), 5, "bytes: " + str(untouched(before, behind)))
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    return f"{untouched(before, behind)[1]} bytes identical on both sides, {numbers['exact']} of {numbers['frames']} exact"


def panic_scripted(stage):
    """Panic's released server and two scripted players (le-padded): drive and shoot until one wins"""
    recording = stage.path("panic.mcap")
    server, behind, relay, before = between_shims(stage, recording)
    first = stage.keep(ScriptedPlayer(before.port))
    wait_until(lambda: behind.talks, 10, "the relay did not connect to the server")
    second = stage.keep(ScriptedPlayer(before.port))
    wait_until(lambda: first.game.started() and second.game.started(), 20, "the game did not start")
    players = sorted((first, second), key=lambda player: player.game.of(1)[0][0])
    actions = play_to_the_win(stage, players[0].game, players[0].act)
    wait_until(lambda: players[0].game.over() == 1 and players[1].game.over() == 0, 10, "nobody was told of the win")
    check(server.alive(), "the Panic server died")
    first.kill()
    second.kill()
    return f"won after {actions} Actions; " + proved(stage, before, behind, relay, recording)


def panic_real(stage):
    """Panic's released server and two of its Python clients under Xvfb, played by key presses until one wins"""
    recording = stage.path("panic.mcap")
    server, behind, relay, before = between_shims(stage, recording)
    clients = []
    for number, name in enumerate(("red", "blue"), 1):
        clients.append(RealClient(stage, name, before.port))
        wait_until(lambda: len(behind.talks) >= number, 10, "the relay did not connect to the server")
    games = [Game(lambda talk=talk: bytes(talk.to_client)) for talk in before.talks]
    wait_until(lambda: all(game.started() for game in games), 20, "the game did not start")
    first = 0 if games[0].of(1)[0][0] == 1 else 1
    clients[first].focus()
    actions = play_to_the_win(stage, games[first], lambda action, direction, _: clients[first].act(games[first], action, direction))
    wait_until(lambda: games[first].over() == 1 and games[1 - first].over() == 0, 10, "nobody was told of the win")
    for client in clients:
        client.screenshot()
        check(client.run.alive(), f"{client.name} ended: {client.run.tail()}")
    check(server.alive(), "the Panic server died")
    for client in clients:
        client.run.kill()
    return f"won after {actions} key presses; " + proved(stage, before, behind, relay, recording)


CASES = {"panic": panic_scripted, "panic_client": panic_real}
