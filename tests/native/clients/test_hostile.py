# Servers that send what they like, lie, fall silent and flood.
import asyncio
import gc
import json
import time
import tracemalloc
import unittest

import entente
from entente.codec import LONGEST_LINE
from entente.errors import ConnectionLost, Kicked, ProtocolError, Refused, TimeLimit
from hostile import WELCOME, Server, says

SOON = 20.0  # seconds; none of these waits so long, except on a busy machine


class Hostile(unittest.IsolatedAsyncioTestCase):
    async def ends(self, data, wanted, then=None, **options):
        """Connects to a server that says this, and returns the exception that it leads to."""
        async with Server(says(data, then)) as server:
            with self.assertRaises(wanted) as caught:
                async with asyncio.timeout(SOON):
                    async with entente.connect(port=server.port, name="t", reconnect=False, **options) as bot:
                        async for _ in bot.events():
                            pass
            self.assertEqual(server.errors, [])
            return caught.exception

    async def test_what_is_not_the_protocol(self):
        for line, place in ((b'{"pose":{"x":\n', "message"), (b"\x00\xff\xfe\n", "message"), (b"[" * 200_000 + b"\n", "message"),
                            (b'{"pose":' * 100_000 + b"\n", "message"), (b'{"pose":{"x":"east"}}\n', "pose.x"), (b"HTTP/1.1 200 OK\r\n", "message")):
            for before in (b"", WELCOME):
                error = await self.ends(before + line, ProtocolError)
                self.assertEqual(error.place, place)

    async def test_unknown_kinds_fields_and_names_are_ignored(self):
        strange = b'{"weather":{"rain":[1]}}\n{"player":{"id":2,"team":"PINK","role":9,"hat":{}}}\n{}\n\n{"pose":{"unit":4294967295}}\n'
        error = await self.ends(WELCOME + strange + b'{"kicked":{"text":"bye"}}\n', Kicked)
        self.assertEqual(str(error), "bye")

    async def test_a_line_without_end(self):
        async def flood(_reader, writer):
            while True:
                writer.write(b"x" * 1_000_000)
                await writer.drain()
        tracemalloc.start()
        try:
            error = await self.ends(WELCOME, ProtocolError, flood)
            self.assertLess(tracemalloc.get_traced_memory()[1], 6 * LONGEST_LINE)
        finally:
            tracemalloc.stop()
        self.assertIn(str(LONGEST_LINE), str(error))

    async def test_silence(self):
        error = await self.ends(b"", TimeLimit, timeout=0.3)
        self.assertIn("0.3 s", str(error))

    async def test_progress_without_end_is_no_admission(self):
        async def drip(_reader, writer):
            while True:
                writer.write(b'{"world_progress":{}}\n')
                await writer.drain()
                await asyncio.sleep(0.01)
        await self.ends(b'{"you":{"player":1}}\n', TimeLimit, drip, timeout=0.5)

    async def test_a_later_version(self):
        error = await self.ends(b'{"you":{"player":1,"contract":3}}\n', Refused)
        self.assertEqual(error.code, "WRONG_VERSION")

    async def test_refusals_without_end_are_answered_slowly_and_not_for_ever(self):
        entered = []

        async def refuse(reader, writer):
            asyncio.get_running_loop().create_task(listen(reader))
            while True:
                writer.write(b'{"refused":{"code":"FULL","text":"full","may_retry":true}}\n' * 3)
                await writer.drain()
                await asyncio.sleep(0.001)

        async def listen(reader):
            while line := await reader.readline():
                entered.append(line)
        error = await self.ends(b'{"you":{"player":1}}\n', Refused, refuse)
        self.assertEqual((error.code, error.may_retry), ("FULL", False))
        self.assertLess(len(entered), 5)

    async def test_a_refusal_that_may_be_tried_again(self):
        async def serve(reader, writer, _visit):
            writer.write(b'{"you":{"player":1,"newest":2}}\n')
            first = json.loads(await reader.readline())
            writer.write(b'{"refused":{"code":"FULL","text":"full","may_retry":true}}\n')
            self.assertEqual(json.loads(await reader.readline()), first)
            writer.write(WELCOME)
            await reader.read()
        async with Server(serve) as server:
            async with entente.connect(port=server.port, name="t", first_delay=0.01) as bot:
                self.assertEqual(bot.me.name, "t")
            self.assertEqual(server.errors, [])

    async def test_a_flood_of_facts_keeps_nothing_else_from_running(self):
        block = b'{"said":{}}\n' * 5000
        async def flood(_reader, writer):
            while True:
                writer.write(block)
                await writer.drain()
        async with Server(says(WELCOME, flood)) as server:
            async with entente.connect(port=server.port, name="t") as bot:
                unread = bot.events("said", most=100)
                while not unread.missed:
                    turns = await self.turns_within(0.2)
                    self.assertGreater(turns, 10)
                self.assertEqual(len(unread._waiting), 100)

    @staticmethod
    async def turns_within(seconds):
        """How often another task runs while the bot reads. The seconds are CPU time, so that a busy machine does not matter."""
        turns, ends = 0, time.process_time() + seconds
        while time.process_time() < ends:
            await asyncio.sleep(0)
            turns += 1
        return turns

    async def test_a_server_that_does_not_read(self):
        async def deaf(_reader, _writer):
            await asyncio.sleep(SOON)
        async with Server(says(WELCOME, deaf)) as server:
            async with entente.connect(port=server.port, name="t") as bot:
                with self.assertRaises(ConnectionLost):
                    for _ in range(100_000):
                        bot.send("say", text="x" * 1000)

    async def test_the_connection_to_a_server_that_does_not_read_is_closed_all_the_same(self):
        async def deaf(_reader, _writer):
            await asyncio.sleep(SOON)
        async with Server(says(WELCOME, deaf)) as server:
            async with entente.connect(port=server.port, name="t") as bot:
                with self.assertRaises(ConnectionLost):
                    for _ in range(100_000):
                        bot.send("say", text="x" * 1000)
                writer = bot._link._writer
            async with asyncio.timeout(SOON):
                await writer.wait_closed()

    async def test_reconnects_and_does_not_carry_over_the_old_room(self):
        async def serve(reader, writer, visit):
            writer.write(WELCOME + json.dumps({"player": {"id": 1 + visit, "name": f"other{visit}"}}).encode() + b"\n")
            await reader.readline()
            if visit < 3:
                return
            await reader.read()
        async with Server(serve) as server:
            async with entente.connect(port=server.port, name="t", first_delay=0.01) as bot:
                seen = bot.events("connected", "disconnected")
                kinds = []
                async with asyncio.timeout(SOON):
                    while server.visits < 3 or not bot.connected or "other3" not in [one.name for one in bot.room.players.values()]:
                        kinds.append((await anext(seen)).kind)
                        await asyncio.sleep(0)
                        if kinds[-1] == "connected" and server.visits == 3:
                            await asyncio.sleep(0.05)
                self.assertEqual(sorted(bot.room.players), [1, 4])
                self.assertEqual(kinds[:3], ["disconnected", "connected", "disconnected"])

    async def test_a_disconnection_is_told_once_however_often_a_new_connection_fails(self):
        async def serve(reader, writer, visit):
            if visit == 1:
                writer.write(WELCOME)
                await reader.readline()
        seen = []
        tell = {kind: lambda event: seen.append(event.kind) for kind in ("connected", "disconnected")}
        async with Server(serve) as server:
            async with entente.connect(port=server.port, name="t", first_delay=0.01, longest_delay=0.01, on=tell), asyncio.timeout(SOON):
                while server.visits < 4:
                    await asyncio.sleep(0.01)
        self.assertEqual(seen, ["connected", "disconnected"])

    async def test_the_first_connection_is_not_tried_again(self):
        async with Server(says(b"")) as server:
            port = server.port
        with self.assertRaises(ConnectionLost):
            await entente.connect(port=port)

    async def test_an_exception_of_a_callback_ends_the_bot(self):
        async with Server(says(WELCOME + b'{"said":{"text":"x"}}\n')) as server:
            with self.assertRaises(ZeroDivisionError):
                async with entente.connect(port=server.port, name="t", on={"said": lambda event: 1 / 0}) as bot:
                    async for _ in bot.events():
                        pass

    async def test_a_callback_that_fails_at_the_end_too_leaves_nobody_waiting(self):
        def fail(event):
            if event.kind in ("said", "disconnected"):
                raise ValueError(event.kind)

        async def after_a_word(reader, writer, _visit):
            writer.write(WELCOME)
            await reader.readline()  # Enter
            await reader.readline()  # what the bot says then
            writer.write(b'{"said":{"text":"x"}}\n')
            await reader.read()
        for kind, ends, first in (("*", "say", "said"), ("disconnected", "leave", "disconnected")):
            async with Server(after_a_word) as server, asyncio.timeout(SOON):
                bot = await entente.connect(port=server.port, name="t", on={kind: fail})
                waits = [asyncio.ensure_future(bot.wait_for("died", timeout=SOON)), asyncio.ensure_future(anext(bot.events("died")))]
                await asyncio.sleep(0)
                if ends == "say":
                    bot.say("x")
                else:
                    await bot.leave()
                for wait in waits:
                    with self.assertRaisesRegex(ValueError, first):
                        await wait
                self.assertEqual((str(bot.error), bot.over), (first, True))
                await bot.leave()

    async def test_a_connect_that_is_cancelled_leaves_no_player(self):
        heard, left = [], asyncio.Event()

        async def let_in_late(reader, writer, _visit):
            writer.write(b'{"you":{"player":1,"newest":2}}\n')
            heard.append(await reader.readline())
            entered.set()
            heard.extend((await reader.read()).splitlines())  # until the bot closes
            left.set()
        for as_context in (True, False):
            entered = asyncio.Event()
            left.clear()

            async def enter(port):
                if not as_context:
                    return await entente.connect(port=port, name="t")
                async with entente.connect(port=port, name="t"):
                    self.fail("it is not in")
            async with Server(let_in_late) as server, asyncio.timeout(SOON):
                task = asyncio.create_task(enter(server.port))
                await entered.wait()
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                await left.wait()
                self.assertEqual([one.get_name() for one in asyncio.all_tasks() if "entente bot" in one.get_name()], [])
                self.assertEqual(server.visits, 1)

    async def test_a_spawn_that_is_cancelled_waits_no_more(self):
        async with Server(says(WELCOME)) as server:
            async with entente.connect(port=server.port, name="t") as bot:
                with self.assertRaises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await bot.spawn()
                self.assertEqual(bot._waiters, [])

    async def test_an_iterator_that_nobody_reads_any_more_is_forgotten(self):
        async def answer(reader, writer, _visit):
            writer.write(WELCOME)
            while await reader.readline():
                writer.write(b'{"said":{"text":"x"}}\n')

        async def listen(bot, heard):
            async for event in bot.events("said"):
                heard.append(event.word.text)
        async with Server(answer) as server, asyncio.timeout(SOON):
            async with entente.connect(port=server.port, name="t") as bot:
                heard = []
                asyncio.ensure_future(listen(bot, heard))  # nobody keeps this task
                await asyncio.sleep(0)
                for _ in range(3):
                    gc.collect()
                    bot.say("x")
                    async for _event in bot.events("said"):
                        break
                while len(heard) < 3:
                    await asyncio.sleep(0)
                self.assertEqual(len(bot._queues), 1)

    async def test_waits_end_with_the_bot(self):
        async with Server(says(WELCOME + b'{"kicked":{"text":"bye"}}\n')) as server:
            async with entente.connect(port=server.port, name="t", on={"kicked": print}) as bot:
                with self.assertRaises(Kicked):
                    await bot.wait_for("died", timeout=SOON)
                with self.assertRaises(Kicked):
                    await bot.spawn()
                with self.assertRaises(Kicked):
                    bot.goto(1, 1)


