import os
import ssl
import subprocess
import tempfile

import web
from codec import CLIENT, SERVER
from modern3 import (CLEAR, CLIENT_LIMIT, EJECT, MINION_EJECT, MINION_FREEZE, MODERN3, Q_DOWN, Q_UP, REVISION, SAY, SPAWN, SPECTATE,
                     update)
from modern3_arena import EJECTED
from modern3_session import LEADER, ROAMING, Modern3Client, Modern3Server
from played import Played

SEEDS = range(60)  # enough for every part of an update, and every board


class Modern3Session(Played):
    # Entente's names; the document has only numbers and headings.
    called = {(CLIENT, "ProtocolVersion"): "Hello", (CLIENT, "Update"): "ClientUpdate"}
    tls_client: ssl.SSLContext | None = None
    tls_server: ssl.SSLContext | None = None

    def listen(self) -> web.Listener:
        return web.Listener(self.tls_server)

    def urls(self, port: int) -> tuple[str, str]:
        return "ogar+ws://127.0.0.1:0?dialect=modern3", f"ogar+ws://127.0.0.1:{port}?dialect=modern3"

    def client(self, port: int) -> Modern3Client:
        return Modern3Client(port, self.tls_client)

    def server(self, listener: web.Listener) -> Modern3Server:
        return Modern3Server(listener)

    def test_a_player_joins_eats_splits_ejects_speaks_and_looks_on(self) -> None:
        arenas = []

        def serve(server: Modern3Server) -> None:
            arenas.append(server.arena)
            server.welcome()
            server.serve()

        def play(client: Modern3Client) -> None:
            client.join()
            assert client.act(SPECTATE)["area"]["scale"] == LEADER
            assert client.act(Q_DOWN)["area"]["scale"] == ROAMING
            client.act(Q_UP)
            client.act(SPAWN, name="<skin>né")
            assert len(client.view.own) == 1 and client.view.board["ffa"][0]["name"] == "<skin>né"
            before = len(client.view.cells)
            for _ in range(10):
                client.act(x=150, y=-150)
            assert len(client.view.cells) < before, "nothing was eaten"
            client.act(x=150, splits=2, minion_splits=1)
            assert len(client.view.own) == 4
            client.act(EJECT | MINION_EJECT | MINION_FREEZE)
            assert any(cell["type"] == EJECTED for cell in client.view.cells.values())
            client.act(SAY, chat=["hällo", "", "/help"])
            assert [line["content"] for line in client.view.said] == ["hällo", "", "/help"]
            client.send("Ping")
            client.expect("Pong")
            client.act()
            assert client.view.world["connections"]["alive"] == 1
            assert client.view.cells == {cell["id"]: cell for cell in arenas[0].everything()}
            assert client.view.own == set(arenas[0].own)

        self.play(serve, play)

    def test_every_message_comes_through_in_both_ways(self) -> None:
        def serve(server: Modern3Server) -> None:
            server.expect("ProtocolVersion")
            for seed in SEEDS:
                server.send("Update", **MODERN3.invent(MODERN3.find(SERVER, "Update"), seed))
                server.expect("Update")
                server.expect("Ping")
                server.send("Pong")
            server.send("Update", flags=CLEAR)
            server.expect_close()

        def play(client: Modern3Client) -> None:
            client.send("ProtocolVersion", revision=REVISION)
            for seed in SEEDS:
                client.expect("Update")
                client.send("Update", **MODERN3.invent(MODERN3.find(CLIENT, "Update"), seed))
                client.send("Ping")
                client.expect("Pong")
            assert client.expect("Update") == {"flags": CLEAR}

        self.play(serve, play)

    def test_what_a_client_says_wrongly_is_refused_and_the_relay_goes_on(self) -> None:
        least = MODERN3.encode(CLIENT, "Update", {})
        for about, frame, refused in (("cut short", MODERN3.shorter(least), 1), ("unknown", b"\x04", 1),
                                      ("too long", least + bytes(CLIENT_LIMIT + 1 - len(least)), 0)):
            with self.subTest(about):
                numbers = self.misbehave(CLIENT, frame, Modern3Server.welcome, Modern3Client.join)
                self.assertEqual((4, refused), (numbers["exact"], numbers["refused"]), numbers)

    def test_who_says_too_much_is_told_so_and_the_server_that_the_client_goes(self) -> None:
        ended = {}

        def serve(server: Modern3Server) -> None:
            server.welcome()
            ended[SERVER] = server.expect_close()

        def play(client: Modern3Client) -> None:
            client.join()
            client.send_raw(bytes(CLIENT_LIMIT + 1))
            ended[CLIENT] = client.expect_close()
        listener, relay = self.set_up()
        with relay:
            self.both_ends(listener, relay, serve, play)
        self.assertEqual({CLIENT: "1009 message too large", SERVER: "1001 "}, ended)

    def test_what_a_server_says_wrongly_is_noticed_and_the_relay_goes_on(self) -> None:
        cut = MODERN3.shorter(MODERN3.encode(SERVER, "Update", update(removed=[1])))
        for about, frame in (("cut short", cut), ("unknown", b"\x04")):
            with self.subTest(about):
                numbers = self.misbehave(SERVER, frame, Modern3Server.welcome, Modern3Client.join)
                self.assertEqual((4, 1), (numbers["exact"], numbers["undecoded"]), numbers)


class Modern3OverTls(Modern3Session):
    """The same by wss on both sides of the relay, which trusts this certificate and no other."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="peers.")
        cls.addClassCleanup(folder.cleanup)
        cls.certificate, cls.key = os.path.join(folder.name, "cert.pem"), os.path.join(folder.name, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                        "-keyout", cls.key, "-out", cls.certificate], check=True, capture_output=True, timeout=20)
        cls.tls_client = ssl.create_default_context(cafile=cls.certificate)
        cls.tls_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.tls_server.load_cert_chain(cls.certificate, cls.key)

    def urls(self, port: int) -> tuple[str, str]:
        return (f"ogar+wss://127.0.0.1:0/?dialect=modern3&cert={self.certificate}&key={self.key}",
                f"ogar+wss://127.0.0.1:{port}/?dialect=modern3&ca={self.certificate}")
