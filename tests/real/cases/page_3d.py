# The 3D view of the page, in Debian's Chromium with WebGL in software, on a server whose world and players the case knows.
# Invariant: the case computes where something must be visible, from the words and the camera's place; what is visible is read from pixels.
import base64
import json
import math
import random
import threading

from browser import NO_WEBGL, WEBGL
from cases.page import NATIVE, Page, listening
from native_room import Room, player
from stage import check, wait_until

FIELD_OF_VIEW = math.radians(60)  # from top to bottom
WORLD = {"world": {"kind": "SOLIDS", "west": -200, "east": 200, "south": -200, "north": 200, "walled": True,
                   "solids": [{"x": -60, "y": 40, "half_x": 15, "half_y": 15, "height": 20},
                              {"shape": "PYRAMID", "x": 60, "y": 40, "half_x": 15, "half_y": 15, "height": 20}],
                   "bases": [{"team": "RED", "solid": {"x": -60, "y": -60, "half_x": 25, "half_y": 25}}]}}


class Page3d(Page):
    """A spectator's page with WebGL."""

    def __init__(self, stage, name, port):
        super().__init__(stage, name, port, *WEBGL)

    def asks(self, script):
        """Evaluates an expression of the page's objects `view` and `visit`."""
        return self.page(f"import('./main.js').then(({{ view, visit }}) => {script})")

    def turns_to_3d(self):
        if self.text("deep") == "3D":
            self.clicks("deep")
        wait_until(lambda: self.asks("view.deep"), 20, "the 3D view does not come")
        check(self.shown("space"), "the canvas of the 3D view is not shown")

    def follows(self, player):
        """Clicks the player in the table, which shows a new player a little later than the field."""
        row = f"""document.querySelector('[data-player="{player}"]')"""
        wait_until(lambda: self.page(f"{row} != null"), 10, f"player {player} is not in the table")
        self.page(f"{row}.click()")

    def puts_eyes(self, x, y, z, yaw, pitch):
        self.asks(f"(view.eyes.look('FREE'), Object.assign(view.eyes, {{ x: {x}, y: {y}, z: {z}, yaw: {yaw}, pitch: {pitch} }}), 0)")
        self.pictures()

    def pictures(self, number=3):
        """Waits until so many more frames are drawn."""
        self.page(f"new Promise((done) => {{ let left = {number}; const next = () => --left ? requestAnimationFrame(next) : done(1); requestAnimationFrame(next); }})")

    def point(self, x, y, z):
        """The position on the page of a place in the world, computed here from the camera's place."""
        eyes = self.asks("({ x: view.eyes.x, y: view.eyes.y, z: view.eyes.z, yaw: view.eyes.yaw, pitch: view.eyes.pitch })")
        box = self.page("(({ left, top, width, height }) => ({ left, top, width, height }))(document.getElementById('field').getBoundingClientRect())")
        east, north, up = x - eyes["x"], y - eyes["y"], z - eyes["z"]
        cos, sin = math.cos(eyes["yaw"]), math.sin(eyes["yaw"])
        ahead, right = east * cos + north * sin, east * sin - north * cos
        depth = ahead * math.cos(eyes["pitch"]) + up * math.sin(eyes["pitch"])
        high = up * math.cos(eyes["pitch"]) - ahead * math.sin(eyes["pitch"])
        check(depth > 0, f"the camera does not look at {x}, {y}, {z}")
        pixels = box["height"] / 2 / math.tan(FIELD_OF_VIEW / 2) / depth
        return box["left"] + box["width"] / 2 + right * pixels, box["top"] + box["height"] / 2 - high * pixels

    def builds(self):
        """Waits until all chunks of blocks near the camera are built."""
        def done():
            before = self.asks("view.scene.told.chunks")
            self.pictures(5)
            return before == self.asks("view.scene.told.chunks") > 100
        wait_until(done, 60, "the chunks are not built")

    def draws(self, name):
        """Whether the unit of a player is drawn."""
        return self.asks(f"view.scene.isDrawn(visit.room.unitOf([...visit.room.players.values()].find((one) => one.name === {json.dumps(name)}).id).id)")

    def sees_name_over(self, x, y):
        """Waits until there are white letters over the tank at x, y."""
        def letters():
            left, top = self.point(x, y, 2.6)
            return sum(min(colour) > 130 for colour in self.colours(left, top - 14, 10)) >= 5  # the floor is darker
        wait_until(letters, 10, f"there is no name over the tank at {x}, {y}")

    def sees_on_minimap(self, what, x, y, seconds=10):
        """The same on the small map, which shows the whole world."""
        box = self.page("(({ left, top, width }) => ({ left, top, width }))(document.getElementById('minimap').getBoundingClientRect())")
        west, south, across = self.asks("(({ west, east, south, north }) => [west, south, Math.max(east - west, north - south)])(visit.room.world)")
        pixel = 0.95 * box["width"] / across
        left, top = box["left"] + box["width"] / 2 + (x - west - across / 2) * pixel, box["top"] + box["width"] / 2 - (y - south - across / 2) * pixel
        wait_until(lambda: any(what(*colour) for colour in self.colours(left, top, 3)), seconds, lambda: f"on the small map at {x}, {y} there is {self.colours(left, top, 3)}")

    def sees_at(self, what, place, seconds=10):
        """Waits until the pixels where `place` must be seen satisfy `what(red, green, blue)`."""
        seen = []

        def look():
            seen[:] = self.colours(*self.point(*place))
            return sum(what(*colour) for colour in seen) * 2 > len(seen)
        wait_until(look, seconds, lambda: f"at {place}, drawn at {self.point(*place)}, there is {seen}")


