import unittest

import ours
from agree import Agreement
from codec import CLIENT, SERVER
from wiki import EITHER, WIKI

DRAWN_LIKE_ANOTHER = {(CLIENT, "MsgTeleport"), (SERVER, "MsgTeleport")}  # like MsgScore


class WikiAgreement(Agreement, unittest.TestCase):
    game, dialect, codec = "bzflag", "wiki", WIKI
    words = {
        "address": ("ip",), "angular_velocity": ("turn",), "call_sign": ("callsign",), "email": ("motto",), "flag": ("flag.record",),
        "flag_id": ("kind",), "flag_num": ("number", "flag", "flag.number"), "flag_type": ("flag",), "last_player": ("last",),
        "lifetime": ("life",), "message": ("text",), "position": ("pos",), "remaining": ("left",), "sequence": ("number",),
        "time": ("age",), "time_left": ("seconds",), "type": ("type", "endurance"), "velocity": ("vel",),
        "player": ("player", "id"), "shooter": ("player",), "capturer": ("player",), "dropper": ("player",), "grabber": ("player",),
        "wins": ("wins", "won"), "losses": ("losses", "lost")}

    def readable(self) -> set[tuple[str, str]]:
        return super().readable() - DRAWN_LIKE_ANOTHER

    def test_each_kind_is_read_by_the_lanes_it_is_said_by_and_by_no_other(self) -> None:
        asked = [(kind, ours.Frame(kind.way, lane, kind.stage, self.codec.encode(kind.way, kind.name, fields)))
                 for kind, fields in self.inventions() for lane in EITHER]
        for (kind, frame), answer in zip(asked, ours.decode(self.game, self.dialect, [frame for _, frame in asked])):
            with self.subTest(kind.name, way=kind.way, lane=frame.lane):
                self.assertEqual(frame.lane in kind.lanes, not answer.fault)
