# Calls Entente's codec through the tool `peer_codec`, and parses its output.
# Invariant: uses no code of Entente. Values are compared in their printed form.
from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field

SECONDS = 60


@dataclass
class Frame:
    way: str
    lane: str
    stage: str
    data: bytes
    name: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)
    fault: str = ""

    def asked(self) -> str:
        return f"{self.way}\t{self.lane}\t{self.stage}\t{self.data.hex()}"


def program(name: str) -> str:
    build = os.environ["ENTENTE_BUILD"]
    for place in (os.path.join(build, name), os.path.join(build, "tests", name)):
        if os.access(place, os.X_OK):
            return place
    raise FileNotFoundError(f"{name} is not built in {build}")


def _answer(line: str) -> Frame:
    first, *more = line.split("\t")
    if first == "fault":
        return Frame("", "", "", b"", fault="\t".join(more) or "fault")
    lane, stage, data, name, *values = more
    return Frame(first, lane, stage, bytes.fromhex(data), name, [tuple(value.split("=", 1)) for value in values])


def _run(arguments: list[str], asked: str) -> list[Frame]:
    done = subprocess.run([program("peer_codec"), *arguments], input=asked, stdout=subprocess.PIPE, text=True,
                          encoding="utf-8", errors="surrogateescape", timeout=SECONDS, check=True)
    return [_answer(line) for line in done.stdout.splitlines()]


def invent(game: str, dialect: str, seed: int, count: int) -> list[Frame]:
    """`count` random legal frames of each kind and way."""
    return _run([game, dialect, "invent", str(seed), str(count)], "")


def decode(game: str, dialect: str, frames: list[Frame]) -> list[Frame]:
    """Entente's result for each frame: as from invent(), with the re-encoded bytes; or with `fault` set."""
    said = _run([game, dialect, "decode"], "".join(frame.asked() + "\n" for frame in frames))
    if len(said) != len(frames):
        raise AssertionError(f"{len(frames)} frames sent, {len(said)} answers")
    return said
