#!/usr/bin/env python3
# tests/fleet_size/measure.py PROGRAM [--seconds S]: measures the costs of a node, an arena, a client and a recording on the bus of a fleet, at
# a real nats-server on loopback. Prints costs.json, which simulate.py reads.
# Invariant: each cost is the difference of two runs that differ in one thing.
from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

PLAYERS = 16  # on each edge with players
TICK = os.sysconf("SC_CLK_TCK")


class Program:
    """A running program, with its output in a file."""

    def __init__(self, argv: list[str], log: str) -> None:
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT)

    def says(self, pattern: str) -> re.Match[str]:
        for _ in range(600):
            found = re.search(pattern, open(self.log).read(), re.M)
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit(f"{self.process.args[0]} does not say {pattern}:\n{open(self.log).read()}")

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def run(program: str, seconds: float, edges: int, arena: bool, players: int, records: bool) -> dict[str, float]:
    """The resources used per second with so many edges, each with so many players of the arena."""
    folder = tempfile.mkdtemp(prefix="entente-size-")
    started: list[Program] = []

    def start(name: str, argv: list[str]) -> Program:
        started.append(Program(argv, os.path.join(folder, name + ".log")))
        return started[-1]

    def node(name: str, text: str) -> Program:
        path = os.path.join(folder, name + ".toml")
        with open(path, "w") as file:
            file.write(f'[fleet]\nnats = ["{url}"]\nnode = "{name}"\n' + text)
        return start(name, [program, "run", path])

    try:
        server = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin") or "nats-server"
        nats = start("nats", [server, "-a", "127.0.0.1", "-p", "-1", "-m", "-1", "-js", "-sd", os.path.join(folder, "js")])
        monitor = nats.says(r"http monitor on (\S+)")[1]
        url = "nats://" + nats.says(r"client connections on (\S+)")[1]
        nats.says("Server is ready")
        recording = f'[recording]\ndirectory = "{folder}"\nto_fleet = "only"\n' if records else ""
        record = 'record = "field-{time}.mcap"\n' if records else ""
        place = f'[[arena]]\nname = "field"\nfleet = true\nseats = 900\nside = 400\n{record}listen = ["native://127.0.0.1:0"]\n' if arena else ""
        owner = node("owner", recording + place)
        if arena:
            owner.says("this node owns the arena")
        listeners = []
        for i in range(edges):
            edge = node(f"edge-{i}", '[[route]]\nlisten = "native://127.0.0.1:0?dialect=json"\nto = "fleet:field"\n')
            listeners.append((edge, edge.says(r"^listening .*:(\d+)$")[1]))
        for edge, port in listeners:
            if players:
                start("bots" + port, [program, "bot", f"native://127.0.0.1:{port}?dialect=json", "--count", str(players), "--name", "b" + port, "--behaviour", "hunt"])
        time.sleep(5)  # until all have entered, and the world does not change any more

        def now() -> dict[str, float]:
            its = json.load(urllib.request.urlopen(f"http://{monitor}/varz", timeout=30))
            js = its["jetstream"]["stats"]
            return {"time": time.monotonic(), "in_msgs": its["in_msgs"], "in_bytes": its["in_bytes"], "out_msgs": its["out_msgs"], "out_bytes": its["out_bytes"],
                    "js_orders": js["api"]["total"], "js_bytes": js.get("storage", 0), "nats_cpu": nats.cpu(), "owner_cpu": owner.cpu(),
                    "edge_cpu": sum(edge.cpu() for edge, _ in listeners)}

        before = now()
        time.sleep(seconds)
        after = now()
        span = after["time"] - before["time"]
        return {key: (after[key] - before[key]) / span for key in before if key != "time"}
    finally:
        for one in reversed(started):
            one.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--seconds", type=float, default=20)
    asked = options.parse_args()

    def measure(*what: object) -> dict[str, float]:
        print(f"edges, arena, players, records = {what}", file=sys.stderr)
        return run(asked.program, asked.seconds, *what)

    alone = measure(0, False, 0, False)
    arena = measure(0, True, 0, False)
    empty_edge = measure(1, True, 0, False)
    one = measure(1, True, PLAYERS, False)
    twice = measure(1, True, 2 * PLAYERS, False)
    two = measure(2, True, PLAYERS, False)  # as many players as `twice`, at two edges
    records = measure(1, True, PLAYERS, True)

    def less(more: dict[str, float], than: dict[str, float], by: float = 1) -> dict[str, float]:
        return {key: round(max(more[key] - than[key], 0) / by, 6) for key in more}

    print(json.dumps({
        "players": PLAYERS,
        "node": {key: round(value, 6) for key, value in alone.items()},
        "arena": less(arena, alone),
        "edge": less(empty_edge, arena),
        "first_client": less(one, empty_edge, PLAYERS),
        "client": less(twice, one, PLAYERS),
        "second_edge": less(two, twice),
        "recording": less(records, one),
        "busy": {key: round(value, 6) for key, value in twice.items()},
    }, indent=1))


if __name__ == "__main__":
    main()
