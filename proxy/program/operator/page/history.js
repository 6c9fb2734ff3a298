// What the charts show: values of the last ten minutes, and rates from counters. They begin with what the program has kept.
// Invariant: a counter that falls, because the program was restarted, begins anew.

export const KEPT = 600, FEWEST = 60;  // values, one a second; a chart is at least so wide

export class History {
  values = [];
  #last = null;

  add(value) {
    this.values.push(value);
    if (this.values.length > KEPT) this.values.shift();
    return value;
  }

  /** Adds the rate per second since the last time. `now`: milliseconds. */
  count(total, now) {
    const last = this.#last;
    this.#last = { total, now };
    if (!last || total < last.total || now <= last.now) return this.add(0);
    return this.add((total - last.total) * 1000 / (now - last.now));
  }

  /** Begins with values of the past: [value, seconds that it lasted], the oldest first. */
  begin(past) {
    const values = past.flatMap(([value, seconds]) => Array(Math.min(KEPT, Math.max(0, seconds))).fill(value));
    this.values = [...values, ...this.values].slice(-KEPT);
  }

  get now() { return this.values.at(-1) ?? 0; }
  get most() { return Math.max(0, ...this.values); }
}

/** Histories by name; those that are not asked for between two calls of tidy() are forgotten. */
export class Histories {
  #all = new Map();
  #used = new Set();

  of(name) {
    this.#used.add(name);
    if (!this.#all.has(name)) this.#all.set(name, new History());
    return this.#all.get(name);
  }

  tidy() {
    for (const name of this.#all.keys()) if (!this.#used.has(name)) this.#all.delete(name);
    this.#used.clear();
  }
}

/** The past of each route, and of all together, from the program's samples: { name: [[value, seconds], …] } by the names of histories. */
export function pastOf(samples) {
  const past = {}, times = [...new Set(samples.map((one) => one.seconds_ago))].sort((a, b) => b - a);
  const add = (name, value, seconds) => { (past[name] ??= []).push([value, seconds]); };
  let before = new Map();
  for (const [i, ago] of times.entries()) {
    const seconds = i + 1 < times.length ? ago - times[i + 1] : ago, since = i > 0 ? times[i - 1] - ago : 0;
    const routes = samples.filter((one) => one.seconds_ago === ago), sum = { players: 0, down: 0, up: 0, refused: 0 };
    for (const one of routes) {
      const was = before.get(one.route), rate = (field) => (was && since > 0 ? Math.max(0, one[field] - was[field]) / since : 0);
      const values = { players: one.sessions, down: rate("to_client"), up: rate("to_server"), refused: rate("refused") };
      for (const [name, value] of Object.entries(values)) sum[name] += value, name !== "refused" && add(`${name} ${one.route}`, value, seconds);
    }
    for (const [name, value] of Object.entries(sum)) add(name, value, seconds);
    before = new Map(routes.map((one) => [one.route, one]));
  }
  return past;
}
