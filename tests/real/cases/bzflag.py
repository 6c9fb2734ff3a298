# Stock BZFlag programs through the relay. Each case returns a sentence that says what it saw.
import os
import re
import time

from bzflag import DEBIAN, GREETING, R_1_10, R_2_0, Bzadmin, Tank, frames, positions, start_bzfs
from shim import Shim, untouched
from stage import check, wait_until

KILL_WAIT = 240  # seconds that two autopilots may take to find and kill each other on a busy machine
# Few obstacles, too high to jump upon: an autopilot may drive against an obstacle for ever, or stay on its top.
WORLD = "box\nposition 60 60 0\nsize 5 5 40\nend\npyramid\nposition -60 -60 0\nsize 5 5 40\nend\n"


def between_shims(stage, server_port, recording, release=DEBIAN):
    """Builds the chain shim, relay, shim, server; returns (shim in front of the relay, shim behind it, relay)."""
    behind = stage.keep(Shim(server_port))
    relay, port = stage.relay("bzflag", release.dialect, behind.port, "--record", recording)
    return stage.keep(Shim(port)), behind, relay


def proved_untouched(before, behind):
    """Waits until both shims have the same bytes (the last ones may arrive late); returns (connections, bytes)."""
    wait_until(lambda: not isinstance(untouched(before, behind), str), 5, "bytes: " + str(untouched(before, behind)))
    return untouched(before, behind)


def chat(stage):
    """bzfs 2.4.26 and two bzadmin: join, chat both ways, private message, /quit; bytes untouched, recording exact"""
    return two_admins(stage, DEBIAN)


def two_admins(stage, release):
    bzfs, port = start_bzfs(stage, release=release)
    recording = stage.path("chat.mcap")
    before, behind, relay = between_shims(stage, port, recording, release)
    anna, bob = (Bzadmin(stage, name, before.port, release).joined() for name in ("anna", "bob"))
    anna.says("hello bob")
    bob.hears("anna", "hello bob")
    bob.says("hello anna")
    anna.hears("bob", "hello anna")
    if release is not R_1_10:  # its bzadmin knows no private message
        anna.says("/msg bob between us")
        bob.run.wait_for(r"\[anna->\] between us")
    if release is DEBIAN:  # 2.0 allows it only to operators, and 1.10 hangs
        anna.says("/playerlist")
        anna.hears(r"\[SERVER->\] anna +", "127.0.0.1")
    check(anna.quits() == 0 and bob.quits() == 0, "a bzadmin did not leave with exit code 0")
    bzfs.wait_for(r"removed.*: Disconnected", times=2)
    connections, count = proved_untouched(before, behind)
    check(connections == 2, f"{connections} connections instead of 2")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    relayed = sum(len(list(frames(talk.to_server[len(release.header):]))) + len(list(frames(talk.to_client[GREETING:])))
                  for talk in before.talks)
    check(numbers["frames"] >= relayed, f"the recording has {numbers['frames']} frames, the wire had {relayed}")
    return f"{count} bytes and {relayed} messages in {connections} connections, identical on both sides; {numbers['exact']} exact"


def quit_echo(stage):
    """bzadmin's /quit, five times: the message to itself comes back, it exits, and bzfs sees it leave"""
    bzfs, port = start_bzfs(stage)
    _, listener_port = stage.relay("bzflag", "2.4", port)
    began = time.monotonic()
    for number in range(5):
        admin = Bzadmin(stage, f"guest{number}", listener_port).joined()
        check(admin.quits() == 0, f"guest{number} did not end with exit code 0")
        bzfs.wait_for(rf"guest{number} \[\d+\] removed")
    return f"5 joins and leaves, {time.monotonic() - began:.1f} s, bzfs saw each leave"


def tanks(stage):
    """bzfs and two real bzflag 2.4.26 on autopilot under Xvfb: drive, shoot over UDP, kill; bytes untouched, recording exact"""
    return two_tanks(stage, DEBIAN)


