// node --test page_test.mjs: what the page knows of a room, where it draws moving units, and what its keys and mouse send.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Events } from "../../adapters/native/page/events.js";
import { Ground } from "../../adapters/native/page/ground.js";
import { Hands } from "../../adapters/native/page/hands.js";
import { standings } from "../../adapters/native/page/scores.js";
import { flagText } from "../../adapters/native/page/flags.js";
import { clipCommand, faultOf, fragmentOf, momentIn } from "../../adapters/native/page/moment.js";
import { Playback, timeText } from "../../adapters/native/page/playback.js";
import { placeOf, radiusOf, Room } from "../../adapters/native/clients/js/room.js";
import { beginning, situation } from "../../adapters/native/page/start.js";
import { Track, wrap } from "../../adapters/native/clients/js/track.js";
import { LastDeaths, placeIn, whereabouts } from "../../adapters/native/page/deaths.js";

const pose = (x, more = {}) => ({ x, y: 0, vx: 0, vy: 0, yaw: 0, yawRate: 0, ...more });
const near = (a, b, message) => assert.ok(Math.abs(a - b) < 1e-6, message ?? `${a} is not ${b}`);

function told(...facts) {
  const room = new Room();
  facts.forEach((fact, i) => room.hear({ at_us: String(i * 1000), ...fact }, i));
  return room;
}

const anna = { player: { id: 1, name: "anna", team: "RED" } };
const tank = { unit: { id: 7, owner: 1, alive: true, radius: 3, pose: { x: 10 } } };
const owns = { owns: { player: 1, units: [7], active: 7 } };

test("a box that is only about where a shape is has a fainter edge than a wall", () => {
  const edges = [];
  const pen = new Proxy({}, { get: (of, name) => (name === "stroke" ? () => edges.push(of.strokeStyle) : of[name] ?? (() => {})) });
  const solids = [{ half_x: 5, half_y: 5 }, { half_x: 5, half_y: 5, approximate: true }];
  new Ground().paint(pen, told({ world: { west: -20, east: 20, south: -20, north: 20, solids } }), 1);
  const [wall, rough] = edges.slice(-2);
  const light = (colour) => parseInt(colour.slice(1, 3), 16);
  assert.ok(light(rough) < light(wall), `${rough} beside ${wall}`);
});

test("a world that ends nowhere, or too far away, does not stop the page", () => {
  for (const far of [1e300, 1e9, 1e6, "Infinity", "NaN"]) {
    let lines = 0;
    const pen = new Proxy({}, { get: (of, name) => (name === "lineTo" ? () => assert.ok(++lines < 1000, `${far}`) : of[name] ?? (() => {})) });
    const room = told({ world: { west: -far || far, east: far, south: -far || far, north: far } });
    for (const side of ["west", "east", "south", "north"]) assert.ok(Math.abs(room.world[side]) <= 1e6, `${side} is ${room.world[side]}`);
    new Ground().paint(pen, room, 1);
  }
});

test("the parts of a world are limited; a grid needs rows", () => {
  const solids = Array.from({ length: 30_000 }, () => ({})), room = told({ world: { solids, bases: [...solids] } });
  assert.deepEqual([room.world.solids.length, room.world.bases.length, room.leftOut], [20_000, 20_000, 20_000]);
  assert.equal(told({ world: { kind: "TILES", columns: 5, rows: 0 } }).world.grid, null);
});

test("a moving unit is extrapolated, for a second at most", () => {
  const track = new Track(pose(0, { vx: 20 }), 0);
  near(track.at(500).x, 10);
  near(track.at(5000).x, 20);
});

test("a wrong extrapolation is corrected without a jump", () => {
  const track = new Track(pose(0, { vx: 20 }), 0);
  track.tell(pose(12, { vx: 20 }), 500, 500);
  near(track.at(500).x, 10);
  near(track.at(550).x, 12 + 1 - 1);
  near(track.at(600).x, 14);
});

test("a unit that moves by tiles glides as long as its last move took; a unit that is far off jumps", () => {
  const track = new Track(pose(0), 0);
  track.tell(pose(25), 250, 250);
  near(track.at(250).x, 0);
  near(track.at(375).x, 12.5);
  near(track.at(500).x, 25);
  track.tell(pose(300), 750, 750);
  near(track.at(750).x, 300);
});

