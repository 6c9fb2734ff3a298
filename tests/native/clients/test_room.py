# The room, folded from facts.
import json
import unittest

from entente import gym, words
from entente import room as limits
from entente.codec import Message, parse_fact
from entente.room import Room
from entente.wishes import Wishes


def room_of(*facts, at_us=0, room=None):
    room = room or Room(clock=None)
    for fact in facts:
        kind, word = next(iter(fact.items()))
        room.hear(parse_fact(json.dumps({"at_us": str(at_us), kind: word})))
    return room


PEOPLE = ({"you": {"player": 1, "newest": 2}}, {"player": {"id": 1, "name": "anna", "team": "RED"}}, {"player": {"id": 2, "name": "bob", "team": "BLUE"}},
          {"player": {"id": 3, "name": "eve", "team": "RED"}}, {"unit": {"id": 11, "owner": 1, "alive": True, "max_health": 100, "pose": {"unit": 11}}},
          {"unit": {"id": 12, "owner": 2, "alive": True, "pose": {"unit": 12, "x": 10, "vx": 5}}},
          {"unit": {"id": 13, "owner": 3, "alive": True, "pose": {"unit": 13, "x": 3}}},
          *({"owns": {"player": one, "units": [10 + one], "active": 10 + one}} for one in (1, 2, 3)))


class Folding(unittest.TestCase):
    def test_people_and_units(self):
        room = room_of(*PEOPLE)
        self.assertEqual((room.me, room.newest, room.unit_of(1).id), (1, 2, 11))
        self.assertEqual([unit.id for unit in room.others()], [13, 12])
        self.assertEqual([unit.id for unit in room.foes()], [12])
        self.assertEqual(room.player_named("bob").id, 2)

    def test_a_unit_of_an_unknown_player_is_a_foe(self):
        room = room_of(*PEOPLE, {"unit": {"id": 14, "owner": 9, "alive": True, "pose": {"unit": 14, "x": 20}}})
        self.assertEqual([unit.id for unit in room.others()], [13, 12, 14])
        self.assertEqual([unit.id for unit in room.foes()], [12, 14])

    def test_a_unit_goes_on_at_its_velocity_for_a_second(self):
        room = room_of(*PEOPLE)
        room_of({"ready": {}}, at_us=500_000, room=room)
        self.assertAlmostEqual(room.place_of(room.units[12]).x, 12.5)
        room_of({"ready": {}}, at_us=60_000_000, room=room)
        self.assertAlmostEqual(room.place_of(room.units[12]).x, 15)

    def test_hidden_teleported_gone_and_dead(self):
        room = room_of(*PEOPLE, {"hidden": {"unit": 12}})
        self.assertIsNone(room.unit_of(2))
        room_of({"pose": {"unit": 12, "x": 1}}, {"teleported": {"unit": 13}}, room=room)
        self.assertEqual([unit.id for unit in room.others()], [12])
        room_of({"died": {"player": 2, "unit": 12}}, room=room)
        self.assertEqual(room.others(), [])
        room_of({"spawned": {"unit": 12, "pose": {"unit": 12, "x": 7}}}, {"gone": {"unit": 13}}, room=room)
        self.assertEqual(([unit.id for unit in room.others()], room.players[3].units), ([12], []))
        room_of({"player_gone": {"id": 2}}, room=room)
        self.assertEqual((list(room.units), list(room.players)), ([11], [1, 3]))

    def test_changes(self):
        room = room_of(*PEOPLE, {"unit_changed": {"unit": 12, "name": "", "radius": 2}}, {"health": {"unit": 11, "now": 40}},
                       {"score": {"player": 2, "wins": 3}}, {"corrected": {"pose": {"unit": 11, "y": 9}}}, {"pose": {"unit": 12, "radius": 4}},
                       {"lag": {"player": 2, "ping_s": 0.1}}, {"token": {"id": 5, "code": "GM"}}, {"token_taken": {"token": {"id": 5, "carrier": 2}}},
                       {"team_score": {"team": "RED", "wins": 2}}, {"zone": {"id": 1, "owner": "BLUE"}}, {"round": {"state": "OVER"}})
        self.assertEqual((room.units[12].name, room.units[12].radius), ("", 4))
        self.assertEqual((room.units[11].health, room.units[11].max_health, room.units[11].pose.y), (40, 100, 9))
        self.assertEqual((room.players[2].wins, room.players[2].ping_s, room.tokens[5].carrier), (3, 0.1, 2))
        self.assertEqual((room.team_scores["RED"].wins, room.zones[1].owner, room.round.state), (2, "BLUE", "OVER"))

    def test_a_zone_is_the_token_with_its_id_and_its_owner_is_the_tokens_team(self):
        room = room_of({"token": {"id": 1, "kind": "BASE", "team": "RED"}}, {"token": {"id": 2, "team": "RED"}}, {"zone": {"id": 1, "owner": "BLUE"}})
        self.assertEqual([(token.kind, token.team) for token in room.tokens.values()], [("BASE", "BLUE"), ("FLAG", "RED")])
        room_of({"zone": {"id": 1}}, {"zone": {"id": 3, "owner": "BLUE"}}, room=room)
        self.assertEqual([token.team for token in room.tokens.values()], ["TEAM_ANY", "RED"])

    def test_facts_about_nobody_are_ignored(self):
        known = room_of()
        before = vars(known).copy()
        room_of(*({kind: {}} for kind in ("pose", "hidden", "gone", "died", "spawned", "health", "player_gone", "owns", "score", "ammo", "lag",
                                          "shot_moved", "shot_ended", "unit_changed", "corrected", "teleported", "token_taken", "world_edit")), room=known)
        self.assertEqual(vars(known), before)

    def test_a_resync_is_no_event(self):
        room = room_of(*PEOPLE)
        hear = lambda **fact: room.hear(parse_fact(json.dumps(fact)))
        self.assertTrue(hear(died={"player": 2, "unit": 12}))
        self.assertFalse(hear(clock={"us": "5", "paused": True}))
        self.assertFalse(hear(unit={"id": 12, "owner": 2, "alive": True}))
        self.assertTrue(hear(clock={"us": "5", "paused": True}))  # it is paused
        self.assertTrue(hear(clock={"us": "6", "speed": 1, "paused": True}))  # of a lockstep arena
        self.assertTrue(room.units[12].alive)

    def test_shots_end(self):
        room = room_of({"shot": {"shooter": 1, "shot": 1, "life": 1}}, {"shot": {"shooter": 1, "shot": 2, "life": 1}}, {"shot_ended": {"shooter": 1, "shot": 2}})
        self.assertEqual(list(room.shots), [(1, 1)])
        for number in range(300):
            room_of({"shot": {"shooter": 2, "shot": number, "range": 100, "vx": 100}}, at_us=2_000_000 + number, room=room)
        self.assertNotIn((1, 1), room.shots)


    def test_a_shot_is_in_the_air_until_its_life_is_over(self):
        shots = ({"shot": {"shooter": 1, "shot": 1, "life": 2}}, {"shot": {"shooter": 1, "shot": 2, "range": 100, "vx": 100}},
                 {"shot": {"shooter": 1, "shot": 3, "kind": "RAY", "range": 200, "vx": 1}}, {"shot": {"shooter": 1, "shot": 4, "kind": "MELEE", "life": 9}})
        room = room_of(*shots)
        for at_us, numbers in ((200_000, [1, 2, 3, 4]), (300_000, [1, 2]), (1_500_000, [1]), (2_500_000, [])):
            room_of({"ready": {}}, at_us=at_us, room=room)
            self.assertEqual([number for _, number in room.shots], numbers)
        now = 0.0
        room = Room(clock=lambda: now)  # a server that says nothing more
        room_of(*shots, at_us=5_000_000, room=room)
        now = 1.5
        self.assertEqual([number for _, number in room.shots], [1])

    def test_a_shot_lives_for_a_minute_at_most(self):
        room = room_of({"shot": {"shooter": 1, "shot": 1, "life": 1e9}}, {"shot": {"shooter": 1, "shot": 2, "life": -1e9}},
                       {"shot": {"shooter": 1, "shot": 3, "vx": 1e-9, "range": 100}}, {"shot": {"shooter": 1, "shot": 4, "kind": "RAY", "life": 1e9}})
        for at_us, numbers in ((1_000_000, [1, 3]), (59_000_000, [1, 3]), (61_000_000, [])):
            room_of({"ready": {}}, at_us=at_us, room=room)
            self.assertEqual([number for _, number in room.shots], numbers)

    def test_after_ten_hours_a_shot_has_its_true_age_though_the_clocks_are_not_equally_fast(self):
        for drift in (-30e-6, 0.0, 30e-6):
            now = 0.0
            room = Room(clock=lambda: now)
            for second in range(1, 36_001):
                now = float(second)
                room.hear(Message("ready", words.Ready(), round(1e6 * (1 + drift) * (now - 0.02)), 0, 0))  # 20 ms of delay
            age = room.now_s - room.at_us / 1e6
            self.assertTrue(0 <= age < 0.1, age)
            room_of({"shot": {"shooter": 1, "shot": 1, "life": 0.5}}, at_us=room.at_us, room=room)
            self.assertEqual(list(room.shots), [(1, 1)])

    def test_in_a_lockstep_arena_time_stands_still_between_two_facts(self):
        now = 0.0
        room = Room(clock=lambda: now)
        room_of({"rule": {"name": "lockstep", "value": "1"}}, *PEOPLE, at_us=7_000_000, room=room)
        room_of({"ready": {}}, at_us=7_200_000, room=room)
        now = 60.0
        self.assertEqual((room.now_s, room.place_of(room.units[12]).x), (7.2, 11.0))


