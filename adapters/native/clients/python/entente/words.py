"""The words of the native protocol as classes. Made by ../../generate from schema/game.proto: do not edit.

An intent is what you want, a fact is what is true. Metres, seconds, radians; x east, y north, z up; yaw counter-clockwise
from east. A field that JSON leaves out is 0, false or empty; None means that it is not set. The value of an enum is its
name; a later server may send names that are not listed here.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, Optional, Union

from .codec import Word

Audience = Literal['ALL', 'PLAYER', 'TEAM', 'ADMINS']
# A team, named by its colour. A player without a team is ROGUE. Spectators have a Role, not a team.
Team = Literal['TEAM_ANY', 'ROGUE', 'RED', 'GREEN', 'BLUE', 'PURPLE', 'YELLOW', 'RABBIT', 'HUNTER']
Role = Literal['PLAY', 'WATCH', 'ROBOT']
Direction = Literal['NOWHERE', 'NORTH', 'EAST', 'SOUTH', 'WEST']
ShotKind = Literal['BALL', 'RAY', 'GUIDED', 'MELEE', 'GRENADE', 'WAVE']
# Why a player died.
DeathCause = Literal['UNKNOWN_DEATH', 'BY_SHOT', 'BY_TOUCH', 'BY_CAPTURE', 'BY_GENOCIDE', 'BY_ITSELF', 'BY_FALL', 'BY_WATER', 'BY_SERVER', 'BY_HEADSHOT', 'BY_MELEE', 'BY_GRENADE', 'BY_DRIVER']
# Why a token is dropped. Captures have their own words.
DropReason = Literal['UNKNOWN_DROP', 'DROP_WISHED', 'DROP_KILLED', 'DROP_TIMEOUT', 'DROP_SCORE']
WatchMode = Literal['STOP', 'PLAYER', 'LEADER', 'PLACE', 'ROAM']
KeysBit = Literal['NONE', 'FORWARD', 'BACKWARD', 'LEFT', 'RIGHT', 'JUMP', 'CROUCH', 'SNEAK', 'SPRINT']
HitClaimPart = Literal['TORSO', 'HEAD', 'ARMS', 'LEGS', 'MELEE']
TokenWishOp = Literal['GRAB', 'DROP', 'CAPTURE', 'GIVE']
QueryKind = Literal['GAME', 'PLAYERS']
EditOp = Literal['BUILD', 'DIG', 'COLUMN', 'BLAST', 'LINE']
SayScope = Literal['EVERYBODY', 'MY_TEAM', 'ONE', 'MODERATORS', 'SERVER']
SayKind = Literal['CHAT', 'ACTION', 'COMMAND']
PlaybackKill = Literal['NO_KILL', 'NEXT_KILL', 'PREVIOUS_KILL']
RefusedCode = Literal['OTHER', 'FULL', 'TEAM_FULL', 'BAD_NAME', 'NAME_TAKEN', 'BANNED', 'WRONG_VERSION', 'BAD_TEAM', 'TOO_SOON', 'SERVER_GONE', 'BAD_ROLE', 'NO_ROGUES', 'NAME_NEEDS_LOGIN', 'SERVER_NEEDS_LOGIN']
NoticeLevel = Literal['INFO', 'WARNING', 'BIG']
WorldKind = Literal['OPEN', 'TILES', 'SOLIDS', 'VOXELS']
Tile = Literal['WALL', 'SHOTS_PASS', 'UNITS_PASS']
SolidShape = Literal['BOX', 'PYRAMID', 'WALL_FACE']
Badge = Literal['NO_BADGE', 'REGISTERED', 'VERIFIED', 'ADMIN', 'PAUSED', 'AUTOPILOT']
UnitKind = Literal['TANK', 'MAN', 'CELL', 'PELLET', 'VIRUS', 'MOTHER', 'EJECTED', 'BRICK', 'PICKUP', 'DECOR']
PoseState = Literal['NONE', 'FALLING', 'CROUCHING', 'PAUSED', 'EXPLODING', 'TELEPORTING', 'FLAG_ACTIVE', 'IN_WALL', 'JETTING', 'SPRINTING', 'SNEAKING']
TokenKind = Literal['FLAG', 'TEAM_FLAG', 'INTEL', 'BASE']
TokenState = Literal['NOWHERE', 'GROUND', 'CARRIED', 'FLYING', 'COMING', 'GOING']
RoundState = Literal['RUNNING', 'WAITING', 'OVER']
TimelineWhat = Literal['KILL', 'CAPTURE', 'JOIN', 'CHAT']

ENUMS: dict[str, dict[str, int]] = {
    "Audience": {'ALL': 0, 'PLAYER': 1, 'TEAM': 2, 'ADMINS': 3},
    "Team": {'TEAM_ANY': 0, 'ROGUE': 1, 'RED': 2, 'GREEN': 3, 'BLUE': 4, 'PURPLE': 5, 'YELLOW': 6, 'RABBIT': 7, 'HUNTER': 8},
    "Role": {'PLAY': 0, 'WATCH': 1, 'ROBOT': 2},
    "Direction": {'NOWHERE': 0, 'NORTH': 1, 'EAST': 2, 'SOUTH': 3, 'WEST': 4},
    "ShotKind": {'BALL': 0, 'RAY': 1, 'GUIDED': 2, 'MELEE': 3, 'GRENADE': 4, 'WAVE': 5},
    "DeathCause": {'UNKNOWN_DEATH': 0, 'BY_SHOT': 1, 'BY_TOUCH': 2, 'BY_CAPTURE': 3, 'BY_GENOCIDE': 4, 'BY_ITSELF': 5, 'BY_FALL': 6, 'BY_WATER': 7, 'BY_SERVER': 8, 'BY_HEADSHOT': 9, 'BY_MELEE': 10, 'BY_GRENADE': 11, 'BY_DRIVER': 12},
    "DropReason": {'UNKNOWN_DROP': 0, 'DROP_WISHED': 1, 'DROP_KILLED': 2, 'DROP_TIMEOUT': 3, 'DROP_SCORE': 4},
    "WatchMode": {'STOP': 0, 'PLAYER': 1, 'LEADER': 2, 'PLACE': 3, 'ROAM': 4},
    "KeysBit": {'NONE': 0, 'FORWARD': 1, 'BACKWARD': 2, 'LEFT': 4, 'RIGHT': 8, 'JUMP': 16, 'CROUCH': 32, 'SNEAK': 64, 'SPRINT': 128},
    "HitClaimPart": {'TORSO': 0, 'HEAD': 1, 'ARMS': 2, 'LEGS': 3, 'MELEE': 4},
    "TokenWishOp": {'GRAB': 0, 'DROP': 1, 'CAPTURE': 2, 'GIVE': 3},
    "QueryKind": {'GAME': 0, 'PLAYERS': 1},
    "EditOp": {'BUILD': 0, 'DIG': 1, 'COLUMN': 2, 'BLAST': 3, 'LINE': 4},
    "SayScope": {'EVERYBODY': 0, 'MY_TEAM': 1, 'ONE': 2, 'MODERATORS': 3, 'SERVER': 4},
    "SayKind": {'CHAT': 0, 'ACTION': 1, 'COMMAND': 2},
    "PlaybackKill": {'NO_KILL': 0, 'NEXT_KILL': 1, 'PREVIOUS_KILL': 2},
    "RefusedCode": {'OTHER': 0, 'FULL': 1, 'TEAM_FULL': 2, 'BAD_NAME': 3, 'NAME_TAKEN': 4, 'BANNED': 5, 'WRONG_VERSION': 6, 'BAD_TEAM': 7, 'TOO_SOON': 8, 'SERVER_GONE': 9, 'BAD_ROLE': 10, 'NO_ROGUES': 11, 'NAME_NEEDS_LOGIN': 12, 'SERVER_NEEDS_LOGIN': 13},
    "NoticeLevel": {'INFO': 0, 'WARNING': 1, 'BIG': 2},
    "WorldKind": {'OPEN': 0, 'TILES': 1, 'SOLIDS': 2, 'VOXELS': 3},
    "Tile": {'WALL': 0, 'SHOTS_PASS': 1, 'UNITS_PASS': 2},
    "SolidShape": {'BOX': 0, 'PYRAMID': 1, 'WALL_FACE': 2},
    "Badge": {'NO_BADGE': 0, 'REGISTERED': 1, 'VERIFIED': 2, 'ADMIN': 4, 'PAUSED': 8, 'AUTOPILOT': 16},
    "UnitKind": {'TANK': 0, 'MAN': 1, 'CELL': 2, 'PELLET': 3, 'VIRUS': 4, 'MOTHER': 5, 'EJECTED': 6, 'BRICK': 7, 'PICKUP': 8, 'DECOR': 9},
    "PoseState": {'NONE': 0, 'FALLING': 1, 'CROUCHING': 2, 'PAUSED': 4, 'EXPLODING': 8, 'TELEPORTING': 16, 'FLAG_ACTIVE': 32, 'IN_WALL': 64, 'JETTING': 128, 'SPRINTING': 256, 'SNEAKING': 512},
    "TokenKind": {'FLAG': 0, 'TEAM_FLAG': 1, 'INTEL': 2, 'BASE': 3},
    "TokenState": {'NOWHERE': 0, 'GROUND': 1, 'CARRIED': 2, 'FLYING': 3, 'COMING': 4, 'GOING': 5},
    "RoundState": {'RUNNING': 0, 'WAITING': 1, 'OVER': 2},
    "TimelineWhat": {'KILL': 0, 'CAPTURE': 1, 'JOIN': 2, 'CHAT': 3},
}

@dataclass(slots=True)
class Enter(Word):
    """Asks to join. A player's first word."""
    name: str = ""
    team: Team = 'TEAM_ANY'
    role: Role = 'PLAY'
    kit: int = 0  # weapon or tank model, in the server's own numbers; 0 = any
    flags_known: list[str] = field(default_factory=list)
    password: str = ""
    token: str = ""
    motto: str = ""
    avatar: str = ""
    skin: str = ""
    version: str = ""
    claims_deaths: bool = False  # the client tests hits on itself and sends DeathClaim, so nobody else has to
    body: UnitKind = 'TANK'  # what the client moves by itself: a TANK, or a MAN, which is smaller and climbs
    contract: int = 0  # native only: the protocol version that the client speaks; 0 means 1
    KIND: ClassVar[str] = "enter"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"name": ("name", "string"), "team": ("team", "Team"), "role": ("role", "Role"), "kit": ("kit", "uint32"), "flags_known": ("flags_known", "string[]"), "password": ("password", "string"), "token": ("token", "string"), "motto": ("motto", "string"), "avatar": ("avatar", "string"), "skin": ("skin", "string"), "version": ("version", "string"), "claims_deaths": ("claims_deaths", "bool"), "body": ("body", "UnitKind"), "contract": ("contract", "uint32")}

