// What an operator can do: each asks first, gives one command, and shows the answer.
import { LENGTHS, question } from "./dialog.js";
import { ask } from "./link.js";
import { byId, element } from "./parts.js";
import { quoted } from "./text.js";

const MOST_SHOWN = 100;

const lasts = (length) => length ? ` --for ${length}` : "";
const why = (text) => text ? ` --why ${quoted(text)}` : "";
const what = (route) => route ? ` ${quoted(route)}` : "";
const whoIs = (player) => player.player ?? `link ${player.link}`;

/** Gives a command and notes the answer. Returns what went wrong, or "". */
export async function give(line, words) {
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

export function kick(player) {
  question({
    title: `Disconnect ${whoIs(player)}?`, about: `${player.game}, ${player.client ?? "a bot"}. Nothing keeps the player from coming back.`, button: "Disconnect", grave: true,
    fields: { why: { label: "Reason (the player sees it, if the game can show it)" } },
    does: (values) => give(`kick ${player.link}${why(values.why)}`, `disconnect ${whoIs(player)}`),
  });
}

export function ban(player) {
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

export function unban(entry) {
  question({ title: `Lift the ban of ${entry.address}?`, button: "Lift the ban", does: () => give(`unban ${entry.address}`, `lift the ban of ${entry.address}`) });
}

/** `route`: "" for all. */
export function say(route) {
  question({
    title: route ? `Say something to the players of ${route}` : "Say something to all players", button: "Say", fields: { text: { label: "Text", required: true } },
    does: (values) => give(`say${route ? ` --route ${quoted(route)}` : ""} ${quoted(values.text)}`, "say"),
  });
}

export function drain(route) {
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

export const undrain = (route) => give(`undrain${what(route)}`, `take newcomers on ${route || "all routes"}`);

export function drainServer(server) {
  question({
    title: `Send no new players to ${server}?`, about: "Its players go on.", button: "Drain this server", grave: true,
    does: () => give(`drain ${quoted(server)}`, `drain the server ${server}`),
  });
}

export const undrainServer = (server) => give(`undrain ${quoted(server)}`, `use the server ${server} again`);

export const record = (order, entry) => give(`record ${order} ${entry.route}`, `${order} the recording of ${entry.name}`);