def two_tanks(stage, release):
    with open(stage.path("few.bzw"), "w", encoding="ascii") as world:
        world.write(WORLD)
    bzfs, port = start_bzfs(stage, "-worldsize", "100", "-world", world.name, release=release)
    recording = stage.path("tanks.mcap")
    before, behind, relay = between_shims(stage, port, recording, release)
    players = [Tank(stage, name, team, before.port, release) for name, team in (("redtank", "red"), ("greentank", "green"))]
    for player in players:
        bzfs.wait_for(rf"{player.callsign} \[\d+\] has joined", 60)
    for player in players:
        player.spawn_on_autopilot()
    wait_until(lambda: played(before, behind), KILL_WAIT, "two autopilots did not move, shoot and kill")
    stage.rounds(lambda: drive_on(players) if stage.minutes else None)
    seen = played(before, behind)
    bzfs.wait_for("outbound UDP up", times=2)
    shots = [player.screenshot(player.callsign + ".png") for player in players]
    check(all(os.path.getsize(shot) > 3000 for shot in shots), "a screenshot is empty")
    kicked = re.findall(r"removed.*", bzfs.text())
    check(not kicked, f"bzfs removed a tank: {kicked}")
    check(all(player.run.alive() for player in players), "a bzflag ended")
    for player in players:
        player.run.stop()
    bzfs.wait_for(r"removed.*", times=2)
    _, count = proved_untouched(before, behind)
    datagrams = same_datagrams(before, behind)
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    check(numbers["frames"] > datagrams, "the recording lacks the datagrams")
    return f"{seen}; {count} bytes and {datagrams} datagrams identical on both sides; {numbers['exact']} of {numbers['frames']} exact"


def drive_on(players):
    """Plays on for a while; killed tanks respawn."""
    time.sleep(5)
    for player in players:
        player.spawn()


def played(before, behind):
    """A sentence once both tanks have moved and shot over UDP and one was killed; None until then."""
    updates = [[f for d in flow.to_server for f in frames(d)] for flow in behind.flows]
    fired = [sum(code == "sb" for code, _ in messages) for messages in updates]
    driven = [travel(list(positions(messages))) for messages in updates]
    kills = max((sum(code == "kl" for code, _ in frames(talk.to_client[GREETING:])) for talk in list(before.talks)), default=0)
    if len(updates) == 2 and min(fired) > 0 and min(driven) > 10 and kills > 0:
        return f"driven {driven[0]:.0f} m and {driven[1]:.0f} m, {fired[0]} and {fired[1]} shots over UDP, {kills} kills"
    return None


def travel(points):
    """Metres driven; a jump of more than 20 m is a spawn."""
    steps = [sum((a - b) ** 2 for a, b in zip(p, q)) ** 0.5 for p, q in zip(points, points[1:])]
    return sum(step for step in steps if step < 20)


def same_datagrams(before, behind):
    """Checks that each client's datagrams are the same on both sides of the relay, in both directions; returns their number."""
    left = sorted(flow.bytes() for flow in before.flows)
    right = sorted(flow.bytes() for flow in behind.flows)
    check(len(left) == len(right), f"{len(left)} UDP flows before the relay, {len(right)} behind it")
    for a, b in zip(left, right):
        for way in (0, 1):
            check(a[way] == b[way], f"the datagrams {('to the server', 'to the client')[way]} differ: {len(a[way])} before, {len(b[way])} behind")
    return sum(len(way) for flow in left for way in flow)


def chat_1_10(stage):
    """bzfs and two bzadmin 1.10.8: join, chat both ways, private message, /quit; bytes untouched, recording exact"""
    return two_admins(stage, R_1_10)


def tanks_1_10(stage):
    """bzfs and two bzflag 1.10.8 on autopilot under Xvfb: drive, shoot over UDP, kill; bytes untouched, recording exact"""
    return two_tanks(stage, R_1_10)


def chat_2_0(stage):
    """bzfs and two bzadmin 2.0.16: join, chat both ways, private message, /quit; bytes untouched, recording exact"""
    return two_admins(stage, R_2_0)


def tanks_2_0(stage):
    """bzfs and two bzflag 2.0.16 on autopilot under Xvfb: drive, shoot over UDP, kill; bytes untouched, recording exact"""
    return two_tanks(stage, R_2_0)


CASES = {"chat": chat, "quit": quit_echo, "tanks": tanks}
REAL_CASES = {"bzflag_2_0": chat_2_0, "tanks_2_0": tanks_2_0, "bzflag_1_10": chat_1_10, "tanks_1_10": tanks_1_10}
