# The messages of BZFlag's draft for 1.8 and later, each described once, in the order and with the names of the page.
# Invariant: written only from the page. "Open" marks what the page does not define; README.md has our reading.
from __future__ import annotations

import struct
from enum import IntEnum
from typing import Callable, Iterator

from codec import CLIENT, SERVER, Codec, Kind
from text import Bytes, FixedText, OpenText, RestText, ZeroText
from wire import Array, Field, Int, Record, Wrong

MOST = 1020  # bytes of a message that we send, after its length and code; larger ones are read, because sizes are negotiated
RELIABLE, UNRELIABLE = ("stream",), ("datagram", "stream")  # the first is sent; each is read

U8, U16, U32 = Int(">B"), Int(">H"), Int(">I")
MILLI = Int(">i")  # open: a u32 with a unit is signed, in thousandths of this unit
MD5 = Array(U8, 16)

VERSION = "BZFS108a"
ID_ROGUES, ID_EVERYONE = 253, 255

# What a client may receive before it asks to enter, and after that. From its own MsgAddPlayer on, it may receive every message.
OUTSIDE = {"MsgVersion", "MsgGetWorld", "MsgGetResource", "MsgSuperKill", "MsgReject"}
ENTERING = {"MsgAccept", "MsgReject", "MsgSuperKill", "MsgFlagUpdate", "MsgTeamUpdate", "MsgAddPlayer"}


# Open: the page lists the values of these three enums without numbers. We number them in its order.
class Flag(IntEnum):
    NO_EXIST, ON_GROUND, ON_TANK, IN_AIR, COMING, GOING = range(6)


class Drop(IntEnum):
    TIMEOUT, SCORE, CAPTURED, DROPPED, KILLED = range(5)


class Reject(IntEnum):
    (BAD_REQUEST, NEED_USER_AUTH, NEED_SERVER_AUTH, BAD_TEAM, BAD_TYPE, NO_ROGUES, TEAM_FULL, SERVER_FULL) = range(8)


POSITION: dict[str, Field] = {"position_x": MILLI, "position_y": MILLI, "position_z": MILLI}
VELOCITY: dict[str, Field] = {"velocity_x": MILLI, "velocity_y": MILLI, "velocity_z": MILLI}
FLAG: dict[str, Field] = {"flag_num": U16, "flag_id": U16, "status": U8, "player_id": U8, **POSITION}

TELEPORT = Record(**{"player_id": U8, "from": U16, "to": U16})


def _both(name: str, code: int, body: Record, lanes: tuple[str, ...] = RELIABLE) -> list[Kind]:
    return [Kind(name, way, code, body, lanes) for way in (CLIENT, SERVER)]


def _client(name: str, code: int, /, **fields: Field) -> Kind:
    return Kind(name, CLIENT, code, Record(**fields), RELIABLE)


def _server(name: str, code: int, /, **fields: Field) -> Kind:
    return Kind(name, SERVER, code, Record(**fields), RELIABLE)


