# The released Tank Commander Panic programs, driven: the server, its Python client under Xvfb, and scripted players.
# Law: independent of our adapters: only what the released pair puts on the wire (little endian, C struct padding).
import collections
import os
import socket
import struct
import subprocess
import threading
import time

from bzflag import start_xvfb
from stage import Missing, check, program, wait_until

PORT = 4410  # compiled into the server
DRIVE, SHOOT = 1, 2
STEPS = {1: (0, -1), 2: (1, 0), 3: (0, 1), 4: (-1, 0)}  # north, east, south, west
AMMO, HEALTH, DESTROY, MOVE, START, OVER = range(32, 38)


def folder_of(stage):
    """Where the real programs lie; README.md says how."""
    folder = os.path.join(stage.plays or "", "panic")
    if not os.access(os.path.join(folder, "Server"), os.X_OK):
        raise Missing(f"no executable {folder}/Server")
    return folder


def start_server(stage):
    folder = folder_of(stage)
    with socket.socket() as taken:
        check(taken.connect_ex(("127.0.0.1", PORT)) != 0, f"port {PORT}, the only one the Panic server knows, is taken")
    server = stage.start("panic-server", ["stdbuf", "-oL", "./Server", "resources/graphics/maps/1_1_Test.map"], cwd=folder)
    # A connection that only looks would be the first player; so look at what listens instead.
    wait_until(lambda: listens(PORT), 10, "the Panic server does not listen")
    return server


def listens(port):
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


class Map:
    """The Test map: which tiles drive and which let shots pass, and the way from one tile to another."""

    def __init__(self, folder):
        with open(os.path.join(folder, "resources/graphics/maps/1_1_Test.map"), encoding="ascii") as file:
            words = file.read().split()
        self.rows = [word for word in words if len(word) == 30 and word.isdigit()]

    def drives(self, x, y):
        return 0 <= y < len(self.rows) and 0 <= x < 30 and int(self.rows[y][x]) & 2 == 2

    def way(self, start, goal, taken):
        """Directions of a shortest way that meets no tank."""
        came, queue = {start: []}, collections.deque([start])
        while queue:
            here = queue.popleft()
            if here == goal:
                return came[here]
            for direction, (dx, dy) in STEPS.items():
                there = (here[0] + dx, here[1] + dy)
                if there not in came and self.drives(*there) and there not in taken:
                    came[there] = came[here] + [direction]
                    queue.append(there)
        raise AssertionError(f"no way from {start} to {goal}")


def messages(data):
    """(type, fields) of each whole server message: state (player, tanks), piece (value, id, x, y), event (direction, value, id)."""
    at = 0
    while at < len(data):
        kind = data[at]
        if kind == 1 and at + 8 <= len(data):
            count = data[at + 6]
            size, fields = 8 + 4 * count, None
            if at + size <= len(data):
                fields = (struct.unpack_from("<H", data, at + 4)[0], struct.unpack_from(f">{count}I", data, at + 8))
        elif 2 <= kind < 32:
            size = 16
            fields = struct.unpack_from("<iIBB", data, at + 4) if at + 16 <= len(data) else None
        elif 32 <= kind <= 37:
            size = 12
            fields = (data[at + 1], *struct.unpack_from("<iI", data, at + 4)) if at + 12 <= len(data) else None
        else:
            check(kind == 1, f"a message of type {kind} at offset {at}")
            return
        if fields is None:
            return
        yield kind, fields
        at += size


class Game:
    """What one client has been told, from the bytes that went to it."""

    def __init__(self, bytes_now):
        self._bytes_now = bytes_now

    def of(self, kind):
        return [fields for told, fields in messages(self._bytes_now()) if told == kind]

    def pieces(self):
        """id -> (x, y) at the start."""
        return {f[1]: (f[2], f[3]) for kind, f in messages(self._bytes_now()) if 16 <= kind < 32}

    def started(self):
        return bool(self.of(START))

    def over(self):
        """1 won, 0 lost, None not over."""
        told = self.of(OVER)
        return told[0][1] if told else None


class ScriptedPlayer:
    """A player that sends whole Actions, one at a time, and waits for the Move that answers each."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard = bytearray()
        self.game = Game(lambda: bytes(self.heard))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while data := self.socket.recv(4096):
                self.heard += data
        except OSError:
            pass

    def act(self, action, direction, tank):
        player = self.game.of(1)[0][0]
        answered = len(self.game.of(MOVE))
        self.socket.sendall(struct.pack("<HBBI", player, action, direction, tank))
        wait_until(lambda: len(self.game.of(MOVE)) > answered, 10, "the Panic server did not answer an Action")

    def kill(self):
        self.socket.close()


class RealClient:
    """The released Python client in its own Xvfb, played by key presses."""

    DRIVE_KEYS = {1: "Up", 2: "Right", 3: "Down", 4: "Left"}
    SHOOT_KEYS = {1: "w", 2: "d", 3: "s", 4: "a"}

    def __init__(self, stage, name, port):
        folder = folder_of(stage)
        if not os.path.exists(os.path.join(folder, "client/game.py")):
            raise Missing(f"no {folder}/client/game.py")
        self.stage, self.name = stage, name
        display, _ = start_xvfb(stage, name, "1024x768x24")
        self.env = {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": stage.folder, "PYTHONDONTWRITEBYTECODE": "1"}
        starter = os.path.join(os.path.dirname(os.path.abspath(__file__)), "panic_client.py")
        self.run = stage.start(name, ["/usr/bin/python3", "-u", starter, folder, "127.0.0.1", str(port)], env=self.env)
        self.run.wait_for("Listening on", 30)

    def focus(self):
        window = wait_until(lambda: self._xdotool("search", "--classname", "python3").split(), 30, f"{self.name} opened no window")[-1]
        self._xdotool("windowfocus", window)

    def act(self, game, action, direction):
        """One key press, and the Move that answers it. A press right after the window got the focus may be lost."""
        answered, presses = len(game.of(MOVE)), 0
        while len(game.of(MOVE)) == answered:
            check(presses < 4, f"{self.name}: a key was pressed {presses} times and nothing moved")
            self._xdotool("key", (self.DRIVE_KEYS if action == DRIVE else self.SHOOT_KEYS)[direction])
            presses += 1
            end = time.monotonic() + 3
            while time.monotonic() < end and len(game.of(MOVE)) == answered:
                time.sleep(0.01)

    def screenshot(self):
        time.sleep(0.3)  # a frame or two, drawn in software
        shot = self.stage.path(self.name + ".png")
        subprocess.run([program("import"), "-window", "root", shot], env={**os.environ, **self.env}, timeout=30, check=False)
        return shot

    def _xdotool(self, *words):
        done = subprocess.run([program("xdotool"), *words], env={**os.environ, **self.env}, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=30, check=False)
        return done.stdout
