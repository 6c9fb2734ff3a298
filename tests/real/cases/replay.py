# Replays a recorded session with `entente replay` to stock programs and scripted clients.
# Invariant: what each of them saw is read from its own bytes, not from our recording or log.
import collections
import json
import os
import re
import socket
import threading
import time

from bzflag import DEBIAN, GREETING, Bzadmin, Tank, frames, start_bzfs
from panic import DESTROY, MOVE, ScriptedPlayer
from shim import Shim
from stage import check, free_port, wait_until

UPDATES = {"pu", "ps"}
PLAYER_AT, PLACE_AT = 4, 11  # offsets in a player's update


class Watcher:
    """A client of native's JSON dialect by TCP that only watches."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.facts = []
        threading.Thread(target=self._listen, daemon=True).start()
        self.socket.sendall(b'{"enter":{"name":"watcher"}}\n')

    def _listen(self):
        try:
            for line in self.socket.makefile("rb"):
                self.facts.append(json.loads(line))
        except OSError:
            pass

    def of(self, kind, since=0):
        """The facts of a kind, without the first `since` facts."""
        return [fact[kind] for fact in self.facts[since:] if kind in fact]

    def moved(self, since=0):
        """The units that were at more than two places."""
        places = collections.defaultdict(set)
        for pose in self.of("pose", since):
            places[pose.get("unit")].add((round(pose.get("x", 0)), round(pose.get("y", 0))))
        return {unit for unit, seen in places.items() if len(seen) > 2}

    def kill(self):
        self.socket.close()


def moved_tanks(talks, flows=()):
    """The BZFlag players that were at more than two places, by the messages that a server sent to one client."""
    told = [frame for talk in talks for frame in frames(talk.bytes()[1][GREETING:])]
    told += [frame for flow in flows for datagram in flow.bytes()[1] for frame in frames(datagram)]
    places = collections.defaultdict(set)
    for code, body in told:
        if code in UPDATES and len(body) > PLACE_AT + 6:
            places[body[PLAYER_AT]].add(body[PLACE_AT:PLACE_AT + (12 if code == "pu" else 6)])
    return {player for player, seen in places.items() if len(seen) > 2}


def record_bots(stage, seconds):
    """Two bots hunt each other on a bzfs; each is a session of the recording."""
    recording = stage.path("bots.mcap")
    _, port = start_bzfs(stage)
    bots = stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{port}?dialect=2.4", "--count", "2",
                                "--behaviour", "hunt", "--seconds", str(seconds), "--record", recording])
    bots.wait_for(r"^bots 2 of 2 were let in, 0 refused or kicked", seconds + 30)
    check(bots.wait() == 0, f"the bots did not end with exit code 0: {bots.tail()}")
    return recording


def first_link(stage, recording):
    """Checks that a replay of a session that is not in the recording fails and lists those that are; returns the first of them."""
    code, said = stage.run("replay", recording, "--link", "99", "--listen", "native://127.0.0.1:0")
    links = re.findall(r"^  link (\d+)  .*player 'bot-\d'.*$", said, re.MULTILINE)
    check(code == 1 and len(links) == 2, f"two sessions should have been listed: {said}")
    return links[0]


def start_replay(stage, *dialects):
    """Replays the first session of two bots on a bzfs in a loop; returns the replay with a port for each dialect."""
    recording = record_bots(stage, 12)
    urls = [f"{dialect.replace(' ', '://127.0.0.1:0?dialect=')}" for dialect in dialects]
    replay = stage.start("replay", [stage.entente, "replay", recording, "--link", first_link(stage, recording), "--loop",
                                    "--control", stage.path("control"),
                                    *[word for url in urls for word in ("--listen", url)]])
    return replay, *(int(replay.wait_for(rf"^listening {re.escape(dialect)} 127\.0\.0\.1:(\d+)$").group(1)) for dialect in dialects)


def end(replay):
    check(replay.stop() == 0, f"the replay did not end with exit code 0: {replay.tail()}")


def seek_about(stage):
    """Seeks several times to the beginning, where no player is in play yet, and to the end, where both are."""
    for order in ("seek 0", "seek 11", "pause", "seek 0", "resume", "seek 11") * 3:
        code, said = stage.run("ctl", "--socket", stage.path("control"), *order.split())
        check(code == 0, f"{order} was refused: {said}")
        time.sleep(0.2)


def replay_of_bzfs(stage):
    """Two bots on stock bzfs, recorded; replayed to stock bzadmin, a scripted Panic client and a native one: each sees them drive, and no seek shows a death"""
    replay, bzflag, panic, native = start_replay(stage, "bzflag 2.4", "panic le-padded", "native json")
    shim = stage.keep(Shim(bzflag))
    admin = Bzadmin(stage, "anna", shim.port)
    admin.run.wait_for(r"'anna' joined the game as Observer", 15)
    player = stage.keep(ScriptedPlayer(panic))
    watcher = stage.keep(Watcher(native))

    wait_until(lambda: len(watcher.moved()) >= 2, 30, f"the native client saw no two tanks move: {replay.tail()}")
    wait_until(lambda: len(moved_tanks(shim.talks)) >= 2, 30, f"bzadmin was not told of two that moved: {replay.tail()}")
    wait_until(lambda: len({event[2] for event in player.game.of(MOVE)}) >= 2, 30, f"the Panic client saw no two tanks move: {replay.tail()}")
    check(set(player.game.of(1)[0][1]) <= {event[2] for event in player.game.of(DESTROY)}, "who only watches has a tank")
    admin.says("do you see it?")
    wait_until(lambda: any(said.get("text") == "do you see it?" for said in watcher.of("said")), 10, "who watches cannot talk")
    watcher.socket.sendall(b'{"spawn":{}}\n')
    wait_until(lambda: watcher.of("claimRefused") or watcher.of("claim_refused"), 10, "a wish to play was not refused")
    seek_about(stage)
    time.sleep(3)  # past the end, and on from the beginning
    unknown = [line for line in admin.run.text().splitlines() if "<unknown>" in line]
    check(not unknown, f"bzadmin was told of deaths that nobody died: {unknown[:3]}")
    invented, retold = [], False
    for fact in list(watcher.facts):
        if "clock" in fact:
            retold = bool(fact["clock"].get("paused")) and not fact["clock"].get("speed")
        elif retold and ("died" in fact or "spawned" in fact):
            invented.append(fact)
    check(not invented, f"the native client was told of events by a seek: {invented[:3]}")
    check(admin.quits() == 0, "bzadmin did not leave with exit code 0")
    end(replay)
    return f"seen to move: by bzadmin {len(moved_tanks(shim.talks))}, by native {len(watcher.moved())}; " \
           f"{len(player.game.of(MOVE))} Moves to Panic"


def replay_to_bzflag(stage):
    """The same to stock bzflag, as an observer: it sees them drive, and does not crash"""
    replay, bzflag = start_replay(stage, "bzflag 2.4")
    shim = stage.keep(Shim(bzflag))
    tank = Tank(stage, "ben", "observer", shim.port)
    wait_until(lambda: len(moved_tanks(shim.talks, shim.flows)) >= 2, 60, f"bzflag was not told of two that moved: {replay.tail()}")
    time.sleep(15)  # past the recording's end, and into its beginning again
    check(tank.run.alive(), f"bzflag died: {tank.run.tail()}")
    tank.screenshot("replay.png")
    end(replay)
    return f"seen to move: {len(moved_tanks(shim.talks, shim.flows))}"


def start_stock_replay(stage, folder):
    """A stock bzfs that replays the recordings of a folder; returns its port."""
    port = free_port()
    bzfs = stage.start("player", ["stdbuf", "-oL", DEBIAN.program(stage, "bzfs"), "-replay", "-recdir", folder, "-passwd", "secret",
                                  "-i", "127.0.0.1", "-p", str(port), "-q", *DEBIAN.server])
    bzfs.wait_for(r"listening on 127\.0\.0\.1")
    return port


def operator(stage, name, port):
    admin = Bzadmin(stage, name, port).joined()
    admin.says("/password secret")
    admin.run.wait_for(r"You are now an administrator!", 10)
    return admin


def seen_in_game(admin):
    """The lines of chat and kills that a bzadmin printed, in order."""
    return [line.strip() for line in admin.run.text().splitlines() if re.match(r"\s*(anna|bob): |\*\*\* .*destroyed by", line)]


def record_evening(stage):
    """Records, with a relay, stock bzfs with two bzadmin that chat and two bots that fight; returns the recording and what a bzadmin saw."""
    _, port = start_bzfs(stage)
    recording = stage.path("evening.mcap")
    relay, relayed = stage.relay("bzflag", "2.4", port, "--record", recording)
    anna, bob = (Bzadmin(stage, name, relayed).joined() for name in ("anna", "bob"))
    bots = stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{relayed}?dialect=2.4", "--count", "2",
                                "--behaviour", "hunt", "--seconds", "60"])
    anna.run.wait_for(r"'bot-\d' joined", 20, times=2)
    anna.says("hello bob")
    bob.hears("anna", "hello bob")
    anna.run.wait_for(r"'bot-\d' destroyed by 'bot-\d'", 55)
    bob.says("goodbye anna")
    anna.hears("bob", "goodbye anna")
    live = seen_in_game(anna)
    check(anna.quits() == 0 and bob.quits() == 0, "a bzadmin did not leave with exit code 0")
    check(bots.wait(90) == 0, f"the bots did not end with exit code 0: {bots.tail()}")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    return recording, live


def loaded_by_bzfs(stage, recording):
    """A bzadmin on a stock bzfs that has loaded the recording, converted to .rec."""
    folder = stage.path("recordings")
    os.mkdir(folder)
    code, said = stage.run("convert", recording, "--to", os.path.join(folder, "evening.rec"))
    check(code == 0, f"no .rec was made: {said}")
    stock = start_stock_replay(stage, folder)
    loader = operator(stage, "loader", stock)
    loader.says("/replay list")
    loader.run.wait_for(r"#01: +evening\.rec +\[ *\d+\.\d seconds\]", 10)
    loader.says("/replay load evening.rec")
    loader.run.wait_for(r"Loaded file: .*evening\.rec", 10)
    try:
        check(loader.quits() == 0, "bzadmin did not leave with exit code 0")
    except BrokenPipeError:  # bzfs has disconnected it, because the recording has another world
        loader.run.wait(15)
    return operator(stage, "viewer", stock)


def rec_on_bzfs(stage):
    """A relay's recording of stock bzfs with two bzadmin and two bots, converted to .rec: a stock bzfs lists, loads and plays it, and a stock bzadmin sees the same chat and kills in the same order"""
    recording, live = record_evening(stage)
    viewer = loaded_by_bzfs(stage, recording)
    viewer.says("/replay play")
    wait_until(lambda: "goodbye anna" in viewer.run.text(), 60, f"the viewer did not see the end: {viewer.run.tail()}")
    viewed = seen_in_game(viewer)
    viewed = viewed[:viewed.index(live[-1]) + 1]
    check(viewed == live, f"live {live}, replayed {viewed}")
    check(viewer.quits() == 0, "bzadmin did not leave with exit code 0")
    return f"{len(live)} lines of chat and kills, the same live and replayed"


