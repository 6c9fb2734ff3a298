// node --test operator_page_test.mjs: the numbers that the operator page shows, and the commands that it writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Histories, History, KEPT } from "../../../proxy/program/operator/page/history.js";
import { age, bytes, counted, quoted, rate, until } from "../../../proxy/program/operator/page/text.js";

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
