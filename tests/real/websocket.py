# A WebSocket client over a plain socket, written from RFC 6455 and nothing of ours: messages out, messages in.
import base64
import os
import select
import socket
import struct
import time

BINARY, CLOSE, PING, PONG = 2, 8, 9, 10
# MultiOgarII takes who has no such headers for a minion.
BROWSER = ("User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari\r\n"
           "Cache-Control: no-cache\r\n")


class WebSocket:
    def __init__(self, port, path="/"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n{BROWSER}"
                             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._read(1)
        self.status = int(head.split()[1])

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def send(self, payload, opcode=BINARY):
        mask, size = os.urandom(4), len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + masked)

    def receive(self):
        """The next frame as (opcode, payload); servers of Ogar send none in parts."""
        first, size = self._read(2)
        if size == 126:
            size = struct.unpack(">H", self._read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._read(8))[0]
        return first & 15, self._read(size)

    def messages(self, seconds):
        """What comes within that time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.socket], [], [], left)[0]:
                yield self.receive()

    def farewell(self, seconds=10):
        """Waits for the server's close frame: (code, reason), or None if it just ends."""
        try:
            for opcode, payload in self.messages(seconds):
                if opcode == CLOSE:
                    return (struct.unpack(">H", payload[:2])[0], payload[2:].decode()) if payload else (1005, "")
        except (EOFError, ConnectionError):
            pass
        return None

    def kill(self):
        self.socket.close()
