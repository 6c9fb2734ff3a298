// The page: joins, keeps the room's state, draws it in every frame, and shows how the visit ended.
// Invariant: it shows only what the room has sent; each visit starts with a new room.
import { Events } from "./events.js";
import { Feed } from "./feed.js";
import { Final } from "./scores.js";
import { Gauges } from "./gauges.js";
import { Hands } from "./hands.js";
import { Link, refusal } from "./link.js";
import { Looks } from "./looks.js";
import { Minimap } from "./minimap.js";
import { clipCommand, faultOf, fragmentOf, momentIn } from "./moment.js";
import { Panels } from "./panels.js";
import { timeText } from "./playback.js";
import { Room } from "../clients/js/room.js";
import { Sounds } from "./sounds.js";
import { Stage } from "./stage.js";
import { beginning, Start, titleOf } from "./start.js";
import { TimeBar } from "./timebar.js";
import { Touch } from "./touch.js";
import { LastDeaths, whereabouts } from "./deaths.js";

const ASK_AGAIN = 2000;      // ms, if a spawn was not answered
const ENTER_AGAIN = 3000;    // ms, while a broadcast has not begun
const PATIENCE = 3000;       // ms for the player that a link names to appear
const TABLES_EVERY = 250;    // ms
const PAN = 0.01;            // fraction of the view per frame

const byId = (id) => document.getElementById(id);
/** The session that is shown, if any. */
export let visit = null;
export const view = new Stage(byId("field"), byId("space"), (why) => { looks.draw(), why && visit?.panels.tell(why); });
const looks = new Looks(view, { visit: () => visit });
export const sounds = new Sounds();
const minimap = new Minimap(), gauges = new Gauges(), touch = new Touch(() => (visit?.plays && !visit.over ? visit.hands : null));
let start = new Start(() => momentIn(location.hash) && begin("guest", "TEAM_ANY", "WATCH"));

class Visit {
  panels = new Panels((player) => { this.follow(player), view.canvas.focus(); });
  feed = new Feed();
  final = new Final();
  deaths = new LastDeaths();
  followed = 0;        // a player; 0: my own
  wantsSpawn = false;
  spawnAt = 0;
  tablesAt = 0;
  paintedAt = 0;
  over = false;
  mayRespawnAt = 0;    // after a death
  complete = false;    // the room was described: players who are new after this have joined
  enterAgainAt = 0;    // while the broadcast has not begun, or does not let us in yet
  roundOver = "";      // how the round ended, until the next one begins
  wish = momentIn(location.hash);  // the target of the page's link; null: reached, or there is none

