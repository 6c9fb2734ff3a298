// The viewer's clock in a replay, as the room reports it, and the effect of keys on it. It uses no element of the page.
// Invariant: only the room moves it; a viewer's wish is sent to the room, and shown once the room confirms it.

const MOST_SHOWN = 400;   // markers
const MOST_BACK = 600, NEAR_PRESENT = 1.5;  // seconds, of a broadcast
const MOST_NOTED = 2000;  // events of a broadcast
const SAME = 1;  // seconds: an event repeated within this time is the same event
const AT_END = 0.1;  // seconds
const FAR = "9000000000000000";  // us: later than any present
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export class Playback {
  length = 0;       // seconds; 0: this is not a replay. It grows during a broadcast
  live = false;     // this is a broadcast
  own = false;      // the viewer may move it
  paused = false;
  speed = 1;
  moments = [];     // { at, what, player, by }
  #at = 0;
  #end = 0;
  #told = 0;

  /** `now`: the page's time in ms. */
  hear({ clock, timeline }, now) {
    if (timeline) this.moments = (timeline.moments ?? []).map(({ us = 0, what = "KILL", player = 0, by = 0 }) => ({ at: us / 1e6, what, player, by }));
    if (!clock || !clock.length_us || (clock.paused && !clock.speed)) return;  // the last: the room is describing another moment
    this.length = this.#end = clock.length_us / 1e6;
    this.live = Boolean(clock.live);
    this.own = Boolean(clock.own);
    this.paused = Boolean(clock.paused);
    this.speed = clock.speed || 1;
    this.#at = (clock.us ?? 0) / 1e6;
    this.#told = now;
  }

  /** The earliest time that the viewer can go to: ten minutes ago in a broadcast. */
  get first() { return this.live ? Math.max(0, this.length - MOST_BACK) : 0; }

  /** Converts a fraction (0 to 1) of the time bar to seconds, and back. */
  timeOf(part) { return this.first + part * (this.length - this.first); }
  partOf(at) { return (at - this.first) / (this.length - this.first || 1); }

  /** "1:20 / 5:00"; in a broadcast "live", or how far behind it is. */
  text(now) {
    const at = this.at(now), behind = this.length - at;
    if (!this.live) return `${timeText(at)} / ${timeText(this.length)}`;
    return behind < NEAR_PRESENT ? "live" : `−${timeText(behind)}`;
  }

  /** Whether the recording has been played to its end, and stands there. */
  ended(now) { return this.length > 0 && !this.live && this.paused && this.at(now) >= this.length - AT_END; }

  /** Seconds of the recording. */
  at(now) {
    const passed = (now - this.#told) / 1000;
    if (this.live) this.length = this.#end + Math.max(0, passed);
    const gone = this.paused ? 0 : passed * this.speed;
    return Math.min(this.#at + Math.max(0, gone), this.length);
  }

  /** Marks an event of a broadcast, which has no list of events. A repeated event is marked once. */
  note(what, player, by, now) {
    const at = this.at(now);
    if (!this.live || this.moments.some((one) => one.what === what && one.player === player && Math.abs(one.at - at) < SAME)) return;
    this.moments.push({ at, what, player, by });
    if (this.moments.length > MOST_NOTED) this.moments.shift();
  }

  /** What is marked on the bar: kills and captures first if there are many. */
  marks() {
    const rare = this.moments.filter(({ what }) => what === "KILL" || what === "CAPTURE");
    const shown = (this.moments.length > MOST_SHOWN ? rare : this.moments).filter(({ at }) => at >= this.first);
    const step = Math.ceil(shown.length / MOST_SHOWN);
    return shown.filter((_, i) => i % step === 0);
  }

  /** The moments within `reach` seconds of a time. */
  near(at, reach) { return this.moments.filter((moment) => Math.abs(moment.at - at) <= reach); }

  /** The change of the clock that a key asks for; nothing if the key has another meaning. */
  wish(key) {
    if (!this.own) return undefined;
    const faster = (by) => SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.findLastIndex((speed) => speed <= this.speed) + by))];
    switch (key.length === 1 ? key.toLowerCase() : key) {
      case " ": case "k": return { paused: !this.paused };
      case "j": return { by_s: -10 };
      case "l": return { by_s: 10 };
      case ",": return { by_s: -1 };
      case ".": return { by_s: 1 };
      case "ArrowLeft": return { by_s: -5 };
      case "ArrowRight": return { by_s: 5 };
      case "<": return { speed: faster(-1) };
      case ">": return { speed: faster(1) };
      case "n": return { kill: "NEXT_KILL" };
      case "p": return { kill: "PREVIOUS_KILL" };
      case "Home": return { us: "0" };
      case "End": return this.live ? { us: FAR, speed: 1, paused: false } : { us: String(Math.round(this.length * 1e6)) };
      default: return /^[0-9]$/.test(key) ? { us: String(Math.round(this.timeOf(Number(key) / 10) * 1e6)) } : undefined;
    }
  }
}

/** "1:20", "1:02:05". */
export function timeText(seconds) {
  const all = Math.floor(seconds), two = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(all / 3600), minutes = Math.floor(all / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}
