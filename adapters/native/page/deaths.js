// Deaths in words: who destroyed whom, by what. Law: pure; names are given.

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
