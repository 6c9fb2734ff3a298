# Stock clients watch the recording of a fight, while they and another viewer seek.
# Invariant: a client receives no kill, chat or shot that did not happen at that moment; this is read from its connection.
import re
import time

from aos import BetterSpades
from aos_eyes import Eyes as SpadeEyes
from aos_player import JOIN
from arena_guests import CellGuest
from bzflag import GREETING, Tank, frames
from cases.replay import Watcher
from panic import DESTROY, HEALTH, MOVE, OVER, Game, RealClient
from shim import Shim
from stage import check, wait_until

LINE = "what a shot"
AT = 5  # seconds: the moment at which the replay begins, paused
SETTLES = 1.0  # seconds in which everything sent by a seek arrives, even on a busy machine
STANDS = 4.0  # seconds without a change; Panic's tanks go to their places tile by tile


class Fight:
    """An arena of bots, recorded until six have died; a watcher chats in it. `kills`: (victim, killer) by name; `far`: a second near the end."""

    def __init__(self, stage):
        self.stage, self.recording = stage, stage.path("fight.mcap")
        arena = stage.start("arena", [stage.entente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--side", "100", "--bots", "6",
                                      "--respawn-ms", "1000", "--record", self.recording])
        watcher = stage.keep(Watcher(int(arena.wait_for(r"^listening native .*127\.0\.0\.1:(\d+)$").group(1))))
        began = time.monotonic()
        wait_until(lambda: watcher.of("died"), 60, "nobody died")
        watcher.socket.sendall(b'{"say":{"text":"%s"}}\n' % LINE.encode())
        wait_until(lambda: len(watcher.of("died")) >= 6 and time.monotonic() > began + 3 * AT, 90, "fewer than six died")
        check(arena.stop(20) == 0, "the arena did not end with exit code 0")
        names = {player["id"]: player.get("name", "") for player in watcher.of("player")}
        self.kills = {(names.get(died.get("player")), names.get(died.get("killer"))) for died in watcher.of("died")}

    def replay(self, url, other=True):
        """Starts a replay in a loop, paused at AT, with another viewer if `other`; returns the replay and its port."""
        self.control = self.stage.path("control")
        run = self.stage.start("replay", [self.stage.entente, "replay", self.recording, "--listen", url, "--listen", "native://127.0.0.1:0?dialect=json",
                                          "--at", str(AT), "--paused", "--loop", "--control", self.control])
        port, native = (int(run.wait_for(rf"^listening {game} .*127\.0\.0\.1:(\d+)$").group(1)) for game in (url.split(":")[0].split("+")[0], "native"))
        if not other:
            return run, port
        self.other = self.stage.keep(Watcher(native))
        clock = wait_until(lambda: self.other.of("clock"), 20, f"the other viewer was told no time: {run.tail()}")[0]
        self.far = int(clock["length_us"]) // 1_000_000 - 2  # seconds
        return run, port

    def orders(self, order):
        code, said = self.stage.run("ctl", "--socket", self.control, *order.split())
        check(code == 0, f"{order} was refused: {said}")
        time.sleep(SETTLES)

    def other_seeks(self, seconds):
        self.other.socket.sendall(b'{"say":{"text":"/seek %d"}}\n' % seconds)


class TankViewer:
    """Stock bzflag, an observer."""
    URL = "bzflag://127.0.0.1:0?dialect=2.4"

    def __init__(self, stage, port):
        self.shim = stage.keep(Shim(port))
        self.tank = Tank(stage, "viewer", "observer", self.shim.port)
        self.run, self._focused = self.tank.run, False

    def told(self):
        told = [frame for talk in self.shim.talks[:1] for frame in frames(bytes(talk.to_client[GREETING:]))]
        return told + [frame for flow in list(self.shim.flows) for datagram in list(flow.to_client) for frame in frames(datagram)]

    def sees(self):
        return sum(code in ("pu", "ps") for code, _ in self.told()) > 5

    def says(self, line):
        if not self._focused:
            window = wait_until(lambda: self.tank._xdotool("search", "--onlyvisible", "--name", "[Bb][Zz][Ff]lag").split(), 30, "bzflag opened no window")[-1]
            self.tank._xdotool("windowfocus", window)
            self._focused = True
        self.tank._xdotool("key", "n")
        time.sleep(0.5)
        self.tank._xdotool("type", "--delay", "80", line)
        self.tank._xdotool("key", "Return")

    def heard(self):
        return [body[3:].split(b"\0")[0].decode("utf-8", "replace") for code, body in self.told() if code == "mg"]

    def kills(self):
        names, kills = {}, []
        for code, body in self.told():
            if code == "ap":
                names[body[0]] = body[11:43].split(b"\0")[0].decode("latin-1")
            elif code == "kl":
                kills.append((names.get(body[0]), names.get(body[1])))
        return kills

    def shots(self):
        return sum(code == "sb" for code, _ in self.told())

    def screenshot(self, name):
        return self.tank.screenshot(name)


