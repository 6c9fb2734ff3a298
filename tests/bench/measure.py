"""Compares Entente with other relays, and measures codecs, rooms and arenas. Writes the tables of tests/bench/README.md.
The table of floods is in proxy/manual/limits.md.

  tests/bench/run                       all of it, about 35 minutes
  tests/bench/run arena                 one part, and its table: relays, codecs, rooms, arena, bots, cores or floods
  tests/bench/run --cells arena:500     one cell, printed
  tests/bench/run --quick               a smoke run of two minutes: prints, writes nothing

Needs a quiet machine with two cores: the load and its echo server run on core 0, the relay on core 1. Absolute numbers
wander with the machine; ratios inside one run hold.
"""
import argparse
import contextlib
import json
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time

import contenders
import cores
import floods
import report

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "bench"
MANUAL = HERE.parent.parent / "proxy/manual/limits.md"

# (kind, connections, paced): paced cells run at half load (see half_loads), those of a bridge at the message rate of tanks.
# In a bridge's cell, a relay that cannot translate copies the messages of the TCP cells.
CELLS = [("tcp", 1, False), ("tcp", 100, False), ("tcp", 1000, False), ("tcp", 100, True), ("tcp", 1000, True),
         ("udp", 1, False), ("udp", 100, False), ("udp", 1000, False), ("udp", 100, True), ("bridge", 100, False),
         ("bridge", 200, False), ("bridge", 100, True), ("bridge", 200, True)]
ARENAS = [("arena", 100, False), ("arena", 500, False)]
# Bots in an arena: their protocols and games. The others are compared with the first.
BOTS = [("bots", 30, False), ("bots", 100, False), ("bots", 300, False)]
SPEECHES = ["native://{}?dialect=protobuf", "native://{}?dialect=json", "native+ws://{}?dialect=json",
            "bzflag://{}?dialect=2.4", "bzflag://{}?dialect=1.10", "bzdraft://{}", "panic://{}?dialect=le-padded",
            "ogar+ws://{}?dialect=modern3", "aos://{}?dialect=0.75"]
COMING, SETTLING = 120, 4  # seconds: most time until all bots are admitted, and the wait after that
ARENA_LONGER = 5  # times the seconds of a cell, as report.PACED_LONGER
CELL_LIMIT = 60  # seconds
PROGRAM_LIMIT = 600


