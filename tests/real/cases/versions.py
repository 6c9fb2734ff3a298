# Programs of one BZFlag release on the server of another, through `entente proxy` as a bridge between the versions.
# Invariant: results are read from the programs' output and from the wire on both sides, not from our recording or log.
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from bzflag import DEBIAN, GREETING, R_1_10, R_2_0, Bzadmin, Tank, frames, positions, start_bzfs
from cases.bridge import end, start_bridge
from cases.bzflag import KILL_WAIT, WORLD, travel
from shim import Shim
from stage import Failed, check, wait_until


def url(release, port):
    return f"bzflag://127.0.0.1:{port}?dialect={release.dialect}"


def chat_across(stage, client, server):
    """A bzadmin of `client` across the bridge and a directly connected one of `server`: see each other, chat both ways, leave."""
    recording = stage.path("bridge.mcap")
    bzfs, port = start_bzfs(stage, release=server)
    host = Bzadmin(stage, "host", port, server).joined()
    bridge, listener_port = start_bridge(stage, url(client, 0), url(server, port), "--record", recording)
    guest = Bzadmin(stage, "guest", listener_port, client).joined()
    host.run.wait_for(r"guest\S* joined", 20)
    guest.says("hello from afar")
    host.hears("guest", "hello from afar")
    host.says("welcome to our version")
    guest.hears("host", "welcome to our version")
    check(guest.quits() == 0, f"the guest did not leave with exit code 0: {guest.run.tail()}")
    host.run.wait_for(r"guest\S* left", 20)
    check(host.quits() == 0, "the host did not leave with exit code 0")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return f"{client.dialect} on {server.dialect}: joined, chat both ways, left; " + end(stage, bridge, recording)


def seen_by(shim, client):
    """(metres driven, shots, kills, messages about others) of the player behind this shim."""
    said = [f for flow in list(shim.flows) for d in list(flow.to_server) for f in frames(d)]
    heard = []
    for talk in list(shim.talks):
        said += list(frames(talk.to_server[len(client.header):]))
        heard += list(frames(talk.to_client[GREETING:]))
    for flow in list(shim.flows):
        heard += [f for d in list(flow.to_client) for f in frames(d)]
    codes = [code for code, _ in said]
    told = [code for code, _ in heard]
    return travel(list(positions(said))), codes.count("sb"), told.count("kl"), told.count("pu") + told.count("ps")


def tank_across(stage, client, server):
    """A bzflag of `client` on autopilot across the bridge against one of `server`: both drive and shoot, one dies."""
    recording = stage.path("bridge.mcap")
    with open(stage.path("few.bzw"), "w", encoding="ascii") as world:
        world.write(WORLD)
    bzfs, port = start_bzfs(stage, "-worldsize", "100", "-world", world.name, release=server)
    bridge, listener_port = start_bridge(stage, url(client, 0), url(server, port), "--record", recording)
    before, beside = stage.keep(Shim(listener_port)), stage.keep(Shim(port))
    guest, host = Tank(stage, "guest", "red", before.port, client), Tank(stage, "host", "green", beside.port, server)
    for player in (guest, host):
        bzfs.wait_for(rf"{player.callsign} \[\d+\] has joined", 60)
    for player in (guest, host):
        player.spawn_on_autopilot()

    def played():
        """A sentence once both have moved and shot, see each other move, and one was killed."""
        a, b = seen_by(before, client), seen_by(beside, server)
        done = min(a[0], b[0]) > 10 and min(a[1], b[1]) > 0 and max(a[2], b[2]) > 0 and min(a[3], b[3]) > 20
        return f"driven {a[0]:.0f} m across and {b[0]:.0f} m beside, {a[1]} and {b[1]} shots, {a[2]} deaths heard" if done else None

    try:
        wait_until(played, KILL_WAIT, "no fight")
    except Failed as failed:
        raise Failed(f"{failed}: {seen_by(before, client)} and {seen_by(beside, server)}; {bridge.tail()}") from failed
    seen = played()
    for player in (guest, host):
        player.screenshot(player.callsign + ".png")
        check(player.run.alive(), f"{player.callsign} ended: {player.run.tail()}")
    kicked = re.findall(r"removed.*", bzfs.text())
    check(not kicked, f"bzfs removed a tank: {kicked}")
    for player in (guest, host):
        player.run.stop()
    bzfs.wait_for(r"removed.*", times=2)
    return f"{client.dialect} on {server.dialect}: {seen}; " + end(stage, bridge, recording)