class SpadeViewer:
    """BetterSpades. It chooses a team, but only watches."""
    URL = "aos://127.0.0.1:0?dialect=0.75"

    def __init__(self, stage, port):
        self.shim = stage.keep(Shim(port))
        self.eyes = stage.keep(SpadeEyes(self.shim))
        self.client = BetterSpades(stage, self.shim.port, "viewer")
        self.run = self.client.run

    def sees(self):
        if not self.eyes.said[JOIN]:
            self.client.keys("1")
            time.sleep(1)
        return self.eyes.said[JOIN] and len(self.eyes.places) >= 2

    def says(self, line):
        self.client.says(line)

    def heard(self):
        return list(self.eyes.chats)

    def kills(self):
        return [(victim, killer) for _, victim, killer in self.eyes.killed] + [("viewer", killer) for _, killer in self.eyes.died]

    def shots(self):
        return 0  # a shot is a pressed trigger, which a seek does not change

    def screenshot(self, name):
        return self.client.screenshot(name)


class CellViewer:
    """Cigar2."""
    URL = "ogar+ws://127.0.0.1:0"

    def __init__(self, stage, port):
        self.guest = CellGuest(stage, "viewer", port)
        self.run = self.guest.run

    def sees(self):
        self.guest.act(None, [])
        time.sleep(0.2)
        return len(self.guest.shown()) >= 2

    def says(self, line):
        self.guest.page.presses("Enter", "Enter", "\r")
        self.guest.page.ask("Input.insertText", text=line)
        self.guest.page.presses("Enter", "Enter", "\r")

    def heard(self):
        return self.guest.heard()

    def kills(self):
        self.guest.shown()
        return [(death.victim, death.killer) for death in self.guest._cells.deaths]

    def shots(self):
        return 0  # a shot in flight is a cell, shown at its place

    def screenshot(self, name):
        return self.guest.page.screenshot(name)


def watches_a_fight(stage, viewer_of):
    """While paused, the viewer and others seek: no event may be shown. Then the replay plays across its end: the viewer sees only kills that happened."""
    fight = Fight(stage)
    replay, port = fight.replay(viewer_of.URL)
    viewer = viewer_of(stage, port)
    wait_until(viewer.sees, 90, f"it was shown nobody: {replay.tail()} {viewer.run.tail()}")

    def quiet(after):
        check(viewer.run.alive(), f"the client ended after {after}: {viewer.run.tail()}")
        check(not viewer.kills(), f"kills after {after}: {viewer.kills()[:3]}")
        check(LINE not in viewer.heard(), f"chat after {after}")
        check(viewer.shots() == 0, f"{viewer.shots()} shots after {after}")

    def asks(line, answer):
        heard = len(viewer.heard())
        viewer.says(line)
        wait_until(lambda: any(answer in text for text in viewer.heard()[heard:]), 20, lambda: f"no answer to {line}: {viewer.heard()[heard:]}")
        time.sleep(SETTLES)
        quiet(line)

    quiet("joining late")
    far = fight.far
    for _ in range(2):
        asks("/seek 1", "0:01 of")
        asks(f"/seek {far}", f"0:{far:02d} of")
        fight.other_seeks(2)
        for order in (f"seek {far - 1}", "seek 0", f"seek {far}"):
            fight.orders(order)
            quiet(order)
        asks("/previous", "paused")
    viewer.screenshot("paused.png")

    asks(f"/seek {far}", f"0:{far:02d} of")
    heard = len(viewer.heard())
    viewer.says("/play")
    wait_until(lambda: len(viewer.heard()) > heard, 20, "no answer to /play")
    wait_until(viewer.kills, 60, "no kill was told while it played")
    time.sleep(6)  # across the end
    strange = [kill for kill in viewer.kills() if kill[0] not in {victim for victim, _ in fight.kills} or (kill[1] and kill not in fight.kills)]
    check(not strange, f"kills that did not happen: {strange[:3]}, of {fight.kills}")
    viewer.screenshot("played.png")
    check(viewer.run.alive(), f"the client ended: {viewer.run.tail()}")
    check(replay.stop() == 0, "the replay did not end with exit code 0")
    return f"8 seeks of its own and 6 orders, paused: no kill, chat or shot; {len(viewer.kills())} kills as it played over the end, of {len(fight.kills)} that happened"