class Features(unittest.TestCase):
    def test_they_are_in_their_range_whatever_is_in_the_air(self):
        class Seen(Wishes):
            room = room_of(*PEOPLE, {"room": {"most_shots": 2}}, *({"shot": {"shooter": 1, "shot": number, "life": 9}} for number in range(9)))
        seen = gym.observe(Seen())
        self.assertTrue(gym.Box(-1.0, 1.0, len(gym.FEATURES)).contains(seen), seen)


class Bounds(unittest.TestCase):
    def test_a_server_cannot_fill_it(self):
        room = Room(clock=None)
        for kind, name, most, table in (("player", "id", limits.MOST_PLAYERS, "players"), ("unit", "id", limits.MOST_UNITS, "units"),
                                        ("token", "id", limits.MOST_TOKENS, "tokens"), ("zone", "id", limits.MOST_ZONES, "zones"),
                                        ("rule", "name", limits.MOST_RULES, "rules"), ("team_score", "team", 64, "team_scores")):
            for number in range(1, most + 11):
                room.hear(parse_fact(json.dumps({kind: {name: str(number)}} if name != "id" else {kind: {name: number}})))
            self.assertEqual(len(getattr(room, table)), most, kind)
        self.assertEqual(room.left_out, 60)
        for number in range(limits.MOST_SHOTS + 10):
            room._shot(words.Shot(shooter=1, shot=number, life=9), 0.0)
        self.assertEqual((len(room.shots), len(room._ends)), (limits.MOST_SHOTS, limits.MOST_SHOTS))
        room._owns(words.Owns(player=1, units=list(range(100_000))), 0.0)
        self.assertEqual(len(room.players[1].units), limits.MOST_OWNED)
