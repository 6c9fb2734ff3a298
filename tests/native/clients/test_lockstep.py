# Arenas whose time advances when their players ask for it, and the environment for learning on top of them.
import asyncio
import random
import socket
import sys
import threading
import unittest
from pathlib import Path

import entente
from entente import gym, words
from entente.arena import Arena
from entente.codec import parse_fact
from entente.lockstep import LockstepBot

sys.path.insert(0, str(Path(entente.__file__).resolve().parents[1] / "examples"))
import learn  # noqa: E402

SOON = 120.0  # seconds; a limit for a busy machine


class Taped(LockstepBot):
    """Keeps the lines that it reads."""

    def __init__(self, *given, **options):
        self.tape = []
        super().__init__(*given, timeout=SOON, **options)

    def _read(self):
        super()._read()
        self.tape += self._lines[::-1]


def drive(bot, dice, steps):
    """A bot whose actions depend on the dice alone."""
    for _ in range(steps):
        if dice.random() < 0.1:
            bot.send("spawn")
        bot.goto(dice.uniform(-60, 60), dice.uniform(-60, 60))
        if dice.random() < 0.3:
            bot.send("fire", shot=dice.randrange(1, 1000), vx=dice.uniform(-1, 1), vy=dice.uniform(-1, 1))
        bot.step(dice.randrange(1, 4))


def match(seed, bots=2, steps=150):
    """What one driver hears of a match against bots of the arena."""
    with Arena(lockstep=True, seed=seed, bots=bots + 1, side=100, reload_ms=200, respawn_ms=200) as arena:
        with Taped(arena.port, "anna") as bot:
            bot.spawn()
            drive(bot, random.Random(5), steps)
            return bot.tape


class Time(unittest.TestCase):
    def test_it_stands_still_until_it_is_asked_for(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "anna") as bot:
            self.assertEqual((bot.room.at_us, bot.room.rule("lockstep")), (0, 1.0))
            bot.spawn()
            before = bot.room.at_us
            self.assertEqual(before % 40_000, 0)
            bot.step()
            self.assertEqual(bot.room.at_us, before + 40_000)
            bot.step(25)
            self.assertEqual((bot.room.at_us, bot.room.clock.us), (before + 1_040_000,) * 2)
            self.assertEqual((bot.room.clock.paused, bot.room.clock.speed, bot.room.resyncing), (True, 1.0, False))
            bot.step(90_000)  # an hour
            self.assertEqual(bot.room.at_us, before + 1_040_000 + 3_600_000_000)

    def test_a_time_limit_may_be_months_or_endless(self):
        for timeout in (30 * 86400.0, float("inf")):
            with Arena(lockstep=True) as arena, LockstepBot(arena.port, "anna", timeout=timeout) as bot:
                bot.step()

    def test_wrong_steps(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "anna") as bot:
            for ticks in (0, -1, 1.5, 90_001, float("nan"), "1"):
                with self.assertRaises(entente.BadIntent) as caught:
                    bot.step(ticks)
                self.assertEqual(caught.exception.place, "playback.by_s")
            for wish in (words.Playback(by_s=-1), words.Playback(by_s=4000), words.Playback(paused=True)):
                bot.send(wish)
                refused = [event.word.why for event in bot.step() if event.kind == "claim_refused"]
                self.assertEqual(refused, ["a step of a lockstep arena needs by_s: more than 0, at most 3600 seconds"])
        with Arena(side=100) as arena, LockstepBot(arena.port, "anna") as bot:
            with self.assertRaises(entente.BadIntent):
                bot.step()

    def test_the_same_seed_and_actions_give_the_same_bytes(self):
        first, again, other = match(7), match(7), match(8)
        self.assertGreater(len(first), 300)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        kinds = {parse_fact(line).kind for line in first}
        self.assertLessEqual({"pose", "shot", "died", "spawned", "clock"}, kinds)

    def test_how_the_bytes_arrive_makes_no_difference(self):
        wishes = [b'{"enter":{"name":"anna","contract":2}}\n']
        dice = random.Random(3)
        for number in range(300):
            wishes.append(f'{{"spawn":{{}}}}\n{{"toward":{{"x":{dice.uniform(-60, 60)},"y":{dice.uniform(-60, 60)}}}}}\n'.encode())
            if number % 3 == 0:
                wishes.append(f'{{"fire":{{"shot":{number + 1},"vx":1,"vy":{dice.uniform(-1, 1)}}}}}\n'.encode())
            wishes.append(b'{"playback":{"by_s":0.04}}\n')
        whole = b"".join(wishes)

        def heard(pieces):
            with Arena(lockstep=True, seed=3, bots=2, side=100) as arena, socket.create_connection(("127.0.0.1", arena.port), SOON) as link:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                lines, marks, file = [], 0, link.makefile("rb")
                for piece, wait in pieces:
                    link.sendall(piece)
                    while marks < wait:
                        lines.append(file.readline())
                        marks += b'"clock":' in lines[-1]
                return lines
        step_by_step, marks = [], 0
        for wish in wishes:
            marks += wish.startswith(b'{"playback"')
            step_by_step.append((wish, marks))
        cuts = sorted(dice.sample(range(len(whole)), 400))
        in_pieces = [(whole[a:b], 0) for a, b in zip([0, *cuts], [*cuts, len(whole)])]
        self.assertEqual(heard(step_by_step), heard([(whole, marks)]))
        self.assertEqual(heard(step_by_step), heard([*in_pieces, (b"", marks)]))

    def test_several_players_share_the_time(self):
        def play():
            tapes = {}
            with Arena(lockstep=True, seed=5, side=100, reload_ms=200) as arena:
                bots = [Taped(arena.port, name) for name in ("anna", "bob", "eve")]

                def run(number):
                    drive(bots[number], random.Random(number), 100)
                    bots[number].close()
                    tapes[number] = bots[number].tape
                threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(SOON)
            return tapes

        def until_somebody_left(tapes):
            """Who comes to the end first leaves at a moment that depends on the machine."""
            least = min(self.time(tape[-1]) for tape in tapes.values())
            return {number: [line for line in tape if self.time(line) < least] for number, tape in tapes.items()}
        first, again = play(), play()
        self.assertEqual(len(first), 3)
        self.assertEqual(until_somebody_left(first), until_somebody_left(again))

    @staticmethod
    def time(line):
        return int(line.split(b'"at_us":"')[1].split(b'"')[0]) if b'"at_us":"' in line else 0

    def test_nobody_waits_for_a_silent_player_for_ever(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "anna", timeout=SOON) as anna, \
                LockstepBot(arena.port, "bob", timeout=SOON) as bob:
            anna.step()  # after ten seconds
            for _ in range(20):
                anna.step()
            said = self.both(anna, bob)
            self.assertIn("time advances without you until you ask for a step: you asked for none in 10 s", said)

    @staticmethod
    def both(anna, bob):
        thread = threading.Thread(target=anna.step)
        thread.start()
        said = [event.word.text for event in bob.step() if event.kind == "said"]
        thread.join(SOON)
        return said

    def test_a_spectator_is_not_waited_for(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "eve", role="WATCH"), LockstepBot(arena.port, "anna", timeout=5) as anna:
            anna.step(10)

    def test_a_player_who_leaves_is_not_waited_for(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "anna", timeout=9) as anna:
            with LockstepBot(arena.port, "bob"):
                pass
            anna.step(10)

    def test_intents_that_wait_are_bounded(self):
        with Arena(lockstep=True, seed=1, side=100) as arena, LockstepBot(arena.port, "anna"), LockstepBot(arena.port, "bob", timeout=SOON) as bob:
            for _ in range(400):
                bob.send("change", motto="x" * 1000)
            with self.assertRaises(entente.Kicked) as caught:
                bob.step()
            self.assertIn("256 KiB", str(caught.exception))

    def test_the_other_bot_can_step_too(self):
        async def run(port):
            async with entente.connect(port=port, name="anna") as bot:
                self.assertEqual(bot.room.at_us, 0)
                bot.send("spawn")
                await bot.step(5)
                self.assertIsNotNone(bot.unit)
                self.assertEqual(bot.room.at_us, 200_000)
                bot.goto(0, 0)
                await bot.step(5)
                seen = bot.room.place_of(bot.unit)
                await asyncio.sleep(0.01)  # the time of the room stands still
                self.assertEqual(bot.room.place_of(bot.unit), seen)
        with Arena(lockstep=True, seed=1, side=100) as arena:
            asyncio.run(run(arena.port))