@dataclass(slots=True)
class Change(Word):
    """Changes the player. Fields that are not set stay the same."""
    name: Optional[str] = None
    team: Optional[Team] = None
    kit: Optional[int] = None
    colour: Optional[int] = None  # 0xRRGGBB
    motto: Optional[str] = None
    skin: Optional[str] = None
    KIND: ClassVar[str] = "change"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"name": ("name", "string?"), "team": ("team", "Team?"), "kit": ("kit", "uint32?"), "colour": ("colour", "uint32?"), "motto": ("motto", "string?"), "skin": ("skin", "string?")}

@dataclass(slots=True)
class Spawn(Word):
    """Asks to be put into play."""
    KIND: ClassVar[str] = "spawn"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {}

@dataclass(slots=True)
class Leave(Word):
    why: str = ""
    KIND: ClassVar[str] = "leave"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"why": ("why", "string")}

@dataclass(slots=True)
class Select(Word):
    """Chooses which of the player's units to steer."""
    unit: int = 0
    KIND: ClassVar[str] = "select"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32")}

@dataclass(slots=True)
class Watch(Word):
    mode: WatchMode = 'STOP'
    target: int = 0  # a player
    x: float = 0.0
    y: float = 0.0
    KIND: ClassVar[str] = "watch"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"mode": ("mode", "WatchMode"), "target": ("target", "uint32"), "x": ("x", "double"), "y": ("y", "double")}

