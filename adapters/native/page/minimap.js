// A small map in the corner of the 3D view. Invariant: it draws what the view from above draws, without names, a few times a second.
import { View } from "./view.js";

const EVERY = 120;  // ms
const byId = (id) => document.getElementById(id);

export class Minimap {
  #view = new View(byId("minimap"), { names: false, least: 10 });
  #at = 0;

  paint(room, now, followed, shown) {
    if (byId("minimap").hidden === shown) byId("minimap").hidden = !shown;
    if (!shown || now < this.#at) return;
    this.#at = now + EVERY;
    this.#view.paint(room, now, followed);
  }
}
