# Debian's Chromium without a screen, controlled by the DevTools protocol, and a web server for its pages.
# Invariant: only loopback is used; the page is the released one, and its state is read by scripts in the page.
import base64
import functools
import http.server
import json
import os
import struct
import threading
import zlib

from stage import check, program, wait_until
from websocket import TEXT, WebSocket


PLAIN = ("--disable-gpu",)
NO_WEBGL = ("--disable-gpu", "--disable-3d-apis")
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")  # drawn in software


class Pages:
    """Serves a folder on loopback."""

    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def kill(self):
        self._server.shutdown()
        self._server.server_close()


class Browser:
    """A Chromium process with one page."""

    def __init__(self, stage, name, url, *flags):
        self.stage, self.name, self._asked = stage, name, 0
        self.complaints = []  # exceptions and what Chromium logs, of a page that enables Runtime and Log
        profile = stage.path(name + ".profile")
        self.run = stage.start(name, [program("chromium"), "--headless=new", "--no-sandbox", *(flags or PLAIN), "--mute-audio",
                                      "--no-first-run", "--disable-background-networking", "--disable-component-update",
                                      "--remote-debugging-port=0", "--window-size=800,600", "--user-data-dir=" + profile, url],
                               env={"HOME": stage.folder})
        where = os.path.join(profile, "DevToolsActivePort")
        wait_until(lambda: os.path.exists(where) and open(where, encoding="ascii").read().count("\n") == 1, 60,
                   f"Chromium opened no DevTools port: {self.run.tail()}")
        with open(where, encoding="ascii") as file:
            port = int(file.readline())
        self._browser = stage.keep(WebSocket(port, open(where, encoding="ascii").read().splitlines()[1]))
        page = wait_until(lambda: next((target["targetId"] for target in self.ask("Target.getTargets")["targetInfos"]
                                        if target["url"] == url), None), 30, f"Chromium did not open {url}")
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.ask("Page.enable")

    _session = None

    def ask(self, method, whole=False, **parameters):
        """Sends a command of the DevTools protocol and returns its result. `whole`: to the browser, not to its page."""
        self._asked += 1
        command = {"id": self._asked, "method": method, "params": parameters}
        if self._session and not whole:
            command["sessionId"] = self._session
        self._browser.send(json.dumps(command).encode(), TEXT)
        for _, payload in self._browser.messages(30):
            answer = json.loads(payload)
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(json.dumps(answer["params"]))
            if answer.get("id") == self._asked:
                check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
        raise TimeoutError(f"Chromium did not answer {method}")

    def page(self, script):
        """Evaluates the script in the page and returns its value."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        check("exceptionDetails" not in result, f"{script}: {result.get('exceptionDetails')}")
        return result["result"].get("value")

    def cpu(self):
        """Seconds of CPU time that all processes of this Chromium have used."""
        return sum(process["cpuTime"] for process in self.ask("SystemInfo.getProcessInfo", whole=True)["processInfo"])

    def moves(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def presses(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code, text=text if kind == "keyDown" else "")

    def colours(self, left, top, around=1):
        """The colours of the pixels around a place of the page, as (red, green, blue)."""
        size = 2 * around + 1
        shot = self.ask("Page.captureScreenshot", clip={"x": round(left) - around, "y": round(top) - around, "width": size, "height": size, "scale": 1})
        return pixels(base64.b64decode(shot["data"]))

    def screenshot(self, name):
        shot = self.stage.path(name)
        with open(shot, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))
        check(os.path.getsize(shot) > 3000, f"the screenshot {shot} is empty")
        return shot


def pixels(png):
    """The pixels of a PNG of 8 bits a channel, without interlacing: a list of (red, green, blue)."""
    at, packed, wide, channels = 8, b"", 0, 3
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            wide, _, depth, form = struct.unpack(">IIBB", png[at + 8:at + 18])
            check(depth == 8 and form in (2, 6), f"a PNG of depth {depth} and form {form}")
            channels = 4 if form == 6 else 3
        elif kind == b"IDAT":
            packed += png[at + 8:at + 8 + size]
        at += 12 + size
    raw, row_size, rows = zlib.decompress(packed), wide * channels, []
    before = bytes(row_size)
    for start in range(0, len(raw), row_size + 1):
        how, row = raw[start], bytearray(raw[start + 1:start + 1 + row_size])
        for i in range(row_size):
            left, up = row[i - channels] if i >= channels else 0, before[i]
            corner = before[i - channels] if i >= channels else 0
            row[i] = (row[i] + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[how]) & 255
        rows.append(bytes(row))
        before = row
    return [tuple(row[i:i + 3]) for row in rows for i in range(0, row_size, channels)]


def _paeth(left, up, corner):
    far = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    return left if far[0] <= far[1] and far[0] <= far[2] else up if far[1] <= far[2] else corner
