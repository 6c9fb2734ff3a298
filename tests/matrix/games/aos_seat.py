# One client of a field (server): its link, its body, and its remaining ammunition, blocks and so on.
# Invariant: events of ENet are passed to the field, which decides; nothing more is sent to a client that leaves or is being disconnected.
from __future__ import annotations

from typing import TYPE_CHECKING

from aos_player import GUN
from aos_speech import speech
from enet_host import RELIABLE, Link

if TYPE_CHECKING:
    from aos_field import Field

CLIP, RESERVE = 10, 50  # a rifle's rounds


class Seat:
    """One client; in play once `team` is known."""

    def __init__(self, field: Field, link: Link, number: int) -> None:
        self.field, self.link, self.number, self.speech = field, link, number, speech(field.dialect)
        self.name, self.team, self.man, self.hp, self.kills = "", None, None, 100, 0
        self.tool, self.buttons, self.clip, self.reserve, self.welcome = GUN, 0, CLIP, RESERVE, False
        self.pieces: list[bytes] = []  # pieces of the map that are still to be sent
        self.gone, self.told, self.fired, self.built, self.back_at, self.loaded_at = False, -9.0, -9.0, -9.0, None, None
        self.lines: list[float] = []

    def send(self, kind: int, payload: bytes) -> None:
        self.forward(bytes([kind]) + payload)

    def forward(self, packet: bytes, flags: int = RELIABLE) -> None:
        try:
            if not self.gone:
                self.link.send(packet, 0, flags)
        except OSError:
            pass  # it has disconnected; the event follows

    def put(self) -> None:
        """Sends the client the place that the server has for it."""
        for packet in self.speech.puts(self.number, self.man):
            self.forward(packet)

    def dismiss(self, reason: int) -> None:
        self.gone = True
        self.link.disconnect(reason)

    # events of ENet
    def connected(self, data: int) -> None:
        self.field.came(self, data)

    def received(self, packet) -> None:
        self.field.heard(self, packet.data)

    def disconnected(self, _: int) -> None:
        self.gone = True
        self.field.left(self)
