// How a back comes in: the map, what State Data says, and then the door; and the next map on the same connection. See
// back.h.
#include "adapters/aos/aos.h"
#include "adapters/aos/back/back.h"
#include "adapters/aos/losses.h"
#include "adapters/aos/world/geography.h"

namespace entente::aos {

/// The first packet of all, and again when the next map comes: whatever was known is void.
void BackSession::on(const MapStart& start, Outlet& out) {
  forget_everybody(out);
  if (stage_ != Stage::kMap) wants_spawn_ = wish_ && wish_->role() == words::WATCH;
  stage_ = Stage::kMap;
  sequence_.reset();
  loading_.reset();
  loaded_ = 0;
  announced_ = start.size;
  map_name_ = text_of(start.name.chars);
  if (kDialects[dialect_].map_checksum) send(MapCached{0}, out);
}

void BackSession::on(const MapChunk& chunk, Outlet& out) {
  if (stage_ != Stage::kMap) return out.lose(loss::kNoMapBegun);
  if (!loading_) loading_ = std::make_unique<MapReceiver>();
  if (const auto fault = loading_->feed(chunk.data)) {
    goodbye_ = true;
    return out.fail(*fault);
  }
  loaded_ += chunk.data.size();
  words::WorldProgress progress;
  progress.set_done(loaded_);
  progress.set_total(std::max(loaded_, announced_));
  out.say(progress);
}

/// Behind the last chunk: what size Map Start named says nothing (piqueserver always names the same).
void BackSession::on(const StateData& state, Outlet& out) {
  if (stage_ != Stage::kMap) return out.lose(loss::kMapLoaded);
  if (!loading_ || !loading_->complete())
    return refuse(words::Refused::OTHER, "the map ends before its last column", out);
  VoxelMap map = loading_->take();
  loading_.reset();
  words::World world = geography(map, map_name_);
  learn(std::move(map), std::move(world), state, out);
}

void BackSession::learn(VoxelMap map, words::World world, const StateData& state, Outlet& out) {
  map_ = std::move(map);
  number_ = state.player;
  sides_ = sides_of(colour_of(state.colour1), colour_of(state.colour2));
  for (auto& [number, one] : people_) one.player.set_team(sides_.team_of(one.team));  // who came before State Data
  room_.set_game(std::string(game().name()));
  room_.set_dialect(std::string(kDialectInfo[dialect_].name));
  room_.set_mode(state.mode == 0 ? kCaptureTheFlag : kTerritoryControl);
  room_.set_most_players(kMostPlayers);
  room_.set_most_shots(1);
  room_.set_jumping(true);
  room_.set_teams(true);
  out.say(room_);
  tell_rules(state, out);
  out.say(std::move(world));
  stage_ = Stage::kAtTheDoor;
  words::Round round;
  out.say(round);
  for (auto& [number, one] : people_) tell(one, out);
  introduce(out);
  tell_things(state, out);
  out.say(words::Ready());
  enter(out);
}

void BackSession::tell_rules(const StateData& state, Outlet& out) {
  tell_rule("hits", "server", out);
  tell_rule("speed", number_text(kWalks * kMetresPerBlock), out);
  tell_rule("shot_range", number_text(double{kSightRange} * kMetresPerBlock), out);
  tell_gun(0, out);
  tell_rule(kRuleFog, colour_text(colour_of(state.fog)), out);
  tell_rule(kRuleColour[0], colour_text(colour_of(state.colour1)), out);
  tell_rule(kRuleColour[1], colour_text(colour_of(state.colour2)), out);
  tell_rule(kRuleName[0], text_of(state.name1.view()), out);
  tell_rule(kRuleName[1], text_of(state.name2.view()), out);
  if (state.mode == 0) tell_rule(kRuleCaptures, std::to_string(state.ctf.limit), out);
}

void BackSession::tell_rule(const char* name, std::string value, Outlet& out) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::move(value));
  out.say(std::move(rule));
}

void BackSession::on(const FogColour& fog, Outlet& out) {
  tell_rule(kRuleFog, colour_text(colour_of(fog.colour)), out);
}

/// The bytes as they are: piqueserver wrote them in another order than all else.
void BackSession::on(const HandshakeInit& init, Outlet& out) { send(HandshakeReturn{init.challenge}, out); }

/// A letter of our own: SpadesX throws out who says that he is a version of a known client that it does not like.
void BackSession::on(const VersionGet&, Outlet& out) {
  VersionResponse response;
  response.letter = 'e';
  response.version = {1, 0, 0};
  response.system.chars = "Entente";
  send(response, out);
}

/// Who has no side of his own joins the smaller one: piqueserver lets none grow larger by two.
std::uint8_t BackSession::wished_side() const {
  int green_more = 0;
  for (const auto& [number, one] : people_) green_more += one.team == kGreen ? 1 : one.team == kBlue ? -1 : 0;
  return sides_.side_of(wish_->team(), green_more < 0 ? kGreen : kBlue);
}

/// Its player, as he wishes to be: the server creates him when he plays.
void BackSession::introduce(Outlet& out) {
  if (stage_ != Stage::kAtTheDoor || !wish_ || out.me() == 0) return;
  words::Player me;
  me.set_id(out.me());
  me.set_name(wish_->name());
  me.set_role(wish_->role());
  if (wish_->role() != words::WATCH) me.set_team(sides_.team_of(wished_side()));
  me.set_kit(kit_of(weapon_of(wish_->kit())));
  me.set_responding(true);
  out.say(std::move(me));
}

/// Once the map is loaded and the player wishes to play; who watches wishes so by coming.
void BackSession::enter(Outlet& out) {
  if (stage_ != Stage::kAtTheDoor || !wish_ || !wants_spawn_) return;
  stage_ = Stage::kEntering;
  ExistingPlayer message;
  message.player = number_;
  message.team = wish_->role() == words::WATCH ? kSpectator : wished_side();
  message.weapon = weapon_of(wish_->kit());
  message.tool = own_.tool;
  message.colour = wire_colour(own_.colour);
  message.name.chars = wire_name(wish_->name()) + '\0';
  send(message, out);
}

void BackSession::forget_everybody(Outlet& out) {
  if (stage_ >= Stage::kAtTheDoor) {
    std::vector<std::uint8_t> numbers;
    for (const auto& [number, one] : people_) numbers.push_back(number);
    for (const std::uint8_t number : numbers) forget(number, out);
  }
  people_.clear();
  players_.clear();
  number_ = 255;
  own_ = Own{};
  steering_.stop();
  captures_ = {};
}

void BackSession::refuse(words::Refused::Code code, std::string_view text, Outlet& out) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(std::string(text));
  refused.set_may_retry(code == words::Refused::FULL || code == words::Refused::TOO_SOON);
  out.say(std::move(refused));
  if (!std::exchange(goodbye_, true)) out.close(text);
}

}  // namespace entente::aos
