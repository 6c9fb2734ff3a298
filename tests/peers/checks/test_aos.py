import unittest

from agree import Agreement
from aos_wire import AOS
from wire import Value


class AosAgreement(Agreement, unittest.TestCase):
    game, dialect, codec = "aos", "0.80", AOS
    count = 60  # a State Update has six forms
    words = {
        "base1": ("ctf.base1",), "base2": ("ctf.base2",), "block": ("at",), "cap_limit": ("ctf.limit",), "carrier": ("player",),
        "client": ("letter",), "end": ("to",), "extra": ("extra", "tail"), "flags": ("ctf.held",),
        "id": ("id", "player", "victim"), "input": ("input", "inputs"), "intel1": ("ctf.intel1",),
        "intel1_carrier": ("ctf.carrier1",), "intel2": ("ctf.intel2",), "intel2_carrier": ("ctf.carrier2",),
        "major": ("version",), "minor": ("version",), "number": ("code",), "ori": ("orientation", "motion.orientation"),
        "pos": ("position", "motion.position"), "revision": ("version",), "score1": ("ctf.score1",),
        "score2": ("ctf.score2",), "start": ("from",), "state": ("now",), "state_30": ("oldest",),
        "still_30": ("oldest_still",), "team1": ("colour1",), "team1_name": ("name1",), "team2": ("colour2",),
        "team2_name": ("name2",), "type": ("type", "cause"), "vel": ("velocity", "motion.velocity"),
        **{part: ("",) for part in "xyzbgr"}}

    def same(self, value: Value, printed: str) -> bool:
        return super().same(value, printed) or value == printed  # the unused bytes after a carrier
