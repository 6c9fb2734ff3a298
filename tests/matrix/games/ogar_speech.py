# Translates between each dialect of Ogar and the fields of modern3's tables, for a player and for the arena.
# Invariant: written from measurements of OgarII and its clients, independently of adapters/; a message that does not fit raises Wrong.
from __future__ import annotations

import json
import struct

from codec import CLIENT, GREETING, PLAY, SERVER
from modern3 import EJECT, MINION_EJECT, MINION_FREEZE, MODERN3, Q_DOWN, Q_UP, REVISION, SAY, SPAWN, SPECTATE, update
from wire import Wrong

OWNED, NAMED, SKINNED = 1, 2, 4  # flags of an added cell
PLAYER, PELLET, VIRUS, EJECTED = range(4)
SMALL = 20  # a pellet's largest size
PROGRAM = "OgarII 1.3.6"
DIALECTS = ("modern3", *(f"legacy{version}" for version in range(4, 23)))
EDGES = {17: "splits", 22: "minion_splits", 1: SPECTATE, 18: Q_DOWN, 19: Q_UP, 21: EJECT, 23: MINION_EJECT, 24: MINION_FREEZE}


def speech(dialect: str) -> Modern | Legacy:
    return Modern() if dialect == "modern3" else Legacy(int(dialect.removeprefix("legacy")))


class Modern:
    """modern3, by its tables."""

    def __init__(self) -> None:
        self._greeted = False

    def hello(self) -> list[bytes]:
        return [MODERN3.encode(CLIENT, "ProtocolVersion", {"revision": REVISION})]

    def ping(self) -> list[bytes]:
        return [MODERN3.encode(CLIENT, "Ping", {})]

    def wish(self, fields: dict) -> list[bytes]:
        return [MODERN3.encode(CLIENT, "Update", fields)]

    def told(self, frame: bytes) -> list[tuple[str, dict]]:
        return [MODERN3.decode(SERVER, PLAY, frame)]

    def heard(self, frame: bytes) -> list[tuple[str, dict]]:
        stage = PLAY if self._greeted else GREETING
        self._greeted = True
        return [MODERN3.decode(CLIENT, stage, frame)]

    def pong(self) -> list[bytes]:
        return [MODERN3.encode(SERVER, "Pong", {})]

    def tell(self, parts: dict) -> list[bytes]:
        return [MODERN3.encode(SERVER, "Update", update(**parts))] if parts else []


