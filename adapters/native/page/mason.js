// Builds meshes from faces: places, colours, indices. Light is part of the colours, so that a mesh needs no lamps.
// Invariant: it uses neither the page nor three.js, except in `geometry`.

const SUN = [-0.32, -0.48, 0.82];  // towards it
const SHADE = 0.5;                 // light of a face that is turned away

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export const rgb = (number) => [(number >> 16) & 255, (number >> 8) & 255, number & 255];

/** How bright a face is; its corners are counter-clockwise when seen from outside. */
export function lightOf(a, b, c) {
  const normal = cross(minus(b, a), minus(c, a)), size = Math.hypot(...normal) || 1;
  const sun = (normal[0] * SUN[0] + normal[1] * SUN[1] + normal[2] * SUN[2]) / size;
  return SHADE + (1 - SHADE) * Math.max(0, sun) + 0.1 * Math.min(0, sun);
}

export class Mason {
  places = [];
  colours = [];
  indices = [];

  get empty() { return this.indices.length === 0; }

  /** Adds a face of three or four corners. */
  face(corners, colour, light = lightOf(...corners)) {
    const first = this.places.length / 3;
    for (const corner of corners) {
      this.places.push(corner[0], corner[1], corner[2]);
      this.colours.push(colour[0] * light, colour[1] * light, colour[2] * light);
    }
    for (let i = 2; i < corners.length; ++i) this.indices.push(first, first + i - 1, first + i);
  }

  /** A box that stands on z and is turned about its middle. `top`: the colour of its roof. `taper`: the roof's size, 0 for a pyramid. */
  box({ x = 0, y = 0, z = 0, halfX = 0, halfY = 0, height = 0, yaw = 0, taper = 1, upsideDown = false }, colour, top = colour) {
    const cos = Math.cos(yaw), sin = Math.sin(yaw), low = upsideDown ? taper : 1, high = upsideDown ? 1 : taper;
    const at = (u, v, up, part) => [x + (u * cos * halfX - v * sin * halfY) * part, y + (u * sin * halfX + v * cos * halfY) * part, z + up];
    const ring = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
    const below = ring.map(([u, v]) => at(u, v, 0, low)), above = ring.map(([u, v]) => at(u, v, height, high));
    for (let i = 0; i < 4; ++i) {
      const j = (i + 1) % 4;
      if (high === 0) this.face([below[i], below[j], above[i]], colour);
      else if (low === 0) this.face([below[i], above[j], above[i]], colour);
      else this.face([below[i], below[j], above[j], above[i]], colour);
    }
    if (high > 0) this.face(above, top);
    if (low > 0 && z > 0) this.face([...below].reverse(), colour);
  }

  /** A ball of radius 1 around a place, flattened. */
  ball(colour, { around = 14, high = 8, x = 0, y = 0, z = 0, radius = 1 } = {}) {
    const at = (i, j) => {
      const turn = 2 * Math.PI * i / around, up = Math.PI * (j / high - 0.5);
      return [x + radius * Math.cos(turn) * Math.cos(up), y + radius * Math.sin(turn) * Math.cos(up), z + radius * Math.sin(up)];
    };
    for (let j = 0; j < high; ++j) {
      for (let i = 0; i < around; ++i) {
        const corners = j === 0 ? [at(i, 0), at(i + 1, 1), at(i, 1)] : j === high - 1 ? [at(i, j), at(i + 1, j), at(i, high)]
          : [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        this.face(corners, colour);
      }
    }
  }

  geometry(THREE) {
    const made = new THREE.BufferGeometry();
    made.setAttribute("position", new THREE.BufferAttribute(new Float32Array(this.places), 3));
    made.setAttribute("color", new THREE.BufferAttribute(Uint8Array.from(this.colours, (part) => Math.min(255, part)), 3, true));
    made.setIndex(new THREE.BufferAttribute(this.places.length > 3 * 65535 ? new Uint32Array(this.indices) : new Uint16Array(this.indices), 1));
    return made;
  }
}
