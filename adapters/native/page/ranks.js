// The order of the score board, as in each game's own client. Law: pure; spectators are last.

/** Ace of Spades counts kills, team by team; Ogar's own board is beside ours; BZFlag and the others count wins minus losses. */
const points = (game, { wins, losses }) => (game === "aos" || game === "ogar" ? wins : wins - losses);

export function ranked(game, players) {
  const all = [...players], total = new Map();
  for (const one of all) total.set(one.team, (total.get(one.team) ?? 0) + points(game, one));
  const watches = (one) => (one.role === "WATCH" ? 1 : 0);
  const side = (a, b) => (game === "aos" && a.team !== b.team ? total.get(b.team) - total.get(a.team) || (a.team < b.team ? -1 : 1) : 0);
  return all.sort((a, b) => watches(a) - watches(b) || side(a, b) || points(game, b) - points(game, a) || a.id - b.id);
}
