# Visits of the web page of a native listener in Debian's Chromium, as a stranger makes them: what a visit costs, a broadcast that has not
# begun, a phone, the end of a recording, and links that lead nowhere.
# Invariant: connections are counted by a shim in front of the listener, sessions by the program itself; the page's state is what it shows.
import json
import re
import socket
import subprocess
import threading
import time

from cases.page import NATIVE, Page, listening
from cases.replay import first_link, record_bots
from shim import Shim
from stage import check, wait_until

FINGER = 44  # px
PHONE = (360, 740)
SMALL = f"""[...document.querySelectorAll("button, input, select, summary, a")].filter((one) => one.checkVisibility())
  .map((one) => [one, one.getBoundingClientRect()]).filter(([, {{ width, height }}]) => width < {FINGER} || height < {FINGER})
  .map(([one, {{ width, height }}]) => `${{one.id || one.textContent || one.localName}} ${{Math.round(width)}}x${{Math.round(height)}}`)"""


class Phone(Page):
    """The page on a phone."""

    def wide(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=PHONE[0], height=PHONE[1], deviceScaleFactor=2, mobile=True)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=True)

    def fits(self, when):
        check(self.page(f"document.documentElement.scrollWidth <= {PHONE[0]}"), f"{when}, the page is wider than a phone")
        small = self.page(SMALL)
        check(not small, f"{when}, a finger cannot press {small}")


def arena(stage, watch="", control=True):
    """A running arena with bots, whose page is at the returned port. Returns its program, and asks its control socket."""
    with open(stage.path("arena.toml"), "w", encoding="ascii") as config:
        config.write((f'[control]\nsocket = "{stage.path("socket")}"\n' if control else "") + f'[[arena]]\nbots = 6\nlisten = ["{NATIVE}"]\n{watch}')
    run = stage.start("arena", [stage.entente, "run", config.name])

    def ctl(*words):
        return json.loads(subprocess.run([stage.entente, "ctl", "--socket", stage.path("socket"), "--json", *words], check=True, capture_output=True, timeout=20).stdout)
    return run, ctl


def fetches(port, address="127.0.0.1"):
    """A visit as a browser makes it, on one connection: the page, and every file that it names. Returns the bytes that came."""
    with socket.create_connection((address, port), 20) as link:
        stream, seen, wanted, all_bytes = link.makefile("rb"), set(), ["/"], 0
        while wanted:
            path = wanted.pop()
            link.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = stream.readline()
                check(line, f"the connection ended before the answer to {path}")
                head += line
            check(head.startswith(b"HTTP/1.1 200 "), f"{path}: {head[:40]!r}")
            body = stream.read(int(re.search(rb"Content-Length: (\d+)", head)[1]))
            all_bytes += len(body)
            for name in re.findall(rb'(?:src|href|from|import)[=( ]*"\.?/?([a-z.]+)"', body) if not path.startswith("/three") else []:
                if name not in seen:
                    seen.add(name)
                    wanted.append("/" + name.decode())
    return all_bytes


