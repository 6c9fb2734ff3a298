import unittest

import ours
from agree import Agreement
from modern3 import MODERN3


class Modern3Agreement(Agreement, unittest.TestCase):
    game, dialect, codec = "ogar", "modern3", MODERN3
    words = {
        "mouse_x": ("x",), "mouse_y": ("y",), "revision": ("version",), "area": ("camera",), "ffa": ("rows",), "pie": ("slices",),
        "text": ("lines",), "content": ("text",), "is_server": ("by_server",), "source": ("name",), "unended": ("",),
        "gamemode": ("mode",), "gamemode_name": ("mode",), "server_name": ("server",), "world": ("",), "connections": ("",),
        "alive": ("playing",)}

    def printed(self, frame: ours.Frame) -> list[tuple[str, str]]:
        return [value for value in super().printed(frame) if value[0] != "opcode"]