test("a heading goes the short way round", () => {
  near(wrap(3 * Math.PI / 2), -Math.PI / 2);
  const track = new Track(pose(0, { yaw: 3 }), 0);
  track.tell(pose(0, { yaw: -3 }), 100, 100);
  assert.ok(Math.abs(wrap(track.at(150).yaw - Math.PI)) < 0.1);
});

test("a room knows the players that it hears of, and forgets a player who leaves, with all units", () => {
  const room = told({ you: { player: 1 } }, anna, tank, owns);
  assert.equal(room.me, 1);
  assert.equal(room.unitOf(1).id, 7);
  room.hear({ died: { player: 1, unit: 7 } }, 5);
  assert.equal(room.unitOf(1), undefined);
  assert.equal(room.bursts.length, 1);
  room.hear({ spawned: { unit: 7, pose: { x: 30 } } }, 6);
  near(room.unitOf(1).track.at(6).x, 30);
  room.hear({ player_gone: { id: 1 } }, 7);
  assert.equal(room.players.size + room.units.size, 0);
});

test("a unit that is dead at the moment that a replay seeks to does not burst", () => {
  const room = told(anna, tank, owns);
  room.hear({ unit: { ...tank.unit, alive: false } }, 5);
  assert.equal(room.unitOf(1), undefined);
  assert.equal(room.bursts.length, 0);
});

test("a hidden unit is not steered, and returns where it is seen next", () => {
  const room = told(anna, tank, owns, { hidden: { unit: 7 } });
  assert.equal(room.unitOf(1), undefined);
  room.hear({ pose: { unit: 7, x: 400 } }, 10);
  near(room.unitOf(1).track.at(10).x, 400);
});

test("of several units without a chosen one, the largest is followed", () => {
  const room = told(anna, ...[4, 9, 6].map((radius, i) => ({ unit: { id: 10 + i, owner: 1, alive: true, kind: "CELL", radius } })),
    { owns: { player: 1, units: [10, 11, 12] } });
  assert.equal(room.unitOf(1).radius, 9);
});

test("a shot flies until it ends or its life is over; a ray is a flash", () => {
  const room = told({ shot: { shooter: 1, shot: 3, vx: 100, life: 2 } }, { shot: { shooter: 1, shot: 4, vx: 1, kind: "RAY", range: 90 } });
  assert.equal(room.shots.size, 2);
  room.tidy(1000);
  assert.deepEqual([...room.shots.keys()], ["1/3"]);
  room.hear({ shot_ended: { shooter: 1, shot: 3, burst: true } }, 1000);
  assert.equal(room.shots.size, 0);
  near(room.bursts[0].x, 100);
});

test("a delayed fact is shown with its true age", () => {
  const room = told(anna, tank);
  room.hear({ at_us: "100000", pose: { unit: 7, x: 0, vx: 10 } }, 100);
  room.hear({ at_us: "200000", pose: { unit: 7, x: 1, vx: 10 } }, 700);
  near(room.units.get(7).track.pose.x, 1);
  assert.ok(Math.abs(room.units.get(7).track.told - 200) <= 1);
});

test("after ten hours, a shot has its true age, though the clocks are not equally fast", () => {
  for (const drift of [-30e-6, 0, 30e-6]) {
    const room = told(anna, tank), at = (now) => String(Math.round(1000 * (1 + drift) * (now - 20)));  // 20 ms of delay
    const end = 36_000_000;
    for (let now = 1000; now <= end; now += 1000) room.hear({ at_us: at(now), pose: { unit: 7 } }, now);
    room.hear({ at_us: at(end), shot: { shooter: 1, shot: 1, vx: 100, life: 0.5 } }, end);
    const age = (end - room.shots.get("1/1").fired) / 1000;
    assert.ok(age >= 0 && age < 0.1, `${age} s`);
  }
});

test("an unknown fact, or one about an unknown player or unit, changes nothing", () => {
  const room = told(anna);
  for (const fact of [{}, { at_us: "1" }, { newer: { a: 1 } }, { constructor: {} }, { toString: 1 }, { pose: { unit: 99, x: 1 } }, { died: {} },
    { owns: { player: 99 } }, { shot_ended: {} }, { corrected: {} }, { score: { player: 5 } }, { token_taken: {} }])
    room.hear(fact, 1);
  assert.equal(room.players.size, 1);
  assert.equal(room.units.size, 0);
});

