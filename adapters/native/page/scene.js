// The field in three dimensions, drawn with three.js on a canvas of its own.
// Invariant: it draws the room at one moment, and does not change the room. Its methods are those of View.
import * as THREE from "./three.module.js";
import { colourOf, teamColour } from "./colours.js";
import { Chunks } from "./chunks.js";
import { Eyes } from "./eyes.js";
import { Figures } from "./figures.js";
import { flagText } from "./flags.js";
import { Scenery } from "./scenery.js";
import { Sparks } from "./sparks.js";
import { Tags } from "./tags.js";

const SKY = "#8fb3cf";
const FIELD_OF_VIEW = 60, NEAR = 0.5, FAR = 4000;
const CELLS = new Set(["CELL", "VIRUS", "MOTHER", "EJECTED"]);
const ON_FIELD = new Set(["GROUND", "FLYING", "COMING"]);
const SLOW = 32, FAST = 20;              // ms per frame: above SLOW, fewer pixels are drawn; below FAST, more
const LEAST_SHARP = 0.5, JUDGE_EVERY = 1500;  // ms

export class Scene {
  eyes = new Eyes();
  #renderer;
  #camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, NEAR, FAR);
  #scene = new THREE.Scene();
  #figures = new Figures(THREE);
  #sparks = new Sparks(THREE);
  #tags = new Tags(THREE, this.#scene);
  #scenery = null;
  #units = new Map();   // id: { figure, look }
  #flags = new Map();   // id: { figure, look }
  #before = 0;
  #pictures = 0;
  #judged = 0;
  #sharp = 1;

