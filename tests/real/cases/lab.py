# Stock programs through a relay with a lab, which makes faults on purpose: what they bear, and when they give up.
# proxy/manual/lab.md shows the table that these cases write to lab.tsv in their folder.
import collections
import os
import re
import time

from bzflag import Bzadmin, Tank, start_bzfs
from shim import Shim
from stage import Failed, check, wait_until

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
