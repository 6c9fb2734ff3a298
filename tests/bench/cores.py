# Measures the gain of a second worker, and the cost of a busy arena for a relay in the same process.
# Invariant: the load is on the same machine, so two workers cannot carry twice as much here. What is compared is CPU: a worker
# is full when its thread uses a whole core, so CPU per message and the busiest thread's share say what two can carry.
import contextlib
import pathlib
import re
import statistics
import subprocess
import sys
import time
import urllib.request

import contenders
import report

LOADED = ["tcp", "udp", "bridge"]  # by bench_load; the others by bots that play in an arena behind the proxy
PLAYED = {"websocket": ("ogar+ws://{}?dialect=modern3", 1), "enet": ("aos://{}?dialect=0.75", 1),
          "enet, 2 listeners": ("aos://{}?dialect=0.75", 2)}
BESIDE = "arena"
NAMES = LOADED + list(PLAYED) + [BESIDE]
CONNECTIONS, BOTS, ARENA_BOTS = 400, 24, 100
APART = "2 processes"  # of one worker each, which share the players: what two workers are held against
BOTH = {contenders.LOAD_CORE, contenders.RELAY_CORE}
BUSY_ARENA = "bzflag://{}?dialect=2.4"
PROBE_RATE, PROBES, PROBE_SECONDS = 2000, 6, 2.0  # messages a second of one player; cells of one player each
JOINED_AT = 10  # bots a second
SETTLING = 4
IN_ANOTHER = "with bots, the arena in another process"

ROUTE = '[[route]]\nlisten = "{listen}"\nto = "{to}"\n'
ARENA = '[[arena]]\nname = "busy"\nseats = {seats}\nlisten = ["{listen}"]\n'


class Proxy(contenders.Announcing):
    """The program with so many workers. Yields the addresses of its listeners, in order."""

    def __init__(self, build, workers, routes, cores, more=""):
        super().__init__(f"{workers} workers", set(), str(build / "entente"), self.arrange)
        self.workers, self.routes, self.core, self.more = workers, routes, cores, more
        self.metrics = contenders.free_port()

    def arrange(self, servers, folder):
        head = contenders.ENTENTE.split("[[route]]")[0]
        text = f"workers = {self.workers}\n{head}[metrics]\nlisten = \"127.0.0.1:{self.metrics}\"\n"
        for listen, to in self.routes:
            text += ROUTE.format(listen=listen.format("127.0.0.1:0"), to=to)
        self.text = text + self.more
        (folder / "conf").write_text(self.text)
        return ["run", folder / "conf"]

    def start(self, echo, folder):
        process, first = super().start(echo, folder)
        listeners = self.text.count("listen = [") + len(self.routes)
        return process, [first] + [process.stdout.readline().split()[-1] for _ in range(listeners - 1)]

    def messages(self):
        """The number of messages that its routes have forwarded so far, in both directions."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/metrics", timeout=5) as page:
            text = page.read().decode()
        counts = re.findall(r"^entente_(?:stream_frames|datagrams)_total\{.*\} (\S+)$", text, re.M)
        return sum(float(count) for count in counts)


def threads(pid):
    """CPU seconds of each thread of a process."""
    used = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        used[int(task.name)] = int((task / "schedstat").read_text().split()[0]) / 1e9
    return used


def since(before, now):
    return {thread: used - before.get(thread, 0) for thread, used in now.items()}


def seen(used, messages):
    """A cell's CPU µs per message, of all threads and of the busiest one."""
    return {"all": sum(used.values()) * 1e6 / messages, "busiest": max(used.values()) * 1e6 / messages}


def relay_to(load, kind):
    to = f"native://{load.native}" if kind == "bridge" else f"bzflag://{load.echo}?dialect=2.4"
    return "bzflag://{}?dialect=2.4", to


