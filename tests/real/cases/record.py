# Recording without a player, and commands to a running relay.
import re

from bzflag import Bzadmin, start_bzfs
from stage import check, wait_until


def onlooker_on_bzfs(stage):
    """Stock bzfs, two of our bots and `entente record` for 12 s: it joins as an observer, records wire, words and worlds, all exact"""
    recording = stage.path("onlooker.mcap")
    bzfs, port = start_bzfs(stage)
    server = f"bzflag://127.0.0.1:{port}?dialect=2.4"
    stage.start("bots", [stage.entente, "bot", server, "--count", "2", "--behaviour", "hunt", "--seconds", "30"])
    bzfs.wait_for(r"bot-2 \[\d+\] has joined", 20)
    onlooker = stage.start("record", [stage.entente, "record", "--from", server, recording, "--name", "olga", "--seconds", "12"])
    bzfs.wait_for(r"olga \[\d+\] has joined", 20)
    said = onlooker.wait_for(r"^recorded (\d+) frames, (\d+) words", 40)
    check(onlooker.wait() == 0, f"record did not end with exit code 0: {onlooker.tail()}")
    check(int(said.group(2)) > 100, f"two bots for 12 s are more than {said.group(2)} words")
    numbers = stage.verify(recording)
    _, lines = stage.run("inspect", recording)
    worlds = re.findall(r" world  (\d+) players (\d+) units geometry [0-9a-f]{16}", lines)
    check(len(worlds) >= 2, f"of Ready and of 10 s later, there are {worlds}")
    check(int(worlds[-1][1]) >= 2, f"the last world has {worlds[-1]}, not both bots' tanks")
    return f"{numbers['exact']} frames exact, {said.group(2)} words, worlds {worlds}"


def kick_by_ctl(stage):
    """Stock bzfs and two bzadmin, one through the relay: `entente ctl` lists and kicks this one; it exits, and the other sees it leave"""
    socket = stage.path("control.sock")
    bzfs, port = start_bzfs(stage)
    anna = Bzadmin(stage, "anna", port).joined()
    relay, listening = stage.relay("bzflag", "2.4", port, "--control", socket)
    bob = Bzadmin(stage, "bob", listening).joined()
    code, listed = stage.run("ctl", "--socket", socket, "list")
    row = listed.strip().splitlines()[-1].split("\t")
    check(code == 0 and row[1] == "bzflag 2.4" and row[3] == f"127.0.0.1:{port}", f"list says {listed!r}")
    check(int(row[5]) > 100, f"a whole join is more than {row[5]} bytes")
    code, said = stage.run("ctl", "--socket", socket, "kick", row[0], "enough")
    check(code == 0, f"kick says {said!r}")
    anna.run.wait_for(r"bob\S* left", 20)
    wait_until(lambda: not bob.run.alive(), 20, "the kicked bzadmin plays on")
    check(anna.quits() == 0, "the other bzadmin did not leave with exit code 0")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    ended = relay.wait_for(r"^served .*$").group(0)
    return f"link {row[0]} kicked after {row[5]} bytes; {ended}"


CASES = {"record_from": onlooker_on_bzfs, "ctl_kick": kick_by_ctl}
