// node --test page_3d_test.mjs: the parts of the 3D view that need no browser: blocks and their faces, cameras, texts and controls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildChunk } from "../../adapters/native/page/chunks.js";
import { deathIn } from "../../adapters/native/page/deaths.js";
import { Eyes } from "../../adapters/native/page/eyes.js";
import { loaded } from "../../adapters/native/page/gauges.js";
import { Hands } from "../../adapters/native/page/hands.js";
import { Mason } from "../../adapters/native/page/mason.js";
import { Scenery } from "../../adapters/native/page/scenery.js";
import { ranked } from "../../adapters/native/page/scores.js";
import { Room } from "../../adapters/native/clients/js/room.js";
import { HEIGHT, SIDE, unpack, Voxels } from "../../adapters/native/clients/js/voxels.js";

const BLOCK = 800 / SIDE;

/** A map file: each column has its coloured top at `top(x, y)` and is solid below. */
function mapFile(top) {
  const file = new Uint8Array(8 * SIDE * SIDE);
  for (let i = 0; i < SIDE * SIDE; ++i) file.set([0, top(i % SIDE, Math.floor(i / SIDE)), top(i % SIDE, Math.floor(i / SIDE)), 0, 30, 200, 60, 0], 8 * i);
  return file;
}

test("a map file is read: air above, a coloured top, solid below", () => {
  const voxels = Voxels.read(mapFile((x) => (x === 7 ? 20 : 40)), BLOCK);
  assert.equal(voxels.top(7, 3), 20);
  assert.equal(voxels.top(8, 3), 40);
  assert.equal(voxels.cell(8, 3, 39), 0);
  assert.ok(voxels.cell(8, 3, HEIGHT - 1));
  const [red, green, blue] = unpack(voxels.cell(8, 3, 40));
  assert.ok(Math.abs(red - 60) < 9 && Math.abs(green - 200) < 5 && Math.abs(blue - 30) < 9);
});

test("a column with a cave has both its spans", () => {
  const column = [3, 10, 10, 0, 1, 1, 255, 0, 9, 9, 9, 0, 0, 30, 30, 20, 2, 255, 2, 0];  // 10 coloured, 19 coloured from below, air 20 to 29
  const rest = mapFile(() => 40).subarray(8), file = new Uint8Array(column.length + rest.length);
  file.set(column), file.set(rest, column.length);
  const voxels = Voxels.read(file, BLOCK);
  assert.equal(voxels.top(0, 0), 10);
  for (const [z, solid] of [[9, false], [10, true], [15, true], [19, true], [20, false], [29, false], [30, true], [63, true]])
    assert.equal(voxels.cell(0, 0, z) !== 0, solid, `${z}`);
  assert.equal(voxels.top(1, 0), 40);
});

test("a truncated or invalid map file is refused, and does not hang", () => {
  const file = mapFile(() => 40);
  assert.equal(Voxels.read(file.subarray(0, file.length - 1), BLOCK), null);
  assert.equal(Voxels.read(new Uint8Array(), BLOCK), null);
  assert.equal(Voxels.read(new Uint8Array(1e5).fill(255), BLOCK), null);
  let seed = 1;
  for (let round = 0; round < 200; ++round) Voxels.read(Uint8Array.from({ length: 4096 }, () => (seed = seed * 1103515245 + 12345 >>> 0) >>> 16), BLOCK);
});

test("places are converted to cells and back as in the game", () => {
  const voxels = new Voxels(BLOCK);
  assert.deepEqual(voxels.cellOf({ x: 0.1, y: -0.1, z: 0.1 }), [256, 256, 61]);
  assert.deepEqual(voxels.place(256, 256, 62), [0, 0, 0]);
});

