# The page of a native listener in Debian's Chromium, used by keys, as a person would, together with stock programs.
# Invariant: what the player did is read from the server's side of the connection; the page's state, from what it shows.
import json
import re
import time

from aos import start_spadesx
from browser import Browser
from bzflag import HEADER, Bzadmin, frames, positions, start_bzfs
from cases.aos_bots import talk_of, way_of
from cases.replay import first_link, record_bots
from shim import Shim
from stage import check, wait_until

NATIVE = "native+ws://127.0.0.1:0?dialect=json"
SHOT = "sb"


class Page(Browser):
    """The page at the address that a listener announced."""

    def __init__(self, stage, name, port, *flags, fragment=""):
        super().__init__(stage, name, f"http://127.0.0.1:{port}/{fragment}", *flags)
        self.wide(1280, 800)
        self.ask("Runtime.enable")
        self.ask("Log.enable")  # violations of its policy, missing files
        wait_until(lambda: self.page("document.readyState == 'complete' && !!document.getElementById('enter')"), 20, "the page did not load")

    def wide(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def text(self, element):
        return self.page(f"document.getElementById({json.dumps(element)}).innerText") or ""

    def shown(self, element):
        return self.page(f"document.getElementById({json.dumps(element)})?.checkVisibility()")

    def types(self, element, text):
        self.page(f"document.getElementById({json.dumps(element)}).focus()")
        self.ask("Input.insertText", text=text)

    def enters(self, name, how="play"):
        self.types("name", name)
        self.clicks(how)

    def clicks(self, element):
        self.page(f"document.getElementById({json.dumps(element)}).click()")

    def says(self, text):
        """Chats from the field, only by keys: Enter, the line, Enter, Escape."""
        self.page("document.getElementById('field').focus()")
        self.presses("Enter", "Enter", "\r")
        self.ask("Input.insertText", text=text)
        self.presses("Enter", "Enter", "\r")
        self.presses("Escape", "Escape")

    def key(self, kind, code, key):
        self.ask("Input.dispatchKeyEvent", type=kind, code=code, key=key)

    def end(self):
        """Checks that the page had no error that it did not show."""
        self.page("0")
        faults = [fault for fault in self.complaints if "WebSocket" not in fault]  # the page shows that a server has ended
        check(not faults, f"the page complained: {faults[:3]}")

    def rows(self):
        return self.text("scores").splitlines()

    def sees(self, text, element="log", seconds=15):
        wait_until(lambda: text in self.text(element), seconds, f"the page does not show {text!r} in its {element}: {self.text(element)!r}")


def said(shim):
    """The messages of the player to the server, over either transport."""
    told = [frame for talk in shim.talks for frame in frames(bytes(talk.to_server)[len(HEADER):])]
    told += [frame for flow in shim.flows for datagram in list(flow.to_server) for frame in frames(datagram)]
    return told


def listening(program, what="native+ws json"):
    return int(program.wait_for(rf"^listening {re.escape(what)} 127\.0\.0\.1:(\d+)$", 20).group(1))


def page_on_bzfs(stage):
    """Stock bzfs and bzadmin; a player in headless Chromium: enters with a name, drives, shoots, chats both ways, dies, respawns; at last bzfs ends"""
    with open(stage.path("field.bzw"), "w", encoding="ascii") as world:  # few obstacles, so that hunters find each other
        world.write("world\nsize 100\nend\nbox\nposition 60 60 0\nsize 15 10 9\nrotation 30\nend\npyramid\nposition -60 50 0\nsize 8 8 10\nend\n"
                    "base\nposition -70 -70 0\nsize 15 15 0\ncolor 1\nend\n")
    bzfs, port = start_bzfs(stage, "-world", world.name)
    admin = Bzadmin(stage, "anna", port).joined()
    behind = stage.keep(Shim(port))
    bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", NATIVE, "--to", f"bzflag://127.0.0.1:{behind.port}?dialect=2.4"])
    page = Page(stage, "chromium", listening(bridge))
    page.enters("paul")
    admin.run.wait_for(r"'?paul'? joined", 20)
    page.sees("Playing BZFlag", "status")
    for name in ("paul", "anna"):
        page.sees(name, "scores")

    page.says("hello <b>anna</b>")
    admin.hears("paul", "hello <b>anna</b>")
    admin.says("hello <img src=x onerror=alert(1)> paul")
    page.sees("anna: hello <img src=x onerror=alert(1)> paul")
    check(page.page("document.images.length") == 0, "what was said became an image")

    def places():
        return list(positions(said(behind)))
    wait_until(places, 20, "the tank of the page told no place")
    began = places()[-1]
    key = "ArrowUp" if began[1] < 0 else "ArrowDown"  # towards free space
    page.key("keyDown", key, key)
    page.key("keyDown", "Space", " ")
    wait_until(lambda: abs(places()[-1][1] - began[1]) > 15, 20, f"by {key} it did not drive from {began}")
    wait_until(lambda: any(code == SHOT for code, _ in said(behind)), 20, "it does not shoot")
    page.key("keyUp", "Space", " ")
    page.key("keyUp", key, key)
    driven, shots = len(places()), sum(code == SHOT for code, _ in said(behind))

    bots = stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{port}?dialect=2.4", "--count", "3", "--behaviour", "hunt", "--seconds", "300"])
    wait_until(lambda: len(page.rows()) >= 5, 30, f"the page does not show the bots: {page.rows()}")
    time.sleep(3)
    page.screenshot("page.png")
    page.wide(480, 800)
    page.screenshot("page_narrow.png")
    page.wide(1280, 800)
    wait_until(lambda: page.shown("notice") and "You died" in page.text("notice"), 120, "nobody shot the player of the page")
    page.screenshot("page_died.png")
    page.presses("Enter", "Enter", "\r")  # the button has the focus
    wait_until(lambda: not page.shown("notice"), 20, "the player does not come back")
    bots.stop()

    admin.quits()
    bzfs.stop()
    wait_until(lambda: page.shown("again") and page.text("again") == "Join again", 20, "the page does not say that it ended")
    why = page.text("status")
    page.screenshot("page_ended.png")
    check("ended" in why or "disconnected" in why or "lost" in why, f"the page says {why!r}")
    page.end()
    return f"{driven} places told, {shots} shots; at the end the page says: {why}"


def page_on_recording(stage):
    """Two bots on stock bzfs, recorded; headless Chromium watches the replay: the page lists both, shows motion, and says when the recording is over"""
    recording = record_bots(stage, 12)
    replay = stage.start("replay", [stage.entente, "replay", recording, "--link", first_link(stage, recording), "--speed", "2", "--shared", "--listen", NATIVE])
    page = Page(stage, "chromium", listening(replay))
    picture = "document.getElementById('field').toDataURL().length + document.getElementById('field').toDataURL().slice(-4000)"
    page.enters("wanda", "watch")
    page.sees("Watching", "status")
    wait_until(lambda: sum("bot-" in row for row in page.rows()) >= 2, 20, f"the table has only {page.rows()}")
    first = page.page(picture)
    wait_until(lambda: page.page(picture) != first, 10, "nothing moves on the field")
    page.screenshot("replay.png")
    page.sees("the recording is over", "status", 60)
    check(page.text("again") == "Join again", "there is no way to join again")
    page.end()
    return "seen: " + ", ".join(row.split("\t")[0] for row in page.rows())


def page_with_clock(stage):
    """The recording of an arena, replayed to two pages in Chromium, each with its own time bar: keys and the slider move one, while the other plays on; a link opens a third page at a moment, and another link plays a part"""
    recording = stage.path("arena.mcap")
    arena = stage.start("arena", [stage.entente, "arena", "--bots", "8", "--listen", "native://127.0.0.1:0", "--record", recording])
    time.sleep(30)
    check(arena.stop() == 0, f"the arena did not end with exit code 0: {arena.tail()}")
    replay = stage.start("replay", [stage.entente, "replay", recording, "--listen", NATIVE])
    one, other = [Page(stage, name, listening(replay)) for name in ("one", "other")]

    def seconds(page):
        minutes, _, rest = page.page("document.querySelector('#timebar output').textContent.split(' / ')[0]").partition(":")
        return 60 * int(minutes) + int(rest)

    def goes_to(page, least, most):
        wait_until(lambda: least <= seconds(page) <= most, 10, f"the bar says {seconds(page)} s, not {least} to {most}")
    for page in (one, other):
        page.enters("wanda", "watch")
        page.sees("Watching", "status")
        wait_until(lambda: page.shown("timebar"), 10, "there is no time bar")
        page.page("document.getElementById('field').focus()")
    one.presses("k", "KeyK")
    wait_until(lambda: one.page("document.querySelector('#timebar button').textContent") == "Play", 10, "the key K did not pause")
    one.page("(() => { const bar = document.querySelector('#timebar input'); bar.value = 20; bar.dispatchEvent(new Event('change')); })()")
    goes_to(one, 20, 20)
    one.presses("j", "KeyJ")
    goes_to(one, 10, 10)
    one.presses("l", "KeyL")
    goes_to(one, 20, 20)
    one.screenshot("clock.png")
    check(seconds(other) < 20, f"the other page was moved to {seconds(other)} s")
    before = seconds(other)
    wait_until(lambda: seconds(other) >= before + 2, 10, "the other page's time stands")
    check(seconds(one) == 20, "a pause does not hold")
    one.page("document.querySelector('#timebar input').focus()")  # keys must work with any focus
    one.presses("0", "Digit0", "0")
    goes_to(one, 0, 1)
    one.presses("ArrowRight", "ArrowRight")
    goes_to(one, 5, 6)
    track = one.page("(() => { const { left, right, top, height } = document.querySelector('#timebar .track').getBoundingClientRect(); return [left, right, top + height / 2]; })()")
    previews = []
    for part in (0.3, 0.7):
        one.moves(track[0] + part * (track[1] - track[0]), track[2])
        wait_until(lambda: one.page("document.querySelector('#timebar .preview').checkVisibility()"), 10, "nothing is shown where the mouse points at the time bar")
        picture = "document.querySelector('#timebar .preview').toDataURL()"
        wait_until(lambda: one.page(picture) not in ["", *previews] and one.page(picture) == one.page(picture), 10, "another moment looks the same")
        previews.append(one.page(picture))
    one.screenshot("preview.png")
    one.moves(5, 5)
    wait_until(lambda: not one.page("document.querySelector('#timebar .preview').checkVisibility()"), 10, "the preview stays")
    goes_to(one, 5, 6)

    def click(x, y):
        for kind in ("mousePressed", "mouseReleased"):
            one.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    click((track[0] + track[1]) / 2, one.page("document.querySelector('#timebar canvas').getBoundingClientRect().top + 3"))  # on the marks
    goes_to(one, 13, 18)
    faster = "[...document.querySelectorAll('#timebar button')].find((button) => button.textContent === '2×')"
    speed = "document.querySelector('#timebar .speeds [aria-pressed=true]').textContent"
    click(*one.page(f"(({{ left, top, width, height }}) => [left + width / 2, top + height / 2])({faster}.getBoundingClientRect())"))
    wait_until(lambda: one.page(speed) == "2×", 10, "a click does not make it faster")
    for name in ("Pause", "Play"):  # Space must not press the button that was clicked
        one.presses(" ", "Space", " ")
        wait_until(lambda: one.page("document.querySelector('#timebar button').textContent") == name, 10, f"Space does not lead to {name}")
    check(one.page(speed) == "2×", "Space made it faster")
    one.page("location.hash = '#at=0:10'")  # like a person who pastes a link into the address bar
    goes_to(one, 10, 11)
    one.page("(() => { const bar = document.querySelector('#timebar input'); bar.value = 20; bar.dispatchEvent(new Event('change')); })()")
    goes_to(one, 20, 20)
    wait_until(lambda: one.page("document.querySelector('[data-player]') != null"), 10, "no player is in the table")
    one.page("document.querySelector('[data-player]').click()")
    one.page("[...document.querySelectorAll('#timebar button')].find((button) => button.textContent == 'Link').click()")
    link = wait_until(lambda: one.page("location.hash"), 10, "there is no link")
    check(link.startswith("#at=0:20&follow=bot-"), f"the link is {link}")
    led = Page(stage, "led", listening(replay), fragment=link)
    wait_until(lambda: led.shown("timebar"), 20, "a link does not lead into the recording")
    goes_to(led, 20, 24)
    wait_until(lambda: led.page("document.querySelector('tr.followed')?.innerText.split('\\t')[0]") == link.split("=")[-1], 10, "the link's player is not followed")
    led.screenshot("led.png")

    cut = "[...document.querySelectorAll('#timebar button')].find((button) => /lip/.test(button.textContent))"
    one.page(cut + ".click()")
    one.page("(() => { const bar = document.querySelector('#timebar input'); bar.value = 22; bar.dispatchEvent(new Event('change')); })()")
    goes_to(one, 22, 22)
    one.page(cut + ".click()")
    wait_until(lambda: one.page("location.hash").startswith("#at=0:20&to=0:22&follow=bot-"), 10, f"the link of the clip is {one.page('location.hash')}")
    one.sees(".mcap --from 0:20 --to 0:22 -o clip.mcap", "log")  # the name of the file that is replayed
    clip = Page(stage, "clip", listening(replay), fragment=one.page("location.hash"))
    wait_until(lambda: clip.page("document.querySelector('#timebar button')?.textContent") == "Play", 30, "the clip does not stop at its end")
    goes_to(clip, 22, 23)
    clip.sees("The clip ends here", "log")
    for page in (one, other, led, clip):
        check(not page.complaints, f"Chromium complains: {page.complaints[:3]}")
        page.end()
    check(replay.stop() == 0, f"the replay did not end with exit code 0: {replay.tail()}")
    return "paused, sought by slider and keys; the other page's time went on; a link led to the moment and the player, and another one showed two seconds"


def page_on_broadcast(stage):
    """The broadcast of an arena with bots, in Chromium: the bar says "live"; after a step back, it says how many seconds back; it marks kills; the button Live returns to the present"""
    with open(stage.path("arena.toml"), "w", encoding="ascii") as config:
        config.write('[[arena]]\nbots = 6\nlisten = ["native://127.0.0.1:0?dialect=json"]\n'
                     f'watch = [{{ listen = "{NATIVE}", delay_s = 1 }}]\n')
    arena = stage.start("arena", [stage.entente, "run", config.name])
    port = listening(arena)
    time.sleep(8)  # so that there is a past to go back to
    page = Page(stage, "chromium", port)
    page.enters("wanda", "watch")
    page.sees("Watching", "status")
    shown = "document.querySelector('#timebar output').textContent"
    wait_until(lambda: page.shown("timebar") and page.page(shown) == "live", 20, "the bar does not say that this is live")
    check("bot-1 joined" not in page.text("log"), f"who was there before is said to join: {page.text('log')!r}")
    wait_until(lambda: "destroyed" in page.text("log"), 120, "nobody was destroyed")
    marked = "import('./main.js').then(({ visit }) => visit.timeBar.playback.marks().filter(({ what }) => what === 'KILL').length)"
    check(page.page(marked) > 0, "a kill that was seen is not marked")
    page.presses("ArrowLeft", "ArrowLeft")
    wait_until(lambda: page.page(shown).startswith("\u2212"), 10, f"after a step back the bar says {page.page(shown)!r}")
    page.screenshot("live.png")
    page.page("[...document.querySelectorAll('#timebar button')].find((button) => button.textContent == 'Live').click()")
    wait_until(lambda: page.page(shown) == "live", 20, f"the button Live leads to {page.page(shown)!r}")
    page.end()
    check(arena.stop() == 0, f"the arena did not end with exit code 0: {arena.tail()}")
    return "live, five seconds back, and live again"


def page_on_spadesx(stage):
    """SpadesX 710270d; a player in headless Chromium enters with a name, sees the map from above, and walks"""
    _, port = start_spadesx(stage)
    shim = stage.keep(Shim(port))
    bridge = stage.start("bridge", [stage.entente, "proxy", "--listen", NATIVE, "--to", f"aos://127.0.0.1:{shim.port}?dialect=0.75"])
    page = Page(stage, "chromium", listening(bridge))
    page.enters("paul")
    page.sees("Playing Ace of Spades", "status", 40)

    def walked():
        try:
            return way_of(talk_of(shim, "paul"))
        except (AssertionError, StopIteration):
            return 0  # has not joined
    page.key("keyDown", "ArrowUp", "ArrowUp")
    wait_until(lambda: walked() > 8, 40, "the player of the page does not walk")
    page.screenshot("page_aos.png")
    page.end()
    return f"{walked():.0f} blocks walked"


CASES = {"page": page_on_bzfs, "page_replay": page_on_recording, "page_clock": page_with_clock, "page_live": page_on_broadcast}
REAL_CASES = {"page_spadesx": page_on_spadesx}
