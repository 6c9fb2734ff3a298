// Meshes of blocks: one for each chunk near the camera, and a rough one of the whole map behind them. Invariant: a chunk is built when the
// camera comes near, and again only if it changed; neighbouring faces of one colour and direction are one face.
import { Mason, lightOf } from "./mason.js";
import { CHUNK, HEIGHT, SIDE, unpack } from "../clients/js/voxels.js";

const CHUNKS = SIDE / CHUNK;
const NEAR = 14, KEPT = 18;  // chunks
const AT_ONCE = 6;           // ms per frame for building
const ROUGH = 8;             // cells of the rough mesh
const WATER = [52, 92, 128];
/** Directions of faces: the axis, the sign, and the two axes along the face. */
const FACES = [[0, 1], [0, -1], [1, 1], [1, -1], [2, 1], [2, -1]];

/** Adds the faces of a chunk to a mason. Returns their number. */
export function buildChunk(voxels, number, mason) {
  const x0 = (number % CHUNKS) * CHUNK, y0 = Math.floor(number / CHUNKS) * CHUNK, sizes = [CHUNK, CHUNK, HEIGHT], first = [x0, y0, 0];
  let faces = 0;
  for (const [axis, sign] of FACES) {
    if (axis === 2 && sign > 0) continue;  // never seen from below
    const [u, v] = axis === 2 ? [0, 1] : [1 - axis, 2], mask = new Uint16Array(sizes[u] * sizes[v]);
    for (let layer = 0; layer < sizes[axis]; ++layer) {
      let any = false;
      const cell = [0, 0, 0];
      cell[axis] = first[axis] + layer;
      for (let j = 0; j < sizes[v]; ++j) {
        for (let i = 0; i < sizes[u]; ++i) {
          cell[u] = first[u] + i, cell[v] = first[v] + j;
          const own = voxels.cells[(cell[1] * SIDE + cell[0]) * HEIGHT + cell[2]];
          let seen = 0;
          if (own) {
            cell[axis] += sign;
            const outside = cell[axis] < 0 || cell[axis] >= (axis === 2 ? HEIGHT : SIDE);
            seen = outside ? (axis === 2 ? own : 0) : voxels.cells[(cell[1] * SIDE + cell[0]) * HEIGHT + cell[2]] ? 0 : own;
            cell[axis] -= sign;
          }
          mask[j * sizes[u] + i] = seen;
          any ||= seen !== 0;
        }
      }
      if (any) faces += merge(mask, sizes[u], sizes[v], (i, j, wide, high, paint) => {
        const from = [...first], to = [...first];
        from[axis] = to[axis] = first[axis] + layer + (sign > 0 ? 1 : 0);
        from[u] += i, to[u] = from[u] + wide, from[v] += j, to[v] = from[v] + high;
        addFace(voxels, mason, axis, sign, u, v, from, to, paint);
      });
    }
  }
  return faces;
}

/** The largest rectangles of one colour, row by row. */
function merge(mask, wide, high, add) {
  let faces = 0;
  for (let j = 0; j < high; ++j) {
    for (let i = 0; i < wide;) {
      const paint = mask[j * wide + i];
      if (!paint) { ++i; continue; }
      let right = 1, down = 1;
      while (i + right < wide && mask[j * wide + i + right] === paint) ++right;
      rows: for (; j + down < high; ++down) for (let k = 0; k < right; ++k) if (mask[(j + down) * wide + i + k] !== paint) break rows;
      for (let y = 0; y < down; ++y) mask.fill(0, (j + y) * wide + i, (j + y) * wide + i + right);
      add(i, j, right, down, paint);
      ++faces;
      i += right;
    }
  }
  return faces;
}

