# ENet through ctypes: hosts, links, and the loop that services them.
# Invariant: callers get no pointers. We free packets that enet_peer_send did not accept, and packets that we received.
from __future__ import annotations

import ctypes
import select
import time
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_void_p
from typing import Callable, NamedTuple, Protocol, TypeVar

RELIABLE, UNSEQUENCED, UNRELIABLE = 1, 2, 0
SEEN_FLAGS = RELIABLE | UNSEQUENCED  # the flags of a packet that are on the wire; the library uses the others internally
TURN_MS = 5  # ENet needs regular service for retransmissions and pings

_CONNECT, _DISCONNECT, _RECEIVE = 1, 2, 3
_UNMEASURED_MS = 500  # ENet's initial value of the round trip time
_NO_DECELERATION = (5000, 2, 0)  # interval, acceleration, deceleration: so ENet never drops an unreliable packet before sending it


class _Address(Structure):
    _fields_ = [("host", c_uint32), ("port", c_uint16)]


class _Packet(Structure):
    _fields_ = [("references", c_size_t), ("flags", c_uint32), ("data", POINTER(c_uint8)), ("length", c_size_t),
                ("free", c_void_p), ("user", c_void_p)]


class _Peer(Structure):  # only the first fields
    _fields_ = [("next", c_void_p), ("previous", c_void_p), ("host", c_void_p), ("outgoing_id", c_uint16),
                ("incoming_id", c_uint16), ("connect_id", c_uint32), ("outgoing_session", c_uint8),
                ("incoming_session", c_uint8), ("address", _Address), ("data", c_void_p), ("state", c_int),
                ("channels", c_void_p), ("channel_count", c_size_t), ("bandwidths_to_timeouts", c_uint32 * 30),
                ("round_trip_ms", c_uint32)]


class _Host(Structure):  # only the first fields
    _fields_ = [("socket", c_int)]


class _Event(Structure):
    _fields_ = [("type", c_int), ("peer", POINTER(_Peer)), ("channel", c_uint8), ("data", c_uint32),
                ("packet", POINTER(_Packet))]


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL("libenet.so.7")
    for name, answer, *arguments in (
            ("enet_initialize", c_int),
            ("enet_address_set_host_ip", c_int, POINTER(_Address), c_char_p),
            ("enet_socket_get_address", c_int, c_int, POINTER(_Address)),
            ("enet_host_create", POINTER(_Host), POINTER(_Address), c_size_t, c_size_t, c_uint32, c_uint32),
            ("enet_host_destroy", None, POINTER(_Host)),
            ("enet_host_compress_with_range_coder", c_int, POINTER(_Host)),
            ("enet_host_connect", POINTER(_Peer), POINTER(_Host), POINTER(_Address), c_size_t, c_uint32),
            ("enet_host_service", c_int, POINTER(_Host), POINTER(_Event), c_uint32),
            ("enet_host_flush", None, POINTER(_Host)),
            ("enet_packet_create", POINTER(_Packet), c_char_p, c_size_t, c_uint32),
            ("enet_packet_destroy", None, POINTER(_Packet)),
            ("enet_peer_send", c_int, POINTER(_Peer), c_uint8, POINTER(_Packet)),
            ("enet_peer_disconnect_later", None, POINTER(_Peer), c_uint32),
            ("enet_peer_disconnect_now", None, POINTER(_Peer), c_uint32),
            ("enet_peer_throttle_configure", None, POINTER(_Peer), c_uint32, c_uint32, c_uint32)):
        function = getattr(library, name)
        function.restype, function.argtypes = answer, arguments
    if library.enet_initialize() != 0:
        raise OSError("ENet did not start")
    return library


_enet = _load()


class Packet(NamedTuple):
    channel: int
    flags: int
    data: bytes


class Listener(Protocol):
    """Receives the events of a link."""

    def connected(self, data: int) -> None: ...
    def received(self, packet: Packet) -> None: ...
    def disconnected(self, reason: int) -> None: ...


