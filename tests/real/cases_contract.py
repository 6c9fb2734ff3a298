# One bot, every game: the two bots of tests/native/bots, which know native's contract and nothing else, on each server.
# Law: whether they drove is asked of the server's own truth; what they saw live they must see in the recording, too.
import importlib.util
import json
import os
import random
import subprocess
import sys
import time

from aos import start_piqueserver, start_spadesx
from cases_aos_bots import talk_of, way_of
from shim import Shim
from stage import Missing, check, program, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOTS = os.path.join(TESTS, "native", "bots")
sys.path += [os.path.join(TESTS, part) for part in ("matrix", "matrix/games", "peers")]  # behind ours: some names are both's
from player import apart  # noqa: E402

SECONDS = 60
FAR = 25           # metres: a tile of Panic
FAR_ON_FOOT = 16   # blocks, as far as that


def fetch(build):
    """Where npm's protobufjs and @mcap/core are: those of tests/interop. What is not there yet needs the network."""
    fetched = subprocess.run([os.path.join(TESTS, "interop", "fetch"), build], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
    if fetched.returncode != 0:
        raise Missing(f"npm's modules could not be fetched: {fetched.stdout[-200:]}")
    return os.path.join(fetched.stdout.split()[-1], "node_modules")


class Players:
    """Both bots, each through a proxy of its own that records."""

    def __init__(self, stage, url):
        build = os.path.join(os.path.dirname(stage.entente), "tests")
        self.env = {"NODE_PATH": fetch(os.path.dirname(stage.entente))}
        script = [program("node"), os.path.join(BOTS, "bot.js")]
        self.see = {"jane": script, "carl": [os.path.join(build, "native_bot_recorded")]}
        live = {"jane": script, "carl": [os.path.join(build, "native_bot")]}
        self.proxies, self.bots, self.recordings = [], {}, {}
        for name, argv in live.items():
            self.recordings[name] = stage.path(name + ".mcap")
            proxy = stage.start(name + ".proxy", [stage.entente, "proxy", "--listen", "native://127.0.0.1:0?dialect=protobuf", "--to", url,
                                                  "--record", self.recordings[name]])
            port = proxy.wait_for(r"^listening native protobuf 127\.0\.0\.1:(\d+)$", 20).group(1)
            self.proxies.append(proxy)
            self.bots[name] = stage.start(name, [*argv, port, name], env=self.env)

    def live(self):
        """Fails if a bot or its proxy has ended."""
        for one in [*self.bots.values(), *self.proxies]:
            check(one.alive(), f"{one.name} ended: {one.tail(12)}")

    def end(self):
        """Stops the proxies; what each bot then says it saw, by name."""
        for proxy in self.proxies:
            check(proxy.stop() == 0, f"{proxy.name} did not end with exit code 0: {proxy.tail()}")
        for name, bot in self.bots.items():
            check(bot.wait() == 0, f"{name} did not end well: {bot.tail()}")
        return {name: json.loads(bot.text().splitlines()[-1]) for name, bot in self.bots.items()}

    def seen(self, name, how):
        """What the bot of `how` sees in the recording of `name`."""
        done = subprocess.run([*self.see[how], self.recordings[name]], env={**os.environ, **self.env}, stdout=subprocess.PIPE, text=True,
                              timeout=60, check=False)
        check(done.returncode == 0, f"the bot of {how} cannot read the recording of {name}")
        return json.loads(done.stdout)


def judge(players, seen=2):
    """What both saw live and in recordings; it must be the same however it is read. `seen`: units that each must see move."""
    live = players.end()
    for name, saw in live.items():
        recorded, other = (players.seen(name, how) for how in ("jane", "carl"))
        check(recorded == other, f"of the recording of {name}, JavaScript saw {recorded} and C++ {other}")
        check(set(saw["players"]) <= set(recorded["players"]) and saw["moved"] <= recorded["moved"] and saw["shots"] <= recorded["shots"],
              f"{name} saw {saw} live, but {recorded} is recorded")
        check(saw["moved"] >= seen, f"{name} saw only {saw['moved']} units move")
    return "; ".join(f"{name} saw {saw['moved']} units move and {saw['shots']} shots" for name, saw in live.items())


def matrix(game):
    """The matrix's driver of that game; another module of ours has the same name."""
    spec = importlib.util.spec_from_file_location("matrix_" + game, os.path.join(TESTS, "matrix", "games", game + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.driver


def on(stage, game):
    """Both bots on the matrix's server of that game, until the server has seen both drive."""
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
    return "driven " + ", ".join(f"{far:.0f} m" for owner, far in went.items() if owner) + "; " + judge(players)


def contract_bzflag(stage):
    """Stock bzfs; a bot in C++ and one in JavaScript that know only native's contract: drive, shoot, and see the same recorded"""
    return on(stage, "bzflag")


def contract_panic(stage):
    """The matrix's Panic server and the same two bots, unchanged"""
    return on(stage, "panic")


def contract_ogar(stage):
    """The matrix's Ogar server and the same two bots, unchanged"""
    return on(stage, "ogar")


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
    return f"walked {walked()} blocks; " + judge(players, seen=1)  # SpadesX tells nobody of who is far away


def contract_spadesx(stage):
    """SpadesX 710270d and the same two bots, unchanged"""
    return on_aos(stage, start_spadesx)


def contract_piqueserver(stage):
    """piqueserver 1.4.1 and the same two bots, unchanged"""
    return on_aos(stage, start_piqueserver)


CASES = {"contract_bzflag": contract_bzflag, "contract_panic": contract_panic, "contract_ogar": contract_ogar, "contract_aos": contract_aos,
         "contract_bzdraft": contract_bzdraft}
REAL_CASES = {"contract_spadesx": contract_spadesx, "contract_piqueserver": contract_piqueserver}