test("an invalid number in JSON becomes 0", () => {
  const room = told({ unit: { id: 1, alive: true, radius: "NaN", pose: { x: "Infinity", y: "NaN" } } });
  assert.equal(room.units.get(1).radius, 0);
  near(room.units.get(1).track.at(0).x, 0);
});

/** Hands on a canvas without a browser, of a player whose tank stands at 10, 0. */
function stage() {
  const canvas = Object.assign(new EventTarget(), { focus() {}, setPointerCapture() {} });
  const said = [], room = told({ you: { player: 1 } }, anna, tank, owns, { rule: { name: "reload", value: "2" } });
  const view = { canvas, placeAt: (left, top) => ({ x: left, y: -top }) };
  const hands = new Hands({ view, room, say: (kind, word) => said.push([kind, word]) });
  const does = (name, what = {}) => canvas.dispatchEvent(Object.assign(new Event(name), what));
  return { hands, does, said, heard: () => said.splice(0) };
}

test("arrow keys send a heading once, a diagonal for two keys, and a stop when they are released", () => {
  const { does, heard } = stage();
  does("keydown", { code: "ArrowUp" });
  does("keydown", { code: "ArrowUp", repeat: true });
  assert.deepEqual(heard(), [["keys", { bits: 1, yaw: Math.PI / 2 }]]);
  does("keydown", { code: "KeyD" });
  assert.deepEqual(heard(), [["keys", { bits: 1, yaw: Math.PI / 4 }]]);
  does("keyup", { code: "ArrowUp" });
  does("keyup", { code: "KeyD" });
  assert.deepEqual(heard(), [["keys", { bits: 1, yaw: 0 }], ["keys", { bits: 0, yaw: 0 }]]);
});

test("when the field loses the focus, the unit stops, and shoots and jumps no more", () => {
  const { hands, does, heard } = stage();
  does("keydown", { code: "KeyJ" });
  assert.deepEqual(heard(), [["keys", { bits: 16, yaw: 0 }]]);
  does("blur");
  assert.deepEqual(heard(), [["keys", { bits: 0, yaw: 0 }]]);
  does("keydown", { code: "ArrowLeft" });
  does("keydown", { code: "Space" });
  heard();
  does("blur");
  hands.tick(1e6);
  assert.deepEqual(heard(), [["keys", { bits: 0, yaw: 0 }]]);
});

test("a held space bar shoots ahead, no faster than the gun reloads; a moving mouse aims", () => {
  const { hands, does, heard } = stage();
  does("keydown", { code: "Space" });
  for (let now = 1000; now <= 3000; now += 100) hands.tick(now);
  const shots = heard();
  assert.deepEqual(shots.map(([kind]) => kind), ["fire", "fire"]);
  assert.deepEqual(shots.map(([, fire]) => fire.shot), [1, 2]);
  near(shots[0][1].vy, 0);
  does("pointermove", { offsetX: 10, offsetY: -50 });
  hands.tick(9000);
  const [, aimed] = heard()[0];
  near(aimed.vx, 0);
  near(aimed.vy, 100);
});

test("a held button sends the target repeatedly; when it is released, it sends a stop", () => {
  const { hands, does, heard } = stage();
  does("pointerdown", { button: 0, buttons: 1, offsetX: 30, offsetY: -40, pointerId: 1 });
  for (let now = 1000; now < 1200; now += 20) hands.tick(now);
  assert.deepEqual(heard(), [["toward", { x: 30, y: 40 }], ["toward", { x: 30, y: 40 }]]);
  does("pointerup", { button: 0, buttons: 0 });
  hands.tick(2000);
  const said = heard();
  assert.equal(said.length, 1);
  assert.equal(said[0][1].bits, 0);
});

test("with both mouse buttons, a unit drives and shoots at once, in any order", () => {
  // A browser reports a second button that is pressed, and the first one that is released, as moves.
  const at = { offsetX: 30, offsetY: -40, pointerId: 1 };
  const { hands, does, heard } = stage();
  let now = 1000;
  const does_now = () => (hands.tick(now += 3000), heard().map(([kind, { bits }]) => (kind === "keys" ? `keys ${bits}` : kind)).sort());
  does("pointerdown", { button: 0, buttons: 1, ...at });
  assert.deepEqual(does_now(), ["toward"]);
  does("pointermove", { button: 2, buttons: 3, ...at });
  assert.deepEqual(does_now(), ["fire", "toward"]);
  does("pointermove", { button: 0, buttons: 2, ...at });
  assert.deepEqual(does_now(), ["fire", "keys 0"]);
  does("pointermove", { button: 0, buttons: 3, ...at });
  assert.deepEqual(does_now(), ["fire", "toward"]);
  does("pointermove", { button: 2, buttons: 1, ...at });
  assert.deepEqual(does_now(), ["toward"]);
  does("pointerup", { button: 0, buttons: 0, ...at });
  assert.deepEqual(does_now(), ["keys 0"]);
  does("pointermove", { button: -1, buttons: 1, ...at });  // pressed outside the field
  assert.deepEqual(does_now(), []);
});