def is_red(red, green, blue):
    return red > 1.4 * green and red > 1.4 * blue


def is_blue(red, green, blue):
    return blue > 1.25 * red and blue > green


def is_grass(red, green, blue):
    return green > red and green > 1.1 * blue and green < 150


def is_brick(red, green, blue):
    return red > 1.2 * green and red > 1.4 * blue and red < 190


def is_roof(red, green, blue):
    return max(red, green, blue) - min(red, green, blue) < 25 and 90 < red < 190


def is_sky(red, green, blue):
    return blue > 180 and blue > red + 30


def open_page(stage, *facts, name="chromium", how="watch", page=Page3d):
    """Starts a server that has sent `facts`, and a page on it."""
    room = stage.keep(Room({"room": {"game": "bzflag", "dialect": "2.4", "name": "field", "most_shots": 5}}, {"player": {"id": 1, "name": "wanda", "role": "WATCH"}}, *facts))
    proxy = stage.start(name + "_proxy", [stage.entente, "proxy", "--listen", NATIVE, "--to", f"native://127.0.0.1:{room.port}?dialect=json"])
    shown = page(stage, name, listening(proxy))
    shown.enters("wanda", how)
    shown.sees("BZFlag", "status", 20)
    return room, shown


def page_3d(stage):
    """A known field in Chromium with WebGL in software: tanks in their colours, box, pyramid, base, floor and sky are at the right places; a tank moves and dies; without WebGL, the page shows the field from above"""
    room, page = open_page(stage, WORLD, *player(2, "anna", "RED", 0, 0), *player(3, "bob", "BLUE", 30, -20),
                           {"token": {"id": 1, "kind": "TEAM_FLAG", "team": "BLUE", "state": "GROUND", "x": -20, "y": -30}})
    page.turns_to_3d()
    page.puts_eyes(0, -140, 60, math.pi / 2, -0.4)
    hull = 0.9
    page.sees_at(is_red, (0, 0, hull))
    page.sees_at(is_blue, (30, -20, hull))
    page.sees_at(is_grass, (15, 10, 0))
    page.sees_at(is_brick, (-60, 25, 10))   # the box's south face
    page.sees_at(is_roof, (-60, 40, 20))
    page.sees_at(is_blue, (60, 33, 5))      # the pyramid's south face
    page.sees_at(is_red, (-60, -60, 0.2))   # the base
    page.sees_at(is_sky, (0, 500, 80))
    page.sees_name_over(0, 0)
    page.screenshot("field.png")

    room.tell({"pose": {"unit": 102, "x": 15, "y": 10, "yaw": 1}})
    page.sees_at(is_red, (15, 10, hull))
    page.sees_at(is_grass, (0, 0, hull))
    room.tell({"shot": {"shooter": 2, "unit": 102, "shot": 1, "x": 15, "y": 10, "z": 1.5, "vy": -1, "life": 60, "range": 60, "team": "RED"}})
    wait_until(lambda: page.asks("view.scene.told.lines") == 1, 10, "the shot is not drawn")
    room.tell({"shot_ended": {"shooter": 2, "shot": 1}}, {"died": {"player": 2, "unit": 102, "killer": 3}})
    page.sees_at(is_grass, (15, 10, hull))
    page.sees("anna", "log")

    plain = Page(stage, "no_webgl", int(page.page("location.port")), *NO_WEBGL)
    plain.enters("wendy", "watch")
    plain.sees("BZFlag", "status", 20)
    wait_until(lambda: plain.shown("field"), 5, "no field")
    check(not plain.shown("space") and plain.page("document.getElementById('deep').disabled"), "without WebGL, a 3D view is offered")
    plain.page("document.getElementById('field').focus()")
    plain.presses("v", "KeyV")
    check(not plain.shown("space"), "without WebGL, V shows an empty canvas")
    plain.end()
    page.end()
    told = page.asks("view.scene.told")
    return f"three.js r{told['revision']}, {told['calls']} calls, {told['triangles']} triangles"


