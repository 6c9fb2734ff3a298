// The newest events, over the field: who destroyed whom, captures, rounds. Law: text only; each disappears after a while.

const MOST = 6, SHOWN = 8000;  // ms
const byId = (id) => document.getElementById(id);

export class Feed {
  constructor() {
    byId("feed").replaceChildren();
  }

  /** `mine`: it is about the player of this page. */
  tell(text, mine = false) {
    const line = document.createElement("li");
    line.textContent = text;
    line.className = mine ? "me" : "";
    byId("feed").append(line);
    while (byId("feed").childElementCount > MOST) byId("feed").firstElementChild.remove();
    setTimeout(() => line.remove(), SHOWN);
  }
}
