# BZFlag's wiki page "Network Protocol" as tables. The page's drawings of bytes are taken literally.
# Invariant: one table for each message, with the page's names. Where the page is open or wrong, README.md has our reading.
# The page gives two codes twice. "/tu" and "/tp" mark the messages with the code that real programs use instead.
from __future__ import annotations

from typing import Callable

from codec import CLIENT, GREETING, SERVER, Codec, Kind
from text import Bytes, FixedText, RestText
from wire import Array, Float, Int, Record, Rest, Wrong

U8, U16, F32 = Int(">B"), Int(">H"), Float(">")
CALLSIGN, EMAIL, MESSAGE = FixedText(32), FixedText(128), FixedText(128)  # CallSignLen, EmailLen, MessageLen
FRAME_LIMIT = 1024  # MaxPacketLen
HEADER, BZFS = b"BZFLAG\r\n\r\n", b"BZFS"
FIRST = {CLIENT: len(HEADER), SERVER: len(BZFS) + 5}  # bytes: "BZFS", four digits, one byte

VECTOR = Array(F32, 3)
PLAYER = Record(address=Array(U8, 4), port=U16, number=U16)  # eight bytes in every drawing
FLAG = Record(flag_id=U16, status=U16, type=U16, owner=PLAYER, position=VECTOR, launch=VECTOR, landing=VECTOR,
              flight_time=F32, flight_end=F32, initial_velocity=F32)
SCORE = {"wins": U16, "losses": U16}
NOTHING = Record()
STREAM, DATAGRAM, EITHER = ("stream",), ("datagram",), ("stream", "datagram")

TWO_LETTERS = Rest(FixedText(2))
SHOT_BEGIN = Record(shooter=PLAYER, shot=U16, position=VECTOR, velocity=VECTOR, time=F32, flag_type=U16, lifetime=F32)
SHOT_END = Record(shooter=PLAYER, shot=U16, reason=U16)
PLAYER_UPDATE = Record(player=PLAYER, status=U16, position=VECTOR, velocity=VECTOR, azimuth=F32, angular_velocity=F32)
GM_UPDATE = Record(shooter=PLAYER, shot=U16, position=VECTOR, velocity=VECTOR, time=F32, target=PLAYER)
LAG_PING = Record(sequence=U16)


class Wiki(Codec):
    """A frame has the length of its body, its code and its body. The greetings have no length and no such code."""

    def seal(self, kind: Kind, body: bytes) -> bytes:
        if isinstance(kind.code, int):
            if len(body) + 4 > FRAME_LIMIT:
                raise Wrong(f"{len(body) + 4} bytes, more than {FRAME_LIMIT}")
            return U16.write(len(body), {}) + U16.write(kind.code, {}) + body
        return kind.code + body

    def unseal(self, way: str, stage: str, frame: bytes) -> tuple[int | bytes, bytes]:
        first = HEADER if way == CLIENT else BZFS
        if stage == GREETING:
            return frame[:len(first)], frame[len(first):]
        if len(frame) < 4 or len(frame) > FRAME_LIMIT or int.from_bytes(frame[:2], "big") != len(frame) - 4:
            raise Wrong(f"a frame of {len(frame)} bytes, with the length {frame[:2].hex()}")
        return int.from_bytes(frame[2:4], "big"), frame[4:]

    def damaged(self, frame: bytes, damage: Callable[[bytes], bytes]) -> bytes:
        if frame.startswith((HEADER, BZFS)):
            return frame[:len(BZFS)] + damage(frame[len(BZFS):])
        body = damage(frame[4:])
        return U16.write(len(body), {}) + frame[2:4] + body

    def size(self, way: str, stage: str, data: bytes) -> int | None:
        """The size of the first frame in these bytes; None if it is not known yet."""
        if stage == GREETING:
            return FIRST[way]
        return int.from_bytes(data[:2], "big") + 4 if len(data) >= 2 else None


def both(name: str, code: int, body: Record, lanes: tuple[str, ...] = EITHER) -> list[Kind]:
    return [Kind(name, CLIENT, code, body, lanes), Kind(name, SERVER, code, body, lanes)]


TEAM_UPDATE = Record(team=U16, size=U16, active=U16, **SCORE)
PLAYER_TELEPORT, TELEPORT = Record(player=PLAYER, **{"from": U16}, to=U16), Record(**{"from": U16}, to=U16)