/** y and z of cells are opposite to those of metres, and each of them reverses the order of a face's corners. */
function addFace(voxels, mason, axis, sign, u, v, from, to, paint) {
  const corner = (alongU, alongV) => {
    const cell = [...from];
    cell[u] = alongU ? to[u] : from[u], cell[v] = alongV ? to[v] : from[v];
    return voxels.place(...cell);
  };
  const corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
  const outward = [0, 0, 0];
  outward[axis] = axis === 0 ? sign : -sign;
  const [a, b, c] = corners, normal = [(b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]),
    (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]), (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])];
  if (normal[axis] * outward[axis] < 0) corners.reverse();
  mason.face(corners, unpack(paint), lightOf(...corners));
}

/** The whole map in cells of ROUGH by ROUGH columns, each as high as its lowest column. */
function buildRough(voxels, mason, skip) {
  for (let y = 0; y < SIDE; y += ROUGH) {
    for (let x = 0; x < SIDE; x += ROUGH) {
      if (skip(Math.floor(y / CHUNK) * CHUNKS + Math.floor(x / CHUNK))) continue;
      let low = 0, paint = 1;
      for (let j = 1; j < ROUGH; j += 3) for (let i = 1; i < ROUGH; i += 3) {
        const top = voxels.top(x + i, y + j);
        if (top > low && top < HEIGHT) low = top, paint = voxels.cell(x + i, y + j, top);
      }
      const [west, north, high] = voxels.place(x, y, low), size = ROUGH * voxels.block;
      mason.box({ x: west + size / 2, y: north - size / 2, z: -2, halfX: size / 2, halfY: size / 2, height: Math.max(0.5, high + 2) }, low >= HEIGHT - 2 ? WATER : unpack(paint));
    }
  }
}

export class Chunks {
  built = 0;         // how many meshes were made, for tests
  #meshes = new Map();  // number: mesh, or null if the chunk is empty
  #stale = new Set();
  #rough = null;

  constructor(THREE, voxels, material, group, rough) {
    Object.assign(this, { THREE, voxels, material, group });
    if (rough) this.#rough = this.#add((mason) => buildRough(voxels, mason, () => false));
    if (this.#rough) this.#rough.position.z = -1.6;  // under the exact ones
  }

  /** Builds what is near and missing, and what changed; drops what is far. */
  paint(x, y, until = performance.now() + AT_ONCE) {
    for (const number of this.voxels.takeStale()) if (this.#meshes.has(number)) this.#stale.add(number);
    const [i, j] = this.voxels.cellOf({ x, y }).map((cell) => Math.floor(cell / CHUNK));
    for (const number of [...this.#stale]) {
      this.#make(number);
      if (performance.now() > until) return;
    }
    for (const [number] of this.#meshes) if (far(number, i, j) > KEPT) this.#drop(number);
    for (let ring = 0; ring <= NEAR; ++ring) {
      for (const number of around(i, j, ring)) {
        if (this.#meshes.has(number)) continue;
        this.#make(number);
        if (performance.now() > until) return;
      }
    }
  }

  #make(number) {
    this.#drop(number);
    this.#stale.delete(number);
    this.#meshes.set(number, this.#add((mason) => buildChunk(this.voxels, number, mason)));
    ++this.built;
  }

  #add(fill) {
    const mason = new Mason();
    fill(mason);
    if (mason.empty) return null;
    const mesh = new this.THREE.Mesh(mason.geometry(this.THREE), this.material);
    this.group.add(mesh);
    return mesh;
  }

  #drop(number) {
    const mesh = this.#meshes.get(number);
    if (mesh) this.group.remove(mesh), mesh.geometry.dispose();
    this.#meshes.delete(number);
  }
}

const far = (number, i, j) => Math.max(Math.abs(number % CHUNKS - i), Math.abs(Math.floor(number / CHUNKS) - j));

/** The chunks at a distance of `ring`. */
function around(i, j, ring) {
  const numbers = [];
  for (let dy = -ring; dy <= ring; ++dy) {
    for (let dx = -ring; dx <= ring; dx += Math.abs(dy) === ring ? 1 : Math.max(1, 2 * ring)) {
      if (i + dx >= 0 && j + dy >= 0 && i + dx < CHUNKS && j + dy < CHUNKS) numbers.push((j + dy) * CHUNKS + i + dx);
    }
  }
  return numbers;
}