  /** `known`: a connection, and the room as it was told there so far; null: a new one. */
  constructor(name, team, role, known) {
    Object.assign(this, { name, team, role, asked: role });  // the room may make a player a spectator, and a player again
    this.room = known?.room ?? new Room();
    this.events = this.#listen();
    const on = { opened: () => this.#enter(), heard: (fact) => this.#heard(fact), ended: (why) => this.#ended(why) };
    this.hands = new Hands({ view, room: this.room, say: (kind, word) => this.plays && this.link.say(kind, word) });
    this.timeBar = new TimeBar({ parent: byId("stage"), say: (wish) => this.link.say("playback", wish), name: (id) => this.#name(id), link: (seconds) => this.#link("moment", seconds),
      clip: (from, to) => this.#clip(from, to), over: () => this.panels.tell("The clip ends here. Press Play to go on."), clicked: () => view.canvas.focus() });
    this.panels.status("Connecting …");
    this.panels.notice();
    this.plays ? view.showClose() : view.showAll();
    if (!known) this.link = new Link(on);
    else this.link = known.link, this.link.passTo(on);
    this.complain(faultOf(location.hash));
  }

  #enter() {
    const { name, team, asked: role } = this;
    this.link.say("enter", { name, team, role, contract: 2 });
    if (this.room.clock) this.timeBar.hear({ clock: this.room.clock }, performance.now());
    if (this.room.ready && !this.complete && !this.timeBar.playback.length) this.#shown.ready();
  }

  #listen() {
    return new Events(this.room, {
      name: (id) => this.#name(id),
      tell: (text) => this.panels.tell(text),
      feed: (text, mine) => this.feed.tell(text, mine),
      note: (what, player, by = 0) => this.timeBar.playback.note(what, player, by, performance.now()),
      sound: (name, unit, place, shooter) => this.#sound(name, unit, place, shooter),
      flag: () => sounds.play("flag"),
      own: () => this.room.me,
      watched: () => this.followed || this.room.me,
      complete: () => this.complete,
      over: (sentence) => { this.roundOver = sentence, sentence || this.final.hide(true); },
    });
  }

  /** Says what is wrong with the page's link, where it is seen. */
  complain(fault) { if (fault) this.panels.tell(fault), this.feed.tell(fault, true); }

  get plays() { return this.role === "PLAY"; }

  paint(now) {
    this.room.tidy(now);
    this.hands.tick(now);
    const [right, up] = this.hands.heading();
    looks.tick([right, up], Math.min(100, now - this.paintedAt) / 1000);
    this.paintedAt = now;
    if (!this.plays && !view.deep && (right || up)) this.pan(PAN * right, PAN * up);
    const player = this.followed || this.room.me, unit = this.room.unitOf(player);
    view.paint(this.room, now, unit);
    minimap.paint(this.room, now, unit, view.deep);
    this.timeBar.paint(now);
    gauges.draw(this.room, player, now);
    if (now >= this.tablesAt) this.#drawTables(now);
    if (this.enterAgainAt) this.#wait(now);
    if (this.wish?.at === null) this.#meetWish();  // its player may be late, while no facts come
    if (this.wantsSpawn && now >= this.spawnAt) this.spawnAt = now + ASK_AGAIN, this.link.say("spawn");
  }

  #drawTables(now) {
    this.tablesAt = now + TABLES_EVERY;
    this.panels.draw(this.room, this.followed);
    this.panels.follows(whereabouts(this.room, this.followed, this.deaths.of(this.followed), (id) => this.#name(id)));
    this.#drawFinal(now);
    if (this.mayRespawnAt) this.#drawRespawn(now);
    byId("drive-keys").hidden = !this.plays;
    byId("time-keys").hidden = !this.timeBar.playback.own;
  }

  /** The board stands while the recording is at its end, or a round is over. */
  #drawFinal(now) {
    const { playback } = this.timeBar, atEnd = playback.ended(now);
    if (atEnd) this.final.show(this.room, "The recording is over: final scores");
    else if (this.roundOver) this.final.show(this.room, this.roundOver);
    else this.final.hide(playback.length > 0);
  }

  /** Counts down to the beginning of a broadcast, and then enters. */
  #wait(now) {
    const left = this.room.begins === null ? null : this.room.begins - now;
    this.panels.notice(`${beginning(left)} This page waits for it.`);
    if (now < this.enterAgainAt || left > 0) return;
    this.enterAgainAt = now + ENTER_AGAIN;
    this.#enter();
  }

