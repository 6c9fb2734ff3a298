// node scores.js PORT FILE: writes a line of CSV for each death: time, victim, killer, and their scores.
import { appendFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "entente";

const [port, file] = process.argv.slice(2);
const bot = await connect({ port: Number(port), name: "scorer", role: "WATCH" });
const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
writeFileSync(file, "seconds,victim,wins,losses,killer,wins,losses\n");

for await (const { word: died, at_us } of bot.events("died")) {
  await sleep(100);  // the scores follow the death
  const cells = [died.player, died.killer].flatMap((id) => {
    const player = bot.room.players.get(id);
    return player ? [cell(player.name), player.wins, player.losses] : ["", "", ""];
  });
  appendFileSync(file, `${[(at_us / 1e6).toFixed(2), ...cells].join(",")}\n`);
}
