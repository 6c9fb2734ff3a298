# The Python package and its examples in an arena.
import asyncio
import contextlib
import csv
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import entente
from entente import words
from entente.arena import Arena

EXAMPLES = Path(entente.__file__).resolve().parents[1] / "examples"
SOON = 120.0  # seconds; a limit for a busy machine


class InArena(unittest.IsolatedAsyncioTestCase):
    options: dict = {}

    @classmethod
    def setUpClass(cls):
        cls.arena = Arena(side=80, reload_ms=200, turn_rate=720, speed=60, **cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.arena.close()

    def connect(self, name="t", **options):
        return entente.connect(port=self.arena.port, name=name, **options)


class Playing(InArena):
    options = {"respawn_ms": 1000, "ball_damage": 1000}

    async def test_spawn_drive_shoot_and_die(self):
        async with self.connect("anna") as anna, self.connect("bob") as bob:
            self.assertEqual((anna.room.about.game, anna.me.name, anna.room.contract, anna.room.newest), ("arena", "anna", 1, 2))
            await anna.spawn(SOON)
            unit = await bob.spawn(SOON)
            self.assertIs(bob.unit, unit)
            await self.drives(bob)
            bob.stop()
            died = bob.events("died")
            async with asyncio.timeout(SOON):
                while anna.me.wins == 0:
                    for one, other in ((anna, bob), (bob, anna)):  # toward each other, and around what is between them
                        if anna.unit and bob.unit and random.random() < 0.2:
                            if random.random() < 0.7:
                                one.follow(other.unit)
                            else:
                                one.goto(random.uniform(-40, 40), random.uniform(-40, 40))
                    if anna.unit and bob.unit:
                        anna.shoot_at(bob.unit)
                    await asyncio.sleep(0.05)
                death = (await anext(died)).word
            self.assertEqual((death.player, death.killer), (bob.room.me, anna.room.me))
            self.assertEqual(bob.room.players[anna.room.me].wins, 1)
            await bob.spawn(SOON)

    async def drives(self, bot):
        """In one of eight directions, there is no wall."""
        for eighth in range(8):
            at, way = bot.unit.pose, eighth * math.tau / 8
            goal = words.Pose(x=at.x + 10 * math.cos(way), y=at.y + 10 * math.sin(way))
            try:
                await bot.arrive(goal.x, goal.y, within=2, timeout=5)
            except entente.TimeLimit:
                continue
            self.assertLess(entente.distance(bot.unit.pose, goal), 2.5)
            return
        self.fail("it cannot drive")

    async def test_chat(self):
        async with self.connect("anna") as anna, self.connect("bob", web=False) as bob:
            heard = bob.events("said")
            anna.say("to all")
            anna.say("to bob", to=bob.room.me)
            async with asyncio.timeout(SOON):
                self.assertEqual([(await anext(heard)).word.text for _ in range(2)], ["to all", "to bob"])

    async def test_a_wrong_message_is_refused_with_its_place(self):
        for line, place in ((b'{"toward":{"x":"far"}}', "Toward.x"), (b'{"enter":{"team":"PINK"}}', "Enter.team"), (b'{"spawn":', "byte 9"), (b"\xff", "byte 0")):
            async with self.connect() as bot:
                bot._link.write_line(line)
                with self.assertRaises(entente.Refused) as caught:
                    await bot.wait_for("died", timeout=SOON)
                self.assertEqual(caught.exception.message, 2)
                self.assertIn(place, caught.exception.place)

    async def test_numbers_that_are_not_finite_are_refused_once_and_nobody_else_notices(self):
        async with self.connect("anna") as anna, self.connect("eve", role="WATCH") as eve:
            await anna.spawn(SOON)
            seen, heard = eve.events("pose", "shot", "said", "player_gone", "died", "corrected"), anna.events("claim_refused", "said", "notice")
            fields = [(kind, name) for kind, word in words.INTENTS.items() for name, (_, code) in word.FIELDS.items() if code.rstrip("?") == "double"]
            self.assertGreater(len(fields), 40)
            for number, (kind, name) in enumerate(fields):
                for value in ("NaN", "Infinity", "-Infinity"):
                    anna._link.write_line(f'{{"{kind}":{{"{name}":"{value}"}}}}'.encode())
            anna.say("done")
            refused = {}
            async with asyncio.timeout(SOON):
                async for event in heard:
                    if event.kind == "said":
                        break
                    self.assertEqual(event.kind, "claim_refused")
                    kind = event.word.why.split(".")[0]
                    self.assertNotIn(kind, refused)
                    refused[kind] = event.word.why
            self.assertEqual(len(refused), len({kind for kind, _ in fields}))
            self.assertEqual(refused["Toward"], "Toward.x is not a finite number")
            async with asyncio.timeout(SOON):
                self.assertEqual((await anext(seen)).kind, "said")

    async def test_a_claim_that_is_refused(self):
        async with self.connect(role="WATCH") as bot:
            with self.assertRaises(entente.ClaimRefused):
                await bot.spawn(SOON)
            with self.assertRaises(entente.BadIntent):
                bot.shoot_at((0, 0))

    async def test_a_time_limit(self):
        async with self.connect() as bot:
            with self.assertRaises(entente.TimeLimit) as caught:
                await bot.wait_for("timeline", timeout=0.05)
            self.assertEqual(str(caught.exception), "timeline did not happen within 0.05 s")
            self.assertEqual(bot._waiters, [])

    async def test_the_server_stops(self):
        with Arena(side=80) as arena:
            bot = await entente.connect(port=arena.port, name="t")
        with self.assertRaises(entente.Error):
            await bot.wait_for("died", timeout=SOON)
        await bot.leave()


class OverWebSocket(unittest.IsolatedAsyncioTestCase):
    async def test_a_bot_plays(self):
        process = subprocess.Popen([os.environ["ENTENTE"], "arena", "--side", "80", "--listen", "native+ws://127.0.0.1:0?dialect=json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            async with entente.connect(port=port, name="anna", web=True) as bot:
                await bot.spawn(SOON)
                bot.say("é" * 60)
                self.assertEqual((await bot.wait_for("said", timeout=SOON)).word.text, "é" * 60)
        finally:
            process.terminate()
            process.communicate(timeout=SOON)


class Examples(InArena):
    options = {"respawn_ms": 0, "ball_damage": 1000}

    def start(self, name, *more):
        self.run_python(str(EXAMPLES / name), str(self.arena.port), *more)

    def run_python(self, *argv):
        process = subprocess.Popen([sys.executable, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def stop():
            process.terminate()
            self.assertNotIn("Traceback", process.communicate(timeout=SOON)[0])
        self.addCleanup(stop)

    async def player(self, watcher, name):
        """The player's id, once it has a unit in play."""
        async with asyncio.timeout(SOON):
            while not (player := watcher.room.player_named(name)) or (player.role == "PLAY" and not watcher.room.unit_of(player.id)):
                await watcher.wait_for("player" if not player else "spawned", timeout=SOON)
        return player.id

    @contextlib.asynccontextmanager
    async def prey_of(self, hunter):
        """A player who comes close, so that walls do not matter, and is not hard to hit."""
        async def run(prey):
            while True:
                await prey.spawn(SOON)
                player = prey.room.player_named(hunter)
                unit = prey.room.unit_of(player.id) if player else None
                if unit and random.random() < 0.7:
                    prey.follow(unit)
                else:
                    prey.goto(random.uniform(-40, 40), random.uniform(-40, 40))
                await asyncio.sleep(0.2)
        async with self.connect(f"prey of {hunter}") as prey:
            task = asyncio.create_task(run(prey))
            try:
                yield prey
            finally:
                task.cancel()
                await asyncio.wait({task})

    def test_they_are_short(self):
        for example in sorted(EXAMPLES.glob("*.py")):
            if example.name != "learn.py":
                self.assertLessEqual(len(example.read_text().splitlines()), 34, example)

    async def test_the_bot_of_the_readme(self):
        code = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        async with self.connect("watcher", role="WATCH") as watcher:
            self.run_python("-c", code.replace("5100", str(self.arena.port)))
            async with self.prey_of("anna"):
                id = await self.player(watcher, "anna")
                await watcher.wait_for("shot", lambda shot: shot.shooter == id, timeout=SOON)

    async def test_follower(self):
        async with self.connect("watcher", role="WATCH") as watcher, self.prey_of("follower"):
            self.start("follower.py")
            id = await self.player(watcher, "follower")
            way, at = 0.0, watcher.room.unit_of(id).pose
            async with asyncio.timeout(SOON):
                while way < 20:
                    pose = (await watcher.wait_for("pose", lambda pose: pose.unit in watcher.room.players[id].units, timeout=SOON)).word
                    way, at = way + min(entente.distance(at, pose), 5), pose

    async def test_hunter(self):
        async with self.connect("watcher", role="WATCH") as watcher, self.prey_of("hunter"):
            self.start("hunter.py")
            id = await self.player(watcher, "hunter")
            await watcher.wait_for("died", lambda died: died.killer == id, timeout=SOON)

    async def test_chat(self):
        async with self.connect("anna") as anna:
            self.start("chat.py")
            await self.player(anna, "helper")
            for question, answer in (("score", "anna, you have 0 wins and 0 losses"), ("who", "anna"), ("?", "ask me for: score, who")):
                async with asyncio.timeout(SOON):
                    while True:  # it hears only what is said once it listens
                        anna.say(f"helper, {question}")
                        try:
                            await anna.wait_for("said", lambda said: said.from_ != anna.room.me and answer in said.text, timeout=2)
                            break
                        except entente.TimeLimit:
                            continue

    async def test_scores(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scores.csv"
            async with self.connect("a, b") as victim:
                self.start("scores.py", str(file))
                await self.player(victim, "scorer")
                async with asyncio.timeout(SOON):
                    while not file.exists() or len(file.read_text().splitlines()) < 2:  # it writes only what happens once it listens
                        await victim.spawn(SOON)
                        victim.send("death_claim", why="BY_ITSELF")
                        await asyncio.sleep(1)
            row = list(csv.reader(file.read_text().splitlines()))[1]
            self.assertEqual([row[1], row[2], *row[4:]], ["a, b", "0", "", "", ""])
            self.assertGreaterEqual(int(row[3]), 1)


class JavaScript(unittest.TestCase):
    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_the_package(self):
        done = subprocess.run(["node", "--test", "--test-reporter=spec", str(Path(__file__).with_name("package_test.mjs"))], capture_output=True, encoding="utf-8", timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        self.assertIn("\nℹ fail 0\n", done.stdout)
