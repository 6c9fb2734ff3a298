#include "adapters/bzflag/front/lobby.h"

#include "adapters/bzflag/wire/drops.h"

namespace entente::bzflag {
namespace {

/// A client of 2.0 or later waits for the world as long as it takes. A strict client gives up when it is not answered
/// for five seconds (playing.cxx:5278 at v1.10.8). An answer without any bytes of the world makes it ask again.
constexpr core::Micros kStrictPatience = 4 * core::kSecond;
/// Such a client allocates what the first answer says the world will have. Longer worlds lose solids.
constexpr std::uint32_t kPromised = 256 * 1024, kShortPromised = 60'000;

/// Bytes of the world in one chunk. The message then has 1024 bytes, as with real servers.
constexpr std::size_t kChunk = 1016;
constexpr std::uint16_t kMostPlayersAnnounced = 216;  // the most that a 2.4 client has room for

std::uint16_t u16_rule(const core::WorldState& world, std::string_view name, double otherwise) {
  return static_cast<std::uint16_t>(std::clamp(world.rule(name, otherwise), 0.0, 65535.0));
}

}  // namespace

std::uint16_t options_of(const core::WorldState& world) {
  const words::Room& room = world.room();
  return u16_rule(world, "BZFLAG.options", (room.jumping() ? kJumping : 0) + (room.ricochet() ? kRicochet : 0));
}

void Lobby::hear(const WantSettings&, FrontOut& out) {
  wants_settings_ = true;
  answer(out);
}

void Lobby::hear(const WantWorldHash&, FrontOut& out) {
  wants_hash_ = true;
  asked_ = 0;
  answer(out);
}

void Lobby::hear(const GetWorld& wanted, FrontOut& out) {
  wants_world_ = wanted.offset;
  asked_ = 0;
  answer(out);
}

void Lobby::answer(FrontOut& out) {
  if (!waits()) return;
  const bool knows = known(out);
  if (knows && std::exchange(wants_settings_, false)) client_.stream(out, settings(out));
  if (knows && wants_hash_) send_hash(out);
  if (knows && wants_world_) send_chunk(*std::exchange(wants_world_, std::nullopt), out);
  if (!knows && client_.dialect().strict_entry) stall(out);
}

/// Whether the world is built. Builds it once it is known.
bool Lobby::known(FrontOut& out) {
  if (made_ != nullptr) return true;
  switch (wait_.look(core::knows_world_and_game(out.world()), out)) {
    case core::WorldWait::Answer::kNotYet:
      return false;
    case core::WorldWait::Answer::kNever:
      gave_up_ = true;
      return false;
    case core::WorldWait::Answer::kGuess:
      guessed_ = true;
      break;
    case core::WorldWait::Answer::kKnown:
      break;
  }
  build_world(out);
  return true;
}

/// Answers a strict client without telling it anything, so that it goes on waiting.
void Lobby::stall(FrontOut& out) {
  if (!wants_hash_ && !wants_world_) return;
  if (asked_ == 0) asked_ = std::max<core::Micros>(out.now(), 1);
  if (out.now() < asked_ + kStrictPatience) return out.wake(asked_ + kStrictPatience);
  asked_ = 0;
  if (wants_hash_) {
    Buffer unique(32);
    for (auto& byte : unique) byte = static_cast<std::uint8_t>(out.random());
    hash_ = world_hash(unique, WorldSource::kRandom);  // strict clients do not compare it with the world
    return send_hash(out);
  }
  promised_ = client_.dialect().short_offsets ? kShortPromised : kPromised;
  WorldChunk nothing;
  nothing.left = promised_;
  wants_world_.reset();
  client_.stream(out, nothing);
}

void Lobby::send_hash(FrontOut& out) {
  wants_hash_ = false;
  WorldHash hash;
  hash.hash.chars = hash_ + '\0';
  client_.stream(out, hash);
}

void Lobby::send_chunk(std::size_t offset, FrontOut& out) {
  const Bytes database = made_->database.bytes;
  const std::size_t from = std::min(offset, database.size());
  const Bytes data = database.subspan(from, std::min(kChunk, database.size() - from));
  WorldChunk chunk;
  chunk.left = static_cast<std::uint32_t>(database.size() - from - data.size());
  chunk.data.assign(data.begin(), data.end());
  client_.stream(out, chunk);
}

GameSettings Lobby::settings(const FrontOut& out) const {
  const core::WorldState& world = out.world();
  const words::Room& room = world.room();
  GameSettings settings;
  if (made_ != nullptr) settings.world_size = static_cast<float>(made_->size);
  settings.game_type = game_type_of(room.mode());
  settings.options = options_of(world);
  settings.max_players = kMostPlayersAnnounced;
  settings.max_shots = most_shots_;
  settings.max_flags = flags_.most();
  settings.linear_acceleration = static_cast<float>(world.rule("BZFLAG.linearAcceleration", 0));
  settings.angular_acceleration = static_cast<float>(world.rule("BZFLAG.angularAcceleration", 0));
  settings.shake_timeout = u16_rule(world, "BZFLAG.shakeTimeout", 0);
  settings.shake_wins = u16_rule(world, "BZFLAG.shakeWins", 0);
  return settings;
}

void Lobby::build_world(FrontOut& out) {
  const core::WorldState& world = out.world();
  if (world.geometry() != nullptr) room_hash_ = world.geometry()->hash();
  const bool ours = world.rules().contains("BZFLAG.maxFlags");
  if (ours || world.room().most_shots() != 0)
    most_shots_ = static_cast<std::uint16_t>(std::clamp(world.room().most_shots(), 1U, 255U));
  flags_.set_most(u16_rule(world, "BZFLAG.maxFlags", flags_.most()));
  const std::size_t most = promised_ != 0 ? promised_ : kLargestWorld;
  made_ = made_world(world.shared_geometry(), client_.dialect_index(), settings(out), most);
  if (made_->has_voxels) out.drop(drops::kVoxels);
  for (std::size_t i = 0; i < made_->database.left_out; ++i) out.drop(drops::kSolidsFull);
  if (hash_.empty()) hash_ = made_->hash;
}

}  // namespace entente::bzflag