KINDS = [
    _client("MsgVersion", 0x7665, version=FixedText(8), type=U8, flags=Array(U16, U16)),  # open: the page has FIXME
    _server("MsgVersion", 0x7665, version=FixedText(8), playerid=U8, can_join=U8),
    _server("MsgSuperKill", 0x736b),
    _client("MsgGetWorld", 0x6777, offset=U16),  # open: the page says length 2, but draws no field
    _server("MsgGetWorld", 0x6777, style=U16, max_players=U16, max_shots=U16, max_flags=U16, linear_acceleration=MILLI,
            angular_acceleration=MILLI, bad_flag_shake_time=U16, bad_flag_shake_win_count=U32, server_time=U32,
            world_model_name=RestText()),
    _client("MsgGetResource", 0x6772, offset=U32, md5=MD5),  # open: the code
    _server("MsgGetResource", 0x6772, offset=U32, remaining=U32, md5=MD5, data=Bytes()),
    _client("MsgEnter", 0x656e, team=U8, type=U8, password=ZeroText(), callsign=ZeroText(), email=ZeroText(),
            avatar=OpenText()),
    _server("MsgAccept", 0x6163, playerid=U8),
    _server("MsgReject", 0x726a, reason=U8, text=RestText()),
    _client("MsgExit", 0x6578),
    _server("MsgRemovePlayer", 0x7270, playerid=U8),
    _server("MsgTimeLeft", 0x746f, time_left=U16),
    _server("MsgScoreOver", 0x736f, player_or_team_id=U8),
    _server("MsgScoreOver/2", 0x736f, player_or_team_id=U8, undrawn=U8),  # the page says length 2, but draws one byte
    *_both("MsgAddPlayer", 0x6170, Record(playerid=U8, type=U8, team=U8, wins=U16, losses=U16, call_sign=ZeroText(),
                                          email=ZeroText(), avatar_name=OpenText())),
    _server("MsgFlagUpdate", 0x6675, **FLAG),
    _server("MsgTeamUpdate", 0x746f, team=U8, wins=U16, losses=U16),  # has the code of MsgTimeLeft; the length distinguishes them
    _server("MsgTeamUpdate/tu", 0x7475, team=U8, wins=U16, losses=U16),  # open: read as well, having no other meaning
    _client("MsgAlive", 0x616c),
    _server("MsgAlive", 0x616c, player_id=U8, **POSITION),
    *_both("MsgKilled", 0x6b6c, Record(victim=U8, killer=U8, flag_id=U8, shot_id=U8)),
    _client("MsgGrabFlag", 0x6766, flag_num=U16),
    _server("MsgGrabFlag", 0x6766, **FLAG),
    _client("MsgDropFlag", 0x6466, reason=U8),
    _server("MsgDropFlag", 0x6466, reason=U8, **FLAG),
    *_both("MsgShotBegin", 0x7362, Record(shooter=U8, shot_id=U8, **POSITION, **VELOCITY, time=MILLI, lifetime=MILLI,
                                          flag_id=U8)),
    *_both("MsgShotEnd", 0x7365, Record(shooter=U8, shot_id=U8, reason=U8)),
    *_both("MsgScore", 0x7363, Record(player_id=U8, wins=U16, losses=U16)),
    *_both("MsgTeleport", 0x7363, TELEPORT),  # drawn like a MsgScore, so it is read as one
    *_both("MsgTeleport/tp", 0x7470, TELEPORT),  # open: read as well, having no other meaning
    *_both("MsgMessage", 0x6d67, Record(from_player_id=U8, to_id=U8, message=RestText())),
    *_both("MsgPlayerUpdate", 0x7075, Record(player_id=U8, status=U8, **POSITION, **VELOCITY, azimuth=MILLI,
                                             angular_velocity=MILLI), UNRELIABLE),
    *_both("MsgShotUpdate", 0x676d, Record(shooter=U8, shot_id=U8, **POSITION, **VELOCITY, time=MILLI, target=U8),
           UNRELIABLE),
]


def frames(packet: bytes) -> Iterator[bytes]:
    """The messages of a packet, each with its length and code."""
    while packet:
        size = 4 + int.from_bytes(packet[:2], "big")
        if not 4 <= size <= len(packet):
            raise Wrong(f"{len(packet)} bytes are not a whole message")
        yield packet[:size]
        packet = packet[size:]


DRAWN_ALIKE = {(CLIENT, "MsgTeleport"), (SERVER, "MsgTeleport")}  # kinds that are read as another kind


class Draft(Codec):
    def seal(self, kind: Kind, body: bytes) -> bytes:
        if len(body) > MOST:
            raise Wrong(f"a message of {len(body)} bytes, more than {MOST}")
        return struct.pack(">HH", len(body), kind.code) + body

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[object, bytes]:
        if len(frame) < 4:
            raise Wrong(f"{len(frame)} bytes are too short for a message")
        length, code = struct.unpack_from(">HH", frame)
        if length != len(frame) - 4:
            raise Wrong(f"length {length} in a frame of {len(frame)} bytes")
        return code, frame[4:]

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        body = damage(frame[4:])
        return struct.pack(">H", len(body)) + frame[2:4] + body


DRAFT = Draft(KINDS)
