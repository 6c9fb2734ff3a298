# Tests that a peer's codec and Entente's read the same bytes in the same way.
# Invariant: the two codecs share no code. Values are compared one by one, in the wire's order; bytes must be identical.
from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass
from typing import Iterator

import ours
from codec import Codec, Kind, leaves
from text import to_bytes
from wire import Value, Wrong

INVENTED = 12  # messages of each kind and way
DAMAGED = 5  # damaged copies of each
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"(\+tail\d+|\(no end\))?', re.DOTALL)
INDEX = re.compile(r"\[\d+\]")
BYTES = re.compile(r"<(\d+) bytes(?:: ([0-9a-f]*)(…?))?>")


def unquoted(printed: str) -> bytes:
    """The text between quotes, with \\xNN, \\" and \\\\ unescaped."""
    def undo(found: re.Match[str]) -> str:
        escaped = found.group(1)
        return chr(int(escaped[1:], 16)) if len(escaped) == 3 else escaped
    return re.sub(r"\\(x..|.)", undo, printed).encode("latin-1")


def same(value: Value, printed: str) -> bool:
    """Whether Entente printed this value. Entente does not print the NULs at the end of a text. Of bytes after a text's NUL, and
    of long byte strings, it prints only the number; the comparison of the re-encoded frames covers these."""
    if isinstance(value, int):
        return printed == str(value)
    if isinstance(value, float):
        return struct.pack(">f", float(printed)) == struct.pack(">f", value)
    if value.startswith("nan:"):
        return printed.lstrip("-") == "nan"
    if found := BYTES.fullmatch(printed):
        size, shown, cut = int(found.group(1)), found.group(2) or "", found.group(3)
        return len(value) == 2 * size and (value.startswith(shown) if cut else value == shown)
    if found := TEXT.fullmatch(printed):
        text = to_bytes(value)
        counted = (found.group(2) or "").startswith("+tail")
        return unquoted(found.group(1)) == (text.split(b"\0")[0] if counted else text.rstrip(b"\0"))
    return False


def damaged(body: bytes, dice: random.Random) -> bytes:
    """A copy with some bytes changed, removed or inserted."""
    for _ in range(dice.randint(1, 3)):
        at, size = dice.randint(0, len(body)), dice.randint(1, 4)
        new = dice.choice((b"", b"\0", b"\1", b"\xff", dice.randbytes(size)))
        body = dice.choice((body[:at], body[:at] + new + body[at:], body[:at] + new + body[at + max(len(new), 1):]))
    return body


@dataclass
class Read:
    """A frame as the peer reads it. `wrong` is empty if the frame is valid."""
    name: str = ""
    fields: Value = None
    wrong: str = ""


class Agreement:
    """A mixin for a unittest.TestCase, which sets the game, the dialect and the peer's codec."""
    game: str
    dialect: str
    codec: Codec
    words: dict[str, tuple[str, ...]] = {}  # the document's name of a field -> Entente's names, if they differ; "": none
    count = INVENTED  # messages of each kind that Entente invents

    def readable(self) -> set[tuple[str, str]]:
        """The kinds that a reader can tell apart, by way and name."""
        return {(kind.way, kind.name) for kind in self.codec.kinds}

    def same(self, value: Value, printed: str) -> bool:
        return same(value, printed)

    def printed(self, frame: ours.Frame) -> list[tuple[str, str]]:
        """What Entente printed, without empty trailing bytes."""
        return [value for value in frame.values if value != ("trailing", "<0 bytes>")]

    def test_what_entente_invents_means_the_same_to_the_peer(self) -> None:
        seen = set()
        for frame in ours.invent(self.game, self.dialect, 1, self.count):
            with self.subTest(frame.name, way=frame.way, bytes=frame.data.hex()):
                read = self.read(frame)
                self.assert_same(read, frame)
                seen.add((frame.way, read.name))
        self.assertEqual(self.readable(), seen)

    def test_what_the_peer_invents_means_the_same_to_entente(self) -> None:
        asked = list(self.invented())
        for frame, answer in zip(asked, ours.decode(self.game, self.dialect, asked)):
            with self.subTest(frame.name, way=frame.way, bytes=frame.data.hex()):
                self.assertEqual("", answer.fault)
                self.assert_same(self.read(frame), answer)
                self.assertEqual(frame.data.hex(), answer.data.hex())

    def test_what_the_peer_invents_it_reads_back(self) -> None:
        for kind, fields in self.inventions():
            with self.subTest(kind.name, way=kind.way):
                _, read = self.codec.decode(kind.way, kind.stage, self.codec.encode(kind.way, kind.name, fields))
                self.assertEqual(repr(list(leaves(list(fields.values())))), repr(list(leaves(list(read.values())))))  # -0.0 is not 0.0

    def test_damaged_frames_are_wrong_to_both_or_the_same_to_both(self) -> None:
        dice, refused = random.Random(1), 0
        asked = [ours.Frame(frame.way, frame.lane, frame.stage, self.codec.damaged(frame.data, lambda body: damaged(body, dice)))
                 for frame in self.invented() for _ in range(DAMAGED)]
        for frame, answer in zip(asked, ours.decode(self.game, self.dialect, asked)):
            read = self.read(frame)
            refused += bool(read.wrong)
            with self.subTest(answer.name or read.name, way=frame.way, bytes=frame.data.hex()):
                self.assertEqual(bool(answer.fault), bool(read.wrong), f"Entente: {answer.fault}; peer: {read.wrong}")
                if not read.wrong:
                    self.assert_same(read, answer)
                    self.assertEqual(frame.data.hex(), answer.data.hex())
        self.assertTrue(len(asked) // 4 < refused < len(asked), f"{refused} of {len(asked)} refused")

    def inventions(self) -> Iterator[tuple[Kind, Value]]:
        for kind in self.codec.kinds:
            for seed in range(INVENTED):
                yield kind, self.codec.invent(kind, seed)

    def invented(self) -> Iterator[ours.Frame]:
        for kind, fields in self.inventions():
            yield ours.Frame(kind.way, kind.lanes[0], kind.stage, self.codec.encode(kind.way, kind.name, fields), kind.name)

    def read(self, frame: ours.Frame) -> Read:
        """Reads a frame, and checks that it encodes to the same bytes."""
        try:
            name, fields = self.codec.decode(frame.way, frame.stage, frame.data)
        except Wrong as wrong:
            return Read(wrong=str(wrong))
        self.assertEqual(frame.data.hex(), self.codec.encode(frame.way, name, fields).hex())
        return Read(name, fields)

    def called(self, path: str) -> set[str]:
        """The names that Entente may use for the field with this path."""
        word, dot, inner = path.partition(".")
        words = self.words.get(word, (word,))
        return {".".join(filter(None, (outer, deeper))) for outer in words for deeper in (self.called(inner) if dot else {""})}

    def assert_same(self, read: Read, frame: ours.Frame) -> None:
        """Checks that both have the same values in the same order, under names that mean the same."""
        self.assertEqual("", read.wrong)
        mine, theirs = [leaf for leaf in leaves(read.fields) if leaf != ("trailing", "")], self.printed(frame)
        for (path, value), (their_path, printed) in zip(mine, theirs):
            self.assertTrue(self.same(value, printed), f"{path} is {value!r} to the peer, {their_path} is {printed} to Entente")
            self.assertIn(INDEX.sub("", their_path), self.called(INDEX.sub("", path)))
        self.assertEqual(len(mine), len(theirs), f"the peer has {mine}, Entente {theirs}")
