// What does not move, in three dimensions: the floor, walls, solids, teleporters, bases and tiles of a World, and its voxels.
// Invariant: a world is built once; only chunks of voxels and tiles that changed are built again, tiles at most every 2 s.
// Tiles that need too many boxes are left out: their floor is plain.
import { teamColour } from "./colours.js";
import { Mason, rgb } from "./mason.js";

const GRASS = [rgb(0x55704a), rgb(0x4e6844)], SAND = rgb(0x3c4a3a), CHECK = 25, MOST_CHECKS = 48, AROUND = 4000;  // metres
const BRICK = rgb(0x9a6e54), ROUGH = rgb(0xb8a595), ROOF = rgb(0x8d9096), STONE = rgb(0x5873b0), WALL = rgb(0x7c7f86), GATE = rgb(0xe8c84a), GLASS = rgb(0xc8d4dc);
const ROCK = rgb(0x85796b), ROCK_TOP = rgb(0x9b8f80), WATER = rgb(0x3d6ea5), BUSH = rgb(0x3f6b3a);
const WALL_HEIGHT = 6, TILE_HEIGHT = 8;  // metres
const MOST_BOXES = 65_536;  // of tiles
const AGAIN = 2000;  // ms between two builds of tiles that change
const SHOTS_PASS = 1, UNITS_PASS = 2;

const hex = (text) => rgb(Number.parseInt(text.slice(1), 16));
const finite = (value) => (Number.isFinite(value) ? value : 0);

/** A Solid's numbers as Mason wants them. */
const sizes = ({ x, y, z, half_x: halfX, half_y: halfY, height, yaw, upside_down: upsideDown = false }) => ({
  x: finite(x), y: finite(y), z: finite(z), halfX: Math.max(0.2, Math.abs(finite(halfX))), halfY: Math.max(0.2, Math.abs(finite(halfY))),
  height: Math.abs(finite(height)), yaw: finite(yaw), upsideDown,
});

export class Scenery {
  solids = [];  // those that can block the camera

  /** `edits`: how often the world was changed so far. */
  constructor(THREE, world, edits = 0) {
    this.#edits = edits;
    this.THREE = THREE;
    this.world = world;
    this.group = new THREE.Group();
    this.plain = new THREE.MeshBasicMaterial({ vertexColors: THREE.VertexColors });
    this.glass = new THREE.MeshBasicMaterial({ vertexColors: THREE.VertexColors, transparent: true, opacity: 0.45, depthWrite: false });
    // The floor comes last: pixels that something covers are not painted twice.
    if (world) this.#things(world);
    if (world?.kind === "TILES") this.#tiles = this.#build((mason) => tiles(mason, world));
    if (!world?.blocks) this.#floor(world ?? {});
  }

  #tiles = null;
  #edits;
  #again = 0;

