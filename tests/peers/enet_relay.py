# Tests of sessions over ENet through `entente proxy`, for any game.
# Invariant: on each channel, and for each kind of reliability, each end receives exactly the packets that the other sent.
from __future__ import annotations

import collections
from typing import Iterator

from enet_host import RELIABLE, UNRELIABLE, UNSEQUENCED, Loop, Packet
from enet_session import Client, Game, Server, Session, all_sent
from relay import Relay

CHANNELS, LARGE = 2, 5000  # channels: as many as the relay opens; bytes of a large packet
LEFT, THROWN_OUT = 77, 0x12345678  # reasons of a disconnect


class ThroughRelay:
    """A mixin for a unittest.TestCase, which sets the game; said() makes a packet with a given text."""
    game: str
    dialect: str
    peers: Game
    connect_data: int
    # Invalid packets. True: the relay forwards the packet, because it can still find the ends of its messages.
    wrong: tuple[tuple[bytes, bool], ...]

    def setUp(self) -> None:
        self.loop = Loop()
        self.addCleanup(self.loop.close)

    def relay(self, server: Server) -> Relay:
        relay = Relay(f"{self.game}://127.0.0.1:0?dialect={self.dialect}",
                      f"{self.game}://127.0.0.1:{server.port}?dialect={self.dialect}")
        self.addCleanup(relay.forget)
        return relay

    def connected(self, relay: Relay, server: Server) -> tuple[Client, Session]:
        before = len(server.sessions)
        client = Client(server.game, self.loop, relay.port, self.connect_data)
        client.until_connected()
        seat = server.client(before)
        seat.until_connected()
        return client, seat

    def test_channels_reliability_and_reasons_pass(self) -> None:
        server = Server(self.peers._replace(channels=CHANNELS, split=whole), self.loop)
        with self.relay(server) as relay:
            for reason, end in ((LEFT, 0), (THROWN_OUT, 1)):
                ends = self.connected(relay, server)
                self.assertEqual((CHANNELS, self.connect_data), (ends[1].link.channels, ends[1].connect_data))
                for speaker, hearer in (ends, ends[::-1]):
                    for packet in self.packets():
                        speaker.send_packet(packet)
                        self.assertEqual(packet, self.next_packet(hearer))
                ends[end].disconnect(reason)
                self.assertEqual(reason, ends[1 - end].until_over())
        self.assertEqual(2 * 2 * 3 * CHANNELS, relay.verify()["exact"])

    def packets(self) -> Iterator[Packet]:
        for channel in range(CHANNELS):
            for flags in (RELIABLE, UNRELIABLE, UNSEQUENCED):
                yield Packet(channel, flags, self.said(b"x" * (LARGE if flags == RELIABLE else 50)))

    def said(self, text: bytes) -> bytes:
        raise NotImplementedError

    def next_packet(self, hearer: Session) -> Packet:
        return self.loop.until(lambda: hearer.came.pop(0) if hearer.came else None, "a packet")

    def test_a_relay_outlives_wrong_input(self) -> None:
        server = Server(self.peers._replace(split=lambda packet: []), self.loop)
        with self.relay(server) as relay:
            for data, passed in self.wrong:
                client, seat = self.connected(relay, server)
                client.send_packet(Packet(0, RELIABLE, data))
                with self.subTest(data.hex()):
                    if passed:
                        self.assertEqual(data, self.next_packet(seat).data)
                    else:
                        client.until_over()
                        self.assertEqual([], seat.came)
            client, seat = self.connected(relay, server)
            client.send_packet(Packet(0, RELIABLE, self.said(b"still there?")))
            self.assertEqual(self.said(b"still there?"), self.next_packet(seat).data)
            self.assertTrue(relay.alive())
        verified = relay.verify()
        self.assertEqual((1, sum(passed for _, passed in self.wrong)), (verified["exact"], verified["undecoded"]))

    def check_passed(self, client: Session, seat: Session) -> None:
        """Checks that each end received what the other sent. REQUIRES: both links have ended."""
        self.assertEqual(by_lane(client.sent), by_lane(seat.came))
        self.assertEqual(by_lane(seat.sent), by_lane(client.came))

    def check_recorded(self, relay: Relay, sessions: list[Session]) -> None:
        """Checks the recording. REQUIRES: the relay has ended, and has passed exactly what these sessions sent."""
        said = collections.Counter((way, self.named(name)) for way, name, _ in all_sent(sessions))
        self.assertEqual(sorted(said.items()), sorted(relay.inspect().items()))
        self.assertEqual({"frames": said.total(), "exact": said.total(), "opaque": 0, "refused": 0, "undecoded": 0,
                          "mismatched": 0}, relay.verify())

    def named(self, kind: str) -> str:
        """Entente's name for a kind. The part after a slash distinguishes the forms of one kind."""
        return kind.split("/")[0]


def whole(packet: bytes) -> list[bytes]:
    return [packet]


def by_lane(packets: list[Packet]) -> dict[tuple[int, int], list[str]]:
    lanes = collections.defaultdict(list)
    for packet in packets:
        lanes[packet.channel, packet.flags].append(packet.data.hex())
    return lanes
