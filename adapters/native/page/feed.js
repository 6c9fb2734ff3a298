// The newest events, above the field: who destroyed whom, captures, rounds. Invariant: text only; each disappears after a while. The newest is
// first, and what does not fit beside it is not shown, so that the strip never covers the field.

const MOST = 3, SHOWN = 8000;  // ms
const byId = (id) => document.getElementById(id);

export class Feed {
  constructor() {
    byId("feed").replaceChildren();
  }

  /** `mine`: it is about the player of this page, or the one who is followed. */
  tell(text, mine = false) {
    const line = document.createElement("li");
    line.textContent = text;
    line.title = text;
    line.className = mine ? "me" : "";
    byId("feed").prepend(line);
    while (byId("feed").childElementCount > MOST) byId("feed").lastElementChild.remove();
    setTimeout(() => line.remove(), SHOWN);
  }
}
