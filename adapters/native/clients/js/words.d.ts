// The words of the native protocol as types. Made by ../generate from schema/game.proto: do not edit.
//
// An intent is what you want, a fact is what is true. Metres, seconds, radians; x east, y north, z up; yaw counter-clockwise
// from east. Of a fact, all fields are set, except those with a question mark. Of an intent, a field that you leave out is 0,
// false or empty. Bytes are text in base64. A later server may send names of enums that are not listed here.

export type Audience = "ALL" | "PLAYER" | "TEAM" | "ADMINS";

/** A team, named by its colour. A player without a team is ROGUE. Spectators have a Role, not a team. */
export type Team = "TEAM_ANY" | "ROGUE" | "RED" | "GREEN" | "BLUE" | "PURPLE" | "YELLOW" | "RABBIT" | "HUNTER";

export type Role = "PLAY" | "WATCH" | "ROBOT";

export type Direction = "NOWHERE" | "NORTH" | "EAST" | "SOUTH" | "WEST";

export type ShotKind = "BALL" | "RAY" | "GUIDED" | "MELEE" | "GRENADE" | "WAVE";

/** Why a player died. */
export type DeathCause = "UNKNOWN_DEATH" | "BY_SHOT" | "BY_TOUCH" | "BY_CAPTURE" | "BY_GENOCIDE" | "BY_ITSELF" | "BY_FALL" | "BY_WATER" | "BY_SERVER" | "BY_HEADSHOT" | "BY_MELEE" | "BY_GRENADE" | "BY_DRIVER";

/** Why a token is dropped. Captures have their own words. */
export type DropReason = "UNKNOWN_DROP" | "DROP_WISHED" | "DROP_KILLED" | "DROP_TIMEOUT" | "DROP_SCORE";

export type WatchMode = "STOP" | "PLAYER" | "LEADER" | "PLACE" | "ROAM";

export type KeysBit = "NONE" | "FORWARD" | "BACKWARD" | "LEFT" | "RIGHT" | "JUMP" | "CROUCH" | "SNEAK" | "SPRINT";

export type HitClaimPart = "TORSO" | "HEAD" | "ARMS" | "LEGS" | "MELEE";

export type TokenWishOp = "GRAB" | "DROP" | "CAPTURE" | "GIVE";

export type QueryKind = "GAME" | "PLAYERS";

export type EditOp = "BUILD" | "DIG" | "COLUMN" | "BLAST" | "LINE";

export type SayScope = "EVERYBODY" | "MY_TEAM" | "ONE" | "MODERATORS" | "SERVER";

export type SayKind = "CHAT" | "ACTION" | "COMMAND";

export type PlaybackKill = "NO_KILL" | "NEXT_KILL" | "PREVIOUS_KILL";

export type RefusedCode = "OTHER" | "FULL" | "TEAM_FULL" | "BAD_NAME" | "NAME_TAKEN" | "BANNED" | "WRONG_VERSION" | "BAD_TEAM" | "TOO_SOON" | "SERVER_GONE" | "BAD_ROLE" | "NO_ROGUES" | "NAME_NEEDS_LOGIN" | "SERVER_NEEDS_LOGIN";

export type NoticeLevel = "INFO" | "WARNING" | "BIG";

export type WorldKind = "OPEN" | "TILES" | "SOLIDS" | "VOXELS";

export type Tile = "WALL" | "SHOTS_PASS" | "UNITS_PASS";

export type SolidShape = "BOX" | "PYRAMID" | "WALL_FACE";

export type Badge = "NO_BADGE" | "REGISTERED" | "VERIFIED" | "ADMIN" | "PAUSED" | "AUTOPILOT";

export type UnitKind = "TANK" | "MAN" | "CELL" | "PELLET" | "VIRUS" | "MOTHER" | "EJECTED" | "BRICK" | "PICKUP" | "DECOR";

export type PoseState = "NONE" | "FALLING" | "CROUCHING" | "PAUSED" | "EXPLODING" | "TELEPORTING" | "FLAG_ACTIVE" | "IN_WALL" | "JETTING" | "SPRINTING" | "SNEAKING";

export type TokenKind = "FLAG" | "TEAM_FLAG" | "INTEL" | "BASE";

export type TokenState = "NOWHERE" | "GROUND" | "CARRIED" | "FLYING" | "COMING" | "GOING";

