# Bridges between BZFlag's draft and Ogar's modern revision 3, over sockets: a client of each on a server of the other.
# Invariant: the two ends have only words in common. The draft's client raises Wrong for a message that comes too early.
from __future__ import annotations

import hashlib
import threading
import unittest
from typing import Callable

import web
from bzdraft import VERSION, Client
from bzdraft_server import Server
from bzdraft_wire import ID_EVERYONE
from enet_host import Loop
from modern3 import SAY, SPAWN
from modern3_session import Modern3Client, Modern3Server
from relay import Relay

OGAR, DRAFT = "ogar+ws://127.0.0.1:{}?dialect=modern3", "bzdraft://127.0.0.1:{}"
RED, BAD_TEAM = 1, 3


class Beside:
    """Runs `work` on a thread of its own. over() raises the error of the thread."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._do, args=(work,), daemon=True)
        self._thread.start()

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as fault:  # pylint: disable=broad-exception-caught
            self._fault = fault

    def done(self) -> bool | None:
        return None if self._thread.is_alive() else True

    def over(self) -> None:
        self._thread.join(20)
        if self._fault:
            raise self._fault


class DraftBridged(unittest.TestCase):
    def setUp(self) -> None:
        self.loop = Loop()
        self.addCleanup(self.loop.close)

    def bridge(self, listen: str, to: str) -> Relay:
        bridge = Relay(listen, to)
        self.addCleanup(bridge.forget)
        return bridge

    def test_a_client_of_the_draft_plays_on_another_games_server(self) -> None:
        listener = web.Listener()
        self.addCleanup(listener.close)
        with self.bridge(DRAFT.format(0), OGAR.format(listener.port)) as bridge:
            def serve() -> None:
                server = Modern3Server(listener)
                server.welcome()
                server.serve()
            server = Beside(serve)
            client = Client(self.loop, bridge.port)
            client.until_connected()
            greeting = client.greet(flags=(1, 10))
            self.assertEqual((VERSION, 1), (greeting["version"], greeting["can_join"]))
            world, resource = client.get_world()
            self.assertEqual(world["world_model_name"], hashlib.md5(resource).hexdigest())
            with self.assertRaises(ConnectionRefusedError) as refusal:
                client.enter("ann", team=9)
            self.assertEqual(BAD_TEAM, refusal.exception.args[0])
            me = client.enter("ann", team=RED)
            self.assertEqual(("ann", client.id), (me["call_sign"], me["playerid"]))
            client.send("MsgAlive")
            place = client.expect("MsgAlive").fields
            while place["player_id"] != client.id:
                place = client.expect("MsgAlive").fields
            client.send("MsgMessage", from_player_id=0, to_id=ID_EVERYONE, message="hello")
            self.assertIn("hello", client.expect("MsgMessage").fields["message"])
            client.leave()
            client.until_over()
            server.over()
        self.assertEqual(0, bridge.verify()["mismatched"])
        self.assertEqual(1, bridge.inspect()["client", "MsgExit"])

    def test_a_server_that_is_not_there_is_a_reject_and_a_super_kill(self) -> None:
        listener = web.Listener()
        listener.close()
        with self.bridge(DRAFT.format(0), OGAR.format(listener.port)) as bridge:
            client = Client(self.loop, bridge.port)
            client.until_connected()
            client.expect("MsgReject")
            client.expect("MsgSuperKill")
            client.until_over()

    def test_another_games_player_plays_on_a_server_of_the_draft(self) -> None:
        server = Server(self.loop, b"no list of records", max_team=9)
        with self.bridge(OGAR.format(0), DRAFT.format(server.port)) as bridge:
            def play() -> None:
                client = Modern3Client(bridge.port)
                client.join()
                client.act(SPAWN, name="né")
                while not client.view.own:
                    client.act()
                client.act(SAY, chat=["hällo"])
                for _ in range(60):
                    client.act(x=3000, y=0)
                client.close()
            player = Beside(play)
            seat = server.client(0)
            self.assertEqual(0, seat.until_connected())
            self.assertEqual("né", seat.expect("MsgEnter").fields["callsign"])
            seat.expect("MsgAlive")
            self.assertEqual("hällo", seat.expect("MsgMessage").fields["message"])
            moved = self.loop.until(lambda: seat.place["position_x"] > 10_000 or None, "a drive to the east", 20)
            self.assertTrue(moved)
            self.loop.until(player.done, "the player's end", 20)
            player.over()
            seat.expect("MsgExit")
            seat.until_over()
        self.assertEqual(0, bridge.verify()["mismatched"])


if __name__ == "__main__":
    unittest.main()
