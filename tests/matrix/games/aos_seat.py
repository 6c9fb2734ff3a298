# One client of a field, as the field knows it: its link, its body, and what it has left of everything.
# Law: what ENet tells goes to the field, which decides; nobody who goes, or is being let go, is told anything more.
from __future__ import annotations

from typing import TYPE_CHECKING

from aos_player import GUN
from aos_speech import speech
from enet import RELIABLE, Link

if TYPE_CHECKING:
    from aos_field import Field

CLIP, RESERVE = 10, 50  # a rifle's rounds


class Seat:
    """One client; in play once `team` is known."""

    def __init__(self, field: Field, link: Link, number: int) -> None:
        self.field, self.link, self.number, self.speech = field, link, number, speech(field.dialect)
        self.name, self.team, self.man, self.hp, self.kills = "", None, None, 100, 0
        self.tool, self.buttons, self.clip, self.reserve, self.welcome = GUN, 0, CLIP, RESERVE, False
        self.pieces: list[bytes] = []  # of the map, until it has them
        self.gone, self.told, self.fired, self.built, self.back_at, self.loaded_at = False, -9.0, -9.0, -9.0, None, None
        self.lines: list[float] = []

    def send(self, kind: int, payload: bytes) -> None:
        self.forward(bytes([kind]) + payload)

    def forward(self, packet: bytes, flags: int = RELIABLE) -> None:
        try:
            if not self.gone:
                self.link.send(packet, 0, flags)
        except OSError:
            pass  # it has said goodbye, which is the next that we hear

    def put(self) -> None:
        """Where the server has him, there he is."""
        for packet in self.speech.puts(self.number, self.man):
            self.forward(packet)

    def dismiss(self, reason: int) -> None:
        self.gone = True
        self.link.disconnect(reason)

    # what ENet tells
    def connected(self, data: int) -> None:
        self.field.came(self, data)

    def received(self, packet) -> None:
        self.field.heard(self, packet.data)

    def disconnected(self, _: int) -> None:
        self.gone = True
        self.field.left(self)
