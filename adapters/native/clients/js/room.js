// The state of the room, computed from its facts, for bots and for the web page of adapters/native/page. Invariant: the same
// facts in the same order give the same room; facts about unknown players or units are ignored. A server cannot make it grow
// without bound: beyond MOST, new things are left out and counted. It uses no element of a page.
import { Track } from "./track.js";
import { Voxels } from "./voxels.js";

const MOST = { players: 4096, units: 100_000, shots: 4096, tokens: 4096, zones: 1024, rules: 4096, teams: 64, owned: 4096, bursts: 4096, solids: 20_000 };
const FALL = 50;  // m/s², of grenades: 32 blocks/s²
const MOST_FIRED = 10;
const MOST_COLUMNS = 4096, PASSABLE = 3;  // of tiles
const MOST_DRIFT = 0.001;  // of two clocks: ms in each ms
const FARTHEST = 1e6;  // metres: where a world may end
const SHOT_SECONDS = 1, FLASH_SECONDS = 0.2, BURST_SECONDS = 0.5, LONGEST_LIFE = 60;

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Where a world ends. Missing bounds stay so. */
const bound = (value) => (value === undefined || Math.abs(value) <= FARTHEST ? value : 0);

/** JSON writes NaN and Infinity as strings. */
const number = (value) => (Number.isFinite(value) ? value : 0);

const length = (value) => Math.max(0, number(value));

const poseOf = (pose = {}) => ({
  x: number(pose.x), y: number(pose.y), z: number(pose.z), vx: number(pose.vx), vy: number(pose.vy), vz: number(pose.vz),
  yaw: number(pose.yaw), pitch: number(pose.pitch), yawRate: number(pose.yaw_rate),
});

/** Where a shot is `seconds` after it was fired. A grenade falls as in Ace of Spades. */
export const placeOf = (shot, seconds) => ({
  x: shot.x + shot.vx * seconds, y: shot.y + shot.vy * seconds,
  z: shot.z + shot.vz * seconds - (shot.kind === "GRENADE" ? FALL / 2 * seconds * seconds : 0),
});

/** The radius of a wave `seconds` after it was fired; never negative. */
export const radiusOf = (wave, seconds) => {
  const first = length(wave.radius), part = number(wave.life) > 0 ? Math.min(1, Math.max(0, seconds / wave.life)) : 1;
  return first + (length(wave.range) - first) * part;
};

export class Room {
  me = 0;
  about = {};
  world = null;         // the newest World; `grid`: its tiles, as they are now; `blocks`: whether it has voxels
  voxels = null;        // its blocks, if it has any
  edits = 0;            // how often the world was changed
  clock = null;         // the newest Clock
  rules = new Map();
  ready = false;        // all that was true at the beginning has been told
  players = new Map();  // id: { id, name, team, role, units, active, wins, losses }
  units = new Map();    // id: { …Unit, track, hidden }
  shots = new Map();    // "shooter/shot": { …Shot, fired, until }, ms
  bursts = [];          // { x, y, z, since, until }
  tokens = new Map();
  board = [];
  teams = new Map();    // team: { team, wins, losses, size }
  zones = new Map();
  round = {};           // the newest Round
  leftOut = 0;          // things that exceed a limit
  #ahead = -Infinity;   // offset of the room's clock, ms
  #heard = 0;           // when the newest fact came, on the page's clock

