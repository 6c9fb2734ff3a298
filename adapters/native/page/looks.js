// How the field is looked at: the buttons over it, keys and dragging for the camera. Law: it changes only the view.

const NAMES = { CHASE: "Camera: behind", FIRST: "Camera: inside", FREE: "Camera: free" };
const TURN = 0.005;  // radians a pixel

const byId = (id) => document.getElementById(id);

export class Looks {
  #held = new Set();
  #drag = null;

  /** `others()`: the players who can be followed, in order; `follow(player)` follows one. */
  constructor(stage, { visit }) {
    Object.assign(this, { stage, visit });
    const { canvas } = stage;
    byId("deep").onclick = () => { stage.show(!stage.deep), canvas.focus(); };
    byId("way").onclick = () => { stage.eyes?.next(), this.draw(), canvas.focus(); };
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("keyup", ({ code }) => this.#held.delete(code));
    canvas.addEventListener("blur", () => this.#held.clear());
    canvas.addEventListener("pointerdown", ({ clientX: x, clientY: y, pointerId }) => { this.#drag ??= { x, y, pointerId }; });
    canvas.addEventListener("pointermove", (event) => this.#turn(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, ({ pointerId }) => { if (pointerId === this.#drag?.pointerId) this.#drag = null; });
    }
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

  #turn({ clientX: x, clientY: y, pointerId }) {
    if (pointerId !== this.#drag?.pointerId) return;
    if (this.stage.free) this.stage.eyes.turn(TURN * (x - this.#drag.x), TURN * (y - this.#drag.y));
    Object.assign(this.#drag, { x, y });
  }
}
