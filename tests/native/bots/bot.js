// One bot for every game, by native's contract alone (schema/NATIVE.md): npm's protobufjs, @mcap/core, and a socket.
//   node bot.js PORT NAME        plays behind a native listener of this machine; says what it saw when that ends
//   node bot.js RECORDING.mcap   sees the same in what was recorded
"use strict";
const protobuf = require("protobufjs"), { readFileSync } = require("node:fs");

const schema = new protobuf.Root();
schema.resolvePath = (from, file) => (file.startsWith("google/") ? require.resolve(`protobufjs/${file}`) : file);
schema.loadSync(`${__dirname}/../../../schema/game.proto`);
const Intent = schema.lookupType("entente.words.Intent"), Fact = schema.lookupType("entente.words.Fact");

class Bot {
  me = 0; turns = 0; shots = 0; players = new Map(); units = new Map(); moved = new Set();

  constructor(name, say) { Object.assign(this, { name, say }); }

  hear(fact) {
    const word = fact[fact.kind], unit = this.units.get(word?.unit);
    if (fact.kind === "you") this.me = word.player, this.say({ enter: { name: this.name } });
    if (fact.kind === "player") this.players.set(word.id, word.name);
    if (fact.kind === "unit") this.units.set(word.id, { id: word.id, owner: word.owner, alive: word.alive, x: word.pose?.x ?? 0, y: word.pose?.y ?? 0 });
    if (fact.kind === "gone") this.units.delete(word.unit);
    if (fact.kind === "died" && unit) unit.alive = false;
    if (fact.kind === "spawned" && unit) Object.assign(unit, { alive: true, x: word.pose?.x ?? 0, y: word.pose?.y ?? 0 });
    if (fact.kind === "shot") ++this.shots;
    if (fact.kind !== "pose" || !unit) return;
    if (unit.owner && Math.hypot(word.x - unit.x, word.y - unit.y) > 0.1) this.moved.add(unit.id);
    Object.assign(unit, { x: word.x, y: word.y });
  }

  /** Five times a second: at whoever is nearest, and shoots; alone, or too close, around the middle. */
  act() {
    if (!this.me) return;
    const alive = [...this.units.values()].filter((unit) => unit.alive && unit.owner), mine = alive.find((unit) => unit.owner === this.me);
    const turn = this.turns++, far = (unit) => Math.hypot(unit.x - mine.x, unit.y - mine.y);
    if (!mine) return turn % 10 === 0 && this.say({ spawn: {} });
    const foe = alive.filter((unit) => unit.owner !== this.me).sort((a, b) => far(a) - far(b))[0];
    this.say({ toward: foe && far(foe) > 20 ? foe : { x: 90 * Math.cos(turn / 30), y: 90 * Math.sin(turn / 30) } });
    if (foe && turn % 10 === 5) this.say({ fire: { shot: turn, x: mine.x, y: mine.y, vx: foe.x - mine.x, vy: foe.y - mine.y } });
  }

  report() {
    console.log(JSON.stringify({ players: [...this.players.values()].sort(), moved: this.moved.size, shots: this.shots }));
  }
}

function play(port, name) {
  const socket = require("node:net").connect(port, "127.0.0.1");
  const bot = new Bot(name, (intent) => {
    const word = Intent.encode(Intent.fromObject(intent)).finish(), length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    socket.write(Buffer.concat([length, word]));
  });
  let heard = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    heard = Buffer.concat([heard, bytes]);
    for (let size; heard.length >= 4 && heard.length >= 4 + (size = heard.readUInt32BE()); heard = heard.subarray(4 + size))
      bot.hear(Fact.decode(heard.subarray(4, 4 + size)));
  });
  const acts = setInterval(() => bot.act(), 200);
  socket.on("close", () => { clearInterval(acts), bot.report(); });
}

async function see(recording) {
  const { McapStreamReader } = require("@mcap/core"), { loadDecompressHandlers } = require("@mcap/support");
  const reader = new McapStreamReader({ decompressHandlers: await loadDecompressHandlers() }), facts = new Set(), bot = new Bot("", () => {});
  reader.append(readFileSync(recording));
  for (let record; (record = reader.nextRecord());) {
    if (record.type === "Channel" && record.topic === "/fact") facts.add(record.id);
    if (record.type === "Message" && facts.has(record.channelId)) bot.hear(Fact.decode(record.data));
  }
  bot.report();
}

const [where, name] = process.argv.slice(2);
name ? play(Number(where), name) : see(where);
