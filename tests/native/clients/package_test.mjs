// node --test package_test.mjs: the JavaScript package, against hostile servers and in arenas (ENTENTE: the program).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openArena } from "../../../adapters/native/clients/js/arena.js";
import { LONGEST_LINE, parseFact, spellIntent } from "../../../adapters/native/clients/js/codec.js";
import * as entente from "../../../adapters/native/clients/js/index.js";
import { TcpLink } from "../../../adapters/native/clients/js/links.js";
import { INTENTS, MESSAGES } from "../../../adapters/native/clients/js/words.js";

const { BadIntent, ClaimRefused, ConnectionLost, distance, EntenteError, Kicked, ProtocolError, Refused, Room, TimeLimit } = entente;
const PACKAGE = fileURLToPath(new URL("../../../adapters/native/clients/js/", import.meta.url));
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const SOON = 120;  // seconds; a limit for a busy machine
const lines = (...facts) => facts.map((fact) => `${JSON.stringify(fact)}\n`).join("");
const WELCOME = lines({ you: { player: 1, contract: 1, newest: 2 } }, { player: { id: 1, name: "t" } }, { ready: {} });

const isPlaced = (kind, place) => (error) => error instanceof kind && (assert.equal(error.place, place), true);

// -- Words ------------------------------------------------------------------------------------------------------------

test("a number that is not finite is refused with its field, in every intent", () => {
  let count = 0;
  for (const [kind, type] of Object.entries(INTENTS))
    for (const [name, code] of Object.entries(MESSAGES[type]).filter(([, code]) => /^(double|float)/.test(code)))
      for (const value of [NaN, Infinity, -Infinity, "1", null, true, {}, 1n])
        assert.throws(() => spellIntent(kind, { [name]: value }), isPlaced(BadIntent, `${kind}.${name}`), `${++count}: ${kind}.${name} ${code} ${String(value)}`);
  assert.ok(count > 300);
});

test("wrong values name their field", () => {
  for (const [kind, word, place] of [["jump", {}, "jump"], ["constructor", {}, "constructor"], ["toward", { a: 1 }, "toward.a"], ["toward", { toString: 1 }, "toward.toString"],
    ["toward", [], "toward"], ["say", { text: 5 }, "say.text"], ["say", { text: "\ud800" }, "say.text"], ["say", { scope: "NOBODY" }, "say.scope"],
    ["say", { to: -1 }, "say.to"], ["say", { to: 2 ** 32 }, "say.to"], ["say", { to: 1.5 }, "say.to"], ["pause", { on: 1 }, "pause.on"],
    ["enter", { flags_known: "US" }, "enter.flags_known"], ["enter", { flags_known: ["US", 1] }, "enter.flags_known.1"], ["say", { text: "é".repeat(40_000) }, "say"]])
    assert.throws(() => spellIntent(kind, word), isPlaced(BadIntent, place), `${kind} ${place}`);
  assert.equal(spellIntent("toward", { x: 1, y: undefined }), '{"toward":{"x":1}}');
});

test("a fact has all its fields; what is unknown is ignored", () => {
  const { kind, word, at_us } = parseFact('{"at_us":"12","said":{"from":3,"text":"hello","hat":{}}}');
  assert.deepEqual({ kind, at_us, ...word }, { at_us: 12, from: 3, scope: "EVERYBODY", to: 0, kind: "CHAT", text: "hello", colour: 0, name: "" });
  assert.equal(parseFact('{"player":{"team":"PINK"}}').word.team, "PINK");
  assert.equal(parseFact('{"player":{"team":2}}').word.team, "RED");
  assert.equal(parseFact('{"weather":{}}').kind, "");
  assert.deepEqual(parseFact('{"unit_changed":{"unit":1,"radius":0}}').word, { unit: 1, radius: 0 });
});