class Environment(unittest.TestCase):
    def test_the_interface_of_gymnasium(self):
        env = gym.Duel(seed=3, steps=5)
        try:
            seen, info = env.reset(seed=3)
            self.assertEqual((len(seen), info), (len(gym.FEATURES), {}))
            for number in range(1, 6):
                action = env.action_space.sample()
                self.assertTrue(env.action_space.contains(action))
                seen, reward, terminated, truncated, info = env.step(action)
                self.assertTrue(env.observation_space.contains(seen), seen)
                self.assertEqual((truncated, isinstance(reward, float), info), (number == 5, True, {}))
                if terminated:
                    break
            self.assertEqual(len(env.reset()[0]), len(gym.FEATURES))
        finally:
            env.close()

    def test_one_seed_gives_one_episode(self):
        def episode(seed):
            env = gym.Duel(seed=seed, steps=60)
            try:
                rows = [list(env.reset(seed=seed)[0])]
                for _ in range(60):
                    seen, reward, died, _, _ = env.step(env.action_space.sample())
                    rows.append([*seen, reward, died])
                    if died:
                        env.reset()
                return rows
            finally:
                env.close()
        self.assertEqual(episode(4), episode(4))
        self.assertNotEqual(episode(4), episode(5))

    def test_it_is_short(self):
        self.assertLessEqual(len(Path(gym.__file__).read_text().splitlines()), 160)

    def test_learning_beats_chance(self):
        said = []
        policy = learn.train(generations=6, seed=3, people=12, steps=100, tell=said.append)
        self.assertEqual(len(said), 6)
        learned, chance = learn.test(policy, episodes=8, steps=150)
        self.assertGreater(learned, chance + 0.5, (learned, chance))
