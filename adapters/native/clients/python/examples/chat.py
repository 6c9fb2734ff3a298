"""chat.py PORT: answers lines of chat that begin with its name, such as "helper, score"."""
import asyncio
import sys

import entente


async def main(port: int) -> None:
    async with entente.connect(port=port, name="helper", role="WATCH") as bot:
        async for event in bot.events("said"):
            said = event.word
            name, _, question = said.text.partition(", ")
            if said.from_ == bot.room.me or name != bot.me.name:
                continue
            asker = bot.room.players.get(said.from_)
            if question == "score" and asker:
                bot.say(f"{asker.name}, you have {asker.wins} wins and {asker.losses} losses")
            elif question == "who":
                bot.say(", ".join(sorted(player.name for player in bot.room.players.values() if player.role == "PLAY")))
            else:
                bot.say("ask me for: score, who")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
