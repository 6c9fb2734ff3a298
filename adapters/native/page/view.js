// The field from above: a camera over the ground, and what moves on it. Invariant: it draws the room at one moment, and does not
// change the room.
import { colourOf, teamColour } from "./colours.js";
import { flagText } from "./flags.js";
import { penOf } from "./graphics.js";
import { Ground } from "./ground.js";
import { LABEL, Labels } from "./labels.js";
import { radiusOf } from "../clients/js/room.js";

const TANK = { length: 6, width: 2.8 };  // metres
const LEAST = 16;                        // pixels: smallest size of a tank
const NEAR = 24;                         // pixels: a click this near to a unit counts as on it
const CLOSE = 250;                       // width in metres, for players
const THINGS = new Set(["BRICK", "PICKUP", "DECOR"]);
const CELLS = new Set(["CELL", "PELLET", "VIRUS", "MOTHER", "EJECTED"]);

export class View {
  #ground = new Ground();
  #labels;
  #across = 0;                    // metres that the shorter side shows; 0: all
  #fitting = false;               // chosen by the size of the followed unit
  #middle = { x: 0, y: 0 };

  /** `least`: the smallest size of a tank, in pixels. */
  constructor(canvas, { names = true, least = LEAST } = {}) {
    Object.assign(this, { canvas, names, least });
    this.pen = penOf(canvas);
    this.#labels = new Labels(this.pen);
    new ResizeObserver(() => this.fit()).observe(canvas);
  }

