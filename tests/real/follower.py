# Follows one client on a separate thread, by the bytes that a shim kept.
import threading
import time

TICK = 0.02  # seconds between two looks


class Follower:
    """Calls `_look` every TICK, from start() until kill()."""

    _stopped = False

    def start(self):
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def kill(self):
        self._stopped = True
        self._thread.join(5)

    def _run(self):
        while not self._stopped:
            time.sleep(TICK)
            self._look()