def page_cameras(stage):
    """Cameras in Chromium: behind a player, inside the tank, and free, moved by keys and by dragging; the table and a key select another player; names are above the tanks"""
    room, page = open_page(stage, WORLD, *player(2, "anna", "RED", 0, 0, 1.0), *player(3, "bob", "BLUE", 30, -20, -2.0))
    page.turns_to_3d()
    page.follows(2)
    eyes = "({ way: view.eyes.way, x: view.eyes.x, y: view.eyes.y, z: view.eyes.z, yaw: view.eyes.yaw })"

    def behind(x, y, yaw):
        """Whether the camera looks along `yaw` from behind x, y, and above."""
        seen = page.asks(eyes)
        east, north = x - seen["x"], y - seen["y"]
        return (seen["way"] == "CHASE" and 5 < math.hypot(east, north) < 60 and seen["z"] > 3 and
                abs(math.remainder(math.atan2(north, east) - yaw, math.tau)) < 0.1 and abs(math.remainder(seen["yaw"] - yaw, math.tau)) < 0.1)
    wait_until(lambda: behind(0, 0, 1.0), 10, lambda: f"the camera is not behind anna: {page.asks(eyes)}")
    page.sees_at(is_red, (0, 0, 1.2))
    page.screenshot("behind.png")
    room.tell({"pose": {"unit": 102, "x": 10, "y": -5, "yaw": 2.5}})
    wait_until(lambda: behind(10, -5, 2.5), 10, lambda: f"the camera does not turn with anna: {page.asks(eyes)}")

    room.tell({"pose": {"unit": 102, "x": 195, "y": 0, "yaw": math.pi}})  # its back to the wall: the camera comes nearer
    wait_until(lambda: 195 < page.asks(eyes)["x"] < 200, 10, lambda: f"the camera is behind the wall: {page.asks(eyes)}")
    page.sees_at(is_red, (195, 0, 1.2))

    page.page("document.getElementById('field').focus()")
    page.presses("]", "BracketRight")
    wait_until(lambda: behind(30, -20, -2.0), 10, lambda: f"the camera is not behind bob: {page.asks(eyes)}")
    page.sees_at(is_blue, (30, -20, 1.2))
    followed = "document.querySelector('tr.followed')?.innerText ?? ''"
    wait_until(lambda: page.page(followed).startswith("bob"), 10, lambda: f"the table does not mark bob as followed: {page.page(followed)}")

    page.presses("c", "KeyC")
    wait_until(lambda: page.asks(eyes)["way"] == "FIRST", 5, "C does not change the camera")
    page.pictures()
    seen = page.asks(eyes)
    check(math.hypot(seen["x"] - 30, seen["y"] + 20) < 0.5 and abs(math.remainder(seen["yaw"] + 2.0, math.tau)) < 0.01, f"inside bob, the camera is at {seen}")
    check(not page.draws("bob") and page.draws("anna"), "bob hides the view from inside bob")
    page.screenshot("inside.png")

    page.presses("c", "KeyC")
    wait_until(lambda: page.asks(eyes)["way"] == "FREE", 5, "C does not free the camera")
    page.puts_eyes(0, -140, 60, math.pi / 2, -0.4)
    page.key("keyDown", "KeyW", "w")
    wait_until(lambda: page.asks(eyes)["y"] > -130, 10, "W does not move the free camera")
    page.key("keyUp", "KeyW", "w")
    before = page.asks(eyes)["yaw"]
    for kind, x in (("mousePressed", 400), ("mouseMoved", 300), ("mouseReleased", 300)):
        page.ask("Input.dispatchMouseEvent", type=kind, x=x, y=400, button="left", buttons=1, clickCount=1)
    check(abs(page.asks(eyes)["yaw"] - before) > 0.1, "dragging does not turn the free camera")
    wishes = [kind for intent in room.intents for kind in intent if kind in ("keys", "toward", "fire")]
    check(not wishes, f"a spectator said {wishes}")
    page.end()
    return "behind, inside, free; followed by table and key"


def page_drives_3d(stage):
    """A player in the 3D view in Chromium: W drives along the tank's direction, A turns it, Space shoots ahead; the stick for fingers drives, and the tank stops when the browser cancels the touch"""
    mine = [fact for fact in player(1, "wanda", "GREEN", 0, 0, 0.5)]
    room, page = open_page(stage, WORLD, *mine, *player(2, "anna", "RED", 60, 0), how="play")
    page.turns_to_3d()
    room.wished("spawn")
    room.tell({"spawned": {"unit": 101, "pose": {"unit": 101, "yaw": 0.5}}})
    wait_until(lambda: page.asks("view.eyes.way") == "CHASE", 5, "the camera is not behind")
    page.page("document.getElementById('field').focus()")

    def keys(what):
        wait_until(lambda: what(room.wished("keys")), 5, lambda: f"the page said {room.wished('keys')}")
    page.key("keyDown", "KeyW", "w")
    keys(lambda said: said.get("bits") == 1 and abs(said["yaw"] - 0.5) < 0.01)
    page.key("keyDown", "KeyA", "a")
    keys(lambda said: said.get("bits") == 1 and said["yaw"] > 1)
    page.key("keyUp", "KeyW", "w")
    keys(lambda said: "bits" not in said and said["yaw"] > 1)
    page.key("keyUp", "KeyA", "a")
    page.key("keyDown", "Space", " ")
    shot = room.wished("fire")
    check(abs(math.atan2(shot["vy"], shot["vx"]) - 0.5) < 0.05, f"it does not shoot ahead: {shot}")
    page.key("keyUp", "Space", " ")

    page.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    touch = lambda kind, *points: page.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])
    touch("touchStart", (480, 300))
    touch("touchEnd")
    wait_until(lambda: page.shown("stick"), 5, "a finger gets no stick")
    box = page.page("(({ left, top, width, height }) => [left + width / 2, top + height / 2])(document.getElementById('stick').getBoundingClientRect())")
    touch("touchStart", (box[0], box[1]))
    touch("touchMove", (box[0], box[1] - 55))
    keys(lambda said: said.get("bits") == 1)
    page.screenshot("stick.png")
    touch("touchCancel")
    keys(lambda said: "bits" not in said)
    page.end()
    return "driven by keys and by a finger"


