# One check for each row of capabilities.tsv: the server and the native player see what our player did, and our player sees what the native did.
# Invariant: no game and no pair is named here. A verb that a game does not have raises NotInGame, and the row then does not apply to the pair.
from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Callable

from player import NOBODY, NotInGame, Player, Unseen, apart, off, turned
from scene import AT_REST, NORTH, ROUGHLY, WEST, Scene

FAR = (1e9, 0.0)
FIGHT = 45.0  # seconds that a kill may take


@dataclass
class Finding:
    """What was seen, as a sentence; with the error in tiles and the time in milliseconds, if there are any."""
    note: str
    error: float | None = None
    took: float | None = None


ROWS: dict[str, Callable[[Scene], Finding]] = {}


def row(name: str) -> Callable:
    def keep(check: Callable[[Scene], Finding]) -> Callable:
        ROWS[name] = check
        return check
    return keep


def sure(truth: object, sentence: str) -> None:
    if not truth:
        raise Unseen(sentence)


@row("join with a name")
def join(scene: Scene) -> Finding:
    known = scene.known_as()
    sure(known.lower().startswith(scene.us.name.lower()), f"{scene.us.name} is called {known!r} on the server")
    scene.meet()
    scene.until(lambda: any(unit.owner.lower().startswith(scene.them.name.lower()) for unit in scene.us.others()), 6,
                f"ours does not see the name {scene.them.name}, only {[unit.owner for unit in scene.us.others()]}")
    return Finding(f"as {known}")


@row("be seen by others")
def be_seen(scene: Scene) -> Finding:
    scene.meet()
    error = scene.settle(scene.error)
    sure(error <= AT_REST, f"ours is {error:.2f} tiles from where the server has it")
    scene.until(scene.seen_by_us, 8, "ours does not see the native player")
    seen = scene.settle(scene.seen_error)
    sure(seen <= AT_REST, f"ours sees the native player {seen:.2f} tiles off")
    return Finding("both ways", max(error, seen))


@row("move")
def move(scene: Scene) -> Finding:
    tile = scene.tile()
    yaw, (x, y), start = scene.way(3 * tile), scene.us.here(), scene.truth().place
    scene.us.go_to((x + 3 * tile * math.cos(yaw), y + 3 * tile * math.sin(yaw)), 40)
    error = scene.settle(scene.error)
    went = apart(scene.truth().place, start) / tile
    sure(went > 1.5, f"went {went:.1f} tiles on the server, of 3")
    sure(error <= AT_REST, f"{error:.2f} tiles off at rest")
    scene.meet()
    scene.meet()  # from one side to another
    seen = scene.settle(scene.seen_error)
    sure(seen <= AT_REST, f"ours sees the native player {seen:.2f} tiles off at rest")
    return Finding(f"{went:.1f} tiles", max(error, seen))


@row("face a direction")
def face(scene: Scene) -> Finding:
    behind = 0.0 if scene.them.SLANTS else scene.tile()  # a tank that moves by tiles turns by driving a tile, back or forth
    yaw = scene.truth().yaw  # a different heading comes first, so that a turn is necessary
    for _ in range(2):
        yaw = scene.way(scene.tile(), behind=behind, rather_not=yaw)
        scene.us.face(yaw)
        scene.until(lambda: scene.truth().yaw is not None and turned(scene.truth().yaw, yaw) < ROUGHLY, 6,
                    f"ours looks {math.degrees(yaw):.0f} deg, the server says {scene.truth().yaw}")
    scene.meet()
    for yaw in (NORTH, WEST):
        scene.them.face(yaw)
        heading = scene.them.heading()
        scene.until(lambda: scene.seen_by_us() and scene.seen_by_us().yaw is not None and turned(scene.seen_by_us().yaw, heading) < ROUGHLY, 6,
                    f"the native looks {math.degrees(heading):.0f} deg, ours sees {scene.seen_by_us()}")
    return Finding("both ways")


