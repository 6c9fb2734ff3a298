// The operator page: asks once a second, and shows what it hears.
// Invariant: it shows only what the program has said. Who plays, servers, bans and recordings are asked for together, so that
// they belong to one moment.
import { commands } from "./commands.js";
import { Histories, pastOf } from "./history.js";
import { Locked, ask, token } from "./link.js";
import { Chart, button, byId, element, keep, tell } from "./parts.js";
import { recordingRows } from "./recordings.js";
import { age, bytes, counted, rate, until } from "./text.js";

const EVERY = 1000;        // ms
const MOST_PLAYERS = 300;  // rows
const QUESTIONS = ["list", "routes", "servers", "bans", "access", "recordings", "older", "hooks", "rules", "lists", "lab"];

/** A route's name. After an upgrade, the process from before it may still have players: its routes are told apart. */
const nameOf = (one) => one.process ? `${one.route} (process ${one.process}, from before the upgrade)` : one.route ?? "";

let histories = new Histories();
let sortBy = "Name", downwards = false;
let seen = null, timer = 0, lostSince = 0, visit = 0;

// -- Totals -----------------------------------------------------------------------------------------------------------

const sum = (rows, field) => rows.reduce((all, row) => all + row[field], 0);

function card(title) {
  const node = element("div", "", "card");
  node.number = element("div", "", "number");
  node.chart = new Chart(title);
  node.more = element("div", "", "soft");
  node.append(element("div", title, "name"), node.number, node.chart.node, node.more);
  byId("totals").append(node);
  return node;
}

const tiles = { players: card("Players"), down: card("To players"), up: card("To servers"), refused: card("Refused") };

function showTotals({ list, routes, servers }, now) {
  const players = histories.of("players"), down = histories.of("down"), up = histories.of("up"), refused = histories.of("refused");
  players.add(list.length);
  down.count(sum(routes, "to_client"), now);
  up.count(sum(routes, "to_server"), now);
  refused.count(sum(routes, "refused"), now);
  const bots = list.filter((one) => one.client === null).length, ready = servers.filter((one) => one.state.startsWith("up")).length;
  const waiting = sum(routes, "waiting"), older = list.filter((one) => one.process).length;
  const each = [[tiles.players, players, String], [tiles.down, down, rate], [tiles.up, up, rate], [tiles.refused, refused, (value) => `${value.toFixed(1)}/s`]];
  for (const [tile, history, text] of each) tile.chart.draw(history, null, text);
  tell(tiles.players.number, list.length);
  tell(tiles.players.more, [counted(routes.filter((one) => !one.process).length, "route"), older ? `${older} in the process from before the upgrade` : "", ...seen.older.filter((one) => one.silent).map((one) => `process ${one.process}, from before the upgrade, does not answer`), bots ? counted(bots, "bot") : "", waiting ? `${waiting} waiting for a server` : ""].filter(Boolean).join(", "));
  tell(tiles.down.number, rate(down.now));
  tell(tiles.down.more, `${bytes(sum(routes, "to_client"))} so far`);
  tell(tiles.up.number, rate(up.now));
  tell(tiles.up.more, servers.length ? `${ready} of ${counted(servers.length, "server")} up` : `${bytes(sum(routes, "to_server"))} so far`);
  tell(tiles.refused.number, sum(routes, "refused"));
  tell(tiles.refused.more, "clients turned away, or ended for a rule or limit");
}

// -- Routes -----------------------------------------------------------------------------------------------------------

const tone = (state) => state.includes("drained") || state.includes("full") ? "warn" : state.startsWith("up") ? "good" : state.startsWith("down") ? "bad" : "";

