# The two bots of tests/native/bots, which know only the native protocol, on each game's server, then on a replay of the
# recording, then in an arena that continues the recording.
# Invariant: the same two programs everywhere. Whether they drove is read from the server, or from a watcher in the arena.
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import time

from aos import start_piqueserver, start_spadesx
from cases.aos_bots import talk_of, way_of
from cases.replay import Watcher
from shim import Shim
from stage import Missing, check, program, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOTS = os.path.join(TESTS, "native", "bots")
sys.path[1:1] = [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # after ours: some names are both\'s. Before installed modules
from player import apart  # noqa: E402

SECONDS = 60
FAR = 25           # metres: a tile of Panic
FAR_ON_FOOT = 16   # the same in blocks


def fetch(build):
    """The folder of npm's protobufjs, among the modules of tests/interop. Missing modules are fetched from the network."""
    fetched = subprocess.run([os.path.join(TESTS, "interop", "fetch"), build], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
    if fetched.returncode != 0:
        raise Missing(f"npm's modules could not be fetched: {fetched.stdout[-200:]}")
    return os.path.join(fetched.stdout.split()[-1], "node_modules")


SAW = re.compile(r"^saw (\d+) players, (\d+) units move, (\d+) shots$", re.MULTILINE)
JS, CC = "node", "native_bot"


class Bots:
    """Starts the two programs, the same ones for every native listener."""

    def __init__(self, stage):
        self.stage, build = stage, os.path.dirname(stage.entente)
        self.env = {"NODE_PATH": fetch(build)}
        self.argv = {JS: [program("node"), os.path.join(BOTS, "bot.js")], CC: [os.path.join(build, "tests", "native_bot")]}

    def open(self, name, *words):
        """Starts an `entente` that listens for bots; returns it with its port."""
        at = self.stage.start(name, [self.stage.entente, *words, "--listen", "native://127.0.0.1:0?dialect=protobuf"])
        return at, at.wait_for(r"^listening native protobuf 127\.0\.0\.1:(\d+)$", 20).group(1)

    def start(self, kind, port, name, log):
        return self.stage.start(log, [*self.argv[kind], port, name], env=self.env)


def seen(bot):
    """What that bot reports after its listener has ended: (players, units that moved, shots)."""
    check(bot.wait(30) == 0, f"{bot.name} did not end well: {bot.tail()}")
    said = SAW.search(bot.text())
    check(said, f"{bot.name} did not say what it saw: {bot.tail()}")
    return tuple(map(int, said.groups()))


class Players:
    """Jane in JavaScript and carl in C++, each through its own proxy, which records."""

    def __init__(self, stage, url):
        self.stage, self.programs = stage, Bots(stage)
        self.proxies, self.bots, self.recordings = [], {}, {}
        for name, kind in (("jane", JS), ("carl", CC)):
            self.recordings[name] = stage.path(name + ".mcap")
            proxy, port = self.programs.open(name + ".proxy", "proxy", "--to", url, "--record", self.recordings[name])
            self.proxies.append(proxy)
            self.bots[name] = self.programs.start(kind, port, name, name)
            proxy.wait_for(r"session \d+ opened", 20)

    def live(self):
        """Fails if a bot or its proxy has ended."""
        for one in [*self.bots.values(), *self.proxies]:
            check(one.alive(), f"{one.name} ended: {one.tail(12)}")

    def end(self):
        """Stops the proxies; returns what each bot then reports, by name."""
        for proxy in self.proxies:
            check(proxy.stop() == 0, f"{proxy.name} did not end with exit code 0: {proxy.tail()}")
        return {name: seen(bot) for name, bot in self.bots.items()}

    def again(self, name):
        """What each of the two programs sees of that recording, from its own replay, which begins when a viewer connects."""
        replays, watching = [], []
        for kind in (JS, CC):
            replay, port = self.programs.open(f"{name}.{kind}.replay", "replay", self.recordings[name], "--speed", "4", "--shared")
            replays.append(replay)
            watching.append(self.programs.start(kind, port, "watcher", f"{name}.{kind}.watcher"))
        for replay in replays:
            check(replay.wait(SECONDS) == 0, f"{replay.name} did not end with exit code 0: {replay.tail()}")
        return [seen(bot) for bot in watching]

    def recorded(self):
        """The options of an arena that continues jane's recording near its end, when both are in play."""
        code, said = self.stage.run("recordings", "--json", self.recordings["jane"])
        check(code == 0, f"the recording of jane cannot be read: {said}")
        return ["--from", self.recordings["jane"], "--at", f"{json.loads(said)['seconds'] - 0.5:.1f}"]

    def goes_on(self):
        """An arena continues the recording: both programs drive among its players, which drive, too."""
        arena, port = self.programs.open("arena", "arena", *self.recorded(), "--bots", "5", "--listen", "native://127.0.0.1:0?dialect=json")
        watcher = self.stage.keep(Watcher(int(arena.wait_for(r"^listening native json 127\.0\.0\.1:(\d+)$", 20).group(1))))
        bots = [self.programs.start(kind, port, name, name) for kind, name in ((JS, "nora"), (CC, "emil"))]
        wait_until(lambda: {"nora", "emil"} <= drivers(watcher) and drivers(watcher) & set(self.bots), SECONDS,
                   lambda: f"only {drivers(watcher)} drive on in the arena")
        since = len(watcher.facts)  # both are in: from now on they see what the watcher sees
        wait_until(lambda: len(watcher.moved(since)) >= 3, SECONDS, lambda: f"only {len(watcher.moved(since))} units move in the arena")
        check(arena.stop() == 0, f"the arena did not end with exit code 0: {arena.tail()}")
        for bot in bots:
            check(seen(bot)[1] >= 3, f"{bot.name} saw fewer than three move: {bot.tail()}")
        return f"{', '.join(sorted(drivers(watcher)))} drive on from the recording"


def drivers(watcher):
    """The players whose units moved."""
    names = {player["id"]: player.get("name") for player in watcher.of("player")}
    owners = {unit["id"]: unit.get("owner") for unit in watcher.of("unit")}
    return {names.get(owners.get(unit)) for unit in watcher.moved()} - {None}


def judge(players, moved=2):
    """Checks that neither bot saw more live than in its recording, and that both see the same in each recording. `moved`: least number of moving
    units."""
    live = players.end()
    for name, saw in live.items():
        script, compiled = players.again(name)
        check(script == compiled, f"of the recording of {name}, JavaScript saw {script} and C++ {compiled}")
        check(all(here <= there for here, there in zip(saw, script)), f"{name} saw {saw} live, but {script} in the replay of it")
        check(saw[1] >= moved, f"{name} saw only {saw[1]} units move")
    return "; ".join([*(f"{name} saw {saw[1]} units move and {saw[2]} shots" for name, saw in live.items()),
                      players.goes_on()])


def matrix(game):
    """The matrix's driver of that game; tests/real has a module with the same name."""
    spec = importlib.util.spec_from_file_location("matrix_" + game, os.path.join(TESTS, "matrix", "games", game + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.driver


def on(stage, game, moved=2):
    """Both bots on the matrix's server of that game, until the server has seen both drive. `moved`: as in judge()."""
    stage.dice = random.Random(7)
    server = matrix(game).start(stage)
    stage.keep(type("Server", (), {"kill": staticmethod(server.stop)}))
    players = Players(stage, server.url(server.port) + server.settings)
    first, went = {}, {}

    def drove():
        players.live()
        for unit in server.units():
            place = first.setdefault(unit.owner, unit.place)
            went[unit.owner] = max(went.get(unit.owner, 0), apart(place, unit.place))
        return sum(far > FAR for owner, far in went.items() if owner) >= 2
    end = time.monotonic() + SECONDS
    while not drove():
        check(time.monotonic() < end, f"in {SECONDS} s they did not both drive: {went}")
        time.sleep(0.05)
    time.sleep(3)
    return "driven " + ", ".join(f"{far:.0f} m" for owner, far in went.items() if owner) + "; " + judge(players, moved)


def contract_bzflag(stage):
    """Stock bzfs; a bot in C++ and one in JavaScript that know only the native protocol: they drive and shoot, see the same in replays, and drive on in an arena that continues the recording"""
    return on(stage, "bzflag")


def contract_panic(stage):
    """The matrix's Panic server and the same two bots, unchanged"""
    return on(stage, "panic")


def contract_ogar(stage):
    """The matrix's Ogar server and the same two bots, unchanged"""
    return on(stage, "ogar", moved=1)  # it sends only units in view


def contract_aos(stage):
    """The matrix's Ace of Spades server and the same two bots, unchanged"""
    return on(stage, "aos")


def contract_bzdraft(stage):
    """The matrix's server of the 1.8+ draft and the same two bots, unchanged"""
    return on(stage, "bzdraft")


def on_aos(stage, start):
    """Both bots on a real server, until its World Updates have shown both walk."""
    _, port = start(stage)
    shim = stage.keep(Shim(port))
    players = Players(stage, f"aos://127.0.0.1:{shim.port}?dialect=0.75")

    def walked():
        players.live()
        try:
            return [round(way_of(talk_of(shim, name))) for name in players.bots]
        except (AssertionError, StopIteration):
            return [0]  # not all have joined
    wait_until(lambda: min(walked()) > FAR_ON_FOOT, SECONDS, "they did not both walk")
    return f"walked {walked()} blocks; " + judge(players, moved=1)  # SpadesX does not send distant players


def contract_spadesx(stage):
    """SpadesX 710270d and the same two bots, unchanged"""
    return on_aos(stage, start_spadesx)


def contract_piqueserver(stage):
    """piqueserver 1.4.1 and the same two bots, unchanged"""
    return on_aos(stage, start_piqueserver)


CASES = {"contract_bzflag": contract_bzflag, "contract_panic": contract_panic, "contract_ogar": contract_ogar, "contract_aos": contract_aos,
         "contract_bzdraft": contract_bzdraft}
REAL_CASES = {"contract_spadesx": contract_spadesx, "contract_piqueserver": contract_piqueserver}
