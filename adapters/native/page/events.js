// Decides which facts are events: a line of text, a mark on the time bar, a sound. Invariant: while a replay describes another
// moment, no fact is an event; the caller supplies what an event does.
import { teamName } from "./colours.js";
import { deathIn } from "./deaths.js";

export class Events {
  retold = false;      // a replay describes another moment
  #over = false;       // the round is over, so the server removes all players from the field
  #known = new Set();  // players already reported
  #room;
  #does;

  /** `does`: name(player), tell(text), feed(text, mine), note(what, player, by), sound(name, unit, place, shooter), flag(),
    * own(): the player of this page, watched(): the followed player, complete(): the room was described,
    * over(sentence): the round is over; "": another one runs. */
  constructor(room, does) {
    this.#room = room, this.#does = does;
    for (const id of room.players.keys()) this.#known.add(id);
  }

  /** Called before the room takes the fact, because the room then forgets the name of a player who leaves. */
  before(fact) {
    if (fact.clock) this.retold = Boolean(fact.clock.paused) && !fact.clock.speed;
    if (fact.clock && this.retold) this.#does.over("");
    const gone = fact.player_gone && this.#known.delete(fact.player_gone.id);
    if (gone && !this.retold) this.#does.tell(`${this.#does.name(fact.player_gone.id)} left`);
  }

  /** Called after the room has taken the fact. */
  after(kind, word) {
    const isNew = kind === "player" && !this.#known.has(word.id);
    if (isNew) this.#known.add(word.id);
    if (this.retold || !Object.hasOwn(this.#events, kind) || (kind === "player" && !isNew)) return;
    this.#events[kind](word);
  }

  #events = {
    died: ({ player = 0, unit = 0, killer = 0, why = "BY_SHOT" }) => {
      const { name, tell, feed, note, sound, own, watched } = this.#does;
      const body = this.#room.units.get(unit)?.kind ?? "TANK", by = killer && killer !== player ? name(killer) : "";
      if (why === "BY_SERVER" && this.#over) return;
      note("KILL", player, killer === player ? 0 : killer);
      const sentence = deathIn({ killer: by, victim: name(player), why, body });
      tell(sentence);
      feed(sentence, [own(), watched()].some((id) => id && (player === id || killer === id)));
      sound(player === watched() ? "death" : "boom", this.#room.units.get(unit));
    },
    said: ({ from = 0 }) => from && this.#does.note("CHAT", from),
    player: ({ id, name }) => {
      if (this.#does.complete() && id !== this.#does.own()) this.#does.tell(`${name || `player ${id}`} joined`), this.#does.note("JOIN", id);
    },
    shot: ({ shooter, x = 0, y = 0 }) => this.#does.sound("shot", null, { x, y }, shooter),
    health: ({ unit, by }) => by && this.#does.sound("hit", this.#room.units.get(unit)),
    token_captured: ({ by, team }) => {
      const sentence = `${this.#does.name(by)} captured the ${teamName(team)} flag`.replace("  ", " ");
      this.#does.note("CAPTURE", by), this.#does.tell(sentence), this.#does.feed(sentence), this.#does.flag();
    },
    token_taken: ({ by }) => by === this.#does.own() && this.#does.flag(),
    round: ({ state = "RUNNING", winner = 0, winning_team: team = "TEAM_ANY", another = false }) => {
      const was = this.#over, who = winner ? this.#does.name(winner) : teamName(team) && `Team ${teamName(team)}`;
      this.#over = state === "OVER";
      if (!this.#over) this.#does.over("");
      if (!this.#over || was) return;
      const sentence = `The round is over${who ? `: ${who} won` : ""}${another ? ". The next one begins soon" : ""}`;
      this.#does.tell(sentence), this.#does.feed(sentence), this.#does.over(sentence);
    },
  };
}
