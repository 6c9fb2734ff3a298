#!/usr/bin/env python3
# Campaigns of fuzzing, with scripts in place of targets: what is added up, kept and minimized, and what is not run again.
import pathlib
import subprocess
import sys
import tempfile
import unittest

CAMPAIGN = pathlib.Path(__file__).resolve().parent / "campaign.py"
# Merges like libFuzzer, breaks on files that contain "bad", finds such a file if BREAKS is in its folder, and else executes 1,000 inputs.
FAKE = r"""#!/bin/bash
here=$(dirname "$0")
for word in "$@"; do
  case $word in
    -merge=1) merge=yes ;;
    -artifact_prefix=*) prefix=${word#*=} ;;
    -*) ;;
    *) files+=("$word") ;;
  esac
done
if [[ ${merge:-} ]]; then cp "${files[1]}/new" "${files[0]}/"; exit; fi
if [[ -f ${files[0]:-} ]]; then ! grep -q bad "${files[0]}"; exit; fi
if [[ -e $here/BREAKS ]]; then echo "#400	NEW"; echo bad >"${prefix}crash-1"; exit 1; fi
touch "${files[0]}/new" "${files[0]}/superfluous"
echo "stat::number_of_executed_units: 1000"
"""


class Campaigns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.target("one")

    def target(self, name):
        file = self.root / f"fuzz_{name}"
        file.write_text(FAKE)
        file.chmod(0o755)

    def run_it(self):
        return subprocess.run([sys.executable, CAMPAIGN, "--hours", str(1.5 / 3600), "--turn", "1", "--jobs", "2", "--targets", self.root,
                               "--keep", self.root / "keep"], stdout=subprocess.PIPE, text=True, timeout=60, check=False)

    def totals(self, name="one"):
        rows = [line.split("\t") for line in (self.root / "keep/totals.tsv").read_text().splitlines()]
        return {row[0]: [int(number) for number in row[1:]] for row in rows[1:]}[name]

    def test_campaigns_add_up_and_keep_a_minimal_corpus(self):
        self.assertEqual(self.run_it().returncode, 0)
        first = self.totals()
        self.assertEqual(first[0] % 1000, 0)
        self.assertGreaterEqual(first[0], 1000)
        self.assertEqual(first[:2], [first[0], first[0]])
        self.assertTrue((self.root / "keep/corpus/one/new").exists())
        self.assertEqual(self.run_it().returncode, 0)
        self.assertGreaterEqual(self.totals()[0], first[0] + 1000)

    def test_what_was_found_is_told_and_stops_the_target_until_it_is_mended(self):
        (self.root / "BREAKS").touch()
        ended = self.run_it()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("one-crash-1: found now", ended.stdout)
        self.assertEqual(self.totals()[:3], [400, 0, 1])
        again = self.run_it()
        self.assertEqual(again.returncode, 1)
        self.assertIn("one-crash-1: still breaks", again.stdout)
        self.assertEqual(self.totals()[0], 400)
        (self.root / "BREAKS").unlink()
        (self.root / "keep/found/one-crash-1").write_text("mended")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertFalse((self.root / "keep/found/one-crash-1").exists())
        total, clean = self.totals()[:2]
        self.assertEqual(total, clean + 400)

    def test_targets_take_turns(self):
        self.target("two")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertGreaterEqual(min(self.totals("one")[0], self.totals("two")[0]), 1000)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