@dataclass(slots=True)
class Resume(Word):
    """Asks for the seat of a player who lost the connection a moment ago. It is not sent to a server: the
    room returns the seat or answers ClaimRefused."""
    player: int = 0  # the player's number in the client's own game
    KIND: ClassVar[str] = "resume"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32")}

@dataclass(slots=True)
class Step(Word):
    """Moves one tile in this direction. If the tile is blocked, the unit only turns. The centre of the tile
    is x, y."""
    unit: int = 0
    direction: Direction = 'NOWHERE'
    x: float = 0.0
    y: float = 0.0
    KIND: ClassVar[str] = "step"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "direction": ("direction", "Direction"), "x": ("x", "double"), "y": ("y", "double")}

@dataclass(slots=True)
class Toward(Word):
    """Steers to this place: the farther away it is, the faster."""
    x: float = 0.0
    y: float = 0.0
    KIND: ClassVar[str] = "toward"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"x": ("x", "double"), "y": ("y", "double")}

@dataclass(slots=True)
class Keys(Word):
    bits: int = 0  # sum of Bit
    yaw: float = 0.0
    pitch: float = 0.0
    seq: int = 0
    KIND: ClassVar[str] = "keys"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"bits": ("bits", "uint32"), "yaw": ("yaw", "double"), "pitch": ("pitch", "double"), "seq": ("seq", "uint32")}

@dataclass(slots=True)
class PoseClaim(Word):
    """Where the unit is, according to its player's client."""
    unit: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    yaw_rate: float = 0.0
    state: int = 0  # sum of Pose.State
    seq: int = 0  # increases; a claim with a lower number than an earlier one is too late
    sent_at: float = 0.0  # seconds on the client's own clock
    KIND: ClassVar[str] = "pose_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double"), "yaw": ("yaw", "double"), "pitch": ("pitch", "double"), "yaw_rate": ("yaw_rate", "double"), "state": ("state", "uint32"), "seq": ("seq", "uint32"), "sent_at": ("sent_at", "double")}

@dataclass(slots=True)
class Fire(Word):
    """Fires a shot. The velocity is the shot's, and includes the shooter's own."""
    unit: int = 0
    shot: int = 0  # the player's own number for it
    weapon: int = 0  # what gives the shot its kind, as in Token.code; 0 = plain
    kind: ShotKind = 'BALL'
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0  # of a ray: its direction, length 1
    vy: float = 0.0
    vz: float = 0.0
    life: float = 0.0  # seconds
    range: float = 0.0  # metres
    KIND: ClassVar[str] = "fire"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "shot": ("shot", "uint32"), "weapon": ("weapon", "uint32"), "kind": ("kind", "ShotKind"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double"), "life": ("life", "double"), "range": ("range", "double")}

@dataclass(slots=True)
class Trigger(Word):
    primary: bool = False
    secondary: bool = False
    KIND: ClassVar[str] = "trigger"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"primary": ("primary", "bool"), "secondary": ("secondary", "bool")}

@dataclass(slots=True)
class Reload(Word):
    KIND: ClassVar[str] = "reload"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {}

@dataclass(slots=True)
class Tool(Word):
    number: int = 0
    KIND: ClassVar[str] = "tool"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"number": ("number", "uint32")}

@dataclass(slots=True)
class Split(Word):
    count: int = 0
    minions: bool = False
    KIND: ClassVar[str] = "split"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"count": ("count", "uint32"), "minions": ("minions", "bool")}

@dataclass(slots=True)
class Eject(Word):
    minions: bool = False
    KIND: ClassVar[str] = "eject"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"minions": ("minions", "bool")}

@dataclass(slots=True)
class Button(Word):
    """A key whose meaning depends on the game (Q in Ogar)."""
    down: bool = False
    KIND: ClassVar[str] = "button"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"down": ("down", "bool")}

@dataclass(slots=True)
class Freeze(Word):
    on: bool = False
    KIND: ClassVar[str] = "freeze"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"on": ("on", "bool")}

@dataclass(slots=True)
class HitClaim(Word):
    victim: int = 0  # a player
    shot: int = 0
    part: HitClaimPart = 'TORSO'
    KIND: ClassVar[str] = "hit_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"victim": ("victim", "uint32"), "shot": ("shot", "uint32"), "part": ("part", "HitClaimPart")}

@dataclass(slots=True)
class DeathClaim(Word):
    """The player is dead, according to the player's client."""
    killer: int = 0  # a player; 0 = nobody
    shot: int = 0  # the killer's number for it
    why: DeathCause = 'UNKNOWN_DEATH'
    KIND: ClassVar[str] = "death_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"killer": ("killer", "uint32"), "shot": ("shot", "uint32"), "why": ("why", "DeathCause")}

@dataclass(slots=True)
class ShotMoveClaim(Word):
    shot: int = 0
    target: int = 0  # a player
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    KIND: ClassVar[str] = "shot_move_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shot": ("shot", "uint32"), "target": ("target", "uint32"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double")}

@dataclass(slots=True)
class ShotEndClaim(Word):
    shooter: int = 0
    shot: int = 0
    burst: bool = False  # it ended in an explosion
    KIND: ClassVar[str] = "shot_end_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shooter": ("shooter", "uint32"), "shot": ("shot", "uint32"), "burst": ("burst", "bool")}

@dataclass(slots=True)
class TokenWish(Word):
    token: int = 0
    op: TokenWishOp = 'GRAB'
    from_: int = 0  # a player
    to: int = 0  # a player
    team: Team = 'TEAM_ANY'  # CAPTURE: the team of the base
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    why: DropReason = 'UNKNOWN_DROP'  # DROP
    KIND: ClassVar[str] = "token_wish"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"token": ("token", "uint32"), "op": ("op", "TokenWishOp"), "from": ("from_", "uint32"), "to": ("to", "uint32"), "team": ("team", "Team"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "why": ("why", "DropReason")}

@dataclass(slots=True)
class TeleportClaim(Word):
    unit: int = 0
    from_: int = 0  # numbers of links
    to: int = 0
    KIND: ClassVar[str] = "teleport_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "from": ("from_", "uint32"), "to": ("to", "uint32")}

