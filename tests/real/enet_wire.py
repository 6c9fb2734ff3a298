# Reads ENet 1.3 from a shim's datagrams: the packets that each side sent, in whatever datagrams.
# Invariant: independent of our code: the range coder is libenet's, the rest follows the format that libenet writes.
import ctypes
import struct
import threading
import time
from dataclasses import dataclass, field

from stage import check

ENET = ctypes.CDLL("libenet.so.7")
ENET.enet_range_coder_create.restype = ctypes.c_void_p
ENET.enet_range_coder_decompress.restype = ctypes.c_size_t
ENET.enet_range_coder_decompress.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
ENET.enet_range_coder_destroy.argtypes = [ctypes.c_void_p]

SENT_TIME, COMPRESSED = 0x8000, 0x4000
ACK, CONNECT, VERIFY, DISCONNECT, PING, RELIABLE, UNRELIABLE, FRAGMENT, UNSEQUENCED, BANDWIDTH, THROTTLE, UNRELIABLE_FRAGMENT = range(1, 13)
SIZES = {ACK: 8, CONNECT: 48, VERIFY: 44, DISCONNECT: 8, PING: 4, RELIABLE: 6, UNRELIABLE: 8, FRAGMENT: 24, UNSEQUENCED: 8,
         BANDWIDTH: 12, THROTTLE: 16, UNRELIABLE_FRAGMENT: 24}
# Queries that servers answer without ENet, on the same port.
PLAIN = (b"HELLO", b"HI", b"{")


class Coder(threading.local):
    """One for each thread: while the library's coder works, without Python's lock, the coder and its output buffer are in use."""

    def __init__(self):
        self.coder, self.room = ENET.enet_range_coder_create(), ctypes.create_string_buffer(4096)

    def __del__(self):
        ENET.enet_range_coder_destroy(self.coder)

    def decompress(self, data):
        size = ENET.enet_range_coder_decompress(self.coder, data, len(data), self.room, len(self.room))
        return self.room.raw[:size]


CODER = Coder()


@dataclass
class Way:
    """What one side sent: reliable packets in order, the others as they came, and the data of its DISCONNECT, if any."""
    reliable: list = field(default_factory=list)    # (channel, packet)
    unreliable: list = field(default_factory=list)  # (channel, kind, packet)
    goodbye: int = None
    _next: dict = field(default_factory=dict)       # channel -> the next reliable number
    _early: dict = field(default_factory=dict)      # (channel, number) -> command that came before its turn
    _parts: bytearray = field(default_factory=bytearray)

    def heard(self, kind, channel, number, fields, data):
        if kind == DISCONNECT:
            self.goodbye = struct.unpack(">I", fields[4:8])[0]
        elif kind in (UNRELIABLE, UNSEQUENCED):
            self.unreliable.append((channel, kind, data))
        elif kind in (RELIABLE, FRAGMENT):
            due = self._next.setdefault(channel, 1)
            if (number - due) & 0xFFFF < 0x8000:  # not a retransmission
                self._early[channel, number] = kind, fields, data
            while command := self._early.pop((channel, self._next[channel]), None):
                self._next[channel] = (self._next[channel] + 1) & 0xFFFF
                self._in_turn(channel, *command)
        else:
            check(kind != UNRELIABLE_FRAGMENT, "an unexpected fragment of an unreliable packet")

    def _in_turn(self, channel, kind, fields, data):
        if kind == RELIABLE:
            self.reliable.append((channel, data))
            return
        self._parts += data
        if len(self._parts) == struct.unpack(">I", fields[16:20])[0]:
            self.reliable.append((channel, bytes(self._parts)))
            self._parts.clear()


@dataclass
class Talk:
    """One ENet connection: the data and the channels of its CONNECT, and the packets in both directions."""
    data: int = None
    channels: int = None
    up: Way = field(default_factory=Way)
    down: Way = field(default_factory=Way)


