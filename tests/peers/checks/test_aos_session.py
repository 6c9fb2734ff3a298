# Ace of Spades 0.80: sessions between peers, and through the relay.
from __future__ import annotations

import unittest

from aos import BANNED, FULL, GAME, VERSION, WRONG_VERSION, Client
from aos_play import Play
from aos_server import Server
from aos_wire import AOS
from enet_host import RELIABLE, UNRELIABLE, Loop
from enet_relay import ThroughRelay
from enet_session import all_sent

# Not sent in a session: queries outside of ENet, packets that 0.80 does not send, extensions without a known layout.
UNSAID = {"Hello", "Hello Reply", "Orientation Data", "World Update", "Input Data", "State Update/36", "State Update/73",
          "State Update/107", "State Update/109", "Extension Packet"}
KINDS = {(kind.way, kind.name) for kind in AOS.kinds if kind.name not in UNSAID}


class AosSession(unittest.TestCase):
    def setUp(self) -> None:
        self.loop = Loop()
        self.addCleanup(self.loop.close)

    def test_every_kind_is_sent_each_way(self) -> None:
        server = Server(self.loop, seed=1)
        play = Play(self.loop, server.port, server, seed=1)
        play.all()
        self.assertEqual({(way, kind, UNRELIABLE if kind.startswith("State Update") else RELIABLE) for way, kind in KINDS},
                         set(all_sent([*play.clients, *server.sessions])))

    def test_another_version_is_refused(self) -> None:
        server = Server(self.loop, seed=1)
        self.assertEqual(WRONG_VERSION, Client(self.loop, server.port, version=3).until_over())

    def test_a_full_server_refuses(self) -> None:
        server = Server(self.loop, seed=1, players=1)
        Client(self.loop, server.port).get_map()
        self.assertEqual(FULL, Client(self.loop, server.port).until_over())

    def test_who_does_not_begin_with_existing_player_is_banned(self) -> None:
        server = Server(self.loop, seed=1)
        client = Client(self.loop, server.port)
        client.get_map()
        client.send("Chat Message", id=0, type=0, text="hello")
        self.assertEqual(BANNED, client.until_over())
        self.assertEqual(BANNED, Client(self.loop, server.port).until_over())


class AosRelayed(ThroughRelay, unittest.TestCase):
    game, dialect, peers, connect_data = "aos", "0.80", GAME, VERSION
    wrong = ((b"\x0d", True), (b"\x04\1\2\3", True), (b"\x26\1\2\3", True),  # too short, too long, unknown; then State Updates
             (bytes(50), True), (bytes(35) + b"\2" + bytes(72), True), (bytes(35) + b"\1" + bytes(72), True))

    def said(self, text: bytes) -> bytes:
        return b"\x11\0\0" + text

    def test_a_whole_session_passes_untouched(self) -> None:
        server = Server(self.loop, seed=2)
        with self.relay(server) as relay:
            play = Play(self.loop, relay.port, server, seed=2)
            play.all()
        for client, seat in zip(play.clients, server.sessions):
            self.check_passed(client, seat)
        self.assertEqual([VERSION, VERSION], [seat.connect_data for seat in server.sessions])
        self.check_recorded(relay, [*play.clients, *server.sessions])

    def named(self, kind: str) -> str:
        name = super().named(kind).replace(" ", "")
        return {"SetHP": "SetHp", "ExtInfo": "ExtensionInfo"}.get(name, name)
