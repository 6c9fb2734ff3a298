// The field at the moment of a recording that the mouse points at, over the time bar. A second visit fetches it: it enters as a
// spectator when it is first needed, stays paused, and leaves when the mouse has been away for a while.
import { Link } from "./link.js";
import { Room } from "../clients/js/room.js";
import { View } from "./view.js";

const EVERY = 250;       // ms between two wishes
const LEAVES = 20000;    // ms after the last one
const AGAIN = 10000;     // ms after a visit that the server ended

export class Preview {
  #view;
  #room = null;
  #link = null;
  #wanted = null;        // us; null: nothing is left to send
  #askedAt = -Infinity;
  #retold = false;       // the room is describing another moment
  #enters = false;       // it has entered, and may send wishes
  #notBefore = 0;
  #points = false;

  constructor(canvas) {
    this.canvas = canvas;
    this.#view = new View(canvas, { names: false, least: 7 });
  }

  show(seconds) {
    this.#wanted = String(Math.round(seconds * 1e6));
    this.#points = true;
    if (!this.#link && performance.now() >= this.#notBefore) this.#come();
  }

  leave() { this.#points = false; }

  end() {
    this.#link?.close();
    this.#link = this.#room = null;
    this.canvas.hidden = true;
  }

  /** Called for every frame. */
  paint(now) {
    if (!this.#link) return;
    if (!this.#points && now > this.#askedAt + LEAVES && this.#askedAt > -Infinity) return this.end();
    this.canvas.hidden = !this.#points || !this.#room.world || this.#askedAt === -Infinity;
    if (this.#enters && this.#wanted !== null && now > this.#askedAt + EVERY) {
      this.#link.say("playback", { us: this.#wanted, paused: true });
      this.#wanted = null;
      this.#askedAt = now;
    }
    if (!this.canvas.hidden && !this.#retold) this.#view.paint(this.#room, now, null);
  }

  #come() {
    const room = this.#room = new Room();
    this.#enters = false;
    this.#askedAt = -Infinity;
    const link = this.#link = new Link({
      opened: () => link.say("enter", { name: "preview", role: "WATCH", contract: 2 }),
      heard: (fact) => {
        room.hear(fact, performance.now());
        if (fact.clock) this.#retold = Boolean(fact.clock.paused) && !fact.clock.speed;
        if (fact.ready) this.#enters = true;
      },
      ended: () => { if (this.#link === link) this.#notBefore = performance.now() + AGAIN, this.end(); },
    });
  }
}
