# A session of two clients and a server in which every kind of message is sent, in each direction that it has. The same seed gives
# the same session.
# Invariant: each receiver waits for each message and checks its fields. At the end, no message is unread.
from __future__ import annotations

from bzdraft import Client
from bzdraft_server import TEAMS, TOLD_TO_ALL, TOLD_TO_OTHERS, Server
from bzdraft_wire import DRAFT, ID_EVERYONE, Drop, Flag, Reject
from codec import CLIENT, SERVER
from enet_host import Loop
from expected import expect
from wire import Seen

TOLD_BY_SERVER = ("MsgTimeLeft", "MsgScoreOver", "MsgScoreOver/2", "MsgTeamUpdate", "MsgTeamUpdate/tu", "MsgFlagUpdate")


def some(way: str, kind: str, seed: int) -> Seen:
    return DRAFT.invent(DRAFT.find(way, kind), seed)


class Play:
    """Ann plays. Bob watches: he receives what the server tells others about ann."""

    def __init__(self, loop: Loop, port: int, server: Server, seed: int):
        self.server, self.seed = server, seed
        self.ann, self.bob = Client(loop, port, data=seed), Client(loop, port, data=seed + 1)
        self.clients = [self.ann, self.bob]

    def all(self) -> None:
        self.join()
        self.talk()
        self.drive()
        self.shoot()
        self.carry_a_flag()
        self.hear_the_server()
        self.end()

    def join(self) -> None:
        for number, client in enumerate(self.clients):
            client.until_connected()
            self.server.client(number)
            greeting = client.greet(flags=(1, 2, 33))
            expect(greeting["can_join"], 1)
            world, resource = client.get_world()
            expect((world["world_model_name"], resource), (self.server.md5, self.server.resource))
        self.bob.send("MsgEnter", team=2, type=0, callsign="")
        expect(self.bob.expect("MsgReject").fields["reason"], Reject.BAD_REQUEST)
        for client, callsign in zip(self.clients, ("ann", "bob")):
            expect(client.enter(callsign, team=2, email=f"{callsign}@example.com")["call_sign"], callsign)
            expect([client.expect("MsgFlagUpdate").fields for _ in self.server.flags], self.server.flags)
            expect([client.expect("MsgTeamUpdate").fields["team"] for _ in range(TEAMS)], list(range(TEAMS)))
        expect(self.ann.expect("MsgAddPlayer").fields["playerid"], self.bob.id)

    def talk(self) -> None:
        for to in (ID_EVERYONE, 251, self.bob.id):  # everyone, their team, bob
            self.ann.send("MsgMessage", from_player_id=0, to_id=to, message=f"to {to} é")
            self._both_hear("MsgMessage", {"from_player_id": self.ann.id, "to_id": to, "message": f"to {to} é"})
        changed = {"type": 0, "team": 2, "wins": 0, "losses": 0, "call_sign": "ann", "email": "", "avatar_name": "tux"}
        self.ann.send("MsgAddPlayer", playerid=0, **changed)
        self._both_hear("MsgAddPlayer", {"playerid": self.ann.id} | changed)

    def drive(self) -> None:
        self.ann.send("MsgAlive")
        self._both_hear("MsgAlive", {"player_id": self.ann.id, "position_x": 0, "position_y": 0, "position_z": 0})
        for seed in range(self.seed, self.seed + 20):
            said = self._tell("MsgPlayerUpdate", seed)
        self.place = {name: value for name, value in said.items() if name.startswith("position")}
        self._tell("MsgTeleport/tp", self.seed)
        self.ann.send("MsgTeleport", **{"player_id": 0, "from": 2, "to": 3})
        self._both_hear("MsgScore", {"player_id": self.ann.id, "wins": 2, "losses": 3})  # the page draws MsgTeleport like MsgScore

    def shoot(self) -> None:
        for kind in ("MsgShotBegin", "MsgShotUpdate", "MsgShotEnd", "MsgKilled", "MsgScore"):
            self._tell(kind, self.seed)

    def carry_a_flag(self) -> None:
        self.ann.send("MsgGrabFlag", flag_num=1)
        carried = self.server.flags[1] | {"status": Flag.ON_TANK, "player_id": self.ann.id}
        self._both_hear("MsgGrabFlag", carried)
        self.ann.send("MsgDropFlag", reason=Drop.DROPPED)
        self._both_hear("MsgDropFlag", {"reason": Drop.DROPPED} | carried | {"status": Flag.ON_GROUND} | self.place)

    def hear_the_server(self) -> None:
        for kind in TOLD_BY_SERVER:
            said = some(SERVER, kind, self.seed)
            self.server.tell(kind, **said)
            self._both_hear(kind, said)
        self.server.tell("MsgTeleport", **{"player_id": self.bob.id, "from": 4, "to": 5})
        self._both_hear("MsgScore", {"player_id": self.bob.id, "wins": 4, "losses": 5})

    def end(self) -> None:
        """One client leaves, the server disconnects the other."""
        self.ann.leave()
        expect(self.bob.expect("MsgRemovePlayer").fields, {"playerid": self.ann.id})
        self.server.kill(self.server.client(1))
        self.bob.expect("MsgSuperKill")
        for client, seat in zip(self.clients, self.server.sessions):
            expect((client.until_over(), seat.until_over(), client.unread()), (0, 0, []))

    def _tell(self, kind: str, seed: int) -> Seen:
        said = some(CLIENT, kind, seed)
        self.ann.send(kind, **said)
        heard = said | {(TOLD_TO_ALL | TOLD_TO_OTHERS)[kind]: self.ann.id}
        if kind in TOLD_TO_ALL:
            expect(self.ann.expect(kind).fields, heard)
        expect(self.bob.expect(kind).fields, heard)
        return said

    def _both_hear(self, kind: str, fields: Seen) -> None:
        for client in self.clients:
            expect(client.expect(kind).fields, fields)
