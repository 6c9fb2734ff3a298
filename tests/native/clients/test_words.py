# The generated types, and words as JSON.
import math
import subprocess
import sys
import unittest
from pathlib import Path

import entente
from entente import words
from entente.codec import make_intent, parse_fact, spell_intent

CLIENTS = Path(entente.__file__).resolve().parents[2]
INTENT_NUMBERS = [(kind, name, attribute) for kind, word in words.INTENTS.items()
                  for name, (attribute, code) in word.FIELDS.items() if code.rstrip("?") in ("double", "float")]


class Generated(unittest.TestCase):
    def test_the_generated_files_fit_the_schema(self):
        done = subprocess.run([sys.executable, str(CLIENTS / "generate"), "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_kind_is_there(self):
        schema = (CLIENTS.parents[2] / "schema" / "game.proto").read_text(encoding="utf-8")
        for label, kinds in (("Intent", words.INTENTS), ("Fact", words.FACTS)):
            block = schema.split(f"message {label} {{")[1].split("oneof kind {")[1].split("}")[0]
            self.assertEqual([line.split()[1] for line in block.strip().splitlines()], list(kinds))


class Writing(unittest.TestCase):
    def test_a_number_that_is_not_finite_is_refused_with_its_field(self):
        self.assertGreater(len(INTENT_NUMBERS), 40)
        for kind, name, attribute in INTENT_NUMBERS:
            for value in (math.nan, math.inf, -math.inf, "1", None if kind == "playback" else "", True, 10 ** 400):
                if value is None:
                    continue
                with self.subTest(kind=kind, name=name, value=value), self.assertRaises(entente.BadIntent) as caught:
                    spell_intent(make_intent(kind, {attribute: value}))
                self.assertEqual(caught.exception.place, f"{kind}.{name}")

    def test_wrong_values_name_their_field(self):
        for kind, fields, place in (("jump", {}, "jump"), ("toward", {"a": 1}, "toward.a"), ("say", {"text": 5}, "say.text"),
                                    ("say", {"text": "\ud800"}, "say.text"), ("say", {"scope": "NOBODY"}, "say.scope"),
                                    ("say", {"to": -1}, "say.to"), ("say", {"to": 2 ** 32}, "say.to"), ("say", {"to": 1.5}, "say.to"),
                                    ("pause", {"on": 1}, "pause.on"), ("enter", {"flags_known": "US"}, "enter.flags_known"),
                                    ("enter", {"flags_known": ["US", 1]}, "enter.flags_known.1"), ("say", {"text": "x" * 70000}, "say")):
            with self.subTest(kind=kind, fields=str(fields)[:40]), self.assertRaises(entente.BadIntent) as caught:
                spell_intent(make_intent(kind, fields))
            self.assertEqual(caught.exception.place, place)

    def test_fields_that_are_0_are_left_out_unless_that_means_something_else(self):
        self.assertEqual(spell_intent(words.Toward(x=0, y=2)), b'{"toward":{"y":2.0}}')
        self.assertEqual(spell_intent(words.Playback(us=0, paused=False)), b'{"playback":{"us":"0","paused":false,"kill":"NO_KILL"}}')
        self.assertEqual(spell_intent(words.Say(text="é")), '{"say":{"scope":"EVERYBODY","kind":"CHAT","text":"é"}}'.encode())

    def test_a_fact_is_not_an_intent(self):
        for word in (words.Pose(), words.Solid()):
            with self.assertRaises(entente.BadIntent):
                spell_intent(word)


class Reading(unittest.TestCase):
    def test_fields_that_are_left_out_are_0(self):
        message = parse_fact(b'{"at_us":"12","said":{"from":3,"text":"hello"}}')
        self.assertEqual((message.kind, message.at_us, message.word), ("said", 12, words.Said(from_=3, text="hello")))

    def test_what_is_unknown_is_ignored(self):
        self.assertEqual(parse_fact(b'{"pose":{"unit":1,"warp":{"a":[1]}}}').word, words.Pose(unit=1))
        self.assertEqual(parse_fact(b'{"player":{"id":1,"team":"PINK"}}').word.team, "PINK")
        self.assertEqual(parse_fact(b'{"player":{"id":1,"team":2}}').word.team, "RED")
        self.assertIsNone(parse_fact(b'{"at_us":"1","weather":{"rain":1}}').word)
        self.assertIsNone(parse_fact(b"{}").word)

    def test_numbers_that_are_not_finite_become_0(self):
        for text in (b'"NaN"', b'"Infinity"', b'"-Infinity"', b"1e999", b"NaN", b"-Infinity", b"1" + b"0" * 400):
            self.assertEqual(parse_fact(b'{"pose":{"x":' + text + b"}}").word.x, 0.0, text)

    def test_wrong_types_name_their_field(self):
        for line, place in ((b'{"pose":5}', "pose"), (b'{"pose":{"x":"far"}}', "pose.x"), (b'{"pose":{"x":[]}}', "pose.x"),
                            (b'{"unit":{"pose":{"yaw":{}}}}', "unit.pose.yaw"), (b'{"owns":{"units":[1,-1]}}', "owns.units.1"),
                            (b'{"owns":{"units":7}}', "owns.units"), (b'{"you":{"player":1.5}}', "you.player"),
                            (b'{"you":{"player":4294967296}}', "you.player"), (b'{"ready":[]}', "ready"),
                            (b'{"world":{"tiles":"~"}}', "world.tiles"), (b'{"unit":{"alive":"yes"}}', "unit.alive"),
                            (b'{"at_us":"x","ready":{}}', "at_us, cause or to"), (b"[]", "message"), (b'{"pose":', "message"),
                            (b"\xff", "message"), (b"[" * 100_000, "message"), (b'{"a":' * 100_000, "message"),
                            (b'{"you":{"player":' + b"1" * 100_000 + b"}}", "message")):
            with self.subTest(line=line[:40]), self.assertRaises(entente.ProtocolError) as caught:
                parse_fact(line)
            self.assertEqual(caught.exception.place, place)


class Wheel(unittest.TestCase):
    def test_the_package_builds_without_other_packages(self):
        import tempfile
        import zipfile
        with tempfile.TemporaryDirectory() as folder:
            code = f"import build_wheel; print(build_wheel.build_wheel({folder!r}))"
            done = subprocess.run([sys.executable, "-S", "-c", code], cwd=CLIENTS / "python", capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "")
            wheel = Path(folder) / done.stdout.strip()
            self.assertTrue(zipfile.ZipFile(wheel).testzip() is None)
            code = f"import sys; sys.path.insert(0, {str(wheel)!r}); import entente.bot; print(entente.__file__)"
            done = subprocess.run([sys.executable, "-S", "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, env={})
            self.assertTrue(done.stdout.startswith(str(wheel)), done.stderr)