function serverLine() {
  const node = element("li"), state = element("span", "", "badge"), what = element("span", "", "what"), act = button("", () => {
    node.drained ? commands.undrainServer(node.server) : commands.drainServer(node.server);
  });
  node.append(state, what, act);
  node.update = (one) => {
    node.server = one.server;
    node.drained = one.state.includes("drained");
    state.className = `badge ${tone(one.state)}`;
    tell(state, one.state);
    tell(what, [one.server, one.dialect, counted(one.sessions, "player"), one.seconds === null ? "" : `for ${age(one.seconds)}`, one.why].filter(Boolean).join(" · "));
    tell(act, node.drained ? "Use again" : "Drain");
    act.hidden = Boolean(one.process);
  };
  return node;
}

function routeCard() {
  const node = element("article", "", "card"), title = element("h3"), badges = element("div", "", "bar"), number = element("div", "", "number"), facts = element("div", "", "soft");
  const people = new Chart("Players"), traffic = new Chart("Traffic to players"), legend = element("div", "", "legend soft");
  const down = element("span", "", "down"), up = element("span", "", "up"), servers = element("ul", "", "servers"), acts = element("div", "", "bar");
  const draining = element("span", "draining", "badge warn"), arena = element("span", "", "badge");
  const drains = button("", () => node.draining ? commands.undrain(node.route) : commands.drain(node.route));
  badges.append(number, draining, arena);
  legend.append(down, up);
  acts.append(button("Say …", () => commands.say(node.route)), drains);
  node.append(title, badges, people.node, facts, traffic.node, legend, servers, acts);
  node.update = (one) => {
    node.route = one.route;
    node.draining = one.draining;
    tell(title, nameOf(one));
    acts.hidden = Boolean(one.process);
    tell(number, counted(one.sessions, "player"));
    draining.hidden = !one.draining;
    arena.hidden = !one.arena;
    tell(arena, one.arena ?? "");
    tell(facts, [`${one.opened} so far`, `${one.refused} refused`, one.waiting ? `${one.waiting} waiting` : ""].filter(Boolean).join(" · "));
    const its = (name) => histories.of(`${name} ${nameOf(one)}`);
    people.draw(its("players"), null, String);
    traffic.draw(its("down"), its("up"), rate);
    tell(down, `to players ${rate(its("down").now)}`);
    tell(up, `to servers ${rate(its("up").now)}`);
    tell(drains, one.draining ? "Take newcomers" : "Drain …");
    keep(servers, seen.servers.filter((server) => nameOf(server) === nameOf(one)), (server) => server.server, serverLine);
  };
  return node;
}

function showRoutes({ routes }, now) {
  for (const one of routes) {
    histories.of(`players ${nameOf(one)}`).add(one.sessions);
    histories.of(`down ${nameOf(one)}`).count(one.to_client, now);
    histories.of(`up ${nameOf(one)}`).count(one.to_server, now);
  }
  keep(byId("routes"), routes, nameOf, routeCard);
}

// -- Tables -----------------------------------------------------------------------------------------------------------

/** A row whose cells are `columns`: [label, text of an item, class]. `acts`: its buttons. */
function row(columns, acts) {
  const node = element("tr"), cells = columns.map(([label, , name]) => {
    const cell = element("td", "", name ?? "");
    cell.dataset.label = label;
    cell.append(element("span", "", "theirs"));
    return cell;
  });
  const buttons = element("td", "", "acts");
  const update = acts(node, buttons);
  node.append(...cells, buttons);
  node.update = (item) => {
    node.item = item;
    columns.forEach(([, text], i) => tell(cells[i].firstChild, text(item)));
    update?.(item);
  };
  return node;
}

/** Into an arena there is no connection to a server. */
function serverOf(one) {
  const arena = seen?.routes.find((route) => nameOf(route) === nameOf(one))?.arena;
  return arena ? `arena ${arena}` : one.server;
}