class HostileWeb(unittest.IsolatedAsyncioTestCase):
    async def ends(self, data, wanted):
        import base64
        import hashlib

        async def serve(reader, writer, _visit):
            head = await reader.readuntil(b"\r\n\r\n")
            key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            writer.write(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nsec-websocket-ACCEPT: " + accept + b"\r\n\r\n" + data)
            await writer.drain()
            while await reader.read(65536):
                pass
        async with Server(serve) as server:
            with self.assertRaises(wanted) as caught:
                async with entente.connect(port=server.port, name="t", web=True, reconnect=False, timeout=SOON) as bot:
                    async for _ in bot.events():
                        pass
            return caught.exception

    @staticmethod
    def frame(data, first=0x81):
        size = len(data)
        return bytes([first]) + (bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2, "big")) + data

    async def test_frames(self):
        hello = b"".join(self.frame(line) for line in WELCOME.splitlines())
        bye = self.frame(b'{"kicked":', 0x01) + self.frame(b"?", 0x89) + self.frame(b'{"text":"bye"}}', 0x80)
        self.assertEqual(str(await self.ends(hello + bye, Kicked)), "bye")
        self.assertIn("too slow", str(await self.ends(hello + self.frame(b"\x03\xf0too slow", 0x88), ConnectionLost)))
        for wrong in (b"\x81\xff" + b"\xff" * 12, b"\x81\x7f\x7f" + b"\xff" * 7, b"\xf1\x01x", self.frame(b"[")):
            await self.ends(hello + wrong, ProtocolError)

    async def test_no_websocket(self):
        async with Server(says(b"HTTP/1.1 404 Not Found\r\n\r\n")) as server:
            with self.assertRaises(ConnectionLost):
                await entente.connect(port=server.port, web=True, timeout=SOON)
        async with Server(says(b"x" * 100_000)) as server:
            with self.assertRaises(ProtocolError):
                await entente.connect(port=server.port, web=True, timeout=SOON)