test("the keys of the browser are left to it", () => {
  const { does, heard } = stage();
  does("keydown", { code: "KeyW", ctrlKey: true });
  does("keydown", { code: "Tab" });
  does("keydown", { code: "constructor" });
  assert.deepEqual(heard(), []);
});

test("the time of a recording runs on between two Clocks, and stops in a pause and at the end", () => {
  const playback = new Playback();
  playback.hear({ clock: { us: "5000000", speed: 2, length_us: "60000000", own: true } }, 1000);
  near(playback.at(3000), 9);
  playback.hear({ clock: { us: "7000000", paused: true } }, 2000);  // begins a resync
  near(playback.at(3000), 9);
  playback.hear({ clock: { us: "30000000", speed: 2, paused: true, length_us: "60000000", own: true } }, 3000);
  near(playback.at(9000), 30);
  playback.hear({ clock: { us: "59000000", speed: 1, length_us: "60000000", own: true } }, 3000);
  near(playback.at(9000), 60);
  assert.equal(timeText(59.9), "0:59");
  assert.equal(timeText(3725), "1:02:05");
});

test("before entering, a broadcast is distinguished from a recording", () => {
  const room = { about: { game: "arena", name: "arena", players: 2 }, players: new Map() };
  const said = (...more) => situation(room, ...more).what;
  assert.equal(said(true), `A recording of ${said(false).toLowerCase()}`);
  assert.equal(said(true, true), `Live: ${said(false).toLowerCase()}`);
});

test("the end of a broadcast advances with time, and the End key goes there", () => {
  const playback = new Playback();
  playback.hear({ clock: { us: "10000000", speed: 1, length_us: "60000000", own: true, live: true } }, 1000);
  near(playback.at(6000), 15);
  near(playback.length, 65);
  const { us, ...rest } = playback.wish("End");
  assert.ok(Number(us) > 65e6);
  assert.deepEqual(rest, { speed: 1, paused: false });
  playback.hear({ clock: { us: "60000000", speed: 1, length_us: "60000000", own: true, live: true } }, 1000);
  near(playback.at(61000), 120);
  assert.equal(playback.text(61000), "live");
  assert.equal(playback.first, 0);
  playback.hear({ clock: { us: "3500000000", speed: 1, length_us: "3600000000", own: true, live: true, paused: true } }, 0);
  assert.equal(playback.text(0), "−1:40");
  assert.equal(playback.first, 3000);  // ten minutes
  assert.equal(playback.timeOf(0.5), 3300);
  assert.equal(playback.partOf(3300), 0.5);
  assert.deepEqual(playback.wish("0"), { us: "3000000000" });
});

test("events of a broadcast are marked once, however often they are watched", () => {
  const playback = new Playback(), clock = { speed: 1, length_us: "60000000", own: true };
  playback.hear({ clock: { ...clock, us: "60000000" } }, 0);
  playback.note("KILL", 1, 2, 500);
  assert.deepEqual(playback.moments, []);  // a recording has its own timeline
  playback.hear({ clock: { ...clock, us: "60000000", live: true } }, 0);
  playback.note("KILL", 1, 2, 1000);
  playback.note("CHAT", 3, 0, 2000);
  playback.hear({ clock: { ...clock, us: "60500000", length_us: "62000000", live: true } }, 2000);
  playback.note("KILL", 1, 2, 2500);  // watched again
  assert.deepEqual(playback.moments.map(({ at, what }) => [at, what]), [[61, "KILL"], [62, "CHAT"]]);
  const heardAt = (us) => playback.hear({ clock: { ...clock, us, length_us: "70000000", live: true, own: true } }, 3000);
  heardAt("50000000");
  playback.note("KILL", 4, 2, 3000);  // it happened before the page was opened
  assert.deepEqual(playback.moments.map(({ at, player }) => [at, player]), [[61, 1], [62, 3], [50, 4]]);
  assert.deepEqual(playback.wish("n"), { kill: "NEXT_KILL" });  // the room knows more kills than the page
  heardAt("65000000");
  for (let i = 0; i < 3000; ++i) playback.note("KILL", i, 2, 3000);
  assert.equal(playback.moments.length, 2000);
});

