// node --test page_visit_test.mjs: the whole page, from its start to the end of a visit, on a document and a server that are only pretended.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

// -- A browser, as far as the page needs one --------------------------------------------------------------------------

/** Draws nothing: each property is a function that returns this. */
const pen = new Proxy(() => {}, { get: () => pen, set: () => true, apply: () => pen });

class Element extends EventTarget {
  children = [];
  dataset = {};
  style = { setProperty() {} };
  attributes = {};
  hidden = false;
  textContent = "";
  parent = null;

  constructor(tag) { super(), this.localName = tag; }
  getContext(kind) { return kind === "2d" ? pen : null; }
  setAttribute(name, value) { this.attributes[name] = value; }
  setPointerCapture() {}
  focus() { document.activeElement = this; }
  matches() { return false; }
  get firstElementChild() { return this.children[0]; }
  get lastElementChild() { return this.children.at(-1); }
  get childElementCount() { return this.children.length; }
  append(...more) {
    for (const one of more) if (one instanceof Element) one.remove(), one.parent = this, this.children.push(one);
  }
  prepend(...more) { this.append(...more), this.children.unshift(...this.children.splice(-more.length)); }
  replaceChildren(...more) { for (const one of [...this.children]) one.remove(); this.append(...more); }
  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((one) => one !== this);
    this.parent = null;
  }
}

const byId = new Map(), sockets = [];
let frame = null;  // what the page does in the next picture

class Socket {
  static CONNECTING = 0;
  static OPEN = 1;
  readyState = 0;
  said = [];

  constructor() { sockets.push(this); }
  send(line) { this.said.push(JSON.parse(line)); }
  close() { this.readyState = 2; }
  /** The server accepts, speaks, and closes. */
  opens() { this.readyState = 1, this.onopen(); }
  tells(...facts) { for (const fact of facts) this.onmessage({ data: JSON.stringify(fact) }); }
  ends() { this.readyState = 3, this.onclose({ code: 1000, reason: "" }); }
}

Object.assign(globalThis, {
  document: Object.assign(new EventTarget(), {
    activeElement: null,
    createElement: (tag) => new Element(tag),
    getElementById: (id) => byId.get(id) ?? byId.set(id, new Element("div")).get(id),
    querySelector: () => null,
  }),
  location: Object.assign(new URL("http://127.0.0.1:1/"), {}),
  ResizeObserver: class { observe() {} },
  WebSocket: Socket,
  devicePixelRatio: 1,
  addEventListener() {},
  requestAnimationFrame: (call) => { frame = call; },
});
const element = (id) => document.getElementById(id);

const { Panels } = await import("../../adapters/native/page/panels.js");
const { Room } = await import("../../adapters/native/clients/js/room.js");
const { Start } = await import("../../adapters/native/page/start.js");
const { TimeBar } = await import("../../adapters/native/page/timebar.js");
const main = await import("../../adapters/native/page/main.js");

beforeEach(() => sockets.splice(0));

// -- Before entering --------------------------------------------------------------------------------------------------

const ROOM = { room: { game: "arena", name: "arena" } };

test("an open start page keeps its Play button when the arena changes its owner", () => {
  let recorded = 0;
  const start = new Start(() => { ++recorded; }), [server] = sockets;
  server.opens();
  server.tells(ROOM, { clock: { us: "0", paused: true } }, { player: { id: 2, name: "bob" } }, { clock: { speed: 1 } });
  start.draw(1000);
  assert.deepEqual([element("play").hidden, start.recording, recorded], [false, false, 0]);
  assert.ok(!element("going").textContent.startsWith("A recording"));
  start.end();
});

test("the start page of a recording offers no Play", () => {
  let recorded = 0;
  const start = new Start(() => { ++recorded; }), [server] = sockets;
  server.opens();
  server.tells(ROOM, { clock: { us: "0", speed: 1, length_us: "60000000" } }, { clock: { us: "0", paused: true } }, { clock: { us: "5", speed: 1, length_us: "60000000" } });
  start.draw(1000);
  assert.deepEqual([element("play").hidden, start.recording, recorded], [true, true, 1]);
  start.end();
});

// -- A visit ----------------------------------------------------------------------------------------------------------

const enter = () => element("enter").dispatchEvent(Object.assign(new Event("submit"), { submitter: { value: "PLAY" } }));

test("who leaves and enters again at once is in, whenever the old connection ends", async () => {
  element("name").value = "anna";
  enter();
  const first = main.visit, old = first.link.socket;
  old.opens();
  old.tells({ you: { player: 1 } }, ROOM, { player: { id: 1, name: "anna" } }, { ready: {} });
  first.leave();
  assert.equal(first.over, true);
  assert.equal(element("stage").children.filter(({ id }) => id === "timebar").length, 0);
  enter();
  const again = main.visit, next = again.link.socket;
  assert.notEqual(again, first);
  next.opens();
  next.tells({ you: { player: 2 } }, ROOM, { player: { id: 2, name: "anna" } }, { ready: {} });
  const shown = element("status").textContent;
  old.ends();
  await turn();
  assert.deepEqual([element("status").textContent, element("notice").hidden, again.over], [shown, true, false]);
  next.ends();
  assert.deepEqual([again.over, element("notice").hidden, element("again").textContent], [true, false, "Join again"]);
});

