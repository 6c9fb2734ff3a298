// node --test stats_page_test.mjs: the page of `entente stats --html`, on a document that is only pretended.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInThisContext } from "node:vm";

const SCRIPT = readFileSync(new URL("../../../proxy/program/numbers/page/stats.js", import.meta.url), "utf8");

class Element {
  children = [];
  style = {};
  attributes = {};
  hidden = true;
  textContent = "";

  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.children = more; }
  setAttribute(name, value) { this.attributes[name] = value; }
  removeAttribute(name) { delete this.attributes[name]; }
  querySelector(tag) { return this[tag] ??= new Element(); }
}

/** Runs the page's script. Returns its elements by id. */
function show(data) {
  const elements = {};
  const byId = (id) => elements[id] ??= new Element();
  byId("data").textContent = JSON.stringify(data);
  Object.assign(globalThis, {
    document: { getElementById: byId, createElement: () => new Element(), createElementNS: () => new Element() },
    matchMedia: () => new EventTarget(), addEventListener() {}, innerWidth: 1000,
  });
  runInThisContext(SCRIPT);
  return elements;
}

const player = (number, name, kills, deaths) => ({ player: number, name, team: "red", role: "play", kills, deaths, team_kills: 0, streak: 0, distance_m: 0 });
const report = { recording: "a.mcap", length_s: 10, ended_s: 10, kills: 0, deaths: 0, matches: [{ match: 1, began_s: 0, ended_s: 10, over: true }], causes: [], maps: [], moments: [] };

test("a report of as many pairs of killer and victim as there can be is shown to its end", () => {
  const many = Array.from({ length: 200_000 }, (_, at) => ({ killer: 2, victim: 3 + at, times: 1 }));
  many[150_000] = { killer: 1, victim: 2, times: 4 };
  const page = show({ ...report, deaths: 1, players: [player(1, "anna", 4, 0), player(2, "bob", 0, 4)], killed: many });
  const [, body] = page.killed.table.children, [, , bob] = body.children[0].children;
  assert.equal(bob.textContent, "4");
  assert.match(bob.style.background, /65%/);  // the most
  assert.equal(page.matches.hidden, false);
});
