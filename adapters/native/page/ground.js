// What does not move: the bounds, tiles, voxels, solids, teleporters and bases of a World, drawn in metres.
// Invariant: a pattern of tiles or voxels is made once for each world, and again after changes; an invalid map is not drawn.
import { teamColour } from "./colours.js";
import { penOf } from "./graphics.js";
import { HEIGHT, SIDE, unpack } from "../clients/js/voxels.js";

const FLOOR = "#2a3138", GRID = "#363f48", EDGE = "#8fa0b0", ROUGH_EDGE = "#6f7a85", SOLID = "#5b6773", PASSABLE = "#424c56", GATE = "#ffe066";
const GRID_STEP = 50;          // metres, at least
const MOST_LINES = 400;        // of the grid, each way
const AGAIN = 2000;            // ms between two patterns of a world that changes
const SHOTS_PASS = 1, UNITS_PASS = 2;

export class Ground {
  #world = null;
  #pattern = null;  // a canvas with one pixel per column

  /** Draws with `pen`, in metres, y northwards. `pixel`: size of a screen pixel in metres. */
  paint(pen, room, pixel) {
    const { world } = room, now = performance.now();
    if (world !== this.#world || (room.edits !== this.#edits && now > this.#again)) this.#learn(room, now);
    if (!world) return;
    const { west = 0, east = 0, south = 0, north = 0 } = world;
    pen.fillStyle = FLOOR;
    pen.fillRect(west, south, east - west, north - south);
    if (this.#pattern) paintPattern(pen, this.#pattern, world);
    else paintGrid(pen, world, pixel);
    for (const base of world.bases ?? []) paintSolid(pen, base.solid ?? {}, { fill: `${teamColour(base.team)}66`, edge: teamColour(base.team) }, pixel);
    for (const solid of (!this.#pattern && world.solids) || []) {
      const edge = solid.approximate ? ROUGH_EDGE : EDGE;  // fainter: the box is only about where the shape is
      paintSolid(pen, solid, { fill: solid.units_pass ? PASSABLE : SOLID, edge }, pixel);
    }
    for (const gate of world.teleporters ?? []) paintSolid(pen, gate.frame ?? {}, { fill: GATE, edge: GATE }, pixel);
    pen.strokeStyle = EDGE;
    pen.lineWidth = 2 * pixel;
    pen.strokeRect(west, south, east - west, north - south);
  }

  #edits = 0;
  #again = 0;

  #learn({ world, voxels, edits }, now) {
    this.#world = world;
    this.#edits = edits;
    this.#again = now + AGAIN;
    this.#pattern = world?.grid ? tilePattern(world) : world?.kind === "VOXELS" && voxels ? voxelPattern(voxels) : null;
  }
}

function paintGrid(pen, { west, east, south, north }, pixel) {
  pen.strokeStyle = GRID;
  pen.lineWidth = pixel;
  pen.beginPath();
  const step = Math.max(GRID_STEP, (east - west) / MOST_LINES, (north - south) / MOST_LINES);
  for (let x = Math.ceil(west / step) * step; x <= east; x += step) pen.moveTo(x, south), pen.lineTo(x, north);
  for (let y = Math.ceil(south / step) * step; y <= north; y += step) pen.moveTo(west, y), pen.lineTo(east, y);
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
  const pen = penOf(canvas), image = pen.createImageData(width, height), { data } = image;
  for (let i = 0, at = 0; i < width * height; ++i) {
    const [red, green, blue] = colourAt(i);
    data[at++] = red, data[at++] = green, data[at++] = blue, data[at++] = 255;
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

const TILES = [[91, 103, 115], [44, 66, 92], [66, 76, 58], [42, 49, 56]];  // by what passes

function tilePattern({ columns, rows, grid }) {
  return patternOf(columns, rows, (i) => TILES[grid[i] & (SHOTS_PASS | UNITS_PASS)]);
}

/** Each column's highest block; lower ones are darker. */
function voxelPattern(voxels) {
  return patternOf(SIDE, SIDE, (i) => {
    const top = voxels.top(i % SIDE, Math.floor(i / SIDE)), light = 1 - 0.6 * top / HEIGHT;
    return unpack(voxels.cell(i % SIDE, Math.floor(i / SIDE), top)).map((part) => part * light);
  });
}
