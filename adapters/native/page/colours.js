// The colours of teams. Where there is room, a team is also shown by name.

const TEAMS = {
  ROGUE: ["rogue", "#d9c840"],
  RED: ["red", "#ff6b5e"],
  GREEN: ["green", "#5fd068"],
  BLUE: ["blue", "#6ea8ff"],
  PURPLE: ["purple", "#cf86f5"],
  YELLOW: ["yellow", "#ffe066"],
  RABBIT: ["rabbit", "#f2f2f2"],
  HUNTER: ["hunter", "#ff9f45"],
};
const NO_TEAM = ["", "#b9c4cf"];

const look = (team) => (Object.hasOwn(TEAMS, team) ? TEAMS[team] : NO_TEAM);

export const teamName = (team) => look(team)[0];
export const teamColour = (team) => look(team)[1];

/** 0xRRGGBB; 0: the team's colour. */
export const colourOf = (number, team) =>
  (number > 0 ? `#${(number & 0xffffff).toString(16).padStart(6, "0")}` : teamColour(team));