  /** The button counts down; once it is pressed, the notice stays until the player is back. */
  #drawRespawn(now) {
    const left = Math.ceil((this.mayRespawnAt - now) / 1000);
    this.panels.button(this.wantsSpawn ? "" : left > 0 ? `Respawn (${left} s)` : "Respawn");
  }

  spawn() {
    this.wantsSpawn = true;
    this.spawnAt = 0;
    if (this.mayRespawnAt) this.panels.notice("Respawning …");
    if (document.activeElement !== byId("line")) view.canvas.focus();
  }

  /** Takes the role that the room gives to who asked to play. Returns whether it is another one. */
  #takeRole() {
    const own = this.room.players.get(this.room.me), watches = own?.role === "WATCH";
    if (!own || this.asked !== "PLAY" || watches !== this.plays) return false;
    this.role = watches ? "WATCH" : "PLAY";
    this.wantsSpawn = false;
    this.mayRespawnAt = 0;
    this.panels.notice();
    if (document.activeElement === byId("again")) view.canvas.focus();
    if (!this.followed) watches ? view.showAll() : view.showClose();
    touch.draw();
    looks.draw();
    this.#drawTitle();
    return true;
  }

  talk(text, scope) {
    if (text.trim()) this.link.say("say", { text, scope });
  }

  follow(player) {
    this.followed = player;
    this.timeBar.follow(player);
    view.showClose();
    looks.draw();
    this.#drawTitle();
  }

  /** Moves the view from above by fractions of its size, and stops following a player. */
  pan(x, y) { this.followed = 0, view.pan(x, y), this.#drawTitle(); }

  /** Shows what is played and who is followed, once the room is known. */
  #drawTitle() {
    if (!this.complete || this.over) return;
    const { game = "", name = "" } = this.room.about, other = this.plays && this.followed && this.followed !== this.room.me;
    const title = `${this.plays ? "Playing" : "Watching"} ${titleOf(game)}${name && name !== game ? `: ${name}` : ""}`;
    this.panels.status(other ? `You see ${this.#name(this.followed)}, and still drive your own unit. Click your name in the table to return.` : title);
  }

  /** Follows the next (1) or the previous (-1) player who has a unit. */
  followNext(step) {
    const seen = [...this.room.players.keys()].filter((id) => this.room.unitOf(id));
    if (seen.length === 0) return;
    const at = seen.indexOf(this.followed || this.room.me);
    this.follow(seen[((at < 0 && step < 0 ? 0 : at) + step + seen.length) % seen.length]);
  }

  select(place) {
    const unit = this.room.unitsOf(this.room.me)[place];
    if (this.plays && unit) this.link.say("select", { unit: unit.id });
  }

  #heard(fact) {
    this.timeBar.hear(fact, performance.now());
    if (this.wish) this.#meetWish();
    this.events.before(fact);
    const [kind, word] = this.room.hear(fact, performance.now());
    if (!kind) return;
    if (kind === "clock" && this.events.retold) this.deaths.clear();
    if (kind === "spawned") this.deaths.forget(this.room.units.get(word.unit)?.owner);
    if (kind === "died") this.#noteDeath(word);
    this.events.after(kind, word);
    if (Object.hasOwn(this.#shown, kind)) this.#shown[kind](word);
  }

  #noteDeath(word) {
    const unit = this.room.units.get(word.unit);
    this.deaths.note(word, unit, unit?.track.at(performance.now()));
  }

  /** It uses the page no more: another visit may. */
  #end() {
    this.over = true;
    this.mayRespawnAt = 0;
    this.hands.end();
    this.timeBar.remove();
  }

  #ended(why) {
    if (visit !== this) return this.#end();
    this.panels.follows("");
    if (this.complete) this.final.show(this.room, this.roundOver || "Final scores");
    this.#end();
    this.panels.draw(this.room);
    touch.draw();
    this.panels.status(why);
    this.panels.notice(why, "Join again", () => begin(this.name, this.team, this.asked));
    byId("again").focus();
  }

  /** Returns to the start form. */
  leave() {
    this.link.leave();
    this.#end();
    byId("enter").hidden = false;
    byId("room").hidden = byId("leave").hidden = true;
    start ??= new Start();
    byId("name").focus();
  }

  /** Follows another link. */
  goTo(wish) {
    this.wish = wish;
    this.wishedAt = 0;
    this.#meetWish();
  }

  /** Goes to the target of the page's link: to its moment once there is a clock, to its player once that player is known. */
  #meetWish() {
    const { at, to, follow } = this.wish, { playback } = this.timeBar, now = performance.now();
    if (at !== null && playback.own) this.#goTo(at, to), this.wish.at = null, this.wishedAt = now;
    else if (at !== null && this.complete && !playback.length) return this.wish = null, this.complain("This link leads to a moment of a recording, but this is not one.");
    const player = this.wish.at === null && [...this.room.players.values()].find(({ name }) => name === follow);
    if (player) this.follow(player.id);
    const late = this.wish.at === null && follow && !player && this.complete && now > this.wishedAt + PATIENCE;
    if (late) this.complain(`Nobody named ${isolated(follow)} is there at this moment: the link's player is not followed.`);
    if (player || late || (this.wish.at === null && !follow)) this.wish = null;
  }

  #goTo(at, to) {
    const { playback } = this.timeBar;
    if (at > playback.length) this.complain(`This link leads to ${timeText(at)}, but the recording ends at ${timeText(playback.length)}.`);
    this.link.say("playback", { us: String(Math.round(Math.min(at, playback.length) * 1e6)) });
    this.timeBar.playTo(to ?? Infinity);
  }

  async #link(what, seconds, to = null) {
    history.replaceState(null, "", fragmentOf(seconds, this.room.players.get(this.followed)?.name, to));
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    this.panels.tell(`The link to this ${what} is ${copied ? "copied" : "in the address bar"}.`);
    view.canvas.focus();
  }

  async #clip(from, to) {
    await this.#link("clip", from, to);
    const file = this.room.rules.get("recording.file");  // several files have no name
    this.panels.tell(file ? `To save the clip: ${clipCommand(file, from, to)}` : `To save the clip, first join the recordings: entente join FILES -o whole.mcap. Then: ${clipCommand("whole.mcap", from, to)}`);
  }

  #name(id) { return isolated(this.room.players.get(id)?.name || (id ? `player ${id}` : "the server")); }

  #shown = {
    ready: () => {
      this.complete = true;
      this.enterAgainAt = 0;
      this.panels.notice();
      this.#takeRole();  // in a recording, all watch
      this.#drawTitle();
      this.plays ? this.spawn() : view.canvas.focus();
    },
    room: () => this.#drawTitle(),
    player: ({ id }) => {
      if (id !== this.room.me || !this.complete || !this.#takeRole()) return;
      this.panels.tell(this.plays ? "You play now." : "You watch now.");
      if (this.plays) this.spawn();
    },
    refused: (word) => {
      if (!word.may_retry || this.complete) return;
      const waits = this.room.begins !== null || (this.role === "WATCH" && !this.room.world);
      if (waits) return this.enterAgainAt = performance.now() + ENTER_AGAIN, this.#wait(performance.now());
      this.panels.status(refusal(word));
      this.panels.notice(refusal(word), "Try again", () => { this.panels.notice(), this.#enter(); });
    },
    waiting: ({ have = 0, need = 0 }) => this.panels.status(need ? `Waiting for players: ${have} of ${need}` : "Waiting for the game to start"),
    spawned: ({ unit }) => {
      if (this.room.units.get(unit)?.owner !== this.room.me) return;
      this.wantsSpawn = false;
      this.mayRespawnAt = 0;
      if (document.activeElement === byId("again")) view.canvas.focus();  // respawned without a press, as after a move
      this.panels.notice();
    },
    died: ({ player = 0, killer = 0, respawn_s: wait = 0 }) => {
      if (this.events.retold || player !== this.room.me || !this.plays || this.room.unitOf(player)) return;
      this.mayRespawnAt = performance.now() + 1000 * wait;
      this.panels.notice(`You died${killer && killer !== player ? `, shot by ${this.#name(killer)}` : ""}.`, "Respawn", () => this.spawn());
      this.#drawRespawn(performance.now());
      if (document.activeElement !== byId("line")) byId("again").focus();  // does not interrupt typing
    },
    said: ({ from = 0, name = "", text = "", scope }) => this.panels.tell(text, `${name || this.#name(from)}${scope === "MY_TEAM" ? " (team)" : ""}`),
    notice: ({ text = "" }) => text && this.panels.tell(text),
    claim_refused: ({ why = "" }) => {
      this.wantsSpawn = false;
      if (this.mayRespawnAt) this.panels.notice("You are not back yet.", "Respawn", () => this.spawn());
      this.panels.tell(`Not possible: ${why || "no reason was given"}`);
    },
  };

  /** Plays a sound as heard at the followed player, or else at the middle of the view. */
  #sound(name, unit, place = unit?.track.at(performance.now())) {
    if (!place) return;
    const ear = this.room.unitOf(this.followed || this.room.me)?.track.at(performance.now()) ?? view.eyes ?? { x: place.x, y: place.y };
    const east = place.x - ear.x, north = place.y - ear.y, far = Math.hypot(east, north), yaw = view.ahead;
    sounds.play(name, far, far > 5 ? (east * Math.sin(yaw) - north * Math.cos(yaw)) / far : 0);
  }
}

/** Isolates a name, so that right-to-left letters in it do not reorder the text around it. */
const isolated = (name) => (/[^ -~]/.test(name) ? `\u2068${name}\u2069` : name);

function begin(name, team, role) {
  byId("enter").hidden = true;
  byId("room").hidden = byId("leave").hidden = false;
  const known = start?.handOver();
  start = null;
  visit = new Visit(name, team, role, known);
  view.begin();
  touch.draw();
  looks.draw();
}

byId("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  begin(byId("name").value.trim() || "guest", byId("team").value, event.submitter?.value ?? "PLAY");
});

function drawMute() {
  byId("mute").textContent = sounds.muted ? "Sound: off" : "Sound: on";
  byId("mute").setAttribute("aria-pressed", String(sounds.muted));
}
byId("mute").onclick = () => { sounds.mute(!sounds.muted), drawMute(), view.canvas.focus(); };
drawMute();

byId("leave").addEventListener("click", () => visit.leave());

byId("chat").addEventListener("submit", (event) => {
  event.preventDefault();
  visit.talk(byId("line").value, byId("scope").value);
  byId("line").value = "";
  view.canvas.focus();
});
byId("line").addEventListener("keydown", ({ key }) => key === "Escape" && view.canvas.focus());

view.canvas.addEventListener("keydown", (event) => {
  const { key, code } = event, digit = /^Digit([1-9])$/.exec(code);
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (key === " " && !event.repeat && visit?.mayRespawnAt && !byId("again").hidden) byId("again").click(), event.preventDefault();
  else if (key === "Enter") event.preventDefault(), document.fullscreenElement && document.exitFullscreen(), byId("line").focus();  // the chat is beside the field
  else if (key === "+" || key === "=") view.zoom(1 / 1.2);
  else if (key === "-") view.zoom(1.2);
  else if (key === "0") view.showAll(), looks.draw();
  else if (digit) visit.select(Number(digit[1]) - 1);
});

// As on a page with a video, these keys work wherever the focus is, except in text fields and menus.
document.addEventListener("keydown", (event) => {
  const { target, code } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !visit || visit.over) return;
  if (target.matches("select, textarea, input:not([type=range])")) return;
  if (visit.timeBar.key(event)) return event.preventDefault(), event.stopPropagation();
  if (event.repeat) return;
  if (code === "KeyM") byId("mute").click();
  else if (code === "KeyF") byId("full").click();
  else if (code === "KeyO") view.showAll(), looks.draw();
}, { capture: true });

