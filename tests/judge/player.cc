#include "tests/judge/player.h"

#include <cmath>
#include <numbers>

namespace entente::judged {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

LinkQuality some_quality(Chance& chance) {
  LinkQuality quality;
  quality.delay = chance.between(0.005, 0.12);
  quality.jitter = chance.happens(0.15) ? chance.between(0.008, 0.03) : chance.between(0.0005, 0.008);
  quality.loss = chance.happens(0.5) ? 0 : chance.between(0, 0.05);
  if (chance.happens(0.4)) {
    quality.outage_every = chance.between(30, 300);
    quality.longest_outage = chance.between(0.5, 2.5);
    quality.queues = chance.happens(0.5);
  }
  if (chance.happens(0.1)) {
    quality.swell = chance.between(0.05, 0.3);
    quality.swell_s = chance.between(5, 60);
  }
  return quality;
}

Skill some_skill(Chance& chance) {
  Skill skill;
  skill.aim = chance.between(0.7, 6) * kDegree;
  skill.lead = chance.between(0.03, 0.4);
  skill.reaction = chance.between(0.18, 0.7);
  skill.tolerance = chance.between(0.3, 3) * kDegree;
  skill.pause = chance.between(0.2, 3);
  skill.drives = chance.between(0.2, 1);
  skill.sprays = chance.happens(0.15);
  return skill;
}

Cheat some_cheat(CheatKind kind, Chance& chance) {
  Cheat cheat;
  cheat.kind = kind;
  cheat.duty = chance.happens(0.4) ? 1 : chance.between(0.4, 1);
  cheat.period = chance.between(20, 90);
  cheat.phase = chance.between(0, cheat.period);
  cheat.variant = chance.happens(0.5);
  if (kind == CheatKind::kSpeed) cheat.strength = chance.between(1.3, 3);
  if (kind == CheatKind::kTeleport) cheat.strength = chance.between(50, 200);
  if (kind == CheatKind::kReload) cheat.strength = chance.between(0.3, 0.75);
  if (kind == CheatKind::kAim) {
    cheat.strength = chance.happens(0.5) ? 0 : chance.between(0, 0.1) * kDegree;
    cheat.share = chance.happens(0.5) ? 1 : chance.between(0.6, 1);
  }
  return cheat;
}

}  // namespace

const char* name_of(CheatKind kind) {
  constexpr const char* kNames[] = {"honest", "aim", "speed", "teleport", "wall", "reload"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Cheat::on(double now) const { return kind != CheatKind::kNone && std::fmod(now + phase, period) < duty * period; }

Player make_player(std::uint32_t number, CheatKind kind, Chance chance) {
  const LinkQuality quality = some_quality(chance);
  Player player(number, quality, Chance(chance.next()));
  player.skill = some_skill(chance);
  player.cheat = some_cheat(kind, chance);
  player.name = "player " + std::to_string(number);
  return player;
}

}  // namespace entente::judged
