// node chat.js PORT: answers lines of chat that begin with its name, such as "helper, score".
import { connect } from "entente";

const bot = await connect({ port: Number(process.argv[2]), name: "helper", role: "WATCH" });

for await (const { word: said } of bot.events("said")) {
  const [name, question] = said.text.split(", "), asker = bot.room.players.get(said.from);
  if (said.from === bot.room.me || name !== bot.me.name) continue;
  if (question === "score" && asker) bot.say(`${asker.name}, you have ${asker.wins} wins and ${asker.losses} losses`);
  else if (question === "who") bot.say([...bot.room.players.values()].filter(({ role }) => role === "PLAY").map((one) => one.name).sort().join(", "));
  else bot.say("ask me for: score, who");
}
