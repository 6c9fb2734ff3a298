"""follower.py PORT: drives after the nearest player, and greets whoever kills it."""
import asyncio
import sys

import entente


async def main(port: int) -> None:
    async with entente.connect(port=port, name="follower") as bot:
        bot.on("died", lambda event: greet(bot, event.word))
        while True:
            await bot.spawn()
            others = bot.room.others()
            if others:
                bot.follow(others[0])
            await asyncio.sleep(0.2)


def greet(bot: entente.Bot, died: entente.words.Died) -> None:
    killer = bot.room.players.get(died.killer)
    if died.player == bot.room.me and killer:
        bot.say(f"well shot, {killer.name}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
