# Adverse conditions: hostile peers, a peer that does not read, kill -9, a full disk, and a long run.
# Invariant: an ordinary session runs at the same time; the test is that nothing disturbs it.
import hashlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import peers
from bzflag import Bzadmin, start_bzfs
from stage import check, wait_until

LOG_LINES = 2000  # far more than one line per reason and second, far fewer than one per hostile connection
MESSAGES, SMALL = 12_000, 512 << 10  # compressed, so many messages take more than so many bytes
REFUSALS = ("connecting too fast", "wrong greeting", "frame too large", "no greeting in time")
# The least numbers to be refused or dropped: of 5,000 connections from one address (1,024 at once and 100 a second are
# accepted), of 250 clients that send invalid bytes, of 100 that send no greeting; and of 20,000 datagrams, some of which the
# kernel may drop.
LEAST_REFUSED = {"connecting_too_fast": 1500, "bad_frame": 150, "no_greeting_in_time": 90}
LEAST_DROPPED = 1000


def resident(program):
    """Bytes of memory that the program uses now."""
    with open(f"/proc/{program.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) << 10


def descriptors(program):
    return len(os.listdir(f"/proc/{program.process.pid}/fd"))


def welcome(port):
    """Whether a client from our address is greeted; it is not while our address has opened too many connections."""
    try:
        peers.greeted(port, 5).close()
        return True
    except OSError:
        return False


class Undisturbed:
    """Two bzadmin that chat through the relay, before and after each event."""

    def __init__(self, stage, port):
        self.anna, self.bob = (Bzadmin(stage, name, port).joined() for name in ("anna", "bob"))
        self.said, self.slowest = 0, 0.0

    def talk(self, when):
        self.said += 1
        began = time.monotonic()
        self.anna.says(f"word {self.said}")
        self.bob.hears("anna", f"word {self.said}$", 15)
        self.slowest = max(self.slowest, time.monotonic() - began)
        check(self.anna.run.alive() and self.bob.run.alive(), f"a bzadmin ended {when}")

    def leave(self):
        check(self.anna.quits() == 0 and self.bob.quits() == 0, "a bzadmin did not leave with exit code 0")


def counted(pattern, text):
    """The number of events in the lines that match `pattern`, including those in "(and N more like this)"."""
    lines = [line for line in text.splitlines() if re.search(pattern, line)]
    more = (re.search(r"\(and (\d+) more like this\)$", line) for line in lines)
    return len(lines) + sum(int(found.group(1)) for found in more if found)


def summed_up(log):
    """Checks that the summary counts what the attacks did and what the log reports; returns the numbers of refused connections and dropped datagrams."""
    served = re.search(r"^served .*$", log, re.MULTILINE).group(0)
    numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", served)}
    reasons = {key.removeprefix("refused_"): value for key, value in numbers.items() if key.startswith("refused_")}
    check(numbers["refused"] >= 2000, f"only {numbers['refused']} of more than 5,000 were refused")
    check(sum(reasons.values()) == numbers["refused"], f"the reasons do not add up to what was refused: {served}")
    for reason, least in LEAST_REFUSED.items():
        check(reasons.get(reason, 0) >= least, f"fewer than {least} were refused for {reason!r}: {served}")
    for reason, number in reasons.items():
        told = counted(rf" refused \S+ at .*\): {reason.replace('_', ' ')}(:| \(and|$)", log)
        check(told == number, f"the log tells of {told} refused for {reason!r}, and there were {number}")
    check(numbers["dropped"] >= LEAST_DROPPED, f"fewer than {LEAST_DROPPED} datagrams were dropped: {served}")
    told = sum(int(number) for number in re.findall(r" dropped (\d+) datagrams? at ", log))
    check(told == numbers["dropped"], f"the log tells of {told} dropped datagrams, and there were {numbers['dropped']}")
    return numbers["refused"], numbers["dropped"]


def hostile(stage):
    """10,000 connections that close at once, slowloris, garbage, oversize frames, floods, stray UDP; two bzadmin chat all the time"""
    _, port = start_bzfs(stage)
    recording = stage.path("hostile.mcap")
    relay, listener_port = stage.relay("bzflag", "2.4", port, "--record", recording)
    talk = Undisturbed(stage, listener_port)
    talk.talk("at the start")
    open_before, memory_before = descriptors(relay), resident(relay)

    loris = peers.slowloris(listener_port)
    for attack in (peers.connects_closed_at_once, peers.garbage, peers.oversize, peers.flood, peers.datagrams):
        thread = threading.Thread(target=attack, args=(listener_port,), daemon=True)
        thread.start()
        while thread.is_alive():
            talk.talk(f"during {attack.__name__}")
            thread.join(0.2)
        check(relay.alive(), f"the relay ended in {attack.__name__}: {relay.tail()}")
    check(all(peers.closed_by_peer(peer, 60) for peer in loris), "a connection that never greets is still open after 60 s")

    wait_until(lambda: descriptors(relay) <= open_before, 30, f"{descriptors(relay) - open_before} descriptors stay open")
    grown = resident(relay) - memory_before
    check(grown < 200 << 20, f"the relay grew by {grown >> 20} MiB")
    lines = relay.text().count("\n")
    check(lines < LOG_LINES, f"the relay's log has {lines} lines")
    for refusal in REFUSALS:
        check(refusal in relay.text(), f"nobody was refused for {refusal!r}")
    talk.talk("after all of it")
    wait_until(lambda: welcome(listener_port), 30, "no client is admitted after it")
    check(Bzadmin(stage, "carla", listener_port).joined().quits() == 0, "a newcomer could not leave in order")
    talk.leave()
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    refused, dropped = summed_up(relay.text())
    return f"{refused} refused, {dropped} datagrams dropped; {talk.said} words said meanwhile, the slowest took {talk.slowest * 1000:.0f} ms; {lines} log lines, {grown >> 20} MiB more memory"


def slow_reader(stage):
    """A client does not read 48 MiB: the relay stops reading from the server, and its memory does not grow; when the client reads, every byte arrives"""
    frame = peers.chat_frame(1)
    total = (48 << 20) // len(frame) * len(frame)
    sent = []

    def pour(peer):
        for _ in range(total // len(frame) // 100 + 1):
            data = (frame * 100)[:total - sum(sent)]
            peer.sendall(data)
            sent.append(len(data))

    server = stage.keep(peers.Server(pour))
    relay, listener_port = stage.relay("bzflag", "2.4", server.port)
    memory_before = resident(relay)
    with peers.greeted(listener_port) as client:
        last = -1
        while last != sum(sent):  # until the server cannot send any more
            last = sum(sent)
            time.sleep(0.5)
        check(last < total, "the relay took all of it from the server while nobody read")
        grown = resident(relay) - memory_before
        check(grown < 32 << 20, f"the relay grew by {grown >> 20} MiB for one slow reader")
        got = hashlib.sha256(peers.read_exactly(client, total)).digest()
    check(got == hashlib.sha256(frame * (total // len(frame))).digest(), "what arrived is not what was sent")
    return f"held back after {last >> 20} MiB, {grown >> 10} KiB more memory, all {total >> 20} MiB arrived"


def crash(stage):
    """kill -9 of the relay while it records: `entente recover` restores the recording, without its last second at most"""
    _, port = start_bzfs(stage)
    recording = stage.path("crash.mcap")
    relay, listener_port = stage.relay("bzflag", "2.4", port, "--record", recording)
    talk = Undisturbed(stage, listener_port)
    for _ in range(5):
        talk.talk("before the crash")
    time.sleep(2)  # the guarantee: data older than a second is safe
    talk.anna.says("too late to be sure of")
    relay.process.send_signal(signal.SIGKILL)
    relay.wait()
    check(not os.path.exists(recording) and os.path.exists(recording + ".part"), "no .part file lies there after the crash")
    code, said = stage.run("recover", recording + ".part")
    check(code == 0, f"recover: exit {code}, {said}")
    check(os.path.exists(recording), f"recover left no {recording}: {said}")
    numbers = stage.verify(recording)
    code, decoded = stage.run("inspect", recording)
    for number in range(1, talk.said + 1):
        check(f"word {number}" in decoded, f"word {number} is not in the recovered recording")
    return f"{numbers['frames']} frames recovered, all {talk.said} words older than a second among them"


def full_disk(stage):
    """The disk becomes full while recording: the relay reports it and passes the traffic on; the data that was written before is recovered"""
    return until_full(stage, tiny_disk)


def file_limit(stage):
    """The same with a limit on the size of files (ulimit -f), which by default ends a program"""
    return until_full(stage, limited_file)


def until_full(stage, on):
    server = stage.keep(peers.Server(peers.echo))
    disk = stage.path("disk")
    os.makedirs(disk)
    relay = stage.start("relay", [*on(disk), stage.entente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4",
                                  "--to", f"bzflag://127.0.0.1:{server.port}?dialect=2.4",
                                  "--record", os.path.join(disk, "full.mcap")])
    listener_port = int(relay.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)$").group(1))
    with peers.greeted(listener_port) as client:
        for seed in range(MESSAGES):
            frame = peers.chat_frame(seed)
            client.sendall(frame)
            check(peers.read_exactly(client, len(frame)) == frame, f"message {seed} did not come back as it was sent: {relay.tail()}")
        relay.wait_for(r"(?i)no space|too large", 10)
        client.sendall(frame)
        check(peers.read_exactly(client, len(frame)) == frame, "the traffic stopped after the disk was full")
    # The relay may have its own mount of a disk, so read the file through its /proc entry.
    part = f"/proc/{relay.process.pid}/root{disk}/full.mcap.part"
    check(os.path.exists(part), "nothing was written before the disk was full")
    saved = shutil.copy(part, stage.path("saved.mcap.part"))
    lines = relay.text().count("\n")
    check(lines < 200, f"the relay's log has {lines} lines")
    relay.stop()
    code, said = stage.run("recover", saved)
    check(code == 0, f"recover: exit {code}, {said}")
    frames = stage.verify(stage.path("saved.mcap"))["frames"]
    return f"{MESSAGES} messages relayed, full after {os.path.getsize(saved) >> 10} KiB, {frames} frames recovered from it"


def tiny_disk(disk):
    """The command prefix that gives a program a small file system at `disk`, visible only to that program; needs root."""
    if subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        return limited_file(disk)
    script = f'mount -t tmpfs -o size={SMALL} tmpfs "$0" && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, disk]


def limited_file(_):
    return ["prlimit", f"--fsize={SMALL}"]


def soak(stage):
    """Five minutes of load, churn and recording: memory and the number of descriptors do not grow, and every byte is echoed"""
    seconds = int(os.environ.get("ENTENTE_SOAK_SECONDS", "300"))
    server = stage.keep(peers.Server(peers.echo))
    relay, listener_port = stage.relay("bzflag", "2.4", server.port, "--record", stage.path("soak.mcap"))
    stop, counts, wrong = threading.Event(), [0] * 8, []

    def client(number):
        while not stop.is_set():
            try:
                with peers.greeted(listener_port, source=next(peers.ADDRESSES)) as peer:
                    for seed in range(200):
                        frame = peers.chat_frame(seed)
                        peer.sendall(frame)
                        if peers.read_exactly(peer, len(frame)) != frame:
                            wrong.append(f"client {number}: message {seed} did not come back")
                        counts[number] += 1
            except OSError as error:
                wrong.append(f"client {number}: {error}")
                return

    threads = [threading.Thread(target=client, args=(n,), daemon=True) for n in range(len(counts))]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 5)
    early = resident(relay)
    time.sleep(seconds * 4 / 5)
    late, still_open = resident(relay), descriptors(relay)
    stop.set()
    for thread in threads:
        thread.join(30)
    check(not wrong, wrong[0] if wrong else "")
    check(late < early * 1.2 + (8 << 20), f"memory went from {early >> 20} to {late >> 20} MiB")
    check(still_open < 100, f"{still_open} descriptors open with 8 clients")
    check(relay.stop(60) == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(stage.path("soak.mcap"))
    check(numbers["frames"] >= 2 * sum(counts), f"{numbers['frames']} frames recorded of {2 * sum(counts)}")
    return f"{sum(counts)} messages back and forth in {seconds} s, {early >> 20} MiB then {late >> 20} MiB, {numbers['exact']} exact"


CASES = {"hostile": hostile, "slow_reader": slow_reader, "crash": crash, "full_disk": full_disk, "file_limit": file_limit, "soak": soak}
