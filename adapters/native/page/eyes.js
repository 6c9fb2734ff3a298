// The camera of the 3D view: where it is and which way it looks. Invariant: it uses neither the page nor three.js; yaw and pitch are
// those of the words. Three ways to look: behind the followed unit, from within it, and free.
import { wrap } from "../clients/js/track.js";

export const WAYS = ["CHASE", "FIRST", "FREE"];
const TURN_RATE = 3.5;  // per second: how fast the camera turns behind a unit
const FAST = 60;        // m/s, of the free camera at 20 m above the ground
const UP = 1.5;         // steepest pitch

const clamp = (least, value, most) => Math.min(most, Math.max(least, value));
const CELLS = new Set(["CELL", "VIRUS", "MOTHER", "EJECTED", "PELLET"]);

export class Eyes {
  way = "CHASE";
  x = 0; y = 0; z = 60; yaw = Math.PI / 2; pitch = -0.5;
  far = 1;          // factor of the distance behind a unit
  #behind = null;   // the yaw behind a unit, smoothed
  #unit = 0;

  next() { this.look(WAYS[(WAYS.indexOf(this.way) + 1) % WAYS.length]); }

  look(way) {
    this.way = way;
    this.#behind = null;
  }

  zoom(factor) {
    if (this.way === "FREE") this.z = clamp(1, this.z * factor, 2000);
    else this.far = clamp(0.3, this.far * factor, 8);
  }

  /** Moves to a place from which the whole world is visible. */
  overlook({ west = -200, east = 200, south = -200, north = 200 } = {}) {
    const size = Math.max(east - west, north - south, 20);
    this.look("FREE");
    Object.assign(this, { x: (west + east) / 2, y: south - 0.18 * size, z: 0.55 * size, yaw: Math.PI / 2, pitch: -0.72 });
  }

  /** Turns the free camera, by radians. */
  turn(left, up) {
    this.yaw = wrap(this.yaw + left);
    this.pitch = clamp(-UP, this.pitch + up, UP);
  }

  /** Moves the free camera: -1 to 1 along its view, to its left, and up. */
  move(ahead, left, up, seconds) {
    const pace = FAST * clamp(0.5, Math.abs(this.z) / 20, 10) * seconds, cos = Math.cos(this.yaw), sin = Math.sin(this.yaw);
    this.x += pace * (ahead * cos - left * sin);
    this.y += pace * (ahead * sin + left * cos);
    this.z = clamp(1, this.z + pace * up, 2000);
  }

  /** Whether the followed unit is not seen because the camera is in it. */
  within(unit) { return this.way === "FIRST" && unit && !CELLS.has(unit.kind); }

  /** `unit`: the followed one, if any, at `pose`; `seconds` since the last call. `covered(x, y, z)`: whether a place is inside a solid. */
  follow(unit, pose, height, seconds, covered = () => false) {
    if (!unit || this.way === "FREE") return;
    if (unit.id !== this.#unit) this.#unit = unit.id, this.#behind = null;
    if (CELLS.has(unit.kind)) return this.#above(unit, pose);
    if (this.within(unit)) {
      Object.assign(this, { x: pose.x, y: pose.y, z: pose.z + 0.85 * height, yaw: pose.yaw, pitch: unit.kind === "MAN" ? pose.pitch : 0 });
      return;
    }
    const turn = wrap(pose.yaw - (this.#behind ?? pose.yaw));
    this.#behind = wrap((this.#behind ?? pose.yaw) + turn * Math.min(1, TURN_RATE * seconds));
    const away = 3.2 * Math.max(6, 2 * (unit.radius || 3)) * this.far, above = height + 0.32 * away;
    const cos = Math.cos(this.#behind), sin = Math.sin(this.#behind);
    let part = 1;
    for (let i = 1; i <= 10; ++i) {  // nearer, if something is between
      if (!covered(pose.x - cos * away * i / 10, pose.y - sin * away * i / 10, pose.z + height + (above - height) * i / 10)) continue;
      part = Math.max(0.15, (i - 1) / 10);
      break;
    }
    Object.assign(this, { x: pose.x - cos * away * part, y: pose.y - sin * away * part, z: pose.z + height + (above - height) * part, yaw: this.#behind, pitch: -0.2 });
  }

  /** Cells have no front: they are seen from the south, and from above. */
  #above(unit, pose) {
    const away = (40 + 7 * (unit.radius || 1)) * this.far;
    Object.assign(this, { x: pose.x, y: pose.y - 0.6 * away, z: 0.8 * away, yaw: Math.PI / 2, pitch: -0.93 });
  }
}
