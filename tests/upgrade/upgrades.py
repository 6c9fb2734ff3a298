#!/usr/bin/env python3
"""Upgrades a running `entente run` again and again under players, and checks that none of them notices.

Players of five kinds (TCP, WebSocket with TLS, BZFlag's TCP with UDP, ENet in mode=packets and in mode=datagrams) send
numbered messages to echo servers through one entente. Meanwhile a new entente takes over from the running one,
`--upgrades` times; with `--kills`, some of the new processes are killed half-way. Each answer must have the bytes of its
message. New players connect all the time, and all must be served. Old processes must end once their players have left.

    tests/upgrade/upgrades.py build/release/entente --sessions 200 --upgrades 50 --kills 10
"""
import argparse
import base64
import ctypes
import ctypes.util
import errno
import hashlib
import os
import random
import selectors
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 30.0
KINDS = ("tcp", "wss", "bzflag", "packets", "datagrams")


processes = []  # of entente


def fail(text):
    print("FAILED:", text, flush=True)
    for one in processes:
        one.process.kill()
    os._exit(1)


# -- Echo servers ------------------------------------------------------------------------------------------------------

def listen():
    server = socket.create_server(("127.0.0.1", 0), backlog=4096)
    return server, server.getsockname()[1]


def in_thread(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


def read_exactly(link, size):
    data = b""
    while len(data) < size:
        some = link.recv(size - len(data))
        if not some:
            raise EOFError
        data += some
    return data


def quietly(function):
    def wrapped(*arguments):
        try:
            function(*arguments)
        except (OSError, EOFError):
            pass
    return wrapped


@quietly
def echo_stream(link):
    while True:
        data = link.recv(65536)
        if not data:
            return
        link.sendall(data)


def read_web_message(link):
    first, size = read_exactly(link, 2)
    masked, size = size & 0x80, size & 0x7F
    if size == 126:
        size = struct.unpack(">H", read_exactly(link, 2))[0]
    mask = read_exactly(link, 4) if masked else b"\0\0\0\0"
    data = read_exactly(link, size)
    return first & 0xF, bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


def web_message(data, masked):
    head = bytes([0x81, (0x80 if masked else 0) | (len(data) if len(data) < 126 else 126)])
    if len(data) >= 126:
        head += struct.pack(">H", len(data))
    return head + (b"\0\0\0\0" if masked else b"") + data


@quietly
def echo_web(link):
    request = b""
    while b"\r\n\r\n" not in request:
        request += read_exactly(link, 1)
    key = next(line.split(b":")[1].strip() for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    link.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    while True:
        opcode, data = read_web_message(link)
        if opcode == 8:
            return
        link.sendall(web_message(data, False))


@quietly
def echo_bzflag(link):
    read_exactly(link, 10)
    link.sendall(b"BZFS0221" + bytes([random.randrange(200)]))
    echo_stream(link)


def serve_streams(echo):
    server, port = listen()

    def talk(link):
        with link:  # otherwise run() would keep the last link open
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            echo(link)

    def run():
        while True:
            in_thread(talk, server.accept()[0])
    in_thread(run)
    return port


def serve_datagrams(port):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", port))

    def run():
        while True:
            data, sender = udp.recvfrom(2048)
            udp.sendto(data, sender)
    in_thread(run)


# -- ENet --------------------------------------------------------------------------------------------------------------

class EnetAddress(ctypes.Structure):
    _fields_ = [("host", ctypes.c_uint32), ("port", ctypes.c_uint16)]


class EnetPacket(ctypes.Structure):
    _fields_ = [("references", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class EnetEvent(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("peer", ctypes.c_void_p), ("channel", ctypes.c_uint8), ("data", ctypes.c_uint32),
                ("packet", ctypes.POINTER(EnetPacket))]


CONNECT, DISCONNECT, RECEIVE, RELIABLE = 1, 2, 3, 1
enet = ctypes.CDLL(ctypes.util.find_library("enet") or "libenet.so.7")
for name, result, arguments in (
        ("enet_host_create", ctypes.c_void_p, [ctypes.POINTER(EnetAddress), ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint32]),
        ("enet_host_compress_with_range_coder", ctypes.c_int, [ctypes.c_void_p]),
        ("enet_host_connect", ctypes.c_void_p, [ctypes.c_void_p, ctypes.POINTER(EnetAddress), ctypes.c_size_t, ctypes.c_uint32]),
        ("enet_host_service", ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(EnetEvent), ctypes.c_uint32]),
        ("enet_host_flush", None, [ctypes.c_void_p]),
        ("enet_host_destroy", None, [ctypes.c_void_p]),
        ("enet_packet_create", ctypes.POINTER(EnetPacket), [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]),
        ("enet_packet_destroy", None, [ctypes.POINTER(EnetPacket)]),
        ("enet_peer_send", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint8, ctypes.POINTER(EnetPacket)]),
        ("enet_peer_disconnect", None, [ctypes.c_void_p, ctypes.c_uint32]),
        ("enet_initialize", ctypes.c_int, [])):
    function = getattr(enet, name)
    function.restype, function.argtypes = result, arguments
enet.enet_initialize()


def loopback(port):
    return ctypes.byref(EnetAddress(struct.unpack("=I", socket.inet_aton("127.0.0.1"))[0], port))


def take(packet):
    data = ctypes.string_at(packet.contents.data, packet.contents.size)
    enet.enet_packet_destroy(packet)
    return data


def serve_enet():
    free = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    host = enet.enet_host_create(loopback(port), 2000, 1, 0, 0)
    enet.enet_host_compress_with_range_coder(host)

    def run():
        event = EnetEvent()
        while True:
            if enet.enet_host_service(host, ctypes.byref(event), 5) > 0 and event.type == RECEIVE:
                data = take(event.packet)
                enet.enet_peer_send(event.peer, 0, enet.enet_packet_create(data, len(data), RELIABLE))
                enet.enet_host_flush(host)
    in_thread(run)
    return port


# -- Players -----------------------------------------------------------------------------------------------------------

class Lost(Exception):
    pass


def said(number, size=None):
    """A line of JSON, which native passes; other games pass it in a frame."""
    return b'{"say":{"text":"%d %s"}}\n' % (number, b"x" * (size or random.randrange(1, 400)))


class StreamPlayer:
    def __init__(self, port, source=None):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=source)
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lost_datagrams = 0

    def talk(self, number):
        data = said(number)
        self.link.sendall(data)
        if read_exactly(self.link, len(data)) != data:
            raise Lost("other bytes came back")

    def close(self):
        self.link.close()


class WebPlayer(StreamPlayer):
    def __init__(self, port):
        super().__init__(port)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.link = context.wrap_socket(self.link)
        self.link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += read_exactly(self.link, 1)
        if b" 101 " not in answer:
            raise Lost("no upgrade: %r" % answer)

    def talk(self, number):
        data = said(number).strip()
        self.link.sendall(web_message(data, True))
        if read_web_message(self.link) != (1, data):
            raise Lost("another message came back")


class BzflagPlayer(StreamPlayer):
    def __init__(self, port):
        while True:  # until a port is free for both
            self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.udp.bind(("127.0.0.1", 0))
            try:
                super().__init__(port, self.udp.getsockname())
                break
            except OSError as error:
                self.udp.close()
                if error.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
                    raise
        self.link.sendall(b"BZFLAG\r\n\r\n")
        if read_exactly(self.link, 9)[:8] != b"BZFS0221":
            raise Lost("no greeting")
        self.udp.connect(self.link.getpeername())
        self.udp.settimeout(2)

    def talk(self, number):
        text = said(number)
        data = struct.pack(">H2s", len(text), b"mg") + text
        self.link.sendall(data)
        if read_exactly(self.link, len(data)) != data:
            raise Lost("other bytes came back")
        data = struct.pack(">H2s", 8, b"pi") + struct.pack(">Q", number)
        self.udp.send(data)
        while True:
            try:
                if self.udp.recv(2048) == data:
                    return
            except (TimeoutError, ConnectionRefusedError):
                self.lost_datagrams += 1
                return

    def close(self):
        self.udp.close()
        super().close()


class EnetPlayer:
    def __init__(self, port):
        self.lost_datagrams = 0
        self.host = enet.enet_host_create(None, 1, 1, 0, 0)
        enet.enet_host_compress_with_range_coder(self.host)
        self.peer = enet.enet_host_connect(self.host, loopback(port), 1, 3)
        self.wait(CONNECT)

    def wait(self, wanted):
        event = EnetEvent()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if enet.enet_host_service(self.host, ctypes.byref(event), 20) <= 0:
                continue
            data = take(event.packet) if event.type == RECEIVE else None
            if event.type == wanted:
                return data
            raise Lost("ENet says %d with %d" % (event.type, event.data))
        raise Lost("ENet says nothing")

    def talk(self, number):
        data = said(number)
        enet.enet_peer_send(self.peer, 0, enet.enet_packet_create(data, len(data), RELIABLE))
        enet.enet_host_flush(self.host)
        if self.wait(RECEIVE) != data:
            raise Lost("another packet came back")

    def close(self):
        enet.enet_peer_disconnect(self.peer, 0)
        try:
            self.wait(DISCONNECT)
        finally:
            enet.enet_host_destroy(self.host)


PLAYERS = {"tcp": StreamPlayer, "wss": WebPlayer, "bzflag": BzflagPlayer, "packets": EnetPlayer, "datagrams": EnetPlayer}


class Count:
    def __init__(self):
        self.lock = threading.Lock()
        self.gaps = 0  # how often a new process was killed after it had taken over
        self.messages = self.newcomers = self.datagrams = self.datagrams_lost = 0
        self.slowest = {kind: 0.0 for kind in KINDS}

    def add(self, kind, seconds):
        with self.lock:
            self.messages += 1
            self.datagrams += kind == "bzflag"
            self.slowest[kind] = max(self.slowest[kind], seconds)


def play(kind, port, stop, count, joined):
    """One long session."""
    try:
        player = PLAYERS[kind](port)
        number = 0
        while not stop.is_set() or number == 0:
            began = time.monotonic()
            player.talk(number)
            count.add(kind, time.monotonic() - began)
            if number == 0:
                joined.release()
            number += 1
            stop.wait(random.uniform(0.02, 0.3))
        with count.lock:
            count.datagrams_lost += player.lost_datagrams
        player.close()
    except (OSError, EOFError, Lost) as error:
        fail("a player of %s was lost after %d messages: %r" % (kind, number, error))


def come_and_go(kind, port, stop, count):
    """Short sessions of new players, one after another."""
    while not stop.is_set():
        gaps = count.gaps
        try:
            player = PLAYERS[kind](port)
            for number in range(3):
                player.talk(number)
            player.close()
        except (OSError, EOFError, Lost) as error:
            time.sleep(2)
            if count.gaps == gaps:
                fail("a newcomer of %s was not served: %r" % (kind, error))
            continue
        with count.lock:
            count.newcomers += 1
        time.sleep(0.02)


# -- Entente -----------------------------------------------------------------------------------------------------------

class Entente:
    def __init__(self, folder, binary, take_over=True):
        argv = [binary, "run", folder + "/a.toml"]
        if take_over:
            argv += ["--take-over", folder + "/c.sock"]
        self.log = open(folder + "/log.txt", "ab")
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=self.log)
        processes.append(self)

    def listens(self):
        for _ in range(len(KINDS)):
            line = self.process.stdout.readline()
            if not line.startswith(b"listening"):
                fail("entente does not start (%r); its log: %s" % (line, self.log.name))