test("one block has five faces, since none is seen from below; two of one colour have five, too", () => {
  const voxels = new Voxels(BLOCK), build = () => { const mason = new Mason(); return [buildChunk(voxels, 16 * 32 + 16, mason), mason]; };
  voxels.edit({ op: "BUILD", x: 0.5, y: -0.5, z: 10, colour: 0xff0000 });
  const [faces, mason] = build();
  assert.equal(faces, 5);
  const high = mason.places.filter((_, i) => i % 3 === 2), [cell] = [voxels.cellOf({ x: 0.5, y: -0.5, z: 10 })];
  assert.equal(Math.max(...high), (62 - cell[2]) * BLOCK);
  for (let i = 0; i < mason.indices.length; i += 3) {  // every face is seen from outside
    const [a, b, c] = [0, 1, 2].map((k) => mason.places.slice(3 * mason.indices[i + k], 3 * mason.indices[i + k] + 3));
    const normal = [0, 1, 2].map((k) => (b[(k + 1) % 3] - a[(k + 1) % 3]) * (c[(k + 2) % 3] - a[(k + 2) % 3]) - (b[(k + 2) % 3] - a[(k + 2) % 3]) * (c[(k + 1) % 3] - a[(k + 1) % 3]));
    const middle = voxels.place(cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5);
    assert.ok(normal.reduce((sum, part, k) => sum + part * ((a[k] + b[k] + c[k]) / 3 - middle[k]), 0) > 0);
  }
  voxels.edit({ op: "BUILD", x: 0.5 + BLOCK, y: -0.5, z: 10, colour: 0xff0000 });
  assert.equal(build()[0], 5);
  voxels.edit({ op: "BUILD", x: 0.5 + 2 * BLOCK, y: -0.5, z: 10, colour: 0x00ff00 });
  assert.equal(build()[0], 8);
});

test("even ground of a chunk is one face", () => {
  const voxels = Voxels.read(mapFile(() => 40), BLOCK);
  assert.equal(buildChunk(voxels, 5 * 32 + 5, new Mason()), 1);
});

test("an edit makes its chunk stale, and at an edge the neighbour, too", () => {
  const voxels = new Voxels(BLOCK), stale = (x, y) => { voxels.edit({ op: "BUILD", x, y, z: 5 }); return [...voxels.takeStale()].sort((a, b) => a - b); };
  assert.deepEqual(stale(8.5 * BLOCK, -8.5 * BLOCK), [16 * 32 + 16]);
  assert.deepEqual(stale(0.5 * BLOCK, -8.5 * BLOCK), [16 * 32 + 15, 16 * 32 + 16]);
  assert.deepEqual(stale(1e9, 0), []);
});

test("digging leaves air, except in the lowest ground; a line is built from end to end", () => {
  const room = new Room(), at = (x, y, z) => ({ x: (x - 255.5) * BLOCK, y: (255.5 - y) * BLOCK, z: (61.5 - z) * BLOCK });
  room.hear({ world: { kind: "VOXELS", voxels: Buffer.from(mapFile(() => 40)).toString("base64"), block: BLOCK } }, 0);
  room.hear({ world_edit: { edit: { op: "DIG", ...at(9, 9, 40) } } }, 0);
  assert.equal(room.voxels.top(9, 9), 41);
  room.hear({ world_edit: { edit: { op: "BLAST", ...at(9, 9, 62) } } }, 0);
  assert.ok(room.voxels.cell(9, 9, 63) && room.voxels.cell(9, 9, 62) && !room.voxels.cell(10, 10, 61));
  const [from, to] = [at(20, 20, 30), at(24, 22, 30)];
  room.hear({ world_edit: { edit: { op: "LINE", ...from, x2: to.x, y2: to.y, z2: to.z, colour: 0xffffff } } }, 0);
  assert.ok(room.voxels.cell(20, 20, 30) && room.voxels.cell(24, 22, 30) && room.voxels.cell(22, 21, 30));
});

test("an edit turns a tile into a wall", () => {
  const room = new Room();
  room.hear({ world: { kind: "TILES", columns: 2, rows: 2, west: -50, east: 50, south: -50, north: 50, tiles: Buffer.from([3, 3, 3, 3]).toString("base64") } }, 0);
  room.hear({ world_edit: { edit: { x: 25, y: 25 } } }, 0);
  assert.deepEqual([...room.world.grid], [3, 0, 3, 3]);
  room.hear({ world_edit: { edit: { x: 9999, y: 25 } } }, 0);
});

