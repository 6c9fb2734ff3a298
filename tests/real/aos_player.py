# A scripted player of Ace of Spades 0.75 on Debian's libenet: joins, moves, digs, builds, shoots, speaks.
# Invariant: independent of our adapters: it sends only what real clients send, and never faster than the servers accept.
import collections
import os
import struct
import sys
import threading
import time
import zlib

from stage import check, wait_until

PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers")
if PEERS not in sys.path:  # the matrix has it behind its own modules, of which some have the same names
    sys.path.insert(1, PEERS)  # before installed modules
from enet_host import Host  # noqa: E402

POSITION, ORIENTATION, WORLD, INPUT, WEAPON_INPUT, HIT, GRENADE, SET_TOOL, SET_COLOUR, JOIN = range(10)
MOVE_OBJECT, CREATE, BLOCK, LINE, STATE, KILL, CHAT, MAP_START, MAP_CHUNK, PLAYER_LEFT = range(11, 21)
INTEL_CAPTURE, INTEL_PICKUP, INTEL_DROP, RESTOCK, FOG, RELOAD, CHANGE_TEAM, CHANGE_WEAPON, HANDSHAKE, HANDSHAKE_BACK, VERSION, VERSION_BACK = range(23, 35)
EXTENSIONS = 60
SPADE, BLOCKS, GUN, GRENADES = range(4)
FORWARD, PRIMARY, SECONDARY = 1, 1, 2


class World:
    """A map, read from Map Chunks: which blocks are air."""

    def __init__(self, vxl):
        self.columns, at = [], 0  # for each column, its runs of air as (from, to)
        while len(self.columns) < 512 * 512:
            air = [(0, vxl[at + 1])]
            while vxl[at]:
                at += 4 * vxl[at]
                air.append((vxl[at + 3], vxl[at + 1]))
            at += 4 * (vxl[at + 2] - vxl[at + 1] + 2)
            self.columns.append(air)

    def floors(self, x, y):
        """The blocks on which a player can stand and dig: the first solid block below three of air."""
        return {bottom for top, bottom in self.columns[512 * y + x] if bottom - top >= 3 and 20 < bottom < 62}

    def flat(self, length=10):
        """A place (x, y, z) at which `length` columns along x and three along y have floors of the same height."""
        for y in range(160, 352):
            for x in range(60, 440):
                for z in self.floors(x, y):
                    if all(z in self.floors(x + i, y + j) for i in range(length) for j in (-1, 0, 1)):
                        return x, y, z
        raise AssertionError("the map has no flat place")