BLOCK = 800 / 512


def map_file():
    """A map of Ace of Spades: green ground at cell 50, and a red tower of 6 by 6 cells at 256, 240, from cell 20 down."""
    columns = []
    for y in range(512):
        for x in range(512):
            red = 256 <= x < 262 and 240 <= y < 246
            top = 20 if red else 50
            columns.append(bytes([0, top, top, 0]) + (bytes([20, 20, 220, 0]) if red else bytes([40, 150, 60, 0])))
    return base64.b64encode(b"".join(columns)).decode()


def cell_middle(x, y, z):
    return (x - 255.5) * BLOCK, (255.5 - y) * BLOCK, (61.5 - z) * BLOCK


def page_voxels(stage):
    """A known map of Ace of Spades in the 3D view in Chromium: ground and tower are at the right places; a dug block and a new block are shown, and only their chunks are built again; a man stands on the ground"""
    world = {"world": {"kind": "VOXELS", "west": -400, "east": 400, "south": -400, "north": 400, "block": BLOCK, "voxels": map_file(),
                       "solids": [{"x": 5, "y": -25, "half_x": 12, "half_y": 4, "height": 60}]}}  # solids for other games: not drawn
    ground = (62 - 50) * BLOCK
    x, y, _ = cell_middle(262, 262, 0)
    room, page = open_page(stage, world, *player(2, "anna", "BLUE", x, y, kind="MAN", radius=1, pose={"z": ground}))
    page.turns_to_3d()
    page.puts_eyes(*cell_middle(258, 290, 40), math.pi / 2, -0.25)
    page.builds()
    page.sees_at(is_earth, (cell_middle(259, 245, 0)[0], cell_middle(0, 245, 0)[1] - BLOCK / 2, 50))  # the tower's south face is solid without colours
    page.sees_at(is_grass_block, (x - 8, y + 6, ground))
    page.sees_at(is_blue, (x, y, ground + 2.4))
    page.screenshot("voxels.png")

    south = cell_middle(250, 262, 49)
    page.sees_at(is_grass_block, (south[0], south[1], ground))
    built = page.asks("view.scene.told.chunks")
    room.tell({"world_edit": {"edit": {"op": "BUILD", "x": south[0], "y": south[1], "z": south[2], "colour": 0xF01010}}})
    page.sees_at(is_red, (south[0], south[1] - BLOCK / 2, south[2]))
    again = page.asks("view.scene.told.chunks") - built
    check(again == 1, f"for one block {again} chunks were built again")
    room.tell({"world_edit": {"edit": {"op": "DIG", "x": south[0], "y": south[1], "z": south[2]}}})
    page.sees_at(lambda *colour: not is_red(*colour), (south[0], south[1] - BLOCK / 2, south[2]))
    page.clicks("deep")
    wait_until(lambda: not page.shown("space"), 5, "the view from above does not come")
    page.screenshot("voxels_above.png")
    page.end()
    return f"{built} chunks, 1 built again for a block"


def is_grass_block(red, green, blue):
    return green > 1.5 * red and green > 1.5 * blue


def is_earth(red, green, blue):
    return red > green > blue and red < 120


