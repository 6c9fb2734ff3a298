# Judges players of real programs, who do not cheat.
import json
import os
import time

from bzflag import Tank, start_bzfs
from cases.bzflag import KILL_WAIT, WORLD
from cases.stats import kills_of
from stage import check, wait_until

ROBOTS = 2  # of each client


def autopilots(stage):
    """bzfs and two real bzflag 2.4.26 on autopilot under Xvfb, each with two robots, through the relay: the checks of config/rules report nobody"""
    with open(stage.path("few.bzw"), "w", encoding="ascii") as world:
        world.write(WORLD)
    bzfs, port = start_bzfs(stage, "-worldsize", "200", "-world", world.name, "-printscore")
    recording = stage.path("autopilots.mcap")
    relay, listener_port = stage.relay("bzflag", "2.4", port, "--record", recording)
    players = [Tank(stage, name, team, listener_port, options=("-solo", str(ROBOTS)))
               for name, team in (("redtank", "red"), ("greentank", "green"))]
    for player in players:
        bzfs.wait_for(rf"{player.callsign} \[\d+\] has joined", 60)
    for player in players:
        player.spawn_on_autopilot()
    wait_until(lambda: kills_of(bzfs.text()) > 2, KILL_WAIT, "the tanks do not kill each other")

    def drive_on():
        time.sleep(5)
        for player in players:
            player.spawn()
    stage.rounds(drive_on)
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    code, said = stage.run("judge", os.path.join(os.path.dirname(__file__), "../../../config/rules"), recording, "--json", seconds=300)
    check(code == 0, said)
    reports = json.loads(said[said.index("["):])
    check(not reports, f"reported: {reports}")
    return f"{kills_of(bzfs.text())} kills, and no report"


CASES = {"autopilots": autopilots}
