// Shots, pellets and bursts: many small things in few meshes. Invariant: each mesh has a fixed number of places; the rest is not drawn.
import { teamColour } from "./colours.js";
import { penOf } from "./graphics.js";
import { rgb } from "./mason.js";
import { placeOf, radiusOf } from "../clients/js/room.js";

const MOST_LINES = 1024, MOST_DOTS = 8192, MOST_BURSTS = 24;
const TAIL = 6;  // metres
const SIDES = 24;  // of the circles that show a wave
const WHITE = [255, 255, 255];

const hex = (text) => rgb(Number.parseInt(text.slice(1), 16));
const light = (colour) => colour.map((part) => 128 + part / 2);

/** Places and colours that change in every frame. */
class Swarm {
  used = 0;

  constructor(THREE, most) {
    this.places = new Float32Array(3 * most);
    this.colours = new Uint8Array(3 * most);
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.places, 3).setUsage(THREE.DynamicDrawUsage));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colours, 3, true).setUsage(THREE.DynamicDrawUsage));
    this.most = most;
  }

  add({ x, y, z }, colour) {
    if (this.used >= this.most) return;
    this.places.set([x, y, z], 3 * this.used);
    this.colours.set(colour, 3 * this.used++);
  }

  done() {
    const { position, color } = this.geometry.attributes;
    position.updateRange.count = color.updateRange.count = 3 * this.used;
    position.needsUpdate = color.needsUpdate = true;
    this.geometry.setDrawRange(0, this.used);
    this.used = 0;
  }
}

export class Sparks {
  #bursts = [];

  constructor(THREE) {
    this.group = new THREE.Group();
    this.lines = new Swarm(THREE, 2 * MOST_LINES);
    this.balls = new Swarm(THREE, MOST_LINES);
    this.dots = new Swarm(THREE, MOST_DOTS);
    const round = disc(THREE), dots = (size) => new THREE.PointsMaterial({ size, map: round, alphaTest: 0.5, vertexColors: THREE.VertexColors });
    const drawn = [new THREE.LineSegments(this.lines.geometry, new THREE.LineBasicMaterial({ vertexColors: THREE.VertexColors })),
      new THREE.Points(this.balls.geometry, dots(1.6)), new THREE.Points(this.dots.geometry, dots(1.4))];
    const ball = new THREE.SphereBufferGeometry(1, 12, 8);
    for (let i = 0; i < MOST_BURSTS; ++i) {
      this.#bursts.push(new THREE.Mesh(ball, new THREE.MeshBasicMaterial({ color: "#ffb040", transparent: true, depthWrite: false })));
    }
    this.group.add(...drawn, ...this.#bursts);
    for (const one of drawn) one.frustumCulled = false;
  }

  paint(room, now) {
    for (const shot of room.shots.values()) this.#shot(room, shot, (now - shot.fired) / 1000);
    for (const unit of room.units.values()) {
      if (unit.kind === "PELLET" && !unit.hidden) this.dots.add({ ...unit.track.pose, z: unit.radius || 0.5 }, unit.colour ? rgb(unit.colour) : WHITE);
    }
    for (const swarm of [this.lines, this.balls, this.dots]) swarm.done();
    this.#bursts.forEach((mesh, i) => this.#burst(mesh, room.bursts[room.bursts.length - 1 - i], now));
  }

  #shot(room, shot, gone) {
    const colour = light(hex(teamColour(shot.team ?? room.players.get(shot.shooter)?.team)));
    if (shot.kind === "WAVE") return this.#wave(shot, radiusOf(shot, gone), colour);
    const speed = Math.hypot(shot.vx, shot.vy, shot.vz) || 1;
    const head = shot.flash ? shot.range / speed : Math.max(0, gone), tail = shot.flash ? 0 : Math.max(0, gone - TAIL / speed);
    const at = placeOf(shot, head);
    this.lines.add(placeOf(shot, tail), colour);
    this.lines.add(at, colour);
    if (!shot.flash) this.balls.add(at, colour);
  }

  /** A sphere as three circles. */
  #wave({ x, y, z }, radius, colour) {
    const circles = [(a, b) => ({ x: x + a, y: y + b, z: z + 1 }), (a, b) => ({ x: x + a, y, z: z + b }), (a, b) => ({ x, y: y + a, z: z + b })];
    for (const circle of circles) {
      for (let side = 0; side < SIDES; ++side) {
        for (const end of [side, side + 1]) {
          const way = 2 * Math.PI * end / SIDES;
          this.lines.add(circle(radius * Math.cos(way), radius * Math.sin(way)), colour);
        }
      }
    }
  }

  #burst(mesh, burst, now) {
    mesh.visible = Boolean(burst);
    if (!burst) return;
    const part = Math.min(1, Math.max(0, (now - burst.since) / (burst.until - burst.since)));
    mesh.position.set(burst.x, burst.y, (burst.z || 0) + 1.5);
    mesh.scale.setScalar(1 + 6 * Math.sqrt(part));
    mesh.material.opacity = 0.85 * (1 - part);
  }
}

function disc(THREE) {
  const canvas = document.createElement("canvas"), pen = penOf(canvas);
  canvas.width = canvas.height = 32;
  pen.fillStyle = "#ffffff";
  pen.beginPath();
  pen.arc(16, 16, 15, 0, 2 * Math.PI);
  pen.fill();
  return new THREE.CanvasTexture(canvas);
}
