#include "adapters/bzflag/front/lobby.h"

#include "adapters/bzflag/drops.h"
#include "adapters/bzflag/world/world_conversions.h"

namespace entente::bzflag {
namespace {

/// How long a client waits for the world, for which the room may have to ask a server. Then it gets an open field.
constexpr core::Micros kPatience = 10 * core::kSecond;
/// The same for a strict client, which gives up after five seconds (playing.cxx:5278 at v1.10.8).
constexpr core::Micros kStrictPatience = 4 * core::kSecond;

/// Bytes of the world in one chunk. The message then has 1024 bytes, as with real servers.
constexpr std::size_t kChunk = 1016;
constexpr std::uint16_t kMostPlayersAnnounced = 216;  // the most that a 2.4 client has room for

std::uint16_t u16_rule(const core::WorldState& world, std::string_view name, double otherwise) {
  return static_cast<std::uint16_t>(std::clamp(world.rule(name, otherwise), 0.0, 65535.0));
}

words::World open_world() {
  words::World world;
  core::set_sides(world, 800, 800);
  return world;
}

}  // namespace

void Lobby::hear(const WantSettings&, FrontOut& out) {
  wants_settings_ = true;
  answer(out);
}

void Lobby::hear(const WantWorldHash&, FrontOut& out) {
  wants_hash_ = true;
  answer(out);
}

void Lobby::hear(const QueryGame&, FrontOut& out) {
  words::Query query;
  out.say(query);
  wants_game_ = true;
  answer(out);
}

void Lobby::hear(const QueryPlayers&, FrontOut& out) {
  wants_players_ = true;
  answer(out);
}

void Lobby::hear(const GetWorld& wanted, FrontOut& out) {
  wants_world_ = wanted.offset;
  answer(out);
}

void Lobby::answer(FrontOut& out) {
  const bool asked = wants_settings_ || wants_hash_ || wants_world_ || wants_game_ || wants_players_;
  if (!asked || !known(out)) return;
  if (std::exchange(wants_settings_, false)) client_.stream(out, settings(out));
  if (std::exchange(wants_hash_, false)) {
    WorldHash hash;
    hash.hash.chars = hash_ + '\0';
    client_.stream(out, hash);
  }
  if (const auto offset = std::exchange(wants_world_, std::nullopt)) send_chunk(*offset, out);
  if (std::exchange(wants_game_, false)) client_.stream(out, game_answer(out));
  if (std::exchange(wants_players_, false)) {
    PlayersAnswer players;
    players.players = static_cast<std::uint16_t>(players_.size());
    client_.stream(out, players);
    players_.announce_all(out);
  }
}

/// Whether the world is built. Builds it once it is known, or when the wait is over.
bool Lobby::known(FrontOut& out) {
  if (!database_.empty()) return true;
  if (patience_ == 0) patience_ = out.now() + (client_.dialect().strict_entry ? kStrictPatience : kPatience);
  const bool told = out.world().geometry() != nullptr && !out.world().room().game().empty();
  if (!told && out.now() < patience_) return out.wake(patience_), false;
  build_world(out);
  return true;
}

void Lobby::send_chunk(std::size_t offset, FrontOut& out) {
  const std::size_t from = std::min(offset, database_.size());
  const Bytes data = Bytes(database_).subspan(from, std::min(kChunk, database_.size() - from));
  WorldChunk chunk;
  chunk.left = static_cast<std::uint32_t>(database_.size() - from - data.size());
  chunk.data.assign(data.begin(), data.end());
  client_.stream(out, chunk);
}

GameAnswer Lobby::game_answer(const FrontOut& out) const {
  const words::Room& room = out.world().room();
  GameAnswer game;
  game.game_type = game_type_of(room.mode());
  game.options = settings(out).options;
  game.max_players = kMostPlayers;
  game.max_shots = most_shots_;
  game.observers = static_cast<std::uint16_t>(room.watchers());
  game.sizes[0] = static_cast<std::uint16_t>(room.players());
  game.max_sizes.fill(kMostPlayers);
  game.max_observers = kMostPlayers;
  return game;
}

GameSettings Lobby::settings(const FrontOut& out) const {
  const core::WorldState& world = out.world();
  const words::Room& room = world.room();
  GameSettings settings;
  settings.world_size = static_cast<float>(size_);
  settings.game_type = game_type_of(room.mode());
  settings.options =
      u16_rule(world, "BZFLAG.options", (room.jumping() ? kJumping : 0) + (room.ricochet() ? kRicochet : 0));
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
  const words::World land = world.geometry() != nullptr ? core::flattened(*world.geometry()) : open_world();
  size_ = size_of(land);
  if (land.kind() == words::World::VOXELS) out.drop(drops::kVoxels);
  const bool ours = world.rules().contains("BZFLAG.maxFlags");
  if (ours || world.room().most_shots() != 0)
    most_shots_ = static_cast<std::uint16_t>(std::clamp(world.room().most_shots(), 1U, 255U));
  flags_.set_most(u16_rule(world, "BZFLAG.maxFlags", flags_.most()));
  Database database = database_of(land, client_.dialect_index(), settings(out));
  for (std::size_t i = 0; i < database.left_out; ++i) out.drop(drops::kSolidsFull);
  database_ = std::move(database.bytes);
  hash_ = world_hash(database_, WorldSource::kRandom);  // so that clients do not cache it
}

}  // namespace entente::bzflag
