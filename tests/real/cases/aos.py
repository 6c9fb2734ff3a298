# Ace of Spades 0.75 through the relay, over ENet: two servers, a real client, scripted players. The programs are in the folder of --real.
import collections
import struct
import time

import enet_wire
from aos import PIQUESERVER, SPADESX, BetterSpades, start_piqueserver, start_spadesx
from aos_player import (BLOCK, BLOCKS, CHANGE_WEAPON, CHAT, CREATE, GRENADE, GUN, HIT, INPUT, INTEL_CAPTURE, INTEL_DROP, INTEL_PICKUP, JOIN,
                        GRENADES, KILL, MOVE_OBJECT, ORIENTATION, PLAYER_LEFT, POSITION, RELOAD, SET_TOOL, SPADE, STATE, WEAPON_INPUT, Player)
from shim import Shim
from stage import check

SET_HP = HIT  # the same number, from the server
BUILT, DESTROYED = 0, 1
TORSO, HEAD = 0, 1


def between_shims(stage, port, recording):
    behind = stage.keep(Shim(port))
    relay, listener_port = stage.relay("aos", "0.75", behind.port, "--record", recording)
    return stage.keep(Shim(listener_port)), behind, relay


def places(player):
    """The last known places of both teams' intel and base: object number -> (x, y, z)."""
    found = {}
    for packet in player.heard:
        if packet[0] == STATE and packet[31] == 0:
            found = {number: struct.unpack_from("<3f", packet, 36 + 12 * number) for number in range(4)}
        elif packet[0] == MOVE_OBJECT:
            found[packet[1]] = struct.unpack_from("<3f", packet, 3)
    return found


class Match:
    """Two scripted players of different teams on one server, both allowed to use its commands."""

    def __init__(self, stage, port, words):
        self.words, self.weapon = words, 0
        self.anna, self.bob = (stage.keep(Player(port, name)) for name in ("anna", "bob"))
        self.players = (self.anna.joins(0), self.bob.joins(1))
        for player in self.players:
            player.logs_in(words)

    def round(self):
        """Does everything once, and checks what each sees of the other."""
        anna, bob = self.players
        x, y, z = anna.world.flat()
        anna.goes((x, y, z))
        way = anna.walks(1, 0, 1.0)
        check(4 < way < 12, f"anna walked {way:.1f} blocks in a second")
        anna.goes((x, y, z))
        bob.goes((x + 6, y, z))
        self.speak()
        self.dig_and_build(x, y, z)
        bob.throws_grenade()
        anna.waits(lambda: anna.seen[GRENADE], 5, "bob's grenade")
        self.kill()
        self.carry()
        self.rearm()

    def speak(self):
        for speaker, other in (self.players, self.players[::-1]):
            words = f"{speaker.name} says {len(speaker.heard)}: hallo, \u00fcber"
            speaker.says(words)
            other.waits(lambda: any(words.encode("cp437") in packet for packet in other.of(CHAT)), 5, f"the words {words!r}")

    def dig_and_build(self, x, y, z):
        anna, bob = self.players
        seen = bob.seen[BLOCK]
        anna.changes(BUILT, (x + 2, y + 1, z - 1), BLOCKS)
        anna.changes(DESTROYED, (x + 2, y + 1, z - 1), SPADE)
        anna.changes(DESTROYED, (x + 2, y + 1, z), SPADE)
        anna.changes(BUILT, (x + 2, y + 1, z), BLOCKS)
        bob.waits(lambda: bob.seen[BLOCK] - seen >= 4, 5, "anna's four changes")
        anna.builds_line((x + 1, y - 1, z - 1), (x + 3, y - 1, z - 1))
        for i in (1, 2, 3):
            anna.changes(DESTROYED, (x + i, y - 1, z - 1), SPADE)

    def kill(self):
        """Anna shoots bob, who receives his hits, dies and respawns."""
        anna, bob = self.players
        killed, hurt, created = anna.seen[KILL], bob.seen[SET_HP], bob.seen[CREATE]
        anna.holds(GUN)
        time.sleep(0.6)
        anna.shoots(bob, TORSO)
        bob.waits(lambda: bob.seen[SET_HP] > hurt, 5, "a wound")
        while anna.seen[KILL] == killed:
            check(bob.seen[SET_HP] < hurt + 4, "bob does not die")
            anna.shoots(bob, HEAD)
            time.sleep(0.3)
        anna.me(RELOAD, 255, 255)
        reloaded = anna.seen[RELOAD]
        anna.waits(lambda: anna.seen[RELOAD] > reloaded, 10, "the end of reloading")
        bob.waits(lambda: bob.seen[CREATE] > created and bob.alive, 40, "his respawn")

    def carry(self):
        """Anna carries the other team's intel home, then takes it again and dies with it."""
        anna, bob = self.players
        picked, captured, dropped = bob.seen[INTEL_PICKUP], bob.seen[INTEL_CAPTURE], bob.seen[INTEL_DROP]
        anna.goes(places(anna)[1])
        bob.waits(lambda: bob.seen[INTEL_PICKUP] > picked, 10, "that anna has the intel")
        anna.goes(places(anna)[2])
        bob.waits(lambda: bob.seen[INTEL_CAPTURE] > captured, 10, "that anna captured the intel")
        anna.goes(places(anna)[1])
        bob.waits(lambda: bob.seen[INTEL_PICKUP] > picked + 1, 10, "that anna has the intel again")
        created = anna.seen[CREATE]
        anna.says(self.words["kill"])
        bob.waits(lambda: bob.seen[INTEL_DROP] > dropped, 10, "that anna lost the intel")
        anna.waits(lambda: anna.seen[CREATE] > created and anna.alive, 40, "her respawn")

    def rearm(self):
        bob = self.bob
        created, self.weapon = bob.seen[CREATE], (self.weapon + 1) % 3
        bob.me(CHANGE_WEAPON, self.weapon)
        bob.waits(lambda: bob.seen[CREATE] > created and bob.alive, 40, "his respawn with another weapon")

    def next_map(self):
        """A new map on the same connection: all earlier state is void, and all players join again."""
        maps = [player.seen[STATE] for player in self.players]
        self.anna.says(self.words["next_map"])
        for team, (player, before) in enumerate(zip(self.players, maps)):
            player.waits(lambda: player.seen[STATE] > before, 60, "the next map")
            player.joins(team)

    def leave(self):
        self.anna.leaves()
        self.bob.waits(lambda: self.bob.seen[PLAYER_LEFT], 10, "that anna left")
        self.bob.leaves()

    def pushed_back(self):
        """The number of positions that the server forced on a player without a command."""
        return sum(packet[1:] != bytes(12) for player in self.players for packet in player.of(POSITION)) - self.anna.went - self.bob.went