def page_cells(stage):
    """Cells, pellets and a virus of Ogar, and tiles of Panic, in the 3D view in Chromium: places and colours are right; a tile that becomes a wall is shown as a wall"""
    world = {"world": {"kind": "OPEN", "west": -400, "east": 400, "south": -400, "north": 400}}
    units = [{"unit": {"id": 50 + i, "kind": "PELLET", "radius": 0.6, "colour": 0xFF00FF, "pose": {"x": -40 + 2 * i, "y": 20}}} for i in range(40)]
    room, page = open_page(stage, world, *player(2, "anna", "ROGUE", 0, 0, kind="CELL", radius=12, colour=0xE02020),
                           {"unit": {"id": 49, "kind": "VIRUS", "radius": 8, "colour": 0x33FF33, "pose": {"x": 40, "y": 0}}}, *units)
    page.turns_to_3d()
    page.puts_eyes(0, -60, 60, math.pi / 2, -0.8)
    page.sees_at(is_red, (0, 0, 5))
    page.sees_at(lambda red, green, blue: green > 140 and green > 2 * red, (40, 0, 3))
    page.sees_at(lambda red, green, blue: red > 150 and blue > 150 and green < 120, (-20, 20, 0.6))
    page.screenshot("cells.png")
    page.end()

    tiles = bytes(0 if i in (9, 10) else 1 if i == 5 else 3 for i in range(16))
    world = {"world": {"kind": "TILES", "west": -50, "east": 50, "south": -50, "north": 50, "columns": 4, "rows": 4, "tiles": base64.b64encode(tiles).decode()}}
    room, page = open_page(stage, world, *player(2, "anna", "RED", 37.5, -37.5), name="tiles")
    page.turns_to_3d()
    page.puts_eyes(0, -90, 80, math.pi / 2, -0.8)
    page.sees_at(lambda red, green, blue: red > green > blue and red > 110, (0, -12.5, 8))  # tiles 9 and 10 are a wall
    page.sees_at(is_blue, (-12.5, 12.5, 0.2))                                                # tile 5 is water
    page.sees_at(is_grass, (12.5, 12.5, 0))
    room.tell({"world_edit": {"edit": {"x": 12.5, "y": 12.5}}})
    page.sees_at(lambda red, green, blue: red > green > blue and red > 110, (12.5, 12.5, 8))
    page.screenshot("tiles.png")
    page.end()
    return "cells, pellets, tiles"


def page_events(stage):
    """In Chromium: "anna destroyed bob" is over the field and in the log, but not after a seek of a replay; health, loaded shots, the small map; sounds only after a gesture, and not when muted; the table is sorted like BZFlag's"""
    room, page = open_page(stage, WORLD, {"rule": {"name": "reload", "value": "3"}}, *player(2, "anna", "RED", 0, 0, health=100, max_health=100),
                           *player(3, "bob", "BLUE", 30, -20), {"score": {"player": 2, "wins": 1, "losses": 3}}, {"score": {"player": 3, "wins": 1}})
    names = "[...document.querySelectorAll('#scores tr')].map((row) => row.cells[0].innerText)"
    wait_until(lambda: page.page(names) == ["bob", "anna", "wanda"], 10, lambda: f"the table is {page.page(names)}")
    check(page.asks("0") == 0 and page.page("import('./main.js').then(({ sounds }) => sounds.state)") == "off", "there is sound before a gesture")
    page.turns_to_3d()
    page.follows(2)
    page.ask("Input.dispatchMouseEvent", type="mousePressed", x=480, y=200, button="right", buttons=2, clickCount=1)
    page.ask("Input.dispatchMouseEvent", type="mouseReleased", x=480, y=200, button="right", buttons=0, clickCount=1)
    wait_until(lambda: page.page("import('./main.js').then(({ sounds }) => sounds.state)") == "running", 10, "there is no sound after a gesture")

    wait_until(lambda: page.shown("health") and "100" in page.text("health"), 5, lambda: f"anna's health is not shown: {page.text('health')!r}")
    slots = lambda: page.page("document.getElementById('loaded').getAttribute('aria-label')")
    wait_until(lambda: slots() == "5 of 5 shots loaded", 5, lambda: f"the gun is {slots()}")
    room.tell({"health": {"unit": 102, "now": 40, "max": 100, "by": 3}}, {"shot": {"shooter": 2, "unit": 102, "shot": 1, "vx": 100, "life": 3.5, "range": 350}})
    wait_until(lambda: "40" in page.text("health") and slots() == "4 of 5 shots loaded", 5, lambda: f"{page.text('health')!r}, {slots()}")
    page.sees_on_minimap(is_red, 0, 0)
    page.sees_on_minimap(is_blue, 30, -20)

    heard = lambda: page.page("import('./main.js').then(({ sounds }) => sounds.heard)")
    room.tell({"died": {"player": 3, "unit": 103, "killer": 2, "why": "BY_SHOT"}}, {"score": {"player": 2, "wins": 5, "losses": 3}})
    page.sees("anna destroyed bob", "feed", 5)
    page.sees("anna destroyed bob", "log", 5)
    page.screenshot("events.png")
    wait_until(lambda: page.page(names) == ["anna", "bob", "wanda"], 5, lambda: f"the table is {page.page(names)}")
    wait_until(lambda: heard().get("boom") == 1 and heard().get("shot") == 1 and heard().get("hit") == 1, 5, lambda: f"heard: {heard()}")
    page.clicks("mute")
    room.tell({"shot": {"shooter": 2, "unit": 102, "shot": 2, "vx": 100, "life": 3.5, "range": 350}})
    page.pictures(10)
    check(heard().get("shot") == 1, "a muted page plays sounds")
    wait_until(lambda: page.page("document.getElementById('feed').childElementCount") == 0, 15, "an event stays for ever")

    room.tell({"clock": {"us": "5", "paused": True}}, {"died": {"player": 3, "unit": 103, "killer": 2}}, {"said": {"from": 2, "text": "retold"}}, {"clock": {"us": "5", "speed": 1}})
    page.sees("retold", "log", 5)
    check(page.text("log").count("destroyed") == 1 and page.text("feed") == "", "a death that is only told again became an event")
    page.end()
    return f"heard {heard()}"


