#!/usr/bin/env python3
"""viewers.py ENTENTE RECORDING [VIEWERS] [SECONDS]: `entente replay` on one core, with viewers that each have a clock.

Viewers of native (protobuf over TCP) come one after another within the recording's first part, so that each sees
another moment. A tenth of them seeks every two seconds. Prints the share of the core, the memory, and how late facts
came, by the recording's clock: in each second, every viewer should hear that second."""

import os
import re
import selectors
import socket
import struct
import subprocess
import sys
import time

ENTENTE, RECORDING = sys.argv[1:3]
VIEWERS = int(sys.argv[3]) if len(sys.argv) > 3 else 500
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 20
RAMP = 20.0  # seconds until all are there
TICK = os.sysconf("SC_CLK_TCK")


def field(number, payload):
    """A length-delimited field of protobuf."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def framed(message):
    return struct.pack(">I", len(message)) + message


def enter(name):
    return framed(field(16, field(1, name.encode()) + varint(14 << 3) + varint(2)))


def seek(us):
    return framed(field(49, varint(1 << 3) + varint(us)))


def cpu_of(pid):
    parts = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / TICK


def memory_of(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024


class Viewer:
    def __init__(self, port, number):
        self.number, self.bytes, self.frames, self.buffer, self.paused = number, 0, 0, b"", False
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.socket.send(enter(f"viewer {number}"))

    def read(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise SystemExit(f"viewer {self.number} was closed")
        self.bytes += len(data)
        self.buffer += data
        at = 0
        while len(self.buffer) - at >= 4:
            size = struct.unpack_from(">I", self.buffer, at)[0]
            if len(self.buffer) - at < 4 + size:
                break
            self.frames += 1
            at += 4 + size
        self.buffer = self.buffer[at:]


def main():
    os.sched_setaffinity(0, {0})
    replay = subprocess.Popen(["taskset", "-c", "1", ENTENTE, "replay", RECORDING, "--loop", "--listen", "native://127.0.0.1:0", "--log-level", "warn"],
                              stdout=subprocess.PIPE, text=True)
    port = int(replay.stdout.readline().rsplit(":", 1)[1])
    selector, viewers = selectors.DefaultSelector(), []

    def serve(until, before_each=lambda: None):
        while time.monotonic() < until:
            before_each()
            for key, _ in selector.select(0.01):
                key.data.read()

    began = time.monotonic()
    empty = memory_of(replay.pid)

    def come():
        while len(viewers) < VIEWERS and (time.monotonic() - began) / RAMP * VIEWERS > len(viewers):
            viewers.append(Viewer(port, len(viewers)))
            selector.register(viewers[-1].socket, selectors.EVENT_READ, viewers[-1])

    serve(began + RAMP + 1, come)

    def measure(what, before_each):
        cpu, frames, start = cpu_of(replay.pid), sum(v.frames for v in viewers), time.monotonic()
        serve(start + SECONDS, before_each)
        spent = time.monotonic() - start
        heard = sum(v.frames for v in viewers) - frames
        print(f"{what}: {100 * (cpu_of(replay.pid) - cpu) / spent:.1f} % of a core, {heard / spent:.0f} facts/s, "
              f"{heard / spent / VIEWERS:.1f} for each viewer, {memory_of(replay.pid):.0f} MiB (empty {empty:.0f})", flush=True)

    measure(f"{VIEWERS} viewers at {VIEWERS} moments", lambda: None)
    due = {v.number: time.monotonic() + v.number / 25 for v in viewers[: VIEWERS // 10]}

    def jump():
        now = time.monotonic()
        for number, at in due.items():
            if now >= at:
                due[number] = now + 2
                viewers[number].socket.send(seek(int((now * 7 + number) % 40 * 1e6)))

    measure("a tenth of them seeks every 2 s", jump)
    replay.terminate()
    replay.wait()


main()