  /** Builds the tiles again if the world was changed. Called for every frame; `now`: in ms. */
  keepUp(edits, now) {
    if (!this.#tiles || edits === this.#edits || now < this.#again) return;
    this.#edits = edits, this.#again = now + AGAIN;
    this.group.remove(this.#tiles);
    this.#tiles.geometry.dispose();
    this.#tiles = this.#build((mason) => tiles(mason, this.world));
  }

  /** Whether a camera at this place would be inside a solid, or behind the walls around the world. */
  covers(x, y, z) {
    const { walled = false, west = 0, east = 0, south = 0, north = 0 } = this.world ?? {};
    if (walled && (x < west + 0.5 || x > east - 0.5 || y < south + 0.5 || y > north - 0.5)) return true;
    return this.solids.some((solid) => {
      const east = x - solid.x, north = y - solid.y, cos = Math.cos(solid.yaw), sin = Math.sin(solid.yaw);
      return z > solid.z - 0.5 && z < solid.z + solid.height + 0.5 && Math.abs(east * cos + north * sin) < solid.halfX + 0.5 &&
        Math.abs(north * cos - east * sin) < solid.halfY + 0.5;
    });
  }

  end() {
    this.group.traverse((one) => one.geometry?.dispose());
    this.plain.dispose();
    this.glass.dispose();
  }

  #build(fill, material = this.plain) {
    const mason = new Mason();
    fill(mason);
    const mesh = new this.THREE.Mesh(mason.geometry(this.THREE), material);
    mesh.matrixAutoUpdate = false;
    if (!mason.empty) this.group.add(mesh);
    return mesh;
  }

  /** A chequered floor and its surroundings. It has no texture, because textures are slow in software. */
  #floor({ west = -400, east = 400, south = -400, north = 400 }) {
    this.#build((mason) => {
      const size = Math.max(CHECK, (east - west) / MOST_CHECKS, (north - south) / MOST_CHECKS), [x, y] = [(west + east) / 2, (south + north) / 2];
      const columns = Math.min(MOST_CHECKS, Math.ceil((east - west) / size)), rows = Math.min(MOST_CHECKS, Math.ceil((north - south) / size));
      for (let i = 0; i < columns; ++i) {
        for (let j = 0; j < rows; ++j) {
          const left = west + i * size, low = south + j * size;
          square(mason, left, Math.min(east, left + size), low, Math.min(north, low + size), -0.02, GRASS[(i + j) % 2]);
        }
      }
      square(mason, x - AROUND, x + AROUND, y - AROUND, y + AROUND, -0.6, SAND);
    });
  }

  #things({ west = 0, east = 0, south = 0, north = 0, walled = false, solids: all = [], bases = [], teleporters = [], blocks, grid }) {
    const solids = blocks || grid ? [] : all;  // in a world of blocks or tiles, solids only approximate them
    this.#build((mason) => {
      const high = walled ? WALL_HEIGHT : 0.8, [x, y] = [(west + east) / 2, (south + north) / 2], [halfX, halfY] = [(east - west) / 2, (north - south) / 2];
      for (const side of [-1, 1]) {
        mason.box({ x, y: y + side * (halfY + 0.5), halfX: halfX + 1, halfY: 0.5, height: high }, WALL);
        mason.box({ x: x + side * (halfX + 0.5), y, halfX: 0.5, halfY: halfY + 1, height: high }, WALL);
      }
      for (const solid of solids) {
        const size = sizes(solid);
        if (solid.units_pass || solid.shots_pass) continue;
        this.solids.push(size);
        if (solid.shape === "PYRAMID") mason.box({ ...size, taper: 0 }, STONE);
        else mason.box(size, solid.approximate ? ROUGH : BRICK, ROOF);  // paler: only about that shape
      }
      for (const { solid = {}, team } of bases) {
        const size = sizes(solid), colour = hex(teamColour(team));
        mason.box({ ...size, height: size.height || 0.15 }, colour.map((part) => 0.6 * part), colour.map((part) => 0.75 * part));
      }
      for (const { frame = {}, border = 1 } of teleporters) gate(mason, sizes(frame), Math.max(0.3, finite(border)));
    });
    this.#build((mason) => {
      for (const solid of solids.filter((one) => one.units_pass || one.shots_pass)) mason.box({ ...sizes(solid), taper: solid.shape === "PYRAMID" ? 0 : 1 }, GLASS);
      for (const { frame = {} } of teleporters) mason.box({ ...sizes(frame), halfX: 0.2 }, GATE);
    }, this.glass);
  }
}

function square(mason, west, east, south, north, z, colour) {
  mason.face([[west, south, z], [east, south, z], [east, north, z], [west, north, z]], colour, 1);
}

/** Two posts and a beam. */
function gate(mason, { x, y, z, halfY, height, yaw }, border) {
  for (const side of [-1, 1]) {
    const off = side * (halfY - border / 2);
    mason.box({ x: x - Math.sin(yaw) * off, y: y + Math.cos(yaw) * off, z, halfX: border / 2, halfY: border / 2, height, yaw }, GATE);
  }
  mason.box({ x, y, z: z + height - border, halfX: border / 2, halfY, height: border, yaw }, GATE);
}

/** The runs of equal tiles in each row that block something: what passes, and from which column to which. */
function* runs({ columns = 0, rows = 0, grid }) {
  const all = SHOTS_PASS | UNITS_PASS;
  for (let row = 0; row < rows; ++row) {
    for (let column = 0, end = 0; column < columns; column = end) {
      const passes = grid[row * columns + column] & all;
      for (end = column + 1; end < columns && (grid[row * columns + end] & all) === passes;) ++end;
      if (passes !== all) yield { passes, row, column, end };
    }
  }
}

/** Builds one box for each run, unless there are too many. */
function tiles(mason, world) {
  const { columns = 0, rows = 0, grid, west = 0, east = 0, south = 0, north = 0 } = world;
  if (!grid) return;
  const found = [];
  for (const run of runs(world)) if (found.push(run) > MOST_BOXES) return;
  const wide = (east - west) / columns, deep = (north - south) / rows;
  for (const { passes, row, column, end } of found) {
    const place = { x: west + wide * (column + end) / 2, y: north - deep * (row + 0.5), halfX: wide * (end - column) / 2, halfY: deep / 2 };
    if (passes === SHOTS_PASS) mason.box({ ...place, height: 0.2 }, WATER);
    else if (passes === UNITS_PASS) mason.box({ ...place, height: 2 }, BUSH);
    else mason.box({ ...place, height: TILE_HEIGHT }, ROCK, ROCK_TOP);
  }
}
