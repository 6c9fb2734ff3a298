// node --test operator_dialog_test.mjs: the operator page's questions, on a document that is only pretended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

class Element extends EventTarget {
  children = [];
  disabled = false;
  open = false;
  textContent = "";
  value = "";

  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.children = more; }
  querySelector() { return byId("form"); }
  querySelectorAll() { return []; }
  showModal() { this.open = true; }
  /** As in a browser, the event comes later. */
  close() { this.open = false, queueMicrotask(() => this.dispatchEvent(new Event("close"))); }
}

const elements = new Map();
function byId(id) {
  if (!elements.has(id)) elements.set(id, new Element());
  return elements.get(id);
}
globalThis.document = { getElementById: byId, createElement: () => new Element() };
const { question } = await import("../../../proxy/program/operator/page/dialog.js");

const box = byId("dialog"), go = byId("dialog-do");
const press = (id) => byId(id).dispatchEvent(new Event("click"));
const submit = () => byId("form").dispatchEvent(new Event("submit", { cancelable: true }));

/** Asks a question whose command is answered when answer(wrong) is called. */
function ask(title) {
  let answer;
  question({ title, button: "Do", does: () => new Promise((done) => { answer = done; }) });
  return (wrong) => (answer(wrong), turn());
}

test("an answer closes its question, or shows there what went wrong", async () => {
  const answer = ask("one");
  submit();
  assert.equal(go.disabled, true);
  await answer("no such player");
  assert.deepEqual([box.open, go.disabled, byId("dialog-wrong").textContent], [true, false, "no such player"]);
  submit();
  await turn();
  assert.equal(go.disabled, true);
});

test("an answer that comes late changes no other question", async () => {
  for (const wrong of ["", "the first went wrong"]) {
    const late = ask("the first");
    submit();
    press("dialog-cancel");
    await turn();
    const second = ask("the second");
    assert.equal(go.disabled, false);
    await late(wrong);
    assert.deepEqual([box.open, byId("dialog-title").textContent, byId("dialog-wrong").textContent], [true, "the second", ""]);
    submit();
    assert.equal(go.disabled, true);
    await second("");
    assert.equal(box.open, false);
  }
});

test("an answer after the question was closed does nothing; a question that opens at once after another one works", async () => {
  const late = ask("the first");
  submit();
  press("dialog-cancel");
  const second = ask("the second");  // before the event of the first one's end
  await late("wrong");
  assert.deepEqual([box.open, byId("dialog-wrong").textContent], [true, ""]);
  submit();
  await second("");
  assert.equal(box.open, false);
  submit();  // of no question
});
