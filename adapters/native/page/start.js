// The page before entering: the field as it is now, what is played, and how many play.
// Invariant: it has no effect on the room: if the room sends nothing by itself (such as a bridge that is not yet connected), it is not asked.
// It ends when the visitor enters; a recording offers no "Play".
import { Link } from "./link.js";
import { faultOf } from "./moment.js";
import { timeText } from "./playback.js";
import { Room } from "../clients/js/room.js";
import { View } from "./view.js";

const GAMES = { bzflag: "BZFlag", bzdraft: "BZFlag, draft of 1.8", panic: "Tank Commander Panic", ogar: "an Ogar game", aos: "Ace of Spades", arena: "an arena for players of all games" };
const EVERY = 100;  // ms between two frames of the field
const PATIENCE = 3000;  // ms to wait for the room's first facts
const byId = (id) => document.getElementById(id);
const count = (number, one, more) => `${number === 0 ? "no" : number} ${number === 1 ? one : more}`;

/** The game in words: "Ace of Spades". */
export const titleOf = (game) => (Object.hasOwn(GAMES, game) ? GAMES[game] : game || "a game");

/** A sentence on what is going on in a room. */
export function situation(room, recording, live = false) {
  const { game = "", name = "", mode = "", most_players: most = 0 } = room.about;
  const play = [...room.players.values()].filter((player) => player.role !== "WATCH").length || room.about.players || 0;
  const watch = [...room.players.values()].filter((player) => player.role === "WATCH").length || room.about.watchers || 0;
  const what = `${live ? "Live: " : recording ? "A recording of " : ""}${titleOf(game)}${name && name !== game ? `: ${name}` : ""}`;
  const who = `${count(play, "player", "players")}${most && !recording ? ` of ${most}` : ""}${watch ? `, ${count(watch, "spectator", "spectators")}` : ""}`;
  return { what: `${what[0].toUpperCase()}${what.slice(1)}${mode ? `, ${mode}` : ""}`, who: `${who[0].toUpperCase()}${who.slice(1)}` };
}

/** "The broadcast begins in 2:40". `left`: ms; null: not known. */
export const beginning = (left) => (left > 0 ? `The broadcast begins in ${timeText(Math.ceil(left / 1000))}.` : "The broadcast has not begun.");

export class Start {
  room = new Room();
  recording = false;
  live = false;     // a broadcast
  #drawn = "";
  #view = new View(byId("peek"), { names: false });
  #at = 0;

  /** `recorded()` is called once it is known that this is a recording. */
  constructor(recorded = () => {}) {
    this.recorded = recorded;
    byId("going").textContent = "Looking …";
    byId("count").textContent = "";
    byId("peek").hidden = true;
    byId("link-fault").textContent = faultOf(location.hash);
    this.link = new Link({
      opened: () => { this.#reached = true, setTimeout(() => this.#known || this.over || this.link.close(), PATIENCE); },
      heard: (fact) => this.#heard(fact),
      ended: () => {
        if (this.over || this.#known) return;
        byId("going").textContent = this.#reached ? "What is going on is known once you enter." : "The server cannot be reached.";
      },
    });
  }

  over = false;
  #known = false;
  #reached = false;

  #heard(fact) {
    this.room.hear(fact, performance.now());
    if (!this.recording && Number(fact.clock?.length_us ?? 0) > 0) this.recording = true, this.recorded();  // others have clocks, too
    if (fact.clock?.live) this.live = true;
    if (!fact.room || this.#known) return;
    this.#known = true;
    this.link.say("want_world");  // or the listener would treat this as a client that never greets
  }

  /** Called for every frame. */
  draw(now) {
    this.room.tidy(now);
    if (!this.#known) return;
    byId("peek").hidden = !this.room.world;
    if (this.room.world && now >= this.#at) this.#at = now + EVERY, this.#view.paint(this.room, now, null);
    const waits = this.room.begins !== null, watched = waits || this.recording;
    const { what, who } = waits ? { what: "A broadcast", who: beginning(this.room.begins - now) } : this.#situation();
    if (what + who + watched === this.#drawn) return;
    this.#drawn = what + who + watched;
    byId("going").textContent = what;
    byId("count").textContent = who;
    byId("play").hidden = byId("team-label").hidden = byId("drive-help").hidden = watched;
    byId("time-help").hidden = !watched;
    if (watched) byId("status").textContent = "Press Watch. Your name is shown only if you talk.";
  }

  #situation() {
    const { what, who } = situation(this.room, this.recording, this.live), length = Number(this.room.clock?.length_us ?? 0);
    return { what, who: length && !this.live ? `${timeText(length / 1e6)} long. At its beginning: ${who.toLowerCase()}` : who };
  }

  end() {
    this.over = true;
    this.link.close();
  }

  /** Gives the connection, and the room as it is known, to a visit. Null if there is none any more. */
  handOver() {
    this.over = true;
    return this.link.lives ? { link: this.link, room: this.room } : null;
  }
}
