// What an operator can do: each asks first, gives one command, and shows the answer.
import { LENGTHS, question } from "./dialog.js";
import { ask } from "./link.js";
import { byId, element } from "./parts.js";
import { recordLine } from "./recordings.js";
import { quoted } from "./text.js";

const MOST_SHOWN = 100;

const lasts = (length) => length ? ` --for ${length}` : "";
const why = (text) => text ? ` --why ${quoted(text)}` : "";
const what = (route) => route ? ` ${quoted(route)}` : "";
const whoIs = (player) => player.player ?? `link ${player.link}`;

/** Gives a command and notes the answer. Returns what went wrong, or "". */
async function give(line, words) {
  let answer;
  try {
    [answer] = await ask(line);
  } catch (failed) {
    answer = { error: failed.message };
  }
  const wrong = answer.error ?? "";
  const entry = element("li", `${new Date().toLocaleTimeString()}  ${words}: `);
  entry.append(element("span", wrong || answer.done || "done", wrong ? "bad" : "good"));
  byId("done").prepend(entry);
  while (byId("done").childElementCount > MOST_SHOWN) byId("done").lastElementChild.remove();
  return wrong;
}

function kick(player) {
  question({
    title: `Disconnect ${whoIs(player)}?`, about: `${player.game}, ${player.client ?? "a bot"}. Nothing keeps the player from coming back.`, button: "Disconnect", grave: true,
    fields: { why: { label: "Reason (the player sees it, if the game can show it)" } },
    does: (values) => give(`kick ${player.link}${why(values.why)}`, `disconnect ${whoIs(player)}`),
  });
}

function ban(player) {
  question({
    title: player ? `Ban the address of ${whoIs(player)}?` : "Add a ban", button: "Ban", grave: true,
    about: player ? `${player.client}. Everybody with this address is disconnected, and kept out of all routes.` : "Everybody with this address is disconnected, and kept out of all routes.",
    fields: {
      ...player ? {} : { who: { label: "Address, network or name of a player", placeholder: "192.0.2.7 or 192.0.2.0/24", required: true } },
      time: { label: "For how long", options: LENGTHS, value: "1d" },
      why: { label: "Reason (the player sees it, if the game can show it)" },
    },
    does: (values) => give(`ban ${player ? player.client : quoted(values.who)}${lasts(values.time)}${why(values.why)}`, `ban ${player ? whoIs(player) : values.who}`),
  });
}

function unban(entry) {
  question({ title: `Lift the ban of ${entry.address}?`, button: "Lift the ban", does: () => give(`unban ${entry.address}`, `lift the ban of ${entry.address}`) });
}

/** `routes`: those that the player may be moved to, by name. */
function move(player, routes) {
  question({
    title: `Move ${whoIs(player)} to another route?`, about: "The player goes on there. A client that cannot be moved is told where to connect.", button: "Move",
    fields: { route: { label: "Route", options: routes.map((route) => [route, route]), required: true } },
    does: (values) => give(`move ${player.link} ${quoted(values.route)}`, `move ${whoIs(player)}`),
  });
}

/** `list`: "allow" or "deny". `address`: "" to ask for it. */
function listNetwork(list, address = "") {
  const denies = list === "deny";
  question({
    title: denies ? "Deny an address or a network" : "Allow an address or a network", button: denies ? "Deny" : "Allow", grave: denies,
    about: denies ? "Its newcomers are turned away from all routes. Who plays goes on; a ban ends that, too." : "It is let in although a larger network is denied. This lifts no ban.",
    fields: {
      who: { label: "Address or network", placeholder: "192.0.2.7 or 192.0.2.0/24", value: address, required: true },
      why: { label: "Note for other operators (optional)" },
    },
    does: (values) => give(`${list} ${quoted(values.who)}${why(values.why)}`, `${list} ${values.who}`),
  });
}

function unlist(entry) {
  question({ title: `Take ${entry.network} out of the list?`, about: `It is in the list "${entry.list}".`, button: "Take out", does: () => give(`unlist ${entry.network}`, `take out ${entry.network}`) });
}

function reload() {
  question({
    title: "Reload the configuration?", about: "The configuration file is read again. If it has an error, nothing changes, and the error is shown. Players go on.", button: "Reload",
    does: () => give("reload", "reload the configuration"),
  });
}

/** `route`: "" for all. */
function say(route) {
  question({
    title: route ? `Say something to the players of ${route}` : "Say something to all players", button: "Say", fields: { text: { label: "Text", required: true } },
    does: (values) => give(`say${route ? ` --route ${quoted(route)}` : ""} ${quoted(values.text)}`, "say"),
  });
}

function drain(route) {
  question({
    title: route ? `Drain ${route}?` : "Drain all routes?", button: "Drain", grave: true,
    about: "Newcomers are turned away; players go on, for the time that you choose.",
    fields: {
      time: { label: "Players may go on", options: [["", "until they leave"], ["1m", "for 1 minute"], ["10m", "for 10 minutes"], ["1h", "for 1 hour"]] },
      say: { label: "Tell the players (optional)" },
    },
    does: (values) => give(`drain${what(route)}${lasts(values.time)}${values.say ? ` --say ${quoted(values.say)}` : ""}`, `drain ${route || "all routes"}`),
  });
}

const undrain = (route) => give(`undrain${what(route)}`, `take newcomers on ${route || "all routes"}`);

function drainServer(server) {
  question({
    title: `Send no new players to ${server}?`, about: "Its players go on.", button: "Drain this server", grave: true,
    does: () => give(`drain ${quoted(server)}`, `drain the server ${server}`),
  });
}

const undrainServer = (server) => give(`undrain ${quoted(server)}`, `use the server ${server} again`);

const record = (order, entry) => give(recordLine(order, entry), `${order} the recording of ${entry.name}`);

const testHook = (entry) => give(`hooks test ${entry.hook}`, `test the hook ${entry.hook}`);

/** `entry`: of a route, as the command `lab` shows it. */
function changeLab(entry) {
  question({
    title: `Change the faults of ${entry.route}`, about: "They are made from now on, also to sessions that are open.", button: "Change", grave: true,
    fields: { faults: { label: "Faults", value: entry.lab === "off" ? "" : entry.lab, placeholder: "to_server: loss=2%, delay=80ms±20ms; seed=7", required: true } },
    does: (values) => give(`lab ${quoted(entry.route)} ${quoted(values.faults)}`, `change the faults of ${entry.route}`),
  });
}

const endLab = (entry) => give(`lab ${quoted(entry.route)} off`, `end the faults of ${entry.route}`);

export const commands = { kick, ban, unban, move, listNetwork, unlist, reload, say, drain, undrain, drainServer, undrainServer, record, testHook, changeLab, endLab };
