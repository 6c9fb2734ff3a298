# Starts and controls the BZFlag programs of any release: bzfs, bzadmin, and bzflag under Xvfb. Also reads the few parts of the wire that the cases need.
# Invariant: independent of our adapters: a frame here is only length, code and payload.
import os
import struct
import subprocess
from dataclasses import dataclass

from stage import Missing, free_port, program, wait_until

GREETING = 9  # "BZFS0221" and the id come before the first frame, from the server
HEADER = b"BZFLAG\r\n\r\n"


@dataclass
class Release:
    """The differences between the releases: where their programs are, and the form of their options."""
    dialect: str
    folder: str = ""            # in the folder of --real; Debian's if empty
    server: tuple = ("-d", "-d", "-d")
    data: str = ""              # the client's option for its data
    client: tuple = ("-window", "-geometry", "320x240+0+0", "-mute", "-nolist")
    header: bytes = b""         # what a client sends before the first frame

    def program(self, stage, name):
        if not self.folder:
            return program(name)
        path = os.path.join(stage.plays or "", self.folder, name)
        if not os.access(path, os.X_OK):
            raise Missing(f"no executable {self.folder}/{name} in the folder of --real")
        return path

    def client_options(self, stage, home):
        if not self.folder:
            return ["-e", "-configdir", home + "/", "-window", "320x240+0+0", "-mute", "-nomotd", "-nolist"]
        return [self.data, os.path.join(stage.plays, self.folder, "data"), *self.client]


DEBIAN = Release("2.4", server=("-ddd", "-noMasterBanlist"), header=HEADER)
R_1_10 = Release("1.10", "bzflag-1.10", data="-directory")
R_2_0 = Release("2.0", "bzflag-2.0", ("-d", "-d", "-d", "-noMasterBanlist"), "-dir")


def start_bzfs(stage, *options, release=DEBIAN):
    """Starts a private server on loopback that contacts no list server; returns it with its port."""
    port = free_port()
    bzfs = stage.start("bzfs", ["stdbuf", "-oL", release.program(stage, "bzfs"), "-i", "127.0.0.1", "-p", str(port), "-q", "-ms", "5", "-j",
                                "+s", "8", "-worldsize", "200", *release.server, *options])
    bzfs.wait_for(r"listening on 127\.0\.0\.1")
    return bzfs, port


class Bzadmin:
    """A bzadmin with its input connected to the case. It joins as an observer; /quit waits for its own echo before it ends."""

    def __init__(self, stage, callsign, port, release=DEBIAN):
        self.callsign = callsign
        self.run = stage.start(callsign, [release.program(stage, "bzadmin"), "-ui", "stdboth", f"{callsign}@127.0.0.1:{port}"],
                               env={"HOME": stage.folder}, stdin=True)

    def joined(self, seconds=15):
        self.run.wait_for(r"You are in observer mode", seconds)
        return self

    def says(self, text):
        self.run.say(text)

    def hears(self, sender, text, seconds=10):
        self.run.wait_for(rf"{sender}: {text}", seconds)

    def quits(self, seconds=15):
        self.run.say("/quit")
        return self.run.wait(seconds)


class Tank:
    """A real bzflag in its own Xvfb, with its own home (world cache and settings live there)."""

    def __init__(self, stage, callsign, team, port, release=DEBIAN, options=()):
        self.stage, self.callsign = stage, callsign
        home = stage.path(callsign + ".home")
        os.makedirs(home, exist_ok=True)
        self.display, self.screen = start_xvfb(stage, callsign)
        self.env = {"DISPLAY": self.display, "HOME": home, "LIBGL_ALWAYS_SOFTWARE": "1", "SDL_AUDIODRIVER": "dummy"}
        self.run = stage.start(callsign, ["stdbuf", "-oL", release.program(stage, "bzflag"), *release.client_options(stage, home), "-team", team, *options,
                                          f"{callsign}@127.0.0.1:{port}"], env=self.env)

    def spawn_on_autopilot(self):
        """`i` spawns, `9` turns on the autopilot; the window needs the focus to receive keys."""
        window = wait_until(lambda: self._xdotool("search", "--onlyvisible", "--name", "[Bb][Zz][Ff]lag").split(), 30,
                            f"{self.callsign} opened no window")[-1]
        self._xdotool("windowfocus", window)
        self.spawn()
        self.toggle_autopilot()

    def spawn(self):
        """Spawns; without effect on a living tank."""
        self._xdotool("key", "i")

    def toggle_autopilot(self):
        """Without effect before the client is in the game."""
        self._xdotool("key", "9")

    def screenshot(self, name):
        shot = self.stage.path(name)
        subprocess.run([program("import"), "-window", "root", shot], env={**os.environ, **self.env}, timeout=30, check=False)
        return shot

    def _xdotool(self, *words):
        done = subprocess.run([program("xdotool"), *words], env={**os.environ, **self.env}, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=30, check=False)
        return done.stdout


def start_xvfb(stage, name, screen="640x480x24"):
    """Starts an X server on a display that it picks itself; returns (":N", the program)."""
    number = stage.path(name + ".display")
    # -displayfd writes the display's number once the server is ready; without -noreset, the server restarts while a client opens it a second time.
    xvfb = stage.start(name + ".xvfb", ["sh", "-c", f'exec "{program("Xvfb")}" -displayfd 9 -screen 0 {screen} -nolisten tcp -noreset 9>"{number}"'])
    wait_until(lambda: os.path.exists(number) and open(number, encoding="ascii").read().endswith("\n"), 20,
               f"Xvfb for {name} did not start: {xvfb.tail()}")
    with open(number, encoding="ascii") as file:
        return ":" + file.read().strip(), xvfb


def frames(data):
    """(code, payload) of each whole frame in a run of frames."""
    at = 0
    while at + 4 <= len(data):
        length, code = struct.unpack_from(">H2s", data, at)
        if at + 4 + length > len(data):
            return
        yield code.decode("latin-1"), data[at + 4:at + 4 + length]
        at += 4 + length


def positions(messages):
    """The places of a tank in metres, from the float form and from the small form of its update."""
    for code, body in messages:
        if code == "pu" and len(body) >= 43:
            yield struct.unpack_from(">3f", body, 11)
        elif code == "ps" and len(body) >= 27:
            yield tuple(0.02 * n for n in struct.unpack_from(">3h", body, 11))
