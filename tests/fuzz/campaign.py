#!/usr/bin/env python3
# Fuzzes all targets in turn for some hours, and goes on where the last campaign stopped.
# Invariant: what has run is written after each turn, so that an interrupted campaign loses at most one turn of each target.
#
#   tests/fuzz/campaign.py --hours N [--targets DIR] [--keep DIR] [--jobs J] [--turn SECONDS]
#
# KEEP/corpus/NAME has the inputs of a target, minimized; KEEP/found what broke it; KEEP/totals.tsv what has run altogether. A target that still
# breaks on what it found has no turn until it is mended.
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
AIM, CLEAN_AIM = 10**9, 10**8  # executions in all, and since the last find
FIELDS = ("executions", "clean", "finds", "seconds")  # of all campaigns; clean: executions since the last find
LIMITS = ["-timeout=10", "-rss_limit_mb=2048"]
GROWN = 1.5  # a corpus that has grown by this factor is minimized


class Target:
    def __init__(self, program, keep):
        self.program, self.name = program, program.name.removeprefix("fuzz_")
        self.corpus, self.found = keep / "corpus" / self.name, keep / "found"
        self.minimal = 0  # files in the corpus when it was minimized
        self.totals = dict.fromkeys(FIELDS, 0)
        for folder in (self.corpus, self.found):
            folder.mkdir(parents=True, exist_ok=True)

    def seeds(self):
        return [folder for folder in (self.program.parent / "seeds" / self.name, HERE / "corpus" / self.name) if folder.is_dir()]

    def run(self, *arguments):
        """(exit code, what it said)"""
        done = subprocess.run([self.program, *LIMITS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode(errors="replace")

    def breaks_still(self):
        """What it found earlier, and still breaks on. Removes what is mended."""
        left = []
        for file in sorted(self.found.glob(self.name + "-*")):
            if self.run(file)[0] == 0:
                file.unlink()
            else:
                left.append(file)
        return left

    def turn(self, seconds):
        """Returns what it found: a file, or None."""
        before, began = set(self.found.glob(self.name + "-*")), time.monotonic()
        code, said = self.run(f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={self.found}/{self.name}-", self.corpus, *self.seeds())
        count = [int(number) for number in re.findall(r"^stat::number_of_executed_units: *(\d+)", said, re.MULTILINE)]
        count = count or [int(number) for number in re.findall(r"^#(\d+)\t", said, re.MULTILINE)]
        executed = count[-1] if count else 0
        new = sorted(set(self.found.glob(self.name + "-*")) - before)
        self.totals["executions"] += executed
        self.totals["seconds"] += round(time.monotonic() - began)
        if code == 0:
            self.totals["clean"] += executed
            self.minimize()
            return None
        self.totals["clean"], self.totals["finds"] = 0, self.totals["finds"] + 1
        log = self.found / f"{self.name}.log"
        log.write_text(said)
        return new[0] if new else log

    def minimize(self):
        """Keeps a smallest set of inputs that reaches the same code."""
        files = len(list(self.corpus.iterdir()))
        if files <= self.minimal * GROWN:
            return
        smaller = self.corpus.with_name(self.name + ".smaller")
        shutil.rmtree(smaller, ignore_errors=True)
        smaller.mkdir()
        if self.run("-merge=1", smaller, self.corpus)[0] == 0:
            shutil.rmtree(self.corpus)
            smaller.rename(self.corpus)
        self.minimal = len(list(self.corpus.iterdir()))


def read_totals(file, targets):
    by_name = {one.name: one for one in targets}
    for line in file.read_text().splitlines()[1:] if file.exists() else ():
        name, *numbers = line.split("\t")
        if name in by_name:
            by_name[name].totals = dict(zip(FIELDS, map(int, numbers)))


def write_totals(file, targets):
    rows = ["\t".join(("target", *FIELDS))] + ["\t".join((one.name, *(str(one.totals[key]) for key in FIELDS))) for one in targets]
    fresh = file.with_suffix(".new")
    fresh.write_text("\n".join(rows) + "\n")
    fresh.replace(file)


def report(targets):
    """A line for each target, and the sum. Nothing was found in the last `clean` executions of a target."""
    width = max(len(one.name) for one in targets)
    for one in targets:
        print(f"{one.name:{width}}  {one.totals['executions']:>13,} executions, {one.totals['clean']:>13,} since the last find, "
              f"{one.totals['finds']} finds, {one.totals['seconds'] / 3600:.1f} h")
    executions, clean = (sum(one.totals[key] for one in targets) for key in ("executions", "clean"))
    print(f"{executions:,} executions in all (aim: {AIM:,}), {clean:,} since the last finds (aim: {CLEAN_AIM:,})")


def campaign(targets, given, totals):
    broken = [file for one in targets for file in one.breaks_still()]
    waiting = [one for one in targets if not any(file.name.startswith(one.name + "-") for file in broken)]
    found = [f"{file}: still breaks" for file in broken]
    until = time.monotonic() + given.hours * 3600
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        running = {}
        while True:
            left = until - time.monotonic()
            while left >= 1 and waiting and len(running) < given.jobs:
                one = min(waiting, key=lambda target: target.totals["seconds"])  # the one that has run least
                waiting.remove(one)
                running[pool.submit(one.turn, max(1, round(min(given.turn, left))))] = one
            if not running:
                break
            for done in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                one, file = running.pop(done), done.result()
                if file is None:
                    waiting.append(one)
                else:
                    found.append(f"{file}: found now")
                print(f"{one.name}: {one.totals['executions']:,} executions{f'; FOUND {file}' if file else ''}", flush=True)
                write_totals(totals, targets)
    report(targets)
    print("\n".join(found))
    return 1 if found else 0


def main():
    parse = argparse.ArgumentParser(prog="deploy/fuzz", description="Fuzzes all targets in turn, and adds up what has run.")
    parse.add_argument("--hours", type=float, required=True)
    parse.add_argument("--targets", type=pathlib.Path, default=pathlib.Path("build/fuzz/tests/fuzz"), help="the folder with the programs fuzz_NAME")
    parse.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("build/fuzz"), help="where the corpora, what was found and the totals are kept")
    parse.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at once")
    parse.add_argument("--turn", type=float, default=300, help="seconds that a target runs before another has its turn")
    given = parse.parse_args()
    programs = sorted(file for file in given.targets.glob("fuzz_*") if file.is_file() and os.access(file, os.X_OK) and file.name != "fuzz_seeds")
    if not programs:
        parse.error(f"no target in {given.targets}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    targets = [Target(program.resolve(), given.keep.resolve()) for program in programs]
    totals = given.keep / "totals.tsv"
    read_totals(totals, targets)
    return campaign(targets, given, totals)


if __name__ == "__main__":
    sys.exit(main())
