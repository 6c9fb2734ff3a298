# Tests of enet_host.py: what one host sends, the other receives; an ended link stays ended.
from __future__ import annotations

import unittest

from enet_host import RELIABLE, UNRELIABLE, UNSEQUENCED, Host, Link, Loop, Packet


class Told:
    """Keeps all links and events."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.events: list[object] = []

    def accept(self, link: Link) -> Told:
        self.links.append(link)
        return self

    def connected(self, data: int) -> None:
        self.events.append(("connected", data))

    def received(self, packet: Packet) -> None:
        self.events.append(packet)

    def disconnected(self, reason: int) -> None:
        self.events.append(("disconnected", reason))


class Links(unittest.TestCase):
    def setUp(self) -> None:
        self.loop = Loop()
        self.addCleanup(self.loop.close)

    def pair(self, range_coder: bool = False) -> tuple[Told, Told, Link, Link]:
        here, there = Told(), Told()
        server = self.loop.add(Host(there.accept, range_coder=range_coder))
        link = self.loop.add(Host(range_coder=range_coder)).connect(server.port, 2, 0xfedcba98, here)
        self.hear(there, ("connected", 0xfedcba98))
        self.hear(here, ("connected", 0))
        return here, there, link, there.links[0]

    def hear(self, told: Told, event: object) -> None:
        self.assertEqual(event, self.loop.until(lambda: told.events.pop(0) if told.events else None, str(event)))

    def test_packets_arrive_as_they_were_sent(self) -> None:
        for range_coder in (False, True):
            here, there, link, back = self.pair(range_coder)
            self.assertEqual((2, 2), (link.channels, back.channels))
            for packet in (Packet(0, RELIABLE, b"a"), Packet(1, UNRELIABLE, b"b" * 9), Packet(1, UNSEQUENCED, b"\0"),
                           Packet(1, RELIABLE, bytes(range(256)) * 300)):
                for to, told in ((link, there), (back, here)):
                    to.send(packet.data, packet.channel, packet.flags)
                    self.hear(told, packet)

    def test_a_disconnect_comes_after_what_was_queued_and_ends_both_links(self) -> None:
        here, there, link, back = self.pair()
        back.send(b"last")
        back.disconnect(7)
        self.hear(here, Packet(0, RELIABLE, b"last"))
        self.hear(here, ("disconnected", 7))
        self.hear(there, ("disconnected", 0))
        for over in (link, back):
            self.assertRaises(OSError, over.send, b"x")

    def test_a_channel_that_is_not_there_is_refused(self) -> None:
        _, _, link, _ = self.pair()
        self.assertRaises(OSError, link.send, b"x", 2)

    def test_a_range_coder_on_one_side_only_connects_nothing(self) -> None:
        server = self.loop.add(Host(Told().accept, range_coder=True))
        here = Told()
        self.loop.add(Host()).connect(server.port, 1, 0, here)
        self.assertRaises(TimeoutError, self.loop.until, lambda: here.events or None, "nothing", 0.3)

    def test_a_closed_host_ends_its_links(self) -> None:
        _, _, link, _ = self.pair()
        self.loop.close()
        self.assertRaises(OSError, link.send, b"x")
