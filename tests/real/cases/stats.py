# Compares the counts of `entente stats` in a relay's recording with the scores that the real server prints; checks its page in Chromium.
import json
import re
import time

from browser import Browser
from bzflag import start_bzfs
from stage import check, wait_until

KILLS, KILL_WAIT = 4, 240  # kills to wait for; seconds


def printed_scores(text):
    """The players in the last whole list of bzfs's -printscore: {name: (wins, losses)}."""
    lists = re.findall(r"#players\n(.*?)#end\n", text, re.DOTALL)
    return {name: (int(wins), int(losses)) for wins, losses, name in re.findall(r"(\d+)-(\d+) (.*)\n", lists[-1])} if lists else {}


def kills_of(text):
    return sum(wins for wins, _ in printed_scores(text).values())


def stats_scores(stage):
    """bzfs and four hunting bots through the relay: `entente stats` has the numbers that bzfs prints; its page in Chromium shows them, also on a phone's screen"""
    bzfs, port = start_bzfs(stage, "-printscore")
    recording = stage.path("match.mcap")
    relay, listener_port = stage.relay("bzflag", "2.4", port, "--record", recording)
    bots = stage.start("bots", [stage.entente, "bot", f"bzflag://127.0.0.1:{listener_port}?dialect=2.4", "--count", "4", "--behaviour", "hunt", "--seconds", "300"])
    wait_until(lambda: kills_of(bzfs.text()) >= KILLS, KILL_WAIT, lambda: f"{kills_of(bzfs.text())} kills, {bots.tail()}")
    time.sleep(1)  # until what bzfs printed has reached the relay
    printed = {}

    def settled():
        nonlocal printed
        before, printed = printed, printed_scores(bzfs.text())
        return before == printed
    wait_until(settled, 5, "bzfs prints no end")
    check(relay.stop() == 0, "the relay did not end with exit code 0")

    code, said = stage.run("stats", recording, "--json", "--html", stage.path("match.html"), seconds=120)
    check(code == 0, f"stats ended with {code}: {said}")
    report = json.loads(said[said.index("{"):])
    counted = {player["name"]: (player["kills"], player["deaths"]) for player in report["players"] if player["name"] in printed}
    told = {player["name"]: (player["wins"], player["losses"]) for player in report["players"] if player["name"] in printed}
    # There may be one more kill, between the last look and the end of the relay.
    later = sum(kills for kills, _ in counted.values()) - sum(wins for wins, _ in printed.values())
    check(counted == printed or later == 1, f"counted {counted}, but bzfs printed {printed}")
    check(all((wins or 0, losses or 0) == counted[name] for name, (wins, losses) in told.items()), f"counted {counted}, but the server told {told}")

    page = Browser(stage, "page", "file://" + stage.path("match.html"))
    page.ask("Runtime.enable")
    page.ask("Log.enable")
    for width in (1200, 390):
        page.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        wait_until(lambda: page.page("document.readyState == 'complete' && document.querySelectorAll('#board tbody tr').length") == len(report["players"]), 20, "no score board")
        wide = page.page("document.documentElement.scrollWidth")
        check(wide <= width, f"the page is {wide} px wide on a screen of {width} px")
        cut = page.page("(() => { const board = document.querySelector('#board .scroll'); return board.scrollWidth - board.clientWidth; })()")
        check(width < 500 or cut <= 0, f"{cut} px of the score board are cut on a screen of {width} px")
    best = report["players"][0]
    row = page.page("document.querySelector('#board tbody tr').innerText")
    check(row.split()[:2] == [best["name"], str(best["kills"])], f"the first row is {row!r}")
    dots = page.page("document.querySelectorAll('#chart .event').length")
    marks = report["deaths"] + report["kills"] + sum(player["team_kills"] for player in report["players"])
    check(dots == marks, f"{dots} marks on the timeline instead of {marks}")
    red = page.page("""(() => {
      const map = JSON.parse(document.getElementById('data').textContent).maps[0], { columns, rows, die } = map.heat, canvas = document.getElementById('plan');
      let at = 0;
      for (let i = 0; i < die.length; i += 2) if (die[i + 1] > die[at + 1]) at = i;
      const x = (die[at] % columns + .5) / columns * canvas.width, y = (Math.floor(die[at] / columns) + .5) / rows * canvas.height;
      const [r, g, b] = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
      return r - (g + b) / 2;
    })()""")
    check(red > 40, f"the place where most died is not red ({red})")
    check(not page.complaints, f"Chromium complains: {page.complaints}")
    return f"{report['kills']} kills and {report['deaths']} deaths of {len(printed)} bots, as bzfs printed them; {dots} marks on the page's timeline"


CASES = {"stats_scores": stats_scores}
