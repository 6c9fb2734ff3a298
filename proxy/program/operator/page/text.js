// Numbers, times and commands as text.

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** "812 B", "1.4 MB" */
export function bytes(count) {
  let unit = 0;
  while (count >= 999.5 && unit < UNITS.length - 1) count /= 1000, unit++;
  return `${unit === 0 || count >= 99.5 ? Math.round(count) : count.toFixed(1)} ${UNITS[unit]}`;
}

export const rate = (perSecond) => `${bytes(perSecond)}/s`;

/** "45 s", "12 min", "3 h 05", "2 d 4 h" */
export function age(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, "0")}`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Text of others as it is, but letters that are not seen or that turn the text around them are written out: "‹U+202E›". */
export const plain = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
  (letter) => `‹U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);

export const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** One argument of a command, whatever is in it. Control characters cannot be in a command. */
export function quoted(text) {
  return `"${text.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/[\\"]/g, "\\$&")}"`;
}

/** "2026-11-22T20:00:00Z" in local time; "forever" as it is. */
export function until(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}