def page_player(stage):
    """A player in Chromium: a player who dies while writing can write on; the button counts down to the respawn; Space on the field respawns; the page says which player the camera follows; at the end of a round, it names the winner and reports no deaths"""
    room, page = open_page(stage, WORLD, *player(1, "wanda", "RED", 0, 0), *player(2, "anna", "BLUE", 30, -20), how="play")
    focus = lambda: page.page("document.activeElement.id")
    spawns = lambda: sum("spawn" in intent for intent in room.intents)
    alive = lambda now: {"unit": {"id": 101, "owner": 1, "alive": now, "kind": "TANK", "pose": {"unit": 101}}}
    died = [{"died": {"player": 1, "unit": 101, "killer": 2, "why": "BY_SHOT", "respawn_s": 2}}, alive(False)]
    wait_until(lambda: spawns() > 0, 10, "the page does not ask to spawn")
    room.tell({"spawned": {"unit": 101, "pose": {"unit": 101}}})

    page.page("document.getElementById('line').focus()")
    page.ask("Input.insertText", text="half a line")
    room.tell(*died)
    page.sees("You died, shot by anna.", "notice-text", 10)
    check(focus() == "line", f"who writes lost the keyboard to {focus()!r}")
    wait_until(lambda: page.text("again") == "Respawn", 10, lambda: f"the button says {page.text('again')!r}")
    page.presses("Enter", "Enter", "\r")
    wait_until(lambda: any(intent.get("say", {}).get("text") == "half a line" for intent in room.intents), 10, "the line was not said")
    check(focus() == "field", f"after a line the keys go to {focus()!r}")
    before = spawns()
    page.presses(" ", "Space", " ")
    wait_until(lambda: spawns() > before, 10, "Space on the field does not respawn")
    page.sees("Respawning", "notice-text", 5)
    check(not page.shown("again"), "the button is offered twice")
    room.tell(alive(True), {"spawned": {"unit": 101, "pose": {"unit": 101}}})
    wait_until(lambda: not page.shown("notice"), 10, "the notice stays")

    room.tell(*died[:1], alive(False))
    wait_until(lambda: "Respawn (" in page.text("again"), 5, lambda: f"no countdown: {page.text('again')!r}")
    check(focus() == "again", f"the button has no focus, but {focus()!r}")
    page.screenshot("died.png")
    room.tell(alive(True), {"spawned": {"unit": 101, "pose": {"unit": 101}}})  # without a request, as after a move
    wait_until(lambda: focus() == "field", 5, lambda: f"who is put into play again has the keys at {focus()!r}")

    follow = lambda name: page.page(f"[...document.querySelectorAll('#scores button')].find((one) => one.innerText === '{name}').click()")
    follow("anna")
    page.sees("You see anna, and still drive your own", "status", 5)
    page.screenshot("followed.png")
    follow("wanda")
    page.sees("Playing", "status", 5)

    room.tell({"round": {"state": "OVER", "winning_team": "RED", "another": True}}, {"died": {"player": 2, "unit": 102, "why": "BY_SERVER"}})
    page.sees("The round is over: Team red won. The next one begins soon", "feed", 5)
    check("removed" not in page.text("log"), f"the end of a round is told as deaths: {page.text('log')!r}")
    page.end()
    return "writes on, counts down, respawns, follows, and reads who won"


