// How a client is let in: greeting, flags, settings, world, and what it must hear first. See front.h.
#include "adapters/bzflag/front/front.h"
#include "adapters/bzflag/variables.h"
#include "adapters/bzflag/world/geography.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

/// A room may have to ask a server first; a client waits for the settings as long as it is left to.
constexpr core::Micros kPatience = 10 * core::kSecond;
/// … and one that is strict gives up after five seconds (playing.cxx:5278 at v1.10.8).
constexpr core::Micros kStrictPatience = 4 * core::kSecond;

/// What a chunk of the world holds (1024 in all, as real servers send).
constexpr std::size_t kChunk = 1016;
constexpr std::size_t kMostVariableBytes = 1020;
constexpr std::size_t kFlagsAtOnce = 17;

constexpr std::uint16_t kMostPlayersAnnounced = 216;  // what a 2.4 client has room for

std::uint16_t u16_rule(const core::World& world, std::string_view name, double otherwise) {
  return static_cast<std::uint16_t>(std::clamp(world.rule(name, otherwise), 0.0, 65535.0));
}

words::World open_world() {
  words::World world;
  core::set_sides(world, 800, 800);
  return world;
}

}  // namespace

void FrontSession::greet(Outlet& out) {
  stage_ = Stage::kLoading;
  Welcome welcome;
  welcome.version.set(speaks_.version.substr(kMagicWord.size()));
  welcome.id = number_;
  peer_.stream(out, welcome);
  if (speaks_.game_clock) peer_.stream(out, GameTime{out.now()});
  out.say(words::WantWorld());  // so that the room looks for its server while the client asks for flags
}

void FrontSession::on(const LinkRequest& request, Outlet& out) {
  if (request.player != number_) return;
  peer_.stream(out, LinkEstablished{});
  peer_.datagram(out, LinkAnswer{});
}

void FrontSession::on(const LinkEstablished&, Outlet&) { peer_.linked = true; }

void FrontSession::on(const NegotiateFlags& flags, Outlet& out) {
  flags_known_.clear();
  for (const auto& flag : flags.flags) flags_known_.push_back(clean(flag.view()));
  peer_.stream(out, NegotiateFlags{});
}

void FrontSession::on(const WantSettings&, Outlet& out) {
  wants_settings_ = true;
  answer(out);
}

void FrontSession::on(const WantWorldHash&, Outlet& out) {
  wants_hash_ = true;
  answer(out);
}

void FrontSession::on(const QueryGame&, Outlet& out) {
  words::Query query;
  out.say(query);
  wants_game_ = true;
  answer(out);
}

void FrontSession::on(const QueryPlayers&, Outlet& out) {
  wants_players_ = true;
  answer(out);
}

void FrontSession::on(const GetWorld& wanted, Outlet& out) {
  wants_world_ = wanted.offset;
  answer(out);
}

void FrontSession::send_chunk(std::size_t offset, Outlet& out) {
  const std::size_t from = std::min(offset, database_.size());
  const Bytes data = Bytes(database_).subspan(from, std::min(kChunk, database_.size() - from));
  WorldChunk chunk;
  chunk.left = static_cast<std::uint32_t>(database_.size() - from - data.size());
  chunk.data.assign(data.begin(), data.end());
  peer_.stream(out, chunk);
}

