# Players out of sight, and the words in a relay's recording, on real servers of Ace of Spades and Ogar.
# Invariant: what our client received is read from its connection; movements are made by a player of the server's game.
import re
import time

from aos import SPADESX, start_piqueserver, start_spadesx
from aos_player import Player
from bzflag import GREETING, Bzadmin, frames
from cases.ogar import start_server as start_ogar
from shim import Shim
from stage import check, wait_until

ALIVE = 1  # of a tank's status
NEAR, FAR = (256, 256, 20), (40, 40, 20)  # blocks; SpadesX shows nobody farther than 128 away


class Told:
    """What a BZFlag client received about others: joins, leaves, and how often each came into and went out of sight."""

    def __init__(self, shim):
        down = [frame for talk in shim.talks for frame in frames(talk.bytes()[1][GREETING:])]
        self.came = [body[24:56].split(b"\0")[0].decode() if len(body) > 56 else "" for code, body in down if code == "ap"]
        self.left = sum(code == "rp" for code, _ in down)
        self.unseen = sum(code in ("pu", "ps") and not body[9 + 1] & ALIVE for code, body in down if len(body) > 11)


def bridge_to(stage, to):
    """Starts a bridge for BZFlag in front of that server, and a shim that keeps what its client receives."""
    bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--to", to])
    return bridge, stage.keep(Shim(int(bridge.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)$").group(1))))


def bridged_bot(stage, to, seconds):
    """A BZFlag player on that server, without datagrams, so that all messages are in one stream."""
    bridge, shim = bridge_to(stage, to)
    bot = stage.start("bot", [stage.entente, "bot", f"bzflag://127.0.0.1:{shim.port}?dialect=2.4&udp=off", "--behaviour", "idle",
                              "--seconds", str(seconds)])
    wait_until(lambda: shim.talks and any(code == "al" for code, _ in frames(shim.talks[0].bytes()[1][GREETING:])), 60,
               f"the bot was not put into play: {bridge.tail()} {bot.tail()}")
    return shim, bot


def words_of(stage, start):
    server, port = start(stage)
    recording, words = stage.path("relay.mcap"), stage.path("words.mcap")
    relay, listener_port = stage.relay("aos", "0.75", port, "--record", recording)
    bots = stage.start("bots", [stage.entente, "bot", f"aos://127.0.0.1:{listener_port}?dialect=0.75", "--count", "2", "--behaviour", "hunt",
                                "--seconds", "20"])
    bots.wait_for(r"^bots 2 of 2 were let in", 80)
    check(relay.stop(30) == 0, f"the relay did not end with exit code 0: {relay.tail()}")
    code, said = stage.run("convert", recording, "--words", "--to", words)
    made = re.search(r": (\d+) frames, (\d+) words", said)
    check(code == 0 and made and int(made.group(2)) > 500, f"convert: exit {code}, {said}")
    replay = stage.start("replay", [stage.entente, "replay", words, "--listen", "native://127.0.0.1:0?dialect=json", "--link", "1", "--paused"])
    replay.wait_for(r"^listening native json 127\.0\.0\.1:\d+$", 30)
    check(server.alive(), f"the server died: {server.tail()}")
    return f"{made.group(1)} frames, {made.group(2)} words; a replay of them opens"


def words_spadesx(stage):
    """Two bots on SpadesX, recorded by a relay: the recording has words, and can be watched"""
    return words_of(stage, start_spadesx)


def words_piqueserver(stage):
    """The same on piqueserver"""
    return words_of(stage, start_piqueserver)


def sight_spadesx(stage):
    """A player of BZFlag on SpadesX; another player goes out of sight and comes back, six times: the client is told of no leave or join"""
    _, port = start_spadesx(stage)
    traveller = stage.keep(Player(port, "traveller")).joins(1)
    traveller.logs_in(SPADESX)
    shim, bot = bridged_bot(stage, f"aos://127.0.0.1:{port}?dialect=0.75", 75)
    for _ in range(6):
        for place in (FAR, NEAR):
            traveller.says(SPADESX["go"].format(x=place[0], y=place[1], z=place[2]))
            time.sleep(2.5)
    told = Told(shim)
    check(told.unseen >= 2, f"he was out of sight {told.unseen} times only")
    check(told.left == 0 and len(told.came) <= 2, f"{len(told.came)} joined, {told.left} left: {told.came}")
    check(bot.alive(), f"the bot was sent away: {bot.tail()}")
    return f"{len(told.came)} joined, {told.left} left, {told.unseen} times told that somebody is out of sight"


def sight_ogarii(stage):
    """bzadmin watches OgarII's bots for a minute, while they go out of its view and come back: it is told of no leave"""
    _, port = start_ogar(stage, "ogarii")
    _, shim = bridge_to(stage, f"ogar+ws://127.0.0.1:{port}?dialect=modern3")
    admin = Bzadmin(stage, "anna", shim.port)
    time.sleep(60)
    told = Told(shim)
    check(admin.run.alive(), f"bzadmin was sent away: {admin.run.tail()}")
    check(len(told.came) > 1 and told.unseen > 0, f"{len(told.came)} came, {told.unseen} times one was out of sight: too little to judge")
    check(told.left == 0, f"{len(told.came)} joined, {told.left} left: {told.came}")
    return f"{len(told.came)} joined, {told.left} left, {told.unseen} times told that somebody is out of sight"


CASES = {"words_spadesx": words_spadesx, "words_piqueserver": words_piqueserver, "sight_spadesx": sight_spadesx, "sight_ogarii": sight_ogarii}