const speed = (one) => histories.of(`link ${one.link}`).now;
const PLAYER_COLUMNS = [
  ["Name", (one) => one.player ?? `(link ${one.link})`, "", (one) => (one.player ?? "\uffff").toLowerCase()],
  ["Game", (one) => one.game, "", (one) => one.game],
  ["Address", (one) => one.client === null ? "bot" : one.source ? `${one.client} (as ${one.source})` : one.client, "", (one) => one.client ?? ""],
  ["Route", nameOf, "", nameOf],
  ["Server", serverOf, "", serverOf],
  ["Time", (one) => age(one.seconds), "figure", (one) => one.seconds],
  ["Traffic", (one) => `${rate(speed(one))}, ${bytes(one.bytes)}`, "figure", speed],
];
const keyOf = (label) => PLAYER_COLUMNS.find(([name]) => name === label)[3];

function playerRow() {
  return row(PLAYER_COLUMNS, (node, cell) => {
    const bans = button("Ban …", () => commands.ban(node.item), true);
    const others = () => seen.routes.filter((route) => !route.process && route.route !== node.item.route).map(nameOf);
    const moves = button("Move …", () => commands.move(node.item, others()));
    cell.append(moves, button("Kick …", () => commands.kick(node.item)), bans);
    return (one) => {
      bans.hidden = one.client === null;
      moves.hidden = one.client === null || Boolean(one.process) || others().length === 0;
    };
  });
}

function showPlayers({ list }, now) {
  for (const one of list) histories.of(`link ${one.link}`).count(one.bytes, now);
  drawPlayers();
}

function drawPlayers() {
  if (!seen) return;
  const wanted = byId("find").value.trim().toLowerCase(), key = keyOf(sortBy);
  const fits = (one) => !wanted || PLAYER_COLUMNS.slice(0, 5).some(([, text]) => text(one).toLowerCase().includes(wanted));
  const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.link - b.link) * (downwards ? -1 : 1);
  const found = seen.list.filter(fits).sort(compare), shown = found.slice(0, MOST_PLAYERS);
  keep(byId("players").tBodies[0], shown, (one) => one.link, playerRow);
  byId("players").hidden = found.length === 0;
  const more = found.length > shown.length ? `; ${shown.length} shown, narrow it down above` : "";
  tell(byId("found"), seen.list.length === 0 ? "Nobody plays." : wanted ? `${found.length} of ${seen.list.length}${more}` : `${counted(found.length, "player")}${more}`);
  for (const head of byId("player-heads").children)
    if (head.dataset.label) head.ariaSort = head.dataset.label === sortBy ? (downwards ? "descending" : "ascending") : "none";
}

for (const [label, , name] of PLAYER_COLUMNS) {
  const head = element("th", "", name ?? "");
  head.scope = "col";
  head.dataset.label = label;
  head.append(button(label, () => { downwards = sortBy === label ? !downwards : false, sortBy = label, drawPlayers(); }));
  byId("player-heads").append(head);
}
byId("player-heads").append(element("th"));

const BAN_COLUMNS = [["Address", (one) => one.address], ["Until", (one) => until(one.until)], ["By", (one) => one.by === "server" ? "a server" : "us"], ["Why", (one) => one.why ?? ""], ["Where", (one) => one.where ?? "everywhere"]];

function showBans({ bans }) {
  byId("no-bans").hidden = bans.length > 0;
  byId("bans").hidden = bans.length === 0;
  keep(byId("bans").tBodies[0], bans, (one) => `${one.address} ${one.by} ${one.where}`, () => row(BAN_COLUMNS, (node, cell) => {
    cell.append(button("Lift …", () => commands.unban(node.item)));
  }));
}

const ACCESS_COLUMNS = [["Network", (one) => one.network], ["List", (one) => one.list], ["By", (one) => one.by], ["Note", (one) => one.why ?? ""]];

function showAccess({ access }) {
  byId("no-access").hidden = access.length > 0;
  byId("access-list").hidden = access.length === 0;
  keep(byId("access-list").tBodies[0], access, (one) => `${one.network} ${one.list} ${one.by}`, () => row(ACCESS_COLUMNS, (node, cell) => {
    const takes = button("Take out …", () => commands.unlist(node.item));
    cell.append(takes);
    return (one) => { takes.hidden = one.by !== "us"; };
  }));
}

