# BZFlag's draft for 1.8 and later: sessions between peers, and through the relay.
from __future__ import annotations

import random
import struct
import unittest

from bzdraft import GAME, Client
from bzdraft_play import Play
from bzdraft_server import Server
from bzdraft_wire import DRAFT, DRAWN_ALIKE, Reject
from enet_host import RELIABLE, UNRELIABLE, Loop, Packet
from enet_relay import ThroughRelay
from enet_session import all_sent

KINDS = {(kind.way, kind.name) for kind in DRAFT.kinds} - DRAWN_ALIKE
UPDATES = ("MsgPlayerUpdate", "MsgShotUpdate")  # unreliable: the next one replaces a lost one


def world(seed: int) -> bytes:
    return random.Random(seed).randbytes(2500)  # three pieces


class DraftSession(unittest.TestCase):
    def setUp(self) -> None:
        self.loop = Loop()
        self.addCleanup(self.loop.close)

    def test_every_kind_is_said_each_way(self) -> None:
        server = Server(self.loop, world(1))
        play = Play(self.loop, server.port, server, seed=1)
        play.all()
        self.assertEqual({(way, kind, UNRELIABLE if kind in UPDATES else RELIABLE) for way, kind in KINDS},
                         set(all_sent([*play.clients, *server.sessions])))

    def test_a_packet_may_hold_several_messages(self) -> None:
        server = Server(self.loop, b"")
        client = Client(self.loop, server.port)
        client.until_connected()
        client.send_packet(two_messages())
        self.assertEqual([1, 2], [server.client(0).expect("MsgGrabFlag").fields["flag_num"] for _ in range(2)])

    def test_a_server_rejects_for_each_reason(self) -> None:
        server = Server(self.loop, b"", max_players=3, max_team=2, rogues=False, password="sesame",
                        users={"ann": "secret"})
        client = Client(self.loop, server.port)
        client.until_connected()
        for reason, asked in ((Reject.BAD_REQUEST, {"callsign": ""}), (Reject.BAD_TEAM, {"team": 5}),
                              (Reject.BAD_TYPE, {"type": 3}), (Reject.NO_ROGUES, {"team": 0}),
                              (Reject.NEED_USER_AUTH, {"callsign": "ann"}),
                              (Reject.NEED_SERVER_AUTH, {"password": "open"})):
            with self.subTest(asked):
                self.assertEqual(reason, self.refused(client, **asked))
        for number in range(2):
            self.entered(server, number, team=1)
        self.assertEqual(Reject.TEAM_FULL, self.refused(client, team=1))
        self.entered(server, 2, team=2)
        self.assertEqual(Reject.SERVER_FULL, self.refused(client, team=3))

    def refused(self, client: Client, **asked: object) -> int:
        with self.assertRaises(ConnectionRefusedError) as refusal:
            client.enter(**{"callsign": "bob", "password": "sesame"} | asked)
        return refusal.exception.args[0]

    def entered(self, server: Server, number: int, team: int) -> None:
        client = Client(self.loop, server.port)
        client.until_connected()
        client.enter(f"player {number}", team=team, password="sesame")


class DraftRelayed(ThroughRelay, unittest.TestCase):
    game, dialect, peers, connect_data = "bzdraft", "draft", GAME, 0x80000001
    wrong = ((b"\0\1gf\1", True), (b"\0\3gf\1\1\1", True), (b"\0\0zz", True),  # too short, too long, unknown
             (b"\0\5gf\1\1", False), (b"\0", False), (b"\0\0ex\0", False))  # incomplete, no header, bytes after the message

    def said(self, text: bytes) -> bytes:
        return struct.pack(">H2sBB", len(text) + 2, b"mg", 1, 255) + text

    def test_a_whole_session_passes_untouched(self) -> None:
        server = Server(self.loop, world(2))
        with self.relay(server) as relay:
            play = Play(self.loop, relay.port, server, seed=2)
            play.all()
        for client, seat in zip(play.clients, server.sessions):
            self.check_passed(client, seat)
        self.assertEqual([2, 3], [seat.connect_data for seat in server.sessions])
        self.check_recorded(relay, [*play.clients, *server.sessions])

    def test_a_packet_of_several_messages_passes_in_either_way_reliable_or_not(self) -> None:
        server = Server(self.loop, b"")
        with self.relay(server) as relay:
            client, seat = self.connected(relay, server)
            for flags in (RELIABLE, UNRELIABLE):
                client.send_packet(two_messages(flags))
                self.assertEqual([1, 2], [seat.expect("MsgGrabFlag").fields["flag_num"] for _ in range(2)])
                rejects = (DRAFT.encode("server", "MsgReject", {"reason": reason}) for reason in (3, 4))
                seat.send_packet(Packet(0, flags, b"".join(rejects)))
                self.assertEqual([3, 4], [client.expect("MsgReject").fields["reason"] for _ in range(2)])
            self.assertEqual([packet.data for packet in client.sent], [packet.data for packet in seat.came])
            self.assertEqual([packet.data for packet in seat.sent], [packet.data for packet in client.came])
        self.assertEqual({("client", "MsgGrabFlag"): 4, ("server", "MsgReject"): 4}, relay.inspect())
        self.assertEqual(8, relay.verify()["exact"])


def two_messages(flags: int = RELIABLE) -> Packet:
    frames = (DRAFT.encode("client", "MsgGrabFlag", {"flag_num": number}) for number in (1, 2))
    return Packet(0, flags, b"".join(frames))
