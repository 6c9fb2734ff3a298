"""A player: connects, keeps the room, sends intents, and gives out what happens.

Invariant: every wait has a time limit. Queues are bounded: beyond their limit, the oldest events are dropped and counted.
The link is read by one task, so callbacks and the room are never used by two at once. No wait is a busy loop, and a server
that floods does not keep other tasks from running.
"""
from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Generator, Iterable, Optional
from weakref import WeakSet

from . import words
from .codec import Message, Word, make_intent, parse_fact, spell_intent
from .errors import ClaimRefused, ConnectionLost, Error, Kicked, Refused, TimeLimit
from .link import TcpLink, open_link
from .room import Room, Unit, distance
from .wishes import Wishes

CONTRACT = 2  # the newest version of the protocol that this package knows
SLICE_S = 0.005  # what the server sends is handled for so long, before other tasks run
MOST_SENT = 256  # intents that are remembered, to tell which one a refusal is about
ASK_AGAIN_S = 2.0  # for a spawn
MOST_TRIES = 20  # to enter, on one connection
FREQUENT = ("pose", "input", "world_progress")


@dataclass(slots=True)
class Event:
    """`kind`: the name of a fact, such as "died"; or "connected" and "disconnected" (`word` is then None or the exception)."""

    kind: str
    word: Any
    at_us: int = 0  # the room's time
    intent: Optional[Word] = None  # yours that this answers, if the server says so


class Events:
    """Events that wait to be read, oldest first. `missed` counts those that were dropped, because nobody read them."""

    def __init__(self, kinds: frozenset[str], most: int, awaited: set[Events]) -> None:
        self.kinds, self.missed = kinds, 0
        self._awaited = awaited
        self._waiting: deque[Event] = deque(maxlen=most)
        self._came = asyncio.Event()
        self._over: Optional[BaseException] = None
        self._closed = False

    def put(self, event: Event) -> None:
        if (event.kind in self.kinds) if self.kinds else (event.kind not in FREQUENT):
            self.missed += len(self._waiting) == self._waiting.maxlen
            self._waiting.append(event)
            self._came.set()

    def close(self, error: Optional[BaseException]) -> None:
        self._closed, self._over = True, error
        self._came.set()

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._closed:
                if self._over is not None:
                    raise self._over
                raise StopAsyncIteration
            self._came.clear()
            self._awaited.add(self)  # otherwise the task that waits could be collected as garbage
            try:
                await self._came.wait()
            finally:
                self._awaited.discard(self)
        return self._waiting.popleft()