export type RoundState = "RUNNING" | "WAITING" | "OVER";

export type TimelineWhat = "KILL" | "CAPTURE" | "JOIN" | "CHAT";

/** Asks to join. A player's first word. */
export interface Enter {
  name: string;
  team: Team;
  role: Role;
  kit: number;  // weapon or tank model, in the server's own numbers; 0 = any
  flags_known: string[];
  password: string;
  token: string;
  motto: string;
  avatar: string;
  skin: string;
  version: string;
  claims_deaths: boolean;  // the client tests hits on itself and sends DeathClaim, so nobody else has to
  body: UnitKind;  // what the client moves by itself: a TANK, or a MAN, which is smaller and climbs
  contract: number;  // native only: the protocol version that the client speaks; 0 means 1
}

/** Changes the player. Fields that are not set stay the same. */
export interface Change {
  name?: string;
  team?: Team;
  kit?: number;
  colour?: number;  // 0xRRGGBB
  motto?: string;
  skin?: string;
}

/** Asks to be put into play. */
export interface Spawn {
}

export interface Leave {
  why: string;
}

/** Chooses which of the player's units to steer. */
export interface Select {
  unit: number;
}

export interface Watch {
  mode: WatchMode;
  target: number;  // a player
  x: number;
  y: number;
}

/** Asks for the seat of a player who lost the connection a moment ago. It is not sent to a server: the room returns the seat or answers ClaimRefused. */
export interface Resume {
  player: number;  // the player's number in the client's own game
}

/** Moves one tile in this direction. If the tile is blocked, the unit only turns. The centre of the tile is x, y. */
export interface Step {
  unit: number;
  direction: Direction;
  x: number;
  y: number;
}

/** Steers to this place: the farther away it is, the faster. */
export interface Toward {
  x: number;
  y: number;
}

export interface Keys {
  bits: number;  // sum of Bit
  yaw: number;
  pitch: number;
  seq: number;
}

/** Where the unit is, according to its player's client. */
export interface PoseClaim {
  unit: number;
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  yaw: number;
  pitch: number;
  yaw_rate: number;
  state: number;  // sum of Pose.State
  seq: number;  // increases; a claim with a lower number than an earlier one is too late
  sent_at: number;  // seconds on the client's own clock
}

/** Fires a shot. The velocity is the shot's, and includes the shooter's own. */
export interface Fire {
  unit: number;
  shot: number;  // the player's own number for it
  weapon: number;  // what gives the shot its kind, as in Token.code; 0 = plain
  kind: ShotKind;
  x: number;
  y: number;
  z: number;
  vx: number;  // of a ray: its direction, length 1
  vy: number;
  vz: number;
  life: number;  // seconds
  range: number;  // metres
}

export interface Trigger {
  primary: boolean;
  secondary: boolean;
}

export interface Reload {
}

export interface Tool {
  number: number;
}

export interface Split {
  count: number;
  minions: boolean;
}

export interface Eject {
  minions: boolean;
}

/** A key whose meaning depends on the game (Q in Ogar). */
export interface Button {
  down: boolean;
}

export interface Freeze {
  on: boolean;
}

export interface HitClaim {
  victim: number;  // a player
  shot: number;
  part: HitClaimPart;
}

/** The player is dead, according to the player's client. */
export interface DeathClaim {
  killer: number;  // a player; 0 = nobody
  shot: number;  // the killer's number for it
  why: DeathCause;
}

export interface ShotMoveClaim {
  shot: number;
  target: number;  // a player
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
}

export interface ShotEndClaim {
  shooter: number;
  shot: number;
  burst: boolean;  // it ended in an explosion
}

export interface TokenWish {
  token: number;
  op: TokenWishOp;
  from: number;  // a player
  to: number;  // a player
  team: Team;  // CAPTURE: the team of the base
  x: number;
  y: number;
  z: number;
  why: DropReason;  // DROP
}

export interface TeleportClaim {
  unit: number;
  from: number;  // numbers of links
  to: number;
}

export interface ScoreClaim {
  wins: number;
  losses: number;
}

export interface Pause {
  on: boolean;
}

export interface Autopilot {
  on: boolean;
}

/** Asks for an answer; or is the answer of a player who was asked. */
export interface Ping {
  number: number;
}

