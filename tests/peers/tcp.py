# Frames over TCP, and datagrams on the same port number, as in BZFlag; for clients and servers.
# Invariant: bytes are cut into frames only by the sizes that the codec reports.
from __future__ import annotations

import select
import socket
import time
from typing import Callable

from session import Closed, Silent

LOOPBACK = "127.0.0.1"
SECONDS = 10.0
# The size of the frame at the start of these bytes; None if not known yet. The bool: whether it is the connection's first frame.
Size = Callable[[bytes, bool], "int | None"]


def paired() -> tuple[socket.socket, socket.socket]:
    """A TCP and a UDP socket with the same port number, which the kernel chooses."""
    while True:
        stream, datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        stream.bind((LOOPBACK, 0))
        try:
            datagrams.bind(stream.getsockname())
            return stream, datagrams
        except OSError:  # the UDP port is taken
            stream.close()
            datagrams.close()


class Tcp:
    """A connection. Datagrams go to `peer` at first, then to the sender of the last datagram that was received."""

    def __init__(self, stream: socket.socket, datagrams: socket.socket, peer: tuple[str, int] | None, size: Size) -> None:
        self.stream, self.datagrams, self._peer, self._size = stream, datagrams, peer, size
        self._owns_datagrams = peer is not None
        self._bytes, self._first = b"", True
        stream.settimeout(SECONDS)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, lane: str, frame: bytes) -> None:
        if lane == "datagram":
            self.datagrams.sendto(frame, self._peer)
        else:
            self.stream.sendall(frame)

    def receive(self, seconds: float) -> list[tuple[str, bytes]]:
        end, frames = time.monotonic() + seconds, []
        while not frames and (left := end - time.monotonic()) > 0:
            ready = select.select([self.stream, self.datagrams], [], [], left)[0]
            if self.datagrams in ready:
                datagram, self._peer = self.datagrams.recvfrom(65536)
                frames.append(("datagram", datagram))
            elif self.stream in ready:
                frames += [("stream", frame) for frame in self._cut()]
        return frames

    def _cut(self) -> list[bytes]:
        try:
            data = self.stream.recv(65536)
        except ConnectionError as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed(f"{len(self._bytes)} bytes of a frame had come")
        self._bytes += data
        frames = []
        while (size := self._size(self._bytes, self._first)) is not None and size <= len(self._bytes):
            frames.append(self._bytes[:size])
            self._bytes, self._first = self._bytes[size:], False
        return frames

    def close(self) -> None:
        self.stream.close()
        if self._owns_datagrams:
            self.datagrams.close()


class Listener:
    """A server's port, TCP and UDP."""

    def __init__(self) -> None:
        self._stream, self._datagrams = paired()
        self._stream.listen()
        self.port: int = self._stream.getsockname()[1]

    def accept(self, size: Size) -> Tcp:
        self._stream.settimeout(SECONDS)
        try:
            stream, _ = self._stream.accept()
        except TimeoutError:
            raise Silent("nobody connected") from None
        return Tcp(stream, self._datagrams, None, size)

    def close(self) -> None:
        self._stream.close()
        self._datagrams.close()


def connect(port: int, size: Size) -> Tcp:
    stream, datagrams = paired()
    stream.settimeout(SECONDS)
    stream.connect((LOOPBACK, port))
    return Tcp(stream, datagrams, (LOOPBACK, port), size)
