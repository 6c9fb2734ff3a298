import tcp
from codec import CLIENT, PLAY, SERVER, Kind
from played import Played
from wiki import WIKI
from wiki_client import NOBODY, ROGUE, WikiClient
from wiki_server import ON_TANK, WikiServer
from wiki_world import decode_world, encode_world, invent_world

WORLD = encode_world(invent_world(seed=1))
OTHER = {"player": {"address": [10, 0, 0, 1], "port": 4000, "number": 2}, "type": 0, "team": 2, "wins": 3, "losses": 1,
         "call_sign": "somebody", "email": "anonymous"}
EVERYONE = {"to": NOBODY, "team": ROGUE}
# Messages that are sent only at the beginning or end of a session.
AROUND = {"MsgNegotiateFlags", "MsgWantWHash", "MsgGetWorld", "MsgEnter", "MsgAccept", "MsgReject", "MsgSuperKill", "MsgExit",
          "MsgUDPLinkRequest", "MsgUDPLinkEstablished"}
SEEDS = range(3)
OVERSIZED = b"\xff\xffmg" + bytes(0xFFFF)


def join(client: WikiClient) -> None:
    client.greet()
    assert client.negotiate() == []
    assert encode_world(decode_world(client.download())) == WORLD
    assert [player["call_sign"] for player in client.enter("peer")] == ["somebody"]
    client.link()


def drive(client: WikiClient) -> None:
    client.send("MsgAlive", position=[1.0, 2.0, 0.0], forward=[1.0, 0.0, 0.0])
    assert client.expect("MsgAlive")["player"] == client.me
    for step in range(5):
        client.send("MsgPlayerUpdate", "datagram", player=client.me, status=1, position=[1.0 + step, 2.0, 0.0], velocity=[25.0, 0.0, 0.0])
    client.send("MsgTeleport/tp", **{"from": 0}, to=3)


def carry_a_flag(client: WikiClient) -> None:
    flags = [client.expect("MsgFlagUpdate")["flag"]["flag_id"] for _ in range(3)]
    client.send("MsgGrabFlag", flag_num=flags.index(9))
    grabbed = client.expect("MsgGrabFlag")
    assert (grabbed["grabber"], grabbed["flag"]["owner"], grabbed["flag"]["status"]) == (client.me, client.me, ON_TANK)
    client.send("MsgDropFlag", position=[7.0, 2.0, 0.0])
    assert client.expect("MsgDropFlag")["flag"]["position"] == [7.0, 2.0, 0.0]
    client.send("MsgGrabFlag", flag_num=flags.index(1))
    client.send("MsgCaptureFlag", team=1)
    assert client.expect("MsgCaptureFlag") == {"capturer": client.me, "flag_num": flags.index(1), "team": 1}


def shoot(client: WikiClient) -> None:
    shot = {"shooter": client.me, "shot": 0x0101, "position": [1.0, 2.0, 1.5], "velocity": [70.0, 70.0, 0.0], "time": 0.0}
    client.send("MsgShotBegin", "datagram", flag_type=10, lifetime=3.5, **shot)
    assert client.expect("MsgShotBegin")["shooter"] == client.me
    client.send("MsgGMUpdate", "datagram", target=OTHER["player"], **shot)
    client.send("MsgShotEnd", "datagram", shooter=client.me, shot=shot["shot"], reason=0)
    assert client.expect("MsgShotEnd")["shot"] == shot["shot"]


def die_and_speak_of_it(client: WikiClient) -> None:
    client.send("MsgKilled", killer=OTHER["player"], shot=0x0202)
    assert client.expect("MsgKilled") == {"victim": client.me, "killer": OTHER["player"], "shot": 0x0202}
    client.send("MsgScore", wins=0, losses=1)
    assert client.expect("MsgScore") == {"player": client.me, "wins": 0, "losses": 1}
    client.send("MsgMessage", message="hällo", **EVERYONE)
    said = client.expect("MsgMessage")
    assert (said["from"], said["message"]) == (client.me, "hällo")


def within_the_game(way: str) -> list[tuple[Kind, str]]:
    return [(kind, lane) for kind in WIKI.kinds if kind.way == way and kind.stage == PLAY and kind.name not in AROUND
            for lane in kind.lanes]


def say_all(session: WikiClient | WikiServer) -> None:
    for seed in SEEDS:
        for kind, lane in within_the_game(session.way):
            session.send(kind.name, lane, **WIKI.invent(kind, seed))