  zoom(factor) { this.#show(Math.min(5000, Math.max(20, this.#shown * factor))); }
  showAll() { this.#show(0); }
  showClose() { this.#show(CLOSE, true); }
  /** Moves the view by fractions of its shorter side. */
  pan(x, y) {
    const step = this.#shown;
    this.#show(step);
    this.#middle = { x: this.#middle.x + x * step, y: this.#middle.y + y * step };
  }

  /** The place under a point of the canvas. */
  placeAt(left, top) {
    const pixel = 1 / this.#scale;
    return { x: this.#middle.x + (left - this.canvas.clientWidth / 2) * pixel, y: this.#middle.y - (top - this.canvas.clientHeight / 2) * pixel };
  }

  /** The unit of a player that is drawn at a point of the canvas, if any. */
  unitAt(room, left, top, now) {
    const place = this.placeAt(left, top);
    let nearest = null, least = NEAR / this.#scale;
    for (const unit of room.units.values()) {
      if (unit.hidden || !unit.owner || !(unit.alive || CELLS.has(unit.kind))) continue;
      const { x, y } = unit.track.at(now), far = Math.max(0, Math.hypot(x - place.x, y - place.y) - (CELLS.has(unit.kind) ? unit.radius : 0));
      if (far < least) nearest = unit, least = far;
    }
    return nearest;
  }

  /** `followed`: the unit in the centre, if any. */
  paint(room, now, followed) {
    this.#aim(room, now, followed);
    const { pen, canvas } = this, pixel = 1 / this.#scale, ratio = devicePixelRatio;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = "#0d1014";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(ratio / pixel, 0, 0, -ratio / pixel, canvas.width / 2, canvas.height / 2);
    pen.translate(-this.#middle.x, -this.#middle.y);
    this.#ground.paint(pen, room, pixel);
    for (const token of room.tokens.values()) this.#paintToken(token, pixel);
    this.#paintUnits(room, now, pixel);
    for (const shot of room.shots.values()) this.#paintShot(shot, now, pixel);
    for (const burst of room.bursts) this.#paintBurst(burst, now, pixel);
  }

  #scale = 1;  // pixels a metre

  /** Metres that the shorter side shows. */
  get #shown() { return this.#across || Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / this.#scale; }

  #show(across, fitting = false) {
    this.#across = across;
    this.#fitting = fitting;
  }

  /** Gives the canvas as many pixels as it has on the screen. */
  fit() {
    const { canvas } = this;
    canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
  }

  #aim(room, now, followed) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { west = -200, east = 200, south = -200, north = 200 } = room.world ?? {};
    if (this.#across === 0) {
      this.#middle = { x: (west + east) / 2, y: (south + north) / 2 };
      this.#scale = 0.95 * Math.min(width / (east - west || 1), height / (north - south || 1)) || 1;
      return;
    }
    if (this.#fitting && followed?.kind === "CELL") this.#across = 50 + 12 * followed.radius;
    if (followed) this.#middle = followed.track.at(now);
    this.#scale = Math.min(width, height) / this.#across || 1;
  }

  #paintUnits(room, now, pixel) {
    const units = [...room.units.values()].filter((unit) => !unit.hidden && (unit.alive || CELLS.has(unit.kind)));
    for (const unit of units.sort((a, b) => a.radius - b.radius)) {
      const pose = unit.track.at(now), owner = room.players.get(unit.owner), mine = unit.owner !== 0 && unit.owner === room.me;
      const colour = colourOf(unit.colour || owner?.colour, unit.team === "TEAM_ANY" ? owner?.team : unit.team);
      if (CELLS.has(unit.kind)) this.#paintCell(unit, pose, colour, pixel);
      else if (THINGS.has(unit.kind)) this.#paintThing(unit, pose, colour, pixel);
      else this.#paintBody(unit, pose, colour, mine, pixel);
      const name = unit.name || (owner?.name ?? "");
      const size = unit.radius / pixel;  // the name is inside, if there is room
      if (name && this.names) this.#write(name, pose.x, pose.y, CELLS.has(unit.kind) ? (size > 16 ? 0 : -size - 10) : -20, mine);
    }
  }

  #paintCell({ radius, kind }, { x, y }, colour, pixel) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(x, y, Math.max(radius, pixel), 0, 2 * Math.PI);
    pen.fillStyle = colour;
    pen.fill();
    pen.strokeStyle = kind === "VIRUS" ? "#5fd068" : "#0d1014";
    pen.lineWidth = (kind === "VIRUS" ? 3 : 1) * pixel;
    pen.stroke();
  }

  #paintThing({ radius, kind }, { x, y }, colour, pixel) {
    const { pen } = this, half = Math.max(radius / 2, 4 * pixel);
    pen.save();
    pen.translate(x, y);
    pen.rotate(kind === "PICKUP" ? Math.PI / 4 : 0);
    pen.fillStyle = colour;
    pen.fillRect(-half, -half, 2 * half, 2 * half);
    pen.restore();
  }

  /** A tank, or a man: longer toward the front, with a gun that shows its direction. */
  #paintBody({ kind }, { x, y, yaw }, colour, mine, pixel) {
    const { pen } = this, grow = Math.max(1, this.least * pixel / TANK.length);
    const [length, width] = kind === "MAN" ? [3, 3] : [TANK.length, TANK.width];
    pen.save();
    pen.translate(x, y);
    pen.rotate(yaw);
    pen.scale(grow, grow);
    pen.fillStyle = colour;
    pen.strokeStyle = mine ? "#ffffff" : "#0d1014";
    pen.lineWidth = (mine ? 2 : 1) * pixel / grow;
    pen.beginPath();
    kind === "MAN" ? pen.arc(0, 0, width / 2, 0, 2 * Math.PI) : pen.rect(-length / 2, -width / 2, length, width);
    pen.fill();
    pen.stroke();
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, -0.3, length * 0.75, 0.6);
    pen.restore();
  }

  #paintShot(shot, now, pixel) {
    const { x, y, vx, vy, fired, flash, range, team } = shot;
    const { pen } = this, gone = (now - fired) / 1000, speed = Math.hypot(vx, vy) || 1;
    if (shot.kind === "WAVE") return this.#paintWave(shot, radiusOf(shot, gone), pixel);
    const head = flash ? range / speed : gone, tail = flash ? 0 : Math.max(0, gone - 4 / speed);
    pen.strokeStyle = team ? teamColour(team) : "#ffffff";
    pen.lineWidth = (flash ? 1.5 : 4) * pixel;
    pen.lineCap = "round";
    pen.beginPath();
    pen.moveTo(x + vx * tail, y + vy * tail);
    pen.lineTo(x + vx * head, y + vy * head);
    pen.stroke();
  }

  #paintWave({ x, y, team }, radius, pixel) {
    const { pen } = this;
    pen.strokeStyle = team ? teamColour(team) : "#ffffff";
    pen.lineWidth = 3 * pixel;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
  }

  #paintBurst({ x, y, since, until }, now, pixel) {
    const { pen } = this, part = (now - since) / (until - since);
    pen.strokeStyle = `rgba(255, 180, 80, ${1 - part})`;
    pen.lineWidth = 3 * pixel;
    pen.beginPath();
    pen.arc(x, y, 1 + 9 * part, 0, 2 * Math.PI);
    pen.stroke();
  }

  #paintToken({ x = 0, y = 0, state, team, gives, code = "" }, pixel) {
    if (!["GROUND", "FLYING", "COMING"].includes(state)) return;
    const { pen } = this;
    pen.fillStyle = teamColour(team);
    pen.beginPath();
    pen.moveTo(x, y), pen.lineTo(x, y + 14 * pixel), pen.lineTo(x + 9 * pixel, y + 10 * pixel), pen.lineTo(x, y + 6 * pixel);
    pen.fill();
    const label = flagText({ code, team, gives });
    if (label && this.names) this.#write(label, x, y, 12, false);
  }

  /** Text is upright and has a constant size. `down`: pixels below the place. */
  #write(text, x, y, down, bold) {
    const { pen } = this, ratio = devicePixelRatio;
    const { x: left, y: top } = pen.getTransform().transformPoint(new DOMPoint(x, y));
    pen.save();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#labels.write(text, left / ratio, top / ratio + down + LABEL / 2, bold);
    pen.restore();
  }
}
