// The two views of the field, from above and in three dimensions, as one. Invariant: the 3D view, and its library, are loaded when they are
// first wanted; if the browser has no WebGL, the view from above stays.
import { webgl } from "./graphics.js";
import { View } from "./view.js";

const KEPT = "entente-view";

const remember = (value) => { try { localStorage.setItem(KEPT, value); } catch { /* not allowed here */ } };
const remembered = () => { try { return localStorage.getItem(KEPT); } catch { return null; } };

export class Stage {
  #flat;
  #scene = null;
  #loading = false;

  /** `changed(sentence)` is called when the view has changed; the sentence explains why a requested view is not shown. */
  constructor(canvas, space, changed = () => {}) {
    Object.assign(this, { canvas, space, changed });
    this.#flat = new View(canvas);
    canvas.addEventListener("wheel", (event) => { event.preventDefault(), this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2); }, { passive: false });
    this.can = webgl();
    this.deep = false;
  }

  get view() { return this.deep ? this.#scene : this.#flat; }
  get eyes() { return this.deep ? this.#scene.eyes : null; }
  get scene() { return this.#scene; }
  /** Whether the keys move the camera, and not a unit. */
  get free() { return this.deep && this.#scene.eyes.way === "FREE"; }

  /** Shows what was chosen before; otherwise three dimensions if they are fast. */
  begin() {
    const chosen = remembered();
    if (this.can && (chosen ? chosen === "3d" : this.can === "fast")) this.show(true, false);
  }

  async show(deep, chosen = true) {
    if (chosen) remember(deep ? "3d" : "2d");
    if (deep && !this.can) return this.changed("This browser has no WebGL: the field is seen from above.");
    if (deep && !this.#scene) {
      if (this.#loading) return;
      this.#loading = true;
      try {
        const { Scene } = await import("./scene.js");
        this.#scene = new Scene(this.space, this.canvas, this.can === "fast");
        this.space.addEventListener("webglcontextlost", () => { this.can = "", this.show(false, false), this.changed("The 3D view has failed: the field is seen from above."); });
      } catch (fault) {
        this.can = "";
        this.changed(`The 3D view is not possible: ${fault.message}`);
        return;
      } finally {
        this.#loading = false;
      }
    }
    this.deep = deep;
    this.space.hidden = !deep;
    deep ? Object.assign(this.canvas, { width: 1, height: 1 }) : this.#flat.fit();  // a large one costs time even if it is empty
    this.#all ? this.view.showAll() : this.view.showClose();
    this.changed("");
  }

  #all = true;

  zoom(factor) { this.view.zoom(factor); }
  showAll() { this.#all = true, this.view.showAll(); }
  showClose() { this.#all = false, this.view.showClose(); }
  pan(x, y) { this.view.pan(x, y); }
  unitAt(room, left, top, now) { return this.deep ? null : this.#flat.unitAt(room, left, top, now); }
  placeAt(left, top) { return this.view.placeAt(left, top); }
  get ahead() { return this.deep ? this.#scene.ahead : Math.PI / 2; }

  paint(room, now, followed) { this.view.paint(room, now, followed); }
}