def hear_all(session: WikiClient | WikiServer, way: str) -> None:
    for _ in SEEDS:
        for kind, _ in within_the_game(way):
            session.expect("MsgScore" if kind.name == "MsgTeleport" else kind.name)  # the page draws both alike


class WikiSession(Played):
    called = {(CLIENT, "Header"): "ClientHeader", (SERVER, "Version"): "Welcome", (SERVER, "MsgTeamUpdate/tu"): "MsgTeamUpdate",
              (SERVER, "MsgTeleport/tp"): "MsgTeleport", (CLIENT, "MsgTeleport/tp"): "MsgTeleport"}

    def listen(self) -> tcp.Listener:
        return tcp.Listener()

    def urls(self, port: int) -> tuple[str, str]:
        return "bzflag://127.0.0.1:0?dialect=wiki", f"bzflag://127.0.0.1:{port}?dialect=wiki"

    def client(self, port: int) -> WikiClient:
        return WikiClient(port)

    def server(self, listener: tcp.Listener) -> WikiServer:
        return WikiServer(listener, WORLD, [OTHER], rejected={"nobody": 1})

    def test_a_player_joins_drives_shoots_dies_and_leaves(self) -> None:
        def serve(server: WikiServer) -> None:
            server.greet()
            server.serve()
            assert server.linked

        def play(client: WikiClient) -> None:
            join(client)
            drive(client)
            carry_a_flag(client)
            shoot(client)
            die_and_speak_of_it(client)
            client.send("MsgExit")
        self.play(serve, play)

    def test_every_message_comes_through_in_both_ways(self) -> None:
        def serve(server: WikiServer) -> None:
            server.greet()
            server.answer("MsgUDPLinkRequest", server.serve_until("MsgUDPLinkRequest"))
            hear_all(server, CLIENT)
            server.expect("MsgUDPLinkEstablished")
            say_all(server)
            server.expect("MsgExit")

        def play(client: WikiClient) -> None:
            join(client)
            say_all(client)
            hear_all(client, SERVER)
            client.send("MsgExit")
        self.play(serve, play)

    def test_a_ping_by_udp_is_echoed_by_tcp(self) -> None:
        def serve(server: WikiServer) -> None:
            server.greet()
            server.serve_until("MsgUDPLinkEstablished")
            server.send("MsgLagPing", "datagram", sequence=9999)
            assert server.serve_until("MsgLagPing") == {"sequence": 9999}
            server.expect("MsgExit")

        def play(client: WikiClient) -> None:
            join(client)
            client.send("MsgLagPing", **client.expect("MsgLagPing"))
            client.send("MsgExit")
        self.play(serve, play)

    def test_who_was_rejected_may_try_again(self) -> None:
        def serve(server: WikiServer) -> None:
            server.greet()
            server.serve()

        def play(client: WikiClient) -> None:
            client.greet()
            client.ask_to_enter("nobody")
            assert client.expect("MsgReject") == {"code": 1}
            client.enter("peer")
        self.play(serve, play)

    def test_a_server_may_end_it_during_the_download(self) -> None:
        def serve(server: WikiServer) -> None:
            server.greet()
            server.serve_until("MsgGetWorld")
            server.send("MsgSuperKill")
            server.expect_close()

        def play(client: WikiClient) -> None:
            client.greet()
            client.send("MsgWantWHash")
            client.expect("MsgWantWHash")
            client.send("MsgGetWorld", offset=0)
            client.expect("MsgSuperKill")
        self.play(serve, play)

    def test_what_a_client_says_wrongly_is_refused_and_the_relay_goes_on(self) -> None:
        cut = WIKI.shorter(WIKI.encode(CLIENT, "MsgEnter", {"call_sign": "peer"}))
        for about, frame, refused in (("cut short", cut, 1), ("unknown", b"\0\0zz", 1), ("too long", OVERSIZED, 0)):
            with self.subTest(about):
                numbers = self.misbehave(CLIENT, frame, WikiServer.greet, WikiClient.greet)
                self.assertEqual((4, refused), (numbers["exact"], numbers["refused"]), numbers)

    def test_what_a_server_says_wrongly_is_noticed_and_the_relay_goes_on(self) -> None:
        cut = WIKI.shorter(WIKI.encode(SERVER, "MsgReject", {"code": 1}))
        for about, frame in (("cut short", cut), ("unknown", b"\0\0zz"), ("too long", OVERSIZED)):
            with self.subTest(about):
                numbers = self.misbehave(SERVER, frame, WikiServer.greet, WikiClient.greet)
                self.assertEqual((4, 1), (numbers["exact"], numbers["undecoded"]), numbers)
