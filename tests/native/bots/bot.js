// node bot.js PORT NAME: plays whatever a native listener of this machine has (schema/NATIVE.md); then says what it saw.
const { root } = require("protobufjs").parse(require("node:fs").readFileSync(`${__dirname}/../../../schema/game.proto`, "utf8"));
const Intent = root.lookupType("entente.words.Intent"), Fact = root.lookupType("entente.words.Fact");
const [port, name] = process.argv.slice(2), server = require("node:net").connect(port, "127.0.0.1");
const players = new Set(), alive = new Map(), moved = new Set();  // units of players, by id
let me = 0, own = { units: [] }, turn = 0, shots = 0, heard = Buffer.alloc(0);

const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const say = (wish) => {
  const message = Intent.encode(Intent.fromObject(wish)).finish(), size = Buffer.alloc(4);
  size.writeUInt32BE(message.length);
  server.write(Buffer.concat([size, message]));
};
const hear = {
  you: ({ player }) => { me = player; say({ enter: { name } }); },
  player: ({ id }) => players.add(id),
  owns: (owns) => { if (owns.player === me) own = owns; },
  unit: (unit) => { if (unit.alive && unit.owner) alive.set(unit.id, unit.pose ?? { x: 0, y: 0 }); },
  spawned: ({ unit, pose }) => alive.set(unit, pose),
  died: ({ unit }) => alive.delete(unit),
  gone: ({ unit }) => alive.delete(unit),
  shot: () => ++shots,
  pose: (pose) => {
    if (!alive.has(pose.unit)) return;
    if (far(alive.get(pose.unit), pose) > 0.1) moved.add(pose.unit);
    alive.set(pose.unit, pose);
  },
};
const act = () => {  // toward the nearest who is over 20 m away, else around the middle; fires every 2 s
  const mine = alive.get(own.active), now = me && turn++ % 10 === 0;
  if (!mine) return now && say({ spawn: {} });
  const others = [...alive].filter(([unit]) => !own.units.includes(unit)).map(([, pose]) => pose);
  const [foe] = others.sort((a, b) => far(a, mine) - far(b, mine)), to = others.find((pose) => far(pose, mine) > 20);
  say({ toward: to ?? { x: 90 * Math.cos(turn / 30), y: 90 * Math.sin(turn / 30) } });
  if (foe && now) say({ fire: { shot: turn, x: mine.x, y: mine.y, vx: foe.x - mine.x, vy: foe.y - mine.y } });
};

setInterval(act, 200).unref();
server.on("data", (bytes) => {
  heard = Buffer.concat([heard, bytes]);
  for (let end; heard.length >= 4 && heard.length >= (end = 4 + heard.readUInt32BE()); heard = heard.subarray(end)) {
    const fact = Fact.decode(heard.subarray(4, end));
    hear[fact.kind]?.(fact[fact.kind]);
  }
});
server.on("close", () => console.log(`saw ${players.size} players, ${moved.size} units move, ${shots} shots`));
