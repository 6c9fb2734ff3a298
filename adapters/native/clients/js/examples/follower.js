// node follower.js PORT: drives after the nearest player, and greets whoever kills it.
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "entente";

const bot = await connect({ port: Number(process.argv[2]), name: "follower" });
bot.on("died", ({ word: { player, killer } }) => {
  const winner = bot.room.players.get(killer);
  if (player === bot.room.me && winner) bot.say(`well shot, ${winner.name}`);
});

for (;;) {
  await bot.spawn();
  const [nearest] = bot.others();
  if (nearest) bot.follow(nearest);
  await sleep(200);
}
