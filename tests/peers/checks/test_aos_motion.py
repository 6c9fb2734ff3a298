# State Update: lengths, sequence numbers and states, as README.md reads the draft.
from __future__ import annotations

import unittest

from aos_motion import JUMP, MOST, UP, Moved, Mover, Told, newer, state
from aos_wire import AOS

SPAWN, RUNNING = state((252.5, 256.5, 57.75)), state((256.5, 256.5, 57.75), vel=(0.25, 0.0, 0.0))
OLDEST = "00807c4300408043000067420000803f" + "00" * 20
MOVING_108 = bytes.fromhex("0007000000010101010111" + "00" * 24 + "00" + "0040804300408043000067420000803f" + "00" * 8 +
                           "0000803e" + "00" * 8 + OLDEST)
STILL_72 = bytes.fromhex("0008000000010101010111" + "00" * 24 + "01" + OLDEST)


class AClient(unittest.TestCase):
    def setUp(self) -> None:
        self.mover = Mover(SPAWN)
        self.mover.tick(UP | JUMP, SPAWN)
        for _ in range(4):
            self.mover.tick(UP, SPAWN)

    def test_it_sends_108_bytes_moving_and_72_still(self) -> None:
        self.mover.sequence = 7
        self.assertEqual(MOVING_108, AOS.encode("client", *self.mover.tick(UP, RUNNING)))
        kind, fields = self.mover.tick(UP, RUNNING)
        self.assertEqual(STILL_72, AOS.encode("client", kind, fields | {"input": [1, 1, 1, 1, 1, 17] + [0] * 24}))

    def test_the_oldest_state_is_the_one_after_the_oldest_input(self) -> None:
        mover = Mover(SPAWN)
        sent = [mover.tick(tick, state((float(tick), 0.0, 0.0)))[1] for tick in range(1, 62)]
        self.assertEqual(SPAWN, sent[28]["state_30"])
        for fields in sent[29:]:
            self.assertEqual(float(fields["input"][29]), fields["state_30"]["pos"]["x"])

    def test_an_older_packet_is_nothing_new(self) -> None:
        moved = Moved()
        for sequence, keys in ((0xffffffff, 1), (0, 2), (0xfffffffe, 3)):
            moved.hear({"sequence": sequence, "input": [keys] * 30, "still": 0, "state": RUNNING})
        self.assertEqual((0, 2), (moved.sequence, moved.keys))
        self.assertTrue(newer(0, None))


class AServer(unittest.TestCase):
    def players(self, count: int) -> dict[int, Moved]:
        players = {id: Moved() for id in range(count)}
        for moved in players.values():
            moved.state = RUNNING
        return players

    def sizes(self, told: Told, players: dict[int, Moved]) -> list[int]:
        return [len(AOS.encode("server", "State Update", fields)) for fields in told.packets(players)]

    def test_32_moving_players_take_two_packets_and_32_still_ones_take_one(self) -> None:
        told, players = Told(), self.players(32)
        self.assertEqual([6 + 29 * 39, 6 + 3 * 39], self.sizes(told, players))
        self.assertLessEqual(6 + 29 * 39, MOST)
        self.assertEqual([6 + 32 * 3], self.sizes(told, players))

    def test_the_still_are_told_of_in_full_again_and_again(self) -> None:
        told, players = Told(), self.players(1)
        sizes = [self.sizes(told, players)[0] for _ in range(21)]
        self.assertEqual([0, 10, 20], [number for number, size in enumerate(sizes) if size == 6 + 39])

    def test_who_never_had_a_state_is_left_out(self) -> None:
        self.assertEqual([6], self.sizes(Told(), {0: Moved()}))
