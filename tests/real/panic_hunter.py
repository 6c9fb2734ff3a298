# A scripted Panic player that hunts; it knows the field only from the bytes that it received.
# Invariant: it respects the limits of the released server: it moves only its own living tanks, has at most one unanswered Action, and never shoots over
# the map's edge.
import collections
import random
import struct
import threading
import time

from panic import AMMO, DESTROY, DRIVE, HEALTH, MOVE, OVER, SHOOT, START, STEPS, Map, ScriptedPlayer, folder_of, messages_from

RANGES = {0: 6, 1: 6, 2: 3, 3: 12}  # tiles that a shot of each model flies
TANK = 16


class Field:
    """The pieces, read from the bytes of one connection; fold() reads new bytes."""

    def __init__(self, heard):
        self._heard, self._at = heard, 0
        self.own, self.player, self.ammo = (), 0, 0
        self.places, self.models, self.moves = {}, {}, collections.Counter()
        self.lost = []  # (piece, when)
        self.started, self.over, self.hits = False, None, 0

    def fold(self):
        for kind, fields, end in messages_from(bytes(self._heard()), self._at):
            self._at = end
            if kind == 1:
                self.player, self.own = fields
            elif TANK <= kind < AMMO:
                _, piece, x, y = fields
                self.places[piece], self.models[piece] = (x, y), kind & 3
            elif kind == AMMO:
                self.ammo = fields[1]
            elif kind == START:
                self.started = True
            elif kind == OVER:
                self.over = fields[1] if self.over is None else self.over
            elif kind == MOVE:
                self._move(*fields)
            elif kind == DESTROY:
                self.places.pop(fields[2], None)
                self.lost.append((fields[2], time.monotonic()))
            elif kind == HEALTH:
                self.hits += 1

    def _move(self, direction, value, piece):
        self.moves[piece] += 1
        if piece in self.places:
            (x, y), (dx, dy) = self.places[piece], STEPS.get(direction, (0, 0))
            self.places[piece] = (x + dx * value, y + dy * value)

    def mine(self):
        return [piece for piece in self.own if piece in self.places]

    def theirs(self):
        return [piece for piece in self.places if piece not in self.own]


class Hunter:
    """Drives to a tile from which it can shoot, and shoots; one Action every `every` seconds. Waits while `holds` is set."""

    def __init__(self, stage, port, every=0.35, seed=1):
        self.player = ScriptedPlayer(port)
        self.field, self.map = Field(lambda: self.player.heard), Map(folder_of(stage))
        self.every, self.dice, self.shots = every, random.Random(seed), 0
        self.holds, self._stopped = False, False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def kill(self):
        self._stopped = True
        self._thread.join(5)
        self.player.kill()

    def _run(self):
        while not self._stopped:
            time.sleep(self.every)
            self.field.fold()
            if self.field.started and self.field.over is None and self.field.mine() and not self.holds:
                wish = self._wish(self.field.mine()[0])
                if wish:
                    self._act(*wish)

    def _act(self, action, direction, tank):
        before = self.field.moves[tank]
        self.player.socket.sendall(struct.pack("<HBBI", self.field.player, action, direction, tank))
        self.shots += action == SHOOT
        end = time.monotonic() + 2
        while self.field.moves[tank] == before and tank in self.field.places and time.monotonic() < end and not self._stopped:
            time.sleep(0.01)
            self.field.fold()

    def _wish(self, tank):
        here, reach = self.field.places[tank], RANGES[self.field.models[tank]]
        targets = {self.field.places[piece] for piece in self.field.theirs()}
        for direction in STEPS:
            if self.field.ammo and self._hits(here, direction, reach, targets):
                return SHOOT, direction, tank
        way = self._way(here, reach, targets)
        return (DRIVE, way, tank) if way else None

    def _hits(self, here, direction, reach, targets):
        """Whether a shot would hit and cannot leave the map."""
        (x, y), (dx, dy) = here, STEPS[direction]
        others = set(self.field.places.values()) - targets
        for far in range(1, reach + 1):
            there = (x + dx * far, y + dy * far)
            if not (0 <= there[1] < len(self.map.rows) and 0 <= there[0] < len(self.map.rows[0])):
                return False
            if there in targets:
                return True
            if there in others or not int(self.map.rows[there[1]][there[0]]) & 1:
                return False
        return False

    def _way(self, start, reach, targets):
        """The first step to the nearest tile to shoot from."""
        taken = set(self.field.places.values())
        came, queue = {start: None}, collections.deque([start])
        while queue:
            here = queue.popleft()
            if here != start and any(self._hits(here, direction, reach, targets) for direction in STEPS):
                while came[here][0] != start:
                    here = came[here][0]
                return came[here][1]
            steps = list(STEPS.items())
            self.dice.shuffle(steps)
            for direction, (dx, dy) in steps:
                there = (here[0] + dx, here[1] + dy)
                if there not in came and there not in taken and self.map.drives(*there):
                    came[there] = (here, direction)
                    queue.append(there)
        return None
