# Cigar2, a legacy Ogar client for the browser, in Debian's Chromium, on two servers through the relay.
import collections
import math
import os
import time

from browser import Browser, Pages
from bzflag import start_bzfs
from cases.bridge import start_bridge
from cases.ogar import start_relay, start_server
from shim import Shim
from stage import Missing, check, wait_until
from websocket import spoken

MOUSE, SPAWN, SPLIT, EJECT, CHAT, OWN, CELLS, BORDER = 0x10, 0x00, 0x11, 0x15, 0x63, 0x20, 0x10, 0x40
PLAYER, PELLET = 0, 1  # kinds in the matrix's player; walls are posts of either kind, without a name; a virus would look deadly
ROUND = 30  # seconds


def told(talk):
    """The opcodes of all messages: (of the client, of the server)."""
    return [collections.Counter(payload[0] for opcode, payload in spoken(bytes(way)) if opcode == 2 and payload)
            for way in (talk.to_server, talk.to_client)]


def spawned(page, talk):
    """Presses Play until the server gives us a cell. MultiOgarII ignores a request within a second of the last one."""
    owned = told(talk)[1][OWN]
    page.page("document.getElementById('play-btn').click()")
    end = time.monotonic() + 3
    while time.monotonic() < end and told(talk)[1][OWN] == owned:
        time.sleep(0.2)
    return told(talk)[1][OWN] > owned


def play(page, talk, seconds):
    """Circles, splits, ejects, chats; presses Play again when eaten (without effect on a living player)."""
    end, step = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        angle = step / 7
        page.moves(400 + 250 * math.cos(angle), 300 + 200 * math.sin(angle))
        if step % 40 == 20:
            page.presses(" ", "Space", " ")
        if step % 40 == 30:
            page.presses("w", "KeyW", "w")
        if step % 50 == 45:
            page.page("document.getElementById('play-btn').click()")
        if step % 100 == 90:
            page.presses("Enter", "Enter", "\r")
            page.ask("Input.insertText", text=f"hallo {step}, \u00fcber")
            page.presses("Enter", "Enter", "\r")
        step += 1
        time.sleep(0.15)


def cigar2(stage):
    """The folder of Cigar2's page."""
    web = os.path.join(stage.plays or "", "cigar2", "web")
    if not os.path.exists(os.path.join(web, "index.html")):
        raise Missing("cigar2/web/index.html is not in the folder of --real")
    return web


def session(stage, web, listener_port, server):
    """Joins by that port, plays for the time there is, and leaves. Returns (the shim in front of the port, its connection, the counts of messages to
    the server and to the client)."""
    before, pages = stage.keep(Shim(listener_port)), stage.keep(Pages(web))
    page = Browser(stage, "chromium", f"http://127.0.0.1:{pages.port}/index.html?ip=127.0.0.1:{before.port}")
    wait_until(lambda: before.talks and told(before.talks[0])[1][BORDER], 30, "Cigar2 got no border")
    talk = before.talks[0]
    page.page("const nick = document.getElementById('nick'); nick.value = 'cigar'; nick.dispatchEvent(new Event('change'))")
    wait_until(lambda: spawned(page, talk), 20, "Cigar2 got no cell")
    stage.rounds(lambda: play(page, talk, ROUND))
    page.screenshot("cigar2.png")
    up, down = told(talk)
    check(up[MOUSE] > 100 and up[SPLIT] > 2 and up[EJECT] > 2 and up[CHAT] > 0, f"Cigar2 said only {dict(up)}")
    check(down[CELLS] > 100 and down[CHAT] > 0, f"Cigar2 was told only {dict(down)}")
    check(len(before.talks) == 1 and server.alive(), f"Cigar2 lost its connection: {[told(t) for t in before.talks[1:]]}")
    page.run.kill()
    return before, talk, up, down


