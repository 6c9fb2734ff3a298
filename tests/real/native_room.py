# A game server for native's JSON over TCP that sends the facts that a case gives it, so that the case knows what a page must show.
# Invariant: the only fact that it adds is You; every player and viewer receives the same facts, earlier ones first.
import json
import socket
import threading
import time

from stage import wait_until


class Room:
    """`tell` sends facts; `intents` holds the players' intents."""

    def __init__(self, *facts):
        self._facts, self.intents, self._links, self._lock = list(facts), [], [], threading.Lock()
        self.came = 0  # connections
        self._began = time.monotonic()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            self.came += 1
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._hear, args=(link,), daemon=True).start()

    def _hear(self, link):
        self._send(link, {"audience": "PLAYER", "to": 1, "you": {"player": 1, "contract": 1}})
        try:
            for line in link.makefile("r", encoding="utf-8"):
                intent = json.loads(line)
                self.intents.append(intent)
                if "enter" in intent or "want_world" in intent:
                    with self._lock:
                        for fact in [*self._facts, {"ready": {}}]:
                            self._send(link, fact)
                        if link not in self._links:
                            self._links.append(link)
        except OSError:
            pass

    def _send(self, link, fact):
        at = {"at_us": str(int((time.monotonic() - self._began) * 1e6))}
        try:
            link.sendall(json.dumps({**at, **fact}).encode() + b"\n")
        except OSError:
            if link in self._links:
                self._links.remove(link)

    def tell(self, *facts):
        with self._lock:
            for fact in facts:
                for link in list(self._links):
                    self._send(link, fact)

    def wished(self, kind, seconds=10):
        """The newest intent of a kind, once there is one."""
        return wait_until(lambda: next(([one[kind]] for one in reversed(self.intents) if kind in one), None), seconds, f"no {kind} was received")[0]

    def kill(self):
        self._socket.close()
        for link in self._links:
            try:
                link.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it
            except OSError:
                pass  # the other side closed first
            link.close()


def player(number, name, team, x, y, yaw=0.0, **unit):
    """The facts of a player with one unit, whose id is 100 more."""
    return [{"player": {"id": number, "name": name, "team": team, "responding": True}},
            {"unit": {"id": 100 + number, "owner": number, "team": team, "radius": 4.3, "alive": True, **unit,
                      "pose": {"unit": 100 + number, "x": x, "y": y, "yaw": yaw, **unit.get("pose", {})}}},
            {"owns": {"player": number, "units": [100 + number], "active": 100 + number}}]
