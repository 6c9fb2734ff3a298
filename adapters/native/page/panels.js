// What is read beside the field: who plays and how well, what was said and what happened.
// Law: whatever players call themselves or say is text and nothing else.
import { teamColour, teamName } from "./colours.js";

const MOST_LINES = 200;

const element = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });
const byId = (id) => document.getElementById(id);

export class Panels {
  #drawn = "";

  /** `follow(player)`: its name was chosen in the table. */
  constructor(follow) {
    this.follow = follow;
    byId("log").replaceChildren();
  }

  status(text) {
    const line = byId("status");
    if (line.textContent !== text) line.textContent = text;
  }

  /** `who`: its name if a player said it; else something happened. */
  tell(text, who = "") {
    const log = byId("log"), line = element("p", "", who ? "" : "event");
    if (who) line.append(element("span", who, "who"), ": ");
    line.append(text);
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.append(line);
    while (log.childElementCount > MOST_LINES) log.firstElementChild.remove();
    if (atEnd) log.scrollTop = log.scrollHeight;
  }

  /** Tells what is to be done about something, with a button for it; without a text, nothing is. */
  notice(text = "", button = "", pressed = null) {
    const asked = byId("notice"), again = byId("again");
    asked.hidden = !text;
    byId("notice-text").textContent = text;
    again.textContent = button;
    again.onclick = pressed;
    again.hidden = !button;
  }

  /** Draws the tables anew if they changed: a button that has the focus keeps it. */
  draw(room) {
    const rows = [...room.players.values()].sort((a, b) => (b.wins - b.losses) - (a.wins - a.losses) || a.id - b.id);
    const leaders = room.board.map((row) => row.name || room.players.get(row.player)?.name || "?");
    const drawn = JSON.stringify([rows, leaders, room.me]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = document.activeElement?.dataset.player;
    byId("scores").replaceChildren(...rows.map((player) => this.#row(player, player.id === room.me)));
    if (focused) document.querySelector(`[data-player="${Number(focused)}"]`)?.focus();
    byId("board").hidden = leaders.length === 0;
    byId("board").replaceChildren(...leaders.map((leader) => element("li", leader)));
  }

  #row(player, me) {
    const row = element("tr", "", me ? "me" : ""), name = element("td"), team = element("td"), mark = element("span", "", "team");
    const choose = element("button", player.name || `player ${player.id}`);
    choose.type = "button";
    choose.title = "look at";
    choose.dataset.player = player.id;
    choose.onclick = () => this.follow(player.id);
    name.append(choose);
    mark.style.background = teamColour(player.team);
    team.append(mark, player.role === "WATCH" ? "watches" : teamName(player.team));
    row.append(name, team, element("td", String(player.wins)), element("td", String(player.losses)));
    return row;
  }
}
