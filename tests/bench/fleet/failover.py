#!/usr/bin/env python3
"""failover.py BUILD [ROUNDS]: kill -9 of the node that owns a fleet's arena, again and again, while players drive at an edge.

Of each round: how long the players saw nobody move, how far they were put back, and whether anybody lost the connection or the score. Each killed node
is started again, so that two can always own the arena."""

import json
import math
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
PLAYERS = 10
ENTENTE = os.path.join(BUILD, "entente")
LISTEN = "native://127.0.0.1:0?dialect=json"


class Started:
    def __init__(self, folder, name, argv):
        self.path, self.at = os.path.join(folder, f"{name}.{time.monotonic_ns()}.log"), 0
        self.process = subprocess.Popen(argv, stdout=open(self.path, "wb"), stderr=subprocess.STDOUT)

    def said(self, pattern):
        return re.search(pattern, open(self.path).read())

    def find(self, pattern):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if found := self.said(pattern):
                return found.group(1)
            time.sleep(0.02)
        raise SystemExit(f"{self.path} does not say {pattern}:\n{open(self.path).read()[-2000:]}")


class Driver:
    """Drives to and fro; keeps the places of all players."""

    def __init__(self, port, name):
        self.name, self.buffer, self.facts, self.moved_at = name, b"", [], 0.0
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(0.005)
        self.say({"enter": {"name": name}})
        self.say({"spawn": {}})
        self.units, self.owners, self.places, self.scores = {}, {}, {}, {}

    def say(self, intent):
        self.socket.sendall(json.dumps(intent).encode() + b"\n")

    def hear(self):
        try:
            data = self.socket.recv(1 << 20)
        except TimeoutError:
            return
        if not data:
            raise SystemExit(f"{self.name} was disconnected")
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            self.take(json.loads(line))

    def take(self, fact):
        now = time.monotonic()
        if "player" in fact:
            self.owners[fact["player"]["id"]] = fact["player"]["name"]
        if "unit" in fact:
            self.units[fact["unit"]["id"]] = self.owners.get(fact["unit"].get("owner"))
        if "score" in fact:
            self.scores[self.owners.get(fact["score"]["player"])] = fact["score"].get("losses", 0)
        pose = fact.get("pose") or fact.get("spawned", {}).get("pose") or fact.get("corrected", {}).get("pose")
        if pose:
            self.places[self.units.get(pose["unit"])] = (pose.get("x", 0.0), pose.get("y", 0.0))
            self.moved_at = now


def main():
    folder = tempfile.mkdtemp(prefix="failover.")
    nats = Started(folder, "nats", [shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin"), "-a", "127.0.0.1", "-p", "-1", "-js", "-sd",
                                    os.path.join(folder, "nats")])
    port = nats.find(r"Listening for client connections on 127\.0\.0\.1:(\d+)")
    running = [nats]

    def node(name, rest):
        file = os.path.join(folder, name + ".toml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(f'[fleet]\nnats = ["nats://127.0.0.1:{port}"]\nnode = "{name}"\n{rest}')
        one = Started(folder, name, [ENTENTE, "run", file])
        running.append(one)
        one.find(r"(started entente)")
        return one

    arena = f'[[arena]]\nname = "field"\nfleet = true\nside = 200\nrespawn_ms = 100\nlisten = ["{LISTEN}"]\n'
    owners = {name: node(name, arena) for name in ("a", "b")}
    edge = node("edge", f'[[route]]\nlisten = "{LISTEN}"\nto = "fleet:field"\n')
    edge_port = int(edge.find(r"listening native json 127\.0\.0\.1:(\d+)"))

    def owner():
        until = time.monotonic() + 60
        while time.monotonic() < until:
            for name, one in owners.items():
                text = open(one.path).read()
                if text.count("this node owns the arena") > text.count("no longer owns"):
                    return name
            time.sleep(0.02)
        raise SystemExit("nobody owns the arena")

    owner()
    drivers = [Driver(edge_port, f"driver-{i}") for i in range(PLAYERS)]
    looker = drivers[0]

    def drive(until, done=lambda: False):
        turn = 0.0
        while time.monotonic() < until and not done():
            if time.monotonic() >= turn:
                turn = time.monotonic() + 0.2
                for i, one in enumerate(drivers):
                    way = time.monotonic() / 3 + i
                    one.say({"toward": {"x": 60 * math.cos(way), "y": 60 * math.sin(way)}})
            for one in drivers:
                one.hear()

    try:
        drive(time.monotonic() + 3)
        for i, one in enumerate(drivers):
            for _ in range(i % 3):  # scores that could be lost
                one.say({"death_claim": {"why": "BY_ITSELF"}})
                drive(time.monotonic() + 0.3)
                one.say({"spawn": {}})
        pauses = []
        for number in range(ROUNDS):
            drive(time.monotonic() + 4)
            name, scores, places = owner(), dict(looker.scores), dict(looker.places)
            killed = owners.pop(name)
            killed.process.send_signal(signal.SIGKILL)
            killed.process.wait()
            began = time.monotonic()
            drive(time.monotonic() + 0.3)  # for messages in flight
            before = looker.moved_at
            drive(time.monotonic() + 20, lambda: looker.moved_at > max(before, began + 0.5))
            pause = looker.moved_at - before
            drive(time.monotonic() + 0.2)
            back = [math.dist(places[one.name], looker.places[one.name]) for one in drivers if one.name in places and one.name in looker.places]
            lost = [one.name for one in drivers if looker.scores.get(one.name) != scores.get(one.name)]
            pauses.append(pause)
            print(f"round {number + 1}: {name} killed; nobody moved for {pause:.2f} s; at most {max(back):.1f} m from where they were seen before; "
                  f"scores that differ: {len(lost)}", flush=True)
            owners[name] = node(name, arena)
        print(f"pause: median {statistics.median(pauses):.2f} s, longest {max(pauses):.2f} s; disconnected: 0")
    finally:
        for one in reversed(running):
            if one.process.poll() is None:
                one.process.terminate()
                one.process.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
