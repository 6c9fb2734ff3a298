# The stock bzflag client on servers of other games, through `entente proxy` as a bridge; it drives itself.
# Invariant: results are read from the client's bytes and from the server's, never from our recording or log.
import os
import time

from bzflag import Tank
from bzflag_eyes import Eyes, apart, travel
from panic import PORT as PANIC_PORT
from panic import folder_of, start_server
from panic_hunter import Field, Hunter
from shim import Shim
from stage import check, wait_until

COLUMNS, ROWS = 30, 20  # of Panic's Test map
TILE = 800 / COLUMNS    # metres
LOOK = 0.05             # seconds


def place_of(tile):
    return (tile[0] + 0.5 - COLUMNS / 2) * TILE, (ROWS / 2 - tile[1] - 0.5) * TILE


class Tally:
    """Errors in tiles, one for each look."""

    def __init__(self):
        self.seen = []

    def add(self, metres):
        self.seen.append(metres / TILE)

    def part(self, share):
        return sorted(self.seen)[min(int(share * len(self.seen)), len(self.seen) - 1)] if self.seen else 0.0

    def within(self, tiles):
        return sum(one <= tiles for one in self.seen) / max(len(self.seen), 1)


class Duel:
    """One game: the stock client against a scripted Panic player who is directly connected to the released server."""

    def __init__(self, stage, number):
        self.stage, self.number = stage, number
        self.server = start_server(stage)
        self.behind = stage.keep(Shim(PANIC_PORT))
        maps = os.path.join(folder_of(stage), "resources/graphics/maps")
        self.bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", "bzflag://127.0.0.1:0?dialect=2.4",
                                             "--to", f"panic://127.0.0.1:{self.behind.port}?dialect=le-padded&maps={maps}"])
        listener_port = int(self.bridge.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)$").group(1))
        self.before = stage.keep(Shim(listener_port))
        self.eyes = stage.keep(Eyes(self.before))
        self.tank = Tank(stage, f"stock{number}", "red", self.before.port)
        wait_until(lambda: any("waiting" in text for text in self.eyes.texts), 60, "the client was not told what it waits for")
        wait_until(lambda: self.behind.talks, 10, "the bridge did not connect to the server")
        self.field = Field(lambda: self.behind.talks[0].to_client)
        self.hunter = stage.keep(Hunter(stage, PANIC_PORT, every=1.0, seed=number))
        wait_until(self.started, 20, "the game did not start")
        self.error, self.behind_by, self.points, self.spawned = Tally(), Tally(), [], 0.0

    def started(self):
        self.field.fold()
        return self.field.started

    def play(self, end):
        """Plays until a player has won, or until `end`."""
        self.tank.spawn_on_autopilot()
        wait_until(lambda: self.eyes.spawns, 20, "the client was never put into play")
        shown = False
        while time.monotonic() < end and self.field.over is None and self.hunter.field.over is None:
            time.sleep(LOOK)
            self.field.fold()
            self.look()
            if not shown and len(self.points) > 200:
                shown = self.tank.screenshot(f"{self.tank.callsign}.png")
            self.hunter.holds = not self.eyes.own.alive  # the hunter waits while the client has no tank in play
            if not self.eyes.own.alive and time.monotonic() > self.spawned + 2:
                self.spawned = time.monotonic()
                self.tank.spawn()
            check(self.server.alive(), f"the Panic server died: {self.server.tail()}")
            check(self.tank.run.alive() and not self.eyes.ended, f"the client is out: {self.tank.run.tail()} {self.eyes.texts[-3:]}")
        time.sleep(1)
        self.field.fold()

    def look(self):
        eyes, field = self.eyes, self.field
        mine = [place_of(field.places[piece]) for piece in field.mine()]
        if eyes.own.alive and mine:
            here = eyes.own.now()
            self.points.append(here)
            self.error.add(min(apart(here, place) for place in mine))
        seen = [tank.now() for tank in list(eyes.others.values()) if tank.alive]
        for piece in field.theirs():
            self.behind_by.add(min((apart(place_of(field.places[piece]), place) for place in seen), default=800.0))

    def judge(self):
        """Checks the game, and returns its numbers."""
        eyes, field = self.eyes, self.field
        lost = [when for piece, when in field.lost if piece in field.own]
        false = [when for when in eyes.died if not any(abs(when - one) < 1 for one in lost)]
        check(not false and len(eyes.died) <= len(lost), f"the client was told of {len(eyes.died)} deaths, and lost {len(lost)} tanks")
        check(field.mine() or not eyes.own.alive, "the client lives, and has no tank left")
        check(self.tank.run.alive() and self.server.alive(), "somebody ended")
        return {"driven": travel(self.points), "moves": sum(field.moves[piece] for piece in field.own), "shots": eyes.shots,
                "claims": eyes.claims, "tanks lost": len(lost), "deaths": len(eyes.died), "kills": len(field.lost) - len(lost),
                "spawns": eyes.spawns, "corrections": len(eyes.corrected),
                "shots seen": eyes.shots_seen, "hits told": sum(text.startswith("hit ") for text in eyes.texts)}

    def close(self):
        for thing in (self.tank.run, self.tank.screen, self.eyes, self.hunter):
            thing.kill()
        check(self.bridge.stop() == 0, "the bridge did not end with exit code 0")
        check(self.server.alive(), "the Panic server died when it was left")
        for thing in (self.before, self.behind, self.server):
            thing.kill()


def bzflag_on_panic(stage):
    """Panic's released server and a scripted Panic player; stock bzflag 2.4.26 on autopilot under Xvfb across the bridge"""
    end, totals, errors, behind = time.monotonic() + max(60, 60 * stage.minutes), {}, Tally(), Tally()
    games = 0
    while games == 0 or time.monotonic() < end - 20:
        games += 1
        duel = Duel(stage, games)
        duel.play(end)
        for what, count in duel.judge().items():
            totals[what] = totals.get(what, 0) + count
        errors.seen += duel.error.seen
        behind.seen += duel.behind_by.seen
        duel.close()
    check(totals["driven"] > 50 and totals["moves"] > 2, f"it hardly drove: {totals}")
    check(totals["shots"] > 0, f"it never shot: {totals}")
    check(errors.within(2.5) > 0.95, f"it was {errors.part(0.95):.1f} tiles from the server's truth for a twentieth of the time")
    check(behind.within(2) > 0.99, f"it saw others {behind.part(0.99):.1f} tiles from where they were")
    return (f"{games} games: {', '.join(f'{count:.0f} {what}' for what, count in totals.items())}; off by {errors.part(0.5):.2f} tiles at the "
            f"median, {errors.part(0.95):.2f} at 95 %; others seen {behind.part(0.99):.2f} tiles off at 99 %, {behind.part(1):.2f} at most")


REAL_CASES = {"bridge_bzflag_panic": bzflag_on_panic}
