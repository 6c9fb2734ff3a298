# What the benchmark saw, as markdown: medians over the rounds, ratios inside each round, and the aims held against them.
# Invariant: a ratio is taken inside one round and then its median over the rounds; never between two medians. Percentiles are
# those of all rounds' durations together: one bad moment makes a round's p99, and says nothing of the relay.
import collections
import datetime
import os
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys

BUSY = os.getloadavg()[0]  # what else the machine did when this began
OURS, RECORDING, BRIDGE = "entente", "entente + recording", "entente bridging"
EACH_SAYS = 30  # messages a second, of a tank: the load of a bridge's paced cells
PACED_LONGER = 2  # times the seconds of a cell: what is rare has to be seen
DRAWS = 400


def cell_name(cell):
    kind, connections, paced = cell
    return f"{kind}:{connections}" + (":paced" if paced else "")


def values(results, name, cell, what):
    return [rounds[cell][what] for rounds in results.get(name, []) if cell in rounds]


def median(results, name, cell, what):
    found = values(results, name, cell, what)
    return statistics.median(found) if found else None


def each_round(results, name, other, cell, what):
    """Beside another's in each round; without another what one connection has of it."""
    mine = values(results, name, cell, what)
    if other is None:
        return [value / cell[1] for value in mine]
    return [value / theirs for value, theirs in zip(mine, values(results, other, cell, what)) if theirs]


def ratio(results, name, other, cell, what):
    found = each_round(results, name, other, cell, what)
    return statistics.median(found) if found else None


def pooled(histograms):
    """Of the load's [[ns, count], ...], one."""
    counts = collections.Counter()
    for histogram in histograms:
        counts.update(dict(histogram))
    return sorted(counts.items())


def percentile(histogram, share):
    """In ms; 0 if nothing was counted."""
    wanted, seen = share * sum(count for _, count in histogram), 0
    for ns, count in histogram:
        seen += count
        if seen > wanted or seen == wanted and share == 1:
            return ns / 1e6
    return 0.0


def p99(histograms):
    return percentile(pooled(histograms), 0.99)


