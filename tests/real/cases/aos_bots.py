# Our bots (`entente bot`) on real servers of Ace of Spades 0.75: they wander and shoot, and no server moves them back or disconnects them.
# Invariant: what happened is read from the server's packets, and from a player that is independent of our code.
import collections
import struct

import enet_wire
from aos import start_piqueserver, start_spadesx
from aos_player import INPUT, JOIN, KILL, ORIENTATION, POSITION, STATE, WORLD, Player
from shim import Shim
from stage import check

BOTS = ("bot-1", "bot-2")
SPAWNED = 10  # blocks between two World Updates that only a spawn explains


def talk_of(shim, name):
    """The ENet connection of the player of that name."""
    for flow in shim.flows:
        for talk in enet_wire.talks(flow)[0]:
            if any(packet[0] == JOIN and packet.endswith(name.encode() + b"\0") for _, packet in talk.up.reliable):
                return talk
    raise AssertionError(f"nobody joined as {name}")


def way_of(talk):
    """Blocks that the player walked, by the server's World Updates."""
    number = next(packet[1] for _, packet in talk.down.reliable if packet[0] == STATE)
    way, last = 0.0, None
    for _, _, packet in talk.down.unreliable:
        if packet[0] != WORLD or len(packet) < 25 + 24 * number:
            continue
        place = struct.unpack_from("<2f", packet, 1 + 24 * number)
        step = ((place[0] - last[0]) ** 2 + (place[1] - last[1]) ** 2) ** 0.5 if last and place != (0.0, 0.0) else 0.0
        way += step if step < SPAWNED else 0.0
        last = place if place != (0.0, 0.0) else None
    return way


def count(way):
    return collections.Counter(packet[0] for _, packet in way.reliable)


def bots_on(stage, start):
    server, port = start(stage)
    shim = stage.keep(Shim(port))
    watcher = stage.keep(Player(port, "watcher")).joins(1)
    seconds = max(25, round(60 * stage.minutes))
    bots = stage.start("bots", [stage.entente, "bot", f"aos://127.0.0.1:{shim.port}?dialect=0.75", "--count", "2",
                                "--behaviour", "wander", "--seconds", str(seconds)])
    for name in BOTS:
        watcher.waits(lambda: watcher.number_of(name) is not None, 60, name)
    seen = bots.wait_for(r"^bots 2 of 2 were let in, 0 refused or kicked, 0 disconnected; spawns=(\d+) shots=(\d+) .*$", seconds + 60)
    check(server.alive(), f"the server died: {server.tail()}")
    talks = [talk_of(shim, name) for name in BOTS]
    said, told, gone = [count(talk.up) for talk in talks], [count(talk.down) for talk in talks], [way_of(talk) for talk in talks]
    put_back = sum(packets[POSITION] for packets in told)
    check(min(gone) > seconds, f"in {seconds} s they walked only {[round(way) for way in gone]} blocks")
    check(put_back <= seconds // 60, f"they were put elsewhere {put_back} times")
    check(min(packets[POSITION] for packets in said) > seconds / 4, f"places told: {[packets[POSITION] for packets in said]}")
    return (f"{round(gone[0])} and {round(gone[1])} blocks walked, put back {put_back} times; {sum(s[INPUT] for s in said)} keys, "
            f"{sum(s[ORIENTATION] for s in said)} turns, {sum(s[POSITION] for s in said)} places told; {watcher.seen[KILL]} deaths; "
            + seen.group(0))


def aos_bots_spadesx(stage):
    """SpadesX 710270d and two of our bots (0.75), which wander and shoot, watched by a scripted player; the server moves no bot back, and kicks none"""
    return bots_on(stage, start_spadesx)


def aos_bots_piqueserver(stage):
    """piqueserver 1.4.1 and two of our bots (0.75): the same"""
    return bots_on(stage, start_piqueserver)


CASES = {"aos_bots_spadesx": aos_bots_spadesx, "aos_bots_piqueserver": aos_bots_piqueserver}