test("numbers that are not finite become 0; wrong types name their field", () => {
  for (const text of ['"NaN"', '"Infinity"', "1e999"]) assert.equal(parseFact(`{"pose":{"x":${text}}}`).word.x, 0);
  for (const [line, place] of [['{"pose":5}', "pose"], ['{"pose":{"x":"far"}}', "pose.x"], ['{"unit":{"pose":{"yaw":{}}}}', "unit.pose.yaw"],
    ['{"owns":{"units":[1,-1]}}', "owns.units.1"], ['{"owns":{"units":7}}', "owns.units"], ['{"you":{"player":4294967296}}', "you.player"], ['{"ready":[]}', "ready"],
    ['{"world":{"tiles":"~"}}', "world.tiles"], ['{"world":{"voxels":"A"}}', "world.voxels"], ['{"world":{"voxels":"ABC=="}}', "world.voxels"], ['{"world":{"tiles":"AA"}}', "world.tiles"],
    ['{"world":{"tiles":"A==="}}', "world.tiles"], ['{"world":{"tiles":"AAAA===="}}', "world.tiles"], ['{"unit":{"alive":"yes"}}', "unit.alive"], ['{"at_us":"x","ready":{}}', "at_us"], ["[]", "message"], ['{"pose":', "message"],
    ["[".repeat(200_000), "message"], ['{"a":'.repeat(200_000), "message"]])
    assert.throws(() => parseFact(line), isPlaced(ProtocolError, place), line.slice(0, 40));
});

test("bytes that are read can be decoded", () => {
  for (const bytes of ["", "AA==", "AAA=", "AAAA", "AB==", "ABC="]) {
    const { kind, word } = parseFact(JSON.stringify({ world: { kind: "TILES", tiles: bytes, voxels: bytes } }));
    for (const shape of ["TILES", "VOXELS"]) new Room().hear({ [kind]: { ...word, kind: shape } }, 0);
  }
});

test("a zone is the token with its id, and its owner is the token's team", () => {
  const room = new Room();
  for (const fact of [{ token: { id: 1, kind: "BASE", team: "RED" } }, { token: { id: 2, team: "RED" } }, { zone: { id: 1, owner: "BLUE" } }]) room.hear(fact, 0);
  assert.deepEqual([...room.tokens.values()], [{ id: 1, kind: "BASE", team: "BLUE" }, { id: 2, team: "RED" }]);
  room.hear({ zone: { id: 1 } }, 0), room.hear({ zone: { id: 3, owner: "BLUE" } }, 0);
  assert.deepEqual([...room.tokens.values()].map(({ team }) => team), ["TEAM_ANY", "RED"]);
});

test("a server cannot fill the room", () => {
  const room = new Room();
  for (let id = 1; id < 5000; ++id) room.hear({ player: { id } }, 0), room.hear({ token: { id } }, 0), room.hear({ zone: { id } }, 0), room.hear({ rule: { name: `r${id}` } }, 0), room.hear({ shot: { shooter: 1, shot: id, life: 9 } }, 0);
  room.hear({ owns: { player: 1, units: Array.from({ length: 10_000 }, (_, i) => i) } }, 0);
  assert.deepEqual([room.players, room.tokens, room.zones, room.rules, room.shots].map(({ size }) => size), [4096, 4096, 1024, 4096, 4096]);
  assert.deepEqual([room.players.get(1).units.length, room.leftOut], [4096, 4 * 903 + 3975]);
});

// -- Hostile servers --------------------------------------------------------------------------------------------------

const bots = new Set();  // of a test whose server is pretended
const connect = (options) => entente.connect(options).then((bot) => (bots.add(bot), bot));