def page_start(stage):
    """In Chromium, before a player enters: the page says what is played and how many play; for a recording it offers no "Play"; opening it does not connect a bridge to its server; going to another address leaves the game; on a screen 390 px wide, nothing is cut off, before and after entering"""
    recording = stage.path("evening.mcap")
    arena = stage.start("arena", [stage.entente, "arena", "--bots", "3", "--listen", NATIVE, "--record", recording])
    page = Page3d(stage, "arena", listening(arena))
    page.sees("An arena for players of all games, free for all", "going")
    page.sees("3 players of 64", "count")
    check(page.shown("play") and "stick" in page.text("controls"), "no way to play, or no controls")
    page.screenshot("start.png")
    page.enters("wanda")
    page.sees("Playing", "status", 20)
    page.ask("Page.navigate", url="about:blank")  # the browser keeps the page in memory, for its Back button
    arena.wait_for(r'closed: client left \("wanda"', 20)
    page.end()
    arena.stop()

    replay = stage.start("replay", [stage.entente, "replay", recording, "--listen", NATIVE])
    page = Page(stage, "recording", listening(replay))
    page.sees("A recording of an arena for players of all games", "going")
    wait_until(lambda: not page.shown("play"), 10, "a recording offers to play")
    check(page.shown("watch"), "nobody can watch a recording")
    page.screenshot("recording.png")
    page.end()

    facts = [WORLD, *player(2, "anna", "RED", 0, 0), *player(3, "bob", "BLUE", 30, -20)]
    room = stage.keep(Room({"room": {"game": "bzflag", "dialect": "2.4", "name": "field", "mode": "capture the flag", "most_players": 20, "most_shots": 5}}, *facts))
    proxy = stage.start("proxy", [stage.entente, "proxy", "--listen", NATIVE, "--to", f"native://127.0.0.1:{room.port}?dialect=json"])
    page = Page3d(stage, "chromium", listening(proxy))
    page.sees("What is going on is known once you enter.", "going")
    check(not room.came, "a look at the page connects a bridge to its server")
    page.wide(390, 844)
    fits = "[document.documentElement.scrollWidth, ...[...document.querySelectorAll('button, input, select, #stage, aside')].filter((one) => one.checkVisibility()).map((one) => Math.ceil(one.getBoundingClientRect().right))]"
    check(max(page.page(fits)) <= 390, f"at 390 px something is wider: {page.page(fits)}")
    page.screenshot("start_390.png")
    page.enters("wanda", "watch")
    page.sees("BZFlag", "status", 20)
    page.turns_to_3d()
    page.follows(2)
    page.page("scrollTo(0, 0)")
    room.tell({"died": {"player": 3, "unit": 103, "killer": 2}})
    page.sees("anna destroyed bob", "feed", 5)
    check(max(page.page(fits)) <= 390, f"at 390 px something is wider: {page.page(fits)}")
    page.screenshot("field_390.png")
    page.end()
    return "what is going on, controls, 390 px"


class Crowd(threading.Thread):
    """64 tanks that drive in circles and shoot, ten poses a second each, until killed."""

    EVERY = 0.1  # seconds
    TEAMS = ("RED", "GREEN", "BLUE", "PURPLE")

    def __init__(self, size=64):
        super().__init__(daemon=True)
        chance = random.Random(1)
        self.room, self._over = None, threading.Event()
        self._tanks = [[chance.uniform(-150, 150), chance.uniform(-150, 150), chance.uniform(-math.pi, math.pi)] for _ in range(size)]
        self.facts = [fact for i, (x, y, yaw) in enumerate(self._tanks)
                      for fact in player(10 + i, f"player-{i}", self.TEAMS[i % 4], x, y, yaw, health=100, max_health=100)]
        self.solids = [{"x": chance.uniform(-190, 190), "y": chance.uniform(-190, 190), "half_x": 6, "half_y": 6, "height": 10, "yaw": i,
                        "shape": ("BOX", "PYRAMID")[i % 2]} for i in range(60)]

    def run(self):
        shots = 0
        while not self._over.wait(self.EVERY):
            for i, tank in enumerate(self._tanks):
                east, north = math.cos(tank[2]), math.sin(tank[2])
                tank[:] = [tank[0] + 25 * self.EVERY * east, tank[1] + 25 * self.EVERY * north, tank[2] + 0.08]
                self.room.tell({"pose": {"unit": 110 + i, "x": tank[0], "y": tank[1], "yaw": tank[2], "vx": 25 * east, "vy": 25 * north}})
                if (shots := shots + 1) % 20 == 0:
                    self.room.tell({"shot": {"shooter": 10 + i, "unit": 110 + i, "shot": shots, "x": tank[0], "y": tank[1], "z": 1.5,
                                             "vx": 100 * east, "vy": 100 * north, "life": 3.5, "range": 350}})

    def kill(self):
        self._over.set()


def page_speed(stage):
    """64 tanks that drive and shoot, in Chromium with WebGL in software, 1280 by 800: pictures a second behind a tank, of the whole field and from above, and the time per picture"""
    crowd = stage.keep(Crowd())
    world = {"world": {**WORLD["world"], "solids": WORLD["world"]["solids"] + crowd.solids}}
    crowd.room, page = open_page(stage, world, *crowd.facts)
    crowd.start()
    page.turns_to_3d()
    seen = []
    for what, look in (("whole field", "view.showAll()"), ("behind a tank", "visit.followNext(1), view.eyes.look('CHASE')"), ("from above", "view.show(false)")):
        page.asks(f"({look}, 0)")
        page.pictures(60)  # until the resolution has settled
        before = page.cpu()
        took = page.page("new Promise((done) => { const from = performance.now(); let left = 150; const next = () => --left ? requestAnimationFrame(next) : done(performance.now() - from); requestAnimationFrame(next); })")
        cost, speed, told = (page.cpu() - before) / 150, 150_000 / took, page.asks("view.scene.told")
        script = page.asks("(() => { const from = performance.now(); for (let i = 0; i < 20; ++i) visit.paint(performance.now()); return (performance.now() - from) / 20; })()")
        seen.append(f"{what}: {speed:.0f} pictures/s, {1000 * cost:.0f} ms of CPU each, {script:.1f} ms of it the page's thread"
                    + (f", {told['calls']} draw calls, {told['triangles']} triangles, sharpness {told['sharp']:.2f}" if page.asks("view.deep") else ""))
        check(cost < 0.1, f"a picture costs too much: {seen[-1]}")  # the frame rate depends on the load of this machine
    page.screenshot("crowd_2d.png")
    page.asks("(view.show(true), 0)")
    page.pictures()
    check(page.asks("visit.room.shots.size") > 20 and page.asks("view.scene.told.lines") > 20, "no shots are drawn")
    page.screenshot("crowd.png")
    page.end()
    return "; ".join(seen)


