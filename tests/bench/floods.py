# Measures how long players of one worker wait during each flood at its listeners, with default limits: round trips over
# five transports. The crowd has other addresses than the players: one, or 16.
# Invariant: one worker serves all; players, servers and crowds share the other core. Crowds run only while no player or
# server wants that core, so that a wait is due to the proxy.
import contextlib
import ctypes
import functools
import json
import os
import re
import selectors
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

import contenders
import report

SECONDS = 3
EVERY = 0.02  # seconds between two messages of a player
AIMS_MS = {1: 50, 16: 250}  # by the number of addresses that flood
JOIN_LIMIT = 10
AT_ONCE = 100  # connects under way: less than a listener's backlog

RELAY, BRIDGE, WEB, ENET, ARENA = "relay, TCP", "bridge", "relay, WebSocket", "relay, ENet", "arena"
ARENA_TCP, ARENA_UDP, LIED_TO = "arena, TCP", "arena, ENet", "bridge to the flooding server"
ARENA_TLS, ARENA_TLS_2048 = "arena, TLS (RSA 4096)", "arena, TLS (RSA 2048)"
ARENA_BZFLAG, ARENA_PANIC, ARENA_OGAR = "arena, BZFlag", "arena, Panic", "arena, Ogar"
WATCHED, METRICS = "broadcast", "metrics"
# By listener: what a slow client sends, a byte at a time.
SLOW = {RELAY: b"BZFLAG\r\n\r", BRIDGE: b"BZFLAG\r\n\r", WEB: b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nX-Slow: " + b"x" * 400}
CROWDS = {"3,000 connects, closed at once": 3000, "5,000 idle connections": 5000, "700 slow greetings": 700}
SILENT = "3,000 connects, never acknowledged"
# What 100 clients send without a pause, once they are connected. By kind and listener: the greeting, the message.
JSON = {"`{}`": b"{}", "`toward`": b'{"toward":{"x":1,"y":2}}', "`say`": b'{"say":{"text":"hello"}}',
        "`spawn`": b'{"spawn":{}}', "`fire`": b'{"fire":{"vx":1}}', "`want_world`": b'{"want_world":{}}'}
ENTER = b'{"enter":{"name":"crowd"}}'


def in_frame(opcode, payload):
    """A message of a client, over WebSocket."""
    return bytes([0x80 | opcode, 0x80 | len(payload)]) + b"\0\0\0\0" + payload


UPGRADE = (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
TALK = {(f"{name} without a pause", ARENA_TCP): (ENTER + b"\n", text + b"\n") for name, text in JSON.items()}
TALK |= {(f"{name} without a pause", ARENA): (UPGRADE + in_frame(1, ENTER), in_frame(1, text))
         for name, text in JSON.items() if name in ("`{}`", "`toward`")}
FEW = {f"`{{}}` without a pause, from {count} clients": count for count in (20, 50)}
TALK |= {(kind, ARENA_TCP): (ENTER + b"\n", b"{}\n") for kind in FEW}
TALK[("pings without a pause", WEB)] = (UPGRADE, in_frame(9, b""))
TALK[("messages without a pause", RELAY)] = (b"BZFLAG\r\n\r\n", bytes([0, 0, 0x61, 0x6c]))
TALK[("messages without a pause", BRIDGE)] = (b"BZFLAG\r\n\r\n" + bytes([0, 246, 0x65, 0x6e, 0, 0, 0, 0]) + b"crowd".ljust(242, b"\0"),
                                              bytes([0, 0, 0x61, 0x6c]))
# BZFlag 2.4, in the arena: joins and asks for a tank. Then it asks for tanks, sends short messages, or chats.
JOINED = b"BZFLAG\r\n\r\n" + bytes([0, 246, 0x65, 0x6e, 0, 0, 0, 0]) + b"crowd".ljust(242, b"\0") + bytes([0, 0, 0x61, 0x6c])
CHAT = struct.pack(">HHBB", 14, 0x6d67, 254, 0) + b"hello there\0"
TALK[("requests for a tank", ARENA_BZFLAG)] = (JOINED, bytes([0, 0, 0x61, 0x6c]))
TALK[("chat", ARENA_BZFLAG)] = (JOINED, CHAT)
TALK[("queries by TCP", ARENA_BZFLAG)] = (b"BZFLAG\r\n\r\n", bytes([0, 0, 0x71, 0x67]))
TALK[("drives of a tank", ARENA_PANIC)] = (b"", bytes([1, 0, 1, 2, 1, 0, 0, 0]))
TALK[("moves of the mouse", ARENA_OGAR)] = (
    UPGRADE + in_frame(2, bytes([0xfe, 6, 0, 0, 0])) + in_frame(2, bytes([0xff, 0, 0, 0, 0])) + in_frame(2, b"\0crowd\0"),
    in_frame(2, bytes([0x10]) + struct.pack("<iii", 5000, 2000, 0)))
# A viewer of the broadcast moves its clock.
TALK[("moves of the clock", WATCHED)] = (UPGRADE + in_frame(1, b'{"enter":{"name":"crowd","contract":2}}'), in_frame(1, b'{"playback":{"by_s":-1,"paused":true}}'))
PAGES, REJOIN, PACKETS = "requests for the page", "join, leave, join again", "packets without a pause"
GREETINGS, FRAGMENTS, DATAGRAMS, ASKED = ("TLS greetings, closed at once", "fragments, never completed",
                                          "datagrams of 300 messages", "queries by UDP")
DOCUMENTS = {"requests for `/live`": (WATCHED, "/live"), "requests for `/metrics`": (METRICS, "/metrics")}
STARTS = "requests for `/live/N/start`"
LIES = "50 sessions of a server that floods"
TALKERS, LIED = 100, 50
FLOODS = ([(None, "-", 1)] + [(kind, listener, 1) for listener in SLOW for kind in CROWDS] + [(SILENT, ENET, 1)]
          + [(kind, listener, addresses) for kind, listener in TALK for addresses in AIMS_MS]
          + [(kind, listener, addresses)
             for kind, listener in ((PAGES, ARENA), (REJOIN, ARENA_TCP), (PACKETS, ARENA_UDP), (FRAGMENTS, ARENA_UDP),
                                    (ASKED, ARENA_UDP), (GREETINGS, ARENA_TLS), (GREETINGS, ARENA_TLS_2048), (DATAGRAMS, ARENA_BZFLAG), (DATAGRAMS, RELAY),
                                    *((kind, listener) for kind, (listener, _) in DOCUMENTS.items()), (STARTS, WATCHED))
             for addresses in AIMS_MS]
          + [(LIES, LIED_TO, 1)])

ROUTE = '[[route]]\nlisten = "{}"\nto = "{}"\n'
ARENA_CONF = """
[[arena]]
name = "flooded"
seats = 500
listen = [{}]
watch = [{{ listen = "{}", delay_s = 0 }}]
[metrics]
listen = "{}"
"""
WEB_URL, ENET_URL = "ogar+ws://{}?dialect=modern3", "aos://{}?dialect=0.75"
ARENA_URLS = {ARENA: "native+ws://{}?dialect=json", ARENA_TCP: "native://{}?dialect=json", ARENA_UDP: ENET_URL,
              **{name: "native+wss://{}?dialect=json&cert=CERT-" + bits + "&key=KEY-" + bits
                 for name, bits in ((ARENA_TLS, "4096"), (ARENA_TLS_2048, "2048"))}, ARENA_BZFLAG: "bzflag://{}?dialect=2.4",
              ARENA_PANIC: "panic://{}?dialect=le-padded", ARENA_OGAR: "ogar+ws://{}?dialect=legacy6"}


# -- The crowd ---------------------------------------------------------------------------------------------------------

def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


class Source:
    """The addresses of the crowd, in turn: never that of the players."""

    def __init__(self, addresses):
        self.addresses, self.next = addresses, 0

    def bind(self, one):
        self.next += 1
        one.bind((f"127.0.0.{2 + self.next % self.addresses}", 0))
        return one


def connect(to, source):
    one = source.bind(socket.socket())
    one.setblocking(False)
    one.connect_ex(to)
    return one


def wait_writable(links):
    with selectors.DefaultSelector() as ready:
        for one in links:
            ready.register(one, selectors.EVENT_WRITE)
        deadline, left = time.monotonic() + JOIN_LIMIT, len(links)
        while left and time.monotonic() < deadline:
            for key, _ in ready.select(1):
                ready.unregister(key.fileobj)
                left -= 1


def crowd(kind, to, listener, source):
    """Runs the whole flood, until the process is killed."""
    if kind == SILENT:
        return unacknowledged(to, source)
    if (kind, listener) in TALK:
        return talk([connect(to, source) for _ in range(FEW.get(kind, TALKERS))], *TALK[kind, listener], waits=listener == RELAY)
    if kind == LIES:
        return talk([connect(to, source) for _ in range(LIED)], ENTER + b"\n", b"")
    if kind == PACKETS:
        return packets(to, source)
    if kind == FRAGMENTS:
        return fragments(to, source)
    if kind == ASKED:
        return ask(to, source)
    if kind == DATAGRAMS:
        return datagrams(to, source)
    if kind == GREETINGS:
        return come_and_go(to, source, client_hello())
    if kind in DOCUMENTS:
        request = f"GET {DOCUMENTS[kind][1]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        return talk([connect(to, source) for _ in range(TALKERS)], b"", request)
    if kind == STARTS:
        return talk([connect(to, source) for _ in range(TALKERS)], b"", starts())
    if kind in (PAGES, REJOIN):
        return come_and_go(to, source, UPGRADE.split(b"\r\n")[0] + b"\r\nHost: 127.0.0.1\r\n\r\n" if kind == PAGES
                           else ENTER + b'\n{"spawn":{}}\n')
    slow = SLOW[listener]
    held = []
    for first in range(0, CROWDS[kind], AT_ONCE):
        links = [connect(to, source) for _ in range(min(AT_ONCE, CROWDS[kind] - first))]
        wait_writable(links)
        if "closed" in kind:
            for one in links:
                one.close()
        else:
            held += links
    while "slow" in kind:
        for byte in slow:
            for one in held:
                with contextlib.suppress(OSError):
                    one.send(bytes([byte]))
            time.sleep(0.2)
    signal_end()


def signal_end():
    """Links stay open until the process is killed."""
    while True:
        time.sleep(60)


def talk(links, greeting, message, waits=False):
    """Sends `message` as fast as it is taken, and reads what comes. `waits`: not before something has come."""
    wait_writable(links)
    rest = {one: greeting for one in links}
    flood = message * (60_000 // len(message)) if message else b""
    greeted = set() if waits else set(links)
    with selectors.DefaultSelector() as ready:
        for one in links:
            ready.register(one, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while True:
            for key, events in ready.select():
                one = key.fileobj
                try:
                    if events & selectors.EVENT_READ:
                        if not one.recv(1 << 18):
                            raise OSError("closed")
                        greeted.add(one)
                        ready.modify(one, selectors.EVENT_READ | (selectors.EVENT_WRITE if flood or rest[one] else 0))
                    if events & selectors.EVENT_WRITE:
                        rest[one] = rest[one][one.send(rest[one]):] or (flood if one in greeted else b"")
                        if not rest[one]:
                            ready.modify(one, selectors.EVENT_READ)
                except BlockingIOError:
                    continue
                except OSError:
                    ready.unregister(one)


def come_and_go(to, source, words):
    while True:
        links = [connect(to, source) for _ in range(AT_ONCE)]
        wait_writable(links)
        for one in links:
            with contextlib.suppress(OSError):
                one.send(words)
        time.sleep(0.02)
        for one in links:
            one.close()


def starts():
    """Requests for the start documents of all fragments that can be read; their numbers come from the time of day."""
    newest = int(time.time()) // 2
    return b"".join(f"HEAD /live/{number}/start HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for number in range(newest - 300, newest + 10))


def client_hello():
    """The first message of a TLS handshake."""
    out = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost").do_handshake()
    return out.read()


def datagrams(to, source):
    """Clients of BZFlag that send 300 messages in each datagram, from the ports of their connections."""
    links = []
    for _ in range(TALKERS):
        one = source.bind(socket.socket())
        one.connect(to)
        one.settimeout(JOIN_LIMIT)
        one.sendall(JOINED[:10])
        one.recv(64)  # the greeting
        one.sendall(JOINED[10:])
        beside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        beside.bind(one.getsockname())
        beside.connect(to)
        beside.setblocking(False)
        one.setblocking(False)
        links.append((one, beside))
    while True:
        for one, beside in links:
            with contextlib.suppress(OSError):
                one.recv(1 << 16)
            with contextlib.suppress(OSError):
                beside.send(bytes([0, 0, 0x61, 0x6c]) * 300)


def ask(to, source):
    """Queries of Ace of Spades."""
    sockets = [source.bind(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(source.addresses)]
    while True:
        for one in sockets:
            one.sendto(b"HELLO", to)
            one.sendto(b"HELLOLAN", to)


def peers_of(to, source):
    """Peers over ENet, which are connected."""
    peers = []
    for _ in range(20):
        one = Enet(to, source)
        until = time.monotonic() + 2
        one.link.settimeout(0.2)
        while not one.joined and time.monotonic() < until:
            with contextlib.suppress(TimeoutError):
                one.read()
        one.link.setblocking(False)
        peers.append(one)
    return peers


def packets(to, source):
    """Each datagram has 60 unreliable packets: a new direction of the view."""
    peers = peers_of(to, source)
    view = b"\x01" + struct.pack("<fff", 1, 0, 0)
    while True:
        for one in peers:
            commands = b"".join(struct.pack(">BBHHH", 7, 0, 0, number, len(view)) + view for number in range(60))
            with contextlib.suppress(OSError):
                one.transmit(commands)
                one.read()


def fragments(to, source):
    """Each datagram is the first fragment of another reliable packet. No packet is ever complete."""
    peers, number = peers_of(to, source), 0
    while True:
        number = number % 60_000 + 2
        for one in peers:
            with contextlib.suppress(OSError):
                one.transmit(struct.pack(">BBHHHIIII", 0x88, 0, number, number, 1000, 2, 0, 2000, 0) + b"x" * 1000)
                one.read()


def unacknowledged(to, source):
    for number in range(3000):
        with source.bind(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as one:
            one.sendto(enet_connect(number + 1), to)
    signal_end()


def lie():
    """A server of native that sends empty messages without a pause to whoever connects. Prints its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        print("127.0.0.1:%d" % server.getsockname()[1], flush=True)
        server.setblocking(False)
        with selectors.DefaultSelector() as ready:
            ready.register(server, selectors.EVENT_READ)
            rest, flood = {}, b"\0\0\0\0" * 15_000
            while True:
                for key, _ in ready.select():
                    try:
                        if key.fileobj is server:
                            one, _ = server.accept()
                            one.setblocking(False)
                            ready.register(one, selectors.EVENT_WRITE)
                        else:
                            one = key.fileobj
                            rest[one] = (rest.get(one) or flood)[one.send(rest.get(one) or flood):]
                    except BlockingIOError:
                        continue
                    except OSError:
                        ready.unregister(key.fileobj)


# -- Players -----------------------------------------------------------------------------------------------------------

class Player:
    """Joins, then sends a message every EVERY seconds, unless the last one is still unanswered."""

    def __init__(self, to):
        self.heard, self.joined, self.sent, self.waits = b"", False, 0.0, False
        self.milliseconds = []
        self.link = self.open(to)
        self.link.setblocking(False)

    def open(self, to):
        return socket.create_connection(to)

    def turn(self, now):
        if self.joined and not self.waits and now >= self.sent + EVERY:
            self.sent, self.waits = now, True
            self.say()

    def answered(self):
        if self.waits:
            self.milliseconds.append((time.monotonic() - self.sent) * 1000)
            self.waits = False

    def read(self):
        data = self.link.recv(65536)
        if not data:
            raise RuntimeError(f"the relay closed the connection of {type(self).__name__}")
        self.heard += data
        self.hear()


def frame_length(heard):
    return 4 + struct.unpack(">H", heard[:2])[0] if len(heard) >= 4 else None


class Bzflag(Player):
    """Through the relay, to the echo server."""
    GREETING = 9 + 12

    def open(self, to):
        link = socket.create_connection(to)
        link.sendall(b"BZFLAG\r\n\r\n")
        return link

    def hear(self):
        if not self.joined and len(self.heard) >= self.GREETING:
            self.heard, self.joined = self.heard[self.GREETING:], True
        elif self.joined and len(self.heard) >= 64:
            self.heard = self.heard[64:]
            self.answered()

    def say(self):
        self.link.send(struct.pack(">HHBBB", 60, 0x6d67, 254, 1, 1) + b"." * 56 + b"\0")


class Bridged(Player):
    """Through the bridge, to the native server: each of its poses is answered with another player's."""
    ACCEPT, ALIVE, UPDATES = 0x6163, 0x616c, (0x7075, 0x7073)
    greeted = False

    def open(self, to):
        link = socket.create_connection(to)
        link.sendall(b"BZFLAG\r\n\r\n")
        return link

    def hear(self):
        if not self.greeted:
            if len(self.heard) < Bzflag.GREETING:
                return
            self.id, self.greeted, self.heard, self.order = self.heard[8], True, self.heard[Bzflag.GREETING:], 0
            self.link.send(bytes([0, 246, 0x65, 0x6e, 0, 0, 0, 0]) + b"bench".ljust(242, b"\0"))
        while (length := frame_length(self.heard)) and len(self.heard) >= length:
            code, body = struct.unpack(">H", self.heard[2:4])[0], self.heard[4:length]
            self.heard = self.heard[length:]
            if code == self.ACCEPT:
                self.link.send(bytes([0, 0, 0x61, 0x6c]))
            elif code == self.ALIVE and body[:1] == bytes([self.id]):
                self.joined = True
            elif code in self.UPDATES:
                self.answered()

    def say(self):
        self.order += 1
        head = struct.pack(">HHfBiH", 43, 0x7075, 0, self.id, self.order, 1)
        self.link.send(head + b"\x3f" * (47 - len(head)))


class Web(Player):
    """Through the relay of WebSocket, to an arena: each ping of WebSocket is answered."""

    GREETING = in_frame(2, struct.pack("<BI", 1, 3))  # of Ogar

    def open(self, to):
        link = socket.create_connection(to)
        link.sendall(UPGRADE)
        return link

    def hear(self):
        if not self.joined and b"\r\n\r\n" in self.heard:
            self.heard, self.joined = self.heard.split(b"\r\n\r\n", 1)[1], True
            self.link.send(self.GREETING)
        while self.joined and len(self.heard) >= 4:
            size, start = self.heard[1] & 127, 2
            if size == 126:
                size, start = struct.unpack(">H", self.heard[2:4])[0], 4
            elif size == 127:
                if len(self.heard) < 10:
                    return
                size, start = struct.unpack(">Q", self.heard[2:10])[0], 10
            if len(self.heard) < start + size:
                return
            if self.heard[0] & 15 == 10:
                self.answered()
            self.heard = self.heard[start + size:]

    def say(self):
        self.link.send(in_frame(9, b"ping"))


class InArena(Web):
    """In an arena of the same worker: each ping of WebSocket is answered."""
    GREETING = in_frame(1, b'{"enter":{"name":"honest"}}')


def enet_connect(number):
    """A datagram that asks for a connection over ENet."""
    command = struct.pack(">BBH", 0x82, 0xFF, 1)
    body = struct.pack(">HBBIIIIIIIIII", number & 0xFFF, 0xFF, 0xFF, 1400, 32768, 1, 0, 0, 5000, 2, 2, number, 3)
    return struct.pack(">HH", 0x8FFF, 0) + command + body


class Enet(Player):
    """Through the relay of ENet: each of its pings is acknowledged."""
    ACKNOWLEDGE, VERIFY = 1, 3
    SIZES = {1: 8, 2: 48, 3: 44, 4: 8, 5: 4, 6: 6, 7: 8, 8: 24, 9: 8, 10: 12, 11: 16, 12: 24}
    LENGTH_AT = {6: 4, 7: 6, 8: 6, 9: 6, 12: 6}  # where a command says how much data follows it
    COMPRESSED, STAMPED = 0x4000, 0x8000
    peer, number = 0, 1

    def __init__(self, to, source=None):
        self.source = source
        super().__init__(to)

    def open(self, to):
        self.library = ctypes.CDLL("libenet.so.7")
        self.library.enet_range_coder_create.restype = ctypes.c_void_p
        self.library.enet_range_coder_decompress.restype = ctypes.c_size_t
        self.coder = ctypes.c_void_p(self.library.enet_range_coder_create())
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if self.source:
            self.source.bind(link)
        link.connect(to)
        link.send(enet_connect(7))
        return link

    def read(self):
        data = self.link.recv(65536)
        flags, = struct.unpack(">H", data[:2])
        start = 4 if flags & self.STAMPED else 2
        commands, stamp = data[start:], data[2:4]
        if flags & self.COMPRESSED:
            out = ctypes.create_string_buffer(4096)
            size = self.library.enet_range_coder_decompress(self.coder, commands, ctypes.c_size_t(len(commands)), out,
                                                            ctypes.c_size_t(len(out)))
            commands = out.raw[:size]
        at = 0
        while at + 4 <= len(commands):
            kind = commands[at] & 15
            if kind == self.VERIFY and not self.joined:
                peer, session = struct.unpack(">HB", commands[at + 4:at + 7])
                self.peer, self.joined = peer | (session & 3) << 12, True
            if kind == self.ACKNOWLEDGE:
                self.answered()
            if commands[at] & 0x80:
                number = commands[at + 2:at + 4]
                self.transmit(b"\x01" + commands[at + 1:at + 2] + number + number + stamp)
            if kind in self.LENGTH_AT:
                where = at + self.LENGTH_AT[kind]
                at += struct.unpack(">H", commands[where:where + 2])[0]
            at += self.SIZES.get(kind, len(commands))

    def transmit(self, command):
        stamp = int(time.monotonic() * 1000) & 0xFFFF
        self.link.send(struct.pack(">HH", self.STAMPED | self.peer, stamp) + command)

    def say(self):
        self.number = self.number + 1 & 0xFFFF
        self.transmit(struct.pack(">BBH", 0x85, 0xFF, self.number))


PLAYERS = {RELAY: Bzflag, BRIDGE: Bridged, WEB: Web, ENET: Enet, ARENA: InArena}


def play(addresses, seconds):
    """Prints a line once all have joined, then each player's waits in ms."""
    players = {name: PLAYERS[name](address(to)) for name, to in addresses.items()}
    with selectors.DefaultSelector() as ready:
        for one in players.values():
            ready.register(one.link, selectors.EVENT_READ, one)
        until = time.monotonic() + JOIN_LIMIT
        began = None
        while (now := time.monotonic()) < until:
            if began is None and all(one.joined for one in players.values()):
                began, until = now, now + seconds
                print("in", flush=True)
            for one in players.values() if began else ():
                one.turn(now)
            for key, _ in ready.select(0.002):
                key.data.read()
    if began is None:
        raise RuntimeError(f"not in: {[name for name, one in players.items() if not one.joined]}")
    for one in players.values():
        if one.waits:
            one.milliseconds.append((time.monotonic() - one.sent) * 1000)
    print(json.dumps({name: one.milliseconds for name, one in players.items()}))


# -- The measurement ---------------------------------------------------------------------------------------------------

@functools.cache
def certificate():
    """A temporary folder with cert-BITS.pem and key-BITS.pem. Made once: that takes seconds."""
    made = tempfile.TemporaryDirectory(prefix="entente-bench-")
    for bits in ("2048", "4096"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", f"rsa:{bits}", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-keyout", f"{made.name}/key-{bits}.pem", "-out", f"{made.name}/cert-{bits}.pem"],
                       check=True, stderr=subprocess.DEVNULL)
    return made


class Proxy(contenders.Announcing):
    """One worker with default limits: a route for each transport, and an arena with a broadcast."""

    def __init__(self, build, routes):
        super().__init__("entente", set(), str(build / "entente"), self.arrange)
        self.routes = routes
        names = [*routes, *ARENA_URLS, WATCHED, METRICS]
        ports = set()
        while len(ports) < len(names):
            ports.add(contenders.free_port())
        self.listeners = {name: f"127.0.0.1:{port}" for name, port in zip(names, ports)}

    def arrange(self, servers, folder):
        keys = certificate().name
        urls = ", ".join(json.dumps(re.sub("(CERT|KEY)-(\\d+)", lambda file: f"{keys}/{file[1].lower()}-{file[2]}.pem",
                                           url.format(self.listeners[name]))) for name, url in ARENA_URLS.items())
        text = '[log]\nlevel = "warn"\n'
        text += "".join(ROUTE.format(url.format(self.listeners[name]), to) for name, (url, to) in self.routes.items())
        text += ARENA_CONF.format(urls, f"native+ws://{self.listeners[WATCHED]}?dialect=json", self.listeners[METRICS])
        (folder / "conf").write_text(text)
        return ["run", folder / "conf"]

    def start(self, echo, folder):
        process, _ = super().start(echo, folder)
        for name, where in self.listeners.items():
            if name not in (ENET, ARENA_UDP):
                contenders.wait_until_listening(process, int(where.rsplit(":", 1)[1]))
        return process, self.listeners


def helper(*words):
    return contenders.spawn([sys.executable, __file__, *words], contenders.LOAD_CORE, stdout=subprocess.PIPE)


def cell(build, load, kind, listener, addresses):
    """Each player's waits in ms."""
    with contextlib.ExitStack() as stack:
        def arena(url):
            one = contenders.arena_of(build, url.format("127.0.0.1:0"), 8)
            one.core = contenders.LOAD_CORE
            return url.format(stack.enter_context(one.running(None))[0])

        bzflag = "bzflag://{}?dialect=2.4"
        routes = {RELAY: (bzflag, bzflag.format(load.echo)), BRIDGE: (bzflag, f"native://{load.native}"),
                  WEB: (WEB_URL, arena(WEB_URL)), ENET: (ENET_URL, arena(ENET_URL))}
        liar = helper("lie")
        stack.callback(contenders.kill, liar)
        lies = f"native://{liar.stdout.readline().strip()}?dialect=protobuf"
        routes[LIED_TO] = ("native://{}?dialect=json", lies)
        listeners, _ = stack.enter_context(Proxy(build, routes).running(None))
        players = helper("play", json.dumps({name: listeners[name] for name in PLAYERS}), str(SECONDS))
        stack.callback(contenders.kill, players)
        if players.stdout.readline() != "in\n":
            raise RuntimeError("the players did not get in (see above)")
        if kind:
            stack.callback(contenders.kill, helper("crowd", kind, listeners[listener], listener, str(addresses)))
        return json.loads(players.stdout.readline())


def measure(chosen, build, load):
    results = {}
    for number in range(chosen.rounds):
        for flood in FLOODS:
            print(f"floods, round {number + 1} of {chosen.rounds}: {flood}", file=sys.stderr)
            for name, waited in cell(build, load, *flood).items():
                results.setdefault(flood, {}).setdefault(name, []).append(sorted(waited))
    return table(results)


def words(rounds):
    """The medians of the rounds, and the worst of all."""
    def median(values):
        return sorted(values)[len(values) // 2]

    half = median([waited[len(waited) // 2] for waited in rounds])
    p99 = median([waited[min(len(waited) - 1, int(len(waited) * 0.99))] for waited in rounds])
    return f"{half:.1f} / {p99:.0f} / {worst(rounds):.0f}"


def worst(rounds):
    """The median of the rounds' longest waits."""
    longest = sorted(waited[-1] for waited in rounds)
    return longest[len(longest) // 2]


def table(results):
    lines = [report.command() + f": {SECONDS} s a cell, one worker, default limits. p50 / p99 / worst of a player's round trips, "
             "in ms; medians of the rounds.",
             report.surroundings() + ".", "",
             report.row(["crowd", "at the listener", "from addresses", *(f"player: {name}" for name in PLAYERS)]),
             report.row(["---", "---", "--:", *["--:"] * len(PLAYERS)])]
    for (kind, listener, addresses), cells in results.items():
        lines.append(report.row([kind or "none", listener, str(addresses if kind else 0),
                                 *(words(cells[name]) for name in PLAYERS)]))
    lines.append("")
    for addresses, aim in AIMS_MS.items():
        longest = max(worst(rounds) for (_, _, by), cells in results.items() if by == addresses for rounds in cells.values())
        lines.append(f"Worst wait, {addresses} address{'es' if addresses > 1 else ''}: {longest:.0f} ms; wanted: at most {aim} ms.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1] == "play":
        play(json.loads(sys.argv[2]), float(sys.argv[3]))
        sys.exit()
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    if sys.argv[1] == "lie":
        lie()
    else:
        crowd(sys.argv[2], address(sys.argv[3]), sys.argv[4], Source(int(sys.argv[5])))