def answers(path):
    """Whether a process answers on this control socket."""
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(path)
            line.sendall(b"help\n")
            return line.recv(1) != b""
        except OSError:
            return False


def free_port():
    while True:
        tcp = socket.create_server(("127.0.0.1", 0))
        port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.bind(("127.0.0.1", port))
            return port
        except OSError:
            pass
        finally:
            tcp.close()
            udp.close()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("entente")
    options.add_argument("--sessions", type=int, default=50)
    options.add_argument("--upgrades", type=int, default=5)
    options.add_argument("--kills", type=int, default=5, help="new processes that are killed half-way")
    options = options.parse_args()

    folder = tempfile.mkdtemp(prefix="entente-upgrades-")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"],
                   check=True, stderr=subprocess.DEVNULL)
    bzflag = serve_streams(echo_bzflag)
    serve_datagrams(bzflag)
    lines = serve_streams(echo_stream)
    web, aos = serve_streams(echo_web), serve_enet()
    ports = {kind: free_port() for kind in KINDS}
    routes = {
        "tcp": ("native://127.0.0.1:%d?dialect=json", "native://127.0.0.1:%d?dialect=json" % lines),
        "wss": ("native+wss://127.0.0.1:%d?dialect=json&cert=" + folder + "/cert.pem&key=" + folder + "/key.pem",
                "native+ws://127.0.0.1:%d?dialect=json" % web),
        "bzflag": ("bzflag://127.0.0.1:%d?dialect=2.4", "bzflag://127.0.0.1:%d?dialect=2.4" % bzflag),
        "packets": ("aos://127.0.0.1:%d?dialect=0.75", "aos://127.0.0.1:%d?dialect=0.75" % aos),
        "datagrams": ("aos://127.0.0.1:%d?dialect=0.75&mode=datagrams", "aos://127.0.0.1:%d?dialect=0.75" % aos)}
    with open(folder + "/a.toml", "w") as config:
        config.write('workers = 2\n[control]\nsocket = "%s/c.sock"\n[metrics]\nlisten = "127.0.0.1:%d"\n' % (folder, free_port()))
        config.write("[limits]\nsessions = 2000\nsessions_per_address = 2000\nconnects_per_second = 100000\n")
        for kind in KINDS:
            config.write('[[route]]\nlisten = "%s"\nto = "%s"\n' % (routes[kind][0] % ports[kind], routes[kind][1]))

    first = Entente(folder, options.entente, take_over=False)
    first.listens()
    stop, stop_newcomers, count, joined = threading.Event(), threading.Event(), Count(), threading.Semaphore(0)
    players = [threading.Thread(target=play, args=(kind, ports[kind], stop, count, joined), daemon=True)
               for kind in (KINDS * (options.sessions // len(KINDS) + 1))[:options.sessions]]
    for one in players:
        one.start()
        joined.acquire()
    print("%d players are in" % len(players), flush=True)
    comers = [threading.Thread(target=come_and_go, args=(kind, ports[kind], stop_newcomers, count), daemon=True) for kind in KINDS]
    for one in comers:
        one.start()

    killed, times = 0, []
    plan = ["upgrade"] * (options.upgrades - 1) + ["kill"] * options.kills
    random.shuffle(plan)
    plan.insert(0, "upgrade")
    for step in plan:
        began = time.monotonic()
        if step == "kill":
            new = Entente(folder, options.entente)
            time.sleep(random.uniform(0.3, 1.1) * sorted(times)[len(times) // 2])  # most of an upgrade is the start of the process
            new.process.kill()
            new.process.wait()
            processes.remove(new)
            time.sleep(0.1)
            # If it had already taken over, the old processes only serve their players: start a process that does not take over.
            if not answers(folder + "/c.sock"):
                killed += 1
                count.gaps += 1
                restarted = Entente(folder, options.entente, take_over=False)
                restarted.listens()
            continue
        new = Entente(folder, options.entente)
        new.listens()
        times.append(time.monotonic() - began)
        # After each upgrade, a new player joins for the rest of the test, so that some processes keep players.
        kind = KINDS[len(times) % len(KINDS)]
        players.append(threading.Thread(target=play, args=(kind, ports[kind], stop, count, joined), daemon=True))
        players[-1].start()
        joined.acquire()
        time.sleep(random.uniform(0.05, 0.4))
    stop_newcomers.set()
    for one in comers:
        one.join()
    still = sum(1 for one in processes if one.process.poll() is None)
    stop.set()
    for one in players:
        one.join()
    until = time.monotonic() + PATIENCE
    if count.datagrams_lost > count.datagrams / 100:
        fail("%d of %d datagrams of BZFlag were lost" % (count.datagrams_lost, count.datagrams))
    for one in processes[:-1]:
        if one.process.wait(timeout=max(1, until - time.monotonic())) != 0:
            fail("an old entente ended with %d" % one.process.returncode)
    processes[-1].process.terminate()
    if processes[-1].process.wait(timeout=PATIENCE) != 0:
        fail("the last entente ended with %d" % processes[-1].process.returncode)
    if os.path.exists(folder + "/c.sock"):
        fail("the control socket was left behind")
    times.sort()
    print("%d players and %d newcomers through %d upgrades and %d kills (%d of them after the take-over): all were served"
          % (len(players), count.newcomers, options.upgrades, options.kills, killed))
    print("messages %d, each answered by the same bytes; BZFlag datagrams lost: %d; processes at once: %d"
          % (count.messages, count.datagrams_lost, still))
    print("an upgrade took %.0f ms (median), %.0f ms (longest)" % (1000 * times[len(times) // 2], 1000 * times[-1]) if times else "")
    print("the slowest answer, in ms: " + ", ".join("%s %.0f" % (kind, 1000 * count.slowest[kind]) for kind in KINDS))


if __name__ == "__main__":
    main()
