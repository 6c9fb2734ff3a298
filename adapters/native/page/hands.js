// Keyboard and mouse as intents. Invariant: keys give a direction on the screen (Keys); behind or inside a tank or a man, they turn it
// and drive it. A held mouse button gives a place (Toward). Nothing unchanged is sent twice, except a held place. All keys are
// released when the field loses the focus. While they move the free camera, the unit stands.

const WAYS = {
  ArrowUp: [0, 1], KeyW: [0, 1], ArrowDown: [0, -1], KeyS: [0, -1], ArrowLeft: [-1, 0], KeyA: [-1, 0], ArrowRight: [1, 0], KeyD: [1, 0],
};
const FORWARD = 1, JUMP = 16;  // of Keys.Bit
const HOLD_EVERY = 100;        // ms
const DRIVE = 1, SHOOT = 2;    // mouse buttons, as bits of PointerEvent.buttons
const LEAST_LEAN = 0.25;       // of a stick
const TURN = 0.8;              // radians: how far to the side keys point
const EYES = 3.5;              // m, of a man
const QUARTER = Math.PI / 2;
const ACROSS = new Set(["TANK", "MAN"]);  // units that turn

export class Hands {
  #pressed = new Set();
  #yaw = 0;           // the last direction of the keys
  #said = "";
  #pointer = null;    // on the canvas, while the mouse aims
  #held = 0;          // mouse buttons
  #shots = 0;
  #fireAt = 0;
  #driveAt = 0;

