#!/usr/bin/env python3
# tests/fleet_size/simulate.py [--markdown | --check README]: how large a fleet must be for 10,000, 100,000 and 1,000,000 players, and what
# breaks first; with the costs in costs.json, which measure.py has measured. --check fails if README has not this result.
# Invariant: seeded, so that the numbers are the same everywhere; every number that is not measured is in LIMITS.
from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COSTS = json.load(open(os.path.join(HERE, "costs.json")))
SEED = 26

# What is assumed, not measured: machines, and how full they may be.
LIMITS = {
    "arena_players": 64,      # seats of an arena
    "cores_filled": 0.6,      # of a core, at most, so that a peak and the loss of a neighbour fit
    "nats_cores": 8,          # of each nats-server
    "nats_bits": 10e9 * 0.6,  # of its network, each way
    "node_names": 4_096,      # that ctl --fleet keeps
    "js_writes": 20_000,      # a second, into one stream with three copies, on SSDs
    "nats_servers": 3,        # of a cluster at first
    "most_nats_servers": 15,  # beyond it, their full mesh of routes costs more than a server adds
}


def arena_sizes(players: int, dice: random.Random) -> list[int]:
    """The sizes of arenas in an evening: most are nearly full, some have just begun."""
    sizes = []
    left = players
    while left:
        size = min(left, LIMITS["arena_players"], max(2, int(dice.betavariate(4, 1.6) * LIMITS["arena_players"])))
        sizes.append(size)
        left -= size
    return sizes


def spread(size: int, edges: int, by_arena: bool, dice: random.Random) -> int:
    """The number of edges with players of an arena: the balancer spreads them at random, or keeps most of them together."""
    if by_arena:  # the balancer hashes the port or the name of the arena; a tenth come by another way
        together = sum(dice.random() < 0.9 for _ in range(size))
        return min(1 + len({dice.randrange(edges) for _ in range(size - together)}), edges)
    return len({dice.randrange(edges) for _ in range(size)})


def simulate(players: int, by_arena: bool) -> dict[str, object]:
    """A fleet of just as many nodes as these players need."""
    node, arena, client = (COSTS[name] for name in ("node", "arena", "client"))
    recording = COSTS.get("recording") or dict.fromkeys(node, 0.0)
    edge_of_arena = {key: COSTS["edge"][key] + COSTS["second_edge"][key] for key in node}  # an edge with players of an arena
    sizes = arena_sizes(players, random.Random(SEED))
    arenas, of_core = len(sizes), LIMITS["cores_filled"]
    edges = 2
    while True:  # with more edges, an arena's players use more of them
        dice = random.Random(SEED)
        edges_of_arenas = sum(spread(size, edges, by_arena, dice) for size in sizes)
        wanted = max(2, math.ceil((players * client["edge_cpu"] + edges_of_arenas * edge_of_arena["edge_cpu"]) / of_core))
        if wanted <= edges:
            break
        edges = wanted
    recorded = players / COSTS["players"]  # a recording grows with the players in it

    def of_arenas(key: str) -> float:
        return arenas * arena[key] + recorded * recording[key] + players * client[key] + edges_of_arenas * edge_of_arena[key]

    owners = max(2, math.ceil(of_arenas("owner_cpu") / of_core))
    nodes = edges + owners

    def total(key: str) -> float:
        return nodes * node[key] + of_arenas(key)

    bits = 8 * max(total("in_bytes"), total("out_bytes"))
    by_cpu = total("nats_cpu") / (LIMITS["nats_cores"] * of_core)
    by_network = 2 * bits / LIMITS["nats_bits"]  # most messages cross a route to another server
    servers = max(LIMITS["nats_servers"], math.ceil(max(by_cpu, by_network)))
    largest = LIMITS["arena_players"]
    at_largest = largest if not by_arena else 1 + largest // 10
    leases = 4 * arenas  # renewals a second, in one stream
    load = {
        "lease renewals": leases / LIMITS["js_writes"],
        "processor time of NATS": by_cpu / LIMITS["most_nats_servers"],
        "network of NATS": by_network / LIMITS["most_nats_servers"],
        "the owner of a full arena": (arena["owner_cpu"] + largest * client["owner_cpu"] + min(at_largest, edges) * edge_of_arena["owner_cpu"]
                                      + largest / COSTS["players"] * recording["owner_cpu"]) / of_core,
        "names of nodes that an operator keeps": nodes / LIMITS["node_names"],
    }
    first = max(load, key=lambda name: load[name])
    return {"arenas": arenas, "edges": edges, "owners": owners, "edges_of_arenas": edges_of_arenas / arenas, "servers": servers, "msgs_out": total("out_msgs"), "bits": bits,
            "leases": leases, "first": first, "load": load[first]}


def count(number: float) -> str:
    return f"{number:,.0f}"


def markdown() -> str:
    names = (("node", "a node"), ("arena", "an arena without players"), ("edge", "an edge of an arena, without players"), ("first_client", "each of the first 16 clients of an edge"),
             ("client", "each of 16 more"), ("second_edge", "16 of 32 clients move to a second edge"), ("recording", "a recording of 16 players"))
    lines = ["| cost of | messages/s in | out | bytes/s in | out | NATS, ms/s | owner, ms/s | edges, ms/s |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for key, name in names:
        if key not in COSTS:
            continue
        its = COSTS[key]
        lines.append(f"| {name} | {its['in_msgs']:.1f} | {its['out_msgs']:.1f} | {count(its['in_bytes'])} | {count(its['out_bytes'])} | {its['nats_cpu'] * 1e3:.2f} | {its['owner_cpu'] * 1e3:.2f} | {its['edge_cpu'] * 1e3:.2f} |")
    lines += ["", "| players | balancer | arenas | edges | owners | edges of an arena | nats-servers | messages/s out | Gbit/s | lease renewals/s | first limit, and how much of it is used |", "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"]
    for players in (10_000, 100_000, 1_000_000):
        for by_arena in (False, True):
            its = simulate(players, by_arena)
            lines.append(f"| {count(players)} | {'by arena' if by_arena else 'random'} | {count(its['arenas'])} | {count(its['edges'])} | {count(its['owners'])} | {its['edges_of_arenas']:.1f} | {its['servers']} | {count(its['msgs_out'])} | {its['bits'] / 1e9:.2f} | {count(its['leases'])} | {its['first']}: {its['load']:.0%} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--check", metavar="README")
    asked = options.parse_args()
    text = markdown()
    if not asked.check:
        print(text, end="")
        return 0
    if text not in open(asked.check).read():
        print(f"{asked.check} lacks the result of tests/fleet_size/simulate.py:\n{text}\n0 passed, 1 failed")
        return 1
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
