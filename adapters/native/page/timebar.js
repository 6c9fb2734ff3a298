// The time bar of a replay: pause, speed, next kill, a slider with markers. Hidden where there is no recording.
// Invariant: names of players are shown as text, never as markup.
import { penOf } from "./graphics.js";
import { Playback, SPEEDS, timeText } from "./playback.js";
import { Preview } from "./preview.js";

const EVERY = 100;     // ms between two frames, and between two wishes while the slider is dragged
const NAMES = { KILL: "killed", CAPTURE: "captured a flag", JOIN: "joined", CHAT: "spoke" };
const COLOURS = { KILL: "#ff6b6b", CAPTURE: "#ffd75e", JOIN: "#63c174", CHAT: "#7cc4ff" };

const SHORT = { 0.25: "¼", 0.5: "½" };  // so that all speeds fit side by side on a phone

const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);

export class TimeBar {
  playback = new Playback();
  #paintAt = 0;
  #sentAt = 0;
  #drags = false;
  #from = null;        // where the unfinished clip begins, in seconds
  #until = Infinity;   // where it pauses once, in seconds
  #before = false;     // the clock has been before that: until a seek is answered, it may be after it
  #marked = "";

  /** `say(wish)` sends a Playback; `name(id)` is a player's name; `link(seconds)` and `clip(from, to)`: the viewer asked for them; `over()`: the end of playTo() is reached;
    * `clicked()`: a button was clicked with the mouse, so keys are not meant for it. The bar is appended to `parent`. */
  constructor({ parent, say, name, link, clip, over, clicked }) {
    Object.assign(this, { say, name, clip, over });
    this.pause = make("button", { type: "button" });
    this.previous = make("button", { type: "button", textContent: "Previous kill", title: "P" });
    this.next = make("button", { type: "button" });
    this.slider = make("input", { type: "range", min: 0, step: 0.1, ariaLabel: "Time" });
    this.marks = make("canvas", { height: 10, ariaHidden: "true" });
    this.time = make("output", {});
    this.hover = make("div", { className: "hover" });
    this.preview = new Preview(make("canvas", { className: "preview", hidden: true, ariaHidden: "true" }));
    this.speeds = SPEEDS.map((speed) => make("button", { type: "button", textContent: `${SHORT[speed] ?? speed}×`, title: "< and > change the speed", onclick: () => say({ speed }) }));
    this.link = make("button", { type: "button", textContent: "Link", title: "A link to this moment" });
    this.cut = make("button", { type: "button", textContent: "Clip", title: "A link to a part: press where it begins, and again where it ends" });
    const track = make("div", { className: "track" });
    this.tip = make("div", { className: "tip" });
    this.tip.append(this.preview.canvas, this.hover);
    track.append(this.marks, this.slider, this.tip);
    this.bar = make("div", { id: "timebar", hidden: true, role: "group", ariaLabel: "Time in the recording" });
    const speeds = make("div", { className: "speeds", role: "group", ariaLabel: "Speed" });
    speeds.append(...this.speeds);
    this.bar.append(this.pause, this.previous, this.next, track, this.time, speeds, this.link, this.cut);
    this.pause.addEventListener("click", () => say({ paused: !this.playback.paused }));
    this.next.addEventListener("click", () => say(this.playback.live ? this.playback.wish("End") : this.playback.wish("n")));
    this.previous.addEventListener("click", () => say(this.playback.wish("p")));
    this.link.addEventListener("click", () => link(this.playback.at(performance.now())));
    this.cut.addEventListener("click", () => this.#cut());
    this.slider.addEventListener("input", () => { this.#drags = true, this.#seek(EVERY); });
    this.slider.addEventListener("change", () => { this.#drags = false, this.#seek(0); });
    track.addEventListener("click", ({ target, offsetX }) => {
      if (target !== track || !this.playback.own) return;  // a click on the slider moves it already
      this.slider.value = this.playback.timeOf(offsetX / track.clientWidth);
      this.#seek(0);
    });
    this.bar.addEventListener("click", ({ target, detail }) => target.localName === "button" && detail > 0 && clicked());
    track.addEventListener("mousemove", ({ offsetX }) => this.#preview(offsetX / track.clientWidth));
    track.addEventListener("mouseleave", () => { this.hover.textContent = "", this.preview.leave(); });
    parent.append(this.bar);
    new ResizeObserver(() => parent.style.setProperty("--bar", `${this.bar.offsetHeight}px`)).observe(this.bar);
  }

  hear(fact, now) {
    if (!fact.clock && !fact.timeline) return;
    this.playback.hear(fact, now);
    if (fact.clock && this.playback.at(now) < this.#until) this.#before = true;
    this.#paintAt = 0;
  }

  /** Handles a key. Returns whether it was meant for the clock. Space on a focused button is left to the button. */
  key({ key, target }) {
    const wish = key === " " && target.localName === "button" ? undefined : this.playback.wish(key);
    if (wish) this.say(wish);
    return Boolean(wish);
  }

  paint(now) {
    const { playback } = this;
    this.preview.paint(now);
    if (now < this.#paintAt || playback.length === 0) return;
    this.#paintAt = now + EVERY;
    this.bar.hidden = false;
    for (const control of [this.pause, this.previous, this.next, this.slider, ...this.speeds]) control.disabled = !playback.own;
    Object.assign(this.slider, { min: playback.first, max: playback.length });
    if (!this.#drags) this.slider.value = playback.at(now);
    if (playback.own && this.#before && playback.at(now) >= this.#until) this.#until = Infinity, this.say({ paused: true }), this.over();
    this.next.textContent = playback.live ? "Live" : "Next kill";
    this.next.title = playback.live ? "End" : "N";
    this.cut.hidden = playback.live;  // a broadcast has no file to cut
    this.pause.textContent = playback.paused ? "Play" : "Pause";
    for (const [i, speed] of SPEEDS.entries()) this.speeds[i].setAttribute("aria-pressed", String(speed === playback.speed));
    this.time.textContent = playback.text(now);
    this.#mark();
  }

  /** Makes "next kill" and "previous kill" go to kills of this player. */
  follow(player) {
    if (this.playback.own) this.say({ follow: player });
  }

  /** Pauses at this time, once, if the clock comes to it from before. */
  playTo(seconds) { this.#until = seconds, this.#before = false; }

  remove() { this.bar.remove(), this.preview.end(); }

  #cut() {
    const at = this.playback.at(performance.now()), ends = this.#from !== null && at > this.#from;
    if (ends) this.clip(this.#from, at);
    this.#from = ends ? null : at;
    this.cut.textContent = ends ? "Clip" : `End clip (from ${timeText(at)})`;
  }

  #seek(every) {
    const now = performance.now();
    if (now < this.#sentAt + every) return;
    this.#sentAt = now;
    this.say({ us: String(Math.round(Number(this.slider.value) * 1e6)) });
  }

  #preview(fraction) {
    const { playback } = this, at = playback.timeOf(Math.max(0, Math.min(1, fraction)));
    const here = playback.near(at, (playback.length - playback.first) / 100).slice(0, 3).map(({ what, player, by }) =>
      (what === "KILL" && by ? `${this.name(by)} killed ${this.name(player)}` : `${this.name(player)} ${what === "KILL" ? "died" : NAMES[what] ?? ""}`));
    this.hover.textContent = [playback.live ? `−${timeText(playback.length - at)}` : timeText(at), ...here].join(" · ");
    this.tip.style.left = `clamp(6rem, ${100 * fraction}%, 100% - 6rem)`;
    if (playback.own) this.preview.show(at);
  }

  #mark() {
    const { playback, marks } = this, width = marks.clientWidth, state = `${width} ${playback.length} ${playback.moments.length}`;
    if (state === this.#marked || width === 0) return;
    this.#marked = state;
    marks.width = width;
    const paper = penOf(marks);
    for (const { at, what } of playback.marks()) {
      paper.fillStyle = COLOURS[what] ?? COLOURS.CHAT;
      paper.fillRect(playback.partOf(at) * (width - 2), what === "KILL" || what === "CAPTURE" ? 0 : 5, 2, 10);
    }
  }
}
