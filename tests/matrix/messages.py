# Whole messages out of the pieces that a pane saw: of streams, of WebSocket, of ENet.
# Law: a message's time is that of the piece which makes it whole.
from __future__ import annotations

from typing import Callable, Iterable, Iterator

from enet_wire import PLAIN, RELIABLE, UNRELIABLE, UNSEQUENCED, commands
from websocket import BINARY, TEXT, spoken

HANDSHAKE_END = b"\r\n\r\n"
Timed = tuple[int, bytes]  # nanoseconds since the epoch, and what passed then
Passed = tuple[int, bytes, bool]  # a whole message, and whether it is a shot


def of_stream(pieces: Iterable[Timed], size: Callable[[bytes], int | None]) -> Iterator[Timed]:
    """`size`: of the message that these bytes begin with; None if they are too few to tell."""
    data = b""
    for at, piece in pieces:
        data += piece
        while data and (length := size(data)) is not None and length <= len(data):
            yield at, data[:length]
            data = data[length:]


def of_web(pieces: Iterable[Timed]) -> Iterator[Timed]:
    """A WebSocket's, after its handshake."""
    def size(data: bytes) -> int | None:
        if len(data) < 10:  # as long as a head may be, less the mask
            longer = len(data) > 1 and data[1] & 127 < 126
            return 2 + 4 * (data[1] >> 7) + (data[1] & 127) if longer else None
        wide = {126: 2, 127: 8}.get(data[1] & 127, 0)
        return 2 + wide + 4 * (data[1] >> 7) + (int.from_bytes(data[2:2 + wide], "big") if wide else data[1] & 127)
    greeted = ((at, HANDSHAKE_END + frame) for at, frame in of_stream(after(HANDSHAKE_END, pieces), size))
    return ((at, payload) for at, frame in greeted for opcode, payload in spoken(frame) if opcode in (TEXT, BINARY))


def after(mark: bytes, pieces: Iterable[Timed]) -> Iterator[Timed]:
    """What follows the first of these."""
    head, found = b"", False
    for at, piece in pieces:
        if found:
            yield at, piece
            continue
        head += piece
        found = mark in head
        if found:
            yield at, head.partition(mark)[2]


def of_enet(pieces: Iterable[Timed]) -> Iterator[Timed]:
    """Packets as they came; of one that was sent again the first."""
    seen = set()
    for at, datagram in pieces:
        for kind, channel, number, _, data in () if datagram.startswith(PLAIN) else commands(datagram):
            again = kind == RELIABLE and (channel, number) in seen
            seen.add((channel, number) if kind == RELIABLE else None)
            if kind in (RELIABLE, UNRELIABLE, UNSEQUENCED) and not again:
                yield at, data