const shown = () => ({ status: element("status").textContent, notice: element("notice").hidden ? "" : element("notice-text").textContent });
const spawns = ({ said }) => said.filter(({ spawn }) => spawn).length;

test("a player who finds the arena full watches, and asks to spawn no more", () => {
  enter();
  const { visit } = main, server = visit.link.socket;
  server.opens();
  server.tells({ you: { player: 6 } }, ROOM, { ready: {} });
  assert.equal(shown().status.split(" ")[0], "Playing");
  server.tells({ player: { id: 6, name: "anna", role: "WATCH" } }, { notice: { text: "the arena is full: you are watching" } });
  visit.paint(performance.now() + 60_000);
  assert.deepEqual([shown().status.split(" ")[0], visit.plays, spawns(server)], ["Watching", false, 0]);
  visit.leave();
  server.ends();
});

test("who has lost the last tank watches; once the room lets it play again, it does", () => {
  enter();
  const { visit } = main, server = visit.link.socket, self = { id: 6, name: "anna" };
  server.opens();
  server.tells({ you: { player: 6 } }, ROOM, { player: self }, { unit: { id: 7, owner: 6, alive: true, radius: 3 } }, { owns: { player: 6, units: [7], active: 7 } }, { ready: {} },
    { spawned: { unit: 7 } }, { died: { player: 6, unit: 7 } });
  element("again").onclick();
  assert.equal(shown().notice, "Respawning …");
  server.tells({ player: { ...self, role: "WATCH" } });
  const said = spawns(server);
  for (let second = 1; second < 10; ++second) visit.paint(performance.now() + 1000 * second);
  assert.deepEqual([shown().notice, shown().status.split(" ")[0], spawns(server)], ["", "Watching", said]);
  server.tells({ player: self });
  visit.paint(performance.now());
  assert.deepEqual([shown().status.split(" ")[0], spawns(server)], ["Playing", said + 1]);
  server.tells({ player: { ...self, role: "WATCH" } });
  server.ends();
  element("again").onclick();
  const again = main.visit.link.socket;
  again.opens();
  assert.equal(again.said[0].enter.role, "PLAY");
  main.visit.leave();
  again.ends();
});

test("a spectator stays one", () => {
  element("enter").dispatchEvent(Object.assign(new Event("submit"), { submitter: { value: "WATCH" } }));
  const { visit } = main, server = visit.link.socket;
  server.opens();
  server.tells({ you: { player: 6 } }, ROOM, { player: { id: 6, name: "anna", role: "WATCH" } }, { ready: {} }, { player: { id: 6, name: "anna" } });
  visit.paint(performance.now());
  assert.deepEqual([visit.plays, spawns(server)], [false, 0]);
  visit.leave();
  server.ends();
});

test("names in the table stay while nothing in it changes, so that they can be clicked", () => {
  const room = new Room(), panels = new Panels(() => {});
  const hear = (...facts) => facts.forEach((fact) => room.hear(fact, 0));
  hear({ player: { id: 1, name: "anna" } }, { player: { id: 2, name: "bob" } }, { team_score: { team: "RED", wins: 1, size: 1 } });
  const draw = () => (panels.draw(room), [...element("scores").children]);
  const first = draw();
  assert.equal(first.length, 2);
  hear({ owns: { player: 1, units: [4, 5, 6], active: 5 } }, { player: { id: 1, name: "anna", responding: true, colour: 7 } }, { team_score: { team: "RED", wins: 1, size: 2 } });
  assert.deepEqual(draw().map((row, i) => row === first[i]), [true, true]);
  hear({ score: { player: 2, wins: 1 } });
  assert.ok(draw().every((row) => !first.includes(row)));
});

// -- The time bar -----------------------------------------------------------------------------------------------------

test("a clip whose link is entered after its end is played from its beginning to its end", () => {
  const said = [];
  let over = 0;
  const bar = new TimeBar({ parent: element("stage"), say: (wish) => said.push(wish), name: String, over: () => { ++over; } });
  const clock = (seconds, now) => bar.hear({ clock: { us: String(seconds * 1e6), speed: 1, length_us: "60000000", own: true } }, now);
  clock(40, 0);
  bar.playTo(20);
  bar.paint(100);
  bar.hear({ clock: { us: "10000000", paused: true } }, 200);  // the room begins to describe the clip's beginning
  bar.paint(300);
  assert.deepEqual([said, over], [[], 0]);
  clock(10, 400);
  bar.paint(9000);
  assert.deepEqual([said, over], [[], 0]);
  bar.paint(10_500);
  assert.deepEqual([said, over], [[{ paused: true }], 1]);
  bar.paint(11_500);
  assert.equal(over, 1);
  bar.remove();
});
