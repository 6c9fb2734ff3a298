"""Learns to fight in a lockstep arena, then plays on a server.

    learn.py train FILE [--generations N] [--seed N]    # writes the policy as JSON; about two minutes
    learn.py test FILE                                  # its reward in an arena with another seed, and that of chance
    learn.py play FILE PORT                             # plays at a native listener, such as a proxy in front of bzfs

The policy is a matrix: of all actions, it takes the one whose row gives the largest sum with the observation. It is found by
evolution: the best matrices of a generation play again in the next one, beside random changes of them. One seed, one result.
"""
import argparse
import asyncio
import json
import random

import entente
from entente.gym import FEATURES, LEADS, WAYS, Duel, act, observe

ROWS, COLUMNS = WAYS + len(LEADS), len(FEATURES)
PEOPLE, BEST = 16, 4  # matrices of a generation; those of them that go on


def choose(policy, seen):
    sums = [sum(a * b for a, b in zip(policy[row * COLUMNS:(row + 1) * COLUMNS], seen)) for row in range(ROWS)]
    return sums.index(max(sums))


def reward_of(env, chooser, episodes=1):
    """The mean reward of an episode."""
    total = 0.0
    for _ in range(episodes):
        seen, over = env.reset()[0], False
        while not over:
            seen, reward, died, late, _ = env.step(chooser(seen))
            total, over = total + reward, died or late
    return total / episodes


class Candidate:
    """A policy, with its mean reward so far."""

    def __init__(self, policy):
        self.policy, self.total, self.count = policy, 0.0, 0

    def play(self, env):
        self.total += reward_of(env, lambda seen: choose(self.policy, seen))
        self.count += 1

    def reward(self):
        return self.total / self.count


def train(generations, seed, people=PEOPLE, steps=200, tell=print):
    dice = random.Random(seed)
    env = Duel(seed=seed, steps=steps)
    best = []
    try:
        env.reset(seed=seed)
        for generation in range(generations):
            spread = 0.85 ** generation
            parents = [one.policy for one in best] or [[0.0] * (ROWS * COLUMNS)]
            tried = best + [Candidate([dice.gauss(weight, spread) for weight in dice.choice(parents)]) for _ in range(people - len(best))]
            for one in tried:
                one.play(env)
            best = sorted(tried, key=Candidate.reward, reverse=True)[:BEST]
            tell(f"generation {generation}: best {best[0].reward():.2f}, mean {sum(one.reward() for one in tried) / people:.2f}")
        for one in best * 4:  # luck does not last
            one.play(env)
    finally:
        env.close()
    return max(best, key=Candidate.reward).policy


def test(policy, seed=1000, episodes=10, steps=200):
    """Rewards of the policy, and of chance."""
    env = Duel(seed=seed, steps=steps)
    try:
        env.reset(seed=seed)
        learned = reward_of(env, lambda seen: choose(policy, seen), episodes)
        return learned, reward_of(env, lambda _: env.action_space.sample(), episodes)
    finally:
        env.close()


async def play(policy, port, seconds=1e9):
    async with entente.connect(port=port, name="learner") as bot:
        ends = bot.room.now_s + seconds
        while bot.room.now_s < ends:
            await bot.spawn()
            act(bot, choose(policy, observe(bot)))
            await asyncio.sleep(0.2)
        return bot.me.wins, bot.me.losses


def main():
    given = argparse.ArgumentParser()
    given.add_argument("what", choices=("train", "test", "play"))
    given.add_argument("file")
    given.add_argument("port", type=int, nargs="?", default=5100)
    given.add_argument("--generations", type=int, default=12)
    given.add_argument("--seed", type=int, default=1)
    wish = given.parse_args()
    if wish.what == "train":
        policy = train(wish.generations, wish.seed)
        with open(wish.file, "w", encoding="utf-8") as out:
            json.dump(policy, out)
        return
    with open(wish.file, encoding="utf-8") as file:
        policy = json.load(file)
    if wish.what == "play":
        return asyncio.run(play(policy, wish.port))
    learned, chance = test(policy)
    print(f"reward of an episode: {learned:.2f}; by chance: {chance:.2f}")


if __name__ == "__main__":
    main()