/// Gives what was asked for, once there is an answer, or nobody will ever have one.
void FrontSession::answer(Outlet& out) {
  if (!wants_settings_ && !wants_hash_ && !wants_world_ && !wants_game_ && !wants_players_) return;
  if (!loaded()) {
    if (patience_ == 0) patience_ = out.now() + (speaks_.strict_entry ? kStrictPatience : kPatience);
    const bool known = out.world().geometry() != nullptr && !out.world().room().game().empty();
    if (!known && out.now() < patience_) return out.wake(patience_);
    build_world(out);
  }
  const words::Room& room = out.world().room();
  if (std::exchange(wants_settings_, false)) peer_.stream(out, settings(out));
  if (std::exchange(wants_hash_, false)) {
    WorldHash hash;
    hash.hash.chars = hash_ + '\0';
    peer_.stream(out, hash);
  }
  if (const auto offset = std::exchange(wants_world_, std::nullopt)) send_chunk(*offset, out);
  if (std::exchange(wants_game_, false)) {
    GameAnswer game;
    game.game_type = game_type_of(room.mode());
    game.options = settings(out).options;
    game.max_players = kMostPlayers;
    game.max_shots = most_shots_;
    game.observers = static_cast<std::uint16_t>(room.watchers());
    game.sizes[0] = static_cast<std::uint16_t>(room.players());
    game.max_sizes.fill(kMostPlayers);
    game.max_observers = kMostPlayers;
    peer_.stream(out, game);
  }
  if (std::exchange(wants_players_, false)) {
    PlayersAnswer players;
    players.players = static_cast<std::uint16_t>(cast_.size());
    peer_.stream(out, players);
    for (const auto& [number, actor] : cast_) announce(number, out);
  }
}

GameSettings FrontSession::settings(Outlet& out) const {
  const core::World& world = out.world();
  const words::Room& room = world.room();
  GameSettings settings;
  settings.world_size = static_cast<float>(size_);
  settings.game_type = game_type_of(room.mode());
  settings.options =
      u16_rule(world, "BZFLAG.options", (room.jumping() ? kJumping : 0) + (room.ricochet() ? kRicochet : 0));
  settings.max_players = kMostPlayersAnnounced;
  settings.max_shots = most_shots_;
  settings.max_flags = most_flags_;
  settings.linear_acceleration = static_cast<float>(world.rule("BZFLAG.linearAcceleration", 0));
  settings.angular_acceleration = static_cast<float>(world.rule("BZFLAG.angularAcceleration", 0));
  settings.shake_timeout = u16_rule(world, "BZFLAG.shakeTimeout", 0);
  settings.shake_wins = u16_rule(world, "BZFLAG.shakeWins", 0);
  return settings;
}

void FrontSession::build_world(Outlet& out) {
  const core::World& world = out.world();
  const words::World land = world.geometry() != nullptr ? core::flattened(*world.geometry()) : open_world();
  size_ = size_of(land);
  if (land.kind() == words::World::VOXELS) out.lose("World", "voxels");
  const bool ours = world.rules().contains("BZFLAG.maxFlags");
  if (ours || world.room().most_shots() != 0)
    most_shots_ = static_cast<std::uint16_t>(std::clamp(world.room().most_shots(), 1U, 255U));
  most_flags_ = u16_rule(world, "BZFLAG.maxFlags", most_flags_);
  Database database = database_of(land, dialect_, settings(out));
  for (std::size_t i = 0; i < database.left_out; ++i) out.lose("World.solids", "more than the client can load");
  database_ = std::move(database.bytes);
  hash_ = world_hash(database_, WorldSource::kRandom);  // so that it fills nobody's cache
}

void FrontSession::on(const Enter& enter, Outlet& out) {
  if (stage_ != Stage::kLoading) return out.lose("MsgEnter", "who is in cannot come in");
  stage_ = Stage::kEntering;
  wish_.set_name(clean(enter.callsign.view()));
  wish_.set_motto(clean(enter.motto.view()));
  wish_.set_token(clean(enter.token.view()));
  wish_.set_version(clean(enter.version.view()));
  wish_.set_team(team_of(enter.team));
  wish_.set_role(role_of(enter.type, enter.team));
  wish_.set_claims_deaths(true);
  for (const auto& flag : flags_known_) wish_.add_flags_known(flag);
  out.say(wish_);
  out.wake(out.now());  // let in by a tick: whoever hears the wish may yet say how it is called here
}

void FrontSession::told(const words::Waiting& waiting, const core::Fact&, Outlet& out) {
  waiting_ = core::line_of(waiting);
  if (stage_ == Stage::kIn) return server_says(waiting_, out);
  let_in(out);
}

