# Starts and controls the programs of Ace of Spades 0.75: SpadesX, piqueserver, and the client BetterSpades under Xvfb.
# Invariant: their settings and all that they write are in the case's folder; the folder of --real does not change.
import json
import os
import subprocess

from bzflag import start_xvfb
from stage import Missing, check, free_port, program, wait_until

PASSWORD = "sesame"
# The servers' commands, as a player types them; `offset` is added to a block's x and y to reach its middle.
SPADESX = {"login": f"/login manager {PASSWORD}", "logged_in": "You logged in as", "go": "/tpc {x} {y} {z}", "offset": 1,
           "kill": "/kill", "bring": "/tp #{id} #{to}", "kick": "/kick #{id}", "ban": "/ban #{id} 60 unloved", "next_map": "/reset"}
PIQUESERVER = {"login": f"/login {PASSWORD}", "logged_in": "logged in as", "go": "/moves {x} {y} {z}", "offset": 0,
               "kill": "/kill", "bring": "/tp #{id} #{to}", "kick": "/kick #{id} unloved", "ban": "/banip 127.0.0.1 60 unloved", "next_map": "/advance"}


def part(stage, *names):
    """The path of a file or folder in the folder of --real."""
    path = os.path.join(stage.plays or "", *names)
    if not os.path.exists(path):
        raise Missing(f"{'/'.join(names)} is not in the folder of --real")
    return path


def own_folder(stage, name):
    folder = stage.path(name)
    os.makedirs(folder, exist_ok=True)
    return folder


def start_spadesx(stage, name="spadesx"):
    """SpadesX on the map it comes with; returns it with its port. It reads its console from a pipe."""
    binary, folder, port = part(stage, "spadesx", "SpadesX"), own_folder(stage, name), free_port()
    for file in ("Border_Hallway.vxl", "Border_Hallway.toml"):
        os.symlink(part(stage, "spadesx", file), os.path.join(folder, file))
    with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as config:
        config.write(f'[server]\nname = "test"\nport = {port}\ngamemode = 0\ncapture_limit = 200\nmaster = false\n'
                     'maps = ["Border_Hallway"]\nwelcome_messages = ["Welcome"]\nperiodic_messages = ["Still there"]\n'
                     '[teams]\nteam1 = { name = "Blue", color = [0, 0, 255] }\nteam2 = { name = "Red", color = [255, 0, 0] }\n'
                     f'[passwords]\nmanager = "{PASSWORD}"\nadmin = ""\nmoderator = ""\nguard = ""\ntrusted = ""\n')
    server = stage.start(name + ".server", ["stdbuf", "-oL", binary], cwd=folder, stdin=True)
    wait_until(lambda: hears_udp(port), 30, f"SpadesX does not listen: {server.tail()}")
    return server, port


def start_piqueserver(stage, name="piqueserver", **settings):
    """piqueserver on a map that it generates, without any internet access; returns it with its port."""
    binary, folder, port = part(stage, "piqueserver", "bin", "piqueserver"), own_folder(stage, name), free_port()
    config = {"name": "test", "port": port, "network_interface": "127.0.0.1", "master": False, "ip_getter": "",
              "release_notifications": False, "rotation": ["classicgen"], "game_mode": "ctf", "respawn_time": "2sec", "cap_limit": 200,
              "max_connections_per_ip": 0, "motd": ["Welcome"], "tips": ["Still there"], "tips_frequency": "1min",
              "passwords": {"admin": [PASSWORD]}, "enable_command_ratelimit": False, "team1": {"name": "Blue", "color": [0, 0, 255]},
              "team2": {"name": "Green", "color": [0, 255, 0]}, **settings}
    with open(os.path.join(folder, "test.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    stage.start(name + ".config", [binary, "-d", folder, "--copy-config"]).wait(30)  # its maps
    server = stage.start(name + ".server", [binary, "-d", folder, "-c", file.name], cwd=folder, env={"PYTHONUNBUFFERED": "1"})
    wait_until(lambda: hears_udp(port), 60, f"piqueserver does not listen: {server.tail()}")
    return server, port


def hears_udp(port):
    with open("/proc/net/udp", encoding="ascii") as table:
        return any(row.split()[1].endswith(f":{port:04X}") for row in list(table)[1:])


class BetterSpades:
    """The real client in its own Xvfb, played by keys and mouse. It writes its log, cache and settings into the case's folder."""

    KEYS = {"forward": "w", "back": "s", "left": "a", "right": "d", "jump": "space", "crouch": "Control_L", "reload": "r"}

    def __init__(self, stage, port, name="bettertest"):
        self.stage, self.name = stage, name
        client, folder = part(stage, "betterspades", "client"), own_folder(stage, name)
        for data in ("fonts", "kv6", "png", "wav"):
            os.symlink(part(stage, "betterspades", data), os.path.join(folder, data))
        with open(part(stage, "betterspades", "config.ini"), encoding="utf-8") as given:
            lines = given.read()
        for key, value in (("name", name), ("xres", 320), ("yres", 240), ("vsync", 30), ("vol", 0), ("show_news", 0)):
            lines = "\n".join(f"{key} = {value}" if line.split("=")[0].strip() == key else line for line in lines.splitlines())
        with open(os.path.join(folder, "config.ini"), "w", encoding="utf-8") as config:
            config.write(lines + "\n")
        display, _ = start_xvfb(stage, name, "320x240x24")
        self.env = {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": folder, "ALSOFT_DRIVERS": "null"}
        self.run = stage.start(name + ".client", ["stdbuf", "-oL", client, f"-aos://16777343:{port}"], cwd=folder, env=self.env)
        self.window = wait_until(lambda: self.xdotool("search", "--name", "BetterSpades").split(), 60,
                                 f"BetterSpades opened no window: {self.run.tail()}")[-1]
        self.xdotool("windowfocus", self.window)

    def keys(self, *keys):
        self.xdotool("key", "--delay", "120", *keys)

    def holds(self, key, down=True):
        self.xdotool("keydown" if down else "keyup", self.KEYS[key])

    def turns(self, right, down, steps=10):
        """Turns by mouse; `right` and `down` are pixels per step."""
        for _ in range(steps):
            self.xdotool("mousemove_relative", "--", str(right), str(down))

    def clicks(self, button=1, times=1):
        for _ in range(times):
            self.xdotool("mousedown", str(button), "sleep", "0.2", "mouseup", str(button), "sleep", "0.5")

    def says(self, words):
        self.keys("t")
        self.xdotool("type", "--delay", "80", words)
        self.keys("Return")

    def screenshot(self, name):
        shot = self.stage.path(name)
        subprocess.run([program("import"), "-window", "root", shot], env={**os.environ, **self.env}, timeout=30, check=False)
        check(os.path.getsize(shot) > 1000, f"the screenshot {shot} is empty")
        return shot

    def xdotool(self, *words):
        done = subprocess.run([program("xdotool"), *words], env={**os.environ, **self.env}, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=60, check=False)
        return done.stdout
