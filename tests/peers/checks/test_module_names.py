# Installed modules with the names of ours (Debian's python3-enet, python3-webpy) are not taken for ours.
import os
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REAL = os.path.join(TESTS, "real")
OURS = [os.path.join(TESTS, part) for part in ("peers", "matrix", "matrix/games")]
# As tests/real/run imports them: its own folder first.
IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); import aos_player, arena_guests; from cases import contract, aos_bridge"


class ModuleNames(unittest.TestCase):
    def test_installed_modules_with_our_names_are_not_imported(self) -> None:
        with tempfile.TemporaryDirectory() as installed:
            for folder in OURS:
                for file in os.listdir(folder):
                    if file.endswith(".py"):
                        with open(os.path.join(installed, file), "w", encoding="utf-8") as module:
                            module.write("raise ImportError('an installed module was taken for ours: ' + __name__)\n")
            environment = {**os.environ, "PYTHONPATH": installed, "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run([sys.executable, "-c", IMPORT, REAL], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual("", done.stderr)
            self.assertEqual(0, done.returncode)


if __name__ == "__main__":
    unittest.main()