@dataclass(slots=True)
class ScoreClaim(Word):
    wins: int = 0
    losses: int = 0
    KIND: ClassVar[str] = "score_claim"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"wins": ("wins", "uint32"), "losses": ("losses", "uint32")}

@dataclass(slots=True)
class Pause(Word):
    on: bool = False
    KIND: ClassVar[str] = "pause"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"on": ("on", "bool")}

@dataclass(slots=True)
class Autopilot(Word):
    on: bool = False
    KIND: ClassVar[str] = "autopilot"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"on": ("on", "bool")}

@dataclass(slots=True)
class Ping(Word):
    """Asks for an answer; or is the answer of a player who was asked."""
    number: int = 0
    KIND: ClassVar[str] = "ping"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"number": ("number", "uint32")}

@dataclass(slots=True)
class Query(Word):
    kind: QueryKind = 'GAME'
    KIND: ClassVar[str] = "query"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"kind": ("kind", "QueryKind")}

@dataclass(slots=True)
class WantWorld(Word):
    """Asks for the world without joining. The room connects to its server because of it."""
    KIND: ClassVar[str] = "want_world"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {}

@dataclass(slots=True)
class Edit(Word):
    op: EditOp = 'BUILD'
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    x2: float = 0.0
    y2: float = 0.0
    z2: float = 0.0
    colour: int = 0
    KIND: ClassVar[str] = "edit"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"op": ("op", "EditOp"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "x2": ("x2", "double"), "y2": ("y2", "double"), "z2": ("z2", "double"), "colour": ("colour", "uint32")}

@dataclass(slots=True)
class Say(Word):
    scope: SayScope = 'EVERYBODY'
    to: int = 0
    kind: SayKind = 'CHAT'
    text: str = ""
    KIND: ClassVar[str] = "say"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"scope": ("scope", "SayScope"), "to": ("to", "uint32"), "kind": ("kind", "SayKind"), "text": ("text", "string")}

@dataclass(slots=True)
class Playback(Word):
    """Moves the viewer's own clock in a replay. What is not set stays as it is."""
    us: Optional[int] = None  # go to this time of the recording
    by_s: Optional[float] = None  # go so many seconds forwards, or (negative) backwards
    speed: Optional[float] = None  # 0.25 to 16
    paused: Optional[bool] = None
    kill: PlaybackKill = 'NO_KILL'  # go to a kill
    follow: Optional[int] = None  # follow this player; 0 = nobody
    KIND: ClassVar[str] = "playback"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"us": ("us", "uint64?"), "by_s": ("by_s", "double?"), "speed": ("speed", "double?"), "paused": ("paused", "bool?"), "kill": ("kill", "PlaybackKill"), "follow": ("follow", "uint32?")}

@dataclass(slots=True)
class Room(Word):
    game: str = ""
    dialect: str = ""
    name: str = ""
    mode: str = ""  # "free for all", "capture the flag", …
    most_players: int = 0
    most_shots: int = 0  # shots that one player can have in the air
    players: int = 0
    watchers: int = 0
    robots: int = 0
    load: float = 0.0  # 1: the server's processor is fully used
    uptime_s: int = 0
    jumping: bool = False
    ricochet: bool = False
    teams: bool = False  # players play in teams
    KIND: ClassVar[str] = "room"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"game": ("game", "string"), "dialect": ("dialect", "string"), "name": ("name", "string"), "mode": ("mode", "string"), "most_players": ("most_players", "uint32"), "most_shots": ("most_shots", "uint32"), "players": ("players", "uint32"), "watchers": ("watchers", "uint32"), "robots": ("robots", "uint32"), "load": ("load", "float"), "uptime_s": ("uptime_s", "uint32"), "jumping": ("jumping", "bool"), "ricochet": ("ricochet", "bool"), "teams": ("teams", "bool")}

@dataclass(slots=True)
class Rule(Word):
    """A parameter of the game that players must know. Names: speed, turn_rate, reload, refill (seconds that
    an empty clip takes), shot_speed, shot_range, tick_s, respawn, explode …, in the units of this file; hits
    (value "victim": players report hits on themselves; otherwise the server decides); or a variable of that
    game, named "GAME.variable"."""
    name: str = ""
    value: str = ""
    KIND: ClassVar[str] = "rule"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"name": ("name", "string"), "value": ("value", "string")}

@dataclass(slots=True)
class Refused(Word):
    """The player is not admitted."""
    code: RefusedCode = 'OTHER'
    text: str = ""
    may_retry: bool = False
    KIND: ClassVar[str] = "refused"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"code": ("code", "RefusedCode"), "text": ("text", "string"), "may_retry": ("may_retry", "bool")}

@dataclass(slots=True)
class Kicked(Word):
    text: str = ""
    KIND: ClassVar[str] = "kicked"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"text": ("text", "string")}

@dataclass(slots=True)
class ClaimRefused(Word):
    why: str = ""
    KIND: ClassVar[str] = "claim_refused"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"why": ("why", "string")}

@dataclass(slots=True)
class Notice(Word):
    level: NoticeLevel = 'INFO'
    text: str = ""
    KIND: ClassVar[str] = "notice"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"level": ("level", "NoticeLevel"), "text": ("text", "string")}

@dataclass(slots=True)
class Waiting(Word):
    have: int = 0
    need: int = 0  # 0: unknown
    KIND: ClassVar[str] = "waiting"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"have": ("have", "uint32"), "need": ("need", "uint32")}

@dataclass(slots=True)
class Solid(Word):
    shape: SolidShape = 'BOX'
    x: float = 0.0  # centre of its base
    y: float = 0.0
    z: float = 0.0
    half_x: float = 0.0  # along its own yaw
    half_y: float = 0.0
    height: float = 0.0
    yaw: float = 0.0
    units_pass: bool = False
    shots_pass: bool = False
    upside_down: bool = False
    approximate: bool = False  # stands for a part of a shape that words cannot describe
    shots_bounce: bool = False  # also where they do not bounce off other solids
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shape": ("shape", "SolidShape"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "half_x": ("half_x", "double"), "half_y": ("half_y", "double"), "height": ("height", "double"), "yaw": ("yaw", "double"), "units_pass": ("units_pass", "bool"), "shots_pass": ("shots_pass", "bool"), "upside_down": ("upside_down", "bool"), "approximate": ("approximate", "bool"), "shots_bounce": ("shots_bounce", "bool")}