  /** `view` converts places, `room` knows our player, `say(kind, word)` sends. */
  constructor({ view, room, say }) {
    Object.assign(this, { view, room, say });
    const { canvas } = view;
    this.#listen(canvas, {
      keydown: (event) => this.#key(event, true),
      keyup: (event) => this.#key(event, false),
      blur: () => this.#letGo(),
      pointermove: (event) => {
        if (event.pointerType === "touch" && this.view.deep) return;
        this.#point(event);
        if (this.#held) this.#hold(event);
      },
      pointerdown: (event) => {
        canvas.focus();
        canvas.setPointerCapture(event.pointerId);
        if (event.pointerType === "touch" && this.view.deep) return;  // fingers use the stick
        this.#point(event);
        this.#hold(event);
      },
      pointerup: (event) => this.#held && this.#hold(event),
      pointercancel: () => this.#letGo(),  // the browser took over the gesture
      contextmenu: (event) => event.preventDefault(),
    });
  }

  #ends = new AbortController();

  #listen(canvas, what) {
    for (const [name, call] of Object.entries(what)) canvas.addEventListener(name, call, { signal: this.#ends.signal });
  }

  /** Stops listening. */
  end() {
    this.#ends.abort();
  }

  /** Continues what is held. Called for every frame. */
  tick(now) {
    const shoots = this.#trigger || this.#pressed.has("Space") || this.#held & SHOOT;
    if (shoots && now >= this.#fireAt) this.#fire(now);
    if (now < this.#driveAt || this.view.free) return;
    if (this.#held & DRIVE && this.#pointer) this.#driveAt = now + HOLD_EVERY, this.say("toward", this.#goal());
    else if (this.heading()[0] && this.#turning()) this.#driveAt = now + HOLD_EVERY, this.#drive();  // the unit's direction has changed
  }

  /** Sets the direction of the stick: [right, up], each -1 to 1. */
  lean(way) {
    const was = this.#stick.some(Boolean);
    this.#stick = way.map((part) => (Math.abs(part) < LEAST_LEAN ? 0 : part));
    if (this.#stick.some(Boolean)) this.#pointer = null, this.#drive();
    else if (was) this.heading().some(Boolean) ? this.#drive() : this.#stop();
  }

  /** The fire button is pressed or released. */
  trigger(on) { this.#trigger = on; }

  #stick = [0, 0];
  #trigger = false;

  /** The direction of the stick or the keys: [right, up] on the screen, 0 if none. */
  heading() {
    if (this.#stick.some(Boolean)) return this.#stick;
    const all = [...this.#pressed].map((key) => WAYS[key]).filter(Boolean);
    return [Math.sign(all.reduce((sum, way) => sum + way[0], 0)), Math.sign(all.reduce((sum, way) => sum + way[1], 0))];
  }

  #key(event, down) {
    if (down && (event.ctrlKey || event.altKey || event.metaKey)) return;
    const { code } = event;
    const way = Object.hasOwn(WAYS, code);
    if (!way && code !== "Space" && code !== "KeyJ") return;
    event.preventDefault();
    if (event.repeat) return;
    down ? this.#pressed.add(code) : this.#pressed.delete(code);
    if (down && way) this.#pointer = null;
    if (code !== "Space") this.#drive();
  }

  #drive() {
    const [right, up] = this.view.free ? [0, 0] : this.heading(), unit = this.#turning();
    const drives = unit ? up !== 0 : right !== 0 || up !== 0;
    if (unit) this.#steer(unit, right, up);
    else if (drives) this.#yaw = Math.atan2(up, right) + (this.view.ahead ?? QUARTER) - QUARTER;
    this.#tell({ bits: (drives ? FORWARD : 0) + (this.#pressed.has("KeyJ") ? JUMP : 0), yaw: this.#yaw });
  }

  /** My unit, if the keys turn it: it is seen from behind or from inside. */
  #turning() {
    const unit = this.view.deep && !this.view.free ? this.room.unitOf(this.room.me) : null;
    return unit && ACROSS.has(unit.kind) ? unit : null;
  }

  /** Forward is the unit's own direction. Backward is the opposite of its direction when the key was pressed. */
  #steer(unit, right, up) {
    const { yaw } = unit.track.at(performance.now());
    if (up >= 0) this.#back = null;
    else this.#back ??= yaw + Math.PI;
    this.#yaw = (this.#back ?? yaw) - TURN * right;
  }

  #back = null;

  /** Stops, and keeps the direction. */
  #stop() {
    this.#tell({ bits: 0, yaw: this.#look() }, true);
  }

  #tell(keys, anew = false) {
    const text = JSON.stringify(keys);
    if (text === this.#said && !anew) return;
    this.#said = text;
    this.say("keys", keys);
  }

  #letGo() {
    const acted = this.heading().some(Boolean) || this.#held & DRIVE || this.#pressed.has("KeyJ");
    this.#stick = [0, 0];
    this.#trigger = false;
    this.#pressed.clear();
    this.#held = 0;
    if (acted) this.#stop();
  }

  /** A browser reports the first button as pressed and the last one as released; all between are moves. */
  #hold({ buttons }) {
    const drove = this.#held & DRIVE;
    this.#held = buttons;
    if (drove && !(buttons & DRIVE)) this.#stop();
  }

  #point({ offsetX, offsetY }) {
    this.#pointer = { left: offsetX, top: offsetY };
  }

  #aim() {
    return this.view.placeAt(this.#pointer.left, this.#pointer.top);
  }

  #goal() {
    const { x, y } = this.#aim();
    return { x, y };
  }

  /** The direction of a shot: to the mouse, if it was used last; otherwise ahead. */
  #look() {
    const unit = this.room.unitOf(this.room.me);
    if (!unit) return this.#yaw;
    const at = unit.track.at(performance.now());
    if (!this.#pointer) return this.heading().some(Boolean) && !this.#turning() ? this.#yaw : at.yaw;
    const to = this.#aim();
    return Math.atan2(to.y - at.y, to.x - at.x);
  }

  #fire(now) {
    const unit = this.room.unitOf(this.room.me);
    if (!unit) return;
    this.#fireAt = now + 1000 * Math.max(0.1, this.room.rule("reload", 0.5));
    const { x, y } = unit.track.at(now), yaw = this.#look();
    const speed = this.room.rule("shot_speed", 100), range = this.room.rule("shot_range", 350);
    const shot = { unit: unit.id, shot: ++this.#shots, x, y, vx: speed * Math.cos(yaw), vy: speed * Math.sin(yaw), range, life: range / speed };
    this.say("fire", this.view.deep && unit.kind === "MAN" ? { ...shot, ...this.#raise(unit.track.at(now), speed) } : shot);
  }

  /** The height of a man's shot, and how it rises: to the mouse, or as the man looks. */
  #raise({ x, y, z, pitch }, speed) {
    const from = z + EYES, to = this.#pointer ? this.#aim() : null;
    return { z: from, vz: speed * Math.tan(to ? Math.atan2(to.z - from, Math.hypot(to.x - x, to.y - y)) : pitch) };
  }
}
