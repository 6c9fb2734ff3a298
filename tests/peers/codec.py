# A dialect as a table of messages: decode, encode and invent whole frames, and print values to compare them.
# Law: a frame that decodes encodes to the same bytes; one that would not is Wrong.
from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Iterator

from wire import Reader, Record, Seen, Value, Wrong

CLIENT, SERVER = "client", "server"  # a way is named after who speaks


@dataclass(frozen=True)
class Kind:
    """One kind of message, as one way sends it. `code` is whatever the envelope says to tell kinds apart."""
    name: str
    way: str
    code: object
    body: Record
    lanes: tuple[str, ...] = ("stream",)


class Codec:
    """REQUIRES: kinds that share way, lane and code stand in the order in which a reader should try them."""

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds = kinds

    def seal(self, kind: Kind, body: bytes) -> bytes:
        """The frame that carries this body."""
        raise NotImplementedError

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[object, bytes]:
        """A frame's code and body."""
        raise NotImplementedError

    def shorter(self, frame: bytes) -> bytes:
        """The same frame, whole as a frame, but its body cut by a byte (or, without a body, cut itself)."""
        raise NotImplementedError

    def find(self, way: str, name: str) -> Kind:
        for kind in self.kinds:
            if (kind.way, kind.name) == (way, name):
                return kind
        raise Wrong(f"no {way} sends a {name}")

    def encode(self, way: str, name: str, fields: Seen) -> bytes:
        kind = self.find(way, name)
        return self.seal(kind, kind.body.write(fields, {}))

    def decode(self, way: str, lane: str, stage: str, frame: bytes) -> tuple[str, Seen]:
        code, body = self.unseal(way, stage, frame)
        faults = []
        for kind in self.kinds:
            if (kind.way, kind.code) == (way, code) and lane in kind.lanes:
                try:
                    return kind.name, self._read(kind, body)
                except Wrong as wrong:
                    faults.append(f"{kind.name}: {wrong}")
        raise Wrong("; or ".join(faults) or f"no {way} sends a message {code!r} by {lane}")

    def invent(self, kind: Kind, seed: object) -> Seen:
        return kind.body.invent(random.Random(f"{seed} {kind.way} {kind.name}"), {})

    @staticmethod
    def _read(kind: Kind, body: bytes) -> Seen:
        reader = Reader(body)
        fields = kind.body.read(reader, {})
        if reader.left():
            raise Wrong(f"{reader.left()} bytes after its end")
        return fields


def leaves(value: Value, path: str = "") -> Iterator[tuple[str, Value]]:
    """Each single value of a message, in the wire's order, with its path: flag.owner.port, cells[2].id."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value
