# Do a peer's codec and Entente's mean the same by the same bytes? The tests that every peer's codec takes.
# Law: neither is asked about the other: values are compared one by one, in the wire's order, and bytes as they are.
from __future__ import annotations

import re
import struct
from typing import Iterator

import ours
from codec import Codec, leaves
from text import to_bytes
from wire import Value, Wrong

INVENTED = 12  # of each kind, each way
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"(\+tail\d+|\(no end\))?', re.DOTALL)
BYTES = re.compile(r"<(\d+) bytes(?:: ([0-9a-f]*)(…?))?>")


def unquoted(printed: str) -> bytes:
    """What stands between quotes, with its \\xNN, \\" and \\\\ undone."""
    def undo(found: re.Match[str]) -> str:
        escaped = found.group(1)
        return chr(int(escaped[1:], 16)) if len(escaped) == 3 else escaped
    return re.sub(r"\\(x..|.)", undo, printed).encode("latin-1")


def same(value: Value, printed: str) -> bool:
    """Is this what Entente printed of that value? Bytes after a text's NUL, and bytes beyond the first of many, it only
    counts; that they are the same is then for the re-encoded frame to show."""
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
        return unquoted(found.group(1)) == (text.split(b"\0")[0] if "tail" in (found.group(2) or "") else text)
    return False


def difference(fields: Value, frame: ours.Frame) -> str:
    """The first value that is not the same, or "". Nothing at the end of a message (`trailing=<0 bytes>`) is no value."""
    mine = [leaf for leaf in leaves(fields) if leaf != ("trailing", "")]
    theirs = [value for value in frame.values if value != ("trailing", "<0 bytes>")]
    for (path, value), (their_path, printed) in zip(mine, theirs):
        if not same(value, printed):
            return f"{path} is {value!r} to the peer, {their_path} is {printed} to Entente"
    if len(mine) != len(theirs):
        return f"{len(mine)} values to the peer, {len(theirs)} to Entente: {mine} {theirs}"
    return ""


class Agreement:
    """Mixed into a unittest.TestCase, which says the game, the dialect, the peer's codec, and at which stage a kind is said."""
    game: str
    dialect: str
    codec: Codec

    def stage(self, way: str, name: str) -> str:
        return "any"

    def test_what_entente_invents_means_the_same_to_the_peer(self) -> None:
        seen = set()
        for frame in ours.invent(self.game, self.dialect, 1, INVENTED):
            with self.subTest(frame.name, way=frame.way, bytes=frame.data.hex()):
                name, fields = self.codec.decode(frame.way, frame.lane, frame.stage, frame.data)
                seen.add((frame.way, name))
                self.assertEqual("", difference(fields, frame))
                self.assertEqual(frame.data.hex(), self.codec.encode(frame.way, name, fields).hex())
        self.assertEqual(self.readable(), seen)

    def test_what_the_peer_invents_means_the_same_to_entente(self) -> None:
        asked = list(self.invented())
        answers = ours.decode(self.game, self.dialect, [frame for frame, _ in asked])
        for (frame, fields), answer in zip(asked, answers):
            with self.subTest(frame.name, way=frame.way, bytes=frame.data.hex()):
                self.assertEqual("", answer.fault)
                self.assertEqual("", difference(fields, answer))
                self.assertEqual(frame.data.hex(), answer.data.hex())

    def test_what_the_peer_invents_it_reads_back(self) -> None:
        for frame, fields in self.invented():
            with self.subTest(frame.name, way=frame.way):
                _, read = self.codec.decode(frame.way, frame.lane, frame.stage, frame.data)
                self.assertEqual(repr(list(fields.values())), repr(list(read.values())))  # repr: -0.0 is not 0.0

    def test_entente_refuses_what_is_cut_short(self) -> None:
        cut = [ours.Frame(frame.way, frame.lane, frame.stage, self.codec.shorter(frame.data), frame.name)
               for frame, _ in self.invented()]
        refused = 0
        for frame, answer in zip(cut, ours.decode(self.game, self.dialect, cut)):
            try:
                self.codec.decode(frame.way, frame.lane, frame.stage, frame.data)
            except Wrong:
                with self.subTest(frame.name, way=frame.way, bytes=frame.data.hex()):
                    self.assertNotEqual("", answer.fault)
                    refused += 1
        self.assertGreater(refused, len(cut) // 2)

    def readable(self) -> set[tuple[str, str]]:
        """The kinds that a reader can tell apart."""
        return {(kind.way, kind.name) for kind in self.codec.kinds}

    def invented(self) -> Iterator[tuple[ours.Frame, Value]]:
        for kind in self.codec.kinds:
            for seed in range(INVENTED):
                fields = self.codec.invent(kind, seed)
                yield ours.Frame(kind.way, kind.lanes[0], self.stage(kind.way, kind.name),
                                 self.codec.encode(kind.way, kind.name, fields), kind.name), fields