@dataclass(slots=True)
class Teleporter(Word):
    frame: Optional[Solid] = None
    border: float = 0.0
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"frame": ("frame", "Solid"), "border": ("border", "double")}

@dataclass(slots=True)
class Link(Word):
    """Leads from one side of a teleporter to another. The sides of teleporter n are 2n and 2n + 1."""
    from_: int = 0
    to: int = 0
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"from": ("from_", "uint32"), "to": ("to", "uint32")}

@dataclass(slots=True)
class Base(Word):
    solid: Optional[Solid] = None
    team: Team = 'TEAM_ANY'
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"solid": ("solid", "Solid"), "team": ("team", "Team")}

@dataclass(slots=True)
class World(Word):
    """The geometry. Sent once and kept by the room; other messages refer to it by its hash."""
    hash: str = ""
    kind: WorldKind = 'OPEN'
    name: str = ""
    west: float = 0.0  # bounds
    east: float = 0.0
    south: float = 0.0
    north: float = 0.0
    columns: int = 0  # of tiles
    rows: int = 0
    tiles: bytes = b""  # sums of Tile; rows from north to south, each from west to east
    solids: list[Solid] = field(default_factory=list)
    teleporters: list[Teleporter] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    bases: list[Base] = field(default_factory=list)
    voxels: bytes = b""  # a map file of Ace of Spades
    walled: bool = False  # units cannot leave the bounds
    block: float = 0.0  # side length of blocks that can be built and dug, in metres; 0: no building
    ground: bytes = b""  # of VOXELS: height of the ground in blocks, for n by n cells between the bounds; rows from
    left_out: int = 0  # north to south, each from west to east; empty: 0 everywhere. Solids and men stand on it
    KIND: ClassVar[str] = "world"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"hash": ("hash", "string"), "kind": ("kind", "WorldKind"), "name": ("name", "string"), "west": ("west", "double"), "east": ("east", "double"), "south": ("south", "double"), "north": ("north", "double"), "columns": ("columns", "uint32"), "rows": ("rows", "uint32"), "tiles": ("tiles", "bytes"), "solids": ("solids", "Solid[]"), "teleporters": ("teleporters", "Teleporter[]"), "links": ("links", "Link[]"), "bases": ("bases", "Base[]"), "voxels": ("voxels", "bytes"), "walled": ("walled", "bool"), "block": ("block", "double"), "ground": ("ground", "bytes"), "left_out": ("left_out", "uint32")}

@dataclass(slots=True)
class WorldEdit(Word):
    edit: Optional[Edit] = None
    by: int = 0
    KIND: ClassVar[str] = "world_edit"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"edit": ("edit", "Edit"), "by": ("by", "uint32")}

@dataclass(slots=True)
class WorldProgress(Word):
    done: int = 0
    total: int = 0
    KIND: ClassVar[str] = "world_progress"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"done": ("done", "uint64"), "total": ("total", "uint64")}

@dataclass(slots=True)
class You(Word):
    """Tells a client which player it is. Sent to that client only."""
    player: int = 0
    contract: int = 0  # native only: the protocol version (NATIVE.md); 0 means 1
    newest: int = 0  # native only: the newest version that Enter.contract may ask for; 0 means 1
    KIND: ClassVar[str] = "you"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "contract": ("contract", "uint32"), "newest": ("newest", "uint32")}

@dataclass(slots=True)
class Player(Word):
    """A new or changed player; all fields are set."""
    id: int = 0
    name: str = ""
    team: Team = 'TEAM_ANY'
    role: Role = 'PLAY'
    kit: int = 0
    colour: int = 0  # 0xRRGGBB, 0 = its team's
    skin: str = ""
    motto: str = ""
    badges: int = 0  # sum of Badge
    address: str = ""  # only sent to ADMINS
    responding: bool = False
    KIND: ClassVar[str] = "player"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"id": ("id", "uint32"), "name": ("name", "string"), "team": ("team", "Team"), "role": ("role", "Role"), "kit": ("kit", "uint32"), "colour": ("colour", "uint32"), "skin": ("skin", "string"), "motto": ("motto", "string"), "badges": ("badges", "uint32"), "address": ("address", "string"), "responding": ("responding", "bool")}

@dataclass(slots=True)
class PlayerGone(Word):
    id: int = 0
    why: str = ""
    KIND: ClassVar[str] = "player_gone"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"id": ("id", "uint32"), "why": ("why", "string")}

@dataclass(slots=True)
class Owns(Word):
    """All units of a player, and which of them the player steers."""
    player: int = 0
    units: list[int] = field(default_factory=list)
    active: int = 0
    KIND: ClassVar[str] = "owns"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "units": ("units", "uint32[]"), "active": ("active", "uint32")}

@dataclass(slots=True)
class Pose(Word):
    unit: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    yaw_rate: float = 0.0
    radius: float = 0.0  # 0: unchanged
    state: int = 0  # sum of State
    seq: int = 0
    KIND: ClassVar[str] = "pose"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double"), "yaw": ("yaw", "double"), "pitch": ("pitch", "double"), "yaw_rate": ("yaw_rate", "double"), "radius": ("radius", "double"), "state": ("state", "uint32"), "seq": ("seq", "uint32")}

@dataclass(slots=True)
class Unit(Word):
    """A unit that is new or visible again."""
    id: int = 0
    owner: int = 0  # a player; 0 = nobody
    kind: UnitKind = 'TANK'
    model: int = 0  # a number of its game
    team: Team = 'TEAM_ANY'
    colour: int = 0  # 0xRRGGBB
    radius: float = 0.0
    health: float = 0.0
    max_health: float = 0.0  # 0: the unit is either unhurt or dead
    name: str = ""
    skin: str = ""
    alive: bool = False  # in play; false for a tank that waits for its spawn
    pose: Optional[Pose] = None
    KIND: ClassVar[str] = "unit"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"id": ("id", "uint32"), "owner": ("owner", "uint32"), "kind": ("kind", "UnitKind"), "model": ("model", "uint32"), "team": ("team", "Team"), "colour": ("colour", "uint32"), "radius": ("radius", "double"), "health": ("health", "double"), "max_health": ("max_health", "double"), "name": ("name", "string"), "skin": ("skin", "string"), "alive": ("alive", "bool"), "pose": ("pose", "Pose")}