def redacted(stage):
    """The same recording, redacted: stock bzfs plays its .rec, stock bzflag and bzadmin watch its replay; each sees tanks drive and kill, but no original name or line of chat"""
    recording, live = record_evening(stage)
    kills = sum("destroyed by" in line for line in live)
    copy = stage.path("report.mcap")
    code, said = stage.run("redact", recording, "-o", copy)
    check(code == 0, f"no copy was made: {said}")
    stage.verify(copy)
    kill = r"'player\d' destroyed by 'player\d'"

    stock = loaded_by_bzfs(stage, copy)
    stock.says("/replay play")
    stock.run.wait_for(kill, 60, times=kills)
    replay = stage.start("replay", [stage.entente, "replay", copy, "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--loop"])
    port = int(replay.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)$").group(1))
    shim = stage.keep(Shim(port))
    tank, viewer = Tank(stage, "ben", "observer", shim.port), Bzadmin(stage, "carl", port)
    viewer.run.wait_for(kill, 90, times=kills)
    wait_until(lambda: len(moved_tanks(shim.talks, shim.flows)) >= 2, 60, f"bzflag was not told of two that moved: {replay.tail()}")
    check(tank.run.alive(), f"bzflag died: {tank.run.tail()}")
    tank.screenshot("redacted.png")
    for name, text in (("bzfs", stock.run.text()), ("the replay", viewer.run.text()), ("bzflag", tank.run.text())):
        told = re.findall(r"anna|bob|bot-\d|hello|goodbye", text)
        check(not told, f"{name} told of {told[:3]}")
    check(viewer.quits() == 0 and stock.quits() == 0, "a bzadmin did not leave with exit code 0")
    end(replay)
    return f"{kills} kills each, by bzfs and by the replay; {len(moved_tanks(shim.talks, shim.flows))} tanks seen to move by bzflag"


CASES = {"replay": replay_of_bzfs, "replay_bzflag": replay_to_bzflag, "rec_on_bzfs": rec_on_bzfs, "redacted": redacted}