@row("stop")
def stop(scene: Scene) -> Finding:
    start = scene.truth().place
    scene.us.start_moving(scene.way(2 * scene.tile()))
    scene.until(lambda: apart(scene.truth().place, start) > 0.02 * scene.tile(), 12, "ours wished to move, and the server has it where it was")
    scene.us.halt()
    time.sleep(0.5)  # the half second of the table
    rest = scene.truth().place
    time.sleep(1.0)
    drift = apart(scene.truth().place, rest) / scene.tile()
    sure(drift < 0.1, f"{drift:.2f} tiles of drift in the second after it should have stood")
    error = scene.settle(scene.error)
    sure(error <= AT_REST, f"{error:.2f} tiles off at rest")
    return Finding(f"drift {drift:.2f} tiles", error)


@row("shoot")
def shoot(scene: Scene) -> Finding:
    away = scene.meet() + math.pi
    scene.server.strengthen(scene.known_as())
    took = scene.took(*seen_shot(scene.us, scene.them, away))
    scene.them.take_cover()  # or it may drive into this shot
    away = scene.meet()
    scene.server.strengthen(scene.them.name)
    seen_shot(scene.them, scene.us, away)
    return Finding("both ways", took=took)


def seen_shot(shooter: Player, looker: Player, yaw: float) -> tuple[float, float]:
    """The times at which a shot was fired and seen; there are two tries, because a datagram may be lost."""
    before = len(looker.shots)
    for patience in (4, 6):
        shooter.shoot(yaw)
        try:
            shot = looker.wait(lambda: next((one for one in looker.shots[before:] if one.yaw is None or turned(one.yaw, yaw) < ROUGHLY), None), patience,
                               f"{looker.name} saw no shot toward {math.degrees(yaw) % 360:.0f} deg, only {looker.shots[before:]}")
            return shooter.sent_at, shot.at
        except Unseen as unseen:
            fault = unseen
    raise fault


def fight(scene: Scene, hunter: Player, prey: Player, hunter_name: str, prey_name: str) -> dict:
    """One player hunts the other to death; returns what both saw. Played once, and used by every row that needs it."""
    key = "theirs" if hunter is scene.them else "ours"
    if key in scene.fights:
        if isinstance(scene.fights[key], Unseen):
            raise scene.fights[key]
        return scene.fights[key]
    hurts, dead, seen, end = prey.hurts, prey.dead(), len(hunter.deaths), time.monotonic() + FIGHT
    try:
        scene.server.strengthen(hunter_name)
        while prey.dead() == dead:
            sure(time.monotonic() < end, f"{hunter.name} did not kill {prey.name} in {FIGHT:g} s; hurt {prey.hurts - hurts} times")
            if scene.meet_again():
                scene.server.strengthen(hunter_name)
            hunter.attack(scene.truth().place if prey is scene.us else prey.here())
            try:
                prey.wait(lambda: prey.dead() > dead, 0.4, "lives")
            except Unseen:
                if prey.gone is not None:
                    raise
        hunter.halt()
        scene.server.strengthen(NOBODY)
        time.sleep(1.5)  # for a second death that must not come
        facts = {"hurts": prey.hurts - hurts, "deaths": prey.dead() - dead, "killer": prey.deaths[-1].killer,
                 "seen": [death for death in hunter.deaths[seen:] if death.victim in (prey_name, prey.name)], "all": hunter.deaths[seen:]}
    except Unseen as unseen:
        scene.fights[key] = unseen
        raise
    scene.fights[key] = facts
    return facts


def killed(scene: Scene) -> dict:
    if "theirs" not in scene.fights:
        scene.meet()
        scene.us_known = scene.known_as()
    return fight(scene, scene.them, scene.us, scene.them.name, scene.us_known)


def kills(scene: Scene) -> dict:
    if "ours" not in scene.fights:
        scene.ready()
        scene.them.take_cover()  # our player's shots of the last fight may still fly
        scene.meet()
        scene.us_known = scene.known_as()
        scene.settle(scene.seen_error)  # the native has only just arrived: another unit may still be nearer
        seen = scene.until(scene.seen_by_us, 6, "ours does not see whom to fight")
        return fight(scene, scene.us, scene.them, scene.us_known, seen.owner)
    return fight(scene, scene.us, scene.them, "", "")


@row("be hit and know it")
def be_hit(scene: Scene) -> Finding:
    facts = killed(scene)
    sure(facts["hurts"], "ours was not told of a hit")
    return Finding(f"{facts['hurts']} times")


