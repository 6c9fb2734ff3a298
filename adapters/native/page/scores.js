// Scores: their order, as in each game's own client, and the final board over the field, once the recording, the round or the connection is
// over. Invariant: spectators are last; names of players are shown as text, never as markup.
import { teamColour, teamName } from "./colours.js";

/** Ace of Spades counts kills, team by team; Ogar's own board is beside ours; BZFlag and the others count wins minus losses. */
const points = (game, { wins, losses }) => (game === "aos" || game === "ogar" ? wins : wins - losses);

export function ranked(game, players) {
  const all = [...players], total = new Map();
  for (const one of all) total.set(one.team, (total.get(one.team) ?? 0) + points(game, one));
  const watches = (one) => (one.role === "WATCH" ? 1 : 0);
  const side = (a, b) => (game === "aos" && a.team !== b.team ? total.get(b.team) - total.get(a.team) || (a.team < b.team ? -1 : 1) : 0);
  return all.sort((a, b) => watches(a) - watches(b) || side(a, b) || points(game, b) - points(game, a) || a.id - b.id);
}

const byId = (id) => document.getElementById(id);
const element = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

/** The rows of the board: players, with their places; equal scores share one. */
export function standings(room) {
  const players = ranked(room.about.game, room.players.values()).filter(({ role }) => role !== "WATCH");
  let place = 0;
  return players.map((one, i) => {
    const before = players[i - 1];
    if (!before || before.wins !== one.wins || before.losses !== one.losses) place = i + 1;
    return { place, id: one.id, name: one.name || `player ${one.id}`, team: one.team, wins: one.wins, losses: one.losses };
  });
}

export class Final {
  #shown = "";   // why
  #closed = "";  // why the viewer has closed it

  constructor() {
    this.hide();
    byId("final-close").onclick = () => { this.#closed = this.#shown, this.hide(), byId("field").focus(); };
  }

  /** `why`: the heading. A board that the viewer has closed stays closed until the reason changes. */
  show(room, why) {
    const rows = standings(room);
    if (this.#shown === why || this.#closed === why || rows.length === 0) return;
    this.#shown = why;
    byId("final-title").textContent = why;
    byId("final-rows").replaceChildren(...rows.map((one) => {
      const row = element("tr", "", one.id === room.me ? "me" : ""), team = element("td"), mark = element("span", "", "team");
      mark.style.background = teamColour(one.team);
      team.append(mark, teamName(one.team));
      row.append(element("td", String(one.place)), element("td", one.name, "theirs"), team, element("td", String(one.wins)), element("td", String(one.losses)));
      return row;
    }));
    byId("final").hidden = false;
  }

  /** The reason is gone: the next one shows it again. */
  hide(reset = false) {
    if (reset) this.#closed = "";
    this.#shown = "";
    byId("final").hidden = true;
  }
}
