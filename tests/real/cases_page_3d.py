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


CASES = {"page_3d": page_3d}
