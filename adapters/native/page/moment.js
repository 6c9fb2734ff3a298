// A link to a moment of a recording, or to a part of it, and to a player: "#at=1:20&to=1:50&follow=anna". It uses no
// element of the page.
import { timeText } from "./playback.js";

/** The time in seconds; null if the text is not a time. */
function secondsIn(text) {
  const time = /^(?:(\d{1,4}):)?(?:(\d{1,4}):)?(\d{1,7}(?:\.\d{1,6})?)$/.exec(text ?? "");
  if (!time) return null;
  const [first, second, last] = [time[1], time[2], time[3]].map((part) => Number(part ?? 0));
  return (time[2] === undefined ? first * 60 : first * 3600 + second * 60) + last;
}

/** { at, to, follow } of a link's fragment: seconds, seconds or null, and a name or "". Null if it names no moment. */
export function momentIn(fragment) {
  const wish = new URLSearchParams(fragment.replace(/^#/, "")), at = secondsIn(wish.get("at")), to = secondsIn(wish.get("to"));
  return at === null ? null : { at, to: to > at ? to : null, follow: (wish.get("follow") ?? "").slice(0, 64) };
}

/** What is wrong with a link's fragment, for people; empty: nothing. */
export function faultOf(fragment) {
  const text = fragment.replace(/^#/, "");
  if (!text) return "";
  const wish = new URLSearchParams(text), at = wish.get("at"), to = wish.get("to"), example = "A link to a moment ends like #at=1:20&follow=anna.";
  if (at === null) return `This link names no moment: “#${shortly(text)}”. ${example}`;
  if (secondsIn(at) === null) return `“${shortly(at)}” in this link is not a time. ${example}`;
  if (to !== null && secondsIn(to) === null) return `“${shortly(to)}” in this link is not a time: the part has no end.`;
  return to !== null && secondsIn(to) <= secondsIn(at) ? `In this link, the part ends (${shortly(to)}) before it begins (${shortly(at)}): it has no end.` : "";
}

/** Text of a link as shown to people. */
function shortly(text) {
  let plain = text;
  try { plain = decodeURIComponent(text); } catch { /* shown as it is */ }
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}

/** A name as a shell takes it. */
const quoted = (name) => (/^[\w.+][\w.+-]*$/.test(name) ? name : `'${name.startsWith("-") ? "./" : ""}${name.replaceAll("'", "'\\''")}'`);

/** The command that cuts a part out of a file. Times count from the beginning of the file, on the page, too. */
export const clipCommand = (file, from, to) =>
  `entente clip ${quoted(file)} --from ${timeText(from)} --to ${timeText(Math.ceil(to))} -o clip.mcap`;

/** `to`: where a part ends; null if the link names only a moment. */
export const fragmentOf = (seconds, name = "", to = null) =>
  `#at=${timeText(seconds)}${to === null ? "" : `&to=${timeText(Math.ceil(to))}`}${name ? `&follow=${encodeURIComponent(name)}` : ""}`;
