import json
import random
import unittest

from text import Bytes, FixedText, RestText, ZeroText
from wire import Array, Field, Float, Int, Reader, Record, Rest, UntilZero, Value, When, Wrong

U8, U16 = Int(">B"), Int(">H")
ITEM = Record(id=U16, name=ZeroText())
OPTIONAL = Record(flags=U8, one=When(lambda seen: bool(seen["flags"] & 1), U16), rest=Bytes())
EXAMPLES: list[tuple[str, Field, str, Value]] = [
    ("an unsigned number", U16, "fffe", 65534),
    ("a signed number", Int("<h"), "feff", -2),
    ("a float", Float(">"), "bfc00000", -1.5),
    ("a signalling NaN", Float("<"), "0100807f", "nan:7f800001"),
    ("a text to its NUL", ZeroText(), "c3a900", "é"),
    ("a text that is not UTF-8", ZeroText(), "61ff00", "a\udcff"),
    ("a text in a field", FixedText(4), "61620000", "ab"),
    ("a text with bytes after its NUL", FixedText(4), "61006200", "a\0b"),
    ("a text to the end", RestText(), "6162", "ab"),
    ("bytes to the end", Bytes(), "00ff", "00ff"),
    ("an array that is counted", Array(U16, U8), "0200010002", [1, 2]),
    ("an array of fixed size", Array(U8, 3), "010203", [1, 2, 3]),
    ("an array to the end", Rest(FixedText(2)), "4d47", ["MG"]),
    ("items until a zero", UntilZero(ITEM, U16), "000161000000", [{"id": 1, "name": "a"}]),
    ("a record with an optional field", OPTIONAL, "010007ff", {"flags": 1, "one": 7, "rest": "ff"}),
    ("a record without it", OPTIONAL, "00ff", {"flags": 0, "rest": "ff"}),
]
SHORT = [(U16, "00"), (Float(">"), "000000"), (ZeroText(), "61"), (FixedText(3), "6161"), (Bytes(2), "00"),
         (Array(U16, U8), "020001"), (UntilZero(ITEM, U16), "00016100"), (OPTIONAL, "01")]
WRONG = [(U8, 256), (U8, -1), (ZeroText(), "a\0"), (FixedText(2), "abc"), (Array(U8, 2), [1]), (Bytes(1), "0000"),
         (UntilZero(ITEM, U16), [{"id": 0, "name": ""}]), (OPTIONAL, {"flags": 0, "one": 1}), (OPTIONAL, {"two": 1})]


class Fields(unittest.TestCase):
    def test_read_what_is_drawn_and_write_it_again(self) -> None:
        for about, field, drawn, value in EXAMPLES:
            with self.subTest(about):
                reader = Reader(bytes.fromhex(drawn))
                self.assertEqual(value, field.read(reader, {}))
                self.assertEqual(0, reader.left())
                self.assertEqual(drawn, field.write(value, {}).hex())

    def test_refuse_bytes_that_end_too_soon(self) -> None:
        for field, drawn in SHORT:
            with self.subTest(drawn=drawn), self.assertRaises(Wrong):
                field.read(Reader(bytes.fromhex(drawn)), {})

    def test_refuse_values_that_nothing_draws(self) -> None:
        for field, value in WRONG:
            with self.subTest(value=value), self.assertRaises(Wrong):
                field.write(value, {})

    def test_write_zeros_for_what_was_not_given(self) -> None:
        self.assertEqual(b"\0\0\0", Record(number=U16, text=ZeroText(), none=When(lambda seen: False, U8)).write({}, {}))

    def test_invent_what_survives_the_wire_and_json(self) -> None:
        for seed in range(50):
            for about, field, _, _ in EXAMPLES:
                with self.subTest(about, seed=seed):
                    value = field.invent(random.Random(seed), {})
                    value = json.loads(json.dumps(value))
                    self.assertEqual(repr(value), repr(field.read(Reader(field.write(value, {})), {})))