  /** `now`: the page's time in ms. Returns [kind, word]; nothing for an unknown kind. */
  hear(fact, now) {
    const kind = Object.keys(fact).find((key) => Object.hasOwn(this.#facts, key));
    if (!kind) return [];
    this.#facts[kind](fact[kind], this.#when(fact, now), now);
    return [kind, fact[kind]];
  }

  /**
   * The fact's time on the page's clock. The fact with the shortest delay determines the offset of the two clocks. One of them may be
   * slower, so the offset becomes smaller with time, until another fact determines it.
   */
  #when(fact, now) {
    const at = Number(fact.at_us ?? 0) / 1000;
    this.#ahead = Math.max(at - now, this.#ahead - MOST_DRIFT * Math.max(0, now - this.#heard));
    this.#heard = now;
    return Math.min(now, at - this.#ahead);
  }

  /** The page's time, in ms, of a time of the room in us. NaN before the first fact. */
  pageTime(us) {
    return Number(us) / 1000 - this.#ahead;
  }

  /** Of a broadcast that has not begun: when it does, on the page's clock. Nothing if it has begun, or this is not known. */
  get begins() {
    const us = this.rules.get("begins_us");
    return us === undefined || this.clock ? null : this.pageTime(us);
  }

  rule(name, otherwise) {
    const value = Number.parseFloat(this.rules.get(name));
    return Number.isFinite(value) ? value : otherwise;
  }

  unitsOf(player) {
    return (this.players.get(player)?.units ?? []).map((id) => this.units.get(id)).filter(Boolean);
  }

  /** The living unit that a player steers; if it steers none, its largest. */
  unitOf(player) {
    const alive = this.unitsOf(player).filter((unit) => unit.alive && !unit.hidden);
    const active = this.players.get(player)?.active;
    return alive.find((unit) => unit.id === active) ?? alive.sort((a, b) => b.radius - a.radius)[0];
  }

  /** Removes what has ended. */
  tidy(now) {
    for (const [key, shot] of this.shots) if (now > shot.until) this.shots.delete(key);
    this.bursts = this.bursts.filter((burst) => now < burst.until);
  }

  /** Sets an entry of a table, if there is room for it. */
  #set(table, key, value) {
    if (this[table].has(key) || this[table].size < MOST[table]) this[table].set(key, value);
    else ++this.leftOut;
  }

  /** Shortens a list of parts of a world. */
  #cut(parts = []) { this.leftOut += parts.splice(MOST.solids).length; }

  #burst({ x, y, z }, now) {
    if (this.bursts.length >= MOST.bursts) this.tidy(now);
    if (this.bursts.length >= MOST.bursts) return;
    this.bursts.push({ x, y, z, since: now, until: now + 1000 * BURST_SECONDS });
  }