def browser_on(stage, folder):
    web, recording = cigar2(stage), stage.path("ogar.mcap")
    server, port = start_server(stage, folder)
    behind = stage.keep(Shim(port))
    relay, listener_port = start_relay(stage, behind.port, recording)
    before, _, up, down = session(stage, web, listener_port, server)
    wait_until(lambda: same(before, behind), 10, "the messages before the relay are not those behind it")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    return (f"{up[MOUSE]} mouse moves, {up[SPLIT]} splits, {up[EJECT]} ejects, {up[CHAT]} lines, {down[CELLS]} updates; "
            f"{same(before, behind)} messages identical on both sides; {numbers['exact']} of {numbers['frames']} exact")


def same(before, behind):
    """How many messages were said, if before the relay the same as behind it; else 0."""
    left, right = ([[spoken(bytes(way)) for way in (talk.to_server, talk.to_client)] for talk in shim.talks] for shim in (before, behind))
    without_close = [[[m for m in way if m[0] != 8] for way in talk] for talk in left], [[[m for m in way if m[0] != 8] for way in talk] for talk in right]
    return sum(len(way) for talk in left for way in talk) if without_close[0] == without_close[1] else 0


def cigar2_ogarii(stage):
    """OgarII 1.3.6 and Cigar2 1.2.3 (legacy 6) in headless Chromium: move, split, eject, chat"""
    return browser_on(stage, "ogarii")


def cigar2_multiogarii(stage):
    """MultiOgarII 1.6.3 and Cigar2 1.2.3 (legacy 6) in headless Chromium: the same"""
    return browser_on(stage, "multiogarii")


def posts(seen):
    """What stands for walls, among the cells that Cigar2 sees: those of others, without a name."""
    return [cell for number, cell in list(seen.cells.items())
            if cell["type"] in (PLAYER, PELLET) and number not in seen.own and not cell.get("name")]


def cigar2_abroad(stage):
    """Cigar2 on stock bzfs across a bridge: the posts that stand for walls are smaller than its own cell, its board lists only players, and a kicked player can read the reason"""
    from arena_guests import CellGuest  # which takes cigar2() from here
    _, to_port = start_bzfs(stage, "-worldsize", "400")
    control = stage.path("control")
    bridge, port = start_bridge(stage, "ogar+ws://127.0.0.1:0", f"bzflag://127.0.0.1:{to_port}", "--control", control)
    stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{to_port}?dialect=2.4", "--count", "2", "--seconds", "120"])
    guest = CellGuest(stage, "cigar", port)

    def seen():
        guest.act((0.0, 0.0) if guest._cells.own else None, [])
        time.sleep(0.1)
        guest.shown()
        return guest._cells.own and len(posts(guest._cells)) > 20 and guest._cells.board.get("ffa")
    wait_until(seen, 60, lambda: f"no own cell, walls and board: {len(guest._cells.cells)} cells, {guest._cells.board}")
    cells = list(guest._cells.cells.items())
    own = min(cell["size"] for number, cell in cells if number in guest._cells.own)
    walls = [cell["size"] for cell in posts(guest._cells)]
    check(max(walls) < own, f"walls of {max(walls)} hide an own cell of {own}")
    strange = [row["name"] for row in guest._cells.board["ffa"] if row["name"] not in ("cigar", "bot-1", "bot-2")]
    check(not strange, f"on the board: {strange}")
    guest.screenshot()
    _, listed = stage.run("ctl", "--socket", control, "list")
    link = next(line.split()[0] for line in listed.splitlines() if "ogar" in line.split())
    began = time.monotonic()
    check(stage.run("ctl", "--socket", control, "kick", link, "too noisy here")[0] == 0, "it could not be kicked")
    wait_until(lambda: any("too noisy here" in line for line in guest.heard()), 5, "the reason was not told")
    wait_until(lambda: len(guest.shim.talks) > 1, 20, "Cigar2 did not connect again")
    stays = time.monotonic() - began
    check(stays > 3, f"the page was emptied {stays:.1f} s after the kick")
    check(bridge.alive(), "the bridge ended")
    return f"{len(walls)} posts of {max(walls)} at most beside an own cell of {own}; the reason could be read for {stays:.1f} s"


CASES = {"cigar2_abroad": cigar2_abroad, "cigar2_ogarii": cigar2_ogarii, "cigar2_multiogarii": cigar2_multiogarii}
