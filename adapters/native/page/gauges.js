// Health, ammunition and loaded shots of the player who is followed, over the field. Invariant: what is not known is not shown.

const MOST_SLOTS = 10;
const byId = (id) => document.getElementById(id);
const whole = (value) => String(Math.max(0, Math.round(value)));

/** How far each of the gun's slots is loaded, 0 to 1. `fired`: when it shot, in ms. */
export function loaded(fired, slots, reload, now) {
  const busy = fired.map((at) => (now - at) / (1000 * reload)).filter((part) => part < 1).slice(-slots);
  return [...busy.map((part) => Math.max(0, part)), ...Array(Math.max(0, slots - busy.length)).fill(1)];
}

export class Gauges {
  #drawn = "";

  draw(room, player, now) {
    const unit = room.unitOf(player), one = room.players.get(player);
    byId("gauges").hidden = !unit;
    if (!unit) return;
    const health = unit.max_health > 0 ? Math.min(1, Math.max(0, unit.health / unit.max_health)) : -1;
    const reload = room.rule("reload", 0), slots = Math.min(MOST_SLOTS, room.about.most_shots || 1);
    const parts = reload > 0 && unit.kind !== "CELL" ? loaded(one?.fired ?? [], slots, reload, now).map((part) => Math.round(20 * part)) : [];
    const { clip, reserve, blocks, grenades } = one?.ammo ?? {};
    const ammo = one?.ammo ? `${clip ?? 0} / ${reserve ?? 0} rounds, ${blocks ?? 0} blocks, ${grenades ?? 0} grenades` : "";
    const drawn = JSON.stringify([health, parts, ammo]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    byId("health").hidden = health < 0;
    byId("health").textContent = health < 0 ? "" : `Health ${whole(unit.health)}`;
    byId("health").style.setProperty("--part", `${100 * Math.max(0, health)}%`);
    byId("loaded").hidden = parts.length === 0;
    byId("loaded").replaceChildren(...parts.map((part) => {
      const slot = document.createElement("span");
      slot.style.setProperty("--part", `${5 * part}%`);
      return slot;
    }));
    byId("loaded").setAttribute("aria-label", `${parts.filter((part) => part === 20).length} of ${parts.length} shots loaded`);
    byId("ammo").textContent = ammo;
  }
}