export interface Query {
  kind: QueryKind;
}

/** Asks for the world without joining. The room connects to its server because of it. */
export interface WantWorld {
}

export interface Edit {
  op: EditOp;
  x: number;
  y: number;
  z: number;
  x2: number;
  y2: number;
  z2: number;
  colour: number;
}

export interface Say {
  scope: SayScope;
  to: number;
  kind: SayKind;
  text: string;
}

/** Moves the viewer's own clock in a replay. What is not set stays as it is. */
export interface Playback {
  us?: number;  // go to this time of the recording
  by_s?: number;  // go so many seconds forwards, or (negative) backwards
  speed?: number;  // 0.25 to 16
  paused?: boolean;
  kill: PlaybackKill;  // go to a kill
  follow?: number;  // follow this player; 0 = nobody
}

export interface Room {
  game: string;
  dialect: string;
  name: string;
  mode: string;  // "free for all", "capture the flag", …
  most_players: number;
  most_shots: number;  // shots that one player can have in the air
  players: number;
  watchers: number;
  robots: number;
  load: number;  // 1: the server's processor is fully used
  uptime_s: number;
  jumping: boolean;
  ricochet: boolean;
  teams: boolean;  // players play in teams
}

/** A parameter of the game that players must know. Names: speed, turn_rate, reload, refill (seconds that an empty clip takes), shot_speed, shot_range, tick_s, respawn, explode …, in the units of this file; hits (value "victim": players report hits on themselves; otherwise the server decides); or a variable of that game, named "GAME.variable". */
export interface Rule {
  name: string;
  value: string;
}

/** The player is not admitted. */
export interface Refused {
  code: RefusedCode;
  text: string;
  may_retry: boolean;
}

export interface Kicked {
  text: string;
}

export interface ClaimRefused {
  why: string;
}

export interface Notice {
  level: NoticeLevel;
  text: string;
}

export interface Waiting {
  have: number;
  need: number;  // 0: unknown
}

/** The geometry. Sent once and kept by the room; other messages refer to it by its hash. */
export interface World {
  hash: string;
  kind: WorldKind;
  name: string;
  west: number;  // bounds
  east: number;
  south: number;
  north: number;
  columns: number;  // of tiles
  rows: number;
  tiles: string;  // sums of Tile; rows from north to south, each from west to east
  solids: Solid[];
  teleporters: Teleporter[];
  links: Link[];
  bases: Base[];
  voxels: string;  // a map file of Ace of Spades
  walled: boolean;  // units cannot leave the bounds
  block: number;  // side length of blocks that can be built and dug, in metres; 0: no building
  ground: string;  // of VOXELS: height of the ground in blocks, for n by n cells between the bounds; rows from
  left_out: number;  // north to south, each from west to east; empty: 0 everywhere. Solids and men stand on it
}

export interface Solid {
  shape: SolidShape;
  x: number;  // centre of its base
  y: number;
  z: number;
  half_x: number;  // along its own yaw
  half_y: number;
  height: number;
  yaw: number;
  units_pass: boolean;
  shots_pass: boolean;
  upside_down: boolean;
  approximate: boolean;  // stands for a part of a shape that words cannot describe
  shots_bounce: boolean;  // also where they do not bounce off other solids
}

export interface Teleporter {
  frame?: Solid;
  border: number;
}

/** Leads from one side of a teleporter to another. The sides of teleporter n are 2n and 2n + 1. */
export interface Link {
  from: number;
  to: number;
}

export interface Base {
  solid?: Solid;
  team: Team;
}

export interface WorldEdit {
  edit?: Edit;
  by: number;
}

export interface WorldProgress {
  done: number;
  total: number;
}

/** Tells a client which player it is. Sent to that client only. */
export interface You {
  player: number;
  contract: number;  // native only: the protocol version (NATIVE.md); 0 means 1
  newest: number;  // native only: the newest version that Enter.contract may ask for; 0 means 1
}

/** A new or changed player; all fields are set. */
export interface Player {
  id: number;
  name: string;
  team: Team;
  role: Role;
  kit: number;
  colour: number;  // 0xRRGGBB, 0 = its team's
  skin: string;
  motto: string;
  badges: number;  // sum of Badge
  address: string;  // only sent to ADMINS
  responding: boolean;
}

export interface PlayerGone {
  id: number;
  why: string;
}