def use_peers():
    """Makes the modules of tests/peers importable; where names collide, those of tests/real win."""
    sys.path.insert(1, os.path.join(os.path.dirname(__file__), "..", "..", "peers"))


def serve_page(listener, others):
    """Runs the page's server of tests/peers for the next client, in a thread; returns a future of the server, done when the client has left."""
    from wiki_server import WikiServer
    from wiki_world import encode_world

    walls = [("wall", {"center": center, "angle": angle, "width": 100.0, "height": 6.0})
             for center, angle in (([0.0, 100.0, 0.0], 4.712), ([100.0, 0.0, 0.0], 3.142), ([0.0, -100.0, 0.0], 1.571), ([-100.0, 0.0, 0.0], 0.0))]
    world = encode_world([("style", {"version": 1, "world_size": 200.0, "max_players": 20, "max_shots": 2, "max_flags": 8}), *walls, ("end", {})])

    def serve():
        server = WikiServer(listener, world, others)
        server.greet()
        server.serve()
        return server
    return ThreadPoolExecutor(1).submit(serve)


def stock_on_wiki(stage):
    """The wiki page's server (tests/peers); across a bridge, bzadmin 2.4 chats, then bzflag 2.4 on autopilot spawns, drives and leaves"""
    use_peers()
    import tcp

    recording = stage.path("bridge.mcap")
    other = {"player": {"address": [10, 0, 0, 1], "port": 4000, "number": 2}, "type": 0, "team": 2, "wins": 3, "losses": 1,
             "call_sign": "somebody", "email": "anonymous"}
    listener = tcp.Listener()
    bridge, listener_port = start_bridge(stage, url(DEBIAN, 0), f"bzflag://127.0.0.1:{listener.port}?dialect=wiki", "--record", recording)
    served = serve_page(listener, [other])
    guest = Bzadmin(stage, "guest", listener_port)
    guest.run.wait_for(r"somebody\S* joined", 20)
    guest.says("hello page")
    guest.hears("guest", "hello page")
    check(guest.quits() == 0, f"the guest did not leave with exit code 0: {guest.run.tail()}")
    check(served.result(20).counts["MsgMessage"] == 1, "the server did not hear one message")

    served = serve_page(listener, [other])
    before = stage.keep(Shim(listener_port))
    tank = Tank(stage, "tank", "red", before.port)
    wait_until(lambda: len(list(frames(before.talks[0].to_client[GREETING:]))) > 10 if before.talks else False, 60, "bzflag did not come in")
    tank.spawn_on_autopilot()
    wait_until(lambda: seen_by(before, DEBIAN)[0] > 30, KILL_WAIT, "the tank did not drive 30 m")
    check(tank.run.alive(), f"bzflag ended: {tank.run.tail()}")
    driven = seen_by(before, DEBIAN)[0]
    tank.run.stop()
    heard = served.result(20).counts
    check(heard["MsgAlive"] >= 1 and heard["MsgPlayerUpdate"] >= 10, f"the server heard {dict(heard)}")
    listener.close()
    return f"chat; driven {driven:.0f} m, {heard['MsgPlayerUpdate']} updates heard; " + end(stage, bridge, recording)