  /** `space`: the canvas for WebGL; `canvas`: the one above it, which has the keys and the mouse. `smooth`: edges are smoothed, which is slow in software. Throws if there is no WebGL. */
  constructor(space, canvas, smooth) {
    Object.assign(this, { space, canvas });
    this.#renderer = new THREE.WebGLRenderer({ canvas: space, antialias: smooth && devicePixelRatio < 2, powerPreference: "high-performance" });
    this.#scene.background = new THREE.Color(SKY);
    this.#scene.add(this.#sparks.group);
    this.#camera.up.set(0, 0, 1);
    new ResizeObserver(() => this.#fit()).observe(space);
    this.#fit();
  }

  zoom(factor) { this.eyes.zoom(factor); }
  showAll() { this.eyes.overlook(this.#world ?? undefined); }
  showClose() { if (this.eyes.way === "FREE") this.eyes.look("CHASE"); }
  pan(left, up) { this.eyes.move(up > 0 ? 1 : up < 0 ? -1 : 0, left > 0 ? -1 : left < 0 ? 1 : 0, 0, 1 / 60); }

  /** The yaw that is up on the screen. */
  get ahead() { return this.eyes.yaw; }

  /** The place under a point of the canvas: on the ground, or far away. */
  placeAt(left, top) {
    const point = new THREE.Vector3(2 * left / this.canvas.clientWidth - 1, 1 - 2 * top / this.canvas.clientHeight, 0.5).unproject(this.#camera);
    const from = this.#camera.position, way = point.sub(from).normalize();
    const far = way.z < -0.01 ? Math.min(1500, from.z / -way.z) : 1500;
    return { x: from.x + way.x * far, y: from.y + way.y * far, z: from.z + way.z * far };
  }

  paint(room, now, followed) {
    const seconds = Math.min(0.25, Math.max(0, now - this.#before) / 1000);
    this.#judge(now);
    this.#before = now;
    this.#build(room, now);
    this.#aim(room, now, followed, seconds);
    this.#chunks?.paint(this.eyes.x, this.eyes.y);
    this.#paintUnits(room, now, followed);
    this.#paintFlags(room, now);
    this.#sparks.paint(room, now);
    this.#name(room, now, followed);
    this.#renderer.render(this.#scene, this.#camera);
    ++this.#pictures;
  }

  /** For tests and measurements. */
  get told() { const { calls, triangles } = this.#renderer.info.render;
    return { calls, triangles, lines: this.#sparks.lines.geometry.drawRange.count / 2, chunks: this.#chunks?.built ?? 0, names: this.#tags.size, sharp: this.#sharp, revision: THREE.REVISION };
  }

  /** Whether a unit has a figure that is shown. */
  isDrawn(unit) { return this.#units.get(unit)?.figure?.visible ?? false; }

  #world = null;

  #chunks = null;

  /** Builds what changed since the last frame. */
  #build(room, now) {
    if (room.world !== this.#world || !this.#scenery) this.#learn(room), this.#chunks = null;
    if (room.voxels && room.voxels !== this.#chunks?.voxels) {
      this.#chunks = new Chunks(THREE, room.voxels, this.#scenery.plain, this.#scenery.group, room.world.kind === "VOXELS");
    }
    this.#scenery.keepUp(room.edits, now);
  }

  #learn({ world, edits }) {
    if (this.#scenery) this.#scene.remove(this.#scenery.group), this.#scenery.end();
    const first = !this.#world;
    this.#world = world;
    this.#scenery = new Scenery(THREE, world, edits);
    this.#scene.add(this.#scenery.group);
    if (first && this.eyes.way === "FREE") this.showAll();
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.space;
    if (!width || !height) return;
    this.#renderer.setPixelRatio(devicePixelRatio * this.#sharp);
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
  }

  /** Draws fewer pixels if frames take long. */
  #judge(now) {
    if (now - this.#judged < JUDGE_EVERY) return;
    const each = (now - this.#judged) / Math.max(1, this.#pictures), before = this.#sharp;
    if (this.#judged && this.#pictures > 3 && each > SLOW) this.#sharp = Math.max(LEAST_SHARP, this.#sharp * 0.8);
    else if (this.#judged && each < FAST) this.#sharp = Math.min(1, this.#sharp * 1.1);
    this.#judged = now;
    this.#pictures = 0;
    if (this.#sharp !== before) this.#fit();
  }

  #aim(room, now, followed, seconds) {
    const { eyes } = this;
    if (followed) eyes.follow(followed, followed.track.at(now), Figures.height(followed), seconds,
      (x, y, z) => this.#scenery.covers(x, y, z) || (room.voxels?.covers(x, y, z) ?? false));
    this.#camera.position.set(eyes.x, eyes.y, eyes.z);
    const level = Math.cos(eyes.pitch);
    this.#camera.lookAt(eyes.x + Math.cos(eyes.yaw) * level, eyes.y + Math.sin(eyes.yaw) * level, eyes.z + Math.sin(eyes.pitch));
    this.#camera.updateMatrixWorld();
  }

  #paintUnits(room, now, followed) {
    for (const [id, { figure }] of this.#units) if (!room.units.has(id)) this.#drop(this.#units, id, figure);
    for (const unit of room.units.values()) {
      const owner = room.players.get(unit.owner), seen = isSeen(unit) && !(unit === followed && this.eyes.within(unit));
      const colour = colourOf(unit.colour || owner?.colour, unit.team === "TEAM_ANY" ? owner?.team : unit.team);
      const figure = this.#take(this.#units, unit.id, unit.kind + colour, () => this.#figures.of(unit.kind, colour));
      if (!figure) continue;
      figure.visible = seen;
      if (seen) Figures.pose(figure, unit, unit.track.at(now));
    }
  }

  #paintFlags(room, now) {
    for (const [id, { figure }] of this.#flags) if (!room.tokens.has(id)) this.#drop(this.#flags, id, figure);
    for (const token of room.tokens.values()) {
      const figure = this.#take(this.#flags, token.id, token.team ?? "", () => this.#figures.flag(teamColour(token.team)));
      const carrier = token.state === "CARRIED" ? room.unitOf(token.carrier) : null;
      figure.visible = ON_FIELD.has(token.state) || Boolean(carrier);
      const { x = 0, y = 0, z = 0 } = carrier?.track.at(now) ?? token;
      figure.position.set(x, y, z);
      figure.rotation.z = this.eyes.yaw - 1.2;
    }
  }

  /** The figure of an id; rebuilt if its look has changed. */
  #take(kept, id, look, make) {
    const known = kept.get(id);
    if (known?.look === look) return known.figure;
    if (known) this.#drop(kept, id, known.figure);
    const figure = make();
    if (figure) this.#scene.add(figure);
    kept.set(id, { figure, look });
    return figure;
  }

  #drop(kept, id, figure) {
    if (figure) this.#scene.remove(figure);
    kept.delete(id);
  }

  /** Draws names; a player sees only the names of visible units. */
  #name(room, now, followed) {
    const tags = [], plays = room.unitsOf(room.me).length > 0;
    for (const unit of room.units.values()) {
      if (!isSeen(unit) || unit.kind === "PELLET" || (unit === followed && this.eyes.within(unit))) continue;
      const text = unit.name || room.players.get(unit.owner)?.name;
      if (!text) continue;
      const { x, y, z } = unit.track.at(now), mine = unit.owner === room.me && room.me !== 0;
      const hurt = unit.max_health > 0 && unit.health >= 0 && unit.health < unit.max_health;
      tags.push({ id: unit.id, text, x, y, z: z + Figures.height(unit) + 0.5, mine, health: hurt ? unit.health / unit.max_health : undefined });
    }
    for (const token of room.tokens.values()) {
      const { id, state, x = 0, y = 0, z = 0 } = token, text = flagText(token);
      if (text && ON_FIELD.has(state)) tags.push({ id: `token ${id}`, text, x, y, z: z + 7.2 });
    }
    this.#tags.paint(tags, 2 * Math.tan(FIELD_OF_VIEW * Math.PI / 360) / (this.space.clientHeight || 1), !plays);
  }
}

const isSeen = (unit) => !unit.hidden && (unit.alive || CELLS.has(unit.kind));
