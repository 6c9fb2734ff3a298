"""hunter.py PORT: drives around the nearest foe and shoots at it, with lead."""
import asyncio
import math
import sys

import entente


async def main(port: int) -> None:
    async with entente.connect(port=port, name="hunter") as bot:
        reload_s = bot.room.rule("reload", 2.0) / max(bot.room.about.most_shots, 1)
        loaded_at = 0.0
        while True:
            unit = await bot.spawn()
            foes = bot.room.foes()
            if foes:
                at, foe = bot.room.place_of(unit), bot.room.place_of(foes[0])
                far = entente.distance(at, foe)
                side = math.atan2(foe.y - at.y, foe.x - at.x) + (0.3 if far > 60 else 1.3)
                bot.goto(at.x + 40 * math.cos(side), at.y + 40 * math.sin(side))
                if far < bot.room.rule("shot_range", 100.0) and bot.room.now_s >= loaded_at:
                    bot.shoot_at(foes[0])
                    loaded_at = bot.room.now_s + reload_s
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