class Bot(Wishes):
    """Made by connect()."""

    def __init__(self, host: str, port: int, enter: words.Enter, *, web: bool, tls: bool | ssl.SSLContext, path: str, timeout: float,
                 reconnect: bool, first_delay: float, longest_delay: float) -> None:
        self.room = Room()
        self.error: Optional[Error] = None  # why the bot is over
        self._host, self._port, self._enter = host, port, enter
        self._web, self._tls, self._path, self._timeout = web, tls, path, timeout
        self._reconnect, self._first_delay, self._longest_delay = reconnect, first_delay, longest_delay
        self._link: Optional[TcpLink] = None
        self._task: Optional[asyncio.Task[None]] = None
        self._inside: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # of this connection: the player is in
        self._left = False
        self._tries = 0
        self._retry: Optional[asyncio.TimerHandle] = None
        self._sent: deque[tuple[int, Word]] = deque(maxlen=MOST_SENT)
        self._number = 0  # of the last intent on this connection
        self._queues: WeakSet[Events] = WeakSet()  # a queue that nobody can read any more is forgotten
        self._awaited: set[Events] = set()  # queues that a task waits for
        self._callbacks: dict[str, list[Callable[[Any], Any]]] = {}
        self._waiters: list[tuple[Callable[[Event], bool], asyncio.Future[Event]]] = []

    # -- What is known ----------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """The player is in."""
        return self._link is not None and self._inside.done() and not self._inside.cancelled()

    @property
    def over(self) -> bool:
        return self._task is None or self._task.done()

    # -- What you want ----------------------------------------------------------------------------------------------

    def send(self, intent: str | Word, **fields: Any) -> None:
        """Sends an intent: send("toward", x=1, y=2), or send(words.Toward(x=1, y=2)).

        Raises BadIntent, which names the field, and ConnectionLost. Nothing waits for an answer.
        """
        word = make_intent(intent, fields) if isinstance(intent, str) else intent
        line = spell_intent(word)
        if self._link is None:
            raise self.error or ConnectionLost("not connected")
        self._link.write_line(line)
        self._number += 1
        self._sent.append((self._number, word))

    async def spawn(self, timeout: float = 30.0) -> Unit:
        """Comes into play, and returns your unit. Returns at once if you are in play. Raises ClaimRefused if the server says no."""
        if self.unit is not None:
            return self.unit
        refused = self._expect(lambda event: event.kind == "claim_refused" and isinstance(event.intent, (words.Spawn, type(None))))
        ends = time.monotonic() + timeout
        try:
            while self.unit is None:
                self.send(words.Spawn())
                spawned = self._expect(lambda event: event.kind in ("spawned", "unit", "pose") and self.unit is not None)
                left = ends - time.monotonic()
                try:
                    done, _ = await asyncio.wait({refused, spawned}, timeout=max(min(ASK_AGAIN_S, left), 0),
                                                 return_when=asyncio.FIRST_COMPLETED)
                finally:
                    self._give_up(spawned)
                if spawned in done:
                    spawned.result()
                elif refused in done:
                    event = refused.result()
                    raise ClaimRefused(event.word.why, event.intent)
                elif left <= 0:
                    raise TimeLimit("the spawn", timeout)
        finally:
            self._give_up(refused)
        return self.unit

    async def arrive(self, x: float, y: float, within: float = 8.0, timeout: float = 60.0) -> None:
        """Steers to this place, and waits until your unit is within so many metres of it. Raises TimeLimit; ClaimRefused if you die."""
        goal = words.Pose(x=x, y=y)
        self.goto(x, y)

        def near(event: Event) -> bool:
            return self.unit is None or (event.kind == "pose" and distance(self.unit.pose, goal) <= within)
        if distance(self._mine().pose, goal) > within:
            await self._wait(near, timeout, f"the arrival at {x:g}, {y:g}")
        if self.unit is None:
            raise ClaimRefused("your unit is not in play any more")

    async def step(self, ticks: int = 1, timeout: float = 30.0) -> None:
        """In a lockstep arena: lets time advance by so many ticks, and returns when all that happens until then is known."""
        wish = self.wish_to_step(ticks)
        self.send(wish)
        await self._wait(lambda event: event.kind == "clock" and event.intent is wish, timeout, "the step")

    async def wait_for(self, kind: str, where: Optional[Callable[[Any], bool]] = None, timeout: float = 30.0) -> Event:
        """The next event of this kind, for whose word `where` is true. Raises TimeLimit, or why the bot is over."""
        return await self._wait(lambda event: event.kind == kind and (where is None or where(event.word)), timeout, kind)

    def events(self, *kinds: str, most: int = 10_000) -> Events:
        """An iterator of what happens from now on: `async for event in bot.events("died", "said")`.

        Without kinds: all except poses and other frequent facts. It ends when you leave, and raises what else ends the bot.
        If nobody reads it, `most` events are kept.
        """
        queue = Events(frozenset(kinds), most, self._awaited)
        if self.over:
            queue.close(self.error)
        self._queues.add(queue)
        return queue

    def __aiter__(self) -> AsyncIterator[Event]:
        return self.events().__aiter__()

    def on(self, kind: str, callback: Callable[[Any], Any]) -> None:
        """Calls `callback(event)` for each event of this kind, "*" for all. An exception in it ends the bot."""
        self._callbacks.setdefault(kind, []).append(callback)

    async def leave(self) -> None:
        """Says goodbye, and closes the connection."""
        self._left = True
        link = self._link
        if link is not None:
            try:
                self.send(words.Leave())
            except Error:
                pass  # it is gone already
        if self._task is not None and not self._task.done():
            self._task.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})
        if link is not None:
            await link.closed()

    # -- Inside -----------------------------------------------------------------------------------------------------

    def _expect(self, wanted: Callable[[Event], bool]) -> asyncio.Future[Event]:
        future: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
        if self.over:
            future.set_exception(self.error or ConnectionLost("you left"))
        self._waiters.append((wanted, future))
        return future

    def _give_up(self, future: asyncio.Future[Event]) -> None:
        self._waiters = [one for one in self._waiters if one[1] is not future]
        if future.done() and not future.cancelled():
            future.exception()  # it was looked at
        future.cancel()

    async def _wait(self, wanted: Callable[[Event], bool], timeout: float, what: str) -> Event:
        future = self._expect(wanted)
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError as error:
            if isinstance(error, Error):
                raise
            raise TimeLimit(what, timeout) from None
        finally:
            self._give_up(future)

    async def _start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"entente bot {self._enter.name}")
        inside = self._inside
        try:
            done, _ = await asyncio.wait({inside, self._task}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:  # cancelled: nobody gets this bot
            await self.leave()
            raise
        if inside.done() and not inside.cancelled():
            return
        await self.leave()
        raise self.error or (TimeLimit("admission", self._timeout) if not done else ConnectionLost("you left"))

    async def _run(self) -> None:
        """Connects until the bot is over. The first connection must succeed; later ones are tried again, if `reconnect`."""
        delay, been_in = self._first_delay, False
        error: Optional[BaseException] = None
        try:
            while True:
                try:
                    await self._visit()
                except Error as ended:
                    error = ended
                been_in = been_in or self.connected
                if self.connected:
                    delay = self._first_delay
                self._end_visit(error)
                if not (self._reconnect and been_in and error.may_retry):
                    return
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(delay * 2, self._longest_delay)
                self._inside = asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            error = None if self._left else ConnectionLost("the bot was cancelled")
        except Exception as broken:  # of a callback
            error = broken
        finally:
            self._finish(error)

    def _finish(self, error: Optional[BaseException]) -> None:
        try:
            self._end_visit(error)
        except Exception as broken:  # of a callback
            error = error or broken
        finally:
            self.error = error  # type: ignore[assignment]
            for queue in self._queues:
                queue.close(error)
            for _, future in self._waiters:
                if not future.done():
                    future.set_exception(error or ConnectionLost("you left"))
            if not self._inside.done():
                self._inside.cancel()

    def _end_visit(self, error: Optional[BaseException]) -> None:
        if self._retry is not None:
            self._retry.cancel()
        was_in = self.connected
        link, self._link = self._link, None
        if link is not None:
            link.close()
        if was_in:
            self._happens(Event("disconnected", error))

    async def _visit(self) -> None:
        """One connection, until it ends; raises why."""
        self.room = Room()
        self._sent.clear()
        self._number = self._tries = 0
        try:
            async with asyncio.timeout(self._timeout):
                self._link = await open_link(self._host, self._port, web=self._web, tls=self._tls, path=self._path)
        except TimeoutError as error:
            raise TimeLimit("the connection", self._timeout) from error
        admitted = asyncio.get_running_loop().call_later(self._timeout, self._admission_is_late, self._link)
        try:
            while True:
                lines = await self._link.read_lines()
                pause = time.monotonic() + SLICE_S
                for line in lines:
                    self._hear(line)
                    if time.monotonic() >= pause:
                        await asyncio.sleep(0)
                        pause = time.monotonic() + SLICE_S
        finally:
            admitted.cancel()

    def _admission_is_late(self, link: TcpLink) -> None:
        if self._link is link and not self._inside.done():
            link.close()

    def _hear(self, line: bytes) -> None:
        if not line.strip():
            return
        message = parse_fact(line)
        is_event = self.room.hear(message)
        word = message.word
        if isinstance(word, words.You):
            self._greet(word)
        elif isinstance(word, words.Kicked):
            raise Kicked(word.text or "no reason was given")
        elif isinstance(word, words.Refused):
            self._refused(word)
        if not self._inside.done() and self.room.ready and self.me is not None:
            self._inside.set_result(None)
            self._happens(Event("connected", None, message.at_us))
        if is_event:
            self._happens(Event(message.kind, word, message.at_us, self._intent_of(message)))

    def _intent_of(self, message: Message) -> Optional[Word]:
        if message.cause == 0 or message.to != self.room.me:
            return None
        return next((word for number, word in self._sent if number == message.cause), None)

    def _greet(self, you: words.You) -> None:
        if (you.contract or 1) > CONTRACT:
            raise Refused("WRONG_VERSION", f"the server speaks version {you.contract} of native; this package knows {CONTRACT}")
        self._enter.contract = min(self.room.newest, CONTRACT)
        self.send(self._enter)

    def _refused(self, word: words.Refused) -> None:
        self._tries += 1
        if not word.may_retry or self._tries >= MOST_TRIES:
            raise Refused(word.code, word.text, word.may_retry and self._tries < MOST_TRIES)
        if self._retry is not None:
            self._retry.cancel()
        begins = self.room.rule("begins_us") / 1e6 - self.room.now_s  # of a broadcast
        delay = min(self._first_delay * 2 ** self._tries, self._longest_delay)
        self._retry = asyncio.get_running_loop().call_later(max(delay, begins), self._enter_again, self._link)

    def _enter_again(self, link: Optional[TcpLink]) -> None:
        if self._link is link and link is not None:
            try:
                self.send(self._enter)
            except Error:
                link.close()  # the reader says why

    def _happens(self, event: Event) -> None:
        for wanted, future in self._waiters:
            if not future.done() and wanted(event):
                future.set_result(event)
        for queue in self._queues:
            queue.put(event)
        for callback in (*self._callbacks.get(event.kind, ()), *self._callbacks.get("*", ())):
            callback(event)


class Connecting:
    """What connect() returns: await it, or use it in `async with`, which leaves at the end."""

    def __init__(self, make: Callable[[], Bot]) -> None:
        self._make = make
        self._bot: Optional[Bot] = None

    async def _connect(self) -> Bot:
        self._bot = self._make()
        await self._bot._start()
        return self._bot

    def __await__(self) -> Generator[Any, None, Bot]:
        return self._connect().__await__()

    async def __aenter__(self) -> Bot:
        return await self._connect()

    async def __aexit__(self, *_: object) -> None:
        if self._bot is not None:
            await self._bot.leave()


def connect(host: str = "127.0.0.1", port: int = 5100, *, name: str = "bot", team: words.Team = "TEAM_ANY", role: words.Role = "PLAY",
            password: str = "", web: bool = False, tls: bool | ssl.SSLContext = False, path: str = "/", timeout: float = 60.0,
            reconnect: bool = True, first_delay: float = 0.5, longest_delay: float = 30.0, on: Optional[dict[str, Callable[[Any], Any]]] = None,
            enter: Optional[dict[str, Any]] = None) -> Connecting:
    """Connects to a native listener of the JSON dialect, and enters: `bot = await connect(port=5100, name="anna")`.

    `web`: by WebSocket, otherwise by TCP. `role`: "PLAY" or "WATCH". `timeout`: seconds until you are in. `reconnect`: a
    connection that is lost later is made again, after 0.5 to 30 s. `on`: callbacks, by kind of event, which also hear what
    happens while you enter. `enter`: more fields of words.Enter. Raises Refused, Kicked, ConnectionLost, ProtocolError, TimeLimit.
    """
    wish = make_intent("enter", {"name": name, "team": team, "role": role, "password": password, **(enter or {})})
    spell_intent(wish)  # says at once what is wrong with it

    def make() -> Bot:
        bot = Bot(host, port, wish, web=web, tls=tls, path=path, timeout=timeout, reconnect=reconnect, first_delay=first_delay,  # type: ignore[arg-type]
                  longest_delay=longest_delay)
        for kind, callback in (on or {}).items():
            bot.on(kind, callback)
        return bot
    return Connecting(make)