class Link:
    """One connection. It ends when `disconnected` is called, or when its host is closed."""

    def __init__(self, peer: POINTER(_Peer), listener: Listener | None):
        self._peer: POINTER(_Peer) | None = peer
        self.listener = listener  # None until an accepted link has one

    @property
    def channels(self) -> int:
        return self._living().contents.channel_count

    @property
    def round_trip_ms(self) -> int | None:
        """The mean round-trip time; None if none was measured yet."""
        mean = self._living().contents.round_trip_ms
        return mean if mean != _UNMEASURED_MS else None

    def send(self, data: bytes, channel: int = 0, flags: int = RELIABLE) -> None:
        """REQUIRES: data is not empty (an empty packet crashes the range coder of a peer that compresses it)."""
        assert data, "an empty packet"
        packet = _enet.enet_packet_create(data, len(data), flags)
        if _enet.enet_peer_send(self._living(), channel, packet) < 0:
            _enet.enet_packet_destroy(packet)
            raise OSError(f"ENet refused {len(data)} bytes on channel {channel}")

    def disconnect(self, reason: int = 0) -> None:
        """Disconnects once all queued packets have been delivered."""
        _enet.enet_peer_disconnect_later(self._living(), reason)

    def hang_up(self) -> None:
        """Disconnects at once and drops the queue; its listener receives no more events."""
        if self._peer is not None:
            _enet.enet_peer_disconnect_now(self._peer, 0)
            self._die()

    def _living(self) -> POINTER(_Peer):
        if self._peer is None:
            raise OSError("this link has ended")
        return self._peer

    def _die(self) -> None:
        self._peer = None


class Host:
    """A socket on loopback; the kernel chooses the port. `accept` returns the listener for an incoming link."""

    def __init__(self, accept: Callable[[Link], Listener] | None = None, peers: int = 1, range_coder: bool = False,
                 at: str = "127.0.0.1"):
        self._accept = accept
        self._links: dict[int, Link] = {}
        self._host = _enet.enet_host_create(byref(_loopback(0, at)), peers, 0, 0, 0)
        if not self._host:
            raise OSError("ENet cannot open a socket")
        if range_coder and _enet.enet_host_compress_with_range_coder(self._host) != 0:
            raise OSError("ENet has no range coder")
        bound = _Address()
        _enet.enet_socket_get_address(self.fileno(), byref(bound))
        self.port: int = bound.port

    def close(self) -> None:
        if self._host:
            for link in self._links.values():
                link._die()
            self._links.clear()
            _enet.enet_host_destroy(self._host)
            self._host = None

    def fileno(self) -> int:
        return self._host.contents.socket

    def connect(self, port: int, channels: int, data: int, listener: Listener) -> Link:
        peer = _enet.enet_host_connect(self._host, byref(_loopback(port)), channels, data)
        if not peer:
            raise OSError("ENet has no peer left for a connection")
        return self._keep(peer, listener)

    def flush(self) -> None:
        _enet.enet_host_flush(self._host)

    def service(self) -> None:
        """Passes all new events to the listeners."""
        event = _Event()
        while self._host and _enet.enet_host_service(self._host, byref(event), 0) > 0:
            self._tell(event)

    def _tell(self, event: _Event) -> None:
        address = ctypes.addressof(event.peer.contents)
        if address not in self._links:
            link = self._keep(event.peer, None)
            link.listener = self._accept(link)
        listener = self._links[address].listener
        if event.type == _CONNECT:
            _enet.enet_peer_throttle_configure(event.peer, *_NO_DECELERATION)
            listener.connected(event.data)
        elif event.type == _RECEIVE:
            listener.received(_taken(event))
        elif event.type == _DISCONNECT:
            self._links.pop(address)._die()
            listener.disconnected(event.data)

    def _keep(self, peer: POINTER(_Peer), listener: Listener | None) -> Link:
        link = Link(ctypes.pointer(peer.contents), listener)  # a copy: an event's pointer changes with the event
        self._links[ctypes.addressof(peer.contents)] = link
        return link


def _loopback(port: int, host: str = "127.0.0.1") -> _Address:
    address = _Address(port=port)
    _enet.enet_address_set_host_ip(byref(address), host.encode())
    return address


def _taken(event: _Event) -> Packet:
    packet = event.packet.contents
    data = ctypes.string_at(packet.data, packet.length) if packet.length else b""
    taken = Packet(event.channel, packet.flags & SEEN_FLAGS, data)
    _enet.enet_packet_destroy(event.packet)
    return taken


T = TypeVar("T")


class Loop:
    """Services its hosts while a test waits."""

    def __init__(self) -> None:
        self._hosts: list[Host] = []

    def add(self, host: Host) -> Host:
        self._hosts.append(host)
        return host

    def close(self) -> None:
        for host in self._hosts:
            host.close()
        self._hosts.clear()

    def until(self, ready: Callable[[], T | None], what: str, seconds: float = 10) -> T:
        """Calls `ready` until it returns something other than None, and returns that. `what` is the text for the TimeoutError."""
        deadline = time.monotonic() + seconds
        while (answer := ready()) is None:
            if time.monotonic() >= deadline:
                raise TimeoutError(f"waited {seconds} s for {what}")
            self._turn()
        return answer

    def _turn(self) -> None:
        for host in self._hosts:
            host.flush()
        select.select(self._hosts, [], [], TURN_MS / 1000)
        for host in self._hosts:
            host.service()