@dataclass(slots=True)
class UnitChanged(Word):
    """The fields that are set have changed."""
    unit: int = 0
    radius: Optional[float] = None
    colour: Optional[int] = None
    name: Optional[str] = None
    skin: Optional[str] = None
    team: Optional[Team] = None
    model: Optional[int] = None
    KIND: ClassVar[str] = "unit_changed"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "radius": ("radius", "double?"), "colour": ("colour", "uint32?"), "name": ("name", "string?"), "skin": ("skin", "string?"), "team": ("team", "Team?"), "model": ("model", "uint32?")}

@dataclass(slots=True)
class Corrected(Word):
    """The player's unit is not where its client claims, but here."""
    pose: Optional[Pose] = None
    hard: bool = False  # move there at once; otherwise glide
    KIND: ClassVar[str] = "corrected"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"pose": ("pose", "Pose"), "hard": ("hard", "bool")}

@dataclass(slots=True)
class Hidden(Word):
    """The unit is out of sight, but still exists."""
    unit: int = 0
    KIND: ClassVar[str] = "hidden"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32")}

@dataclass(slots=True)
class Gone(Word):
    """The unit no longer exists."""
    unit: int = 0
    by: int = 0  # a unit that ate or destroyed it; 0 = nobody
    why: DeathCause = 'UNKNOWN_DEATH'
    KIND: ClassVar[str] = "gone"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "by": ("by", "uint32"), "why": ("why", "DeathCause")}

@dataclass(slots=True)
class Teleported(Word):
    unit: int = 0
    from_: int = 0
    to: int = 0
    KIND: ClassVar[str] = "teleported"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "from": ("from_", "uint32"), "to": ("to", "uint32")}

@dataclass(slots=True)
class Spawned(Word):
    unit: int = 0
    pose: Optional[Pose] = None
    KIND: ClassVar[str] = "spawned"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "pose": ("pose", "Pose")}

@dataclass(slots=True)
class Died(Word):
    player: int = 0
    unit: int = 0
    killer: int = 0  # a player; 0 = nobody, or the server
    shot: int = 0
    why: DeathCause = 'UNKNOWN_DEATH'
    respawn_s: float = 0.0  # seconds until the player may spawn; 0 = at any time
    synthesised: bool = False  # the game's protocol only implies this death
    KIND: ClassVar[str] = "died"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "unit": ("unit", "uint32"), "killer": ("killer", "uint32"), "shot": ("shot", "uint32"), "why": ("why", "DeathCause"), "respawn_s": ("respawn_s", "double"), "synthesised": ("synthesised", "bool")}

@dataclass(slots=True)
class Health(Word):
    unit: int = 0
    now: float = 0.0
    max: float = 0.0
    by: int = 0  # a player
    from_x: float = 0.0  # where the hit came from
    from_y: float = 0.0
    from_z: float = 0.0
    KIND: ClassVar[str] = "health"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "now": ("now", "double"), "max": ("max", "double"), "by": ("by", "uint32"), "from_x": ("from_x", "double"), "from_y": ("from_y", "double"), "from_z": ("from_z", "double")}

@dataclass(slots=True)
class Ammo(Word):
    player: int = 0
    clip: int = 0
    reserve: int = 0
    blocks: int = 0
    grenades: int = 0
    KIND: ClassVar[str] = "ammo"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "clip": ("clip", "uint32"), "reserve": ("reserve", "uint32"), "blocks": ("blocks", "uint32"), "grenades": ("grenades", "uint32")}

@dataclass(slots=True)
class Input(Word):
    unit: int = 0
    bits: int = 0  # sum of Keys.Bit
    tool: int = 0
    primary: bool = False
    secondary: bool = False
    KIND: ClassVar[str] = "input"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"unit": ("unit", "uint32"), "bits": ("bits", "uint32"), "tool": ("tool", "uint32"), "primary": ("primary", "bool"), "secondary": ("secondary", "bool")}

@dataclass(slots=True)
class Shot(Word):
    shooter: int = 0  # a player
    unit: int = 0
    shot: int = 0  # the shooter's number for it
    weapon: int = 0
    kind: ShotKind = 'BALL'
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    life: float = 0.0
    range: float = 0.0
    team: Team = 'TEAM_ANY'
    radius: float = 0.0  # of a WAVE when it begins
    KIND: ClassVar[str] = "shot"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shooter": ("shooter", "uint32"), "unit": ("unit", "uint32"), "shot": ("shot", "uint32"), "weapon": ("weapon", "uint32"), "kind": ("kind", "ShotKind"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double"), "life": ("life", "double"), "range": ("range", "double"), "team": ("team", "Team"), "radius": ("radius", "double")}

@dataclass(slots=True)
class ShotMoved(Word):
    shooter: int = 0
    shot: int = 0
    target: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    KIND: ClassVar[str] = "shot_moved"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shooter": ("shooter", "uint32"), "shot": ("shot", "uint32"), "target": ("target", "uint32"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "vx": ("vx", "double"), "vy": ("vy", "double"), "vz": ("vz", "double")}

@dataclass(slots=True)
class ShotEnded(Word):
    shooter: int = 0
    shot: int = 0
    burst: bool = False
    KIND: ClassVar[str] = "shot_ended"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"shooter": ("shooter", "uint32"), "shot": ("shot", "uint32"), "burst": ("burst", "bool")}