class Player:
    """One ENet connection with its own thread. `heard` holds all received packets, oldest first."""

    def __init__(self, port, name="", data=3, at="127.0.0.1"):
        self.name, self.heard, self.parting = name, [], None
        self.id = self.position = self.world = None
        self.alive, self.placed, self.went, self.brought, self.seen = False, 0, 0, 0, collections.Counter()
        self._lock, self._stop, self._map, self._told = threading.RLock(), False, zlib.decompressobj(), 0.0
        self._vxl, self._spoke, self._going = bytearray(), 0.0, False
        self._host = Host(range_coder=True, at=at)
        self._link = self._host.connect(port, 1, data, self)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    # -- The link
    def _serve(self):
        while not self._stop:
            with self._lock:
                self._host.service()
                self._keep_telling_where()
            time.sleep(0.004)

    def connected(self, _):
        pass

    def disconnected(self, reason):
        self.parting, self.alive = reason, False

    def received(self, packet):
        kind = packet.data[0]
        self._take(kind, packet.data)
        if kind not in (WORLD, MAP_CHUNK):
            self.heard.append(packet.data)
        self.seen[kind] += 1

    def _take(self, kind, packet):
        if kind == MAP_START:
            self._vxl, self._map, self.alive = bytearray(), zlib.decompressobj(), False
        elif kind == MAP_CHUNK:
            self._vxl += self._map.decompress(packet[1:])
        elif kind == STATE:
            self.id = packet[1]
        elif kind == HANDSHAKE:
            self.say(HANDSHAKE_BACK, packet[1:])
        elif kind == VERSION:
            self.say(VERSION_BACK, b"e\x01\x00\x00Entente's tests")
        elif kind == EXTENSIONS:
            self.say(EXTENSIONS, bytes([2, 193, 1, 194, 1]))
        elif kind == CREATE and packet[1] == self.id:
            self.alive, self.position = True, struct.unpack_from("<3f", packet, 4)
        elif kind == KILL and packet[1] == self.id:
            self.alive = False
        elif kind == POSITION:
            self.placed, self.position = self.placed + 1, struct.unpack_from("<3f", packet, 1)
            self._going, self._told = False, time.monotonic()
        elif kind == WORLD and self.id is not None and len(packet) >= 25 + 24 * self.id and self.alive:
            self.position = struct.unpack_from("<3f", packet, 1 + 24 * self.id)

    def _keep_telling_where(self):
        """As real clients do, sends the position once in 1.1 s while alive; it is the position that the server has of us, so the server accepts it."""
        if self.alive and self.position and not self._going and time.monotonic() - self._told > 1.1:
            self._told = time.monotonic()
            self.say(POSITION, struct.pack("<3f", *self.position))

    def say(self, kind, payload=b""):
        with self._lock:
            if self.parting is None:
                self._link.send(bytes([kind]) + payload)

    def of(self, kind):
        return [packet for packet in self.heard if packet[0] == kind]

    def waits(self, truth, seconds, what):
        def seen():
            check(self.parting is None, f"{self.name} was sent away with {self.parting} before {what}: {self.chats()[-2:]}")
            return truth()
        return wait_until(seen, seconds, f"{self.name}: {what} did not come; heard {dict(self.seen)}")

    def kill(self):
        self._stop = True
        self._thread.join(5)
        self._host.close()

    def leaves(self):
        with self._lock:
            self.alive = False
            self._link.disconnect()
        wait_until(lambda: self.parting is not None, 10, f"{self.name} could not leave in order")
        self.kill()

    # -- The game
    def joins(self, team=0, weapon=0, seconds=60):
        self.waits(lambda: self.id is not None, seconds, "the map and State Data")
        self.world = World(self._vxl)
        self.team = team
        self.say(JOIN, bytes([self.id, team, weapon, GUN]) + bytes(4) + b"\x6f\x6f\x6f" + self.name.encode() + b"\0")
        self.waits(lambda: self.alive, 30, "its own Create Player")
        self.holds(GUN)
        return self

    def me(self, kind, *more):
        self.say(kind, bytes([self.id, *more]))

    def holds(self, tool):
        self.me(SET_TOOL, tool)

    def looks(self, x, y, z=0.0):
        size = (x * x + y * y + z * z) ** 0.5
        self.say(ORIENTATION, struct.pack("<3f", x / size, y / size, z / size))

    def looks_at(self, there):
        self.looks(*(a - b for a, b in zip(there, self.position)))

    def says(self, text, kind=0):
        """At most one line in 2.1 s: piqueserver mutes a player who sends more."""
        time.sleep(max(0.0, self._spoke + 2.1 - time.monotonic()))
        self._spoke = time.monotonic()
        self.say(CHAT, bytes([self.id, kind]) + text.encode("cp437") + b"\0")

    def chats(self):
        return [packet[3:].split(b"\0")[0].decode("utf-8", "replace") for packet in self.of(CHAT)]

    def hears(self, words, seconds=10):
        self.waits(lambda: any(words in chat for chat in self.chats()), seconds, f"the words {words!r}")

    def number_of(self, name):
        """The id of the player who was last created under that name."""
        return next((packet[1] for packet in reversed(self.of(CREATE)) if packet[16:].split(b"\0")[0] == name.encode()), None)

    # -- By the server's commands
    def logs_in(self, words):
        self.words = words
        self.says(words["login"])
        self.hears(words["logged_in"])

    def goes(self, place):
        """Sends no position until it has arrived: piqueserver moves a player back who sends the old position after the command."""
        placed, self._going = self.placed, True
        x, y, z = (int(c) for c in place)
        self.says(self.words["go"].format(x=x + self.words["offset"], y=y + self.words["offset"], z=z))
        self.waits(lambda: self.placed > placed, 10, f"the way to {place}")
        self.went += 1
        time.sleep(1.5)  # to fall to the ground, and to send the new position once

    # -- By keys
    def walks(self, x, y, seconds):
        """Walks forward in that direction; returns the blocks covered, by the server's updates."""
        start = self.position
        self.looks(x, y)
        self.me(INPUT, FORWARD)
        time.sleep(seconds)
        self.me(INPUT, 0)
        time.sleep(0.3)
        return sum((a - b) ** 2 for a, b in zip(start, self.position)) ** 0.5

    def changes(self, action, block, tool):
        """Builds (0) or destroys (1) a block; returns once the server has sent this to all."""
        self.holds(tool)
        if tool == BLOCKS:
            self.me(SET_COLOUR, 0x20, 0x60, 0xA0)
        self.looks_at(tuple(c + 0.5 for c in block))
        time.sleep(0.6)
        self.me(WEAPON_INPUT, PRIMARY)
        told = bytes([self.id, action]) + struct.pack("<3i", *block)
        self.say(BLOCK, told)
        self.waits(lambda: any(p[1:] == told for p in self.of(BLOCK)), 5, f"block action {action} at {block}")
        self.me(WEAPON_INPUT, 0)

    def builds_line(self, start, end):
        self.holds(BLOCKS)
        self.looks_at(tuple(c + 0.5 for c in start))
        time.sleep(0.6)
        self.me(WEAPON_INPUT, SECONDARY)
        time.sleep(0.1)
        self.say(LINE, bytes([self.id]) + struct.pack("<6i", *start, *end))
        lines = len(self.of(LINE))
        self.waits(lambda: len(self.of(LINE)) > lines or self.seen[BLOCK], 5, "the line of blocks")
        self.me(WEAPON_INPUT, 0)

    def shoots(self, victim, part):
        self.looks_at(victim.position)
        time.sleep(0.1)
        self.me(WEAPON_INPUT, PRIMARY)
        self.say(HIT, bytes([victim.id, part]))
        time.sleep(0.2)
        self.me(WEAPON_INPUT, 0)
        time.sleep(0.5)

    def throws_grenade(self):
        self.holds(GRENADES)
        time.sleep(1.2)
        self.say(GRENADE, bytes([self.id]) + struct.pack("<7f", 2.0, *self.position, 0.0, -1.0, -0.5))