/** The part of three.js that Scenery needs. Each mesh has `faces`: how many triangles it has. */
function threeWithoutBrowser() {
  class Group { children = new Set(); add(one) { this.children.add(one); } remove(one) { this.children.delete(one); } }
  class BufferGeometry { setAttribute() {} setIndex({ array }) { this.faces = array.length / 3; } dispose() {} }
  return { Group, BufferGeometry, BufferAttribute: class { constructor(array) { this.array = array; } }, MeshBasicMaterial: class {},
    Mesh: class { constructor(geometry) { this.geometry = geometry; } } };
}

/** A world of tiles, each of which is a wall where `isWall(i)`. */
const tileWorld = (side, isWall) => ({ kind: "TILES", columns: side, rows: side, grid: Uint8Array.from({ length: side * side }, (_, i) => (isWall(i) ? 0 : 3)), west: -50, east: 50, south: -50, north: 50 });
const facesOf = ({ group }) => [...group.children].reduce((sum, { geometry }) => sum + geometry.faces, 0);

test("tiles that need too many boxes are a plain floor", () => {
  const plain = facesOf(new Scenery(threeWithoutBrowser(), tileWorld(4, () => false)));
  const chequered = tileWorld(400, (i) => (i + Math.floor(i / 400)) % 2 === 0);
  assert.equal(facesOf(new Scenery(threeWithoutBrowser(), chequered)), plain);
  assert.equal(facesOf(new Scenery(threeWithoutBrowser(), tileWorld(4, (i) => i === 5))), plain + 10);
});

test("tiles that change are built again at most every 2 s", () => {
  const world = tileWorld(4, () => false), scenery = new Scenery(threeWithoutBrowser(), world, 7), plain = facesOf(scenery);
  const shown = (edits, now) => (scenery.keepUp(edits, now), (facesOf(scenery) - plain) / 10);
  world.grid[0] = 0;
  assert.deepEqual([shown(7, 100), shown(8, 200)], [0, 1]);
  world.grid[10] = 0;
  assert.deepEqual([shown(9, 300), shown(9, 2100), shown(9, 2200), shown(9, 2300)], [1, 1, 2, 2]);
});

test("behind a unit, the camera turns with it and keeps out of solids; inside, it is where the unit is", () => {
  const eyes = new Eyes(), unit = { id: 1, kind: "TANK", radius: 4.3 }, pose = { x: 10, y: 20, z: 0, yaw: 0, pitch: 0 };
  eyes.follow(unit, pose, 2, 0.016);
  assert.ok(eyes.x < -5 && Math.abs(eyes.y - 20) < 1e-9 && eyes.z > 5 && eyes.yaw === 0);
  const away = 10 - eyes.x;
  for (let i = 0; i < 200; ++i) eyes.follow(unit, { ...pose, yaw: Math.PI / 2 }, 2, 0.05);
  assert.ok(eyes.y < 10 && Math.abs(eyes.yaw - Math.PI / 2) < 0.01);
  eyes.follow({ ...unit, id: 2 }, pose, 2, 0.016, (x) => x < 0);
  assert.ok(10 - eyes.x < away && eyes.x >= 0);
  eyes.look("FIRST");
  eyes.follow(unit, pose, 2, 0.016);
  assert.deepEqual([eyes.x, eyes.y], [10, 20]);
});

test("the score board: spectators last; Ace of Spades by teams and kills; others by wins minus losses", () => {
  const one = (id, team, wins, losses, role = "PLAY") => ({ id, team, wins, losses, role });
  const players = [one(1, "RED", 5, 5), one(2, "BLUE", 1, 0), one(3, "RED", 9, 0, "WATCH"), one(4, "BLUE", 3, 9), one(5, "RED", 0, 0)];
  const order = (game) => ranked(game, players).map(({ id }) => id);
  assert.deepEqual(order("bzflag"), [2, 1, 5, 4, 3]);
  assert.deepEqual(order("aos"), [1, 5, 4, 2, 3]);
});