@dataclass(slots=True)
class Token(Word):
    """A thing that can be carried. `code` is the game's own name of its effect ("GM", "R*"), empty if
    unknown."""
    id: int = 0
    kind: TokenKind = 'FLAG'
    code: str = ""
    team: Team = 'TEAM_ANY'
    state: TokenState = 'NOWHERE'
    carrier: int = 0  # a player
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    launch_x: float = 0.0
    launch_y: float = 0.0
    launch_z: float = 0.0
    land_x: float = 0.0
    land_y: float = 0.0
    land_z: float = 0.0
    flown_s: float = 0.0
    flight_s: float = 0.0
    rise: float = 0.0  # initial upward velocity
    endurance: int = 0  # 0 normal, 1 lost when dropped, 2 sticky
    gives: ShotKind = 'BALL'  # kind of its carrier's shots
    KIND: ClassVar[str] = "token"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"id": ("id", "uint32"), "kind": ("kind", "TokenKind"), "code": ("code", "string"), "team": ("team", "Team"), "state": ("state", "TokenState"), "carrier": ("carrier", "uint32"), "x": ("x", "double"), "y": ("y", "double"), "z": ("z", "double"), "launch_x": ("launch_x", "double"), "launch_y": ("launch_y", "double"), "launch_z": ("launch_z", "double"), "land_x": ("land_x", "double"), "land_y": ("land_y", "double"), "land_z": ("land_z", "double"), "flown_s": ("flown_s", "double"), "flight_s": ("flight_s", "double"), "rise": ("rise", "double"), "endurance": ("endurance", "uint32"), "gives": ("gives", "ShotKind")}

@dataclass(slots=True)
class TokenTaken(Word):
    token: Optional[Token] = None
    by: int = 0
    from_: int = 0  # the player it was taken from; 0 = from the ground
    KIND: ClassVar[str] = "token_taken"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"token": ("token", "Token"), "by": ("by", "uint32"), "from": ("from_", "uint32")}

@dataclass(slots=True)
class TokenDropped(Word):
    token: Optional[Token] = None
    by: int = 0
    why: DropReason = 'UNKNOWN_DROP'
    KIND: ClassVar[str] = "token_dropped"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"token": ("token", "Token"), "by": ("by", "uint32"), "why": ("why", "DropReason")}

@dataclass(slots=True)
class TokenCaptured(Word):
    token: int = 0
    by: int = 0
    team: Team = 'TEAM_ANY'  # whose token it was
    winning: bool = False  # true only if the capture ends the game
    KIND: ClassVar[str] = "token_captured"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"token": ("token", "uint32"), "by": ("by", "uint32"), "team": ("team", "Team"), "winning": ("winning", "bool")}

@dataclass(slots=True)
class Zone(Word):
    id: int = 0
    owner: Team = 'TEAM_ANY'
    capturing: Team = 'TEAM_ANY'
    rate: float = 0.0
    progress: float = 0.0
    KIND: ClassVar[str] = "zone"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"id": ("id", "uint32"), "owner": ("owner", "Team"), "capturing": ("capturing", "Team"), "rate": ("rate", "double"), "progress": ("progress", "double")}

@dataclass(slots=True)
class Score(Word):
    player: int = 0
    wins: int = 0
    losses: int = 0
    team_kills: int = 0
    KIND: ClassVar[str] = "score"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "wins": ("wins", "uint32"), "losses": ("losses", "uint32"), "team_kills": ("team_kills", "uint32")}

@dataclass(slots=True)
class TeamScore(Word):
    team: Team = 'TEAM_ANY'
    wins: int = 0
    losses: int = 0
    size: int = 0
    KIND: ClassVar[str] = "team_score"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"team": ("team", "Team"), "wins": ("wins", "uint32"), "losses": ("losses", "uint32"), "size": ("size", "uint32")}

@dataclass(slots=True)
class BoardRow(Word):
    place: int = 0
    player: int = 0  # 0: unknown
    name: str = ""
    me: bool = False
    marked: bool = False
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"place": ("place", "uint32"), "player": ("player", "uint32"), "name": ("name", "string"), "me": ("me", "bool"), "marked": ("marked", "bool")}

@dataclass(slots=True)
class Board(Word):
    rows: list[BoardRow] = field(default_factory=list)
    slices: list[float] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    KIND: ClassVar[str] = "board"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"rows": ("rows", "BoardRow[]"), "slices": ("slices", "float[]"), "lines": ("lines", "string[]")}

@dataclass(slots=True)
class Round(Word):
    state: RoundState = 'RUNNING'
    winner: int = 0  # a player
    winning_team: Team = 'TEAM_ANY'
    left_s: Optional[float] = None  # seconds left when this is sent
    paused: bool = False
    another: bool = False  # after this round the next begins by itself; players need not join again
    KIND: ClassVar[str] = "round"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"state": ("state", "RoundState"), "winner": ("winner", "uint32"), "winning_team": ("winning_team", "Team"), "left_s": ("left_s", "double?"), "paused": ("paused", "bool"), "another": ("another", "bool")}

@dataclass(slots=True)
class Said(Word):
    from_: int = 0  # a player; 0 = the server
    scope: SayScope = 'EVERYBODY'
    to: int = 0  # a player, or a Team
    kind: SayKind = 'CHAT'
    text: str = ""
    colour: int = 0
    name: str = ""  # the speaker's name, if the speaker is not a player
    KIND: ClassVar[str] = "said"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"from": ("from_", "uint32"), "scope": ("scope", "SayScope"), "to": ("to", "uint32"), "kind": ("kind", "SayKind"), "text": ("text", "string"), "colour": ("colour", "uint32"), "name": ("name", "string")}

@dataclass(slots=True)
class View(Word):
    """What a player's window shows."""
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    KIND: ClassVar[str] = "view"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"x": ("x", "double"), "y": ("y", "double"), "width": ("width", "double"), "height": ("height", "double")}

@dataclass(slots=True)
class Lag(Word):
    player: int = 0
    ping_s: float = 0.0
    KIND: ClassVar[str] = "lag"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"player": ("player", "uint32"), "ping_s": ("ping_s", "double")}

@dataclass(slots=True)
class Clock(Word):
    """The time of the server, or of a replay. In a replay, a Clock with `paused` and speed 0 begins a resync:
    the replay has moved to another moment (a seek, a pause, the start of a loop). Facts until the next Clock
    describe that moment and are not events; Unit.alive tells who is alive then, not Died or Spawned."""
    us: int = 0  # the server's or the recording's time
    speed: float = 0.0  # of a replay: 1 = as recorded; 0 = stands still
    paused: bool = False
    length_us: int = 0  # of a replay: the recording's length
    own: bool = False  # of a replay: the viewer may move it, by Playback
    follow: int = 0  # of a replay: the player that this viewer follows
    live: bool = False  # it is a broadcast: length_us, where it is now, grows with the time
    KIND: ClassVar[str] = "clock"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"us": ("us", "uint64"), "speed": ("speed", "double"), "paused": ("paused", "bool"), "length_us": ("length_us", "uint64"), "own": ("own", "bool"), "follow": ("follow", "uint32"), "live": ("live", "bool")}

