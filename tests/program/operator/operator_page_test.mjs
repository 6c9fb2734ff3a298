// node --test operator_page_test.mjs: the numbers that the operator page shows, and the commands that it writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Histories, History, KEPT, pastOf } from "../../../proxy/program/operator/page/history.js";
import { recordLine, recordingRows } from "../../../proxy/program/operator/page/recordings.js";
import { age, bytes, counted, plain, quoted, rate, until } from "../../../proxy/program/operator/page/text.js";

test("sizes and times are short", () => {
  assert.deepEqual([0, 812, 999.4, 1000, 1449, 99_449, 999_499, 999_500, 5e9, 2e15].map(bytes),
                   ["0 B", "812 B", "999 B", "1.0 kB", "1.4 kB", "99.4 kB", "999 kB", "1.0 MB", "5.0 GB", "2000 TB"]);
  assert.equal(rate(22_900), "22.9 kB/s");
  assert.deepEqual([0, 59, 60, 3599, 3600, 11_100, 86_400, 187_200].map(age), ["0 s", "59 s", "1 min", "59 min", "1 h 00", "3 h 05", "1 d 0 h", "2 d 4 h"]);
  assert.deepEqual([counted(1, "bot"), counted(2, "bot")], ["1 bot", "2 bots"]);
  assert.equal(until("forever"), "forever");
  assert.notEqual(until("2026-11-22T20:00:00Z"), "2026-11-22T20:00:00Z");
});

test("a text is quoted as one argument, whatever it contains", () => {
  assert.equal(quoted("be nice"), '"be nice"');
  assert.equal(quoted('say "hi" \\ bye'), '"say \\"hi\\" \\\\ bye"');
  assert.equal(quoted("a\nunban 192.0.2.7\u0000\u007f"), '"a unban 192.0.2.7  "');
});

test("each recording has a row, and its buttons act on this recording alone", () => {
  const entry = (route, name, recording) => ({ route, name, recording, bytes: 0, seconds: 0, files: [] });
  const rows = recordingRows([
    entry(1, "ctf", "on"), entry(2, "new", "off"), entry(1, "lobby", "on, draining"), entry(2, "ctf", "on, draining"), entry(3, "ctf", "off, draining"), entry(4, "gone", "off, draining")]);
  assert.equal(new Set(rows.map((one) => one.key)).size, rows.length);
  assert.deepEqual(rows.map((one) => one.orders), [["rotate", "stop"], ["start"], ["rotate", "stop"], [], [], []]);
  assert.equal(recordLine("stop", rows[2]), 'record stop "lobby"');
  assert.equal(recordingRows([entry(1, "a", "on"), entry(2, "b", "on")])[1].key, recordingRows([entry(1, "b", "failing")])[0].key);  // its row stays
});

test("letters that are not seen, or that turn the text around them, are written out", () => {
  assert.equal(plain("anna \u05d0\u05d1 Жук 日本"), "anna \u05d0\u05d1 Жук 日本");
  assert.equal(plain("ab\u202Edcba"), "ab‹U+202E›dcba");
  assert.equal(plain("a\u200Bn\u2066n\u2069a\uFEFF\u061C\u0007"), "a‹U+200B›n‹U+2066›n‹U+2069›a‹U+FEFF›‹U+061C›‹U+0007›");
  assert.equal(plain(12), "12");
});

test("a history begins with what the program has kept", () => {
  const sample = (seconds_ago, route, sessions, to_client, refused) => ({ route, seconds_ago, sessions, to_client, to_server: 0, refused });
  const past = pastOf([sample(12, "a", 1, 1000, 0), sample(12, "b", 2, 0, 5), sample(7, "a", 1, 6000, 0), sample(7, "b", 3, 500, 10), sample(2, "a", 0, 6000, 0)]);
  assert.deepEqual(past["players a"], [[1, 5], [1, 5], [0, 2]]);
  assert.deepEqual(past["down a"], [[0, 5], [1000, 5], [0, 2]]);
  assert.deepEqual(past.players, [[3, 5], [4, 5], [0, 2]]);
  assert.deepEqual(past.down, [[0, 5], [1100, 5], [0, 2]]);
  assert.deepEqual(past.refused, [[0, 5], [1, 5], [0, 2]]);
  assert.deepEqual(pastOf([]), {});
  const history = new History();
  history.begin(past.players);
  assert.deepEqual(history.values, [3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 0, 0]);
  history.add(9);
  assert.equal(history.now, 9);
  history.begin([[1, 2 * KEPT]]);
  assert.equal(history.values.length, KEPT);
  assert.equal(history.now, 9);
});

test("rates come from counters; a restart does not count", () => {
  const history = new History();
  history.count(1000, 0);
  history.count(3000, 1000);
  history.count(3000, 2000);
  history.count(4000, 2500);
  history.count(10, 3500);
  history.count(10, 3500);
  assert.deepEqual(history.values, [0, 2000, 0, 2000, 0, 0]);
  assert.equal(history.most, 2000);
});

test("a history is bounded, and histories that are no longer used are removed", () => {
  const history = new History();
  for (let i = 0; i < 2 * KEPT; ++i) history.add(i);
  assert.equal(history.values.length, KEPT);
  assert.equal(history.now, 2 * KEPT - 1);
  const all = new Histories();
  all.of("a").add(1);
  all.of("b").add(2);
  all.tidy();
  all.of("a");
  all.tidy();
  assert.equal(all.of("a").now, 1);
  assert.equal(all.of("b").now, 0);
});
