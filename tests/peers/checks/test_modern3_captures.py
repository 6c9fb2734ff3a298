import json
import os
import unittest

from codec import CLIENT, PLAY, SERVER
from modern3 import MODERN3
from wire import Wrong

TRACES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "traces", "ogar")
WAYS = {"c2s": CLIENT, "s2c": SERVER}


class Captures(unittest.TestCase):
    """Recorded messages of OgarII and its clients."""

    def frames(self, name: str) -> list[tuple[str, str, str, bytes]]:
        """(connection, way, stage, bytes) of each message."""
        spoke: set[tuple[str, str]] = set()
        found = []
        with open(os.path.join(TRACES, name + ".jsonl"), encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if "hex" in line:
                    connection, way = line["conn"], WAYS[line["dir"]]
                    stage = PLAY if (connection, way) in spoke else MODERN3.first_stage(way)
                    spoke.add((connection, way))
                    found.append((connection, way, stage, bytes.fromhex(line["hex"])))
        return found

    def test_decode_and_encode_to_the_byte(self) -> None:
        for name in ("m3-06-spectate-roam", "m3-08-teams"):
            for _, way, stage, frame in self.frames(name):
                kind, fields = MODERN3.decode(way, stage, frame)
                self.assertEqual(frame.hex(), MODERN3.encode(way, kind, fields).hex())

    def test_wrong_is_just_what_the_server_closed_for(self) -> None:
        with open(os.path.join(TRACES, "m3-18-kicks.meta.json"), encoding="utf-8") as file:
            events = json.load(file)["events"]
        kicked = {event["conn"] for event in events if event["event"] == "close" and event["code"] != 1000}
        wrong = set()
        for connection, way, stage, frame in self.frames("m3-18-kicks"):
            try:
                MODERN3.decode(way, stage, frame)
            except Wrong:
                wrong.add(connection)
        self.assertEqual(kicked, wrong)
