// Deaths in words: who destroyed whom, by what; and what became of the player whom the view follows. Invariant: pure; names are given.

const HOW = {
  BY_TOUCH: ["ran over", "was run over"], BY_HEADSHOT: ["shot the head of", "was shot in the head"], BY_MELEE: ["struck down", "was struck down"],
  BY_GRENADE: ["blew up", "was blown up"], BY_CAPTURE: ["captured the flag of", "lost the flag"], BY_GENOCIDE: ["wiped out", "was wiped out"],
  BY_FALL: ["let fall", "fell to death"], BY_WATER: ["drowned", "drowned"], BY_SERVER: ["ended", "was removed by the server"], BY_DRIVER: ["crushed", "was crushed"],
  BY_ITSELF: ["destroyed", "destroyed itself"],
};
const BODIES = { CELL: ["ate", "was eaten"], MAN: ["killed", "was killed"] };

/** "anna destroyed bob". `killer`: empty if nobody did it, or the victim itself. `body`: the victim's Unit.kind. */
export function deathIn({ killer = "", victim, why = "BY_SHOT", body = "TANK" }) {
  const [did, was] = (why === "BY_TOUCH" && body === "CELL" ? BODIES.CELL : Object.hasOwn(HOW, why) ? HOW[why] : BODIES[body]) ?? ["destroyed", "was destroyed"];
  return killer && killer !== victim ? `${killer} ${did} ${victim}` : `${victim} ${was}`;
}

const PART = 1 / 3;  // of the field, at each edge

/** "in the north-east of the field", "in the middle of the field". Empty without a world. */
export function placeIn(world, { x = 0, y = 0 } = {}) {
  const { west = 0, east = 0, south = 0, north = 0 } = world ?? {};
  if (!(east > west) || !(north > south)) return "";
  const side = (part, low, high) => (part < PART ? low : part > 1 - PART ? high : "");
  const up = side((y - south) / (north - south), "south", "north"), right = side((x - west) / (east - west), "west", "east");
  return `in the ${up && right ? `${up}-${right}` : up || right || "middle"} of the field`;
}

/** Where each player's last unit was destroyed. A unit that is back, and a replay that goes elsewhere, make it out of date. */
export class LastDeaths {
  #of = new Map();  // player: { killer, why, body, x, y }

  /** `unit`: the one that was destroyed, at `pose`. */
  note({ player, killer = 0, why = "BY_SHOT" }, unit, pose) {
    this.#of.set(player, { killer: killer === player ? 0 : killer, why, body: unit?.kind ?? "TANK", x: pose?.x, y: pose?.y });
  }

  forget(player) { this.#of.delete(player); }
  clear() { this.#of.clear(); }
  of(player) { return this.#of.get(player); }
}

/** A line about the followed player; empty if there is none. `name(id)` is a player's name, `death` that of LastDeaths. */
export function whereabouts(room, player, death, name) {
  if (!player) return "";
  const one = room.players.get(player), who = name(player);
  if (!one) return `${who} has left. Choose another name to follow.`;
  if (room.unitOf(player)) return `Following ${who}`;
  if (one.role === "WATCH") return `${who} only watches.`;
  if (room.unitsOf(player).some((unit) => unit.alive)) return `Following ${who}, who cannot be seen now`;
  if (!death) return room.unitsOf(player).length > 0 ? `${who} is dead, and waits to come back.` : `${who} is not on the field.`;
  const sentence = deathIn({ killer: death.killer ? name(death.killer) : "", victim: who, why: death.why, body: death.body });
  const where = death.x === undefined ? "" : placeIn(room.world, death);
  return `${sentence}${where ? ` ${where}` : ""}. ${who} waits to come back.`;
}
