// Elements, lists that change in place, and charts.
// Invariant: what players wrote is set as text, never as markup, and cannot hide or reorder what is around it (plain()). An element stays while its item does, so that a click or a
// focus survives the next second.

import { FEWEST } from "./history.js";
import { plain } from "./text.js";

export const byId = (id) => document.getElementById(id);

export function element(tag, text = "", name = "") {
  const made = document.createElement(tag);
  if (text !== "") made.textContent = plain(text);
  if (name) made.className = name;
  return made;
}

/** Changes the text only if it differs. */
export function tell(node, text) {
  const shown = plain(text);
  if (node.textContent !== shown) node.textContent = shown;
}

export function button(text, pressed, grave = false) {
  const made = element("button", text, grave ? "grave" : "");
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
}

/** Makes, updates, orders and removes the children of `parent`, one for each item. `make()` returns a node with an `update(item)`. */
export function keep(parent, items, keyOf, make) {
  parent.kept ??= new Map();
  const left = new Set(parent.kept.keys());
  let before = null;
  for (const item of items) {
    const key = keyOf(item);
    left.delete(key);
    if (!parent.kept.has(key)) parent.kept.set(key, make(item));
    const node = parent.kept.get(key), place = before ? before.nextSibling : parent.firstChild;
    node.update(item);
    if (node !== place) parent.insertBefore(node, place);
    before = node;
  }
  for (const key of left) parent.kept.get(key).remove(), parent.kept.delete(key);
}

// -- Charts -----------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg", WIDTH = 300, HEIGHT = 60;

function line(values, most, width) {
  const step = WIDTH / (width - 1), first = width - values.length;
  return values.map((value, i) => `${i ? "L" : "M"}${((first + i) * step).toFixed(1)} ${(HEIGHT - 2 - (HEIGHT - 6) * value / most).toFixed(1)}`).join("");
}

/** Draws up to two histories above each other; they end at the right edge, and the highest value is at the top. */
export class Chart {
  constructor(label) {
    this.label = label;
    this.node = document.createElementNS(SVG, "svg");
    this.node.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.node.setAttribute("preserveAspectRatio", "none");
    this.node.setAttribute("class", "chart");
    this.node.setAttribute("role", "img");
    [this.area, this.down, this.up] = ["area", "down", "up"].map((name) => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", name);
      this.node.append(path);
      return path;
    });
  }

  /** `tellValue`: a value as text. */
  draw(down, up, tellValue) {
    const most = Math.max(down.most, up?.most ?? 0) || 1, width = Math.max(FEWEST, down.values.length);
    const shape = line(down.values, most, width);
    this.down.setAttribute("d", shape);
    this.up.setAttribute("d", up ? line(up.values, most, width) : "");
    const first = WIDTH - (down.values.length - 1) * WIDTH / (width - 1);
    this.area.setAttribute("d", shape && `${shape}L${WIDTH} ${HEIGHT}L${first.toFixed(1)} ${HEIGHT}Z`);
    this.node.setAttribute("aria-label", `${this.label}: now ${tellValue(down.now)}, at most ${tellValue(down.most)} in the last ten minutes`);
  }
}
