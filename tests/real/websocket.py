# WebSocket clients and servers over a plain socket or TLS, written from RFC 6455 and independent of our code.
import base64
import hashlib
import os
import re
import select
import socket
import struct
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
# MultiOgarII takes a client without these headers for a minion.
BROWSER = ("User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari\r\n"
           "Cache-Control: no-cache\r\n")
KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Frames:
    """Frames over a connected socket; a client masks what it sends. REQUIRES: neither side sends a message in parts."""

    def __init__(self, stream, masks):
        self.socket, self._masks = stream, masks
        stream.settimeout(10)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _read_head(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._read(1)
        return head

    def send(self, payload, opcode=BINARY):
        size, top = len(payload), 0x80 if self._masks else 0
        if size < 126:
            length = bytes([top | size])
        else:
            length = bytes([top | 126]) + struct.pack(">H", size) if size < 65536 else bytes([top | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4) if self._masks else b""
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + _masked(payload, mask))

    def receive(self):
        """The next frame as (opcode, payload)."""
        first, second = self._read(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self._read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._read(8))[0]
        mask = self._read(4) if second & 0x80 else b""
        return first & 15, _masked(self._read(size), mask)

    def ready(self, seconds):
        """Whether data can be received within that time."""
        pending = getattr(self.socket, "pending", None)  # select does not see what TLS has already decrypted
        return bool(pending and pending()) or bool(select.select([self.socket], [], [], seconds)[0])

    def messages(self, seconds):
        """The messages that arrive within that time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.ready(left):
                yield self.receive()

    def close_frame(self, seconds=10):
        """Waits for the other side's close frame: (code, reason), or None if the connection ends without one."""
        try:
            for opcode, payload in self.messages(seconds):
                if opcode == CLOSE:
                    return (struct.unpack(">H", payload[:2])[0], payload[2:].decode()) if payload else (1005, "")
        except (EOFError, ConnectionError):
            pass
        return None

    def kill(self):
        self.socket.close()


def _masked(payload, mask):
    if not mask:
        return payload
    size = len(payload)
    key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(size, "big")


class WebSocket(Frames):
    """A client; `tls` is an ssl.SSLContext for wss. `status` is the server's HTTP status, 101 if it accepted the upgrade."""

    def __init__(self, port, path="/", tls=None):
        stream = socket.create_connection(("127.0.0.1", port), timeout=10)
        super().__init__(tls.wrap_socket(stream, server_hostname="localhost") if tls else stream, masks=True)
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n{BROWSER}"
                             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
        self.status = int(self._read_head().split()[1])


class Served(Frames):
    """The server's side of an accepted connection."""

    def __init__(self, stream):
        super().__init__(stream, masks=False)
        key = re.search(rb"^sec-websocket-key: *(\S+)", self._read_head(), re.IGNORECASE | re.MULTILINE).group(1)
        accept = base64.b64encode(hashlib.sha1(key + KEY_SUFFIX).digest())
        self.socket.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")


def spoken(data):
    """The messages of one direction of a recorded connection, without its handshake: [(opcode, payload)], unmasked."""
    at, found = data.find(b"\r\n\r\n") + 4, []
    while at + 2 <= len(data):
        opcode, size, masked = data[at] & 15, data[at + 1] & 127, data[at + 1] >> 7
        head = 2 + (2 if size == 126 else 8 if size == 127 else 0)
        if size > 125:
            size = int.from_bytes(data[at + 2:at + head], "big")
        start = at + head + 4 * masked
        if start + size > len(data):
            break
        found.append((opcode, _masked(data[start:start + size], data[at + head:start])))
        at = start + size
    return found