  #move(unit, pose, told, now) {
    if (number(pose.radius) > 0) unit.radius = pose.radius;
    unit.hidden ? unit.track.jump(poseOf(pose), told) : unit.track.tell(poseOf(pose), told, now);
    unit.hidden = false;
  }

  #shoot(shot, told) {
    const speed = Math.hypot(number(shot.vx), number(shot.vy), number(shot.vz));
    const shooter = this.players.get(shot.shooter);
    if (shooter) shooter.fired = [...(shooter.fired ?? []).slice(1 - MOST_FIRED), told];
    const flash = shot.kind === "RAY" || shot.kind === "MELEE";
    const reach = speed > 0 && number(shot.range) > 0 ? shot.range / speed : SHOT_SECONDS;
    const life = flash ? FLASH_SECONDS : Math.min(length(number(shot.life) || reach), LONGEST_LIFE);
    if (this.shots.size >= MOST.shots) this.tidy(told);
    this.#set("shots", `${shot.shooter}/${shot.shot ?? 0}`,
      { ...shot, ...poseOf(shot), flash, range: number(shot.range) || this.rule("shot_range", 100), fired: told, until: told + 1000 * life });
  }

  #edit(edit) {
    const { world } = this;
    if (!world) return;
    ++this.edits;
    if (world.grid) return this.#editTile(edit);
    if (world.kind !== "VOXELS") this.voxels ??= new Voxels(world.block);  // blocks on an even floor
    this.voxels?.edit(edit);
  }

  #editTile({ op = "BUILD", x = 0, y = 0 }) {
    const { grid, columns, rows, west = 0, east = 0, south = 0, north = 0 } = this.world;
    const column = Math.floor((x - west) / (east - west) * columns), row = Math.floor((north - y) / (north - south) * rows);
    if (column >= 0 && row >= 0 && column < columns && row < rows) grid[row * columns + column] = op === "BUILD" || op === "LINE" ? 0 : PASSABLE;
  }

  #forget(id) {
    const owner = this.players.get(this.units.get(id)?.owner);
    this.units.delete(id);
    if (owner) owner.units = owner.units.filter((unit) => unit !== id);
  }

  #facts = {
    you: (word) => { this.me = word.player; },
    room: (word) => { this.about = word; },
    rule: (word) => {
      this.#set("rules", word.name, word.value);
      if (word.name === "lockstep") this.#ahead = -Infinity;  // from now on, a bot's clock is that of the room
    },
    world: (word) => {
      const { kind, columns = 0, rows = 0, tiles = "", voxels = "", block = 0 } = word;
      this.world = word;
      for (const side of ["west", "east", "south", "north"]) word[side] = bound(word[side]);
      for (const kind of ["solids", "bases", "teleporters"]) this.#cut(word[kind]);
      this.voxels = kind === "VOXELS" ? Voxels.read(bytesOf(voxels), block) : null;
      word.blocks = this.voxels !== null;
      const grid = kind === "TILES" ? bytesOf(tiles) : null;
      word.grid = grid && columns > 0 && rows > 0 && columns <= MOST_COLUMNS && rows <= MOST_COLUMNS && grid.length === columns * rows ? grid : null;
    },
    world_edit: ({ edit }) => this.#edit(edit ?? {}),
    player: (word) => {
      const known = this.players.get(word.id) ?? { units: [], active: 0, wins: 0, losses: 0 };
      this.#set("players", word.id, { ...known, name: "", team: "TEAM_ANY", role: "PLAY", colour: 0, ...word });
    },
    player_gone: (word) => {
      for (const unit of this.unitsOf(word.id)) this.units.delete(unit.id);
      this.players.delete(word.id);
    },
    owns: (word) => {
      const player = this.players.get(word.player);
      if (player) Object.assign(player, { units: (word.units ?? []).slice(0, MOST.owned), active: word.active ?? 0 });
    },
    unit: (word, told) => {
      const plain = { owner: 0, kind: "TANK", team: "TEAM_ANY", colour: 0, alive: false, name: "" };
      this.#set("units", word.id, { ...plain, ...word, radius: length(word.radius), hidden: false, track: new Track(poseOf(word.pose), told) });
    },
    unit_changed: ({ unit, ...changed }) => {
      const known = this.units.get(unit);
      if (changed.radius !== undefined) changed.radius = length(changed.radius);
      if (known) Object.assign(known, changed);
    },
    pose: (word, told, now) => {
      const unit = this.units.get(word.unit);
      if (unit) this.#move(unit, word, told, now);
    },
    corrected: (word, told, now) => {
      const unit = this.units.get(word.pose?.unit);
      if (!unit) return;
      unit.hidden ||= word.hard ?? false;
      this.#move(unit, word.pose, told, now);
    },
    teleported: (word) => {
      const unit = this.units.get(word.unit);
      if (unit) unit.hidden = true;  // until the next pose shows where it reappears
    },
    hidden: (word) => {
      const unit = this.units.get(word.unit);
      if (unit) unit.hidden = true;
    },
    gone: (word) => this.#forget(word.unit),
    spawned: (word, told) => {
      const unit = this.units.get(word.unit);
      if (!unit) return;
      Object.assign(unit, { alive: true, hidden: false, health: unit.max_health });
      unit.track.jump(poseOf(word.pose), told);
    },
    died: (word, told, now) => {
      const unit = this.units.get(word.unit);
      if (!unit) return;
      unit.alive = false;
      this.#burst(unit.track.at(now), now);
    },
    health: (word) => {
      const unit = this.units.get(word.unit);
      if (unit) Object.assign(unit, { health: number(word.now), max_health: number(word.max) || unit.max_health });
    },
    shot: (word, told) => this.#shoot(word, told),
    shot_moved: (word, told) => {
      const shot = this.shots.get(`${word.shooter}/${word.shot ?? 0}`);
      if (shot) Object.assign(shot, poseOf(word), { fired: told });
    },
    shot_ended: (word, told, now) => {
      const key = `${word.shooter}/${word.shot ?? 0}`, shot = this.shots.get(key);
      if (shot && word.burst) this.#burst(placeOf(shot, (now - shot.fired) / 1000), now);
      this.shots.delete(key);
    },
    token: (word) => this.#set("tokens", word.id, word),
    token_taken: ({ token }) => token && this.#set("tokens", token.id, token),
    token_dropped: ({ token }) => token && this.#set("tokens", token.id, token),
    zone: (word) => {
      this.#set("zones", word.id, word);
      const token = this.tokens.get(word.id);
      if (token) this.tokens.set(word.id, { ...token, team: word.owner ?? "TEAM_ANY" });
    },
    round: (word) => { this.round = word; },
    score: (word) => {
      const player = this.players.get(word.player);
      if (player) Object.assign(player, { wins: word.wins ?? 0, losses: word.losses ?? 0 });
    },
    ammo: (word) => {
      const player = this.players.get(word.player);
      if (player) player.ammo = word;
    },
    team_score: (word) => { this.#set("teams", word.team ?? "TEAM_ANY", { wins: 0, losses: 0, size: 0, ...word }); },
    clock: (word) => { this.clock = word; },
    board: (word) => { this.board = word.rows ?? []; },
    ready: () => { this.ready = true; },
    // Kinds that change nothing here, but are reported.
    ...Object.fromEntries(["refused", "kicked", "claim_refused", "notice", "waiting", "said", "token_captured"]
      .map((kind) => [kind, () => {}])),
  };
}
