// The texts beside the field: scores, chat, events, notices.
// Invariant: names and chat of players are shown as text, never as markup.
import { teamColour, teamName } from "./colours.js";
import { ranked } from "./scores.js";

const MOST_LINES = 200;

const element = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });
const byId = (id) => document.getElementById(id);

/** Changes the text only if it differs, so that it is read out once. */
const tellIn = (id, text) => { if (byId(id).textContent !== text) byId(id).textContent = text; };

/** The newest line of the log is in view, unless the viewer has scrolled away from it. */
let atEnd = true;
const toEnd = () => { if (atEnd) byId("log").scrollTop = byId("log").scrollHeight; };

export class Panels {
  #drawn = "";

  /** Calls `follow(player)` when a name in the table is chosen. */
  constructor(follow) {
    this.follow = follow;
    const log = byId("log");
    log.replaceChildren();
    atEnd = true;
    log.onscroll = () => { atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4; };
    Panels.#resized.observe(log);
  }

  status(text) { tellIn("status", text); }

  /** The line about the followed player. */
  follows(text) {
    tellIn("whom", text);
    byId("whom").title = text;
  }

  static #resized = new ResizeObserver(toEnd);

  /** `who`: the name of the player who wrote it; empty for an event. */
  tell(text, who = "") {
    const log = byId("log"), line = element("p", "", who ? "" : "event");
    if (who) line.append(element("span", who, "who"), ": ");
    line.append(text);
    log.append(line);
    while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
    toEnd();
  }

  /** Shows a notice with a button; without a text, hides it. */
  notice(text = "", button = "", pressed = null) {
    const asked = byId("notice"), again = byId("again");
    asked.hidden = !text;
    tellIn("notice-text", text);
    again.textContent = button;
    again.onclick = pressed;
    again.hidden = !button;
  }

  /** Renames the notice's button; without a name, hides it. */
  button(name) {
    const again = byId("again");
    if (again.textContent !== name) again.textContent = name, again.hidden = !name;
  }

  /** Redraws the tables if they changed; a focused button keeps the focus. */
  draw(room, followed = 0) {
    const rows = ranked(room.about.game, room.players.values()).map(({ id, name, team, role, wins, losses }) => ({ id, name, team, role, wins, losses }));
    const sides = [...room.teams.values()].filter((one) => one.size > 0 || one.wins > 0).map(({ team, wins, losses }) => ({ team, wins, losses }));
    const leaders = room.board.map((row) => row.name || room.players.get(row.player)?.name || "?");
    const drawn = JSON.stringify([rows, leaders, sides, room.me, followed]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = document.activeElement?.dataset.player;
    byId("scores").replaceChildren(...rows.map((player) => this.#row(player, `${player.id === room.me ? "me" : ""} ${player.id === followed ? "followed" : ""}`)));
    if (focused) document.querySelector(`[data-player="${Number(focused)}"]`)?.focus();
    byId("sides").hidden = sides.length === 0;
    byId("sides").textContent = sides.map(({ team, wins, losses }) => `${teamName(team) || "no team"} ${wins}${losses ? ` : ${losses}` : ""}`).join(", ");
    byId("board").hidden = leaders.length === 0;
    byId("board").replaceChildren(...leaders.map((leader) => element("li", leader)));
  }

  #row(player, kind) {
    const row = element("tr", "", kind.trim()), name = element("td"), team = element("td"), mark = element("span", "", "team");
    const choose = element("button", player.name || `player ${player.id}`);
    choose.type = "button";
    choose.title = "follow this player";
    choose.dataset.player = player.id;
    choose.onclick = () => this.follow(player.id);
    name.append(choose);
    mark.style.background = teamColour(player.team);
    team.append(mark, player.role === "WATCH" ? "spectator" : teamName(player.team));
    row.append(name, team, ...[player.wins, player.losses].map((points) => element("td", player.role === "WATCH" ? "" : String(points))));
    return row;
  }
}
