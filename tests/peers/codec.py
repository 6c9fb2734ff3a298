# A dialect as a table of messages: decode, encode and invent whole frames, and print values to compare them.
# Law: a frame that decodes encodes to the same bytes; one that would not is Wrong.
from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable, Iterator

from wire import Reader, Record, Seen, Value, Wrong

CLIENT, SERVER = "client", "server"  # a way is named after who speaks
GREETING, PLAY = "greeting", "play"  # stages: a side's first words, if they are of a kind of their own; all others


@dataclass(frozen=True)
class Kind:
    """One kind of message, as one way sends it, and by which lanes. `code` is what the envelope says to tell kinds apart."""
    name: str
    way: str
    code: object
    body: Record
    lanes: tuple[str, ...] = ("stream",)
    stage: str = PLAY


class Codec:
    """REQUIRES: kinds that share way, stage and code stand in the order in which a reader should try them."""

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds = kinds

    def seal(self, kind: Kind, body: bytes) -> bytes:
        """The frame that carries this body."""
        raise NotImplementedError

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[object, bytes]:
        """A frame's code and body."""
        raise NotImplementedError

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        """The same frame with damage done to its body, but whole as a frame."""
        raise NotImplementedError

    def shorter(self, frame: bytes) -> bytes:
        """Less the last byte of its body."""
        return self.damaged(frame, lambda body: body[:-1])

    def first_stage(self, way: str) -> str:
        return GREETING if any(kind.way == way and kind.stage == GREETING for kind in self.kinds) else PLAY

    def find(self, way: str, name: str) -> Kind:
        for kind in self.kinds:
            if (kind.way, kind.name) == (way, name):
                return kind
        raise Wrong(f"no {way} sends a {name}")

    def encode(self, way: str, name: str, fields: Seen) -> bytes:
        kind = self.find(way, name)
        return self.seal(kind, kind.body.write(fields, {}))

    def decode(self, way: str, stage: str, frame: bytes) -> tuple[str, Seen]:
        code, body = self.unseal(way, stage, frame)
        faults = []
        for kind in self.kinds:
            if (kind.way, kind.stage, kind.code) == (way, stage, code):
                try:
                    return kind.name, self._read(kind, body)
                except Wrong as wrong:
                    faults.append(f"{kind.name}: {wrong}")
        raise Wrong("; or ".join(faults) or f"no {way} says {code!r} in {stage}")

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
