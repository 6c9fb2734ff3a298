// The recordings of routes and arenas. A route that a reload has removed or replaced drains; a route of the same name may be served meanwhile.
import { quoted } from "./text.js";

const drains = (one) => one.recording.endsWith("draining");

/** The recordings, each with a `key` of its own, and the orders that the program would give to this one and to no other. */
export function recordingRows(recordings) {
  const times = {};
  return recordings.map((one) => {
    const kind = `${one.name}${drains(one) ? " draining" : ""}`, isOff = one.recording.startsWith("off");
    times[kind] = (times[kind] ?? 0) + 1;
    const isMeant = !drains(one) || recordings.filter((other) => other.name === one.name).length === 1;
    const orders = !isMeant ? [] : !isOff ? ["rotate", "stop"] : drains(one) ? [] : ["start"];
    return { ...one, key: `${kind} ${times[kind]}`, orders };
  });
}

/** By name: the number of a route that drains may be that of another route. */
export const recordLine = (order, entry) => `record ${order} ${quoted(entry.name)}`;
