# Scripted peers: a server that greets and echoes, and hostile clients.
# Invariant: each of them ends, and waits no longer than its deadline.
import itertools
import os
import random
import socket
import struct
import threading

from bzflag import GREETING, HEADER

TEXT = 128  # bytes of a chat message's text


def chat_frame(seed):
    """A chat message that is valid in both directions; its letters do not compress."""
    letters = bytes(random.Random(seed).choices(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=TEXT - 1))
    return struct.pack(">H2sB", TEXT + 1, b"mg", 0) + letters + b"\0"


class Server:
    """Greets each client as bzfs 2.4 does, then calls `serve(socket)` on a separate thread."""

    def __init__(self, serve):
        self._serve, self._open = serve, []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(peer)
            threading.Thread(target=self._greet, args=(peer,), daemon=True).start()

    def _greet(self, peer):
        try:
            with peer:
                if read_exactly(peer, len(HEADER)) == HEADER:
                    peer.sendall(b"BZFS0221\x01")
                    self._serve(peer)
        except OSError:
            pass

    def kill(self):
        self._listener.close()
        for peer in self._open:
            try:
                peer.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def echo(peer):
    while data := peer.recv(65536):
        peer.sendall(data)


ADDRESSES = itertools.cycle(f"127.0.{i // 250 + 1}.{i % 250 + 1}" for i in range(1000))


def connect(port, seconds=20, source="127.0.0.1"):
    peer = socket.create_connection(("127.0.0.1", port), timeout=seconds, source_address=(source, 0))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def greeted(port, seconds=20, source="127.0.0.1"):
    """A client that has received the greeting."""
    peer = connect(port, seconds, source)
    peer.sendall(HEADER)
    if len(read_exactly(peer, GREETING)) != GREETING:
        raise OSError("no greeting")
    return peer


def read_exactly(peer, size):
    """`size` bytes, fewer if the peer closes."""
    got = bytearray()
    while len(got) < size:
        data = peer.recv(size - len(got))
        if not data:
            break
        got += data
    return bytes(got)


def closed_by_peer(peer, seconds):
    """True once the other side has closed this connection."""
    peer.settimeout(seconds)
    try:
        while peer.recv(65536):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


# Attacks of hostile clients; each takes the relay's port. They use many addresses, so that not only the limits per address stop them;
# connects_closed_at_once also uses one address.
def connects_closed_at_once(port, count=10_000):
    """The first half from one address; half of each by FIN, half by RST."""
    reset = struct.pack("ii", 1, 0)
    for number in range(count):
        source = "127.0.0.1" if number < count // 2 else next(ADDRESSES)
        try:
            with connect(port, source=source) as peer:
                if number % 2:
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        except OSError:
            pass  # refused is a good answer


def garbage(port, count=200):
    """Bytes of no protocol, before the greeting and after it."""
    for number in range(count):
        try:
            with (greeted if number % 2 else connect)(port, 5, next(ADDRESSES)) as peer:
                peer.sendall(os.urandom(4096))
                closed_by_peer(peer, 5)
        except OSError:
            pass  # refused is a good answer


def oversize(port, count=50):
    """A frame that says it is 65,535 bytes long; BZFlag's limit is 1,024."""
    for _ in range(count):
        try:
            with greeted(port, 5, next(ADDRESSES)) as peer:
                peer.sendall(b"\xff\xffmg" + bytes(3000))
                closed_by_peer(peer, 5)
        except OSError:
            pass


def flood(port, size=4 << 20):
    """Sends as many messages as it can, and reads nothing."""
    try:
        with greeted(port, 5, next(ADDRESSES)) as peer:
            peer.settimeout(2)
            data = b"".join(chat_frame(seed) for seed in range(500))
            for _ in range(size // len(data)):
                peer.sendall(data)
    except OSError:
        pass


def datagrams(port, count=20_000):
    """UDP without a session: empty, short, garbage, oversize, and link requests for every id."""
    with socket.socket(type=socket.SOCK_DGRAM) as peer:
        for number in range(count):
            data = (b"", b"\0", os.urandom(40), os.urandom(1400), struct.pack(">H2sB", 1, b"of", number % 200))[number % 5]
            peer.sendto(data, ("127.0.0.1", port))


def slowloris(port, count=100):
    """Opens connections that never finish their greeting; returns them, so that the caller can check that they are closed."""
    peers = [connect(port, source=next(ADDRESSES)) for _ in range(count)]
    for peer in peers:
        peer.sendall(HEADER[:3])
    return peers
