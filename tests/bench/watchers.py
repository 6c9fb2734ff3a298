#!/usr/bin/env python3
"""watchers.py ENTENTE [VIEWERS ...]: one match that is watched by HTTP through nginx as a cache; the origin's CPU.

Each viewer of the web reads the start document and then each fragment when it is due, by a connection to nginx of its
own, as a player of video does. Viewers come spread over one fragment. The origin (an arena with bots, and its watch
listener) has core 1; nginx and the viewers have core 0. The rounds are interleaved. Prints the origin's share of its
core for each number of viewers, and what the cache asked for. Needs nginx."""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ENTENTE = sys.argv[1]
CROWDS = [int(n) for n in sys.argv[2:]] or [20, 2000]
ROUNDS, SECONDS, RAMP = 5, 20, 4

NGINX = """
daemon off; worker_processes 1; pid {dir}/pid; error_log {dir}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  proxy_cache_path {dir}/cache keys_zone=live:1m max_size=64m inactive=10m use_temp_path=off;
  server {{
    listen 127.0.0.1:{front} backlog=4096;
    keepalive_timeout 60; keepalive_requests 100000;
    location /live {{
      proxy_pass http://127.0.0.1:{origin};
      proxy_cache live;
      proxy_cache_lock on;
      proxy_cache_use_stale updating;
    }}
  }}
}}
"""

CONFIG = """
[[arena]]
listen = ["native://127.0.0.1:0"]
bots = 60
watch = [{{ listen = "native+ws://127.0.0.1:{origin}?dialect=json", delay_s = 4 }}]
[control]
socket = "{dir}/c.sock"
"""


def cpu_of(pid):
    """Seconds that all its threads have run; finer than the ticks of /proc/PID/stat."""
    return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0]) for task in os.listdir(f"/proc/{pid}/task")) / 1e9


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def get(reader, writer, path):
    """Status, headers and body."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = re.search(r"(?i)content-length: (\d+)", head)
    if length:
        body = await reader.readexactly(int(length[1]))
    else:  # chunked
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    return int(head.split()[1]), body


class Counts:
    fragments = late = early = 0


async def watch(port, wait, until, counts):
    await asyncio.sleep(wait)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        status, body = await get(reader, writer, "/live")
        assert status == 200, status
        start = json.loads(body)
        number, length = start["fragment"], start["fragment_us"] / 1e6
        due = time.monotonic()
        while time.monotonic() < until:
            status, body = await get(reader, writer, f"/live/{number}")
            if status == 404:
                counts.early += 1
                due += 0.5
            else:
                assert status == 200 and body.startswith(b'{"fragment":%d,' % number), (status, body[:80])
                counts.fragments += 1
                number += 1
                due = max(due + length, time.monotonic() - length)
            await asyncio.sleep(max(0, due - time.monotonic()))
    finally:
        writer.close()


async def crowd(port, viewers, origin):
    counts = Counts()
    until = time.monotonic() + RAMP + SECONDS
    all_of_them = [asyncio.create_task(watch(port, RAMP * i / viewers, until, counts)) for i in range(viewers)]
    await asyncio.sleep(RAMP)
    cpu, began, seen = cpu_of(origin), time.monotonic(), counts.fragments
    await asyncio.sleep(SECONDS - 1)
    spent = time.monotonic() - began
    share = 100 * (cpu_of(origin) - cpu) / spent
    rate = (counts.fragments - seen) / spent
    await asyncio.gather(*all_of_them)
    return share, rate, counts


def main():
    os.sched_setaffinity(0, {0})
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        front, origin = free_port(), free_port()
        open(f"{folder}/nginx.conf", "w").write(NGINX.format(dir=folder, front=front, origin=origin))
        open(f"{folder}/a.toml", "w").write(CONFIG.format(dir=folder, origin=origin))
        entente = subprocess.Popen(["taskset", "-c", "1", ENTENTE, "run", f"{folder}/a.toml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        nginx = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"])
        try:
            time.sleep(10)
            shares = {viewers: [] for viewers in CROWDS}
            for _ in range(ROUNDS):
                for viewers in CROWDS:
                    share, rate, counts = asyncio.run(crowd(front, viewers, entente.pid))
                    shares[viewers].append(share)
                    print(f"{viewers} viewers: origin {share:.2f} % of a core, {rate:.0f} fragments/s, {counts.early} asked early", flush=True)
            first = statistics.median(shares[CROWDS[0]])
            for viewers in CROWDS:
                median = statistics.median(shares[viewers])
                print(f"{viewers} viewers: median {median:.2f} % of a core, {median / first:.3f} of that for {CROWDS[0]}")
        finally:
            nginx.terminate()
            entente.terminate()
            nginx.wait()
            entente.wait()


if __name__ == "__main__":
    main()