@row("die once")
def die_once(scene: Scene) -> Finding:
    for facts, who in ((killed(scene), "ours"), (kills(scene), "the native")):
        sure(facts["deaths"] == 1, f"{who} died {facts['deaths']} times")
        sure(len(facts["seen"]) == 1, f"the other saw {who} die {len(facts['seen'])} times: {facts['all']}")
    return Finding("each way, seen by both")


@row("killer named")
def killer_named(scene: Scene) -> Finding:
    killer = killed(scene)["killer"]
    sure(killer and killer.lower().startswith(scene.them.name.lower()), f"ours was killed by {scene.them.name} and is told {killer!r}")
    by_us = kills(scene)["killer"]
    sure(by_us == scene.us_known, f"the native was killed by {scene.us_known} and is told {by_us!r}")
    return Finding(f"{killer}, {by_us}")


@row("respawn")
def respawn(scene: Scene) -> Finding:
    killed(scene)
    scene.ready()
    scene.until(scene.ours, 10, "the server has no unit of ours again")
    error = scene.settle(scene.error)
    sure(error <= AT_REST, f"{error:.2f} tiles off after the respawn")
    return Finding("back in play", error)


@row("score")
def score(scene: Scene) -> Finding:
    kills(scene)
    scene.ready()
    scene.fights.pop("ours")
    kills(scene)  # once more: ours is ahead
    scene.ready()
    scene.meet()
    name, known = scene.us.name, scene.known_as()
    scene.server.strengthen(known)

    def agree() -> bool:
        seen, true = (scene.us.score(name), scene.us.score(scene.them.name)), (scene.server.score(known), scene.server.score(scene.them.name))
        return None not in seen + true and seen[0] > seen[1] and true[0] > true[1]
    scene.until(agree, 10, f"scores of {name} and {scene.them.name}: ours says {scene.us.score(name)}, {scene.us.score(scene.them.name)}; the server "
                f"{scene.server.score(known)}, {scene.server.score(scene.them.name)}")
    return Finding(f"{scene.us.score(name)}, {scene.us.score(scene.them.name)}; the server {scene.server.score(known):g}, "
                   f"{scene.server.score(scene.them.name):g}")


@row("team")
def team(scene: Scene) -> Finding:
    scene.meet()
    scene.settle(scene.seen_error)  # before that, another unit may be nearer to its place
    mine, seen, known = scene.us.team(), scene.until(scene.seen_by_us, 6, "nobody is seen").team, scene.truth().team
    sure(None not in (mine, seen, known), f"teams: own {mine}, the other's {seen}, at the server {known}")
    if isinstance(scene.them.team(), str) and isinstance(seen, str):
        sure((mine == seen) == (known == scene.them.team()), f"own {mine} and the other's {seen}; at the server {known} and {scene.them.team()}")
    return Finding(f"{mine} and {seen}; the server {known}")


@row("team score")
def team_score(scene: Scene) -> Finding:
    scene.server.show_teams()
    told = scene.until(scene.us.team_scores, 8, "no score of a team was told")
    return Finding(f"{told}"[:60])


def chat_between(scene: Scene, speak: Callable[[str], object], ears: Player, sender: str, scope: str | None = None) -> float:
    words = f"tally {scene.stage.count()} ho"
    speak(words)
    said = ears.wait(lambda: next((said for said in ears.heard if words in said.text), None), 6, f"{words!r} was not heard")
    sure(said.sender.lower().startswith(sender.lower()), f"{words!r} came from {said.sender!r}, not {sender!r}")
    sure(scope is None or said.scope == scope, f"{words!r} came as for {said.scope}")
    return said.at


