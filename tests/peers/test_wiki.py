import unittest

from agree import Agreement, same
from codec import CLIENT, SERVER
from wiki import WIKI
from wire import Value

# Entente reads these in every dialect of BZFlag; the page has none of them.
REFUSALS = {"Refused", "RefusedMore"}
DRAWN_LIKE_ANOTHER = {(CLIENT, "MsgTeleport"), (SERVER, "MsgTeleport")}  # MsgScore
NEVER_AS_DRAWN = {(CLIENT, "MsgMessage"), (SERVER, "MsgMessage")}  # Entente invents texts of any length, the page draws one


class WikiAgreement(Agreement, unittest.TestCase):
    game, dialect, codec = "bzflag", "wiki", WIKI
    words = {
        "address": ("ip",), "angular_velocity": ("turn",), "call_sign": ("callsign",), "email": ("motto",), "flag": ("flag.record",),
        "flag_id": ("kind",), "flag_num": ("number", "flag", "flag.number"), "flag_type": ("flag",), "last_player": ("last",),
        "lifetime": ("life",), "message": ("text",), "position": ("pos",), "remaining": ("left",), "sequence": ("number",),
        "time": ("age",), "time_left": ("seconds",), "type": ("type", "endurance"), "velocity": ("vel",),
        "player": ("player", "id"), "shooter": ("player",), "capturer": ("player",), "dropper": ("player",), "grabber": ("player",),
        "team": ("team", "team.team"), "size": ("team.size", "size"), "active": ("team.active", "active"),
        "wins": ("wins", "won", "team.won"), "losses": ("losses", "lost", "team.lost")}

    def same(self, value: Value, printed: str) -> bool:
        """"Integers can be [...] signed [...] or unsigned (encoding is the same in regardless of signed status)"."""
        if isinstance(value, int):
            return (value - int(printed)) % (1 << 16) == 0
        return same(value, printed)

    def listed(self, name: str, wrong: str, fault: str) -> bool:
        return name in REFUSALS or name == "MsgMessage" and wrong.startswith("MsgMessage: ")

    def readable(self) -> set[tuple[str, str]]:
        return super().readable() - DRAWN_LIKE_ANOTHER - NEVER_AS_DRAWN