WIKI = Wiki([
    Kind("Header", CLIENT, HEADER, NOTHING, stage=GREETING),
    Kind("Version", SERVER, BZFS, Record(version=FixedText(4), player=U8), stage=GREETING),
    *both("MsgNegotiateFlags", 0x6E66, Record(flags=TWO_LETTERS), STREAM),
    Kind("MsgWantWHash", CLIENT, 0x7768, NOTHING),
    Kind("MsgWantWHash", SERVER, 0x7768, Record(hash=RestText())),
    Kind("MsgGetWorld", CLIENT, 0x6777, Record(offset=U16)),
    Kind("MsgGetWorld", SERVER, 0x6777, Record(remaining=U16, data=Bytes())),
    Kind("MsgSuperKill", SERVER, 0x736B, NOTHING),
    Kind("MsgEnter", CLIENT, 0x656E, Record(player=PLAYER, type=U16, team=U16, call_sign=CALLSIGN, email=EMAIL)),
    Kind("MsgAccept", SERVER, 0x6163, NOTHING),
    Kind("MsgReject", SERVER, 0x726A, Record(code=U16)),
    Kind("MsgExit", CLIENT, 0x6578, NOTHING),
    Kind("MsgTimeLeft", SERVER, 0x746F, Record(time_left=U16)),
    Kind("MsgScoreOver", SERVER, 0x736F, Record(player=PLAYER, team=U16)),
    Kind("MsgAddPlayer", SERVER, 0x6170, Record(player=PLAYER, type=U16, team=U16, **SCORE, call_sign=CALLSIGN, email=EMAIL)),
    Kind("MsgRemovePlayer", SERVER, 0x7270, Record(player=PLAYER)),
    Kind("MsgFlagUpdate", SERVER, 0x6675, Record(flag_num=U16, flag=FLAG)),
    Kind("MsgTeamUpdate", SERVER, 0x746F, TEAM_UPDATE),
    Kind("MsgTeamUpdate/tu", SERVER, 0x7475, TEAM_UPDATE),
    Kind("MsgAlive", SERVER, 0x616C, Record(player=PLAYER, position=VECTOR, forward=VECTOR)),
    Kind("MsgAlive", CLIENT, 0x616C, Record(position=VECTOR, forward=VECTOR)),
    Kind("MsgKilled", SERVER, 0x6B6C, Record(victim=PLAYER, killer=PLAYER, shot=U16)),
    Kind("MsgKilled", CLIENT, 0x6B6C, Record(killer=PLAYER, shot=U16)),
    Kind("MsgGrabFlag", SERVER, 0x6766, Record(grabber=PLAYER, flag_num=U16, flag=FLAG)),
    Kind("MsgGrabFlag", CLIENT, 0x6766, Record(flag_num=U16)),
    Kind("MsgDropFlag", SERVER, 0x6466, Record(dropper=PLAYER, flag_num=U16, flag=FLAG)),
    Kind("MsgDropFlag", CLIENT, 0x6466, Record(position=VECTOR)),
    Kind("MsgCaptureFlag", SERVER, 0x6366, Record(capturer=PLAYER, flag_num=U16, team=U16)),
    Kind("MsgCaptureFlag", CLIENT, 0x6366, Record(team=U16)),
    *both("MsgShotBegin", 0x7362, SHOT_BEGIN),
    *both("MsgShotEnd", 0x7365, SHOT_END),
    Kind("MsgScore", SERVER, 0x7363, Record(player=PLAYER, **SCORE)),
    Kind("MsgScore", CLIENT, 0x7363, Record(**SCORE)),
    # The page draws these two with the code and length of MsgScore, so they are read as MsgScore.
    Kind("MsgTeleport", SERVER, 0x7363, PLAYER_TELEPORT),
    Kind("MsgTeleport", CLIENT, 0x7363, TELEPORT),
    Kind("MsgTeleport/tp", SERVER, 0x7470, PLAYER_TELEPORT),
    Kind("MsgTeleport/tp", CLIENT, 0x7470, TELEPORT),
    Kind("MsgMessage", SERVER, 0x6D67, Record(**{"from": PLAYER}, to=PLAYER, team=U16, message=MESSAGE)),
    Kind("MsgMessage", CLIENT, 0x6D67, Record(to=PLAYER, team=U16, message=MESSAGE)),
    *both("MsgPlayerUpdate", 0x7075, PLAYER_UPDATE),
    *both("MsgGMUpdate", 0x676D, GM_UPDATE),
    *both("MsgLagPing", 0x7069, LAG_PING),
    Kind("MsgReplayReset", SERVER, 0x7272, Record(last_player=U8)),
    Kind("MsgUDPLinkRequest", CLIENT, 0x6F66, Record(player=U8), DATAGRAM),
    Kind("MsgUDPLinkRequest", SERVER, 0x6F66, NOTHING, DATAGRAM),
    Kind("MsgUDPLinkEstablished", SERVER, 0x6F67, NOTHING, STREAM),
    Kind("MsgUDPLinkEstablished", CLIENT, 0x6F67, NOTHING, DATAGRAM),
])