@row("chat to all")
def chat(scene: Scene) -> Finding:
    took = []
    for _ in range(5):
        time.sleep(scene.server.line_every)
        at = chat_between(scene, scene.us.say, scene.them, scene.known_as())
        took.append(scene.took(scene.us.sent_at, at))
    chat_between(scene, scene.them.say, scene.us, scene.them.name)
    return Finding("both ways", took=sorted(took)[len(took) // 2])


@row("chat to team")
def team_chat(scene: Scene) -> Finding:
    mate = scene.local("mate")
    mate.side_with(scene.truth().team)
    mate.join()
    chat_between(scene, scene.us.say_team, mate, scene.known_as(), "team")
    chat_between(scene, mate.say_team, scene.us, mate.name, "team")
    mate.leave()
    return Finding("both ways")


@row("private chat")
def private_chat(scene: Scene) -> Finding:
    chat_between(scene, lambda words: scene.us.say_to(scene.them.name, words), scene.them, scene.known_as(), "me")
    chat_between(scene, lambda words: scene.them.say_to(scene.known_as(), words), scene.us, scene.them.name, "me")
    return Finding("both ways")


@row("server notices")
def notices(scene: Scene) -> Finding:
    chat_between(scene, scene.server.notice, scene.us, "SERVER")
    return Finding("heard")


@row("world geometry")
def geometry(scene: Scene) -> Finding:
    walls = scene.server.walls()
    tile, here = scene.tile(), scene.us.here()
    inner = [wall for wall in walls if max(abs(wall[0]) - scene.server.bounds()[0] / 2, abs(wall[1]) - scene.server.bounds()[1] / 2) < -1.5 * tile]
    nearest = min(inner, key=lambda wall: apart(wall, here))
    missing = scene.us.misses([nearest], inner, tile)
    sure(not missing, f"{len(missing)} of {len(inner)} walls are not there, as at {missing[:2]}; ours has {scene.us.walls()[:4]}")
    return Finding(f"{len(inner)} walls")


@row("world edits")
def edits(scene: Scene) -> Finding:
    before = scene.us.edits()
    scene.server.edit()
    scene.until(lambda: scene.us.edits() > before, 6, "no change of the world was told")
    return Finding("seen")


@row("world bounds")
def bounds(scene: Scene) -> Finding:
    said, true = scene.us.bounds(), scene.server.bounds()
    off = max(abs(a - b) for a, b in zip(said, true)) / scene.tile()
    sure(off <= 1, f"{said[0]:.0f} x {said[1]:.0f} m; the server's are {true[0]:.0f} x {true[1]:.0f} m")
    return Finding(f"{said[0]:.0f} x {said[1]:.0f} m", off)


@row("carry a token")
def token(scene: Scene) -> Finding:
    numbers, known = scene.until(lambda: [number for number, carrier in scene.us.tokens().items() if not carrier], 6, "nothing to carry"), scene.known_as()

    def carries() -> bool:
        return known in scene.them.tokens().values()
    for number in numbers[:3]:  # each game has its own numbers, and a player may not carry every token
        if not carries():
            scene.us.grab(number)
            scene.settle(lambda: 0.0 if carries() else 1.0)
    sure(carries(), f"ours carries nothing on the server: {scene.them.tokens()}")
    if not (scene.us.has("drop") and scene.them.has("drop")):
        return Finding("grabbed; who carries it drops it when he dies")
    scene.us.drop()
    scene.them.wait(lambda: known not in scene.them.tokens().values(), 6, "it was not dropped")
    return Finding("grabbed and dropped")


@row("pickups")
def pickups(scene: Scene) -> Finding:
    def shared() -> int:
        there = scene.server.pickups()
        return sum(any(off(place, other) / scene.tile() <= AT_REST for other in there) for place in scene.us.pickups())
    if not shared() and scene.us.where() and scene.server.pickups():  # a player who sees only near things may have none near it
        x, y = min(scene.server.pickups(), key=lambda place: apart(place, scene.us.here()))
        scene.us.go_to((x, y - 0.4 * scene.tile()), 20)
    scene.until(shared, 8, f"ours sees {scene.us.pickups()[:3]}, the server has {scene.server.pickups()[:3]}")
    return Finding(f"{shared()} in their places")


@row("ammo or reload")
def ammo(scene: Scene) -> Finding:
    before = scene.until(lambda: scene.us.ammo() is not None and [scene.us.ammo()], 6, "never told")[0]
    scene.line_of_fire = scene.meet() + math.pi
    scene.us.shoot(scene.line_of_fire)
    return Finding(f"{before:g}, then {scene.us.ammo():g}")


@row("health between full and none")
def health(scene: Scene) -> Finding:
    scene.meet()
    before = scene.until(scene.us.health, 6, "never told")
    scene.server.strengthen(scene.known_as())

    def changed() -> bool:
        return bool(scene.us.health()) and scene.us.health() != before
    for _ in range(2):  # a shot may miss
        if not changed():
            scene.them.attack(scene.truth().place)
            scene.settle(lambda: 0.0 if changed() else 1.0)
    if not changed():
        scene.server.strengthen(NOBODY)  # takes the strength away again: some games do not show a gain
        scene.until(changed, 8, f"stays {before:g}")
    return Finding(f"{before:g}, then {scene.us.health():g}")


@row("height")
def height(scene: Scene) -> Finding:
    scene.us.jump()
    scene.them.wait(lambda: scene.them.height(scene.known_as()) > 1, 6, "ours was never seen off the ground")
    return Finding("seen in the air")


@row("guided or thrown weapon")
def guided(scene: Scene) -> Finding:
    scene.us.guide(scene.them.name)
    scene.them.wait(lambda: scene.them.guided() > 0, 6, "no guided missile was told of")
    return Finding("seen")


@row("pause or spectate")
def spectate(scene: Scene) -> Finding:
    units = len(scene.server.units())
    looker = scene.onlooker()
    looker.watch()
    looker.wait(looker.others, 8, "who looks on sees nobody")
    sure(len(scene.server.units()) <= units, "who looks on plays")
    looker.leave()
    return Finding("looks on")


@row("time left, round over")
def clock(scene: Scene) -> Finding:
    notes = []
    try:
        scene.server.start_clock()
        scene.us.wait(lambda: scene.us.time_left() is not None, 15, "no time left was told")
        notes.append(f"{scene.us.time_left()} s")
    except NotInGame:
        pass
    scene.server.end_round()
    scene.us.wait(scene.us.over, 10, "ours was not told that the round is over")
    return Finding(", ".join([*notes, "over"]))


@row("lag shown")
def lag(scene: Scene) -> Finding:
    scene.us.wait(scene.us.lag, 14, "no measure of lag was exchanged")
    return Finding("measured")


@row("late join sees it all")
def late(scene: Scene) -> Finding:
    scene.meet()
    late_one = scene.visitor()

    def sees(player: Player) -> bool:
        return any(apart(unit.place, player.where() or FAR) / scene.tile() <= 1.2 for unit in late_one.others())
    try:
        (late_one.watch if scene.server.FULL else late_one.join)()
        scene.server.strengthen(NOBODY)
        if late_one.where() and not (sees(scene.us) and sees(scene.them)):  # it may see only near things, so move one player nearer
            late_one.go_to((scene.us.here()[0], scene.us.here()[1] - scene.server.duel / 2), 45)
        for player in (scene.us, scene.them):
            late_one.wait(lambda: sees(player), 8, f"does not see {player.name} at {player.where()}, only {late_one.others()[:3]}")
    finally:
        late_one.kill()
    return Finding("sees both")


@row("refusal with reason")
def refusal(scene: Scene) -> Finding:
    full = scene.server.has("fill")
    if full:
        scene.server.fill()
    twin = scene.visitor() if full else scene.keep(scene.front.client(scene.port, scene.us.name))
    try:
        twin.join()
    except Unseen:
        sure(twin.gone and len(twin.gone) > 8, f"refused without a reason: {twin.gone!r}")
        return Finding(f"{twin.gone}"[:50])
    finally:
        scene.server.empty()
    raise Unseen("one more than there is room for got in" if full else "a second of one name got in")


@row("kick with reason")
def kick(scene: Scene) -> Finding:
    scene.server.kick(scene.known_as(), "too noisy")
    scene.us.wait(lambda: scene.us.gone is not None, 6, "ours is still there")
    sure("noisy" in scene.us.gone or any("noisy" in said.text for said in scene.us.heard[-4:]), f"the reason did not come: {scene.us.gone!r}")
    return Finding(f"{scene.us.gone}"[:50])


@row("leave cleanly")
def leave(scene: Scene) -> Finding:
    known, units = scene.known_as(), len(scene.ours())
    scene.us.leave()
    scene.them.wait(lambda: len(scene.ours()) < units, 5, "the server still has our player")
    took = scene.took(scene.us.sent_at, time.monotonic())
    sure(took < 1000, f"it took {took:.0f} ms")
    if scene.server.TELLS_LEAVES:
        scene.ready()
        scene.meet()
        scene.until(scene.seen_by_us, 6, "nobody is seen")
        scene.them.leave()
        scene.us.wait(lambda: not scene.us.others(), 3, "ours still sees the native player, who left")
    return Finding(f"{known or 'the unit'} is gone", took=took)
