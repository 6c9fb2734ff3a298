// A stick and a fire button for fingers. Invariant: shown only on touch screens; both are released when the finger leaves in any way, or
// the page is left.

const DEAD = 0.2;  // part of the stick's radius in which it does not drive
const byId = (id) => document.getElementById(id);

export class Touch {
  #finger = null;

  /** `hands()`: the Hands of a session that plays, or null. */
  constructor(hands) {
    this.hands = hands;
    const stick = byId("stick"), fire = byId("fire");
    stick.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      if (this.#finger !== null) return;
      this.#finger = event.pointerId;
      stick.setPointerCapture(event.pointerId);
      this.#move(event);
    });
    stick.addEventListener("pointermove", (event) => event.pointerId === this.#finger && this.#move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      stick.addEventListener(end, ({ pointerId }) => pointerId === this.#finger && this.#stop());
      fire.addEventListener(end, () => this.hands()?.trigger(false));
    }
    fire.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      fire.setPointerCapture(event.pointerId);
      this.hands()?.trigger(true);
    });
    for (const left of ["blur", "pagehide"]) addEventListener(left, () => this.#letGo());
    document.addEventListener("visibilitychange", () => document.hidden && this.#letGo());
    addEventListener("pointerdown", ({ pointerType }) => { if (pointerType === "touch") this.#used = true, this.draw(); }, { capture: true });
  }

  #used = globalThis.matchMedia?.("(pointer: coarse)").matches ?? false;

  draw() {
    byId("touch").hidden = !this.#used || !this.hands();
  }

  #move({ clientX, clientY }) {
    const { left, top, width, height } = byId("stick").getBoundingClientRect();
    const right = (clientX - left - width / 2) / (width / 2), up = -(clientY - top - height / 2) / (height / 2), size = Math.hypot(right, up);
    const most = Math.max(1, size);
    byId("knob").style.transform = `translate(${right / most * width / 2}px, ${-up / most * height / 2}px)`;
    this.hands()?.lean(size < DEAD ? [0, 0] : [right / most, up / most]);
  }

  #stop() {
    this.#finger = null;
    byId("knob").style.transform = "";
    this.hands()?.lean([0, 0]);
  }

  #letGo() {
    this.#stop();
    this.hands()?.trigger(false);
  }
}