test("keys control only the viewer's own clock", () => {
  const playback = new Playback();
  const clock = { us: "0", speed: 1, length_us: "60000000" };
  playback.hear({ clock }, 0);
  assert.equal(playback.wish("k"), undefined);
  playback.hear({ clock: { ...clock, own: true } }, 0);
  assert.deepEqual(playback.wish("k"), { paused: true });
  assert.deepEqual(playback.wish("j"), { by_s: -10 });
  assert.deepEqual(playback.wish(">"), { speed: 2 });
  assert.deepEqual(playback.wish("<"), { speed: 0.5 });
  assert.deepEqual(playback.wish("n"), { kill: "NEXT_KILL" });
  assert.deepEqual(playback.wish("N"), { kill: "NEXT_KILL" });
  assert.deepEqual(playback.wish("ArrowRight"), { by_s: 5 });
  assert.deepEqual(playback.wish("0"), { us: "0" });
  assert.deepEqual(playback.wish("7"), { us: "42000000" });
  assert.equal(playback.wish("ArrowUp"), undefined);
  assert.equal(playback.wish("w"), undefined);
});

test("of many moments the bar marks the rare ones", () => {
  const playback = new Playback();
  const moments = [{ us: "1000000", player: 1, by: 2 }, ...Array.from({ length: 900 }, (_, i) => ({ us: String(i * 1000), what: "CHAT", player: 1 }))];
  playback.hear({ timeline: { moments } }, 0);
  assert.deepEqual(playback.marks(), [{ at: 1, what: "KILL", player: 1, by: 2 }]);
  assert.equal(playback.near(0.5, 0.0015).length, 3);
});

test("a link names a moment and a player", () => {
  assert.deepEqual(momentIn("#at=1:20&follow=anna"), { at: 80, to: null, follow: "anna" });
  assert.deepEqual(momentIn("#at=1:02:05"), { at: 3725, to: null, follow: "" });
  assert.deepEqual(momentIn("#at=80.5"), { at: 80.5, to: null, follow: "" });
  for (const none of ["", "#", "#follow=anna", "#at=", "#at=-3", "#at=1:2:3:4", "#at=soon", "#at=99999999999"]) assert.equal(momentIn(none), null, none);
  for (const name of ["anna", "a b&c=d#e", "Жук", ""]) assert.deepEqual(momentIn(fragmentOf(3725, name)), { at: 3725, to: null, follow: name });
  assert.deepEqual(momentIn("#at=1:20&to=1:50.5"), { at: 80, to: 110.5, follow: "" });
  for (const to of ["1:20", "1:00", "soon", ""]) assert.equal(momentIn(`#at=1:20&to=${to}`).to, null, to);
  assert.deepEqual(momentIn(fragmentOf(80.9, "anna", 110.2)), { at: 80, to: 111, follow: "anna" });
  assert.equal(clipCommand("evening.mcap", 80.9, 110.2), "entente clip evening.mcap --from 1:20 --to 1:51 -o clip.mcap");
  assert.equal(clipCommand("a friend's.rec", 0, 3725), "entente clip 'a friend'\\''s.rec' --from 0:00 --to 1:02:05 -o clip.mcap");
  assert.equal(clipCommand("-x;rm.mcap", 1, 2), "entente clip './-x;rm.mcap' --from 0:01 --to 0:02 -o clip.mcap");
});