const RECORDING_COLUMNS = [
  ["Route", (one) => one.name],
  ["State", (one) => one.recording === "on" ? "recording" : one.recording],
  ["Size", (one) => one.recording !== "off" ? bytes(one.bytes) : "", "figure"],
  ["Since", (one) => one.recording !== "off" ? age(one.seconds) : "", "figure"],
  ["Files", (one) => one.files.join(", ")],
];

function showRecordings({ recordings }) {
  byId("recording").hidden = recordings.length === 0;
  keep(byId("recordings").tBodies[0], recordingRows(recordings), (one) => one.key, () => row(RECORDING_COLUMNS, (node, cell) => {
    const acts = [["start", "Start"], ["rotate", "New file"], ["stop", "Stop"]].map(([order, text]) => [order, button(text, () => commands.record(order, node.item), order === "stop")]);
    cell.append(...acts.map(([, act]) => act));
    return (one) => { for (const [order, act] of acts) act.hidden = !one.orders.includes(order); };
  }));
}

/** Tables of what not every configuration has: a table and the link to it are there while it has rows. `ask`: the command that it shows. */
const OPTIONAL = [
  {
    ask: "hooks", title: "Hooks", key: (one) => one.hook, fails: (one) => Boolean(one.error),
    columns: [
      ["Hook", (one) => one.hook],
      ["To", (one) => one.to],
      ["State", (one) => one.error ? `fails: ${one.error}` : "works"],
      ["Waiting", (one) => String(one.waiting), "figure"],
      ["Sent", (one) => String(one.sent), "figure"],
      ["Lost", (one) => String(one.given_up + one.dropped), "figure"],
    ],
    acts: [["Test", (one) => commands.testHook(one)]],
  },
  {
    ask: "rules", title: "Rules", key: (one) => `${one.of}/${one.rule}`, fails: (one) => one.off_in_rooms > 0,
    columns: [
      ["Of", (one) => one.of],
      ["Rule", (one) => one.rule],
      ["State", (one) => one.off_in_rooms ? `off in ${counted(one.off_in_rooms, "room")}: ${one.why}` : "on"],
      ["Orders", (one) => String(one.orders), "figure"],
      ["Reports", (one) => String(one.reports), "figure"],
    ],
    acts: [],
  },
  {
    ask: "lists", title: "Public lists", key: (one) => `${one.route}/${one.list}`, fails: (one) => Boolean(one.error),
    columns: [
      ["Listener", (one) => one.route],
      ["List", (one) => one.list],
      ["State", (one) => one.error ? `fails: ${one.error}` : one.listed ? "listed" : "not listed"],
    ],
    acts: [],
  },
  {
    ask: "lab", title: "Faults on purpose", key: (one) => one.route, has: (one) => one.session === "all",
    columns: [
      ["Route", (one) => one.route],
      ["Faults", (one) => one.lab],
      ["Made to server", (one) => one.to_server],
      ["Made to client", (one) => one.to_client],
    ],
    acts: [["Change …", (one) => commands.changeLab(one)], ["Off", (one) => commands.endLab(one), (one) => one.lab !== "off"]],
  },
];

for (const one of OPTIONAL) {
  const section = element("section"), title = element("h2", one.title), table = element("table", "", "list"), heads = element("tr");
  title.id = `${one.ask}-title`;
  section.setAttribute("aria-labelledby", title.id);
  table.id = one.ask;
  for (const [label, , name] of one.columns) heads.append(Object.assign(element("th", label, name ?? ""), { scope: "col" }));
  heads.append(element("th"));
  table.append(element("thead"), element("tbody"));
  table.tHead.append(heads);
  section.append(title, table);
  byId("done-title").parentNode.before(section);
  const link = Object.assign(element("a", one.title), { href: `#${title.id}` });
  byId("jumps").lastElementChild.before(link, " ");
  one.show = (answer) => {
    const rows = answer.filter(one.has ?? (() => true));
    section.hidden = link.hidden = rows.length === 0;
    keep(table.tBodies[0], rows, one.key, () => row(one.columns, (node, cell) => {
      const buttons = one.acts.map(([text, does]) => button(text, () => does(node.item)));
      cell.append(...buttons);
      return (item) => {
        node.className = one.fails?.(item) ? "bad" : "";
        one.acts.forEach(([, , fits], i) => { buttons[i].hidden = Boolean(fits) && !fits(item); });
      };
    }));
  };
}