test("deaths in words", () => {
  assert.equal(deathIn({ killer: "anna", victim: "bob" }), "anna destroyed bob");
  assert.equal(deathIn({ killer: "anna", victim: "bob", why: "BY_TOUCH", body: "CELL" }), "anna ate bob");
  assert.equal(deathIn({ killer: "anna", victim: "bob", body: "MAN" }), "anna killed bob");
  assert.equal(deathIn({ victim: "bob", why: "BY_WATER" }), "bob drowned");
  assert.equal(deathIn({ killer: "bob", victim: "bob" }), "bob was destroyed");
  assert.equal(deathIn({ killer: "a", victim: "b", why: "constructor" }), "a destroyed b");
});

test("a gun with three slots loads each by itself", () => {
  assert.deepEqual(loaded([0, 1000], 3, 2, 1500), [0.75, 0.25, 1]);
  assert.deepEqual(loaded([0, 1000], 3, 2, 5000), [1, 1, 1]);
  assert.deepEqual(loaded([1000], 1, 2, 2000), [0.5]);
});

test("in the 3D view, keys turn a tank and drive it, S in the opposite direction; while the camera is free, the tank stands", () => {
  const canvas = Object.assign(new EventTarget(), { focus() {}, setPointerCapture() {} }), room = new Room(), said = [];
  for (const fact of [{ you: { player: 1 } }, { player: { id: 1 } }, { unit: { id: 7, owner: 1, alive: true, pose: { yaw: 1 } } }, { owns: { player: 1, units: [7], active: 7 } }]) room.hear(fact, 0);
  const view = { canvas, deep: true, free: false, ahead: 1, placeAt: () => ({ x: 0, y: 0, z: 0 }) }, hands = new Hands({ view, room, say: (kind, word) => said.push([kind, word]) });
  const key = (name, code) => canvas.dispatchEvent(Object.assign(new Event(name), { code }));
  const last = () => said[said.length - 1][1];
  key("keydown", "KeyW");
  assert.deepEqual(last(), { bits: 1, yaw: 1 });
  key("keydown", "KeyD");
  assert.ok(last().bits === 1 && last().yaw < 1);
  key("keyup", "KeyW");
  assert.ok(last().bits === 0 && last().yaw < 1);
  key("keyup", "KeyD");
  key("keydown", "KeyS");
  assert.deepEqual(last(), { bits: 1, yaw: 1 + Math.PI });
  key("keyup", "KeyS");
  view.free = true;
  const before = said.length;
  key("keydown", "KeyW");
  assert.ok(said.slice(before).every(([, word]) => word.bits === 0));
  hands.lean([0, 1]);
  hands.tick(1e6);
  assert.ok(said.slice(before).every(([, word]) => word.bits === 0));
});

test("a stick that is released, or cancelled by the browser, stops the tank", () => {
  const canvas = Object.assign(new EventTarget(), { focus() {}, setPointerCapture() {} }), said = [];
  const hands = new Hands({ view: { canvas, placeAt: () => ({ x: 0, y: 0 }) }, room: new Room(), say: (kind, word) => said.push([kind, word]) });
  hands.lean([0.9, 0.1]);
  assert.equal(said.at(-1)[1].bits, 1);
  hands.lean([0, 0]);
  assert.equal(said.at(-1)[1].bits, 0);
  hands.lean([0, 1]);
  canvas.dispatchEvent(new Event("blur"));
  assert.equal(said.at(-1)[1].bits, 0);
  canvas.dispatchEvent(Object.assign(new Event("pointerdown"), { button: 0, buttons: 1, pointerId: 1, offsetX: 5, offsetY: 5 }));
  hands.tick(1e6);
  canvas.dispatchEvent(new Event("pointercancel"));
  const before = said.length;
  hands.tick(2e6);
  assert.deepEqual(said.slice(before), []);
  assert.equal(said.at(-1)[1].bits, 0);
});
