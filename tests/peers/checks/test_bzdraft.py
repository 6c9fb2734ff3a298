import unittest

from agree import Agreement
from bzdraft_wire import DRAFT, DRAWN_ALIKE


class DraftAgreement(Agreement, unittest.TestCase):
    game, dialect, codec = "bzdraft", "draft", DRAFT
    words = {
        "avatar_name": ("avatar",), "bad_flag_shake_time": ("shake_time",), "bad_flag_shake_win_count": ("shake_wins",),
        "call_sign": ("callsign",), "can_join": ("may_join",), "flag_id": ("flag", "flag.kind"), "flag_num": ("number",),
        "flags": ("flags_known",), "from_player_id": ("from",), "message": ("text",), "player_id": ("player", "flag.carrier"),
        "player_or_team_id": ("winner",), "playerid": ("player",), "shot_id": ("shot",), "status": ("status", "flag.status"),
        "time_left": ("seconds",), "to_id": ("to",), "undrawn": ("second",), "unended": ("",), "world_model_name": ("model",),
        **{f"position_{axis}": ("position", "flag.position") for axis in "xyz"},
        **{f"velocity_{axis}": ("velocity",) for axis in "xyz"}}

    def readable(self) -> set[tuple[str, str]]:
        return super().readable() - DRAWN_ALIKE
