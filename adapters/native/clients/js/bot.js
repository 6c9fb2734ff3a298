// A player: connects, keeps the room, sends intents, and gives out what happens.
// Invariant: every wait has a time limit. Queues are bounded: beyond their limit, the oldest events are dropped and counted.
// A server that floods does not keep timers and other work from running.
import { LONGEST_LINE, parseFact, spellIntent } from "./codec.js";
import { BadIntent, ClaimRefused, ConnectionLost, EntenteError, Kicked, Refused, TimeLimit } from "./errors.js";
import { TcpLink, WebLink } from "./links.js";
import { Room } from "./room.js";

const CONTRACT = 2;          // the newest version of the protocol that this package knows
const SLICE = 5;             // ms: what the server sends is handled for so long, before other work runs
const MOST_UNHANDLED = 2 * LONGEST_LINE;  // of what the server has sent, and is not handled yet
const MOST_SENT = 256;       // intents that are remembered, to tell which one a refusal is about
const ASK_AGAIN = 2;         // seconds, for a spawn
const LONGEST_STEP = 90_000; // ticks
const LONGEST_TIMER = 2 ** 31 - 1;  // ms: setTimeout() takes no more
const MOST_TRIES = 20;       // to enter, on one connection
const BELIEVED = 1;          // seconds for which a unit is expected to go on at its velocity
const FREQUENT = new Set(["pose", "input", "world_progress"]);

/** In metres, on the ground. */
export const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

/** Events that wait to be read, oldest first. `missed` counts those that were dropped, because nobody read them. */
class Events {
  missed = 0;
  #kinds;
  #most;
  #waiting = [];
  #first = 0;      // of #waiting
  #wanted = [];    // promises of those who wait
  #over = null;    // { error }
  #forget;

