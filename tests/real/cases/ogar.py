# OgarII and MultiOgarII through the relay, in every version they support. The servers are in the folder of --real.
import collections
import os
import struct
import time

from stage import Missing, check, free_port, wait_until
from websocket import CLOSE, PING, PONG, WebSocket

MODERN = 3
# Input for which OgarII closes the connection. (The relay itself refuses a message larger than 512 bytes, with another reason.)
KICKS = {
    "a first message too short": [b"\x01"],
    "an unknown first message": [b"\x07\0\0\0\0"],
    "revision 2": [b"\x01\x02\0\0\0"],
    "a second hello": [b"\x01\x03\0\0\0"] * 2,
    "an empty message": [b"\x01\x03\0\0\0", b""],
    "an unknown message": [b"\x01\x03\0\0\0", b"\x04"],
    "an update too short": [b"\x01\x03\0\0\0", b"\x03" + bytes(10)],
    "a legacy key twice": [b"\xfe\x06\0\0\0", b"\xff\0\0\0\0", b"\xff\0\0\0\0"],
    "a mouse of another length": [b"\xfe\x06\0\0\0", b"\xff\0\0\0\0", b"\x10\0\0"],
}


def start_server(stage, folder):
    run = os.path.join(stage.plays or "", folder, "run")
    if not os.access(run, os.X_OK):
        raise Missing(f"{folder}/run is not in the folder of --real")
    port = free_port()
    server = stage.start(folder, [run, str(port)])

    def up():
        try:
            return WebSocket(port)
        except OSError:
            check(server.alive(), f"{folder} ended: {server.tail()}")
            return None
    wait_until(up, 20, f"{folder} never listened").kill()
    return server, port


def start_relay(stage, to_port, recording):
    relay = stage.start("relay", [stage.entente, "proxy", "--listen", "ogar+ws://127.0.0.1:0",
                                  "--to", f"ogar+ws://127.0.0.1:{to_port}", "--record", recording])
    return relay, int(relay.wait_for(r"^listening ogar any 127\.0\.0\.1:(\d+)$").group(1))


class Player:
    """A player that joins, moves, splits, chats and spectates; counts the server's messages by opcode."""

    def __init__(self, port, version):
        self.version, self.heard, self.asked = version, collections.Counter(), 0
        self.socket = WebSocket(port, "/?version=" + str(version))
        check(self.socket.status == 101, f"answered {self.socket.status}")

    def hear(self, seconds):
        for opcode, payload in self.socket.messages(seconds):
            check(opcode != CLOSE, f"version {self.version}: closed, {payload!r}")
            self.heard[payload[0]] += 1

    def text(self, words):
        return words.encode("utf-16le") + b"\0\0" if self.version < 6 else words.encode() + b"\0"

    def play_legacy(self):
        say = self.socket.send
        say(b"\xfe" + struct.pack("<I", self.version))
        say(b"\xff\0\0\0\0")
        self.hear(0.4)
        while not self.heard[0x20] and self.asked < 3:  # MultiOgarII ignores a request within 25 ticks of the last one
            say(b"\0" + self.text("<doge>né"))
            self.asked += 1
            self.hear(1.1 if self.asked > 1 else 0.3)
        for step in range(12):
            say(b"\x10" + struct.pack("<iii", step * 100, -step * 50, 0))
            if step in (4, 5):
                say(b"\x11" if step == 4 else b"\x15")
            self.hear(0.1)
        for payload in (b"\x63\0" + self.text("hällo"), b"\xfe", b"\x12", b"\x13", b"\x01",
                        b"\x10" + struct.pack("<hhI", 1, 2, 0), b"\x10" + struct.pack("<ddI", 1, 2, 0)):
            say(payload)
        self.hear(0.4)
        return self.heard[0x10] > 10 and self.heard[0x20] > 0 and self.heard[0x40] > 0

    def play_modern(self):
        say = self.socket.send
        say(b"\x01\x03\0\0\0")
        self.hear(0.5)  # a name sent before the first update would remove us from the queue
        say(b"\x03" + bytes(10) + b"\x01" + "<doge>né\0".encode())
        for step in range(20):
            flags = 0x10 if step % 5 == 0 else 0
            say(b"\x03" + struct.pack("<iiBBB", step * 100, -step * 50, step == 8, 0, flags))
            self.hear(0.1)
        say(b"\x03" + bytes(10) + b"\x80\x01" + "hällo\0".encode())
        say(b"\x02")
        self.hear(0.4)
        return self.heard[3] > 10 and self.heard[2] == 1


def play_all(stage, folder, players):
    recording = stage.path("ogar.mcap")
    server, port = start_server(stage, folder)
    relay, relayed = start_relay(stage, port, recording)
    for modern, version in players:
        player = Player(relayed, version)
        lively = player.play_modern() if modern else player.play_legacy()
        check(lively, f"version {version}: heard only {dict(player.heard)}")
        player.socket.kill()
    check(server.alive(), f"{folder} died: {server.tail()}")
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    return f"{len(players)} dialects, {numbers['exact']} of {numbers['frames']} exact"


def ogarii(stage):
    """OgarII 1.3.6, scripted players of modern revision 3 and legacy 5 to 22: join, move, split, eject, chat, spectate"""
    return play_all(stage, "ogarii", [(True, MODERN)] + [(False, version) for version in range(5, 23)])


def multiogarii(stage):
    """MultiOgarII 1.6.3, scripted players of legacy 4 to 18: join, move, split, eject, chat, spectate"""
    return play_all(stage, "multiogarii", [(False, version) for version in range(4, 19)])


def ogarii_kicks(stage):
    """OgarII 1.3.6's close codes and reasons for malformed input, pings and pongs: the same with the relay as without"""
    _, port = start_server(stage, "ogarii")
    _, relayed = start_relay(stage, port, stage.path("ogar.mcap"))

    def kicked(at, payloads, control=None):
        client = stage.keep(WebSocket(at))
        for payload in payloads:
            client.send(payload)
            time.sleep(0.15)
        if control:
            client.send(b"x", control)
        return client.close_frame()
    inputs = [(name, payloads, None) for name, payloads in KICKS.items()]
    inputs += [("a ping", [b"\x01\x03\0\0\0"], PING), ("a pong", [b"\x01\x03\0\0\0"], PONG)]
    for name, payloads, control in inputs:
        alone, through = kicked(port, payloads, control), kicked(relayed, payloads, control)
        check(alone is not None and alone == through, f"{name}: {alone} without the relay, {through} with it")
    return f"{len(inputs)} inputs, each with the same code and reason"


CASES = {"ogarii": ogarii, "ogarii_kicks": ogarii_kicks, "multiogarii": multiogarii}