byId("full").hidden = !document.fullscreenEnabled;
byId("full").onclick = () => {
  document.fullscreenElement ? document.exitFullscreen() : byId("stage").requestFullscreen().catch(({ message }) => visit?.panels.tell(`Full screen is not possible: ${message}`));
  view.canvas.focus();
};

document.addEventListener("fullscreenchange", () => { byId("full").textContent = document.fullscreenElement ? "Exit full screen" : "Full screen"; });

// Follows a link to a moment that is entered into the address bar of the open page.
addEventListener("hashchange", () => {
  const wish = momentIn(location.hash);
  if (visit && !visit.over) visit.complain(faultOf(location.hash));
  else byId("link-fault").textContent = faultOf(location.hash);
  if (wish && visit && !visit.over) visit.goTo(wish);
});

// Browsers may keep a page that was left, with its connection, so its player would stay in the match.
addEventListener("pagehide", () => { visit && !visit.over ? visit.link.leave() : start?.end(); });
addEventListener("pageshow", ({ persisted }) => { if (persisted && start) start = new Start(); });

requestAnimationFrame(function picture() {
  requestAnimationFrame(picture);  // even if this one fails
  start?.draw(performance.now());
  if (visit && !visit.over) visit.paint(performance.now());  // not the frame's own time, which may precede facts already received
});
