# The versions of Ogar across a bridge: a legacy client in a browser on a modern-only server, a modern player on legacy
# servers, and scripted players of every version.
# Invariant: the matrix's codec reads a cell's places from both connections; they must be the same.
import os
import sys
import time

from cases.bridge import end, start_bridge
from cases.cigar2 import CELLS, CHAT, EJECT, MOUSE, OWN, SPLIT, cigar2, session
from cases.ogar import Player, start_server
from shim import Shim
from stage import check, wait_until
from websocket import spoken

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from ogar import Client  # noqa: E402
from ogar_speech import speech  # noqa: E402
from player import Unseen, apart  # noqa: E402


def own_places(talk, dialect):
    """The places (x, y) of own cells, in the order in which they were received; whole numbers of the server's map."""
    speaks, own, places = speech(dialect), set(), []
    for opcode, payload in spoken(bytes(talk.to_client)):
        for _, parts in speaks.told(payload) if opcode == 2 else []:
            own |= {cell["id"] for cell in parts.get("added", []) if cell["flags"] & 1}
            places += [(round(cell["x"]), round(cell["y"])) for cell in parts.get("added", []) + parts.get("updated", [])
                       if cell["id"] in own and "x" in cell]
    return places


def middle(talk, dialect):
    """The middle of the last map on this connection; the map that we send is always centred on 0 0."""
    speaks, border = speech(dialect), None
    for opcode, payload in spoken(bytes(talk.to_client)):
        for _, parts in speaks.told(payload) if opcode == 2 else []:
            border = parts.get("border", border)
    return (border["left"] + border["right"]) / 2, (border["top"] + border["bottom"]) / 2


def same_places(front, back, client, server):
    """How many of the places that our client received are places of its cells that the server sent, up to a rounding error of one unit."""
    fx, fy = middle(front, client)
    bx, by = middle(back, server)
    true = {(round(x - bx), round(y - by)) for x, y in own_places(back, server)}
    near = {(x + dx, y + dy) for x, y in true for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    seen = [(round(x - fx), round(y - fy)) for x, y in own_places(front, client)]
    return sum(place in near for place in seen), len(seen), len(true)


def wished(talk, dialect):
    """What a client sent: (mouse places, splits, ejects, lines)."""
    speaks, mice, counts = speech(dialect), set(), [0, 0, 0]
    for opcode, payload in spoken(bytes(talk.to_server)):
        for name, wish in speaks.heard(payload) if opcode == 2 else []:
            if name == "Update":
                mice.add((wish["mouse_x"], wish["mouse_y"]))
                counts = [counts[0] + wish["splits"], counts[1] + bool(wish["flags"] & 16), counts[2] + len(wish.get("chat", []))]
    return (len(mice), *counts)


def cigar2_on_modern3(stage):
    """Cigar2 1.2.3 (legacy 6) in headless Chromium, across a bridge to OgarII by modern3: moves, splits, ejects, chats; its cells are at OgarII's places"""
    web = cigar2(stage)
    server, port = start_server(stage, "ogarii")
    recording, behind = stage.path("bridge.mcap"), stage.keep(Shim(port))
    bridge, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0", f"ogar+ws://127.0.0.1:{behind.port}?dialect=modern3", "--record", recording)
    _, talk, up, down = session(stage, web, listening, server)
    check(down[OWN] > 0 and down[0xFE] > 1, f"Cigar2 was told only {dict(down)}")
    wait_until(lambda: bridge.text().count("left") > 0, 10, "the bridge did not see it leave")
    mice, splits, ejects, lines = wished(behind.talks[-1], "modern3")
    check(mice > 30 and splits > 2 and ejects > 2 and lines > 0, f"OgarII was told {mice} places, {splits} splits, {ejects} ejects, {lines} lines")
    right, seen, true = same_places(talk, behind.talks[-1], "legacy6", "modern3")
    check(seen > 100 and right > 0.99 * seen, f"of {seen} places of own cells {right} are OgarII's, which told {true}")
    return (f"{up[MOUSE]} mouse moves, {splits} of {up[SPLIT]} splits, {ejects} of {up[EJECT]} ejects, {lines} of {up[CHAT]} lines, {down[CELLS]} pictures, "
            f"{right} of {seen} places OgarII's; {end(stage, bridge, recording)}")


def modern_on(stage, folder, dialects):
    """A player of modern3 on that server, once by each of these dialects: joins, moves, splits or ejects, chats, leaves."""
    server, port = start_server(stage, folder)
    seen = []
    for dialect in dialects:
        behind, recording = stage.keep(Shim(port)), stage.path(dialect + ".mcap")
        bridge, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0?dialect=modern3",
                                         f"ogar+ws://127.0.0.1:{behind.port}?dialect={dialect}", "--record", recording)
        before = stage.keep(Shim(listening))
        player = stage.keep(Client(before.port, "anna"))
        player.join()
        start = player.here()
        far = 40 if start[0] < 0 else -40
        try:
            player.go_to((start[0] + far, start[1]), 10)
        except Unseen:
            pass  # eaten on the way
        player.wait(lambda: player.cells, 5, "no cells")
        check(player.where() is None or apart(player.here(), start) > 3, f"{dialect}: still at {start}")
        player._act(16, splits=1)
        time.sleep(2.2)  # MultiOgarII's pause between lines
        line = "hallo" if folder == "multiogarii" else "h\u00e4llo"  # MultiOgarII passes only ASCII
        player.say(line)
        player.wait(lambda: any(said.text == line and said.sender == "anna" for said in player.heard), 8, f"{dialect}: not heard")
        player.wait(player.lag, 12, f"{dialect}: no world info")
        check(player.board, f"{dialect}: no board")
        player.leave()
        wait_until(lambda: bridge.text().count("left") > 0, 10, "the bridge did not see it leave")
        right, shown, true = same_places(before.talks[0], behind.talks[0], "modern3", dialect)
        check(shown >= 10 and right > 0.99 * shown, f"{dialect}: of {shown} places of own cells {right} are the server's, which told {true}")
        end(stage, bridge, recording)
        seen.append(f"{dialect} {right} of {shown} places")
    check(server.alive(), f"{folder} died: {server.tail()}")
    return ", ".join(seen)