@dataclass(slots=True)
class Ready(Word):
    """The client has received everything that is true now; the player may play."""
    KIND: ClassVar[str] = "ready"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {}

@dataclass(slots=True)
class TimelineMoment(Word):
    us: int = 0  # the recording's time
    what: TimelineWhat = 'KILL'
    player: int = 0  # who died, captured, joined or spoke
    by: int = 0  # of a kill: the killer; 0 = nobody
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"us": ("us", "uint64"), "what": ("what", "TimelineWhat"), "player": ("player", "uint32"), "by": ("by", "uint32")}

@dataclass(slots=True)
class Timeline(Word):
    """What happens in a recording, in the order of time."""
    moments: list[TimelineMoment] = field(default_factory=list)
    KIND: ClassVar[str] = "timeline"
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {"moments": ("moments", "TimelineMoment[]")}

Intent = Union[Enter, Change, Spawn, Leave, Select, Watch, Resume, Step, Toward, Keys, PoseClaim, Fire, Trigger, Reload, Tool, Split, Eject, Button, Freeze, HitClaim, DeathClaim, ShotMoveClaim, ShotEndClaim, TokenWish, TeleportClaim, ScoreClaim, Pause, Autopilot, Ping, Query, WantWorld, Edit, Say, Playback]
INTENTS: dict[str, type[Word]] = {"enter": Enter, "change": Change, "spawn": Spawn, "leave": Leave, "select": Select, "watch": Watch, "resume": Resume, "step": Step, "toward": Toward, "keys": Keys, "pose_claim": PoseClaim, "fire": Fire, "trigger": Trigger, "reload": Reload, "tool": Tool, "split": Split, "eject": Eject, "button": Button, "freeze": Freeze, "hit_claim": HitClaim, "death_claim": DeathClaim, "shot_move_claim": ShotMoveClaim, "shot_end_claim": ShotEndClaim, "token_wish": TokenWish, "teleport_claim": TeleportClaim, "score_claim": ScoreClaim, "pause": Pause, "autopilot": Autopilot, "ping": Ping, "query": Query, "want_world": WantWorld, "edit": Edit, "say": Say, "playback": Playback}

Fact = Union[Room, Rule, Refused, Kicked, ClaimRefused, Notice, Waiting, World, WorldEdit, WorldProgress, You, Player, PlayerGone, Owns, Unit, UnitChanged, Pose, Corrected, Hidden, Gone, Teleported, Spawned, Died, Health, Ammo, Input, Shot, ShotMoved, ShotEnded, Token, TokenTaken, TokenDropped, TokenCaptured, Zone, Score, TeamScore, Board, Round, Said, View, Lag, Clock, Ready, Timeline]
FACTS: dict[str, type[Word]] = {"room": Room, "rule": Rule, "refused": Refused, "kicked": Kicked, "claim_refused": ClaimRefused, "notice": Notice, "waiting": Waiting, "world": World, "world_edit": WorldEdit, "world_progress": WorldProgress, "you": You, "player": Player, "player_gone": PlayerGone, "owns": Owns, "unit": Unit, "unit_changed": UnitChanged, "pose": Pose, "corrected": Corrected, "hidden": Hidden, "gone": Gone, "teleported": Teleported, "spawned": Spawned, "died": Died, "health": Health, "ammo": Ammo, "input": Input, "shot": Shot, "shot_moved": ShotMoved, "shot_ended": ShotEnded, "token": Token, "token_taken": TokenTaken, "token_dropped": TokenDropped, "token_captured": TokenCaptured, "zone": Zone, "score": Score, "team_score": TeamScore, "board": Board, "round": Round, "said": Said, "view": View, "lag": Lag, "clock": Clock, "ready": Ready, "timeline": Timeline}
MESSAGES: dict[str, type[Word]] = {"Enter": Enter, "Change": Change, "Spawn": Spawn, "Leave": Leave, "Select": Select, "Watch": Watch, "Resume": Resume, "Step": Step, "Toward": Toward, "Keys": Keys, "PoseClaim": PoseClaim, "Fire": Fire, "Trigger": Trigger, "Reload": Reload, "Tool": Tool, "Split": Split, "Eject": Eject, "Button": Button, "Freeze": Freeze, "HitClaim": HitClaim, "DeathClaim": DeathClaim, "ShotMoveClaim": ShotMoveClaim, "ShotEndClaim": ShotEndClaim, "TokenWish": TokenWish, "TeleportClaim": TeleportClaim, "ScoreClaim": ScoreClaim, "Pause": Pause, "Autopilot": Autopilot, "Ping": Ping, "Query": Query, "WantWorld": WantWorld, "Edit": Edit, "Say": Say, "Playback": Playback, "Room": Room, "Rule": Rule, "Refused": Refused, "Kicked": Kicked, "ClaimRefused": ClaimRefused, "Notice": Notice, "Waiting": Waiting, "World": World, "Solid": Solid, "Teleporter": Teleporter, "Link": Link, "Base": Base, "WorldEdit": WorldEdit, "WorldProgress": WorldProgress, "You": You, "Player": Player, "PlayerGone": PlayerGone, "Owns": Owns, "Unit": Unit, "UnitChanged": UnitChanged, "Pose": Pose, "Corrected": Corrected, "Hidden": Hidden, "Gone": Gone, "Teleported": Teleported, "Spawned": Spawned, "Died": Died, "Health": Health, "Ammo": Ammo, "Input": Input, "Shot": Shot, "ShotMoved": ShotMoved, "ShotEnded": ShotEnded, "Token": Token, "TokenTaken": TokenTaken, "TokenDropped": TokenDropped, "TokenCaptured": TokenCaptured, "Zone": Zone, "Score": Score, "TeamScore": TeamScore, "BoardRow": BoardRow, "Board": Board, "Round": Round, "Said": Said, "View": View, "Lag": Lag, "Clock": Clock, "Ready": Ready, "TimelineMoment": TimelineMoment, "Timeline": Timeline}
