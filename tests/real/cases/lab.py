# Stock programs through a relay with a lab, which makes faults on purpose: what they bear, and when they give up.
# proxy/manual/lab.md shows the table that these cases write to lab.tsv in their folder.
import collections
import os
import re
import time

from arena_guests import CellGuest, SpadeGuest
from bzflag import Bzadmin, Tank, start_bzfs
from cases.arena import Arena
from shim import Shim
from stage import Failed, check, wait_until
from websocket import spoken

JOIN_WAIT = 60  # seconds that a client may take to join on a bad line
PLAY = 15       # seconds for which it is watched then
# Each is a row of the table. The first four are what a bad line of a player has.
FAULTS = ("loss=1%, delay=80ms±20ms", "loss=5%, delay=200ms±50ms", "loss=20%, reorder=20%, dup=20%", "rate=64kbit, delay=50ms", "loss=50%",
          "delay=1s", "delay=5s", "rate=8kbit", "slice=1-10", "stall=1%:2s", "at 8s cut the server for 5s",
          "corrupt one field of MsgPlayerUpdateSmall 5%", "drop MsgShotBegin 50%", "reset=2%")


def counts(stage, socket):
    """What the lab did: the route's line of `entente ctl lab`."""
    code, said = stage.run("ctl", "--socket", socket, "lab")
    check(code == 0, f"ctl lab: {said}")
    lines = [line.split("\t") for line in said.splitlines() if "\tall\t" in line]
    check(lines, f"ctl lab has no line for the route: {said}")
    done = collections.Counter()
    for fault, count in re.findall(r"(\w+)=(\d+)", lines[0][3] + " " + lines[0][4]):
        done[fault] += int(count)
    return done


def bears(stage, faults, bzfs, port):
    """One bzflag on autopilot, with these faults from the first byte on: a row of the table."""
    name = f"tank{stage.count()}"
    behind, socket = stage.keep(Shim(port)), stage.path(name + ".sock")
    relay, listener = stage.relay("bzflag", "2.4", behind.port, "--lab", faults + "; seed=7", "--control", socket, name=name + ".relay")
    player, began, joined, seen = Tank(stage, name, "red", listener), time.monotonic(), None, "does not join"
    try:
        bzfs.wait_for(rf"{name} \[\d+\] has joined", JOIN_WAIT)
        joined = time.monotonic() - began
        player.spawn_on_autopilot()
        time.sleep(PLAY)
    except Failed:
        pass
    removed = re.findall(rf"{name} \[\d+\] removed: (.*)", bzfs.text())
    updates = sum(len(flow.to_server) for flow in behind.flows)
    if joined is not None:
        seen = f"left: {removed[0].strip()}" if removed else "plays" if player.run.alive() else "its client ended"
    done = counts(stage, socket)
    check(relay.alive(), f"the relay died: {relay.tail()}")
    for program in (player.run, player.screen, relay):
        program.stop()
    wait_until(lambda: not re.search(rf"{name} \[\d+\] has joined", bzfs.text()) or re.search(rf"{name} \[\d+\] removed", bzfs.text()), 20,
               f"bzfs keeps {name}")
    made = " ".join(f"{fault}={count}" for fault, count in sorted(done.items()))
    return faults, f"{joined:.1f}" if joined is not None else "-", f"{updates / PLAY:.0f}", seen, made


def lab_bzflag(stage):
    """bzfs and a bzflag 2.4 behind a lab, with 14 kinds of faults: whether it joins, how fast, and whether it stays"""
    bzfs, port = start_bzfs(stage)
    rows = []
    with open(stage.path("lab.tsv"), "w", encoding="utf-8") as table:
        for faults in FAULTS:
            rows.append(bears(stage, faults, bzfs, port))
            table.write("\t".join(rows[-1]) + "\n")
            table.flush()
    check(all(row[3] == "plays" for row in rows[:4]), f"bzflag does not bear a bad line: {rows[:4]}")
    check(rows[-1][3] != "plays" or "reset=" not in rows[-1][4], f"it plays after a reset: {rows[-1]}")
    return f"{sum(row[3] == 'plays' for row in rows)} of {len(rows)} kinds of faults are borne"