def play(stage, start, words):
    server, port = start(stage)
    recording = stage.path("aos.mcap")
    before, behind, relay = between_shims(stage, port, recording)
    match = Match(stage, before.port, words)
    rounds = stage.rounds(match.round)
    check(match.pushed_back() == 0, f"a player was put elsewhere {match.pushed_back()} times")
    match.next_map()
    match.leave()
    check(server.alive(), f"the server died: {server.tail()}")
    heard = match.anna.seen + match.bob.seen
    return (f"{rounds} rounds, two maps; {heard[BLOCK]} block changes, {heard[KILL]} deaths, {heard[INTEL_CAPTURE]} captures told; "
            + proved(stage, before, behind, relay, recording))


def proved(stage, before, behind, relay, recording):
    talks, packets, lost = enet_wire.proved(before, behind)
    check(relay.stop() == 0, "the relay did not end with exit code 0")
    numbers = stage.verify(recording)
    check(numbers["frames"] >= packets, f"the recording has {numbers['frames']} frames, the wire had {packets} packets")
    return (f"{packets} packets of {talks} connections identical on both sides, {lost} unreliable ones lost; "
            f"{numbers['exact']} of {numbers['frames']} exact")


def aos_spadesx(stage):
    """SpadesX 710270d and two scripted players (0.75): join, map, walk, shoot, build, dig, chat, intel, die, respawn, next map, leave"""
    return play(stage, start_spadesx, SPADESX)


def aos_piqueserver(stage):
    """piqueserver 1.4.1 and two scripted players (0.75): the same"""
    return play(stage, start_piqueserver, PIQUESERVER)


