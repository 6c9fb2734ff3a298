# The operator page in Debian's Chromium: unlocked with its token, it shows real players, and carries out the operator's actions.
# Invariant: the effects are read from the output of the real programs; the page's state, from what it shows.
import json
import os
import secrets

from browser import Browser
from bzflag import Bzadmin, start_bzfs
from stage import check, wait_until

NAME = "<img src=x onerror=alert(1)>"


class OperatorPage(Browser):
    """The page at the address that the program announced."""

    def __init__(self, stage, name, url):
        super().__init__(stage, name, url)
        self.wide(1280, 1000)
        self.ask("Runtime.enable")
        self.ask("Log.enable")  # violations of its policy, missing files
        wait_until(lambda: self.page("document.readyState == 'complete' && !!document.getElementById('token')?.checkVisibility()"), 20, "the page did not load")

    def wide(self, width, height, mobile=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def text(self, selector):
        return self.page(f"document.querySelector({json.dumps(selector)})?.innerText") or ""

    def shown(self, selector):
        return bool(self.page(f"document.querySelector({json.dumps(selector)})?.checkVisibility()"))

    def sees(self, text, selector, seconds=15):
        wait_until(lambda: text in self.text(selector), seconds, lambda: f"the page does not show {text!r} in {selector}: {self.text(selector)!r}")

    def types(self, selector, text):
        self.page(f"document.querySelector({json.dumps(selector)}).focus()")
        self.ask("Input.insertText", text=text)

    def presses_button(self, text, within="body"):
        pressed = self.page(f"""(() => {{
          const all = [...document.querySelectorAll({json.dumps(within + ' button')})];
          const found = all.find((one) => one.textContent === {json.dumps(text)} && one.checkVisibility());
          found?.click();
          return Boolean(found);
        }})()""")
        check(pressed, f"there is no button {text!r} in {within}")

    def opens(self, token):
        self.types("#token", token)
        self.presses("Enter", "Enter", "\r")

    def row(self, name):
        """Marks this player's row, and returns a selector for it."""
        wait_until(lambda: self.page(f"""(() => {{
          const row = [...document.querySelectorAll('#players tbody tr')].find((one) => one.cells[0].innerText === {json.dumps(name)});
          document.querySelectorAll('.wanted').forEach((one) => one.classList.remove('wanted'));
          row?.classList.add('wanted');
          return Boolean(row);
        }})()"""), 20, lambda: f"{name!r} is not in the table: {self.text('#players')!r}")
        return "tr.wanted"

    def end(self):
        """Checks that the page had no error that it did not show."""
        self.page("0")
        faults = [fault for fault in self.complaints if "/orders" not in fault and '"level": "verbose"' not in fault]
        check(not faults, f"the page complained: {faults[:3]}")


def operator_page(stage):
    """The operator page in headless Chromium, with stock bzfs and bzadmin: it refuses a wrong token, lists the players by name, sends a message, kicks, records and bans; it shows rules, hooks, public lists and faults on purpose"""
    _, port = start_bzfs(stage)
    token = secrets.token_hex(16)
    with open(os.open(stage.path("token"), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write(token + "\n")
    with open(stage.path("entente.toml"), "w", encoding="utf-8") as file:
        file.write(f'public_host = "192.0.2.1"\n[operator]\nlisten = "127.0.0.1:0"\ntoken_file = "{stage.path("token")}"\n'
                   f'[recording]\ndirectory = "{stage.folder}"\n'
                   f'[[route]]\nlisten = "bzflag://127.0.0.1:0?dialect=2.4"\nto = "bzflag://127.0.0.1:{port}?dialect=2.4"\nannounce = true\nlab = "delay=1ms; seed=7"\n'
                   '[[arena]]\nname = "lobby"\nlisten = ["native://127.0.0.1:0?dialect=json", "bzflag://127.0.0.1:0?dialect=2.0"]\nrules = ["good.lua", "bad.lua"]\n'
                   '[[list]]\nof = "lobby"\ntitle = "Test"\nbzflag = "http://127.0.0.1:1/"\n'
                   '[[hook]]\nname = "out"\nurl = "http://127.0.0.1:1/"\nevents = ["join"]\n')
    for name, text in (("good", "function on_join(player) tell(player.id, 'hello') end"), ("bad", "function on_tick() error('on purpose') end")):
        with open(stage.path(f"{name}.lua"), "w", encoding="utf-8") as file:
            file.write(text)
    run = stage.start("entente", [stage.entente, "run", stage.path("entente.toml")])
    url = run.wait_for(r"^operator page (http://\S+)$", 20).group(1)
    front = int(run.wait_for(r"^listening bzflag 2\.4 127\.0\.0\.1:(\d+)$", 20).group(1))
    arena = run.wait_for(r"^listening native json 127\.0\.0\.1:(\d+)$", 20).group(1)
    code, said = stage.run("bot", f"native://127.0.0.1:{arena}?dialect=json", "--seconds", "3")  # the arena's rules begin with its first player
    check(code == 0, f"a bot could not play in the arena: {said}")
    anna, paul = (Bzadmin(stage, name, front).joined() for name in ("anna", "paul"))

    page = OperatorPage(stage, "chromium", url)
    page.screenshot("operator_locked.png")
    page.opens("0" * 32)
    page.sees("the token is wrong", "#refused")
    check(not page.shown("#board"), "the page opened with a wrong token")
    page.opens(token)
    page.sees("live", "#state")
    wait_until(lambda: page.page("document.querySelector('#totals .down').getAttribute('d').split('L').length") > 3, 10, "the graphs do not begin with what was before the page was opened")
    check(page.page("document.getElementById('players').compareDocumentPosition(document.getElementById('routes')) & 4"), "the routes stand before the players")
    leads_nowhere = page.page("[...document.querySelectorAll('#jumps a')].filter((one) => one.checkVisibility() && !document.querySelector(one.hash)?.checkVisibility()).map((one) => one.hash)")
    check(not leads_nowhere, f"links lead nowhere: {leads_nowhere}")
    for name in ("anna", "paul"):
        page.sees(name, "#players")
    page.sees("2 players", "#routes")
    page.sees(f"127.0.0.1:{port}", "#routes .servers")

    page.presses_button("Say …", "#routes")
    page.types("dialog [name=text]", f"hello {NAME}")
    page.presses_button("Say", "dialog")
    page.sees("told 2 of 2 players", "#done")
    for admin in (anna, paul):
        admin.run.wait_for("hello <img src=x", 20)

    page.presses_button("Kick …", page.row("paul"))
    page.types("dialog [name=why]", "be nice")
    page.presses_button("Disconnect", "dialog")
    page.sees("kicked link", "#done")
    wait_until(lambda: not paul.run.alive(), 20, "the player that was kicked still plays")
    wait_until(lambda: "paul" not in page.text("#players"), 10, "the page still shows the player that was kicked")
    run.wait_for(r'control: kick \d+ --why "be nice" \(by the operator page, from 127\.0\.0\.1:\d+\): kicked link \d+ \(127\.0\.0\.1:\d+, bzflag 2\.4, "?paul"?\)', 10)

    page.sees("off in 1 room: ", "#rules")
    page.sees("on purpose", "#rules tr.bad")
    check("good.lua" in page.text("#rules") and "good.lua" not in page.text("#rules tr.bad"), f"a rule that works is shown as one that does not: {page.text('#rules')!r}")
    page.sees("127.0.0.1:1", "#lists")
    page.sees("fails: ", "#lists tr.bad")
    page.presses_button("Test", "#hooks")
    page.sees("test the hook out: ", "#done")
    page.sees("fails: ", "#hooks tr.bad")
    page.sees("delay=1ms; seed=7", "#lab")
    page.sees("delay=", "#lab tbody td:nth-child(4)")
    page.presses_button("Change …", "#lab")
    page.page("document.querySelector('dialog [name=faults]').value = ''")
    page.types("dialog [name=faults]", "delay=2ms, nonsense")
    page.presses_button("Change", "dialog")
    wait_until(lambda: "nonsense" in page.text("#dialog-wrong"), 10, lambda: f"the page does not say what is wrong with a lab: {page.text('#dialog-wrong')!r}")
    page.page("document.querySelector('dialog [name=faults]').value = ''")
    page.types("dialog [name=faults]", "delay=2ms")
    page.presses_button("Change", "dialog")
    page.sees("delay=2ms", "#lab")
    page.presses_button("Off", "#lab")
    page.sees("the lab is off", "#done")
    wait_until(lambda: "Off" not in page.text("#lab"), 10, "the lab is off, and the page offers to end it")

    page.presses_button("Start", "#recording")
    page.sees("recording", "#recordings")
    page.presses_button("Stop", "#recording")
    page.sees("stopped 1", "#done")
    check(any(name.endswith(".mcap") for name in os.listdir(stage.folder)), "there is no recording")

    page.presses_button("Deny …")
    page.types("dialog [name=who]", "192.0.2.7")
    page.presses_button("Deny", "dialog")
    page.sees("192.0.2.7", "#access-list")
    page.presses_button("Take out …", "#access-list")
    page.presses_button("Take out", "dialog")
    wait_until(lambda: page.shown("#no-access"), 10, "the page still shows the network")
    page.presses_button("Allow …")
    page.types("dialog [name=who]", "nonsense")
    page.presses_button("Allow", "dialog")
    wait_until(lambda: page.text("#dialog-wrong"), 10, "the page does not say what is wrong with a network")
    page.presses_button("Cancel", "dialog")
    page.presses_button("Reload the configuration …")
    page.presses_button("Reload", "dialog")
    page.sees("reload the configuration: ", "#done")
    page.presses_button("Move …", page.row("anna"))
    check("native json" in page.text("dialog select"), f"a player cannot be moved to the arena: {page.text('dialog select')!r}")
    page.presses_button("Cancel", "dialog")

    page.screenshot("operator.png")
    page.wide(360, 740, mobile=True)
    check(page.page("document.documentElement.scrollWidth <= 360"), "on a phone the page is wider than the screen")
    small = page.page("""[...document.querySelectorAll("button, input, select, a")].filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 44 || height < 44).map(([one]) => one.textContent || one.id)""")
    check(not small, f"a finger cannot press {small}")
    check(page.page("document.getElementById('players').getBoundingClientRect().top < innerHeight"), "on a phone the players are below the first screen")
    page.screenshot("operator_phone.png")
    page.wide(1280, 1000)

    page.presses_button("Ban …", page.row("anna"))
    page.types("dialog [name=why]", NAME)
    page.presses_button("Ban", "dialog")
    page.sees("1 session ended", "#done")
    page.sees(NAME, "#bans")
    page.sees("Nobody plays.", "#found")
    check(page.page("document.images.length") == 0, "what was written became an image")
    page.presses_button("Lift …", "#bans")
    page.presses_button("Lift the ban", "dialog")
    wait_until(lambda: page.shown("#no-bans"), 10, "the page still shows the ban")

    check(page.page("location.href") == url, "the token is in the address")
    page.presses_button("Lock")
    check(not page.shown("#board") and page.page("sessionStorage.length") == 0, "the page is not locked")
    page.end()
    return "2 players seen, told, one kicked and one banned; a recording started and stopped"


CASES = {"operator_page": operator_page}
