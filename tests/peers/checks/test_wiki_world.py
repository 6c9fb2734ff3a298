import json
import os
import subprocess
import unittest

import ours
from wiki_world import decode_world, encode_world, invent_world
from wire import Wrong

CAPTURE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "traces", "bzflag", "bzfs1108-hand-session.pcap")
HEAD = 8  # bytes before the data of 1.10's MsgGetWorld: length, code, remaining bytes


def captured() -> bytes:
    """The world of a real bzfs 1.10.8, which has the same blocks as the page."""
    told = subprocess.run([ours.program("entente"), "inspect", "--game", "bzflag", "--dialect", "1.10", "--json", "--hex", "--way", "s2c",
                           "--message", "MsgGetWorld", CAPTURE], stdout=subprocess.PIPE, timeout=20, check=True).stdout
    lines = [line for line in map(json.loads, told.splitlines()) if "hex" in line]
    first = [line for line in lines if line["connection"] == lines[0]["connection"]]
    return b"".join(bytes.fromhex(line["hex"])[HEAD:] for line in first)


class World(unittest.TestCase):
    def test_encodes_what_it_decodes(self) -> None:
        for seed in range(5):
            blocks = invent_world(seed)
            self.assertEqual(repr(blocks), repr(decode_world(encode_world(blocks))))

    def test_reads_a_real_servers(self) -> None:
        world = captured()
        blocks = decode_world(world)
        self.assertEqual(["style", "wall", "wall", "wall", "wall", "box"], [name for name, _ in blocks][:6])
        self.assertEqual(400.0, blocks[0][1]["world_size"])
        # The code of the first block is "he" in 1.10, and "st" in the page.
        self.assertEqual(world[:2] + b"st" + world[4:], encode_world(blocks))

    def test_that_is_cut_or_goes_on_is_wrong(self) -> None:
        world = encode_world(invent_world(1))
        head, rest = world[4:34], world[34:]
        for wrong in (world[:-1], world + b"\0", world[:3], b"", rest, b"\0\x1dst" + head[1:] + rest, b"\0\x1fst" + head + b"\0" + rest):
            with self.assertRaises(Wrong):
                decode_world(wrong)