def loaded(build, load, kind, workers, rate, seconds, processes=1):
    """`rate` 0: full load, the proxy on a core of its own. Otherwise so many messages a second, the proxy on both. Several
    processes share the players out among them."""
    with contextlib.ExitStack() as stack:
        cores = BOTH if rate else contenders.RELAY_CORE
        running = [stack.enter_context(Proxy(build, workers, [relay_to(load, kind)], cores).running(None))
                   for _ in range(processes)]
        before = [threads(pid) for _, pid in running]
        result = load.cell(kind, ",".join(addresses[0] for addresses, _ in running), CONNECTIONS, seconds, rate,
                           ",".join(str(pid) for _, pid in running))
        used = [cpu for old, (_, pid) in zip(before, running) for cpu in since(old, threads(pid)).values()]
    return {"all": result["cpu_us"], "busiest": result["cpu_us"] * max(used) / sum(used), "rate": result["rate"]}


def bots(build, url, count):
    command = [build / "entente", "bot", url, "--count", count, "--behaviour", "wander", "--log-level", "error"]
    return contenders.spawn(command, contenders.LOAD_CORE, stdout=subprocess.DEVNULL)


def played(build, speech, listeners, workers, seconds):
    """Bots in an arena, through the proxy."""
    arena = contenders.arena_of(build, speech.format("127.0.0.1:0"), BOTS)
    arena.core = contenders.LOAD_CORE
    with arena.running(None) as (place, _):
        one = Proxy(build, workers, [(speech, speech.format(place))] * listeners, BOTH)
        with one.running(None) as (addresses, pid):
            crowds = [bots(build, speech.format(address), BOTS // listeners) for address in addresses]
            try:
                time.sleep(BOTS / listeners / JOINED_AT + SETTLING)
                before, messages = threads(pid), one.messages()
                time.sleep(seconds)
                used, messages = since(before, threads(pid)), one.messages() - messages
            finally:
                for crowd in crowds:
                    contenders.kill(crowd)
    return seen(used, messages) | {"rate": messages / seconds}


def beside_arena(build, load):
    """The round trips of a relay's player beside a busy arena, beside an arena without bots, and beside an arena in another process.
    Each cell has one player; the CPU time of the threads shows which worker served it."""
    arena = ARENA.format(seats=ARENA_BOTS, listen=BUSY_ARENA.format("127.0.0.1:0"))
    route = [relay_to(load, "tcp")]
    other = contenders.arena_of(build, BUSY_ARENA.format("127.0.0.1:0"), ARENA_BOTS)
    other.core = BOTH
    found = {}
    with Proxy(build, 2, route, BOTH, arena).running(None) as (addresses, pid):
        found["without bots"] = probes(load, addresses[0], pid)
        with busy(build, addresses[1]):
            found["with bots"] = probes(load, addresses[0], pid)
    with other.running(None) as (place, _), Proxy(build, 2, route, BOTH).running(None) as (addresses, pid):
        with busy(build, place):
            found[IN_ANOTHER] = probes(load, addresses[0], pid)
    return found


@contextlib.contextmanager
def busy(build, place):
    crowd = bots(build, BUSY_ARENA.format(place), ARENA_BOTS)
    try:
        time.sleep(ARENA_BOTS / JOINED_AT + SETTLING)
        yield
    finally:
        contenders.kill(crowd)


def probes(load, address, pid):
    before = threads(pid)
    time.sleep(1)
    idle = since(before, threads(pid))
    found = []
    for _ in range(PROBES):
        before, began = threads(pid), time.monotonic()
        result = load.cell("tcp", address, 1, PROBE_SECONDS, PROBE_RATE, pid)
        passed = time.monotonic() - began
        more = {thread: used / passed - idle.get(thread, 0) for thread, used in since(before, threads(pid)).items()}
        found.append({"latency": result["latency"], "on": max(more, key=more.get), "arena": max(idle, key=idle.get),
                      "share": max(idle.values())})
    return found


def half_load(build, load, kind):
    """Half of what one worker carries, rounded."""
    return round(loaded(build, load, kind, 1, 0, 1.0)["rate"] / 2, -2)


def cell(build, load, name, workers, rate, seconds):
    if name in LOADED:  # paced longer, because its thread times include the joining
        seconds *= report.PACED_LONGER if rate else 1
        if workers == APART:
            return loaded(build, load, name, 1, rate, seconds, processes=2)
        return loaded(build, load, name, workers, rate, seconds)
    return played(build, *PLAYED[name], workers, seconds * report.PACED_LONGER)


def measure(chosen, build, load):
    """One worker, two workers, and (if paced) two processes, one right after another; every second round in reverse order."""
    names = [name for name in NAMES if not chosen.only or name.split(",")[0] in chosen.only.split(",")]
    rates, results = {}, {}
    for number in range(chosen.rounds):
        for name in [name for name in names if name != BESIDE]:
            print(f"cores, round {number + 1} of {chosen.rounds}: {name}", file=sys.stderr)
            if name in LOADED and name not in rates:
                rates[name] = half_load(build, load, name)
            for rate in [0, rates[name]] if name in LOADED else [None]:
                compared = [1, 2, APART] if name in LOADED and rate else [1, 2]
                pair = {workers: cell(build, load, name, workers, rate, chosen.seconds)
                        for workers in (compared if number % 2 == 0 else reversed(compared))}
                results.setdefault((name, rate), []).append(pair)
    return tables(chosen, results, beside_arena(build, load) if BESIDE in names else {})


def ratios(rounds, beside=1):
    return [pair[2]["all"] / pair[beside]["all"] for pair in rounds if beside in pair]


def ratio_words(rounds, beside=1):
    found = ratios(rounds, beside)
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})" if found else "-"