test("the place and the state of the followed player are told in words, and why it is dead", () => {
  const world = { west: -200, east: 200, south: -100, north: 100 };
  for (const [x, y, where] of [[0, 0, "in the middle of the field"], [190, 90, "in the north-east of the field"], [-190, 0, "in the west of the field"], [0, -90, "in the south of the field"]])
    assert.equal(placeIn(world, { x, y }), where);
  assert.equal(placeIn(null, { x: 1, y: 1 }), "");
  const room = told({ world }, anna, tank, owns), deaths = new LastDeaths(), name = (id) => ({ 1: "anna", 2: "bob" })[id] ?? `player ${id}`;
  const line = (id) => whereabouts(room, id, deaths.of(id), name);
  assert.equal(line(0), "");
  assert.equal(line(1), "Following anna");
  room.hear({ hidden: { unit: 7 } }, 1);
  assert.equal(line(1), "Following anna, who cannot be seen now");
  room.hear({ pose: { unit: 7, x: 150, y: 80 } }, 1);
  const died = { player: 1, unit: 7, killer: 2 };
  room.hear({ died }, 2);
  assert.equal(line(1), "anna is dead, and waits to come back.");
  deaths.note(died, room.units.get(7), room.units.get(7).track.at(2));
  assert.equal(line(1), "bob destroyed anna in the north-east of the field. anna waits to come back.");
  deaths.note({ player: 1, killer: 1, why: "BY_ITSELF" }, room.units.get(7), undefined);
  assert.equal(line(1), "anna destroyed itself. anna waits to come back.");
  room.hear({ spawned: { unit: 7, pose: {} } }, 3);
  assert.equal(line(1), "Following anna");
  room.hear({ gone: { unit: 7 } }, 4);
  deaths.forget(1);
  assert.equal(line(1), "anna is not on the field.");
  room.hear({ player_gone: { id: 1 } }, 4);
  assert.equal(line(1), "anna has left. Choose another name to follow.");
});

test("the final board ranks players, not spectators; equal scores share a place", () => {
  const score = (id, wins, losses, role = "PLAY") => [{ player: { id, name: `p${id}`, role } }, { score: { player: id, wins, losses } }];
  const room = told(...score(1, 2, 1), ...score(2, 5, 0), ...score(3, 2, 1), ...score(4, 9, 0, "WATCH"), ...score(5, 0, 3));
  assert.deepEqual(standings(room).map(({ place, name, wins }) => [place, name, wins]), [[1, "p2", 5], [2, "p1", 2], [2, "p3", 2], [4, "p5", 0]]);
});

test("a recording has been played to its end when it stands there", () => {
  const playback = new Playback();
  const clock = { us: "59950000", speed: 1, length_us: "60000000", own: true };
  playback.hear({ clock }, 0);
  assert.equal(playback.ended(1000), false);  // it runs: the room has not stopped it
  playback.hear({ clock: { ...clock, us: "60000000", paused: true } }, 0);
  assert.equal(playback.ended(0), true);
  playback.hear({ clock: { ...clock, us: "30000000", paused: true } }, 0);
  assert.equal(playback.ended(0), false);
  playback.hear({ clock: { ...clock, us: "60000000", paused: true, live: true } }, 0);
  assert.equal(playback.ended(0), false);
});

test("what is wrong with a link is said", () => {
  for (const good of ["", "#", "#at=1:20", "#at=1:20&to=1:30&follow=anna", "#at=0"]) assert.equal(faultOf(good), "", good);
  for (const [bad, part] of [["#at=soon", "“soon” in this link is not a time"], ["#at=", "“” in this link is not a time"], ["#follow=anna", "names no moment"],
    ["#1:20", "“#1:20”"], ["#at=%", "“%”"], ["#at=1:20&to=x", "“x” in this link is not a time"], ["#at=1:20&to=1:00", "ends (1:00) before it begins (1:20)"],
    [`#at=${"9".repeat(99)}`, "…”"]])
    assert.ok(faultOf(bad).includes(part), `${bad}: ${faultOf(bad)}`);
});

test("a broadcast that has not begun counts down on the page's clock", () => {
  const room = new Room();
  assert.equal(room.begins, null);
  room.hear({ at_us: "5000000", rule: { name: "begins_us", value: "95500000" } }, 1000);
  assert.equal(room.begins - 1000, 90500);
  assert.equal(beginning(room.begins - 1000), "The broadcast begins in 1:31.");
  assert.equal(beginning(-1), "The broadcast has not begun.");
  assert.equal(beginning(null), "The broadcast has not begun.");
  room.hear({ at_us: "96000000", clock: { us: "5", speed: 1, live: true } }, 92000);
  assert.equal(room.begins, null);
});

test("flags of teams are named, others have their short name", () => {
  assert.equal(flagText({ code: "R*", team: "RED" }), "red flag");
  assert.equal(flagText({ code: "GM", team: "TEAM_ANY" }), "GM");
  assert.equal(flagText({ gives: "SPEED" }), "speed");
  assert.equal(flagText({}), "");
});

