#include "adapters/bzdraft/front/world_sender.h"

#include "adapters/bzdraft/wire/drops.h"
#include "adapters/wire/md5.h"
#include "proxy/core/gameplay/incoming.h"

namespace entente::bzdraft {
namespace {

/// Bytes of a resource in one message of 1024 bytes, the largest size that may be sent unless something else was
/// agreed.
constexpr std::size_t kPiece = 1024 - 4 - 24;

words::World open_world() {
  words::World world;
  core::set_sides(world, 800, 800);
  return world;
}

}  // namespace

void WorldSender::hear(const GetWorldUp&, FrontOut& out) {
  wanted_ = true;
  answer(out);
}

/// Whether the world is built. Builds it once it is known.
bool WorldSender::known(FrontOut& out) {
  if (!resource_.empty()) return true;
  const core::WorldWait::Answer answer = wait_.look(core::knows_world_and_game(out.world()), out);
  gave_up_ = answer == core::WorldWait::Answer::kNever;
  if (gave_up_ || answer == core::WorldWait::Answer::kNotYet) return false;
  guessed_ = answer == core::WorldWait::Answer::kGuess;
  build(out);
  return true;
}

/// Sends the world once it is known.
void WorldSender::answer(FrontOut& out) {
  if (!wanted_ || !known(out)) return;
  const core::WorldState& world = out.world();
  wanted_ = false;
  const words::Room& room = world.room();
  const auto number = [&](const char* rule, double otherwise) {
    return static_cast<std::uint16_t>(std::clamp(world.rule(rule, otherwise), 0.0, 65535.0));
  };
  GetWorldDown description;
  description.style = static_cast<std::uint16_t>((room.mode() == "capture the flag" ? kCapture : 0) |
                                                 (room.jumping() ? kJumping : 0) | (room.ricochet() ? kRicochet : 0));
  description.max_players = kLastPlayer;
  description.max_shots = most_shots_;
  description.max_flags = flags_.most();
  description.linear_acceleration = thousandths(world.rule("BZFLAG.linearAcceleration", 0));
  description.angular_acceleration = thousandths(world.rule("BZFLAG.angularAcceleration", 0));
  description.shake_time = number("BZFLAG.shakeTimeout", 0);
  description.shake_wins = number("BZFLAG.shakeWins", 0);
  description.server_time = static_cast<std::uint32_t>(out.now() / core::kMillisecond);
  description.model.chars = to_hex(name_);
  client_.send(out, description);
}

void WorldSender::build(FrontOut& out) {
  const core::WorldState& world = out.world();
  const words::World land = world.geometry() != nullptr ? core::flattened(*world.geometry()) : open_world();
  if (land.kind() == words::World::VOXELS) out.drop(drops::kVoxels);
  resource_ = resource_of(land);
  if (world.geometry() != nullptr) hash_ = world.geometry()->hash();
  name_ = wire::md5(resource_);
  if (core::victim_decides(out.world()))
    most_shots_ = static_cast<std::uint16_t>(std::clamp(world.room().most_shots(), 1U, 255U));
}

/// A resource that we do not have is sent as an empty one.
void WorldSender::hear(const GetResourceUp& wanted, FrontOut& out) {
  const Bytes all = wanted.md5 == name_ ? Bytes(resource_) : Bytes();
  const std::size_t from = std::min<std::size_t>(wanted.offset, all.size());
  const Bytes piece = all.subspan(from, std::min(kPiece, all.size() - from));
  GetResourceDown answer;
  answer.offset = wanted.offset;
  answer.remaining = static_cast<std::uint32_t>(all.size() - from - piece.size());
  answer.md5 = wanted.md5;
  answer.data.assign(piece.begin(), piece.end());
  client_.send(out, answer);
}

}  // namespace entente::bzdraft
