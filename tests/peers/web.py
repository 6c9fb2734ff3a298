# Messages over WebSocket (ws or wss), for clients and servers.
# Invariant: each frame of a game is one WebSocket message.
from __future__ import annotations

import socket
import ssl

from session import Closed, Silent
from websocket import BINARY, CLOSE, Frames, Served, WebSocket

LOOPBACK = "127.0.0.1"
SECONDS = 10.0


class Web:
    """A connection."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames

    def send(self, lane: str, frame: bytes) -> None:
        self.frames.send(frame)

    def receive(self, seconds: float) -> list[tuple[str, bytes]]:
        try:
            if not self.frames.ready(seconds):
                return []
            opcode, payload = self.frames.receive()
        except (EOFError, ConnectionError):
            raise Closed("without a close frame") from None
        if opcode == CLOSE:
            raise Closed(f"{int.from_bytes(payload[:2], 'big')} {payload[2:].decode()}")
        if opcode != BINARY:
            raise AssertionError(f"a frame of opcode {opcode} came: {payload!r}")
        return [("stream", payload)]

    def close(self) -> None:
        """Sends a close frame (1000); does not wait for the answer."""
        try:
            self.frames.send((1000).to_bytes(2, "big"), CLOSE)
        except OSError:
            pass  # the other end has closed already
        self.frames.kill()


def connect(port: int, tls: ssl.SSLContext | None = None) -> Web:
    client = WebSocket(port, tls=tls)
    if client.status != 101:
        raise Closed(f"answered {client.status}")
    return Web(client)


class Listener:
    """A server's port: ws, or wss with `tls`."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._socket, self._tls = socket.create_server((LOOPBACK, 0)), tls
        self.port: int = self._socket.getsockname()[1]

    def accept(self) -> Web:
        self._socket.settimeout(SECONDS)
        try:
            stream, _ = self._socket.accept()
        except TimeoutError:
            raise Silent("nobody connected") from None
        return Web(Served(self._tls.wrap_socket(stream, server_side=True) if self._tls else stream))

    def close(self) -> None:
        self._socket.close()