/** All units of a player, and which of them the player steers. */
export interface Owns {
  player: number;
  units: number[];
  active: number;
}

/** A unit that is new or visible again. */
export interface Unit {
  id: number;
  owner: number;  // a player; 0 = nobody
  kind: UnitKind;
  model: number;  // a number of its game
  team: Team;
  colour: number;  // 0xRRGGBB
  radius: number;
  health: number;
  max_health: number;  // 0: the unit is either unhurt or dead
  name: string;
  skin: string;
  alive: boolean;  // in play; false for a tank that waits for its spawn
  pose?: Pose;
}

/** The fields that are set have changed. */
export interface UnitChanged {
  unit: number;
  radius?: number;
  colour?: number;
  name?: string;
  skin?: string;
  team?: Team;
  model?: number;
}

export interface Pose {
  unit: number;
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  yaw: number;
  pitch: number;
  yaw_rate: number;
  radius: number;  // 0: unchanged
  state: number;  // sum of State
  seq: number;
}

/** The player's unit is not where its client claims, but here. */
export interface Corrected {
  pose?: Pose;
  hard: boolean;  // move there at once; otherwise glide
}

/** The unit is out of sight, but still exists. */
export interface Hidden {
  unit: number;
}

/** The unit no longer exists. */
export interface Gone {
  unit: number;
  by: number;  // a unit that ate or destroyed it; 0 = nobody
  why: DeathCause;
}

export interface Teleported {
  unit: number;
  from: number;
  to: number;
}

export interface Spawned {
  unit: number;
  pose?: Pose;
}

export interface Died {
  player: number;
  unit: number;
  killer: number;  // a player; 0 = nobody, or the server
  shot: number;
  why: DeathCause;
  respawn_s: number;  // seconds until the player may spawn; 0 = at any time
  synthesised: boolean;  // the game's protocol only implies this death
}

export interface Health {
  unit: number;
  now: number;
  max: number;
  by: number;  // a player
  from_x: number;  // where the hit came from
  from_y: number;
  from_z: number;
}

export interface Ammo {
  player: number;
  clip: number;
  reserve: number;
  blocks: number;
  grenades: number;
}

export interface Input {
  unit: number;
  bits: number;  // sum of Keys.Bit
  tool: number;
  primary: boolean;
  secondary: boolean;
}

export interface Shot {
  shooter: number;  // a player
  unit: number;
  shot: number;  // the shooter's number for it
  weapon: number;
  kind: ShotKind;
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  life: number;
  range: number;
  team: Team;
  radius: number;  // of a WAVE when it begins
}

export interface ShotMoved {
  shooter: number;
  shot: number;
  target: number;
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
}

export interface ShotEnded {
  shooter: number;
  shot: number;
  burst: boolean;
}

/** A thing that can be carried. `code` is the game's own name of its effect ("GM", "R*"), empty if unknown. */
export interface Token {
  id: number;
  kind: TokenKind;
  code: string;
  team: Team;
  state: TokenState;
  carrier: number;  // a player
  x: number;
  y: number;
  z: number;
  launch_x: number;
  launch_y: number;
  launch_z: number;
  land_x: number;
  land_y: number;
  land_z: number;
  flown_s: number;
  flight_s: number;
  rise: number;  // initial upward velocity
  endurance: number;  // 0 normal, 1 lost when dropped, 2 sticky
  gives: ShotKind;  // kind of its carrier's shots
}

export interface TokenTaken {
  token?: Token;
  by: number;
  from: number;  // the player it was taken from; 0 = from the ground
}

export interface TokenDropped {
  token?: Token;
  by: number;
  why: DropReason;
}

export interface TokenCaptured {
  token: number;
  by: number;
  team: Team;  // whose token it was
  winning: boolean;  // true only if the capture ends the game
}

export interface Zone {
  id: number;
  owner: Team;
  capturing: Team;
  rate: number;
  progress: number;
}

export interface Score {
  player: number;
  wins: number;
  losses: number;
  team_kills: number;
}

export interface TeamScore {
  team: Team;
  wins: number;
  losses: number;
  size: number;
}

export interface BoardRow {
  place: number;
  player: number;  // 0: unknown
  name: string;
  me: boolean;
  marked: boolean;
}

export interface Board {
  rows: BoardRow[];
  slices: number[];
  lines: string[];
}

