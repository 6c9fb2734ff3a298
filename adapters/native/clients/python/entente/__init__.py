"""Bots for every game that Entente supports, over its native protocol. README.md has examples."""
from . import words
from .bot import Bot, Event, Events, connect
from .errors import BadIntent, ClaimRefused, ConnectionLost, Error, Kicked, ProtocolError, Refused, TimeLimit
from .room import Player, Room, Unit, distance

__all__ = ["BadIntent", "Bot", "ClaimRefused", "ConnectionLost", "Error", "Event", "Events", "Kicked", "Player", "ProtocolError", "Refused", "Room",
           "TimeLimit", "Unit", "connect", "distance", "words"]
