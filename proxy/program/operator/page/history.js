// What the charts show: values of the last minutes, and rates from counters.
// Law: a counter that falls, because the program was restarted, begins anew.

export const KEPT = 300, FEWEST = 60;  // values, one a second; a chart is at least so wide

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