  /** `forget(this)` is called when nobody wants more. */
  constructor(kinds, most, forget) { this.#kinds = new Set(kinds), this.#most = most, this.#forget = forget; }

  put(event) {
    if (this.#over || !(this.#kinds.size ? this.#kinds.has(event.kind) : !FREQUENT.has(event.kind))) return;
    const wanted = this.#wanted.shift();
    if (wanted) return wanted.resolve({ value: event, done: false });
    this.#waiting.push(event);
    if (this.#waiting.length - this.#first > this.#most) ++this.missed, this.#drop();
  }

  #drop() {
    this.#waiting[this.#first++] = undefined;
    if (this.#first > 1000 && this.#first * 2 > this.#waiting.length) this.#waiting.splice(0, this.#first), this.#first = 0;
  }

  close(error) {
    this.#over = { error };
    for (const { resolve, reject } of this.#wanted.splice(0)) error ? reject(error) : resolve({ value: undefined, done: true });
  }

  async next() {
    if (this.#first < this.#waiting.length) {
      const value = this.#waiting[this.#first];
      this.#drop();
      return { value, done: false };
    }
    if (this.#over?.error) throw this.#over.error;
    if (this.#over) return { value: undefined, done: true };
    return new Promise((resolve, reject) => this.#wanted.push({ resolve, reject }));
  }

  async return() {
    this.#forget(this);
    this.close(null);
    this.#waiting = [], this.#first = 0;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator]() { return this; }
}

/** Made by connect(). */
export class Bot {
  room = new Room();
  error = null;  // why the bot is over
  over = false;
  resyncing = false;  // a replay moves to another moment: what is told is not an event
  #options;
  #enter;
  #link = null;
  #isIn = false;
  #beenIn = false;
  #tries = 0;
  #delay;
  #timers = new Set();
  #retry = null;
  #sent = [];
  #number = 0;
  #shots = 0;
  #newest = 1;
  #atUs = 0;
  #queues = new Set();
  #callbacks = new Map();
  #waiters = new Set();

  constructor(options, enter) {
    this.#options = options, this.#enter = enter, this.#delay = options.firstDelay;
    for (const [kind, callback] of Object.entries(options.on)) this.on(kind, callback);
  }

  // -- What is known --------------------------------------------------------------------------------------------------

  /** Your player; undefined while you are not in. */
  get me() { return this.room.players.get(this.room.me); }
  /** The unit that you steer; undefined while you are out of play. */
  get unit() { return this.room.unitOf(this.room.me); }
  get connected() { return this.#link !== null && this.#isIn; }
  /** The room's time in seconds: that of the newest fact. */
  get now() { return this.#atUs / 1e6; }

  /** Where a unit is now: it goes on at its velocity for at most a second. */
  placeOf(unit) {
    const { pose, told } = unit.track, gone = Math.min(Math.max((this.#clock() - told) / 1000, 0), BELIEVED);
    return { ...pose, x: pose.x + pose.vx * gone, y: pose.y + pose.vy * gone, z: pose.z + pose.vz * gone, yaw: pose.yaw + pose.yawRate * gone };
  }

  /** The units of other players that are in play and in sight, the nearest to yours first. */
  others() {
    const mine = this.unit, at = mine && this.placeOf(mine);
    const found = [...this.room.units.values()].filter((unit) => unit.alive && !unit.hidden && unit.owner && unit.owner !== this.room.me);
    return at ? found.map((unit) => [distance(at, this.placeOf(unit)), unit]).sort((a, b) => a[0] - b[0]).map(([, unit]) => unit) : found;
  }

  /** As others(), without your team mates. */
  foes() {
    const team = this.me?.team;
    return this.others().filter((unit) => !team || team === "ROGUE" || team === "TEAM_ANY" || this.room.players.get(unit.owner)?.team !== team);
  }

  playerNamed(name) { return [...this.room.players.values()].find((player) => player.name === name); }

  // -- What you want --------------------------------------------------------------------------------------------------

  /** Sends an intent: send("toward", { x, y }). Throws BadIntent or ConnectionLost. Nothing waits for an answer. */
  send(kind, word = {}) {
    const line = spellIntent(kind, word);
    if (!this.#link) throw this.error ?? new ConnectionLost("not connected");
    this.#link.write(line);
    this.#sent.push({ number: ++this.#number, kind, word });
    if (this.#sent.length > MOST_SENT) this.#sent.shift();
  }

  /** Steers your unit to this place. It goes on until the next goto(), stop() or turnTo(). */
  goto(x, y) { this.send("toward", { x, y }); }

  /** Steers to where the target is now. Call it again as the target moves. */
  follow(target) {
    const { x, y } = this.#poseOf(target);
    this.goto(x, y);
  }

  /** Stands still. */
  stop() { this.follow(this.#mine()); }

  /** Turns on the spot until the target is ahead. */
  turnTo(target) {
    const { x, y } = this.aim(target);
    this.send("keys", { yaw: Math.atan2(y, x) });
  }

  /** The direction in which a shot meets the target, if it goes on as it does now: { x, y, z } of length 1. */
  aim(target) {
    const at = this.#poseOf(target), mine = this.placeOf(this.#mine()), speed = this.room.rule("shot_speed", 100);
    let [x, y] = [at.x - mine.x, at.y - mine.y];
    const z = (at.z ?? 0) - mine.z, vx = at.vx ?? 0, vy = at.vy ?? 0;
    // The time after which the shot, at its speed, is as far away as the target: a quadratic equation.
    const a = vx * vx + vy * vy - speed * speed, b = 2 * (x * vx + y * vy), c = x * x + y * y, root = b * b - 4 * a * c;
    const later = a < 0 && root >= 0 ? Math.max((-b - Math.sqrt(root)) / (2 * a), 0) : 0;
    x += vx * later, y += vy * later;
    const far = Math.hypot(x, y, z);
    return far > 0 ? { x: x / far, y: y / far, z: z / far } : { x: Math.cos(mine.yaw), y: Math.sin(mine.yaw), z: 0 };
  }

  /** Fires one shot at the target, with lead. Returns the number of the shot. */
  shootAt(target) {
    const way = this.aim(target), unit = this.#mine(), { x, y, z } = this.placeOf(unit);
    this.send("fire", { unit: unit.id, shot: ++this.#shots, x, y, z, vx: way.x, vy: way.y, vz: way.z });
    return this.#shots;
  }

  /** Says a line to all; to your team (`team`); or to one player (`to`, its id). */
  say(text, { to = 0, team = false } = {}) {
    this.send("say", { scope: to ? "ONE" : team ? "MY_TEAM" : "EVERYBODY", to, text });
  }

  /** Comes into play, and returns your unit. Returns at once if you are in play. Throws ClaimRefused if the server says no. */
  async spawn({ timeout = 30 } = {}) {
    const ends = performance.now() + 1000 * timeout;
    while (!this.unit) {
      this.send("spawn");
      const left = (ends - performance.now()) / 1000;
      const wanted = ({ kind, intent }) => this.unit || (kind === "claim_refused" && (!intent || intent.kind === "spawn"));
      let event = null;
      try {
        event = await this.#wait(wanted, Math.min(ASK_AGAIN, left), "the spawn");
      } catch (error) {
        if (!(error instanceof TimeLimit)) throw error;
        if (left <= ASK_AGAIN) throw new TimeLimit("the spawn", timeout);
      }
      if (event?.kind === "claim_refused" && !this.unit) throw new ClaimRefused(event.word.why, event.intent);
    }
    return this.unit;
  }

  /** Steers to this place, and waits until your unit is within so many metres of it. Throws ClaimRefused if you die. */
  async arrive(x, y, { within = 8, timeout = 60 } = {}) {
    const goal = { x, y }, near = () => !this.unit || distance(this.unit.track.pose, goal) <= within;
    this.#mine();
    this.goto(x, y);
    if (!near()) await this.#wait(near, timeout, `the arrival at ${x}, ${y}`);
    if (!this.unit) throw new ClaimRefused("your unit is not in play any more");
  }

  /** In a lockstep arena: lets time advance by so many ticks. Ends when all that happens until then is known. */
  async step(ticks = 1, { timeout = 30 } = {}) {
    if (!Number.isInteger(ticks) || ticks < 1 || ticks > LONGEST_STEP) throw new BadIntent("playback.by_s", `${ticks} is not a number of ticks from 1 to ${LONGEST_STEP}`);
    if (!this.room.rule("lockstep", 0)) throw new BadIntent("playback.by_s", "this is no lockstep arena");
    this.send("playback", { by_s: ticks * this.room.rule("tick_s", 0.04) });
    const number = this.#number;
    await this.#wait(({ kind, intent }) => kind === "clock" && intent?.number === number, timeout, "the step");
  }

  /** The next event of this kind, for whose word `where` is true. */
  waitFor(kind, where = () => true, { timeout = 30 } = {}) {
    return this.#wait((event) => event.kind === kind && where(event.word), timeout, kind);
  }

  /**
   * An iterator of what happens from now on: `for await (const { kind, word } of bot.events("died", "said"))`. Without kinds:
   * all except poses and other frequent facts. It ends when you leave, and throws what else ends the bot.
   */
  events(...kinds) {
    const queue = new Events(kinds, this.#options.mostEvents, (one) => this.#queues.delete(one));
    this.over ? queue.close(this.error) : this.#queues.add(queue);
    return queue;
  }

  [Symbol.asyncIterator]() { return this.events(); }

  /** Calls `callback(event)` for each event of this kind, "*" for all. An error in it ends the bot. */
  on(kind, callback) {
    this.#callbacks.set(kind, [...this.#callbacks.get(kind) ?? [], callback]);
  }

  /** Says goodbye, and closes the connection. */
  leave() {
    if (this.over) return;
    try {
      this.send("leave");
    } catch { /* it is gone already */ }
    this.#finish(null);
  }

  // -- Inside ---------------------------------------------------------------------------------------------------------

  /** The clock of `room`, in ms. In a lockstep arena, time stands still between two facts. */
  #clock() { return this.room.rule("lockstep", 0) ? this.#atUs / 1000 : performance.now(); }

  #mine() {
    if (!this.unit) throw new BadIntent("unit", "you are not in play");
    return this.unit;
  }

  /** Of a unit, a player, or a place { x, y }. */
  #poseOf(target) {
    if (target.track) return this.placeOf(target);
    if (!Array.isArray(target.units)) return target;
    const unit = this.room.unitOf(target.id);
    if (!unit) throw new BadIntent("target", `${target.name} is not in play, or out of sight`);
    return this.placeOf(unit);
  }

  #wait(wanted, seconds, what) {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(this.error ?? new ConnectionLost("you left"));
      const waiter = { wanted, resolve: (event) => end(resolve, event), reject: (error) => end(reject, error) };
      const timer = this.#later(seconds, () => waiter.reject(new TimeLimit(what, seconds)));
      const end = (settle, value) => (this.#waiters.delete(waiter), this.#forget(timer), settle(value));
      this.#waiters.add(waiter);
    });
  }

  /** Calls after so many seconds, in Infinity never. Returns a timer for #forget(). */
  #later(seconds, call) {
    const timer = { handle: null }, ends = performance.now() + 1000 * Math.max(0, seconds);
    const wait = () => {
      const left = Math.max(0, ends - performance.now());
      timer.handle = setTimeout(left > LONGEST_TIMER ? wait : () => (this.#timers.delete(timer), call()), Math.min(left, LONGEST_TIMER));
    };
    wait();
    this.#timers.add(timer);
    return timer;
  }

  #forget(timer) { clearTimeout(timer.handle), this.#timers.delete(timer); }

  /** For connect() only. */
  async start() {
    const isIn = this.#wait(({ kind }) => kind === "connected", this.#options.timeout, "admission");
    this.#visit();
    try {
      await isIn;
    } catch (error) {
      this.#finish(error);
      throw error;
    }
    return this;
  }

  async #visit() {
    const { host, port, web, tls, path, timeout } = this.#options;
    this.room = new Room(), this.#isIn = false, this.#sent = [], this.#number = this.#tries = this.#atUs = 0, this.#newest = 1, this.resyncing = false;
    let link = null;
    // Lines of this connection that are not handled yet; whether somebody handles them; why no more come.
    const inbox = { lines: [], size: 0, busy: false, end: null };
    const late = this.#later(timeout, () => this.#isIn || link?.close(new TimeLimit("admission", timeout)));
    const on = {
      opened: () => {},
      lines: (lines) => this.#take(link, inbox, lines),
      ended: (error) => {
        this.#forget(late);
        inbox.end ??= error;
        if (!inbox.busy) this.#ended(link, inbox.end);
      },
    };
    const name = host.includes(":") ? `[${host}]` : host;
    try {
      link = web ? new WebLink(`${tls ? "wss" : "ws"}://${name}:${port}${path}`, on) : await TcpLink.open(host, port, on);
    } catch (error) {
      return this.#finish(new ConnectionLost(error.message));
    }
    this.over ? link.close() : this.#link = link;
  }

  /** Handles lines for SLICE ms, then lets other work run. Meanwhile the link is not read. Its end is handled after all lines. */
  async #take(link, inbox, lines) {
    for (const line of lines) inbox.lines.push(line), inbox.size += line.length;
    if (inbox.busy) {  // a WebSocket reads on
      if (inbox.size > MOST_UNHANDLED) link.close(new ConnectionLost(`this program is too slow: more than ${MOST_UNHANDLED / 2 ** 20} MiB wait to be handled`));
      return;
    }
    inbox.busy = true;
    try {
      while (inbox.lines.length) {
        const some = inbox.lines.splice(0);
        for (let next = 0, pause = performance.now() + SLICE; next < some.length && this.#link === link; ++next) {
          inbox.size -= some[next].length;
          this.#read(some[next], inbox);
          if (performance.now() < pause) continue;
          link.pause();
          await new Promise((resolve) => setTimeout(resolve));
          pause = performance.now() + SLICE;
        }
      }
      link.resume();
    } catch (error) {
      inbox.end = error;
      link.close(error);
    } finally {
      inbox.busy = false;  // in the same turn in which it found no more lines
    }
    if (inbox.end) this.#ended(link, inbox.end);
  }

  #read(line, inbox) {
    try {
      if (line.trim()) this.#hear(parseFact(line));
    } catch (error) {
      if (!(inbox.end && error instanceof ConnectionLost)) throw error;  // nothing can be sent any more, but more was told
    }
  }

  #hear({ kind, word, at_us, cause, to }) {
    if (!kind) return;
    this.#atUs = Math.max(this.#atUs, at_us);
    const now = this.#clock();
    this.room.hear({ at_us, [kind]: word }, now);
    this.room.tidy(now);
    if (kind === "clock") this.resyncing = word.paused && word.speed === 0 && !this.resyncing;
    if (kind === "you") this.#greet(word);
    if (kind === "kicked") throw new Kicked(word.text || "no reason was given");
    if (kind === "refused") this.#refused(word);
    if (!this.#isIn && this.room.ready && this.me) {
      this.#isIn = this.#beenIn = true, this.#delay = this.#options.firstDelay;
      this.#happens({ kind: "connected", word: null, at_us, intent: null });
    }
    const intent = cause && to === this.room.me ? this.#sent.find(({ number }) => number === cause) ?? null : null;
    if (!this.resyncing) this.#happens({ kind, word, at_us, intent });
  }

  #greet({ contract, newest }) {
    if (contract > CONTRACT) throw new Refused("WRONG_VERSION", `the server speaks version ${contract} of native; this package knows ${CONTRACT}`);
    this.#newest = newest || 1;
    this.send("enter", { ...this.#enter, contract: Math.min(this.#newest, CONTRACT) });
  }

  #refused({ code, text, may_retry: mayRetry }) {
    if (!mayRetry || ++this.#tries >= MOST_TRIES) throw new Refused(code, text, mayRetry && this.#tries < MOST_TRIES);
    const { firstDelay, longestDelay } = this.#options, link = this.#link;
    const begins = (Number(this.room.rules.get("begins_us") ?? 0) - this.#atUs) / 1e6;  // of a broadcast
    if (this.#retry) this.#forget(this.#retry);
    this.#retry = this.#later(Math.max(Math.min(firstDelay * 2 ** this.#tries, longestDelay), Number.isFinite(begins) ? begins : 0), () => {
      if (this.#link !== link || !link) return;
      try {
        this.send("enter", { ...this.#enter, contract: Math.min(this.#newest, CONTRACT) });
      } catch (error) {
        link.close(error);
      }
    });
  }

  #happens(event) {
    for (const waiter of this.#waiters) if (waiter.wanted(event)) waiter.resolve(event);
    for (const queue of this.#queues) queue.put(event);
    for (const kind of [event.kind, "*"]) for (const callback of this.#callbacks.get(kind) ?? []) callback(event);
  }

  #ended(link, error) {
    if (this.over || (this.#link && this.#link !== link)) return;
    const wasIn = this.#isIn;
    this.#link = null, this.#isIn = false;
    const goesOn = this.#options.reconnect && this.#beenIn && error instanceof EntenteError && error.mayRetry;
    if (!goesOn) return this.#finish(error);
    try {
      if (wasIn) this.#happens({ kind: "disconnected", word: error, at_us: this.#atUs, intent: null });
    } catch (broken) {  // a callback
      return this.#finish(broken);
    }
    if (this.over) return;  // a callback has left
    this.#later(this.#delay * (0.5 + Math.random() / 2), () => this.#visit());
    this.#delay = Math.min(2 * this.#delay, this.#options.longestDelay);
  }

  #finish(error) {
    if (this.over) return;
    this.over = true, this.error = error;
    for (const timer of [...this.#timers]) this.#forget(timer);
    const link = this.#link;
    this.#link = null;
    link?.close();
    for (const waiter of [...this.#waiters]) waiter.reject(error ?? new ConnectionLost("you left"));
    for (const queue of this.#queues) queue.close(error);
  }
}

/**
 * Connects to a native listener of the JSON dialect, and enters: `const bot = await connect({ port: 5100, name: "anna" })`.
 *
 * `web`: by WebSocket (the default in browsers), otherwise by TCP. `role`: "PLAY" or "WATCH". `timeout`: seconds until you are
 * in. `reconnect`: a connection that is lost later is made again, after 0.5 to 30 s. `on`: callbacks by kind of event, which
 * also hear what happens while you enter. `enter`: more fields of Enter.
 */
export async function connect({ host = "127.0.0.1", port = 5100, name = "bot", team = "TEAM_ANY", role = "PLAY", web = !globalThis.process?.versions?.node, tls = false,
                                path = "/", timeout = 60, reconnect = true, firstDelay = 0.5, longestDelay = 30, mostEvents = 10_000, on = {}, enter = {} } = {}) {
  const wish = { name, team, role, ...enter };
  spellIntent("enter", wish);  // says at once what is wrong with it
  return new Bot({ host, port, web, tls, path, timeout, reconnect, firstDelay, longestDelay, mostEvents, on }, wish).start();
}