def arguments():
    known = [report.cell_name(cell) for cell in CELLS + ARENAS + BOTS]
    parse = argparse.ArgumentParser(prog="tests/bench/run", description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("what", nargs="?", choices=["all", "relays", "codecs", "rooms", "arena", "bots", "cores", "floods"], default="all")
    parse.add_argument("--quick", action="store_true", help="one round of half a second a cell; writes nothing")
    parse.add_argument("--rounds", type=int, default=5, help="interleaved rounds (5)")
    parse.add_argument("--seconds", type=float, default=2.0, help="measured in each cell (2)")
    parse.add_argument("--only", default="", help="measure only these relays, such as floor,nginx (for bots: these games; for cores: these transports); writes nothing")
    parse.add_argument("--cells", default="", help="measure only these cells; writes nothing. Cells: " + " ".join(known))
    parse.add_argument("--before", default="", metavar="PROGRAM", help="also measure this earlier build of entente, beside this one; writes nothing")
    parse.add_argument("--dry", action="store_true", help="print, write nothing")
    chosen = parse.parse_args()
    chosen.cells = [name for name in chosen.cells.split(",") if name]
    for name in chosen.cells:
        if name not in known:
            parse.error(f"no cell is called {name}")
    if chosen.quick:
        chosen.rounds, chosen.seconds = 1, 0.5
    chosen.dry = chosen.dry or chosen.quick or bool(chosen.only) or bool(chosen.cells) or bool(chosen.before)
    return chosen


def named(cells, chosen):
    return [cell for cell in cells if not chosen.cells or report.cell_name(cell) in chosen.cells]


class Load:
    """The load generator with its echo server: one process for the whole run."""

    def __init__(self):
        self.process = contenders.spawn([BUILD / "tests/bench/bench_load"], contenders.LOAD_CORE,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        _, self.echo, _, self.native = self.process.stdout.readline().split()

    def cell(self, kind, address, connections, seconds, rate, pid):
        signal.alarm(CELL_LIMIT)
        self.process.stdin.write(f"{kind} {address} {connections} {seconds} {rate} {pid}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        signal.alarm(0)
        if not line:
            raise RuntimeError(f"the load gave up in {kind} with {connections} connections (see above)")
        return json.loads(line)


class Relays:
    """All contenders, each in front of the same echo server, waiting for their turn."""

    def __init__(self, load, runners, stack):
        self.load = load
        self.running = {one: stack.enter_context(one.running(load.native if one.translates else load.echo))
                        for one in runners}

    def cell(self, one, kind, connections, seconds, rate):
        address, pid = self.running[one]
        said = "tcp" if kind == "bridge" and not one.translates else kind
        return self.load.cell(said, address, connections, seconds, rate, pid)

    def half_loads(self, cells):
        """For TCP and UDP, half of what the slowest relay carries at 100 connections: the same load for all relays.
        socat is left out: with a process per connection, its rate would leave the others idle. It gets the same load, too."""
        rates = {}
        for kind in sorted({kind for kind, _, paced in cells if paced} - {"bridge"}):
            carried = [self.cell(one, kind, 100, 1.0, 0)["rate"]
                       for one in self.running if kind in one.carries and one.name not in ("direct", "socat")]
            rates[kind] = round(min(carried) / 2, -2)
        return rates

    def round(self, cells, seconds, rates, backwards):
        """Runs each cell with one contender right after another, so that all have the same conditions."""
        results = {one.name: {} for one in self.running}
        for kind, connections, paced in cells:
            order = [one for one in self.running if kind in one.carries]
            rate = 0 if not paced else rates[kind] if kind != "bridge" else report.EACH_SAYS * connections
            for one in reversed(order) if backwards else order:
                seen = self.cell(one, kind, connections, seconds * report.PACED_LONGER if paced else seconds, rate)
                results[one.name][kind, connections, paced] = seen
        return results


def measure_relays(chosen):
    runners = [one for one in contenders.all_contenders(BUILD) + (contenders.earlier(chosen.before) if chosen.before else [])
               if not chosen.only or one.name in chosen.only.split(",")]
    for one in [one for one in runners if one.missing()]:
        print(f"not here, left out: {one.name}", file=sys.stderr)
        runners.remove(one)
    cells = named(CELLS, chosen)
    load = Load()
    rounds, rates = [], {}
    try:
        for number in range(chosen.rounds):
            print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr)
            with contextlib.ExitStack() as stack:
                relays = Relays(load, runners, stack)
                rates = rates or relays.half_loads(cells)
                rounds.append(relays.round(cells, chosen.seconds, rates, backwards=number % 2 == 1))
    finally:
        contenders.kill(load.process)
    results = {one.name: [seen[one.name] for seen in rounds] for one in runners}
    complaints = [f"{one.name} said: {line}" for one in runners for line in one.complaints[:3]]
    return report.relays(results, cells, rates, chosen, complaints)


def measured(program, seconds):
    """The results of a Google Benchmark program."""
    command = [BUILD / "tests/bench" / program, "--benchmark_format=json", f"--benchmark_min_time={seconds}"]
    process = contenders.spawn(command, contenders.RELAY_CORE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        said, _ = process.communicate(timeout=PROGRAM_LIMIT)
    except subprocess.TimeoutExpired:
        contenders.kill(process)
        raise
    return json.loads(said)


def measure_codecs(chosen):
    return report.codecs(measured("bench_codec", 0.002 if chosen.quick else 0.01))


def measure_rooms(chosen):
    seconds = 0.05 if chosen.quick else 2
    return report.rooms(measured("bench_room", seconds), measured("bench_arena", seconds))


def crowd(address, clients, seconds, pid):
    """The results of so many Ogar clients in the arena at that address."""
    command = [BUILD / "tests/bench/bench_crowd", address, clients, seconds, pid]
    process = contenders.spawn(command, contenders.LOAD_CORE, stdout=subprocess.PIPE)
    try:
        said, _ = process.communicate(timeout=CELL_LIMIT + seconds)
    except BaseException:
        contenders.kill(process)
        raise
    if process.returncode != 0:
        raise RuntimeError(f"the crowd of {clients} gave up (see above)")
    return json.loads(said)


def measure_arena(chosen):
    cells = named(ARENAS if chosen.cells or not chosen.quick else ARENAS[:1], chosen)
    seconds = chosen.seconds * ARENA_LONGER
    results = {clients: [] for _, clients, _ in cells}
    most, complaints = max(results), []
    for number in range(chosen.rounds):
        print(f"arena, round {number + 1} of {chosen.rounds}", file=sys.stderr)
        for clients, rounds in results.items():
            one = contenders.arena(BUILD, most)
            with one.running(None) as (address, pid):
                rounds.append(crowd(address, clients, seconds, pid))
            complaints += [f"The arena said: {line}" for line in one.complaints[:3]]
    return report.arena(results, contenders.arena(BUILD, most).name, chosen, seconds, complaints)


def present(control):
    """How many players are in the arena of this control socket."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(str(control))
        asked.sendall(b"--json stats\n")
        answer = b"".join(iter(lambda: asked.recv(1 << 16), b""))
    return sum(row.get("present", 0) for row in json.loads(answer))


def play_bots(url, count, seconds, pid, control):
    """The share of its core that an arena uses while so many bots hunt each other in it, and the share that the bots use of theirs."""
    command = [BUILD / "entente", "bot", url, "--count", count, "--behaviour", "hunt", "--reconnect", "--log-level", "error"]
    process = contenders.spawn(command, contenders.LOAD_CORE, stdout=subprocess.PIPE)
    try:
        give_up_at = time.monotonic() + COMING
        while present(control) < count and process.poll() is None and time.monotonic() < give_up_at:
            time.sleep(0.2)
        time.sleep(SETTLING)
        came = present(control)
        began, used, own = time.monotonic(), contenders.cpu_seconds(pid), contenders.cpu_seconds(process.pid)
        time.sleep(seconds)
        passed = time.monotonic() - began
        seen = {"share": (contenders.cpu_seconds(pid) - used) / passed,
                "bots_share": (contenders.cpu_seconds(process.pid) - own) / passed}
        process.terminate()
        process.communicate(timeout=CELL_LIMIT)
    except BaseException:
        contenders.kill(process)
        raise
    return seen | {"came": came}


def measure_bots(chosen):
    cells = named(BOTS if chosen.cells or not chosen.quick else BOTS[:1], chosen)
    seconds = chosen.seconds * ARENA_LONGER
    speeches = [one for one in SPEECHES if not chosen.only or one.split("://")[0] in chosen.only.split(",")]
    results, complaints = {}, []
    for number in range(chosen.rounds):
        for _, count, _ in cells:
            for speech in speeches:
                print(f"bots, round {number + 1} of {chosen.rounds}: {count}, {speech}", file=sys.stderr)
                one = contenders.arena_of(BUILD, speech.format("127.0.0.1:0"), count)
                with one.running(None) as (address, pid):
                    results.setdefault((speech, count), []).append(
                        play_bots(speech.format(address), count, seconds, pid, one.folder / contenders.CONTROL))
                complaints += [f"The arena of {speech} said: {line}" for line in one.complaints[:1]]
    return report.bots(results, [count for _, count, _ in cells], chosen, seconds, complaints)


def measure_with_load(module):
    def measure(chosen):
        load = Load()
        try:
            return module.measure(chosen, BUILD, load)
        finally:
            contenders.kill(load.process)

    return measure


def give_up(number, _):
    why = ": a cell took too long" if number == signal.SIGALRM else ""
    raise SystemExit(f"stopped by {signal.Signals(number).name}{why}")


def main():
    chosen = arguments()
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, give_up)  # so that all started programs are ended
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    parts = {"relays": (measure_relays, CELLS), "codecs": (measure_codecs, []), "rooms": (measure_rooms, []),
             "arena": (measure_arena, ARENAS), "bots": (measure_bots, BOTS),
             "cores": (measure_with_load(cores), []), "floods": (measure_with_load(floods), [])}
    for name, (measure, cells) in parts.items():
        if chosen.what not in ("all", name) or chosen.cells and not named(cells, chosen):
            continue
        text = measure(chosen)
        print(text)
        if not chosen.dry:
            report.write(MANUAL if name == "floods" else HERE / "README.md", name, text)


if __name__ == "__main__":
    main()