export interface Round {
  state: RoundState;
  winner: number;  // a player
  winning_team: Team;
  left_s?: number;  // seconds left when this is sent
  paused: boolean;
  another: boolean;  // after this round the next begins by itself; players need not join again
}

export interface Said {
  from: number;  // a player; 0 = the server
  scope: SayScope;
  to: number;  // a player, or a Team
  kind: SayKind;
  text: string;
  colour: number;
  name: string;  // the speaker's name, if the speaker is not a player
}

/** What a player's window shows. */
export interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Lag {
  player: number;
  ping_s: number;
}

/** The time of the server, or of a replay. In a replay, a Clock with `paused` and speed 0 begins a resync: the replay has moved to another moment (a seek, a pause, the start of a loop). Facts until the next Clock describe that moment and are not events; Unit.alive tells who is alive then, not Died or Spawned. */
export interface Clock {
  us: number;  // the server's or the recording's time
  speed: number;  // of a replay: 1 = as recorded; 0 = stands still
  paused: boolean;
  length_us: number;  // of a replay: the recording's length
  own: boolean;  // of a replay: the viewer may move it, by Playback
  follow: number;  // of a replay: the player that this viewer follows
  live: boolean;  // it is a broadcast: length_us, where it is now, grows with the time
}

/** The client has received everything that is true now; the player may play. */
export interface Ready {
}

export interface TimelineMoment {
  us: number;  // the recording's time
  what: TimelineWhat;
  player: number;  // who died, captured, joined or spoke
  by: number;  // of a kill: the killer; 0 = nobody
}

/** What happens in a recording, in the order of time. */
export interface Timeline {
  moments: TimelineMoment[];
}

/** Each kind of intent, by its name in JSON. */
export interface Intents {
  enter: Partial<Enter>;
  change: Partial<Change>;
  spawn: Partial<Spawn>;
  leave: Partial<Leave>;
  select: Partial<Select>;
  watch: Partial<Watch>;
  resume: Partial<Resume>;
  step: Partial<Step>;
  toward: Partial<Toward>;
  keys: Partial<Keys>;
  pose_claim: Partial<PoseClaim>;
  fire: Partial<Fire>;
  trigger: Partial<Trigger>;
  reload: Partial<Reload>;
  tool: Partial<Tool>;
  split: Partial<Split>;
  eject: Partial<Eject>;
  button: Partial<Button>;
  freeze: Partial<Freeze>;
  hit_claim: Partial<HitClaim>;
  death_claim: Partial<DeathClaim>;
  shot_move_claim: Partial<ShotMoveClaim>;
  shot_end_claim: Partial<ShotEndClaim>;
  token_wish: Partial<TokenWish>;
  teleport_claim: Partial<TeleportClaim>;
  score_claim: Partial<ScoreClaim>;
  pause: Partial<Pause>;
  autopilot: Partial<Autopilot>;
  ping: Partial<Ping>;
  query: Partial<Query>;
  want_world: Partial<WantWorld>;
  edit: Partial<Edit>;
  say: Partial<Say>;
  playback: Partial<Playback>;
}

/** Each kind of fact, by its name in JSON. */
export interface Facts {
  room: Room;
  rule: Rule;
  refused: Refused;
  kicked: Kicked;
  claim_refused: ClaimRefused;
  notice: Notice;
  waiting: Waiting;
  world: World;
  world_edit: WorldEdit;
  world_progress: WorldProgress;
  you: You;
  player: Player;
  player_gone: PlayerGone;
  owns: Owns;
  unit: Unit;
  unit_changed: UnitChanged;
  pose: Pose;
  corrected: Corrected;
  hidden: Hidden;
  gone: Gone;
  teleported: Teleported;
  spawned: Spawned;
  died: Died;
  health: Health;
  ammo: Ammo;
  input: Input;
  shot: Shot;
  shot_moved: ShotMoved;
  shot_ended: ShotEnded;
  token: Token;
  token_taken: TokenTaken;
  token_dropped: TokenDropped;
  token_captured: TokenCaptured;
  zone: Zone;
  score: Score;
  team_score: TeamScore;
  board: Board;
  round: Round;
  said: Said;
  view: View;
  lag: Lag;
  clock: Clock;
  ready: Ready;
  timeline: Timeline;
}