// -- Coming and going -------------------------------------------------------------------------------------------------

function state(text, name = "") {
  tell(byId("state"), text);
  byId("state").className = name;
}

/** Adds what the processes from before an upgrade still have. */
function addOlder({ process, list = [], routes = [], servers = [] }) {
  const there = (one) => one.sessions > 0, labelled = (one) => ({ ...one, process });
  for (const one of list) seen.list.push(labelled(one));
  for (const one of routes.filter(there)) seen.routes.push(labelled(one));
  for (const one of servers.filter(there)) seen.servers.push(labelled(one));
}

function show(answers) {
  const now = performance.now();
  // A command that this program does not have is answered by an error.
  seen = Object.fromEntries(QUESTIONS.map((name, i) => [name, Array.isArray(answers[i]) ? answers[i] : []]));
  seen.older.forEach(addOlder);
  showTotals(seen, now);
  showRoutes(seen, now);
  showPlayers(seen, now);
  showBans(seen);
  showAccess(seen);
  showRecordings(seen);
  for (const one of OPTIONAL) one.show(seen[one.ask]);
  histories.tidy();
}

/** The graphs begin with what the program has kept. */
async function fetchPast() {
  const [samples] = await ask("history");
  if (!Array.isArray(samples)) return;
  for (const [name, past] of Object.entries(pastOf(samples))) histories.of(name).begin(past);
}

function open() {
  byId("unlock").hidden = true;
  byId("board").hidden = byId("lock").hidden = byId("jumps").hidden = false;
}

function lock(why = "") {
  token.forget();
  clearTimeout(timer);
  visit++;
  seen = null;
  histories = new Histories();
  byId("unlock").hidden = false;
  byId("board").hidden = byId("lock").hidden = byId("jumps").hidden = true;
  byId("done").replaceChildren();
  byId("token").value = "";
  tell(byId("refused"), why);
  state("locked");
  byId("token").focus();
}

async function turn() {
  const mine = visit;
  clearTimeout(timer);
  try {
    const answers = await ask(...QUESTIONS);
    if (mine !== visit) return;
    if (!seen) await fetchPast();
    if (mine !== visit) return;
    lostSince = 0;
    open();
    show(answers);
    state("live", "live");
  } catch (failed) {
    if (mine !== visit) return;
    if (failed instanceof Locked) return lock(failed.message);
    lostSince ||= performance.now();
    state(`no answer for ${age((performance.now() - lostSince) / 1000)}: ${failed.message}`, "lost");
    if (!seen) tell(byId("refused"), failed.message);
  }
  timer = setTimeout(turn, EVERY);
}

byId("unlock").addEventListener("submit", (event) => {
  event.preventDefault();
  token.set(byId("token").value.trim());
  byId("token").value = "";
  byId("refused").textContent = "";
  state("asking …");
  visit++;
  turn();
});
byId("lock").addEventListener("click", () => lock());
byId("find").addEventListener("input", drawPlayers);
byId("add-ban").addEventListener("click", () => commands.ban(null));
byId("add-allowed").addEventListener("click", () => commands.listNetwork("allow"));
byId("add-denied").addEventListener("click", () => commands.listNetwork("deny"));
byId("all-routes").append(button("Say to all …", () => commands.say("")), button("Drain all …", () => commands.drain("")), button("Reload the configuration …", () => commands.reload()));
if (token.get()) turn();
