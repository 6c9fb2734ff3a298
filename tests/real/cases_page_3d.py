# The 3D view of the page, in Debian's Chromium with WebGL in software, on a server whose world and players the case knows.
# Law: where something must be seen is reckoned here, from the words and the camera's place; what is seen is read from pixels.
import json
import math

from browser import NO_WEBGL, WEBGL
from cases_page import NATIVE, Page, listening
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
        """What the page's own objects say: `view` and `visit`."""
        return self.page(f"import('./main.js').then(({{ view, visit }}) => {script})")

    def turns_to_3d(self):
        if self.text("deep") == "3D":
            self.clicks("deep")
        wait_until(lambda: self.asks("view.deep"), 20, "the 3D view does not come")
        check(self.shown("space"), "the canvas of the 3D view is not shown")

    def puts_eyes(self, x, y, z, yaw, pitch):
        self.asks(f"(view.eyes.look('FREE'), Object.assign(view.eyes, {{ x: {x}, y: {y}, z: {z}, yaw: {yaw}, pitch: {pitch} }}), 0)")
        self.pictures()

    def pictures(self, number=3):
        """Waits until so many more pictures are drawn."""
        self.page(f"new Promise((done) => {{ let left = {number}; const next = () => --left ? requestAnimationFrame(next) : done(1); requestAnimationFrame(next); }})")

    def point(self, x, y, z):
        """Where on the page a place of the world is, by our own reckoning from the camera's place."""
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

    def draws(self, name):
        """Whether the unit of a player has a figure that is shown."""
        return self.asks(f"view.scene.isDrawn(visit.room.unitOf([...visit.room.players.values()].find((one) => one.name === {json.dumps(name)}).id).id)")

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
    """A server that has said `facts`, and a page on it."""
    room = stage.keep(Room({"room": {"game": "bzflag", "dialect": "2.4", "name": "field", "most_shots": 5}}, {"player": {"id": 1, "name": "wanda", "role": "WATCH"}}, *facts))
    proxy = stage.start(name + "_proxy", [stage.entente, "proxy", "--listen", NATIVE, "--to", f"native://127.0.0.1:{room.port}?dialect=json"])
    shown = page(stage, name, listening(proxy))
    shown.enters("wanda", how)
    shown.sees("bzflag", "status", 20)
    return room, shown


def page_3d(stage):
    """A known field in Chromium with WebGL in software: tanks in their colours, box, pyramid, base, floor and sky are where they must be; a tank that moves and dies; without WebGL the field is seen from above"""
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
    page.sees_at(is_sky, (0, 500, 120))
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
    plain.sees("bzflag", "status", 20)
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
    """Cameras in Chromium: behind a player, inside, free, moved by keys and by dragging; another player by the table and by a key; names are over the tanks"""
    room, page = open_page(stage, WORLD, *player(2, "anna", "RED", 0, 0, 1.0), *player(3, "bob", "BLUE", 30, -20, -2.0))
    page.turns_to_3d()
    page.page("""document.querySelector('[data-player="2"]').click()""")
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

    page.page("document.getElementById('field').focus()")
    page.presses("]", "BracketRight")
    wait_until(lambda: behind(30, -20, -2.0), 10, lambda: f"the camera is not behind bob: {page.asks(eyes)}")
    page.sees_at(is_blue, (30, -20, 1.2))
    check(page.page("document.querySelector('tr.followed').innerText").startswith("bob"), "the table does not mark who is followed")

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
    """A player in the 3D view in Chromium: W drives along the tank's direction, A turns it, Space shoots ahead; a finger's stick drives, and a swipe that the browser takes stops it"""
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


CASES = {"page_3d": page_3d, "page_cameras": page_cameras, "page_drives_3d": page_drives_3d}
