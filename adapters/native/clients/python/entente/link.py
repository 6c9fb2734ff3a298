"""A connection that carries lines: TCP, or a WebSocket with one line per text frame.

Invariant: what is kept of a server is at most one message of 16 MiB and one read of 64 KiB. A server that does not read is
noticed when 1 MiB waits for it; its connection is closed all the same.
"""
from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import socket
import ssl
import struct
from typing import Optional

from .codec import LONGEST_LINE
from .errors import ConnectionLost, ProtocolError

CHUNK = 65536
MOST_WAITING = 1024 * 1024
FAREWELL_S = 1.0  # at the end, for what was written
LONGEST_HEAD = 16384  # of the answer to the WebSocket's request


class TcpLink:
    """Lines over TCP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._part = bytearray()  # of a line
        self._looked = 0  # of _part, where there is no end of a line
        sock = writer.get_extra_info("socket")
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    async def _read(self) -> bytes:
        try:
            data = await self._reader.read(CHUNK)
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error
        if not data:
            raise ConnectionLost("the server closed the connection")
        return data

    async def read_lines(self) -> list[bytes]:
        """At least one whole line. Raises ConnectionLost or ProtocolError."""
        while True:
            self._part += await self._read()
            end = self._part.rfind(b"\n", self._looked)
            if end >= 0:
                lines = bytes(self._part[:end]).split(b"\n")
                del self._part[:end + 1]
                self._looked = len(self._part)
                if max(map(len, lines)) > LONGEST_LINE:
                    raise ProtocolError("message", f"longer than {LONGEST_LINE} bytes")
                return lines
            self._looked = len(self._part)
            if len(self._part) > LONGEST_LINE:
                raise ProtocolError("message", f"longer than {LONGEST_LINE} bytes")

    def write_line(self, line: bytes) -> None:
        """Raises ConnectionLost."""
        self._write(line + b"\n")

    def _write(self, data: bytes) -> None:
        transport = self._writer.transport
        if transport.is_closing():
            raise ConnectionLost("the connection is closed")
        if transport.get_write_buffer_size() > MOST_WAITING:
            raise ConnectionLost("the server does not read")
        self._writer.write(data)

    def close(self) -> None:
        """Closes once what was written is sent, at most a second later."""
        self._writer.close()
        asyncio.get_running_loop().call_later(FAREWELL_S, self._writer.transport.abort)

    async def closed(self) -> None:
        """Waits until it is closed, after close()."""
        try:
            await self._writer.wait_closed()
        except OSError:
            pass  # it was lost before


class WebLink(TcpLink):
    """A WebSocket (RFC 6455), as client."""

    TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        self._heard = bytearray()
        self._message = bytearray()  # of frames that belong together

    async def shake_hands(self, host: str, path: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        self._write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while (end := self._heard.find(b"\r\n\r\n")) < 0:
            if len(self._heard) > LONGEST_HEAD:
                raise ProtocolError("HTTP", "the answer has no end")
            self._heard += await self._read()
        head, self._heard = bytes(self._heard[:end]).decode("latin-1"), self._heard[end + 4:]
        first, *rest = head.split("\r\n")
        given = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        wanted = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        if first.split(" ")[1:2] != ["101"] or given.get("sec-websocket-accept") != wanted:
            raise ConnectionLost(f"no WebSocket there: {first[:100]}")

    async def read_lines(self) -> list[bytes]:
        lines: list[bytes] = []
        while not lines:
            while (frame := self._take_frame()) is not None:
                code, last, data = frame
                if code == self.PING:
                    self._write_frame(self.PONG, data)
                elif code == self.CLOSE:
                    why = data[2:].decode("utf-8", "replace")
                    raise ConnectionLost(f"the server closed the connection{': ' + why if why else ''}")
                elif code != self.PONG:
                    self._message += data
                    if len(self._message) > LONGEST_LINE:
                        raise ProtocolError("message", f"longer than {LONGEST_LINE} bytes")
                    if last:
                        lines.append(bytes(self._message))
                        self._message.clear()
            if not lines:
                self._heard += await self._read()
        return lines

    def _take_frame(self) -> Optional[tuple[int, bool, bytes]]:
        """Opcode, whether it ends a message, and data; None if it is not complete."""
        if len(self._heard) < 2:
            return None
        first, size, at = self._heard[0], self._heard[1], 2
        if size & 0x80 or first & 0x70:
            raise ProtocolError("WebSocket", "a frame with a mask or an extension")
        if size >= 126:
            at = 4 if size == 126 else 10
            if len(self._heard) < at:
                return None
            size = int.from_bytes(self._heard[2:at], "big")
        if size > LONGEST_LINE:
            raise ProtocolError("message", f"longer than {LONGEST_LINE} bytes")
        if len(self._heard) < at + size:
            return None
        data = bytes(self._heard[at:at + size])
        del self._heard[:at + size]
        return first & 15, bool(first & 0x80), data

    def write_line(self, line: bytes) -> None:
        self._write_frame(self.TEXT, line)

    def _write_frame(self, code: int, data: bytes) -> None:
        size = len(data)
        head = struct.pack("!BB", 0x80 | code, 0x80 | size) if size < 126 else struct.pack("!BBH", 0x80 | code, 0xFE, size) \
            if size < 65536 else struct.pack("!BBQ", 0x80 | code, 0xFF, size)
        mask = os.urandom(4)
        key = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
        self._write(head + mask + masked)


async def open_link(host: str, port: int, *, web: bool = False, tls: bool | ssl.SSLContext = False, path: str = "/") -> TcpLink:
    """Connects. Raises ConnectionLost or ProtocolError. The caller limits the time."""
    context = ssl.create_default_context() if tls is True else tls or None
    try:
        reader, writer = await asyncio.open_connection(host, port, ssl=context, limit=CHUNK)
    except OSError as error:
        raise ConnectionLost(f"cannot connect to {host}:{port}: {error}") from error
    if not web:
        return TcpLink(reader, writer)
    link = WebLink(reader, writer)
    try:
        await link.shake_hands(f"[{host}]:{port}" if ":" in host else f"{host}:{port}", path)
    except BaseException:
        link.close()
        raise
    return link