test("facts become events, but not while a replay seeks", () => {
  const room = told({ you: { player: 1 } }, anna, { player: { id: 2, name: "bob" } }, tank, owns);
  const heard = [], does = {};
  for (const what of ["tell", "feed", "note", "sound", "flag", "over"]) does[what] = (...words) => heard.push([what, ...words.filter((word) => typeof word !== "object")].join(" "));
  Object.assign(does, { name: (id) => room.players.get(id)?.name ?? `player ${id}`, own: () => 1, watched: () => 1, complete: () => true });
  const events = new Events(room, does);
  const hear = (fact) => {
    heard.length = 0;
    events.before(fact);
    events.after(...room.hear(fact, 0));
    return heard.join("; ");
  };
  const happens = [
    [{ player: { id: 3, name: "cy" } }, "tell cy joined; note JOIN 3"],
    [{ player: { id: 3, name: "cy", team: "RED" } }, ""],
    [{ shot: { shooter: 2, shot: 1, x: 5 } }, "sound shot 2"],
    [{ health: { unit: 7, now: 50, max: 100, by: 2 } }, "sound hit"],
    [{ died: { player: 1, unit: 7, killer: 2 } }, "note KILL 1 2; tell bob destroyed anna; feed bob destroyed anna true; sound death"],
    [{ said: { from: 2, text: "hello" } }, "note CHAT 2"],
    [{ token_taken: { by: 1, token: { id: 4 } } }, "flag"],
    [{ token_captured: { by: 2, token: 4, team: "RED" } }, "note CAPTURE 2; tell bob captured the red flag; feed bob captured the red flag; flag"],
    [{ round: { state: "OVER", winner: 2, another: true } }, "tell The round is over: bob won. The next one begins soon; feed The round is over: bob won. The next one begins soon; over The round is over: bob won. The next one begins soon"],
    [{ died: { player: 1, unit: 7, why: "BY_SERVER" } }, ""],  // everybody is taken off the field
    [{ round: {} }, "over "],
    [{ round: { state: "OVER", winning_team: "RED" } }, "tell The round is over: Team red won; feed The round is over: Team red won; over The round is over: Team red won"],
    [{ round: {} }, "over "],
    [{ player_gone: { id: 3 } }, "tell cy left"],
  ];
  for (const [fact, told] of happens) assert.equal(hear(fact), told, JSON.stringify(fact));
  hear({ clock: { us: "5", paused: true } });
  for (const [fact] of happens) assert.equal(hear(fact), "", JSON.stringify(fact));
  hear({ player: { id: 4, name: "dee" } });
  hear({ clock: { us: "5", speed: 1 } });
  assert.equal(hear({ player: { id: 4, name: "dee", team: "RED" } }), "");
  for (const [fact, told] of happens) assert.equal(hear(fact), told, JSON.stringify(fact));
});

test("a shot lives for a minute at most, and no radius is negative", () => {
  const wave = (shot, more) => ({ shot: { shooter: 2, shot, kind: "WAVE", ...more } });
  const room = told(anna, { unit: { id: 8, owner: 1, radius: -5 } }, tank, { unit_changed: { unit: 7, radius: -5 } }, wave(1, { life: 1e9, range: -60, radius: -5 }),
    wave(2, { life: -1, range: -1, radius: 3 }), wave(3, { life: "Infinity", range: "NaN", radius: "-Infinity" }), { shot: { shooter: 2, shot: 4, vx: 1e-9, range: 100 } });
  assert.deepEqual([...room.units.values()].map(({ radius }) => radius), [0, 0]);
  for (const shot of room.shots.values()) for (const seconds of [0, 0.5, 1e6]) assert.ok(radiusOf(shot, seconds) >= 0, JSON.stringify(shot));
  room.tidy(50_000);
  assert.deepEqual([...room.shots.keys()], ["2/1", "2/4"]);
  room.tidy(61_000);
  assert.equal(room.shots.size, 0);
});

test("a wave stands still and grows from its radius to its range, and then is gone", () => {
  const room = told({ shot: { shooter: 1, shot: 4, kind: "WAVE", x: 5, y: 6, life: 0.7, range: 60, radius: 6 } });
  const wave = room.shots.get("1/4");
  near(placeOf(wave, 0.5).x, 5);
  for (const [seconds, radius] of [[0, 6], [0.35, 33], [0.7, 60], [9, 60]]) near(radiusOf(wave, seconds), radius);
  room.tidy(600);
  assert.equal(room.shots.size, 1);
  room.tidy(701);
  assert.equal(room.shots.size, 0);
});
