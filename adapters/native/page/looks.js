// Controls of the view: the buttons over the field, keys and dragging for the camera. Spectators also drag the field, zoom with two
// fingers, and click a player to follow. Invariant: it changes only the view.

const NAMES = { CHASE: "Camera: behind", FIRST: "Camera: inside", FREE: "Camera: free" };
const TURN = 0.005;  // radians a pixel
const STILL = 6;     // pixels: a shorter movement is a click

const byId = (id) => document.getElementById(id);

export class Looks {
  #held = new Set();
  #pointers = new Map();  // pressed pointers: id: { x, y }, pixels
  #moved = 0;             // pixels, since the first was pressed

  /** `visit()`: the session that is shown, if any. */
  constructor(stage, { visit }) {
    Object.assign(this, { stage, visit });
    const { canvas } = stage;
    byId("deep").onclick = () => { stage.show(!stage.deep), canvas.focus(); };
    byId("way").onclick = () => { stage.eyes?.next(), this.draw(), canvas.focus(); };
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("keyup", ({ code }) => this.#held.delete(code));
    canvas.addEventListener("blur", () => this.#held.clear());
    canvas.addEventListener("pointerdown", ({ offsetX: x, offsetY: y, pointerId }) => {
      if (this.#pointers.size === 0) this.#moved = 0;
      this.#pointers.set(pointerId, { x, y });
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#click(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, ({ pointerId }) => this.#pointers.delete(pointerId));
  }

  draw() {
    const { stage } = this;
    byId("deep").textContent = stage.deep ? "From above" : "3D";
    byId("deep").disabled = !stage.can;
    byId("way").hidden = !stage.deep;
    if (stage.deep) byId("way").textContent = NAMES[stage.eyes.way];
  }

  /** Moves the free camera. `heading`: [right, ahead] of the keys that drive. */
  tick([right, ahead], seconds) {
    const up = (this.#held.has("KeyE") ? 1 : 0) - (this.#held.has("KeyQ") ? 1 : 0);
    if (this.stage.free && (right || ahead || up)) this.stage.eyes.move(ahead, -right, up, seconds);
  }

  #key({ code, ctrlKey, altKey, metaKey, repeat }) {
    if (ctrlKey || altKey || metaKey || repeat) return;
    this.#held.add(code);
    if (code === "KeyV") byId("deep").click();
    else if (code === "KeyC") byId("way").click();
    else if (code === "BracketLeft") this.visit()?.followNext(-1);
    else if (code === "BracketRight") this.visit()?.followNext(1);
  }

  /** Whether the mouse and fingers control the view: players drive with them. */
  get #watches() {
    const visit = this.visit();
    return visit && !visit.plays;
  }

  #move({ offsetX: x, offsetY: y, pointerId }) {
    const was = this.#pointers.get(pointerId);
    if (!was) return;
    const right = x - was.x, down = y - was.y, other = [...this.#pointers].find(([id]) => id !== pointerId)?.[1];
    this.#pointers.set(pointerId, { x, y });
    this.#moved += Math.hypot(right, down);
    if (other) this.#watches && this.stage.zoom(Math.hypot(was.x - other.x, was.y - other.y) / Math.max(1, Math.hypot(x - other.x, y - other.y)));
    else if (this.stage.free) this.stage.eyes.turn(TURN * right, TURN * down);
    else if (!this.stage.deep && this.#watches && this.#moved >= STILL) this.#drag(right, down);
  }

  #drag(right, down) {
    const { canvas } = this.stage, side = Math.min(canvas.clientWidth, canvas.clientHeight) || 1;
    this.visit().pan(-right / side, down / side);
  }

  #click({ offsetX, offsetY, pointerId }) {
    if (!this.#pointers.has(pointerId) || this.#moved >= STILL || !this.#watches) return;
    const visit = this.visit(), unit = this.stage.unitAt(visit.room, offsetX, offsetY, performance.now());
    if (unit) visit.follow(unit.owner);
  }
}