def page_visits(stage):
    """One visit of the page in headless Chromium is few connections and one session; 40 visits at once all get the whole page, and are no sessions"""
    run, ctl = arena(stage)
    shim = stage.keep(Shim(listening(run)))
    page = Page(stage, "chromium", shim.port)
    page.sees("players", "count")
    page.clicks("watch")
    page.sees("Watching", "status")
    wait_until(lambda: len(page.rows()) >= 6, 10, "the table is empty")
    connections = len(shim.talks)
    requests = sum(talk.bytes()[0].count(b" HTTP/1.1\r\n") for talk in shim.talks)
    check(connections <= 6, f"one visit took {connections} connections")
    route = next(one for one in ctl("routes") if "native" in one["route"])
    check((route["sessions"], route["opened"], route["refused"]) == (1, 1, 0), f"one visit counts as {route}")
    check(len(re.findall(r"session \d+ (opened|closed)", run.text())) == 1, f"one visit is logged as {run.text()!r}")

    failures = []

    def visit(port):
        try:
            for _ in range(3):
                fetches(port)
        except Exception as error:  # reported below
            failures.append(repr(error))
    visitors = [threading.Thread(target=visit, args=(listening(run),)) for _ in range(40)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join(120)
    check(not failures, f"{len(failures)} of 40 visitors got a broken page: {failures[:2]}")
    route = next(one for one in ctl("routes") if "native" in one["route"])
    check((route["opened"], route["refused"]) == (1, 0), f"120 fetches of the page count as {route}")
    page.end()
    return f"one visit: {connections} connections with {requests} requests, 1 session; 120 fetches by 40 visitors: none"


def page_waits(stage):
    """A broadcast with a delay that has not begun, in headless Chromium: the page says when it begins, takes a viewer without a name, counts down, and shows the match"""
    run, _ = arena(stage, f'watch = [{{ listen = "{NATIVE}", delay_s = 25 }}]\n', control=False)
    ports = run.wait_for(r"(?s)^listening native\+ws json 127\.0\.0\.1:(\d+).*^listening native\+ws json 127\.0\.0\.1:(\d+)$", 20)
    page = Page(stage, "chromium", int(ports.group(2)))
    page.sees("The broadcast begins in 0:", "count")
    check(not page.shown("play"), "a broadcast offers to play")
    page.screenshot("waits_before.png")
    page.clicks("watch")  # without a name
    page.sees("The broadcast begins in 0:", "notice-text")
    first = page.text("notice-text")
    wait_until(lambda: page.text("notice-text") not in ("", first), 10, "the page does not count down")
    page.screenshot("waits.png")
    page.sees("Watching", "status", 40)
    wait_until(lambda: len(page.rows()) >= 6, 10, "the table is empty")
    check(not page.shown("notice"), f"the notice stays: {page.text('notice')!r}")
    page.screenshot("waits_begun.png")
    page.end()
    return f"first {first!r}, then the match"


def page_phone(stage):
    """A recording of two bots on stock bzfs, on a phone of 360 by 740 pixels in headless Chromium: every button is for fingers, nothing covers the field, speeds, kills, the followed player, and the final scores"""
    recording = record_bots(stage, 15)
    replay = stage.start("replay", [stage.entente, "replay", recording, "--link", first_link(stage, recording), "--listen", NATIVE])
    page = Phone(stage, "phone", listening(replay))
    page.sees("A recording of", "going")
    page.fits("before entering")
    page.screenshot("phone_start.png")
    page.clicks("watch")
    page.sees("Watching", "status")
    wait_until(lambda: sum("bot-" in row for row in page.rows()) >= 2, 20, f"the table has only {page.rows()}")
    wait_until(lambda: page.shown("timebar"), 10, "there is no time bar")
    page.page("document.querySelector('[data-player]').click()")
    wait_until(lambda: page.text("whom"), 10, "the page does not say whom it follows")
    page.fits("in the recording")
    for part in ("feed", "whom", "timebar"):
        covers = page.page(f"""(() => {{ const a = document.getElementById('{part}').getBoundingClientRect(), b = document.getElementById('field').getBoundingClientRect();
          return a.bottom > b.top + 1 && a.top < b.bottom - 1 && a.right > b.left && a.left < b.right; }})()""")
        check(not covers, f"{part} covers the field")
    check(page.page("document.getElementById('field').getBoundingClientRect().height > 250"), "the field is too small")
    page.page("[...document.querySelectorAll('#timebar .speeds button')].find((one) => one.textContent === '4×').click()")
    wait_until(lambda: page.page("document.querySelector('#timebar .speeds [aria-pressed=true]')?.textContent") == "4×", 10, "the speed is not 4×")
    page.screenshot("phone.png")
    page.page("document.getElementById('players').scrollIntoView()")
    check("Press a name to follow" in page.text("score-title"), "nothing says that a name can be followed")
    page.screenshot("phone_players.png")
    page.page("(() => { scrollTo(0, 0); const bar = document.querySelector('#timebar input'); bar.value = bar.max - 0.5; bar.dispatchEvent(new Event('change')); })()")
    wait_until(lambda: page.shown("final"), 20, "the recording is over, and no final scores are shown")
    check(len(page.page("[...document.querySelectorAll('#final-rows tr')].map((row) => row.innerText)")) >= 2, "the final board has no rows")
    page.fits("at the end")
    page.screenshot("phone_final.png")
    page.clicks("final-close")
    check(not page.shown("final"), "the board cannot be closed")
    for link, part in (("#at=soon", "is not a time"), ("#at=9:59:00", "the recording ends at"), ("#at=0:05&follow=nobody%20here", "Nobody named nobody here"), ("#hello", "names no moment")):
        page.page(f"location.hash = {json.dumps(link)}")
        wait_until(lambda part=part: part in page.text("log"), 10, f"the page does not say what is wrong with {link}: {page.text('log')[-300:]!r}")
    page.end()
    bad = Phone(stage, "bad", listening(replay), fragment="#at=soon")
    bad.sees("is not a time", "link-fault")
    bad.screenshot("phone_bad_link.png")
    bad.end()
    return "pressed, followed, played to the end; four bad links explained"


CASES = {"page_visits": page_visits, "page_waits": page_waits, "page_phone": page_phone}