def seek_bzflag(stage):
    """Stock bzflag watches a replay of an arena: it joins late, seeks by chat, is moved by seeks of `entente ctl`, and plays across the end; it receives only events that happened"""
    return watches_a_fight(stage, TankViewer)


def seek_aos(stage):
    """BetterSpades under Xvfb: the same"""
    return watches_a_fight(stage, SpadeViewer)


def seek_cigar2(stage):
    """Cigar2 in headless Chromium: the same"""
    return watches_a_fight(stage, CellViewer)


def alike(some, others):
    """Whether the places are the same or neighbours: a tank at the edge of a tile is shown on the tile that it came from."""
    left = list(others)
    for place in some:
        near = next((other for other in left if max(abs(place[0] - other[0]), abs(place[1] - other[1])) <= 1), None)
        if near is None:
            return False
        left.remove(near)
    return not left


def seek_panic(stage):
    """Panic's released client watches the same, paused, while `entente ctl` seeks: at each moment, it shows the same tanks at the same places every time"""
    fight = Fight(stage)
    replay, port = fight.replay("panic://127.0.0.1:0?dialect=le-padded")
    shim = stage.keep(Shim(port))
    client = RealClient(stage, "viewer", shim.port)
    wait_until(lambda: shim.talks, 10, "the client did not connect")
    game = Game(lambda: bytes(shim.talks[0].to_client))
    wait_until(game.started, 60, f"the client saw no start: {replay.tail()}")

    def tanks():
        """The places of the tanks that are not destroyed. A destroyed tank may come back as a new piece."""
        places = {}
        for kind, fields in game.told():
            if 16 <= kind < 32:
                places[fields[1]] = fields[2:4]
            elif kind == DESTROY:
                places.pop(fields[2], None)
            elif kind == MOVE and fields[2] in places and fields[1]:
                step = {1: (0, -1), 2: (1, 0), 3: (0, 1), 4: (-1, 0)}[fields[0]]
                places[fields[2]] = tuple(a + fields[1] * b for a, b in zip(places[fields[2]], step))
        return sorted(tuple(place) for place in places.values())

    def stands():
        before = tanks()
        time.sleep(STANDS)
        return tanks() == before

    far, seen = fight.far, {}
    for at in (far, 1, far, 3, far, 1, 3):
        said = len(shim.talks[0].to_client)
        fight.orders(f"seek {at}")
        wait_until(lambda: len(shim.talks[0].to_client) > said, 60, f"nothing was told of a seek to {at} s")
        wait_until(stands, 60, f"paused at {at} s, tanks move on")
        check(alike(seen.setdefault(at, tanks()), tanks()), f"at {at} s: {seen[at]} first, now {tanks()}")
        check(game.over() is None, f"the game was over after a seek to {at} s")
        check(client.run.alive(), f"the client ended: {client.run.tail(8)}")
    client.screenshot()
    check(any(seen.values()) and seen[far] != seen[1], f"the same everywhere: {seen}")
    check(not shim.talks[0].to_server, "who only watches sent an Action")
    check(replay.stop() == 0, "the replay did not end with exit code 0")
    return f"{len(seen[far])} tanks at {far} s, {len(seen[1])} at 1 s, the same each time; {len(game.of(HEALTH))} changes of health, {len(game.of(OVER))} ends"


def redacted_aos(stage):
    """The recording of an arena, redacted, is replayed to BetterSpades: it receives kills, but no original name or line of chat"""
    fight = Fight(stage)
    copy = stage.path("report.mcap")
    code, said = stage.run("redact", fight.recording, "-o", copy)
    check(code == 0, f"no copy was made: {said}")
    stage.verify(copy)
    fight.recording = copy
    replay, port = fight.replay(SpadeViewer.URL, other=False)
    viewer = SpadeViewer(stage, port)
    wait_until(viewer.sees, 90, f"it was shown nobody: {replay.tail()} {viewer.run.tail()}")
    fight.orders("resume")
    wait_until(lambda: len(viewer.kills()) >= 2, 60, lambda: f"it was told of {len(viewer.kills())} kills")
    viewer.screenshot("redacted.png")
    names = {name for kill in viewer.kills() for name in kill} | set(viewer.eyes.people.values()) - {"viewer"}
    real = [name for name in names if not re.fullmatch(r"player\d+", name or "")]
    check(not real, f"names: {real}")
    check(LINE not in viewer.heard(), "the line of the watcher was told")
    check(replay.stop() == 0, "the replay did not end with exit code 0")
    return f"{len(viewer.kills())} kills of {len(names)} players by pseudonyms"


CASES = {"seek_bzflag": seek_bzflag}
REAL_CASES = {"seek_aos": seek_aos, "seek_cigar2": seek_cigar2, "seek_panic": seek_panic, "redacted_aos": redacted_aos}
