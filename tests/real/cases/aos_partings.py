# How Ace of Spades servers disconnect players: with the same texts and numbers with the relay as without.
from aos import PIQUESERVER, SPADESX, start_piqueserver, start_spadesx
from aos_player import BLOCK, CHAT, Player
from stage import check, wait_until

SEATS = 32  # SpadesX's fixed limit
VERSIONS = (0, 1, 4, 5, 31)


class TwoWays:
    """A server with two addresses: its own, and a relay's."""

    def __init__(self, stage, start, words, **settings):
        self.stage, self.words, self.seen = stage, words, []
        self.server, self.port = start(stage, name=f"server{stage.count()}", **settings)
        self.relay, self.relayed = stage.relay("aos", "0.75", self.port, name=f"relay{stage.count()}")

    def comes(self, relayed, name="guest", data=3):
        return self.stage.keep(Player(self.relayed if relayed else self.port, name, data))

    def same(self, what, expected, turned_away):
        """Calls `turned_away(relayed)` without and with the relay; it returns a disconnected player. Both must have received the same."""
        said = []
        for relayed in (False, True):
            player = turned_away(relayed)
            wait_until(lambda: player.parting is not None, 20, f"{what}: nobody was sent away")
            said.append((player.parting, goodbye(player)))
            player.kill()
        check(said[0] == said[1], f"{what}: {said[0]} without the relay, {said[1]} with it")
        check(said[0][0] == expected, f"{what}: {said[0]} instead of {expected}")
        self.seen.append(f"{what} {said[0][0]}" + (f" ({said[0][1]!r})" if said[0][1] else ""))


def goodbye(player):
    """The server's last message to this player: with extension 194, a chat line of player 255."""
    last = player.heard[-1] if player.heard else b""
    return last[3:].split(b"\0")[0].decode("utf-8", "replace") if last[:3] == bytes([CHAT, 255, 2]) else ""


def the_usual(ways):
    """Wrong versions; a kick; a shutdown."""
    for data in VERSIONS:
        ways.same(f"version {data}", 3, lambda relayed: ways.comes(relayed, data=data))
    admin = ways.comes(False, "admin").joins(0)
    admin.logs_in(ways.words)

    def kicked(relayed):
        guest = ways.comes(relayed).joins(1)
        admin.says(ways.words["kick"].format(id=guest.id))
        return guest
    ways.same("kick", 10, kicked)
    return admin


def shutdown(ways, expected):
    guests = {relayed: ways.comes(relayed).joins(relayed) for relayed in (False, True)}
    ways.server.stop()
    ways.same("shutdown", expected, guests.get)


def banned(ways, admin, how):
    """On loopback, all players have one address. So the ban also hits the admin, and nobody can join again."""
    guest = ways.comes(True).joins(1)
    admin.says(ways.words["ban"].format(id=guest.id))
    wait_until(lambda: guest.parting is not None, 20, "the banned one was not sent away")
    ways.seen.append(f"ban {guest.parting}")
    guest.kill()
    ways.same(f"{how} again", 1, ways.comes)


def too_short(ways):
    """For such a packet, piqueserver bans the address, and so all players behind the relay. The relay does not forward it."""
    good, evil = ways.comes(True, "good").joins(0), ways.comes(True, "evil").joins(1)
    evil.say(BLOCK)
    wait_until(lambda: evil.parting is not None, 10, "who sent a packet without its fields was not sent away")
    late = ways.comes(True, "late").joins(1)
    check(good.parting is None, f"another player was sent away for it with {good.parting}")
    ways.seen.append(f"too short {evil.parting}, others stay")
    for player in (good, late):
        player.leaves()


def aos_partings_spadesx(stage):
    """SpadesX 710270d disconnects players (kick, ban, full server, wrong version, shutdown): they receive the same reasons with the relay as without"""
    ways = TwoWays(stage, start_spadesx, SPADESX)
    admin = the_usual(ways)
    admin.leaves()
    crowd = []
    for number in range(SEATS):  # one after the other: the server has to send a map to each
        crowd.append(ways.comes(False, f"one{number}"))
        crowd[-1].waits(lambda: crowd[-1].id is not None, 60, "the map")
    ways.same("full", 4, ways.comes)
    for one in crowd[1:]:
        one.leaves()
    crowd[0].joins(0)
    shutdown(ways, 10)
    seen = ways.seen
    ways = TwoWays(stage, start_spadesx, SPADESX)
    admin = ways.comes(False, "admin").joins(0)
    admin.logs_in(ways.words)
    banned(ways, admin, "coming")
    return ", ".join(seen + ways.seen)


def aos_partings_piqueserver(stage):
    """piqueserver 1.4.1 disconnects players (kick, ban, full server, too many from one address, wrong version, shutdown): they receive the same reasons with the relay as without; the relay does not forward a packet for which it would ban all players"""
    seen = []
    ways = TwoWays(stage, start_piqueserver, PIQUESERVER, max_players=3)
    admin = the_usual(ways)
    two = [ways.comes(False, name).joins(team) for team, name in ((1, "two"), (0, "three"))]
    ways.same("full", 4, ways.comes)
    for one in two:
        one.leaves()
    admin.leaves()
    too_short(ways)
    shutdown(ways, 5)
    seen += ways.seen
    ways = TwoWays(stage, start_piqueserver, PIQUESERVER, max_connections_per_ip=1)
    admin = ways.comes(False, "admin").joins(0)
    ways.same("two of one address", 2, ways.comes)
    seen += ways.seen
    ways = TwoWays(stage, start_piqueserver, PIQUESERVER)
    admin = ways.comes(False, "admin").joins(0)
    admin.logs_in(ways.words)
    banned(ways, admin, "coming")
    return ", ".join(seen + ways.seen)


CASES = {"aos_partings_spadesx": aos_partings_spadesx, "aos_partings_piqueserver": aos_partings_piqueserver}