/// Who has entered, once all there is to tell was told or there is something to wait for. The order is that of bzfs:
/// another has crashed clients.
void FrontSession::let_in(Outlet& out) {
  // Of a room that others made ready it is told, too, but not yet as whom it comes in.
  const bool told = out.world().ready() && out.world().player(out.me()) != nullptr;
  if (stage_ != Stage::kEntering || (!told && waiting_.empty())) return;
  stage_ = Stage::kIn;
  if (speaks_.strict_entry) peer_.hold();
  peer_.stream(out, Accept{player_id(number_)});
  send_variables(out);
  tell_reload(out);

  TeamUpdate teams;
  for (std::int16_t team = 0; team <= 4; ++team) {
    TeamUpdate::Item item;
    item.team = static_cast<std::uint16_t>(team);
    if (const auto at = out.world().team_scores().find(team_of(team)); at != out.world().team_scores().end()) {
      item.size = static_cast<std::uint16_t>(at->second.size());
      item.won = static_cast<std::uint16_t>(at->second.wins());
      item.lost = static_cast<std::uint16_t>(at->second.losses());
    }
    teams.teams.push_back(item);
  }
  peer_.stream(out, teams);

  FlagUpdate flags;
  const auto flush = [&] {
    if (!flags.flags.empty()) peer_.stream(out, flags);
    flags.flags.clear();
  };
  const auto add = [&](const std::optional<NumberedFlag>& flag) {
    if (flag) flags.flags.push_back(*flag);
    if (flags.flags.size() == kFlagsAtOnce) flush();
  };
  for (const auto& [id, token] : out.world().tokens()) add(flag_record(token, out));
  const auto is_pickup = [](const core::UnitState& state) { return state.unit.kind() == words::Unit::PICKUP; };
  for (const core::Id id : out.world().sorted_units(is_pickup)) add(pickup_record(id, out));
  flush();
  recast_all(out);
  litter_.stir(out);
  if (out.world().round().state() != words::Round::OVER) tell_clock(out);
  peer_.release(out);
  if (!waiting_.empty() && !out.world().ready()) server_says(waiting_, out);
  pinged_ = out.now();
  ping(out);
}

/// All variables that words carry, as many in a message as bzfs puts there.
void FrontSession::send_variables(Outlet& out) {
  SetVar set;
  std::size_t bytes = 2;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (name.size() > 255 || value.size() > 255) return;
    const std::size_t size = 2 + name.size() + value.size();
    if (bytes + size > kMostVariableBytes) {
      peer_.stream(out, set);
      set.variables.clear();
      bytes = 2;
    }
    bytes += size;
    set.variables.push_back({std::string(name), std::string(value)});
  };
  const auto& rules = out.world().rules();
  for (const auto& [name, value] : rules)
    if (name.starts_with("BZFLAG._") || name.starts_with("BZFLAG.$")) add(std::string_view(name).substr(7), value);
  for (const auto& ruled : ruled_variables()) {
    const auto at = rules.find(ruled.rule);
    if (at != rules.end() && out.world().rule(ruled.rule, 0) > 0 &&
        !rules.contains(std::string("BZFLAG.") + ruled.variable))
      add(ruled.variable, at->second);
  }
  if (!set.variables.empty()) peer_.stream(out, set);
}

void FrontSession::told(const words::Refused& refused, const core::Fact&, Outlet& out) {
  Reject reject;
  reject.code = reject_code(refused.code());
  reject.reason.set(fitted(refused.text(), kLongestText));
  if (stage_ != Stage::kHeader) peer_.stream(out, reject);  // before the greeting it would be taken for one
  goodbye(refused.text(), out);
}

void FrontSession::told(const words::Kicked& kicked, const core::Fact&, Outlet& out) { goodbye(kicked.text(), out); }

void FrontSession::on(const Exit&, Outlet& out) {
  if (stage_ >= Stage::kEntering) out.say(words::Leave());
  gone_ = true;
  out.close("the client left");
}

/// A client takes a closed connection for silence: it must be told.
void FrontSession::goodbye(std::string_view why, Outlet& out) {
  if (std::exchange(gone_, true)) return out.close(why);
  if (stage_ == Stage::kIn && !why.empty()) server_says(why, out);
  if (stage_ != Stage::kHeader) peer_.stream(out, SuperKill{});
  out.close(why);
}

}  // namespace entente::bzflag
