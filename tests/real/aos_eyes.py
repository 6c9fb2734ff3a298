# What one client of Ace of Spades 0.75 received and sent, collected from the datagrams that a shim kept.
# Invariant: independent of our adapters: it reads ENet by enet_wire, and a few fields of the packets.
import collections
import math
import struct
import time

from aos_player import (CHAT, CREATE, INPUT, JOIN, KILL, ORIENTATION, PLAYER_LEFT, POSITION, STATE, WEAPON_INPUT, WORLD)
from enet_wire import CONNECT, VERIFY, Way, commands
from follower import Follower

CHANGES = 5  # from this kind of Kill Action on, the player changed team or weapon
SPAWNED = 10  # blocks between two places that only a spawn explains


class Eyes(Follower):
    """Follows one client of the shim; clients are numbered in the order of their connections."""

    def __init__(self, shim, number=0):
        self.shim, self._number = shim, number
        self.id, self.alive, self.name = None, False, ""
        self.said, self.told = collections.Counter(), collections.Counter()
        self.people, self.places, self.put, self.spawns, self.died, self.killed = {}, {}, [], [], [], []
        self.own, self.chats, self.goodbye, self.pulls = [], [], None, 0  # own: (when, place) as the client sent it
        self.looks = 1.0, 0.0  # along x and y
        self._ways, self._at = {0: None, 1: None}, [0, 0]
        self.start()

    def _look(self):
        for flow in self.shim.flows[self._number:self._number + 1]:
            self._follow(0, flow.to_server, self._says)
            self._follow(1, flow.to_client, self._hears)

    def _follow(self, way, kept, hear):
        while self._at[way] < len(kept):
            datagram = kept[self._at[way]]
            self._at[way] += 1
            if datagram.startswith((b"HELLO", b"HI", b"{")):
                continue
            for kind, channel, number, fields, data in commands(datagram):
                if kind in (CONNECT, VERIFY):
                    self._ways[way] = Way()
                if self._ways[way] is None:
                    continue
                self._ways[way].heard(kind, channel, number, fields, data)
                self._empty(self._ways[way], hear)
                if self._ways[way].goodbye is not None and way == 1:
                    self.goodbye = self._ways[way].goodbye

    @staticmethod
    def _empty(way, hear):
        for _, packet in way.reliable:
            hear(packet)
        for _, _, packet in way.unreliable:
            hear(packet)
        way.reliable.clear()
        way.unreliable.clear()

    def _says(self, packet):
        self.said[packet[0]] += 1
        if packet[0] == JOIN:
            self.name = packet[12:].split(b"\0")[0].decode()
        elif packet[0] == POSITION:
            self.own.append((time.monotonic(), struct.unpack_from("<3f", packet, 1)))
        elif packet[0] == ORIENTATION:
            self.looks = struct.unpack_from("<2f", packet, 1)
        elif packet[0] == WEAPON_INPUT:
            self.pulls += packet[2] & 1

    def _hears(self, packet):
        kind = packet[0]
        self.told[kind] += 1
        if kind == STATE:
            self.id = packet[1]
        elif kind == JOIN:
            self.people[packet[1]] = packet[12:].split(b"\0")[0].decode("cp437")
        elif kind == CREATE:
            self.people[packet[1]] = packet[16:].split(b"\0")[0].decode("cp437")
            if packet[1] == self.id:
                self.alive = True
                self.spawns.append((time.monotonic(), struct.unpack_from("<3f", packet, 4)))
        elif kind == PLAYER_LEFT:
            self.people.pop(packet[1], None)
        elif kind == KILL and packet[3] < CHANGES:
            if packet[1] == self.id:
                self.alive = False
                self.died.append((time.monotonic(), self.people.get(packet[2])))
            else:
                self.killed.append((time.monotonic(), self.people.get(packet[1]), self.people.get(packet[2])))
        elif kind == POSITION:
            self.put.append((time.monotonic(), struct.unpack_from("<3f", packet, 1)))
        elif kind == CHAT:
            text = packet[3:].split(b"\0")[0]
            self.chats.append(text[1:].decode("utf-8", "replace") if text[:1] == b"\xff" else text.decode("cp437"))
        elif kind == WORLD:
            for number in range((len(packet) - 1) // 24):
                place = struct.unpack_from("<3f", packet, 1 + 24 * number)
                if place != (0.0, 0.0, 0.0):
                    self.places[number] = place

    # results
    def number_of(self, name):
        return next((number for number, other in self.people.items() if other == name), None)

    def walked(self):
        """Blocks walked, by the positions that the client sent."""
        steps = [math.dist(a[:2], b[:2]) for (_, a), (_, b) in zip(self.own, self.own[1:])]
        return sum(step for step in steps if step < SPAWNED)

    def did(self):
        return (f"{self.said[ORIENTATION]} turns, {self.said[INPUT]} keys, {self.walked():.0f} blocks walked, {self.pulls} pulls, "
                f"{self.told[WORLD]} paints, put back {len(self.put)} times, {len(self.spawns)} spawns, {len(self.died)} deaths")
