// The blocks of a world: a map file of Ace of Spades, and the later edits. Invariant: pure; a change marks the chunks that look
// different. Places are in metres, cells count from the north-west upper corner: x east, y south, z down.

export const SIDE = 512, HEIGHT = 64, CHUNK = 16;
const GROUND = 62;        // the upper face of this cell is z = 0
const EARTH = [103, 64, 40], HIDDEN = 1;  // of cells that the file gives no colour
const CHUNKS = SIDE / CHUNK;

/** 16 bits a cell: 5 of red, 6 of green, 5 of blue. 0 is air. */
const pack = (red, green, blue) => ((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3) || HIDDEN;
export const unpack = (cell) => (cell === HIDDEN ? EARTH : [(cell >> 11) * 255 / 31, ((cell >> 5) & 63) * 255 / 63, (cell & 31) * 255 / 31]);

const at = (x, y, z) => (y * SIDE + x) * HEIGHT + z;
const inside = (x, y, z) => x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < HEIGHT;

export class Voxels {
  cells = new Uint16Array(SIDE * SIDE * HEIGHT);
  changes = 0;                                    // counts edits
  #stale = new Set();

  /** `block`: a cell's side in metres. */
  constructor(block = 800 / SIDE) {
    this.block = block > 0 ? block : 800 / SIDE;
  }

  /** From a map file; null if it is not one. */
  static read(file, block) {
    const made = new Voxels(block);
    return made.#read(file) ? made : null;
  }

  cell(x, y, z) { return inside(x, y, z) ? this.cells[at(x, y, z)] : 0; }

  /** The highest solid cell of a column; HEIGHT if there is none. */
  top(x, y) {
    const first = at(x, y, 0);
    for (let z = 0; z < HEIGHT; ++z) if (this.cells[first + z]) return z;
    return HEIGHT;
  }

  /** The cell of a place in metres. */
  cellOf({ x = 0, y = 0, z = 0 }) {
    return [Math.floor(SIDE / 2 + x / this.block), Math.floor(SIDE / 2 - y / this.block), Math.floor(GROUND - z / this.block)];
  }

  /** The north-west upper corner of a cell, in metres. */
  place(x, y, z) { return [(x - SIDE / 2) * this.block, (SIDE / 2 - y) * this.block, (GROUND - z) * this.block]; }

  covers(x, y, z) { return this.cell(...this.cellOf({ x, y, z })) !== 0; }

  /** Applies an Edit of the words. */
  edit({ op = "BUILD", x = 0, y = 0, z = 0, x2 = 0, y2 = 0, z2 = 0, colour = 0 }) {
    const [i, j, k] = this.cellOf({ x, y, z }), paint = pack((colour >> 16) & 255, (colour >> 8) & 255, colour & 255);
    ++this.changes;
    if (op === "BUILD") this.#set(i, j, k, paint);
    else if (op === "LINE") for (const cell of line([i, j, k], this.cellOf({ x: x2, y: y2, z: z2 }))) this.#set(...cell, paint);
    else if (op === "COLUMN") for (let dz = -1; dz <= 1; ++dz) this.#dig(i, j, k + dz);
    else if (op === "BLAST") for (let n = 0; n < 27; ++n) this.#dig(i + n % 3 - 1, j + Math.floor(n / 3) % 3 - 1, k + Math.floor(n / 9) - 1);
    else this.#dig(i, j, k);
  }

  /** The chunks that changed since the last call, by number. */
  takeStale() {
    const stale = this.#stale;
    this.#stale = new Set();
    return stale;
  }

  #dig(x, y, z) {
    if (z < GROUND) this.#set(x, y, z, 0);  // the lowest ground stays
  }

  #set(x, y, z, cell) {
    if (!inside(x, y, z)) return;
    this.cells[at(x, y, z)] = cell;
    for (const [i, j] of [[x, y], [x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) {  // neighbours show other faces now
      if (inside(i, j, 0)) this.#stale.add(Math.floor(j / CHUNK) * CHUNKS + Math.floor(i / CHUNK));
    }
  }

  /** The file has spans of (words, first, last, air) and colours; what is between them is solid. */
  #read(file) {
    let from = 0;
    for (let y = 0; y < SIDE; ++y) {
      for (let x = 0; x < SIDE; ++x) {
        const column = at(x, y, 0);
        this.cells.fill(HIDDEN, column, column + HEIGHT);
        for (let air = 0; ;) {
          if (from + 4 > file.length) return false;
          const words = file[from], first = file[from + 1], last = file[from + 2], ends = words === 0;
          const above = Math.max(0, last - first + 1), below = ends ? 0 : words - 1 - above;
          if (first > HEIGHT || last >= HEIGHT || below < 0) return false;
          const next = from + 4 * (ends ? above + 1 : words);
          if (next > file.length || (!ends && next + 4 > file.length)) return false;
          this.cells.fill(0, column + air, column + Math.max(air, first));
          let colour = from + 4;
          const paint = (z) => { this.cells[column + z] = pack(file[colour + 2], file[colour + 1], file[colour]), colour += 4; };
          for (let z = first; z <= last; ++z) paint(z);
          from = next;
          if (ends) break;
          air = file[from + 3];
          if (air > HEIGHT || air < below) return false;
          for (let z = air - below; z < air; ++z) paint(z);
        }
      }
    }
    return true;
  }
}

/** The cells from one to another, step by step along the axis that is furthest behind, as the game draws lines. */
function line(from, to) {
  const far = to.map((part, i) => Math.abs(part - from[i])), steps = far[0] + far[1] + far[2], gone = [0, 0, 0], cell = [...from], cells = [[...cell]];
  if (steps > 3 * SIDE) return cells;
  for (let step = 0; step < steps; ++step) {
    let next = -1;
    for (let axis = 0; axis < 3; ++axis) {
      if (gone[axis] < far[axis] && (next < 0 || (2 * gone[axis] + 1) * far[next] < (2 * gone[next] + 1) * far[axis])) next = axis;
    }
    ++gone[next];
    cell[next] += Math.sign(to[next] - from[next]);
    cells.push([...cell]);
  }
  return cells;
}