def guest_bears(stage, faults, mode, arena, guest_of, url, to_port):
    """A real client in an arena, with these faults from the first byte on: a row of the table."""
    name = f"guest{stage.count()}"
    behind, socket = stage.keep(Shim(to_port)), stage.path(name + ".sock")
    relay = stage.start(name + ".relay", [stage.entente, "proxy", "--listen", url.format(0) + mode, "--to", url.format(behind.port),
                                          "--lab", faults + "; seed=7", "--control", socket])
    port = int(relay.wait_for(r"^listening .* 127\.0\.0\.1:(\d+)$").group(1))
    began, joined, told, seconds, seen = time.monotonic(), None, 0, PLAY, "does not join"

    def said():
        """Datagrams, or messages over WebSocket, that reached the server."""
        return sum(len(flow.to_server) for flow in behind.flows) + sum(len(spoken(bytes(talk.to_server))) for talk in behind.talks)

    guest = None
    try:
        guest = guest_of(stage, name, port)
        while time.monotonic() < began + JOIN_WAIT and joined is None and guest.run.alive() and relay.alive():
            guest.act(arena.in_play().get(name), [])
            time.sleep(0.25)
            joined = time.monotonic() - began if name in arena.in_play() else None
    except Failed:
        pass  # its window or page did not open in time
    if joined is not None:
        seconds = 50 if "for 60s" in faults else PLAY
        before, end = said(), time.monotonic() + seconds
        while time.monotonic() < end:
            guest.act(arena.in_play().get(name), [])
            time.sleep(0.25)
        told = said() - before
        ended = re.findall(r"session \d+ closed: (.*?) \(", relay.text())
        seen = f"left: {ended[-1]}" if ended and name not in arena.words().names.values() else "plays" if guest.run.alive() else "its client ended"
        if "server disconnected" in guest.run.text():  # BetterSpades, which stays on the screen
            seen = "gives up"
    done = counts(stage, socket)
    check(relay.alive(), f"the relay died: {relay.tail()}")
    if guest is not None:
        guest.run.stop()
    relay.stop()
    wait_until(lambda: name not in arena.words().names.values(), 30, f"the arena keeps {name}")
    made = " ".join(f"{fault}={count}" for fault, count in sorted(done.items()))
    return faults, f"{joined:.1f}" if joined is not None else "-", f"{told / seconds:.0f}", seen, made


def guests(stage, guest_of, game, kinds):
    """`kinds`: [(faults, what is added to the URL where the relay listens)]"""
    arena, rows = Arena(stage, "--bots", "3"), []
    with open(stage.path("lab.tsv"), "w", encoding="utf-8") as table:
        for faults, mode in kinds:
            url = {"aos": "aos://127.0.0.1:{}?dialect=0.75", "ogar": "ogar+ws://127.0.0.1:{}"}[game]
            rows.append(guest_bears(stage, faults, mode, arena, guest_of, url, arena.ports[game]))
            table.write("\t".join((*rows[-1], mode)) + "\n")
            table.flush()
    check(rows[0][3] == "plays", f"the client does not bear a good line: {rows[0]}")
    return f"{sum(row[3] == 'plays' for row in rows)} of {len(rows)} kinds of faults are borne"


BELOW = "&mode=datagrams"


def lab_betterspades(stage):
    """BetterSpades in an arena, behind a lab above and below ENet's reliability: whether it joins, how fast, and whether it stays"""
    kinds = [("delay=20ms", ""), ("below; loss=1%, delay=80ms±20ms", BELOW), ("below; loss=5%, delay=200ms±50ms", BELOW),
             ("below; loss=20%, reorder=20%, dup=20%", BELOW), ("below; loss=50%", BELOW), ("below; delay=1s", BELOW), ("below; delay=5s", BELOW),
             ("below; rate=256kbit", BELOW), ("below; at 8s cut the server for 4s", BELOW), ("below; at 8s cut the server for 60s", BELOW),
             ("above; loss=5%", ""), ("above; rate=64kbit", ""), ("above; drop chat 50%", "")]
    return guests(stage, SpadeGuest, "aos", kinds)


def lab_cigar2(stage):
    """Cigar2 in headless Chromium in an arena, behind a lab: whether it joins, how fast, and whether it stays"""
    kinds = [(faults, "") for faults in ("delay=20ms", "loss=1%, delay=80ms±20ms", "loss=20%", "rate=64kbit", "rate=16kbit", "delay=1s", "delay=5s",
                                         "stall=2%:2s", "at 12s cut the server for 5s", "reset=1%")]
    return guests(stage, CellGuest, "ogar", kinds)


def lab_while_it_runs(stage):
    """two bzadmin behind a lab that `ctl lab` puts on and takes off: chat is dropped, delayed and doubled by its name, and passes again"""
    bzfs, port = start_bzfs(stage)
    socket = stage.path("c.sock")
    _, listener = stage.relay("bzflag", "2.4", port, "--control", socket)
    anna, bob = (Bzadmin(stage, name, listener).joined() for name in ("anna", "bob"))

    def lab(faults):
        code, said = stage.run("ctl", "--socket", socket, "lab", str(listener), faults)
        check(code == 0, f"ctl lab: {said}")

    anna.says("first")
    bob.hears("anna", "first")
    lab("to_server: drop chat")
    anna.says("lost")
    wait_until(lambda: counts(stage, socket)["drop"] == 1, 10, "the lab dropped nothing")
    lab("to_client: duplicate chat")
    anna.says("twice")
    bob.run.wait_for(r"anna: twice", 10, times=2)
    lab("to_server: delay chat 2s")
    began = time.monotonic()
    anna.says("late")
    bob.hears("anna", "late")
    check(time.monotonic() - began >= 1.9, "the message was not late")
    lab("off")
    anna.says("last")
    bob.hears("anna", "last")
    check("lost" not in bob.run.text(), "a message that was dropped arrived")
    check(anna.quits() == 0 and bob.quits() == 0, "a bzadmin did not leave with exit code 0")
    check(os.path.exists(socket) and bzfs.alive(), "bzfs or the relay ended")
    return "one line dropped, one doubled, one 2 s late; before and after, all pass"


CASES = {"lab_bzflag": lab_bzflag, "lab_while_it_runs": lab_while_it_runs}
REAL_CASES = {"lab_betterspades": lab_betterspades, "lab_cigar2": lab_cigar2}
