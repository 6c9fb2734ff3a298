# A session of two clients and a server in which every kind of packet is sent, in each direction that it has. The same seed gives
# the same session.
# Invariant: each receiver waits for each packet and checks its fields. At the end, no packet is unread.
from __future__ import annotations

from aos import CHAT_SYSTEM, GAME, KICKED, NOBODY, SMG, Client
from aos_map import CTF, ENTRIES, TERRITORIES
from aos_motion import JUMP, REFRESH, SPRINT, UP, state
from aos_server import CHALLENGE, HIT_POINTS, TOLD_TO_ALL, TOLD_TO_OTHERS, Server
from codec import CLIENT, SERVER
from enet_host import Loop
from expected import expect
from wire import Seen

# Packets that the receiver does not answer.
NOTED_BY_SERVER = ("Short Player Data", "Player Properties")
TOLD_BY_SERVER = ("Move Object", "Restock", "Fog Colour", "Player Properties", "Set Tool", "Set Colour",
                  "Change Weapon")
OF_INTEL = ("Intel Pickup", "Intel Drop", "Intel Capture")
OF_TERRITORIES = ("Progress Bar", "Territory Capture")


class Play:
    """Ann plays. Bob watches: he receives what the server tells others about ann."""

    def __init__(self, loop: Loop, port: int, server: Server, seed: int):
        self.loop, self.port, self.server, self.seed = loop, port, server, seed
        self.clients: list[Client] = []

    def all(self) -> None:
        self.join()
        self.move()
        self.use_things()
        self.fight()
        self.change()
        self.hear_the_server(TOLD_BY_SERVER + OF_INTEL)
        self.play_the_next_map()
        self.hear_the_server(OF_TERRITORIES)
        self.end()

    def join(self) -> None:
        for number, name in enumerate(("ann", "bob")):
            client = Client(self.loop, self.port)
            self.clients.append(client)
            client.until_connected()
            seat = self.server.client(number)
            vxl, players, data = client.get_map()
            expect(vxl == self.server.map, True)
            expect(([player["id"] for player in players], data["mode"]), (list(range(number)), CTF))
            expect(client.expect("Handshake Init").fields["challenge"], CHALLENGE)
            for kind in ("Handshake Return", "Version Response", "Ext Info"):
                seat.expect(kind)
            for kind in ("Version Get", "Ext Info"):
                client.expect(kind)
            self._join(client, name)
        self.ann, self.bob = self.clients

    def _join(self, client: Client, name: str) -> None:
        created = client.join(name)
        expect(created["name"], name + "\0")
        for other in self.clients:
            if other is not client:
                expect(other.expect("Create Player").fields, created)

    def move(self) -> None:
        """Ann runs for a while, then stands still. Bob does nothing, and receives all her movements."""
        ann, seat = self.ann, self.server.client(self.ann.id)
        for tick in range(40):
            keys = UP | (JUMP if tick == 5 else SPRINT)
            moved = ann.move(keys, state((100.0 + min(tick, 34) / 4, 256.5, 57.75), vel=(0.25, 0.0, 0.0)))
            kind = "State Update/still" if tick > 34 else "State Update"
            expect(seat.expect(kind).fields, moved)
        expect(moved["state_30"]["pos"]["x"], 102.5)  # after tick 10, the oldest of the 30 inputs
        for number in range(12):
            self.server.update()
            for client in self.clients:
                update = client.expect("State Update").fields
                player, = update["players"]
                expect((update["sequence"], player["id"], player["input"], player["still"]),
                       (number, ann.id, keys, int(number % REFRESH > 0)))
        expect(self.bob.others, {ann.id: seat.moved.state})

    def use_things(self) -> None:
        for kind in TOLD_TO_OTHERS + TOLD_TO_ALL:
            said = self._some(CLIENT, kind)
            self.ann.send(kind, **said)
            self.server.client(self.ann.id).expect(kind)
            for hearer in (self.clients if kind in TOLD_TO_ALL else [self.bob]):
                expect(hearer.expect(kind).fields, said | {"id": self.ann.id})
        self.ann.send("Weapon Reload", id=self.ann.id, clip=3, reserve=20)
        expect(self.bob.expect("Weapon Reload").fields, {"id": self.ann.id, "clip": 3, "reserve": 20})
        expect(self.ann.expect("Weapon Reload").fields, {"id": self.ann.id, "clip": 10, "reserve": 50})
        for kind in NOTED_BY_SERVER:
            said = self._some(CLIENT, kind)
            self.ann.send(kind, **said)
            expect(self.server.client(self.ann.id).expect(kind).fields, said)

    def fight(self) -> None:
        for part, hp in ((0, HIT_POINTS - 49), (1, 0)):
            self.ann.send("Hit", id=self.bob.id, part=part)
            expect(self.bob.expect("Set HP").fields["hp"], hp)
        self._both_hear("Kill Action", {"victim": self.bob.id, "killer": self.ann.id, "type": 0, "respawn": 5})

    def change(self) -> None:
        for kind, what, why in (("Change Team", {"team": 1}, 5), ("Change Weapon", {"weapon": SMG}, 6)):
            self.ann.send(kind, id=self.ann.id, **what)
            self._both_hear("Kill Action", {"victim": self.ann.id, "killer": self.ann.id, "type": why, "respawn": 0})
            expect(self.ann.spawned() | what, self.bob.expect("Create Player").fields)

    def hear_the_server(self, kinds: tuple[str, ...]) -> None:
        for kind in kinds:
            said = self._some(SERVER, kind)
            said |= {"id": self.ann.id} if "id" in said else {}
            self.server.tell(kind, **said)
            self._both_hear(kind, said)

    def play_the_next_map(self) -> None:
        self.server.next_map(self.seed + 1, TERRITORIES)
        for client in self.clients:
            vxl, players, data = client.get_map()
            expect(vxl == self.server.map, True)
            expect((players, data["mode"], len(data["territories"])), ([], TERRITORIES, ENTRIES))
        for client, name in zip(self.clients, ("ann", "bob")):
            self._join(client, name)

    def end(self) -> None:
        """One client leaves, the other is kicked."""
        self.ann.disconnect()
        expect(self.bob.expect("Player Left").fields, {"id": self.ann.id})
        self.server.kick(self.server.client(self.bob.id), "enough")
        expect(self.bob.expect("Chat Message").fields, {"id": NOBODY, "type": CHAT_SYSTEM, "text": "enough"})
        expect([client.until_over() for client in self.clients], [0, KICKED])
        expect([client.unread() for client in self.clients], [[], []])

    def _some(self, way: str, kind: str) -> Seen:
        return GAME.codec.invent(GAME.codec.find(way, kind), self.seed)

    def _both_hear(self, kind: str, fields: Seen) -> None:
        for client in self.clients:
            expect(client.expect(kind).fields, fields)