def real_client(stage, start, words, goodbye):
    """BetterSpades, played by keys and mouse, with a scripted player who brings it to the intel and kills it."""
    server, port = start(stage)
    recording = stage.path("aos.mcap")
    before, behind, relay = between_shims(stage, port, recording)
    bob = stage.keep(Player(before.port, "bob")).joins(1)
    bob.logs_in(words)
    real = BetterSpades(stage, before.port)
    bob.waits(lambda: joining(real, bob), 90, "BetterSpades")
    stage.rounds(lambda: real_round(real, bob))
    real.screenshot("betterspades.png")
    check(real.run.alive() and server.alive(), f"it ended: {real.run.tail()} {server.tail()}")
    goodbye(real, bob)
    bob.waits(lambda: bob.seen[PLAYER_LEFT], 20, "that BetterSpades left")
    bob.leaves()
    said, told = wire_of(before, real.name)
    check(told[POSITION] == bob.brought, f"BetterSpades was put elsewhere {told[POSITION] - bob.brought} times")
    lacks = [kind for kind in (POSITION, ORIENTATION, INPUT, WEAPON_INPUT, GRENADE, SET_TOOL, BLOCK, CHAT, RELOAD) if not said[kind]]
    check(not lacks, f"BetterSpades sent none of {lacks}: {dict(said)}")
    return (f"{said[ORIENTATION]} turns, {said[POSITION]} positions, {said[BLOCK]} block actions, {said[GRENADE]} grenades, "
            f"{told[INTEL_CAPTURE]} captures, {told[CREATE]} spawns; " + proved(stage, before, behind, relay, recording))


def joining(real, bob):
    """Presses the key 1 to choose team and weapon, until the server shows the player to all."""
    real.keys("1")
    time.sleep(1)
    return bob.number_of(real.name) is not None


def real_round(real, bob):
    """Does all actions by keys and mouse, for half a minute."""
    for kind in (SPADE, BLOCKS, GUN):
        real.keys(str(kind + 1))
        real.holds("forward")
        real.turns(25, 0)
        real.keys(real.KEYS["jump"])
        real.holds("forward", False)
        real.turns(0, 40)
        real.clicks(times=3)
        if kind == BLOCKS:
            real.clicks(3)
        real.turns(0, -40)
    real.clicks(times=2)
    real.keys(real.KEYS["reload"])
    real.says("hello from the real client")
    real.keys(str(GRENADES + 1))
    time.sleep(1)
    real.clicks()
    bring_home_the_intel(real, bob)
    number, spawns = bob.number_of(real.name), bob.seen[CREATE]
    bob.says(bob.words["kill"] + f" #{number}")
    bob.waits(lambda: bob.seen[CREATE] > spawns, 40, "the respawn of BetterSpades")
    time.sleep(1)


def bring_home_the_intel(real, bob):
    for thing, heard in ((1, INTEL_PICKUP), (2, INTEL_CAPTURE)):
        before, tries = bob.seen[heard], 0
        while bob.seen[heard] == before:
            check(tries < 4, f"BetterSpades was brought to {places(bob)[thing]} {tries} times, and nothing came of it")
            bring(real, bob, places(bob)[thing])
            tries += 1


def bring(real, bob, place):
    """Moves BetterSpades to a place with the server's command. This fails if BetterSpades has just sent its old place, because the server then moves it back."""
    bob.goes(place)
    bob.says(bob.words["bring"].format(id=bob.number_of(real.name), to=bob.id))
    bob.brought += 1
    time.sleep(2.5)


def wire_of(before, name):
    """The reliable packets that the player of that name sent and received, counted by packet id."""
    for flow in before.flows:
        for talk in enet_wire.talks(flow)[0]:
            if any(packet[0] == JOIN and packet.endswith(name.encode() + b"\0") for _, packet in talk.up.reliable):
                return [collections.Counter(packet[0] for _, packet in way.reliable) for way in (talk.up, talk.down)]
    raise AssertionError(f"nobody joined as {name}")


def kicked(real, bob):
    bob.says(bob.words["kick"].format(id=bob.number_of(real.name)))
    real.run.wait_for(r"server disconnected! reason: Kicked", 20)


def quits(real, _):
    real.keys("Escape", "y")


def aos_real_spadesx(stage):
    """SpadesX 710270d and BetterSpades 0.1.5 (0.75) under Xvfb by keys and mouse: intel, deaths; it is kicked at the end, and prints the reason"""
    return real_client(stage, start_spadesx, SPADESX, kicked)


def aos_real_piqueserver(stage):
    """piqueserver 1.4.1 and BetterSpades 0.1.5 (0.75) under Xvfb by keys and mouse: intel, deaths; it leaves with its menu"""
    return real_client(stage, start_piqueserver, PIQUESERVER, quits)


CASES = {"aos_spadesx": aos_spadesx, "aos_piqueserver": aos_piqueserver, "aos_real_spadesx": aos_real_spadesx,
         "aos_real_piqueserver": aos_real_piqueserver}
