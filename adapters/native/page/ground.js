// What does not move: the bounds, tiles, voxels, solids, teleporters and bases of a World, drawn in metres.
// Law: a pattern of tiles or voxels is made once for each world; an invalid map is not drawn.
import { teamColour } from "./colours.js";

const FLOOR = "#2a3138", GRID = "#363f48", EDGE = "#8fa0b0", SOLID = "#5b6773", PASSABLE = "#424c56", GATE = "#ffe066";
const GRID_STEP = 50;          // metres
const MOST_COLUMNS = 4096;
const VOXEL_SIDE = 512, VOXEL_HEIGHT = 64;
const SHOTS_PASS = 1, UNITS_PASS = 2;

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

export class Ground {
  #world = null;
  #pattern = null;  // a canvas with one pixel per column

  /** Draws with `pen`, in metres, y northwards. `pixel`: size of a screen pixel in metres. */
  paint(pen, world, pixel) {
    if (world !== this.#world) this.#learn(world);
    if (!world) return;
    const { west = 0, east = 0, south = 0, north = 0 } = world;
    pen.fillStyle = FLOOR;
    pen.fillRect(west, south, east - west, north - south);
    if (this.#pattern) paintPattern(pen, this.#pattern, world);
    else paintGrid(pen, world, pixel);
    for (const base of world.bases ?? []) paintSolid(pen, base.solid ?? {}, { fill: `${teamColour(base.team)}66`, edge: teamColour(base.team) }, pixel);
    for (const solid of (!this.#pattern && world.solids) || []) paintSolid(pen, solid, { fill: solid.units_pass ? PASSABLE : SOLID, edge: EDGE }, pixel);
    for (const gate of world.teleporters ?? []) paintSolid(pen, gate.frame ?? {}, { fill: GATE, edge: GATE }, pixel);
    pen.strokeStyle = EDGE;
    pen.lineWidth = 2 * pixel;
    pen.strokeRect(west, south, east - west, north - south);
  }

  #learn(world) {
    this.#world = world;
    this.#pattern = world?.kind === "TILES" ? tilePattern(world) : world?.kind === "VOXELS" ? voxelPattern(world) : null;
  }
}

function paintGrid(pen, { west, east, south, north }, pixel) {
  pen.strokeStyle = GRID;
  pen.lineWidth = pixel;
  pen.beginPath();
  for (let x = Math.ceil(west / GRID_STEP) * GRID_STEP; x <= east; x += GRID_STEP) pen.moveTo(x, south), pen.lineTo(x, north);
  for (let y = Math.ceil(south / GRID_STEP) * GRID_STEP; y <= north; y += GRID_STEP) pen.moveTo(west, y), pen.lineTo(east, y);
  pen.stroke();
}

function paintSolid(pen, { x = 0, y = 0, yaw = 0, half_x: halfX = 0, half_y: halfY = 0, shape }, { fill, edge }, pixel) {
  pen.save();
  pen.translate(x, y);
  pen.rotate(yaw);
  pen.fillStyle = fill;
  pen.strokeStyle = edge;
  pen.lineWidth = pixel;
  pen.beginPath();
  pen.rect(-halfX, -halfY, 2 * halfX, 2 * halfY);
  pen.fill();
  if (shape === "PYRAMID") {
    pen.moveTo(-halfX, -halfY), pen.lineTo(halfX, halfY);
    pen.moveTo(-halfX, halfY), pen.lineTo(halfX, -halfY);
  }
  pen.stroke();
  pen.restore();
}

/** Its first row is the northernmost. */
function paintPattern(pen, pattern, { west, east, south, north }) {
  pen.save();
  pen.translate(west, north);
  pen.scale((east - west) / pattern.width, (south - north) / pattern.height);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(pattern, 0, 0);
  pen.restore();
}

function patternOf(width, height, colourAt) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d"), image = pen.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) image.data.set([...colourAt(i), 255], 4 * i);
  pen.putImageData(image, 0, 0);
  return canvas;
}

function tilePattern({ columns = 0, rows = 0, tiles = "" }) {
  const kinds = bytesOf(tiles);
  if (!columns || columns > MOST_COLUMNS || rows > MOST_COLUMNS || kinds.length !== columns * rows) return null;
  return patternOf(columns, rows, (i) => {
    if (kinds[i] & UNITS_PASS) return kinds[i] & SHOTS_PASS ? [42, 49, 56] : [66, 76, 58];
    return kinds[i] & SHOTS_PASS ? [44, 66, 92] : [91, 103, 115];
  });
}

/** Each column's highest voxel; lower ones are darker. The file has spans of (words, first, last, air) and colours. */
function voxelPattern({ voxels = "" }) {
  const file = bytesOf(voxels), tops = [];
  for (let at = 0; tops.length < VOXEL_SIDE * VOXEL_SIDE;) {
    if (at + 4 > file.length) return null;
    const light = 1 - 0.6 * file[at + 1] / VOXEL_HEIGHT, colour = at + 8 <= file.length ? at + 4 : at;
    tops.push([file[colour + 2] * light, file[colour + 1] * light, file[colour] * light]);
    for (; file[at] !== 0; at += 4 * file[at]) if (at + 4 > file.length) return null;
    at += 4 * Math.max(1, file[at + 2] - file[at + 1] + 2);
  }
  return patternOf(VOXEL_SIDE, VOXEL_SIDE, (i) => tops[i]);
}