def tables(chosen, results, beside):
    lines = [report.command() + f": medians of {chosen.rounds} rounds of {chosen.seconds:g} s, bots "
             f"and paced {report.PACED_LONGER} times that.", report.surroundings() + ".", ""]
    names = list(dict.fromkeys(name for name, _ in results))
    if names:
        lines += [report.row(["transport", "µs/msg, 1 worker, full load", "2 workers: × at full load", "paced at",
                              "µs/msg, 1 worker, paced", "2 workers: × paced", "2 workers: × 2 processes, paced",
                              "busiest of the 2, paced", "capacity of 2 workers"]),
                  report.row(["---"] + ["--:"] * 8)]
    for name in names:
        full = results.get((name, 0), [])
        paced = next(rounds for (its, rate), rounds in results.items() if its == name and rate != 0)
        cost = lambda rounds: f"{statistics.median(pair[1]['all'] for pair in rounds):.1f}" if rounds else "-"
        share, alone = (statistics.median(pair[workers]["busiest"] / pair[workers]["all"] for pair in paced)
                        for workers in (2, 1))
        rate = statistics.median(pair[1]["rate"] for pair in paced)
        capacity = alone / share / statistics.median(ratios(full or paced))
        lines.append(report.row([name, cost(full), ratio_words(full), f"{rate / 1000:.1f} k/s", cost(paced),
                                 ratio_words(paced), ratio_words(paced, APART), f"{share:.0%}", f"{capacity:.2f}"]))
    if beside:
        lines += [*([""] if names else []), *beside_table(beside)]
    return "\n".join(lines) + "\n"


def beside_table(beside):
    lines = [report.row([f"a relay's player beside an arena of {ARENA_BOTS} bots", "sessions",
                         "ms: p50 / p99 (best and worst cell)", "worst ms", "of a core, the arena's worker"]),
             report.row(["---", "--:", "--:", "--:", "--:"])]
    arena = beside["with bots"][0]["arena"]
    for state, cells in beside.items():
        places = {"": cells} if state == IN_ANOTHER else {
            ", on the arena's worker": [one for one in cells if one["on"] == arena],
            ", on the other worker": [one for one in cells if one["on"] != arena]}
        for where, mine in places.items():
            words = [state + where, str(len(mine))]
            gaps = [one["latency"] for one in mine]
            share = "-" if state == IN_ANOTHER or not mine else f"{statistics.median(one['share'] for one in mine):.0%}"
            words += [report.p50_p99(gaps), f"{report.percentile(report.pooled(gaps), 1):.1f}"] if mine else ["-"] * 2
            lines.append(report.row(words + [share]))
    return lines
