// What a strict TypeScript program can do with the package for bots (adapters/native/clients/js), and what the compiler must refuse.
import { BadIntent, connect, distance, Refused, type Bot, type Event, type Unit } from "entente";
import { openArena } from "entente/arena";

const arena = await openArena({ lockstep: true, seed: 3 });
const bot: Bot = await connect({ port: arena.port, name: "anna", team: "RED", on: { died: (event) => console.log(event.word.killer) } });
const unit: Unit = await bot.spawn({ timeout: 3 });
bot.say("hello", { team: true });
await bot.arrive(1, 2, { within: 3 });
const [foe] = bot.foes();
if (foe) {
  bot.shootAt(foe);
  console.log(distance(bot.placeOf(unit), bot.placeOf(foe)));
}
const died = await bot.waitFor("died", (word) => word.player === bot.me?.id);
const killer: number | undefined = died.word.killer;
for await (const event of bot.events("died", "score")) if (event.kind === "score") console.log(event.word.wins, killer);
for await (const event of bot) {
  const one: Event = event;
  if (one.kind === "disconnected") console.log(one.word.mayRetry);
}
bot.send("change", { team: "RED" });
// @ts-expect-error: there is no such field
bot.send("change", { teem: "RED" });
// @ts-expect-error: there is no such intent
bot.send("chnge", {});
// @ts-expect-error: there is no such team
await connect({ team: "PINK" });
// @ts-expect-error: there is no such event
bot.on("dyed", () => {});
try {
  await bot.step(3);
} catch (error) {
  if (error instanceof Refused) console.log(error.place, error.code);
  else if (error instanceof BadIntent) console.log(error.why);
}
await arena.close();