def modern_on_ogarii(stage):
    """A player of modern3, across a bridge to OgarII by legacy 4, 5, 6, 11, 14, 21 and 22: joins, moves, splits, chats, asks for the number of players"""
    return modern_on(stage, "ogarii", [f"legacy{version}" for version in (4, 5, 6, 11, 14, 21, 22)])


def modern_on_multiogarii(stage):
    """A player of modern3, across a bridge to MultiOgarII, which has no modern protocol, by legacy 4, 5, 6, 11, 14 and 18: the same"""
    return modern_on(stage, "multiogarii", [f"legacy{version}" for version in (4, 5, 6, 11, 14, 18)])


def every_version_on(stage, folder, dialect):
    """Scripted players of modern3 and legacy 4 to 22, one after another, through one port."""
    server, port = start_server(stage, folder)
    recording = stage.path("bridge.mcap")
    bridge, listening = start_bridge(stage, "ogar+ws://127.0.0.1:0", f"ogar+ws://127.0.0.1:{port}?dialect={dialect}", "--record", recording)
    for version in (3, *range(4, 23)):
        player = Player(listening, version)
        lively = player.play_modern() if version == 3 else player.play_legacy()
        check(lively, f"version {version}: heard only {dict(player.heard)}")
        player.socket.kill()
    check(server.alive(), f"{folder} died: {server.tail()}")
    return "20 dialects through one port; " + end(stage, bridge, recording)


def versions_on_ogarii(stage):
    """Scripted players of modern3 and legacy 4 to 22, through one port of a bridge to OgarII by modern3"""
    return every_version_on(stage, "ogarii", "modern3")


def versions_on_multiogarii(stage):
    """Scripted players of modern3 and legacy 4 to 22, through one port of a bridge to MultiOgarII by legacy 6"""
    return every_version_on(stage, "multiogarii", "legacy6")


REAL_CASES = {"cigar2_on_modern3": cigar2_on_modern3, "modern_on_ogarii": modern_on_ogarii, "modern_on_multiogarii": modern_on_multiogarii,
              "versions_on_ogarii": versions_on_ogarii, "versions_on_multiogarii": versions_on_multiogarii}