def commands(datagram):
    """(kind, channel, reliable number, fixed fields, data) of each command in a datagram."""
    flags = struct.unpack_from(">H", datagram)[0]
    body = datagram[4 if flags & SENT_TIME else 2:]
    if flags & COMPRESSED:
        body = CODER.decompress(body)
        check(body, f"a datagram that does not decompress: {datagram.hex()}")
    at = 0
    while at < len(body):
        kind, channel, number = struct.unpack_from(">BBH", body, at)
        kind &= 15
        check(kind in SIZES, f"no ENet command {kind} at offset {at} of {body.hex()}")
        fields = body[at:at + SIZES[kind]]
        at += SIZES[kind]
        length = 0
        if kind in (RELIABLE, UNRELIABLE, UNSEQUENCED, FRAGMENT, UNRELIABLE_FRAGMENT):
            length = struct.unpack_from(">H", fields, 4 if kind == RELIABLE else 6)[0]
        yield kind, channel, number, fields, body[at:at + length]
        at += length


def talks(flow):
    """The connections of one client address, in order, and the plain UDP that the address sent and received."""
    found, plain = {}, ([], [])
    for way, datagrams in ((0, list(flow.to_server)), (1, list(flow.to_client))):
        talk = None
        for datagram in datagrams:
            if datagram.startswith(PLAIN):
                plain[way].append(datagram)
                continue
            for kind, channel, number, fields, data in commands(datagram):
                if kind == CONNECT:
                    talk = found.setdefault(fields[40:44], Talk())
                    talk.channels, talk.data = struct.unpack(">I", fields[16:20])[0], struct.unpack(">I", fields[44:48])[0]
                elif kind == VERIFY:
                    talk = found.setdefault(fields[40:44], Talk())
                elif talk:
                    (talk.up if way == 0 else talk.down).heard(kind, channel, number, fields, data)
    return list(found.values()), plain


def same_talks(before, behind):
    """Checks that every ENet connection in front of the relay has a twin behind it: the same data of connect and disconnect, the same
    channels, the same reliable packets in the same order both ways, and no unreliable packet that was not sent. Returns (connections,
    packets, unreliable packets lost on the way)."""
    left, right = (sorted((talk for flow in list(shim.flows) for talk in talks(flow)[0]), key=lambda talk: (talk.up.reliable, talk.down.reliable))
                   for shim in (before, behind))
    check(len(left) == len(right), f"{len(left)} ENet connections before the relay, {len(right)} behind it")
    packets = lost = 0
    for number, (a, b) in enumerate(zip(left, right), 1):
        check((a.data, a.channels) == (b.data, b.channels),
              f"connection {number} asked {a.data, a.channels} of us, {b.data, b.channels} of the server")
        ends = [(talk.up.goodbye, talk.down.goodbye) for talk in (a, b)]
        check(ends[0] == ends[1], f"connection {number} ended with {ends[0]} before the relay, {ends[1]} behind it")
        for name, sent, came, gone in (("to the server", a.up, b.up, a.down.goodbye), ("to the client", b.down, a.down, a.up.goodbye)):
            check(all_came(sent.reliable, came.reliable, gone is not None),
                  f"connection {number}: reliable packets {name} {differ(sent.reliable, came.reliable)}")
            packets += len(came.reliable) + len(came.unreliable)
            missing = skipped(came.unreliable, sent.unreliable)
            check(missing is not None, f"connection {number}: an unreliable packet {name} was not sent, or not then")
            lost += missing
    return len(left), packets, lost


def proved(before, behind, seconds=10):
    """same_talks, once all packets have arrived."""
    def count():
        return sum(len(flow.to_server) + len(flow.to_client) for shim in (before, behind) for flow in list(shim.flows))
    end, last = time.monotonic() + seconds, -1
    while last != (last := count()) and time.monotonic() < end:
        time.sleep(1)
    return same_talks(before, behind)


def all_came(sent, came, gone):
    """If the receiver had just left (`gone`), the last few packets may be missing."""
    return sent == came or gone and 0 < len(sent) - len(came) < 8 and sent[:len(came)] == came


def differ(sent, came):
    at = next((i for i, (p, q) in enumerate(zip(sent, came)) if p != q), min(len(sent), len(came)))
    return f"differ from number {at} on: {len(sent)} sent, {len(came)} came, {sent[at:at + 1]} {came[at:at + 1]}"


def skipped(came, sent):
    """How many packets of `sent` are missing in `came`, without those after the last that came, whose receiver had left.
    None if `came` is not a subsequence of `sent`."""
    rest, count = iter(sent), 0
    for packet in came:
        for one in rest:
            if one == packet:
                break
            count += 1
        else:
            return None
    return count
