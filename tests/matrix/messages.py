# Assembles whole messages from the pieces that a pane recorded: of streams, of WebSocket, of ENet.
# Invariant: a message's time is the time of the piece that completes it.
from __future__ import annotations

from typing import Callable, Iterable, Iterator

from enet_wire import PLAIN, RELIABLE, UNRELIABLE, UNSEQUENCED, commands
from websocket import BINARY, TEXT, spoken

HANDSHAKE_END = b"\r\n\r\n"
Timed = tuple[int, bytes]  # nanoseconds since the epoch, and the bytes that passed then
Passed = tuple[int, bytes, bool]  # a whole message, and whether it is a shot


def of_stream(pieces: Iterable[Timed], size: Callable[[bytes], int | None]) -> Iterator[Timed]:
    """`size`: returns the size of the message with which these bytes begin; None if they are too few."""
    data = b""
    for at, piece in pieces:
        data += piece
        while data and (length := size(data)) is not None and length <= len(data):
            yield at, data[:length]
            data = data[length:]


def of_web(pieces: Iterable[Timed]) -> Iterator[Timed]:
    """The messages of a WebSocket, after its handshake."""
    def size(data: bytes) -> int | None:
        if len(data) < 10:  # the longest head, without the mask
            longer = len(data) > 1 and data[1] & 127 < 126
            return 2 + 4 * (data[1] >> 7) + (data[1] & 127) if longer else None
        wide = {126: 2, 127: 8}.get(data[1] & 127, 0)
        return 2 + wide + 4 * (data[1] >> 7) + (int.from_bytes(data[2:2 + wide], "big") if wide else data[1] & 127)
    greeted = ((at, HANDSHAKE_END + frame) for at, frame in of_stream(after(HANDSHAKE_END, pieces), size))
    return ((at, payload) for at, frame in greeted for opcode, payload in spoken(frame) if opcode in (TEXT, BINARY))


def after(mark: bytes, pieces: Iterable[Timed]) -> Iterator[Timed]:
    """The pieces after the first `mark`."""
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
    """Packets in order of arrival; of a retransmitted packet only the first copy."""
    seen = set()
    for at, datagram in pieces:
        for kind, channel, number, _, data in () if datagram.startswith(PLAIN) else commands(datagram):
            again = kind == RELIABLE and (channel, number) in seen
            seen.add((channel, number) if kind == RELIABLE else None)
            if kind in (RELIABLE, UNRELIABLE, UNSEQUENCED) and not again:
                yield at, data
