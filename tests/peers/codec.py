# A dialect as a table of messages: decodes, encodes and invents whole frames, and lists their values for comparison.
# Invariant: a frame that decodes also encodes to the same bytes; any other frame raises Wrong.
from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Callable, Iterator

from wire import Reader, Record, Seen, Value, Wrong

CLIENT, SERVER = "client", "server"  # the ways, named after the sender
GREETING, PLAY = "greeting", "play"  # the stages: GREETING is a side's first message, if it has a format of its own; PLAY is all others


@dataclass(frozen=True)
class Kind:
    """One kind of message in one way, and the lanes that carry it. `code` is what identifies the kind in a frame."""
    name: str
    way: str
    code: object
    body: Record
    lanes: tuple[str, ...] = ("stream",)
    stage: str = PLAY


class Codec:
    """A reader tries kinds with the same way, stage and code in their order in `kinds`."""

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds = kinds

    def seal(self, kind: Kind, body: bytes) -> bytes:
        """The frame that carries this body."""
        raise NotImplementedError

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[object, bytes]:
        """A frame's code and body."""
        raise NotImplementedError

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        """A frame with a damaged body, whose envelope is still valid."""
        raise NotImplementedError

    def shorter(self, frame: bytes) -> bytes:
        """The frame without the last byte of its body."""
        return self.damaged(frame, lambda body: body[:-1])

    def first_stage(self, way: str) -> str:
        return GREETING if any(kind.way == way and kind.stage == GREETING for kind in self.kinds) else PLAY

    def find(self, way: str, name: str) -> Kind:
        for kind in self.kinds:
            if (kind.way, kind.name) == (way, name):
                return kind
        raise Wrong(f"a {way} sends no {name}")

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
        raise Wrong("; or ".join(faults) or f"a {way} sends no message {code!r} in the stage {stage}")

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
    """The path and value of each field of a message, in the wire's order. Paths look like flag.owner.port or cells[2].id."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value