def wiki_on_2_4(stage):
    """Stock bzfs 2.4 and bzadmin; the wiki page's client (tests/peers) across a bridge: joins, spawns, drives, chats, dies, leaves"""
    use_peers()
    from wiki_client import NOBODY, WikiClient
    from wiki_world import decode_world, encode_world

    recording = stage.path("bridge.mcap")
    bzfs, port = start_bzfs(stage)
    host = Bzadmin(stage, "host", port).joined()
    bridge, listener_port = start_bridge(stage, "bzflag://127.0.0.1:0?dialect=wiki", url(DEBIAN, port), "--record", recording)
    client = WikiClient(listener_port)
    client.greet()
    check(client.negotiate() == [], "flags that the client lacks")
    world = client.download()
    check(encode_world(decode_world(world)) == world, "the world is not one of the page's")
    others = [player["call_sign"] for player in client.enter("page")]
    check(others == ["host"], f"others were {others}")
    host.run.wait_for(r"page\S* joined", 20)
    client.link()
    client.send("MsgAlive", position=[1.0, 2.0, 0.0], forward=[1.0, 0.0, 0.0])
    alive = client.expect("MsgAlive")
    while alive["player"] != client.me:
        alive = client.expect("MsgAlive")
    x, y, z = alive["position"]
    for step in range(20):
        client.send("MsgPlayerUpdate", "datagram", player=client.me, status=1, position=[x + 0.1 * step, y, z], velocity=[2.0, 0.0, 0.0],
                    azimuth=0.0, angular_velocity=0.0)
    client.send("MsgMessage", to=NOBODY, team=0, message="hello from the page")
    host.hears("page", "hello from the page")
    host.says("welcome to our version")
    while client.expect("MsgMessage")["message"] != "welcome to our version":
        pass
    client.send("MsgKilled", killer=client.me, shot=0xFFFF)
    killed = client.expect("MsgKilled")
    check(killed["victim"] == client.me and killed["killer"] == client.me, f"killed: {killed}")
    client.send("MsgExit")
    host.run.wait_for(r"page\S* left", 20)
    check(host.quits() == 0, "the host did not leave with exit code 0")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return "joined, spawned, drove, chat both ways, died, left; " + end(stage, bridge, recording)


def one_port(stage):
    """Stock bzfs 2.4 behind one port for two versions (fallback): bzadmin 2.4 and bzadmin 1.10.8 meet there, chat, leave"""
    recording = stage.path("bridge.mcap")
    bzfs, port = start_bzfs(stage)
    bridge, listener_port = start_bridge(stage, url(DEBIAN, 0) + "&fallback=1.10", url(DEBIAN, port), "--record", recording)
    new, old = Bzadmin(stage, "new", listener_port).joined(), Bzadmin(stage, "old", listener_port, R_1_10).joined()
    new.run.wait_for(r"old\S* joined", 20)
    old.says("hello from afar")
    new.hears("old", "hello from afar")
    new.says("welcome to our version")
    old.hears("new", "welcome to our version")
    check(old.quits() == 0 and new.quits() == 0, "a bzadmin did not leave with exit code 0")
    check("kick" not in bzfs.text().lower(), "bzfs kicked somebody: " + bzfs.tail())
    return "both came in by one port, chat both ways, left; " + end(stage, bridge, recording)


NAMES = {"2.4": "2.4", "2.0": "2.0.16", "1.10": "1.10.8"}
PAIRS = ((R_2_0, DEBIAN), (R_1_10, DEBIAN), (DEBIAN, R_2_0), (DEBIAN, R_1_10), (R_2_0, R_1_10), (R_1_10, R_2_0))


def case(play, client, server, what):
    def run(stage):
        return play(stage, client, server)
    run.__doc__ = what.format(client=NAMES[client.dialect], server=NAMES[server.dialect])
    return run


def name(prefix, client, server):
    return f"{prefix}_{client.dialect}_on_{server.dialect}".replace(".", "_")


CHAT = "bzfs and bzadmin {server}, and bzadmin {client} across a bridge between versions: see each other, chat both ways, /quit"
TANK = "bzfs and bzflag {server}, and bzflag {client} across a bridge between versions, both on autopilot: drive, shoot, kill"
CASES = {**{name("versions_chat", *pair): case(chat_across, *pair, CHAT) for pair in PAIRS},
         **{name("versions_tank", *pair): case(tank_across, *pair, TANK) for pair in PAIRS},
         "versions_one_port": one_port, "versions_wiki_on_2_4": wiki_on_2_4, "versions_2_4_on_wiki": stock_on_wiki}
