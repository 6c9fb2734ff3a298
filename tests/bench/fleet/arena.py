#!/usr/bin/env python3
"""arena.py BUILD [CLIENTS] [SECONDS] [ROUNDS]: an arena in one process, and the same arena as an owner and two edges with NATS between them.

Ogar clients (bench_crowd) fill it, half of them at each edge. The share of a core is that of each process, with all its threads. The latency is that of
a word that the owner answers at once, from a native client at an edge and back, 25 times a second; "added" is the difference of the two in one round.
BUILD has been made by the preset `bench`."""

import json
import os
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 900
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 10
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
ENTENTE = os.path.join(BUILD, "entente")
CROWD = os.path.join(BUILD, "tests/bench/bench_crowd")
TICK = os.sysconf("SC_CLK_TCK")
LISTEN = ("ogar+ws://127.0.0.1:0", "native://127.0.0.1:0?dialect=json")
RULES = {"seats": CLIENTS, "side": 800}


def cpu_of(pid):
    parts = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / TICK


class Started:
    """A program whose output goes to a file that is read on."""

    def __init__(self, folder, name, argv):
        self.path, self.at = os.path.join(folder, name + ".log"), 0
        self.process = subprocess.Popen(argv, stdout=open(self.path, "wb"), stderr=subprocess.STDOUT, preexec_fn=os.setpgrp)

    def find(self, pattern):
        """The next match after the last one."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            text = open(self.path).read()
            if found := re.compile(pattern).search(text, self.at):
                self.at = found.end()
                return found.group(1)
            time.sleep(0.02)
        raise SystemExit(f"{self.path} does not say {pattern}:\n{open(self.path).read()[-2000:]}")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def one_process(folder):
    argv = [ENTENTE, "arena", "--log-level", "warn"]
    for url in LISTEN:
        argv += ["--listen", url]
    for key, value in RULES.items():
        argv += [f"--{key}", str(value)]
    arena = Started(folder, "one", argv)
    ports = [[int(arena.find(r"listening \S+ .*:(\d+)\n")) for _ in LISTEN]]
    return {"one process": arena}, ports


def fleet(folder):
    nats = Started(folder, "nats", [shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin"), "-a", "127.0.0.1", "-p", "-1", "-js", "-sd",
                                    os.path.join(folder, "nats")])
    port = nats.find(r"Listening for client connections on 127\.0\.0\.1:(\d+)")
    all = {"nats": nats}

    def node(name, rest):
        file = os.path.join(folder, name + ".toml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(f'[fleet]\nnats = ["nats://127.0.0.1:{port}"]\nnode = "{name}"\n{rest}')
        all[name] = Started(folder, name, [ENTENTE, "run", file])
        return all[name]

    node("owner", '[[arena]]\nname = "field"\nfleet = true\nlisten = ["native://127.0.0.1:0"]\n' +
         "".join(f"{key} = {value}\n" for key, value in RULES.items())).find("(owns the arena)")
    ports = []
    for name in ("west", "east"):
        edge = node(name, "".join(f'[[route]]\nlisten = "{url}"\nto = "fleet:field"\n' for url in LISTEN))
        ports.append([int(edge.find(r"listening \S+ .*:(\d+)\n")) for _ in LISTEN])
    return all, ports


class Asker:
    """A spectator that asks to spawn; the owner answers that spectators have no tank."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.asked_at, self.times = b"", None, []
        self.socket.sendall(b'{"enter":{"name":"asker","role":"WATCH"}}\n')

    def ask(self):
        if self.asked_at is None:
            self.asked_at = time.monotonic()
            self.socket.sendall(b'{"spawn":{}}\n')

    def read(self):
        self.buffer = self.buffer[-64:] + self.socket.recv(1 << 20)
        if self.asked_at is not None and b"claim_refused" in self.buffer:
            self.times.append(1000 * (time.monotonic() - self.asked_at))
            self.asked_at, self.buffer = None, b""


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def measure(make):
    folder = tempfile.mkdtemp(prefix="fleet.")
    programs, ports = make(folder)
    try:
        for one in programs.values():  # so that the clients do not take CPU time from the measured programs
            os.setpriority(os.PRIO_PROCESS, one.process.pid, -5)
        watched = programs.get("owner", programs.get("one process")).process.pid
        players = CLIENTS - 1  # and the asker
        sizes = [players * (i + 1) // len(ports) - players * i // len(ports) for i in range(len(ports))]
        crowds = [subprocess.Popen([CROWD, f"127.0.0.1:{port[0]}", str(size), str(SECONDS), str(watched)], stdout=subprocess.PIPE, text=True)
                  for port, size in zip(ports, sizes)]
        while joined(ports) < players and all(crowd.poll() is None for crowd in crowds):
            time.sleep(0.1)
        asker = Asker(ports[0][1])
        selector = selectors.DefaultSelector()
        selector.register(asker.socket, selectors.EVENT_READ)

        def turn(seconds, asks):
            end, due = time.monotonic() + seconds, time.monotonic()
            while time.monotonic() < end and all(crowd.poll() is None for crowd in crowds):
                if asks and time.monotonic() >= due:
                    asker.ask()
                    due += 0.04
                if selector.select(0.005):
                    asker.read()

        turn(2.5, False)  # the crowds measure from then on
        asker.times, before, began = [], {name: cpu_of(one.process.pid) for name, one in programs.items()}, time.monotonic()
        turn(SECONDS - 1, True)
        spent = time.monotonic() - began
        shares = {name: (cpu_of(one.process.pid) - before[name]) / spent for name, one in programs.items()}
        said = [json.loads(crowd.communicate()[0]) for crowd in crowds]
        return {"shares": shares, "p50": percentile(asker.times, 0.5), "p99": percentile(asker.times, 0.99), "answers": len(asker.times),
                "pictures": sum(one["pictures"] for one in said) / players / SECONDS, "gaps": [one["gaps"] for one in said]}
    finally:
        for one in reversed(programs.values()):
            one.stop()
        shutil.rmtree(folder)


def joined(ports):
    """The connections to the listeners for cells."""
    hexadecimal = {f"{port[0]:04X}" for port in ports}
    return sum(1 for line in open("/proc/net/tcp").read().splitlines()[1:]
               if line.split()[1].split(":")[1] in hexadecimal and line.split()[3] == "01")


def main():
    rounds = []
    for number in range(ROUNDS):
        one, many = measure(one_process), measure(fleet)
        rounds.append((one, many))
        print(f"round {number + 1}, {CLIENTS} clients: one process {one['shares']['one process']:.0%} of a core, {one['pictures']:.1f} pictures/s each, "
              f"answer {one['p50']:.2f} / {one['p99']:.2f} ms; fleet: " +
              ", ".join(f"{name} {share:.0%}" for name, share in many["shares"].items()) +
              f", {many['pictures']:.1f} pictures/s each, answer {many['p50']:.2f} / {many['p99']:.2f} ms ({many['answers']})", flush=True)
    middle = lambda values: statistics.median(list(values))
    print(f"median: owner {middle(many['shares']['owner'] for _, many in rounds):.0%} of a core, one process "
          f"{middle(one['shares']['one process'] for one, _ in rounds):.0%}; added to an answer: p50 {middle(m['p50'] - o['p50'] for o, m in rounds):.2f} ms, "
          f"p99 {middle(m['p99'] - o['p99'] for o, m in rounds):.2f} ms")


if __name__ == "__main__":
    main()
