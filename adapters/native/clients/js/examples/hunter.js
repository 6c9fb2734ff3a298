// node hunter.js PORT: drives around the nearest foe and shoots at it, with lead.
import { setTimeout as sleep } from "node:timers/promises";
import { connect, distance } from "entente";

const bot = await connect({ port: Number(process.argv[2]), name: "hunter" });
const reload = bot.room.rule("reload", 2) / Math.max(bot.room.about.most_shots, 1);
let loadedAt = 0;

for (;;) {
  const unit = await bot.spawn();
  const [nearest] = bot.foes();
  if (nearest) {
    const at = bot.placeOf(unit), foe = bot.placeOf(nearest), far = distance(at, foe);
    const side = Math.atan2(foe.y - at.y, foe.x - at.x) + (far > 60 ? 0.3 : 1.3);
    bot.goto(at.x + 40 * Math.cos(side), at.y + 40 * Math.sin(side));
    if (far < bot.room.rule("shot_range", 100) && bot.now >= loadedAt) {
      bot.shootAt(nearest);
      loadedAt = bot.now + reload;
    }
  }
  await sleep(100);
}
