# A client of modern revision 3, and a scripted server for it.
# Invariant: the client's view of the world (View) and the server's world (Arena) are separate, so that tests can compare them.
from __future__ import annotations

import ssl

import web
from codec import CLIENT, SERVER
from modern3 import CLEAR, EJECT, MODERN3, Q_DOWN, REVISION, SAY, SPAWN, SPECTATE, update
from modern3_arena import EDGE, OWNED, Arena
from session import Closed, Session
from wire import Seen

BORDER = {"left": -EDGE, "right": EDGE, "top": -EDGE, "bottom": EDGE}
ABOUT = {"gamemode": 0, "major": 1, "minor": 3, "patch": 6}
HIGHLIGHTED, ME = 1, 2
LEADER, ROAMING = 1.0, 0.5  # scale of a spectator's view


class View:
    """What a client knows from the updates that it received."""

    def __init__(self) -> None:
        self.cells: dict[int, Seen] = {}
        self.own: set[int] = set()
        self.said: list[Seen] = []
        self.border: Seen = {}
        self.board: Seen = {}
        self.world: Seen = {}

    def apply(self, told: Seen) -> None:
        if told["flags"] & CLEAR:
            self.cells, self.own, self.board = {}, set(), {}
        for part in ("border", "board", "world"):
            setattr(self, part, told.get(part, getattr(self, part)))
        self.said += told.get("chat", [])
        for cell in told.get("added", []):
            self.cells[cell["id"]] = cell
            if cell["flags"] & OWNED:
                self.own.add(cell["id"])
        for cell in told.get("updated", []):
            self.cells[cell["id"]].update({name: value for name, value in cell.items() if name != "flags"})
        for cell in told.get("removed", []):
            del self.cells[cell]
            self.own.discard(cell)


class Modern3Client(Session):
    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(MODERN3, CLIENT, web.connect(port, tls))
        self.view = View()

    def join(self) -> None:
        """Waits for the first update with a border: before it, a server may ignore all but mouse and ping."""
        self.send("ProtocolVersion", revision=REVISION)
        while not self.view.border:
            self.see()

    def see(self) -> Seen:
        """Waits for the next update, and applies it to the view."""
        told = self.expect("Update")
        self.view.apply(told)
        return told

    def act(self, flags: int = 0, x: int = 0, y: int = 0, **more) -> Seen:
        """Sends an update, and waits for the server's answer."""
        self.send("Update", mouse_x=x, mouse_y=y, flags=flags, **more)
        return self.see()


class Modern3Server(Session):
    """A server for the next client. It answers each update with an update, from an arena made with `seed`."""

    def __init__(self, listener: web.Listener, seed: int = 1) -> None:
        super().__init__(MODERN3, SERVER, listener.accept())
        self.arena, self.name, self._asked = Arena(seed), "Spectator", False

    def welcome(self) -> None:
        self.expect("ProtocolVersion")
        self.send("Update", **update(border=BORDER, server=ABOUT, added=self.arena.everything()))

    def serve(self) -> None:
        """Answers until the client disconnects."""
        try:
            while True:
                name, asked = self.next()
                if name == "Ping":
                    self.send("Pong")
                    self._asked = True
                else:
                    self.send("Update", **update(**self._answer(asked)))
        except Closed:
            pass

    def _answer(self, asked: Seen) -> Seen:
        """Carries out a request, in the server's order: mouse, splits, spawn, eject. Returns the parts of the answer."""
        flags = asked["flags"]
        self.arena.move(asked["mouse_x"], asked["mouse_y"])
        for _ in range(asked["splits"]):
            self.arena.split()
        if flags & SPAWN:
            self.name = asked["name"]
            self.arena.spawn(self.name)
        if flags & EJECT:
            self.arena.eject()
        parts: Seen = self.arena.take()
        if flags & (SPECTATE | Q_DOWN) and not self.arena.own:
            parts["area"] = {"x": 0.0, "y": 0.0, "scale": LEADER if flags & SPECTATE else ROAMING}
        if flags & SAY:
            parts["chat"] = [{"source": self.name, "colour": [255, 0, 16], "is_server": 0, "content": line} for line in asked["chat"]]
        if self._asked:
            parts["world"], self._asked = self._world(), False
        return {**parts, "board": self._board()}

    def _board(self) -> Seen:
        return {"type": 1, "ffa": [{"position": 1, "flags": HIGHLIGHTED | ME, "name": self.name}] if self.arena.own else []}

    def _world(self) -> Seen:
        playing = int(bool(self.arena.own))
        return {"server_name": "peer", "gamemode_name": "FFA", "load": 0.25, "uptime": 60,
                "connections": {"limit": 100, "external": 1, "internal": 0, "alive": playing, "spectating": 1 - playing}}
