# Starts and controls the released Tank Commander Panic programs: the server, its Python client under Xvfb, and scripted players.
# Invariant: independent of our adapters: it knows only the released pair's wire format (little endian, C struct padding).
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
    """The folder of the real programs; README.md lists its files."""
    folder = os.path.join(stage.plays or "", "panic")
    if not os.access(os.path.join(folder, "Server"), os.X_OK):
        raise Missing(f"no executable {folder}/Server")
    return folder


def start_server(stage):
    folder = folder_of(stage)
    with socket.socket() as taken:
        check(taken.connect_ex(("127.0.0.1", PORT)) != 0, f"port {PORT}, the only one the Panic server knows, is taken")
    server = stage.start("panic-server", ["stdbuf", "-oL", "./Server", "resources/graphics/maps/1_1_Test.map"], cwd=folder)
    # A connection that only tests the port would be the first player, so look at the listening sockets instead.
    wait_until(lambda: listens(PORT), 10, "the Panic server does not listen")
    return server


def listens(port):
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


class Map:
    """The Test map: on which tiles a tank can drive, which tiles shots can cross, and paths between tiles."""

    def __init__(self, folder):
        with open(os.path.join(folder, "resources/graphics/maps/1_1_Test.map"), encoding="ascii") as file:
            words = file.read().split()
        self.rows = [word for word in words if len(word) == 30 and word.isdigit()]

    def drives(self, x, y):
        return 0 <= y < len(self.rows) and 0 <= x < 30 and int(self.rows[y][x]) & 2 == 2

    def way(self, start, goal, taken):
        """The directions of a shortest path that meets no tank."""
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


class Padded:
    """The released pair's format: C structs of a little-endian machine, except that the ids of Game State are big endian."""
    STATE, COUNT_AT, IDS_AT, PIECE, PIECE_AT, PIECE_SIZE, EVENT, EVENT_AT, EVENT_SIZE, ACTION = (
        ("<H", 4), 6, 8, "<iIBB", 4, 16, "<iI", 4, 12, "<HBBI")


class Packed:
    """The sizes of the document, big endian; no released server uses it."""
    STATE, COUNT_AT, IDS_AT, PIECE, PIECE_AT, PIECE_SIZE, EVENT, EVENT_AT, EVENT_SIZE, ACTION = (
        (">H", 3), 5, 6, ">iIBB", 1, 11, ">iI", 2, 10, ">HBBI")


def messages(data, wire=Padded):
    """(type, fields) of each whole server message: state (player, tanks), piece (value, id, x, y), event (direction, value, id)."""
    return ((kind, fields) for kind, fields, _ in messages_from(data, 0, wire))


def messages_from(data, at, wire=Padded):
    """The same from that offset on, each with the offset of its end."""
    while at < len(data):
        kind, fields = data[at], None
        if kind == 1:
            count = data[at + wire.COUNT_AT] if at + wire.COUNT_AT < len(data) else 255
            size = wire.IDS_AT + 4 * count
            if at + size <= len(data):
                fields = (struct.unpack_from(wire.STATE[0], data, at + wire.STATE[1])[0],
                          struct.unpack_from(f">{count}I", data, at + wire.IDS_AT))
        elif 2 <= kind < 32:
            size = wire.PIECE_SIZE
            if at + size <= len(data):
                fields = struct.unpack_from(wire.PIECE, data, at + wire.PIECE_AT)
        elif 32 <= kind <= 37:
            size = wire.EVENT_SIZE
            if at + size <= len(data):
                fields = (data[at + 1], *struct.unpack_from(wire.EVENT, data, at + wire.EVENT_AT))
        else:
            check(False, f"a message of type {kind} at offset {at}")
        if fields is None:
            return
        at += size
        yield kind, fields, at


class Game:
    """What one client knows, from the bytes that were sent to it."""

    def __init__(self, bytes_now, wire=Padded):
        self._bytes_now, self._wire = bytes_now, wire

    def told(self):
        return messages(self._bytes_now(), self._wire)

    def of(self, kind):
        return [fields for told, fields in self.told() if told == kind]

    def pieces(self):
        """id -> (x, y) at the start."""
        return {f[1]: (f[2], f[3]) for kind, f in self.told() if 16 <= kind < 32}

    def started(self):
        return bool(self.of(START))

    def over(self):
        """1: won, 0: lost, None: not over."""
        told = self.of(OVER)
        return told[0][1] if told else None


class ScriptedPlayer:
    """A player that sends whole Actions, one at a time, and waits for the Move that answers each."""

    def __init__(self, port, wire=Padded):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard, self.wire = bytearray(), wire
        self.game = Game(lambda: bytes(self.heard), wire)
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
        self.socket.sendall(struct.pack(self.wire.ACTION, player, action, direction, tank))
        wait_until(lambda: len(self.game.of(MOVE)) > answered, 10, "the Panic server did not answer an Action")

    def kill(self):
        """Closes at once, even if a thread is reading."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the server closed first
        self.socket.close()


class RealClient:
    """The released Python client in its own Xvfb, controlled by key presses."""

    DRIVE_KEYS = {1: "Up", 2: "Right", 3: "Down", 4: "Left"}
    SHOOT_KEYS = {1: "w", 2: "d", 3: "s", 4: "a"}

    def __init__(self, stage, name, port):
        folder = folder_of(stage)
        if not os.path.exists(os.path.join(folder, "client/game.py")):
            raise Missing(f"no {folder}/client/game.py")
        if subprocess.run(["/usr/bin/python3", "-c", "import sfml, numpy"], capture_output=True).returncode != 0:
            raise Missing("python3-sfml and python3-numpy are not installed; Debian 13 has no python3-sfml")
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
        """Presses a key until a Move answers. A press right after the window got the focus may be lost."""
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
