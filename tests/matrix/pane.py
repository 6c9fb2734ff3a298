#!/usr/bin/env python3
# tests/matrix/pane.py PORT LOG: a forwarder on loopback in front of PORT, for TCP and UDP, that logs the time of each piece.
# Invariant: it knows no game and none of our code. The arrival time of a piece is the kernel's timestamp, so that our own delays do not count; the
# departure time is taken just before it is sent. It is a separate process, because a thread of a busy process would wait for its turn.
from __future__ import annotations

import selectors
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import BinaryIO, Iterator

HEAD = struct.Struct("<QQI??I")  # came, went, link, up, datagram, size of what follows
SO_TIMESTAMPNS, STAMP = 35, struct.Struct("@qq")
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Piece:
    """Bytes that were read at once. Times are nanoseconds since the epoch; `up` is to the server."""
    came: int
    went: int
    link: int
    up: bool
    datagram: bool
    data: bytes


def pieces(path: str) -> Iterator[Piece]:
    """All complete pieces of a log that may still grow."""
    with open(path, "rb") as log:
        data, at = log.read(), 0
    while at + HEAD.size <= len(data):
        *fields, size = HEAD.unpack_from(data, at)
        if at + HEAD.size + size > len(data):
            return
        yield Piece(*fields, data[at + HEAD.size:at + HEAD.size + size])
        at += HEAD.size + size


class Pane:
    def __init__(self, to_port: int, log: BinaryIO) -> None:
        self.to_port, self._log, self._links = to_port, log, 0
        self._wakes = selectors.DefaultSelector()
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port = self._listener.getsockname()[1]
        self._below = stamped(socket.socket(type=socket.SOCK_DGRAM))
        self._below.bind((LOOPBACK, self.port))
        self._upstreams: dict[tuple, tuple[socket.socket, int]] = {}  # by the address that a datagram came from
        self._wakes.register(self._listener, selectors.EVENT_READ, lambda: self._accept())
        self._wakes.register(self._below, selectors.EVENT_READ, lambda: self._from_client())

    def run(self) -> None:
        while True:
            for key, _ in self._wakes.select():
                key.data()
            self._log.flush()

    def _note(self, came: int, went: int, link: int, up: bool, datagram: bool, data: bytes) -> None:
        self._log.write(HEAD.pack(came, went, link, up, datagram, len(data)) + data)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        server = socket.create_connection((LOOPBACK, self.to_port))
        self._links += 1
        for one, other, up in ((client, server, True), (server, client, False)):
            stamped(one).setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._wakes.register(one, selectors.EVENT_READ, lambda one=one, other=other, up=up, link=self._links: self._pass(one, other, up, link))

    def _pass(self, one: socket.socket, other: socket.socket, up: bool, link: int) -> None:
        try:
            data, came, _ = receive(one)
            if data:
                went = time.time_ns()
                other.sendall(data)
                return self._note(came, went, link, up, False, data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one side is closed; the other is closed when it notices
        return self._wakes.unregister(one)

    def _from_client(self) -> None:
        data, came, address = receive(self._below)
        if address not in self._upstreams:
            self._links += 1
            self._upstreams[address] = self._dial(), self._links
            self._wakes.register(self._upstreams[address][0], selectors.EVENT_READ, lambda: self._from_server(address))
        upstream, link = self._upstreams[address]
        went = time.time_ns()
        try:
            upstream.send(data)
        except OSError:
            return  # nothing listens there any more
        self._note(came, went, link, True, True, data)

    def _from_server(self, address: tuple) -> None:
        upstream, link = self._upstreams[address]
        try:
            data, came, _ = receive(upstream)
        except OSError:
            return
        went = time.time_ns()
        self._below.sendto(data, address)
        self._note(came, went, link, False, True, data)

    def _dial(self) -> socket.socket:
        """bzfs 2.4 links no UDP port whose low byte is 0 to 3."""
        while True:
            upstream = stamped(socket.socket(type=socket.SOCK_DGRAM))
            upstream.bind((LOOPBACK, 0))
            if upstream.getsockname()[1] & 0xFF > 3:
                upstream.connect((LOOPBACK, self.to_port))
                return upstream
            upstream.close()


def stamped(one: socket.socket) -> socket.socket:
    one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return one


def receive(one: socket.socket) -> tuple[bytes, int, tuple | None]:
    """The data, the kernel's time of its arrival (of several segments: of the last), and the sender."""
    data, extras, _, address = one.recvmsg(65536, 64)
    now = time.time_ns()
    for _, kind, stamp in extras:
        if kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = STAMP.unpack(stamp)
            return data, seconds * 10**9 + nanoseconds, address
    return data, now, address  # the first data of a socket may have no timestamp


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as log:
        pane = Pane(int(sys.argv[1]), log)
        print(f"pane {pane.port}", flush=True)
        pane.run()