/** Calls `serve(socket, visit)` for each connection, and `call(port, visits())`. Then all bots leave, so that the program ends if a test fails. */
async function withServer(serve, call) {
  const sockets = new Set();
  let visits = 0;
  const server = createServer((socket) => {
    sockets.add(socket), socket.on("error", () => {}), socket.on("close", () => sockets.delete(socket));
    serve(socket, ++visits);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await call(server.address().port, () => visits);
  } finally {
    for (const bot of bots) bot.leave();
    bots.clear();
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Connects to a server that says this, and returns the error that it leads to. */
function endOf(data, then = () => {}, options = {}) {
  return withServer((socket) => (socket.resume(), socket.write(data), then(socket)), async (port) => {
    try {
      const bot = await connect({ port, name: "t", reconnect: false, timeout: SOON, ...options });
      for await (const event of bot.events()) void event;
    } catch (error) {
      return error;
    }
    throw new Error("nothing was wrong");
  });
}

test("what is not the protocol ends the bot", async () => {
  for (const [line, place] of [['{"pose":{"x":\n', "message"], [Buffer.from([0, 255, 254, 10]), "message"], [`${"[".repeat(200_000)}\n`, "message"], ['{"pose":{"x":"east"}}\n', "pose.x"],
    ["HTTP/1.1 200 OK\r\n", "message"]])
    for (const before of ["", WELCOME]) {
      const error = await endOf(Buffer.concat([Buffer.from(before), Buffer.from(line)]));
      assert.ok(isPlaced(ProtocolError, place)(error), String(error));
    }
});

test("unknown kinds, fields and names are ignored, and Kicked has its reason", async () => {
  const error = await endOf(`${WELCOME}{"weather":{"rain":[1]}}\n{"player":{"id":2,"team":"PINK","role":9,"hat":{}}}\n{}\n\n{"__proto__":{"a":1}}\n${lines({ kicked: { text: "bye" } })}`);
  assert.ok(error instanceof Kicked);
  assert.equal(error.message, "bye");
});

test("a line without end", async () => {
  const block = Buffer.alloc(1_000_000, "x");
  const error = await endOf(WELCOME, (socket) => {
    const more = () => { while (!socket.destroyed && socket.write(block)); };
    socket.on("drain", more), more();
  });
  assert.ok(error instanceof ProtocolError && error.message.includes(String(LONGEST_LINE)), String(error));
});

test("a line that comes byte by byte needs no more memory than its bytes", () => {
  const socket = new EventEmitter(), heard = [], kept = () => (collectGarbage(), process.memoryUsage().heapUsed + process.memoryUsage().external);
  new TcpLink(socket, { opened() {}, lines: (lines) => heard.push(...lines), ended: (error) => assert.fail(error) });
  const before = kept(), size = 300_000;
  for (let i = 0; i < size; ++i) socket.emit("data", Buffer.from("x"));
  assert.ok(kept() - before < 10 * size, `${kept() - before} bytes`);
  for (const data of ["y\nz", "z", "\n", "\n", "a\nb\nc", "d\n"]) socket.emit("data", Buffer.from(data));
  assert.deepEqual(heard, [`${"x".repeat(size)}y`, "zz", "", "a", "b", "cd"]);
});

test("silence, progress without end, and a later version", async () => {
  assert.ok(await endOf("", undefined, { timeout: 0.3 }) instanceof TimeLimit);
  const drip = (socket) => { const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write('{"world_progress":{}}\n')), 10); };
  assert.ok(await endOf(lines({ you: { player: 1 } }), drip, { timeout: 0.5 }) instanceof TimeLimit);
  assert.equal((await endOf(lines({ you: { player: 1, contract: 3 } }))).code, "WRONG_VERSION");
});

test("refusals without end are answered slowly, and not for ever", async () => {
  let entered = 0;
  const error = await endOf(lines({ you: { player: 1 } }), (socket) => {
    socket.on("data", (data) => { entered += String(data).split("\n").length - 1; });
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(lines({ refused: { code: "FULL", text: "full", may_retry: true } }))), 1);
  });
  assert.ok(error instanceof Refused && error.code === "FULL" && !error.mayRetry);
  assert.ok(entered < 5, String(entered));
});

test("a refusal that may be tried again is", () => withServer((socket) => {
  let count = 0;
  socket.write(lines({ you: { player: 1 } }));
  socket.on("data", () => socket.write(++count === 1 ? lines({ refused: { code: "FULL", may_retry: true } }) : WELCOME));
}, async (port) => {
  const bot = await connect({ port, name: "t", firstDelay: 0.01 });
  assert.equal(bot.me.name, "t");
  bot.leave();
}));

test("a flood of facts does not keep timers from running, and unread events are bounded", () => {
  const block = lines({ unit: { id: 2, owner: 2, pose: { unit: 2 } } }, { said: { from: 2, text: "spam" } }).repeat(500);
  return withServer((socket) => {
    const more = () => { while (!socket.destroyed && socket.write(block)); };
    socket.resume(), socket.write(WELCOME), socket.on("drain", more), more();
  }, async (port) => {
    const bot = await connect({ port, name: "t", mostEvents: 100 }), unread = bot.events("said");
    for (let turns = 0; turns < 20 || !unread.missed; ++turns) await sleep(1);
    let kept = 0;
    bot.leave();
    for await (const event of unread) kept += event.kind === "said";
    assert.equal(kept, 100);
  });
});

test("a server that does not read is noticed", () => withServer((socket) => (socket.pause(), socket.write(WELCOME)), async (port) => {
  const bot = await connect({ port, name: "t" });
  assert.throws(() => { for (let i = 0; i < 100_000; ++i) bot.send("say", { text: "x".repeat(1000) }); }, ConnectionLost);
  bot.leave();
}));

