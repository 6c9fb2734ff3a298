# The packages for bots (adapters/native/clients) on stock bzfs, through a bridge: their examples, and a policy that was learned in a lockstep arena.
# Invariant: what they do is read from bzfs by bzadmin, which Entente does not touch.
import json
import os
import sys

from bzflag import Bzadmin, start_bzfs
from stage import check, program, wait_until

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLIENTS = os.path.join(os.path.dirname(TESTS), "adapters", "native", "clients")
PYTHON, JS = os.path.join(CLIENTS, "python"), os.path.join(CLIENTS, "js")
SECONDS = 120


def learned(stage):
    """A policy of a short training."""
    sys.path[:0] = [PYTHON, os.path.join(PYTHON, "examples")]
    os.environ["ENTENTE"] = stage.entente
    import learn
    file = stage.path("policy.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(learn.train(generations=5, seed=1, steps=100, tell=lambda _: None), out)
    return file


def clients_bzflag(stage):
    """Stock bzfs; the examples of the packages in Python and JavaScript, and a policy learned in a lockstep arena: they drive, shoot, kill, answer and count"""
    policy = learned(stage)
    _, port = start_bzfs(stage)
    proxy = stage.start("proxy", [stage.entente, "proxy", "--to", f"bzflag://127.0.0.1:{port}?dialect=2.4", "--listen", "native://127.0.0.1:0?dialect=json"])
    bots = proxy.wait_for(r"^listening native json 127\.0\.0\.1:(\d+)$", 20).group(1)
    admin = Bzadmin(stage, "admin", port)
    admin.joined()
    env = {"PYTHONPATH": PYTHON}

    def python(name, *more):
        return stage.start(name, [sys.executable, os.path.join(PYTHON, "examples", name + ".py"), *more], env=env)
    table = stage.path("scores.csv")
    running = [python("learn", "play", policy, bots), python("follower", bots), python("chat", bots), python("scores", bots, table)]

    def killed(name):
        """bzadmin's lines of kills by that player."""
        return [line for line in admin.run.text().splitlines() if f"destroyed by '{name}'" in line]
    wait_until(lambda: killed("learner"), SECONDS, lambda: f"learner kills nobody: {admin.run.tail(5)}")
    running.append(python("hunter", bots))
    wait_until(lambda: killed("hunter"), SECONDS, lambda: f"hunter.py kills nobody: {admin.run.tail(5)}")
    check(running.pop().stop() is not None, "hunter.py did not end")
    before = len(killed("hunter"))
    running.append(stage.start("hunter.js", [program("node"), os.path.join(JS, "examples", "hunter.js"), bots]))
    wait_until(lambda: len(killed("hunter")) > before, SECONDS, lambda: f"hunter.js kills nobody: {admin.run.tail(5)}")
    admin.run.say("helper, who")
    wait_until(lambda: "follower, hunter, learner" in admin.run.text(), SECONDS, lambda: f"chat.py does not answer: {admin.run.tail(5)}")
    with open(table, encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(len(rows) > 2, f"scores.py wrote only {rows}")
    for one in running:
        check(one.alive(), f"{one.name} ended: {one.tail(12)}")
    return f"learner killed {len(killed('learner'))}, the hunters {len(killed('hunter'))}; scores.py wrote {len(rows) - 1} deaths"


CASES = {"clients_bzflag": clients_bzflag}
