# How Ace of Spades servers disconnect players: with the same texts and numbers with the relay as without.
from aos import PIQUESERVER, SPADESX, start_piqueserver, start_spadesx
from aos_player import BLOCK, CHAT, Player
from stage import check, wait_until

SEATS = 32  # SpadesX's fixed limit
VERSIONS = (0, 1, 4, 5, 31)


class Doors:
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
            said.append((player.parting, farewell(player)))
            player.kill()
        check(said[0] == said[1], f"{what}: {said[0]} without the relay, {said[1]} with it")
        check(said[0][0] == expected, f"{what}: {said[0]} instead of {expected}")
        self.seen.append(f"{what} {said[0][0]}" + (f" ({said[0][1]!r})" if said[0][1] else ""))


def farewell(player):
    """The server's last message to this player: with extension 194, a chat line of player 255."""
    last = player.heard[-1] if player.heard else b""
    return last[3:].split(b"\0")[0].decode("utf-8", "replace") if last[:3] == bytes([CHAT, 255, 2]) else ""


def the_usual(doors):
    """Wrong versions; a kick; a shutdown."""
    for data in VERSIONS:
        doors.same(f"version {data}", 3, lambda relayed: doors.comes(relayed, data=data))
    admin = doors.comes(False, "admin").joins(0)
    admin.logs_in(doors.words)

    def kicked(relayed):
        guest = doors.comes(relayed).joins(1)
        admin.says(doors.words["kick"].format(id=guest.id))
        return guest
    doors.same("kick", 10, kicked)
    return admin


def shutdown(doors, expected):
    guests = {relayed: doors.comes(relayed).joins(relayed) for relayed in (False, True)}
    doors.server.stop()
    doors.same("shutdown", expected, guests.get)


def banned(doors, admin, how):
    """On loopback, all players have one address. So the ban also hits the admin, and nobody can join again."""
    guest = doors.comes(True).joins(1)
    admin.says(doors.words["ban"].format(id=guest.id))
    wait_until(lambda: guest.parting is not None, 20, "the banned one was not sent away")
    doors.seen.append(f"ban {guest.parting}")
    guest.kill()
    doors.same(f"{how} again", 1, doors.comes)


def too_short(doors):
    """For such a packet, piqueserver bans the address, and so all players behind the relay. The relay does not forward it."""
    good, evil = doors.comes(True, "good").joins(0), doors.comes(True, "evil").joins(1)
    evil.say(BLOCK)
    wait_until(lambda: evil.parting is not None, 10, "who sent a packet without its fields was not sent away")
    late = doors.comes(True, "late").joins(1)
    check(good.parting is None, f"another player was sent away for it with {good.parting}")
    doors.seen.append(f"too short {evil.parting}, others stay")
    for player in (good, late):
        player.leaves()


def aos_partings_spadesx(stage):
    """SpadesX 710270d disconnects players (kick, ban, full server, wrong version, shutdown): they receive the same reasons with the relay as without"""
    doors = Doors(stage, start_spadesx, SPADESX)
    admin = the_usual(doors)
    admin.leaves()
    crowd = []
    for number in range(SEATS):  # one after the other: the server has to send a map to each
        crowd.append(doors.comes(False, f"one{number}"))
        crowd[-1].waits(lambda: crowd[-1].id is not None, 60, "the map")
    doors.same("full", 4, doors.comes)
    for one in crowd[1:]:
        one.leaves()
    crowd[0].joins(0)
    shutdown(doors, 10)
    seen = doors.seen
    doors = Doors(stage, start_spadesx, SPADESX)
    admin = doors.comes(False, "admin").joins(0)
    admin.logs_in(doors.words)
    banned(doors, admin, "coming")
    return ", ".join(seen + doors.seen)


def aos_partings_piqueserver(stage):
    """piqueserver 1.4.1 disconnects players (kick, ban, full server, too many from one address, wrong version, shutdown): they receive the same reasons with the relay as without; the relay does not forward a packet for which it would ban all players"""
    seen = []
    doors = Doors(stage, start_piqueserver, PIQUESERVER, max_players=3)
    admin = the_usual(doors)
    two = [doors.comes(False, name).joins(team) for team, name in ((1, "two"), (0, "three"))]
    doors.same("full", 4, doors.comes)
    for one in two:
        one.leaves()
    admin.leaves()
    too_short(doors)
    shutdown(doors, 5)
    seen += doors.seen
    doors = Doors(stage, start_piqueserver, PIQUESERVER, max_connections_per_ip=1)
    admin = doors.comes(False, "admin").joins(0)
    doors.same("two of one address", 2, doors.comes)
    seen += doors.seen
    doors = Doors(stage, start_piqueserver, PIQUESERVER)
    admin = doors.comes(False, "admin").joins(0)
    admin.logs_in(doors.words)
    banned(doors, admin, "coming")
    return ", ".join(seen + doors.seen)


CASES = {"aos_partings_spadesx": aos_partings_spadesx, "aos_partings_piqueserver": aos_partings_piqueserver}