test("a server that does not read does not keep a program alive whose bot has left", () => withServer((socket) => (socket.pause(), socket.write(WELCOME)), async (port) => {
  const program = `
    import { connect, ConnectionLost } from ${JSON.stringify(`${PACKAGE}index.js`)};
    const bot = await connect({ port: ${port}, name: "t" });
    try { for (;;) bot.send("say", { text: "x".repeat(10_000) }); } catch (error) { if (!(error instanceof ConnectionLost)) throw error; }
    bot.leave();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: ["ignore", "ignore", "inherit"] });
  const late = setTimeout(() => child.kill("SIGKILL"), 1000 * SOON / 4);
  const [code, signal] = await once(child, "exit");
  clearTimeout(late);
  assert.deepEqual([code, signal], [0, null]);
}));

test("a lost connection is made again, with a new room; the first one is not", async () => {
  const port = await withServer((socket, visit) => {
    socket.write(WELCOME + lines({ player: { id: 1 + visit, name: `other${visit}` } }));
    socket.once("data", () => visit < 3 && socket.end());
  }, async (port) => {
    const seen = [];
    const bot = await connect({ port, name: "t", firstDelay: 0.01, on: { connected: () => seen.push("connected"), disconnected: () => seen.push("disconnected") } });
    while (!bot.playerNamed("other3")) await bot.waitFor("player", undefined, { timeout: SOON });
    assert.deepEqual([...bot.room.players.keys()], [1, 4]);
    assert.deepEqual(seen, ["connected", "disconnected", "connected", "disconnected", "connected"]);
    bot.leave();
    return port;
  });
  await assert.rejects(connect({ port }), ConnectionLost);
});

test("a disconnection is told once, however often a new connection fails", async () => {
  const { seen, bot } = await withServer((socket, visit) => (visit === 1 ? socket.write(WELCOME) && socket.once("data", () => socket.end()) : socket.end()), async (port, visits) => {
    const seen = [], tell = ({ kind }) => seen.push(kind);
    const bot = await entente.connect({ port, name: "t", firstDelay: 0.01, longestDelay: 0.01, on: { connected: tell, disconnected: tell } });
    for (const until = performance.now() + 1000 * SOON; visits() < 4 && performance.now() < until;) await sleep(5);
    return { seen, bot };
  });
  await sleep(100);  // nobody listens now
  bot.leave();
  assert.deepEqual(seen, ["connected", "disconnected"]);
});

test("an error in a callback ends the bot, and waits end with it", () => withServer((socket) => (socket.resume(), socket.write(WELCOME), sleep(50).then(() => socket.write(lines({ said: { text: "x" } })))), async (port) => {
  const bot = await connect({ port, name: "t", on: { said: () => { throw new RangeError("mine"); } } });
  await assert.rejects(bot.waitFor("died", undefined, { timeout: SOON }), RangeError);
  await assert.rejects(bot.spawn(), RangeError);
  assert.throws(() => bot.goto(1, 1), RangeError);
}));

test("a callback that fails at a disconnection ends the bot with its error", async () => {
  for (const kind of ["disconnected", "*"]) {
    let fails = false;
    await withServer((socket) => (socket.write(WELCOME), socket.once("data", () => socket.end())), async (port) => {
      const bot = await connect({ port, name: "t", firstDelay: 0.01, on: { [kind]: () => { if (fails) throw new RangeError("mine"); }, connected: () => { fails = true; } } });
      await assert.rejects(bot.waitFor("died", undefined, { timeout: SOON }), RangeError);
      assert.ok(bot.error instanceof RangeError && bot.over);
    });
  }
});

test("a callback that leaves at a disconnection does not connect again", () => withServer((socket) => {
  socket.write(WELCOME);
  socket.on("data", (data) => String(data).includes("bye") && socket.end());
}, async (port, visits) => {
  const bot = await connect({ port, name: "t", firstDelay: 0.01, on: { disconnected: () => bot.leave() } });
  bot.say("bye");
  await assert.rejects(bot.waitFor("died", undefined, { timeout: SOON }), ConnectionLost);
  await sleep(50);
  assert.equal(visits(), 1);
}));

test("an iterator whose loop has ended is forgotten", () => withServer((socket) => {
  socket.write(WELCOME);
  socket.on("data", () => socket.write(lines({ said: { text: "x" } }, { said: { text: "y" } })));
}, async (port) => {
  const bot = await connect({ port, name: "t" });
  const readOne = async () => {
    const read = bot.events("said");
    bot.say("x");
    for await (const { word } of read) if (word.text === "x") break;
    assert.deepEqual(await read.next(), { value: undefined, done: true });
    return new WeakRef(read);
  };
  const read = [await readOne(), await readOne()];
  for (let tries = 0; tries < 1000 && read.some((one) => one.deref()); ++tries) await sleep(1), collectGarbage();
  assert.deepEqual(read.map((one) => one.deref()), [undefined, undefined]);
  bot.leave();
}));

test("a shot is in the air until its life is over", () => {
  const shots = lines({ shot: { shooter: 1, shot: 1, life: 0.001, vx: 1 } }, { shot: { shooter: 1, shot: 2, kind: "RAY", range: 500, vx: 1 } }, { shot: { shooter: 1, shot: 3, life: 1000, vx: 1 } });
  return withServer((socket) => {
    socket.write(WELCOME + shots);
    socket.on("data", () => socket.write(lines({ said: { text: "x" } })));
  }, async (port) => {
    const bot = await connect({ port, name: "t" }), until = performance.now() + 1000 * SOON;
    while (!(bot.room.shots.size === 1 && bot.room.shots.has("1/3")) && performance.now() < until) {
      await sleep(20);
      bot.say("more");
      await bot.waitFor("said", undefined, { timeout: SOON });
    }
    assert.deepEqual([...bot.room.shots.keys()], ["1/3"]);
    bot.leave();
  });
});

test("a wait has a time limit", () => withServer((socket) => (socket.resume(), socket.write(WELCOME)), async (port) => {
  const bot = await connect({ port, name: "t" });
  await assert.rejects(bot.waitFor("died", undefined, { timeout: 0.05 }), { name: "TimeLimit", message: "died did not happen within 0.05 s" });
  await assert.rejects(bot.spawn({ timeout: 0.05 }), TimeLimit);
  bot.leave();
}));

test("a wait may last for months, or for ever", () => withServer((socket) => (socket.resume(), socket.write(WELCOME)), async (port) => {
  const bot = await connect({ port, name: "t", timeout: Infinity });
  for (const timeout of [Infinity, 30 * 86_400]) {
    const wait = bot.waitFor("died", undefined, { timeout });
    assert.equal(await Promise.race([wait.catch((error) => error), sleep(50, "it waits")]), "it waits");
  }
  const waits = [bot.waitFor("died", undefined, { timeout: Infinity }), bot.spawn({ timeout: Infinity })];
  bot.leave();
  for (const wait of waits) await assert.rejects(wait, ConnectionLost);
}));

/** A WebSocket whose server says `lines`, one a frame, then closes with `reason`. Returns what the client sent. */
async function withWebSocket(given, reason, call) {
  const sent = [], before = globalThis.WebSocket;
  globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    bufferedAmount = 0;
    constructor(url) {
      sent.push(url);
      setTimeout(() => { this.onopen(); for (const data of given) this.onmessage({ data }); if (reason) this.onclose({ code: 1000, reason }); });
    }
    send(line) { sent.push(line), this.bufferedAmount += line.length; }
    close() { this.readyState = 3; }
  };
  try {
    await call();
  } finally {
    globalThis.WebSocket = before;
  }
  return sent;
}

test("over a WebSocket, each frame is a line", async () => {
  const frames = WELCOME.trim().split("\n");
  const sent = await withWebSocket(frames, "", async () => {
    const bot = await connect({ host: "::1", port: 1, name: "t", web: true, path: "/play" });
    bot.goto(1, 2);
    assert.throws(() => { for (let i = 0; i < 2000; ++i) bot.send("say", { text: "x".repeat(1000) }); }, ConnectionLost);
    bot.leave();
  });
  assert.deepEqual([sent[0], JSON.parse(sent[1]).enter.contract, sent[2]], ["ws://[::1]:1/play", 2, '{"toward":{"x":1,"y":2}}']);
  await withWebSocket([...frames, "{"], "", () => assert.rejects(connect({ name: "t", web: true, timeout: SOON }).then((bot) => bot.waitFor("died")), ProtocolError));
  await withWebSocket([...frames, new ArrayBuffer(1)], "", () => assert.rejects(connect({ name: "t", web: true, timeout: SOON }).then((bot) => bot.waitFor("died")), ProtocolError));
  await withWebSocket(frames, "too slow", () => assert.rejects(connect({ name: "t", web: true, reconnect: false }).then((bot) => bot.waitFor("died")), /too slow/));
});

const slowly = () => { for (const until = performance.now() + 10; performance.now() < until;); };

test("a slow bot over a WebSocket hears all that was said before the end", async () => {
  const people = Array.from({ length: 20 }, (_, i) => JSON.stringify({ player: { id: i + 2, name: `p${i}` } }));
  for (const [last, kind] of [[{ kicked: { text: "bye" } }, Kicked], [{ refused: { code: "BANNED", text: "bye" } }, Refused]]) {
    const frames = [...WELCOME.trim().split("\n"), ...people, JSON.stringify(last)];
    let left = 0;
    const sent = await withWebSocket(frames, "bye", async () => {
      const on = { player: slowly, disconnected: () => { ++left; } };
      const bot = await connect({ name: "t", web: true, timeout: SOON, firstDelay: 0.01, on });
      await assert.rejects(bot.waitFor("died", undefined, { timeout: SOON }), kind);
      assert.equal(bot.room.players.size, 21);
    });
    assert.deepEqual([sent.filter((line) => line.startsWith("ws:")).length, left], [1, 0]);
  }
});

test("a callback that sends after the end of a connection does not hide its reason", async () => {
  const frames = [...WELCOME.trim().split("\n"), ...Array(20).fill(JSON.stringify({ said: { text: "x" } })), JSON.stringify({ kicked: { text: "bye" } })];
  await withWebSocket(frames, "bye", async () => {
    const on = { said: ({ word }) => (slowly(), bot?.say(word.text)) };
    let bot = null;
    const connected = connect({ name: "t", web: true, timeout: SOON, on }).then((one) => { bot = one; });
    await assert.rejects(connected.then(() => bot.waitFor("died", undefined, { timeout: SOON })), Kicked);
  });
});

test("what waits for a slow bot over a WebSocket is bounded", async () => {
  const frames = [...WELCOME.trim().split("\n"), JSON.stringify({ said: { text: "x" } }), ...Array(3).fill(" ".repeat(12 * 2 ** 20)), JSON.stringify({ kicked: { text: "bye" } })];
  await withWebSocket(frames, "", async () => {
    const bot = await connect({ name: "t", web: true, timeout: SOON, reconnect: false, on: { ready: slowly, said: slowly } });
    await assert.rejects(bot.waitFor("died", undefined, { timeout: SOON }), { name: "ConnectionLost", message: /too slow: more than 32 MiB/ });
  });
});

test("an attempt to enter again on a connection that closes ends this connection, not the program", async () => {
  const said = [{ you: { player: 1 } }, { refused: { code: "FULL", may_retry: true } }].map((fact) => JSON.stringify(fact));
  await withWebSocket(said, "", async () => {
    const Socket = globalThis.WebSocket;
    globalThis.WebSocket = class extends Socket {
      send(line) { super.send(line), this.readyState = 2; }  // it begins to close: nothing more can be sent
    };
    await assert.rejects(connect({ name: "t", web: true, timeout: SOON, firstDelay: 0.01 }), ConnectionLost);
  });
});

test("a program without WebSocket is told so", async () => {
  const before = globalThis.WebSocket;
  globalThis.WebSocket = undefined;
  await assert.rejects(connect({ web: true }), { name: "ConnectionLost", message: /has no WebSocket/ });
  globalThis.WebSocket = before;
});

// -- In arenas --------------------------------------------------------------------------------------------------------

describe("in an arena", () => {
  let arena;
  before(async () => { arena = await openArena({ side: 80, respawn_ms: 1000, reload_ms: 200, ball_damage: 1000, turn_rate: 720, speed: 60 }); });
  after(() => arena.close());
  const enter = (name, more) => connect({ port: arena.port, name, timeout: SOON, ...more });

  test("bots spawn, drive, shoot and die", async () => {
    const [anna, bob] = [await enter("anna"), await enter("bob")];
    await anna.spawn({ timeout: SOON }), await bob.spawn({ timeout: SOON });
    let goal = null;  // in one of eight directions, there is no wall
    for (let eighth = 0; eighth < 8 && !goal; ++eighth) {
      const at = bob.placeOf(bob.unit), way = eighth * Math.PI / 4, ahead = { x: at.x + 10 * Math.cos(way), y: at.y + 10 * Math.sin(way) };
      await bob.arrive(ahead.x, ahead.y, { within: 2, timeout: 5 }).then(() => { goal = ahead; }, (error) => assert.ok(error instanceof TimeLimit));
    }
    assert.ok(goal && distance(bob.unit.track.pose, goal) < 2.5);
    bob.stop();
    const death = bob.waitFor("died", undefined, { timeout: SOON });
    const until = performance.now() + 1000 * SOON;
    while (!anna.me.wins && performance.now() < until) {
      for (const [one, other] of [[anna, bob], [bob, anna]])  // toward each other, and around what is between them
        if (anna.unit && bob.unit && Math.random() < 0.2) Math.random() < 0.7 ? one.follow(other.unit) : one.goto(80 * Math.random() - 40, 80 * Math.random() - 40);
      if (anna.unit && bob.unit) anna.shootAt(bob.unit);
      await sleep(50);
    }
    const { word } = await death;
    assert.deepEqual([word.player, word.killer], [bob.room.me, anna.room.me]);
    await bob.spawn({ timeout: SOON });
    anna.leave(), bob.leave();
  });

  test("chat, to all and to one", async () => {
    const [anna, bob] = [await enter("anna"), await enter("bob")], heard = bob.events("said");
    anna.say("to all"), anna.say("to bob", { to: bob.room.me });
    for (const text of ["to all", "to bob"]) assert.equal((await heard.next()).value.word.text, text);
    anna.leave(), bob.leave();
  });

  test("a spectator's spawn is refused", async () => {
    const bot = await enter("eve", { role: "WATCH" });
    await assert.rejects(bot.spawn({ timeout: SOON }), ClaimRefused);
    assert.throws(() => bot.shootAt({ x: 0, y: 0 }), BadIntent);
    bot.leave();
  });
});

/** What a bot hears and sees in a match against the arena's own bots, after its first step. Its calls depend on the match alone. */
async function match(seed) {
  const arena = await openArena({ lockstep: true, seed, bots: 3, side: 100, reload_ms: 200, respawn_ms: 200 });
  const bot = await connect({ port: arena.port, name: "anna", timeout: SOON }), tape = [];
  await bot.step(1, { timeout: SOON });
  bot.on("*", ({ kind, word, at_us }) => tape.push(JSON.stringify([kind, word, at_us])));
  for (let step = 0; step < 100; ++step) {
    const [nearest] = bot.foes();
    if (!bot.unit) bot.send("spawn");
    else if (nearest) bot.follow(nearest), bot.shootAt(nearest);
    tape.push(JSON.stringify([bot.unit && bot.placeOf(bot.unit), [...bot.room.shots.keys()]]));
    await bot.step(2, { timeout: SOON });
    if (step % 10 === 0) slowly();
  }
  bot.leave();
  await arena.close();
  return tape;
}

test("in a lockstep arena, the same seed and the same calls give the same match", async () => {
  const first = await match(7);
  assert.ok(first.some((line) => line.startsWith('["shot"')));
  assert.deepEqual(await match(7), first);
  assert.notDeepEqual(await match(8), first);
});

test("in a lockstep arena that has run for long, places follow the room's time", () => {
  const unit = { id: 11, owner: 1, alive: true, pose: { unit: 11, vx: 10 } };
  return withServer((socket) => {
    const at = (seconds, fact) => lines({ at_us: String(3_600_000_000 + seconds * 1e6), ...fact });
    socket.write(at(0, { you: { player: 1, contract: 1, newest: 2 } }) + at(0, { rule: { name: "lockstep", value: "1" } }) + at(0, { player: { id: 1, name: "t" } }) +
      at(0, { unit }) + at(0, { owns: { player: 1, units: [11], active: 11 } }) + at(0, { ready: {} }));
    socket.on("data", () => socket.write(at(0.5, { said: { text: "x" } })));
  }, async (port) => {
    const bot = await connect({ port, name: "t" });
    bot.say("x");
    await bot.waitFor("said", undefined, { timeout: SOON });
    for (let i = 0; i < 3; ++i, slowly()) assert.equal(bot.placeOf(bot.unit).x, 5);
    bot.leave();
  });
});

test("a message that the server cannot read is refused with its place", () => withServer((socket) => (socket.resume(), socket.write(WELCOME + lines({ refused: { text: "message 2: Toward.x: expected a number at byte 15" } }))), async (port) => {
  await assert.rejects(connect({ port, name: "t" }).then((bot) => bot.waitFor("died")), { name: "Refused", number: 2, place: "Toward.x: expected a number at byte 15" });
}));

describe("the examples", () => {
  const folder = mkdtempSync(`${tmpdir()}/examples-`), children = [];
  let arena, watcher;
  before(async () => {
    arena = await openArena({ side: 80, reload_ms: 200, respawn_ms: 0, ball_damage: 1000, turn_rate: 720, speed: 60 });
    watcher = await connect({ port: arena.port, name: "watcher", role: "WATCH", timeout: SOON });
  });
  after(async () => {
    for (const child of children) child.kill();
    watcher.leave();
    rmSync(folder, { recursive: true });
    await arena.close();
  });
  const start = (...argv) => children.push(spawn(process.execPath, argv, { stdio: ["ignore", "inherit", "inherit"], cwd: PACKAGE }));
  const example = (name, ...more) => start(`${PACKAGE}examples/${name}`, String(arena.port), ...more);
  async function player(name) {
    while (!watcher.playerNamed(name)) await watcher.waitFor("player", undefined, { timeout: SOON });
    return watcher.playerNamed(name).id;
  }

  /** A player who comes close, so that walls do not matter, and is not hard to hit. */
  async function preyOf(hunter) {
    const prey = await connect({ port: arena.port, name: `prey of ${hunter}`, timeout: SOON });
    (async () => {
      while (!prey.over) {
        await prey.spawn({ timeout: SOON });
        const unit = prey.room.unitOf(prey.playerNamed(hunter)?.id);
        if (unit && Math.random() < 0.7) prey.follow(unit);
        else prey.goto(80 * Math.random() - 40, 80 * Math.random() - 40);
        await sleep(200);
      }
    })().catch(() => {});
    return prey;
  }

  test("are short", () => {
    for (const name of readdirSync(`${PACKAGE}examples`)) assert.ok(readFileSync(`${PACKAGE}examples/${name}`, "utf8").split("\n").length <= 32, name);
  });
  test("follower.js drives", async () => {
    example("follower.js");
    const id = await player("follower"), prey = await preyOf("follower");
    let way = 0, at = null;
    while (way < 20) {
      const { word } = await watcher.waitFor("pose", ({ unit }) => watcher.room.players.get(id).units.includes(unit), { timeout: SOON });
      way += at ? Math.min(distance(at, word), 5) : 0, at = word;
    }
    prey.leave();
  });
  test("hunter.js kills", async () => {
    example("hunter.js");
    const id = await player("hunter"), prey = await preyOf("hunter");
    await watcher.waitFor("died", ({ killer }) => killer === id, { timeout: SOON });
    prey.leave();
  });
  test("chat.js answers", async () => {
    example("chat.js");
    await player("helper");
    for (const [question, answer] of [["who", "hunter"], ["?", "ask me for: score, who"]]) {
      let said = null;  // it hears only what is said once it listens
      for (let tries = 0; tries < SOON && !said; ++tries) {
        const heard = watcher.waitFor("said", ({ from, text }) => from !== watcher.room.me && text.includes(answer), { timeout: 2 });
        watcher.say(`helper, ${question}`);
        said = await heard.catch(() => null);
      }
      assert.ok(said, question);
    }
  });
  test("scores.js writes", async () => {
    example("scores.js", `${folder}/scores.csv`);
    await player("scorer");
    const rows = () => { try { return readFileSync(`${folder}/scores.csv`, "utf8").trim().split("\n"); } catch { return []; } };
    const victim = await connect({ port: arena.port, name: "a, b", timeout: SOON });
    const row = () => rows().find((line) => line.includes('"a, b"'));
    for (let tries = 0; tries < SOON && !row(); ++tries) {  // it writes only what happens once it listens
      await victim.spawn({ timeout: SOON });
      victim.send("death_claim", { why: "BY_ITSELF" });
      await sleep(1000);
    }
    assert.match(row(), /^[\d.]+,"a, b",\d+,\d+,(,,|hunter,\d+,\d+)$/);
    victim.leave();
  });
  test("the bot of the README plays", async () => {
    const code = readFileSync(`${PACKAGE}README.md`, "utf8").split("```js\n")[1].split("```")[0].replace("5100", String(arena.port));
    start("--input-type=module", "--eval", code);
    const id = await player("anna"), prey = await preyOf("anna");
    await watcher.waitFor("shot", ({ shooter }) => shooter === id, { timeout: SOON });
    prey.leave();
  });
});

test("every error of the package is an EntenteError", () => {
  for (const kind of [BadIntent, ClaimRefused, ConnectionLost, Kicked, ProtocolError, Refused, TimeLimit]) assert.ok(new kind("a", "b") instanceof EntenteError);
});
