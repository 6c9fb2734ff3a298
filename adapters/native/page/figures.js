// What moves, in three dimensions: tanks, men, cells, flags, things. Invariant: figures of one kind share one mesh; only their colour,
// size and place differ. A figure's front is east, its feet are at z = 0.
import { Mason } from "./mason.js";

const LIGHT = [255, 255, 255], DIM = [200, 200, 200], DARK = [60, 60, 64], POLE = [225, 225, 225];
const TANK_RADIUS = 4.3;  // metres, of BZFlag's tank

const SHAPES = {
  TANK(mason) {
    for (const side of [-1, 1]) mason.box({ y: side * 1.15, halfX: 3, halfY: 0.35, z: 0.05, height: 0.9 }, DARK, DARK);
    mason.box({ z: 0.35, halfX: 2.7, halfY: 0.85, height: 0.7 }, LIGHT);
    mason.box({ x: -0.4, z: 1.05, halfX: 1.3, halfY: 0.95, height: 0.85, taper: 0.75 }, LIGHT);
    mason.box({ x: 1.9, z: 1.35, halfX: 1.7, halfY: 0.16, height: 0.32 }, DIM);
  },
  MAN(mason) {
    for (const side of [-1, 1]) mason.box({ y: side * 0.35, halfX: 0.3, halfY: 0.28, height: 1.6 }, DARK);
    mason.box({ z: 1.6, halfX: 0.45, halfY: 0.75, height: 1.5 }, LIGHT);
    mason.box({ z: 3.15, halfX: 0.45, halfY: 0.45, height: 0.9 }, DIM);
    mason.box({ x: 1.1, y: -0.45, z: 2.6, halfX: 1.1, halfY: 0.13, height: 0.28 }, DARK);
  },
  BALL(mason) { mason.ball(LIGHT); },
  THING(mason) { mason.box({ halfX: 0.5, halfY: 0.5, height: 1 }, LIGHT); },
  POLE(mason) { mason.box({ halfX: 0.12, halfY: 0.12, height: 7 }, POLE); },
  CLOTH(mason) {
    for (const corners of [[[0, 0, 4.4], [3, 0, 4.7], [3, 0, 6.6], [0, 0, 6.9]], [[0, 0, 6.9], [3, 0, 6.6], [3, 0, 4.7], [0, 0, 4.4]]]) mason.face(corners, LIGHT, 0.95);
  },
};
const OF_KIND = { TANK: "TANK", MAN: "MAN", CELL: "BALL", VIRUS: "BALL", MOTHER: "BALL", EJECTED: "BALL", BRICK: "THING", PICKUP: "THING", DECOR: "THING" };

export class Figures {
  #meshes = new Map();     // shape: geometry
  #materials = new Map();  // colour: material

  constructor(THREE) {
    this.THREE = THREE;
  }

  /** A unit's figure, without a place; null for units that are drawn in another way. */
  of(kind, colour) {
    return Object.hasOwn(OF_KIND, kind) ? this.make(OF_KIND[kind], colour) : null;
  }

  make(shape, colour) {
    return new this.THREE.Mesh(this.#mesh(shape), this.paint(colour));
  }

  flag(colour) {
    const both = new this.THREE.Group();
    both.add(this.make("POLE", "#ffffff"), this.make("CLOTH", colour));
    return both;
  }

  paint(colour) {
    if (!this.#materials.has(colour)) {
      if (this.#materials.size > 512) this.#materials.clear();  // materials in use are kept by their meshes
      this.#materials.set(colour, new this.THREE.MeshBasicMaterial({ color: colour, vertexColors: this.THREE.VertexColors }));
    }
    return this.#materials.get(colour);
  }

  /** Sets place, direction and size. */
  static pose(figure, { kind, radius }, { x, y, z, yaw }) {
    figure.position.set(x, y, z);
    if (kind === "TANK") figure.scale.setScalar(radius > 0 ? Math.min(8, Math.max(0.5, radius / TANK_RADIUS)) : 1);
    else if (kind === "BRICK" || kind === "PICKUP" || kind === "DECOR") figure.scale.setScalar(Math.max(1, radius || 0));
    else if (kind !== "MAN") figure.scale.set(radius || 1, radius || 1, 0.7 * (radius || 1));
    figure.rotation.z = yaw;
  }

  /** How high a unit is. */
  static height({ kind, radius }) {
    if (kind === "MAN") return 4.2;
    return kind === "TANK" ? 2.1 * (radius > 0 ? Math.max(0.5, radius / TANK_RADIUS) : 1) : radius || 1;
  }

  #mesh(shape) {
    if (!this.#meshes.has(shape)) {
      const mason = new Mason();
      SHAPES[shape](mason);
      this.#meshes.set(shape, mason.geometry(this.THREE));
    }
    return this.#meshes.get(shape);
  }
}
