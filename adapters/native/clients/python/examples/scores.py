"""scores.py PORT FILE: writes a line of CSV for each death: time, victim, killer, and their scores."""
import asyncio
import csv
import sys

import entente


async def main(port: int, file: str) -> None:
    async with entente.connect(port=port, name="scorer", role="WATCH") as bot:
        with open(file, "w", newline="", encoding="utf-8") as out:
            table = csv.writer(out)
            table.writerow(["seconds", "victim", "wins", "losses", "killer", "wins", "losses"])
            async for event in bot.events("died"):
                await asyncio.sleep(0.1)  # the scores follow the death
                row = [f"{event.at_us / 1e6:.2f}"]
                for id in (event.word.player, event.word.killer):
                    player = bot.room.players.get(id)
                    row += [player.name, player.wins, player.losses] if player else ["", "", ""]
                table.writerow(row)
                out.flush()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