def page_spectator(stage):
    """A spectator's mouse and fingers on the view from above in Chromium: dragging moves it, the wheel and two fingers zoom, a click follows a player; with 30 players, the newest line of the chat stays in view; at the end, Leave shows the start page"""
    crowd = [fact for i in range(28) for fact in player(10 + i, f"longer name {i}", "GREEN", -150 + 10 * i, 150)]
    room, page = open_page(stage, WORLD, *player(2, "anna", "RED", 0, 0), *player(3, "bob", "BLUE", 60, -60), *crowd)
    page.asks("(view.show(false), 0)")
    place = lambda: page.page("(({ left, top, width, height }) => [left, top, width, height])(document.getElementById('field').getBoundingClientRect())")
    left, top, wide, high = place()
    corner = lambda: page.asks("view.placeAt(0, 0)")
    middle = lambda: page.asks(f"view.placeAt({wide / 2}, {high / 2})")
    metre = lambda: (middle()["x"] - corner()["x"]) / (wide / 2)  # that a pixel shows
    x, y = left + wide / 2, top + high / 2

    page.pictures()
    whole = metre()
    page.ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=100)
    wait_until(lambda: abs(metre() / whole - 1.2) < 0.01, 5, lambda: f"the wheel zooms by {metre() / whole}, from the whole field")
    for kind, right in (("mousePressed", 0), ("mouseMoved", 40), ("mouseMoved", 100), ("mouseReleased", 100)):
        page.ask("Input.dispatchMouseEvent", type=kind, x=x + right, y=y + right / 2, button="left", buttons=1, clickCount=1)
    wait_until(lambda: abs(middle()["x"] + 100 * metre()) < 1 and abs(middle()["y"] - 50 * metre()) < 1, 5, lambda: f"dragged, it is at {middle()}, {metre()} m a pixel")

    page.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    page.pictures()
    left, top, wide, high = place()  # what is pressed is larger for fingers
    x, y, before = left + wide / 2, top + high / 2, metre()
    for kind, apart in (("touchStart", 50), ("touchMove", 75), ("touchMove", 100), ("touchEnd", None)):
        page.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[] if apart is None else [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}])
    wait_until(lambda: abs(before / metre() - 2) < 0.05, 5, lambda: f"two fingers zoom by {before / metre()}")
    page.ask("Emulation.setTouchEmulationEnabled", enabled=False)
    page.pictures()
    left, top, wide, high = place()
    x, y = left + wide / 2, top + high / 2

    at = middle()
    for kind in ("mousePressed", "mouseReleased"):
        page.ask("Input.dispatchMouseEvent", type=kind, x=x + (60 - at["x"]) / metre(), y=y - (-60 - at["y"]) / metre(), button="left", clickCount=1)
    wait_until(lambda: page.page("document.querySelector('tr.followed')?.innerText.split('\\t')[0]") == "bob", 5, "a click on bob does not follow bob")

    room.tell(*[{"said": {"from": 2, "text": f"line {i}"}} for i in range(30)])
    page.sees("line 29", "log")
    for width in (1280, 600, 1280):
        page.wide(width, 800)
        page.pictures()
        check(page.page("(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - scrollTop - clientHeight)(document.getElementById('log'))") < 5, f"at {width} px, the newest line is not in view")
    check(page.page("document.getElementById('line').getBoundingClientRect().bottom") <= 800, "the table pushes the chat out of the window")
    check(page.page("document.querySelector('[data-player=\"12\"]').getClientRects()[0].height") < 30, "a name of 13 letters takes two lines")
    page.screenshot("spectator.png")

    room.kill()
    wait_until(lambda: page.shown("again"), 20, "the end is not shown")
    check(not page.shown("enter") and page.shown("field"), "the start page is mixed with the field that is over")
    page.clicks("leave")
    wait_until(lambda: page.shown("enter") and not page.shown("room") and not page.shown("peek"), 5, "Leave does not show the start page")
    page.enters("wendy", "watch")
    wait_until(lambda: page.shown("room") and not page.shown("enter"), 5, "one cannot enter again")
    return "dragged, zoomed by wheel and two fingers, followed by a click; the chat in view; the end, and the start page again"


CASES = {"page_speed": page_speed, "page_events": page_events, "page_player": page_player, "page_start": page_start, "page_voxels": page_voxels, "page_cells": page_cells, "page_3d": page_3d, "page_cameras": page_cameras, "page_drives_3d": page_drives_3d, "page_spectator": page_spectator}