def spread(estimate, rounds):
    """Between what an estimate lies nine times in ten, if as many rounds are drawn from these ones again and again."""
    dice = random.Random(2026)
    drawn = sorted(estimate(dice.choices(range(rounds), k=rounds)) for _ in range(DRAWS))
    return drawn[DRAWS // 20], drawn[-DRAWS // 20 - 1]


def shown(value, form):
    return "-" if value is None else format(value, form)


def row(words):
    return "| " + " | ".join(words) + " |"


def thousands(value):
    return "-" if value is None else f"{value / 1000:.1f} k"


def p50_p99(histograms):
    """p50 / p99 of all rounds in ms, and the p99 of the best and the worst of them."""
    every = pooled(histograms)
    rounds = [p99([histogram]) for histogram in histograms]
    return f"{percentile(every, 0.5):.2f} / {percentile(every, 0.99):.2f} ({min(rounds):.2f} to {max(rounds):.2f})"


def milliseconds(results, name, cell):
    found = values(results, name, cell, "latency")
    if not found:
        return "-"
    return "overrun" if sum(values(results, name, cell, "skipped")) else p50_p99(found)


def core_share(results, name, cell):
    found = [rate * cpu / 1e6 for rate, cpu in zip(*(values(results, name, cell, what) for what in ("rate", "cpu_us")))]
    return f"{statistics.median(found):.0%}" if found and name != "direct" else "-"


def table(results, kind, cells, beside):
    full = [cell for cell in cells if cell[0] == kind and not cell[2]]
    paced = [cell for cell in cells if cell[0] == kind and cell[2]]
    load, shared = ("at half load", []) if kind != "bridge" else (f"at {EACH_SAYS}/s each", paced)
    busy = [cell for cell in full if cell[1] > 1]
    head = [kind.upper()] + [f"msg/s, {n} conn" for _, n, _ in full] + [f"× {beside}, {n}" for _, n, _ in busy]
    head += [f"CPU µs/msg, {n}" for _, n, _ in busy] + [f"× floor, {n}" for _, n, _ in busy]
    head += [f"p50 / p99 ms, {n} {load}" for _, n, _ in paced] + [f"of the core, {n} {load}" for _, n, _ in shared]
    lines = [row(head), row(["---"] + ["--:"] * (len(head) - 1))]
    for name in results:
        if not any(values(results, name, cell, "rate") for cell in full + paced):
            continue
        words = [name] + [thousands(median(results, name, cell, "rate")) for cell in full]
        words += [shown(ratio(results, name, beside, cell, "rate"), ".2f") for cell in busy]
        used = name != "direct"
        words += [shown(median(results, name, cell, "cpu_us") if used else None, ".2f") for cell in busy]
        words += [shown(ratio(results, name, "floor", cell, "cpu_us") if used else None, ".2f") for cell in busy]
        words += [milliseconds(results, name, cell) for cell in paced]
        words += [core_share(results, name, cell) for cell in shared]
        lines.append(row(words))
    return lines


# (what is aimed at, mine, other, cell, quantity, least, most); without an other mine alone: see each_round and p99s
AIMS = [
    ("TCP messages beside HAProxy, 100 connections", OURS, "HAProxy", ("tcp", 100, False), "rate", 1.05, None),
    ("TCP messages beside nginx, 100 connections", OURS, "nginx", ("tcp", 100, False), "rate", 0.99, None),
    ("TCP CPU per message beside the floor, 100", OURS, "floor", ("tcp", 100, False), "cpu_us", None, 1.05),
    ("TCP p99 at half load beside HAProxy, 100", OURS, "HAProxy", ("tcp", 100, True), "latency", None, 1.00),
    ("UDP messages beside nginx, 100 players", OURS, "nginx", ("udp", 100, False), "rate", 1.25, None),
    ("TCP messages with recording beside without, 100", RECORDING, OURS, ("tcp", 100, False), "rate", 0.90, None),
    ("UDP messages with recording beside without, 100", RECORDING, OURS, ("udp", 100, False), "rate", 0.90, None),
    ("bridged messages beside those that HAProxy copies, 100", BRIDGE, "HAProxy", ("bridge", 100, False), "rate", 1.00,
     None),
    ("messages a second for each of 200 bridged sessions", BRIDGE, None, ("bridge", 200, False), "rate", EACH_SAYS,
     None),
    *((f"bridged p99 in ms at {EACH_SAYS} messages a second each, {n}", BRIDGE, None, ("bridge", n, True), "latency",
       None, 2.00) for n in (100, 200)),
    *((f"{kind.upper()} CPU per message beside the earlier build, {n}", mine, before, (kind, n, False), "cpu_us", None, 1.05)
      for kind, n, mine, before in (("tcp", 100, OURS, "before"), ("tcp", 1000, OURS, "before"), ("udp", 100, OURS, "before"),
                                    ("bridge", 100, BRIDGE, "before bridging"), ("bridge", 200, BRIDGE, "before bridging"))),
]


def p99s(results, mine, other, cell):
    """The p99 of all rounds' messages together, in ms or beside another's, with its spread; None: not measured."""
    found = [values(results, name, cell, "latency") for name in (mine, other) if name is not None]
    rounds = min(len(each) for each in found)
    if rounds == 0:
        return None

    def estimate(drawn):
        first, *second = (p99([each[i] for i in drawn]) for each in found)
        return first / second[0] if second else first

    return estimate(range(rounds)), *spread(estimate, rounds)


def medians(results, mine, other, cell, what):
    """The median over the rounds, the least and the most of them; None: not measured."""
    found = each_round(results, mine, other, cell, what)
    return (statistics.median(found), min(found), max(found)) if found else None


def aim_row(text, seen, least, most, is_borne=True, sure=True):
    """`sure`: the spread is that of the rounds, and not of the estimate."""
    measured, low, high = seen
    meets = lambda value: (least is None or value >= least) and (most is None or value <= most)
    wanted = f"≥ {least:.2f}" if least is not None else f"≤ {most:.2f}"
    verdict = "held" if meets(measured) and is_borne else "**missed**" if is_borne else "**missed**: overrun"
    doubt = "" if sure or not is_borne or meets(low) == meets(high) else ", not surely"
    return row([text, wanted, f"{measured:.2f}", f"{low:.2f} to {high:.2f}", verdict + doubt])


AIM_HEAD = [row(["aim", "wanted", "measured", "rounds", ""]), row(["---", "--:", "--:", "---", "---"])]


def aims(results):
    lines = []
    for text, mine, other, cell, what, least, most in AIMS:
        pools = what == "latency"
        seen = p99s(results, mine, other, cell) if pools else medians(results, mine, other, cell, what)
        if seen is not None:
            borne = not sum(values(results, mine, cell, "skipped"))
            lines.append(aim_row(text, seen, least, most, is_borne=borne, sure=not pools))
    return AIM_HEAD + lines if lines else []


def losses(results, cells):
    lines = []
    for name in results:
        for cell in cells:
            lost = sum(values(results, name, cell, "lost"))
            if lost:
                lines.append(f"Messages lost: {name}, {cell_name(cell)}: {lost} in all rounds.")
    return lines


def first_line(*command):
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[0]


def command():
    return "`" + " ".join(["tests/bench/run", *sys.argv[1:]]) + "`"


def surroundings():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    socat = re.search(r"socat version (\S+)", subprocess.run(
        ["socat", "-V"], capture_output=True, text=True, check=False).stdout) if shutil.which("socat") else None
    commit = first_line("git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "--short", "HEAD")
    version = lambda text: re.search(r"\d+\.\d+(\.\d+)?", text).group() if text else "absent"
    return (f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, commit {commit}, "
            f"Linux {platform.release()}, {cpu.group(1) if cpu else platform.machine()}, "
            f"load average {BUSY:.1f} before, "
            f"g++ {version(first_line('g++', '-dumpfullversion'))}, "
            f"HAProxy {version(first_line('haproxy', '-v'))}, nginx {version(first_line('nginx', '-v'))}, "
            f"socat {socat.group(1) if socat else 'absent'}")


def relays(results, cells, rates, chosen, complaints):
    lines = [command() + f": medians of {chosen.rounds} interleaved rounds. "
             f"A cell takes {chosen.seconds:g} s, a paced one {PACED_LONGER * chosen.seconds:g} s.",
             surroundings() + ".", ""]
    for kind, beside in (("tcp", "HAProxy"), ("udp", "nginx"), ("bridge", "HAProxy")):
        if not any(cell[0] == kind for cell in cells):
            continue
        lines += table(results, kind, cells, beside) + [""]
        if kind in rates:
            lines += [f"Half load, {kind.upper()}: {rates[kind]:,.0f} messages per second for everybody.", ""]
    lines += losses(results, cells) + complaints + [""] + aims(results)
    return "\n".join(lines).rstrip() + "\n"


# The messages that make up most of a session's traffic.
HOT = ["bzflag/2.4/MsgPlayerUpdateSmall/c2s", "bzflag/2.4/MsgPlayerUpdate/c2s", "bzflag/2.4/MsgShotBegin/c2s",
       "bzflag/2.4/MsgShotEnd/c2s", "bzflag/2.4/MsgMessage/s2c", "panic/le-padded/Action/c2s",
       "panic/le-padded/Move/s2c", "panic/be-packed/Move/s2c", "aos/0.75/WorldUpdate/s2c", "aos/0.75/PositionData/c2s",
       "aos/0.75/WeaponInput/c2s", "ogar/modern3/ClientUpdate/c2s", "ogar/modern3/Update/s2c",
       "ogar/legacy4/UpdateNodes/s2c", "bzdraft/draft/MsgPlayerUpdate/c2s"]


def codec_table(seen):
    lines = [row(["message", "bytes", "decode ns", "encode ns"]), row(["---", "--:", "--:", "--:"])]
    for name in HOT:
        if name in seen:
            one = seen[name]
            lines.append(row([name, f"{one['bytes']:.0f}", f"{one['decode']:.1f}", f"{one['encode']:.1f}"]))
    return lines


def dialect_table(seen):
    lines = [row(["dialect", "rows", "decode ns, median", "slowest", "encode ns, median", "slowest"]),
             row(["---", "--:", "--:", "---", "--:", "---"])]
    for dialect in dict.fromkeys(name.rsplit("/", 2)[0] for name in seen):
        mine = {name: one for name, one in seen.items() if name.rsplit("/", 2)[0] == dialect}
        words = [dialect, str(len(mine))]
        for verb in ("decode", "encode"):
            slowest = max(mine, key=lambda name: mine[name][verb])
            words += [f"{statistics.median(one[verb] for one in mine.values()):.1f}",
                      f"{mine[slowest][verb]:.0f} ({slowest.split('/', 2)[2]}, {mine[slowest]['bytes']:.0f} bytes)"]
        lines.append(row(words))
    return lines


def codecs(measured):
    """`measured`: what Google Benchmark wrote as JSON."""
    seen = {}
    for one in measured["benchmarks"]:
        verb, name = one["name"].split("/", 1)
        seen.setdefault(name, {"bytes": one["bytes"]})[verb] = one["cpu_time"]
    lines = [command() + ": invented messages, 16 different ones of each row in turn, through `wire::Codec`.",
             surroundings() + ".", ""]
    return "\n".join(lines + codec_table(seen) + [""] + dialect_table(seen)) + "\n"


def rooms(measured, arena):
    """Likewise; `arena`: of ticks."""
    lines = [command() + ": BZFlag 2.4 beside native, TCP; the whole way of an event from bytes to bytes.",
             surroundings() + ".", "", row(["event", "CPU ns in the room", "wanted"]), row(["---", "--:", "--:"])]
    for one in measured["benchmarks"]:
        if one.get("error_occurred"):
            raise RuntimeError(f"{one['name']}: {one['error_message']}")
        what = {"drives": "a player's own pose", "sees": "another's pose"}[one["name"].split("/")[0]]
        lines.append(row([what, f"{1e9 / one['items_per_second']:.0f}", "≤ 1000"]))
    lines += ["", row(["Ogar cells in one arena", "CPU ms a tick", "of the 40 ms that it has", "pictures a tick", "KB a tick",
                       "with all rules of config/rules (wanted: ≤ 1.05 times)"]),
              row(["--:", "--:", "--:", "--:", "--:", "--:"])]
    ticks = {one["name"]: one for one in arena["benchmarks"]}
    for name, one in ticks.items():
        if not name.startswith("tick/"):
            continue
        ruled = ticks["ruled_" + name]["cpu_time"] / one["cpu_time"]
        lines.append(row([name.split("/")[1], f"{one['cpu_time']:.2f}", f"{one['cpu_time'] / 40:.0%}", f"{one['frames']:.0f}",
                          f"{one['bytes'] / 1000:.0f}", f"{ruled:.2f} times"]))
    return "\n".join(lines) + "\n"


def arena_aims(clients, rounds):
    gaps = [one["gaps"] for one in rounds]
    estimate = lambda drawn: p99([gaps[i] for i in drawn])
    rates = [one["pictures"] / one["seconds"] / clients for one in rounds]
    between = (estimate(range(len(gaps))), *spread(estimate, len(gaps)))
    shown_to_each = (statistics.median(rates), min(rates), max(rates))
    return [aim_row(f"p99 between two pictures in ms, {clients} clients", between, None, 60, sure=False),
            aim_row(f"pictures a second for each of {clients} clients", shown_to_each, 24.5, None)]


def arena(results, started, chosen, seconds, complaints):
    """`results`: clients to what was seen in each round; `started`: the arena's command."""
    lines = [command() + f": medians of {chosen.rounds} rounds of {seconds:g} s; `{started}` on one core, "
             "`bench_crowd` on the other.", surroundings() + ".", "",
             row(["Ogar clients", "of the arena's core", "pictures a client a second", "between two, ms: p50 / p99",
                  "worst", "empty pictures", "KB a picture", "MB a second", "lives a second", "of the crowd's core"]),
             row(["--:"] * 10)]
    for clients, rounds in results.items():
        middle = lambda what, by="seconds": statistics.median(one[what] / (one[by] if by else 1) for one in rounds)
        gaps = [one["gaps"] for one in rounds]
        lines.append(row([str(clients), f"{middle('cpu_share', None):.0%}", f"{middle('pictures') / clients:.2f}",
                          p50_p99(gaps), f"{percentile(pooled(gaps), 1):.0f}", f"{middle('empty', 'pictures'):.1%}",
                          f"{middle('bytes', 'pictures') / 1000:.2f}", f"{middle('bytes') / 1e6:.1f}",
                          f"{middle('lives'):.1f}", f"{middle('load_share', None):.0%}"]))
    lines += ["", *complaints, *AIM_HEAD]
    for clients, rounds in results.items():
        lines += arena_aims(clients, rounds)
    return "\n".join(lines) + "\n"


# What an arena with 100 bots took of a core before facts were encoded once and each link wrote once a turn: 2026-11-22.
BOTS_ONCE = {"native://{}?dialect=protobuf": 0.24, "native://{}?dialect=json": 0.99, "bzflag://{}?dialect=2.4": 0.30,
             "aos://{}?dialect=0.75": 0.22}
JSON_BESIDE_PROTOBUF = 1.3


def bots(results, counts, chosen, seconds, complaints):
    """`results`: (how they speak, how many) to what was seen in each round."""
    speeches = list(dict.fromkeys(speech for speech, _ in results))
    protobuf, json_lines = "native://{}?dialect=protobuf", "native://{}?dialect=json"
    shares = lambda speech, count: [one["share"] for one in results.get((speech, count), [])]
    beside = lambda speech, count: [mine / theirs for mine, theirs in zip(shares(speech, count), shares(protobuf, count)) if theirs]
    middle = lambda found, form: format(statistics.median(found), form) if found else "-"
    lines = [command() + f": medians of {chosen.rounds} rounds of {seconds:g} s; an arena with as many seats as bots on one core, "
             "`entente bot --behaviour hunt` on the other.", surroundings() + ".", "",
             row(["bots", *(f"{n}: of the core" for n in counts), *(f"{n}: × protobuf" for n in counts),
                  *(f"{n}: of the bots' core" for n in counts)]),
             row(["---"] + ["--:"] * 3 * len(counts))]
    for speech in speeches:
        own = lambda count: [one["bots_share"] for one in results.get((speech, count), [])]
        lines.append(row(["`" + speech.replace("{}", "…") + "`", *(middle(shares(speech, n), ".1%") for n in counts),
                          *(middle(beside(speech, n), ".2f") for n in counts), *(middle(own(n), ".0%") for n in counts)]))
    short = [f"{speech.replace('{}', '…')}, {n}: only {min(one['came'] for one in seen)} were let in."
             for (speech, n), seen in results.items() if min(one["came"] for one in seen) < n]
    lines += ["", *short, *complaints, *([""] if short or complaints else []), *AIM_HEAD]
    for n in counts:
        found = beside(json_lines, n)
        if found:
            lines.append(aim_row(f"JSON beside protobuf, {n} bots", (statistics.median(found), min(found), max(found)), None,
                                 JSON_BESIDE_PROTOBUF))
    for speech, once in BOTS_ONCE.items():
        found = shares(speech, 100)
        if found:
            lines.append(aim_row(f"of a core, 100 bots, `{speech.replace('{}', '…')}`",
                                 (statistics.median(found), min(found), max(found)), None, once / 2))
    return "\n".join(lines) + "\n"


def write(path, name, text):
    """Replaces what stands between the markers of `name`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    whole = path.read_text()
    head, rest = whole.split(begin, 1)
    path.write_text(head + begin + "\n" + text + end + rest.split(end, 1)[1])