class Bytes:
    """Reads one message from beginning to end."""

    def __init__(self, frame: bytes, wide: bool) -> None:
        self.frame, self.wide, self.at = frame, wide, 1

    def take(self, form: str) -> tuple:
        if self.at + struct.calcsize("<" + form) > len(self.frame):
            raise Wrong(f"message {self.frame[0]:#x} ends within {form}")
        values = struct.unpack_from("<" + form, self.frame, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def one(self, form: str) -> int:
        return self.take(form)[0]

    def text(self, wide: bool | None = None) -> str:
        wide = self.wide if wide is None else wide
        unit, end = (2, b"\0\0") if wide else (1, b"\0")
        size = 0
        while self.frame[self.at + size:self.at + size + unit] != end:
            if self.at + size + unit > len(self.frame):
                raise Wrong(f"a text of message {self.frame[0]:#x} has no end")
            size += unit
        text = self.frame[self.at:self.at + size]
        self.at += size + unit
        return text.decode("utf-16le" if wide else "utf-8")

    def left(self) -> int:
        return len(self.frame) - self.at


class Legacy:
    """A legacy dialect on one connection. It has state, because the messages do not say which cells are new, changed or the player's own."""

    def __init__(self, version: int) -> None:
        self.version, self.wide = version, version < 6
        self.known: dict[int, dict] = {}
        self.own: set[int] = set()
        self._mouse, self._stage = (0, 0), 0

    def text(self, words: str) -> bytes:
        return words.encode("utf-16le") + b"\0\0" if self.wide else words.encode() + b"\0"

    # client
    def hello(self) -> list[bytes]:
        return [b"\xfe" + struct.pack("<I", self.version), b"\xff\0\0\0\0"]

    def ping(self) -> list[bytes]:
        return [b"\xfe"]

    def wish(self, fields: dict) -> list[bytes]:
        """The client's messages: always the mouse, and one message for each key."""
        flags = fields.get("flags", 0)
        frames = [struct.pack("<Biii", 16, fields["mouse_x"], fields["mouse_y"], 0)]
        frames += [b"\x11"] * fields.get("splits", 0) + [b"\x16"] * fields.get("minion_splits", 0)
        if flags & SPAWN:
            frames.append(b"\0" + self.text(str(fields["name"])))
        frames += [bytes([opcode]) for opcode, flag in EDGES.items() if isinstance(flag, int) and flags & flag]
        if flags & SAY:
            frames += [b"\x63\0" + self.text(str(line)) for line in fields["chat"]]
        return frames

    def told(self, frame: bytes) -> list[tuple[str, dict]]:
        """A message of the server, as parts of an update."""
        said, opcode = Bytes(frame, self.wide), frame[0]
        if opcode == 0xFE:
            return [("Pong", {}), ("Update", update(world=self._world(said)))]
        readers = {0x10: self._nodes, 0x11: self._area, 0x12: self._clear, 0x20: self._owned, 0x31: self._rows, 0x32: self._pie,
                   0x33: self._ranks, 0x35: self._ranks, 0x40: self._border, 0x63: self._chat}
        if opcode not in readers or (opcode == 0x31) != (self.version < 11) and opcode in (0x31, 0x33, 0x35):
            raise Wrong(f"a message {opcode:#x} to a client of version {self.version}")
        parts = readers[opcode](said)
        if said.left():
            raise Wrong(f"{said.left()} bytes behind message {opcode:#x}")
        flags = 64 if opcode == 0x12 else 0
        return [("Update", update(flags, **parts))] if parts or flags else []

    def _world(self, said: Bytes) -> dict:
        return json.loads(said.text(wide=said.frame[said.at + 1:said.at + 2] == b"\0"))  # MultiOgarII sends bytes in 4 and 5, too

    def _area(self, said: Bytes) -> dict:
        return {"area": dict(zip(("x", "y", "scale"), said.take("fff")))}

    def _clear(self, _: Bytes) -> dict:
        self.known, self.own = {}, set()
        return {}

    def _owned(self, said: Bytes) -> dict:
        self.own.add(said.one("I"))
        return {}

    def _border(self, said: Bytes) -> dict:
        left, top, right, bottom = said.take("dddd")
        parts = {"border": {"left": left, "right": right, "top": top, "bottom": bottom}}
        if said.left():
            parts["server"] = {"gamemode": said.one("I"), "major": 0, "minor": 0, "patch": 0}
            if not said.text():
                raise Wrong("a server without a name")
        return parts

    def _chat(self, said: Bytes) -> dict:
        flags, *colour = said.take("BBBB")
        return {"chat": [{"source": said.text(), "colour": colour, "is_server": flags >> 7, "content": said.text()}]}

    def _rows(self, said: Bytes) -> dict:
        rows = []
        for rank in range(said.one("I")):
            mark = said.one("I")
            me = mark == 1 if self.version == 6 else mark in self.own
            rows.append({"position": rank + 1, "flags": 3 * me, "name": said.text()})
        return {"board": {"type": 1, "ffa": rows}}

    def _ranks(self, said: Bytes) -> dict:
        rows, mine = [], next((cell.get("name", "") for number, cell in self.known.items() if number in self.own), "")
        while said.left():
            flags = said.one("B")
            rank = said.one("H") if flags & 1 else len(rows) + 1
            rows.append({"position": rank, "flags": 3 * bool(flags & 8), "name": said.text(False) if flags & 2 else mine})
        return {"board": {"type": 1, "ffa": rows}}

    def _pie(self, said: Bytes) -> dict:
        form = "fBBB" if self.version >= 21 else "f"
        return {"board": {"type": 2, "pie": [said.take(form)[0] for _ in range(said.one("I"))]}}

    def _nodes(self, said: Bytes) -> dict:
        eaten = [dict(zip(("killer", "killed"), said.take("II"))) for _ in range(said.one("H"))]
        added, updated = [], []
        while number := said.one("I"):
            cell = self._cell(said, number)
            if number in self.known:
                updated.append(cell)
                self.known[number].update(cell)
            else:
                added.append(self._added(cell))
                self.known[number] = dict(cell)
        removed = [said.one("I") for _ in range(said.one("I" if self.wide else "H"))]
        for number in removed:
            self.known.pop(number, None)
            self.own.discard(number)
        return {name: part for name, part in (("added", added), ("updated", updated), ("eaten", eaten), ("removed", removed)) if part}

    def _cell(self, said: Bytes, number: int) -> dict:
        """The fields of a cell that the message has; `is` comes from its flags."""
        x, y, size = said.take("hhH" if self.version == 4 else "iiH")
        cell: dict = {"id": number, "flags": 0, "x": x, "y": y, "size": size}
        if self.wide:
            cell["colour"] = list(said.take("BBB"))
        cell["is"] = flags = said.one("B")
        if flags & 0x80 and not self.wide:
            cell["pellet"] = said.one("B") & 1
        if flags & 2 and not self.wide:
            cell["colour"] = list(said.take("BBB"))
        if flags & 4:
            cell["skin"] = said.text(False)
        name = said.text() if self.wide or flags & 8 else ""
        if name or not self.wide and flags & 8:
            cell["name"] = name
        return cell

    def _added(self, told: dict) -> dict:
        flags, name = told["is"], told.get("name", "")
        small = not name and told["size"] <= SMALL and told["id"] not in self.own
        pellet = bool(told.get("pellet")) if self.version >= 11 else small
        if "colour" not in told:
            raise Wrong(f"cell {told['id']} is new and has no colour")
        kind = VIRUS if flags & 1 else EJECTED if flags & 0x20 else PELLET if pellet else PLAYER
        return {**told, "type": kind, "flags": OWNED * (told["id"] in self.own) | NAMED * bool(name) | SKINNED * bool(told.get("skin"))}

    # server
    def heard(self, frame: bytes) -> list[tuple[str, dict]]:
        """A message of the client, in the form of modern3."""
        said, opcode = Bytes(frame, self.wide), frame[0]
        self._stage += 1
        if self._stage == 1:
            if opcode != 0xFE or said.one("I") != self.version:
                raise Wrong("no greeting of this version")
            return []
        if self._stage == 2 or opcode == 0xFF:
            if opcode != 0xFF or self._stage != 2 or said.left() < 4:
                raise Wrong("the key is not where it belongs")
            return [("ProtocolVersion", {"revision": self.version})]
        if opcode == 0xFE:
            return [("Ping", {})]
        return [("Update", self._wished(said, opcode))]

    def _wished(self, said: Bytes, opcode: int) -> dict:
        wish: dict = {"splits": 0, "minion_splits": 0, "flags": 0}
        if opcode == 16:
            forms = {13: "ii", 9: "hh", 21: "dd"}
            if len(said.frame) not in forms:
                raise Wrong(f"a mouse of {len(said.frame)} bytes")
            self._mouse = tuple(int(value) for value in said.take(forms[len(said.frame)]))
        elif opcode == 0:
            wish |= {"flags": SPAWN, "name": said.text()}
        elif opcode == 99:
            if said.one("B"):
                raise Wrong("a line with reserved bytes")
            wish |= {"flags": SAY, "chat": [said.text()]}
        elif opcode not in EDGES:
            raise Wrong(f"a message {opcode} of a client")
        elif isinstance(EDGES[opcode], str):
            wish[EDGES[opcode]] = 1
        else:
            wish["flags"] = EDGES[opcode]
        return {**wish, "mouse_x": self._mouse[0], "mouse_y": self._mouse[1]}

    def pong(self) -> list[bytes]:
        return []  # the statistics are the answer

    def tell(self, parts: dict) -> list[bytes]:
        """The server's messages in OgarII's order; cells at each tick, even if there are none."""
        frames = []
        if "border" in parts:
            edges = parts["border"]
            frames.append(struct.pack("<BddddI", 64, edges["left"], edges["top"], edges["right"], edges["bottom"],
                                      parts["server"]["gamemode"]) + self.text(PROGRAM))
        if "world" in parts:
            frames.append(b"\xfe" + self.text(json.dumps(self._stats(parts["world"]))))
        for line in parts.get("chat", []):
            frames.append(struct.pack("<BBBBB", 99, 128 * line["is_server"], *line["colour"]) + self.text(line["source"]) + self.text(line["content"]))
        frames += [struct.pack("<BI", 32, cell["id"]) for cell in parts.get("added", []) if cell["flags"] & OWNED]
        frames.append(self._told_nodes(parts))
        if "area" in parts:
            frames.append(struct.pack("<Bfff", 17, *(parts["area"][name] for name in ("x", "y", "scale"))))
        if "board" in parts:
            frames.append(self._told_board(parts["board"]))
        return frames

    @staticmethod
    def _stats(world: dict) -> dict:
        counts = world["connections"]
        return {"name": world["server_name"], "mode": world["gamemode_name"], "update": 40 * world["load"], "uptime": world["uptime"],
                "playersTotal": counts["external"], "playersAlive": counts["alive"], "playersSpect": counts["spectating"],
                "playersLimit": counts["limit"]}

    def _told_nodes(self, parts: dict) -> bytes:
        eaten, removed = parts.get("eaten", []), parts.get("removed", [])
        out = struct.pack("<BH", 16, len(eaten)) + b"".join(struct.pack("<II", pair["killer"], pair["killed"]) for pair in eaten)
        for cell in parts.get("added", []):
            self.known[cell["id"]] = dict(cell)
            out += self._told_cell(cell, True)
        for cell in parts.get("updated", []):
            self.known[cell["id"]].update({name: cell[name] for name in ("x", "y", "size") if name in cell})
            out += self._told_cell(self.known[cell["id"]], False)
        for number in removed:
            self.known.pop(number, None)
        return out + struct.pack("<I", 0) + struct.pack("<I" if self.wide else "<H", len(removed)) + b"".join(struct.pack("<I", one) for one in removed)

    def _told_cell(self, cell: dict, new: bool) -> bytes:
        """As by OgarII, a new cell has its colour, skin and name, even if they are empty."""
        kind, out = cell["type"], struct.pack("<Ihh" if self.version == 4 else "<Iii", cell["id"], int(cell["x"]), int(cell["y"]))
        out += struct.pack("<H", cell["size"])
        flags = (kind == VIRUS) | 0x20 * (kind == EJECTED) | 4 * new
        if self.wide:
            out += bytes(cell["colour"]) + bytes([flags]) + (b"\0" if new else b"") + self.text(cell.get("name", "") if new else "")
            return out
        pellet = new and kind == PELLET and self.version >= 11
        out += bytes([flags | 10 * new | 0x80 * pellet]) + b"\1" * pellet
        return out + (bytes(cell["colour"]) + b"\0" + self.text(cell.get("name", "")) if new else b"")

    def _told_board(self, board: dict) -> bytes:
        if board["type"] == 2:
            colour = b"\xff\0\0" if self.version >= 21 else b""
            return struct.pack("<BI", 50, len(board["pie"])) + b"".join(struct.pack("<f", slice) + colour for slice in board["pie"])
        rows = board["ffa"]
        if self.version >= 11:
            return bytes([53 if self.version >= 14 else 51]) + b"".join(b"\x08" if row["flags"] else b"\x02" + self.text(row["name"]) for row in rows)
        mine = min((number for number, cell in self.known.items() if cell["flags"] & OWNED), default=0)
        return struct.pack("<BI", 49, len(rows)) + b"".join(
            struct.pack("<I", (1 if self.version == 6 else mine) if row["flags"] else 0) + self.text(row["name"]) for row in rows)
