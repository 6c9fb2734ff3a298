//
#include <algorithm>
#include <cmath>

#include "adapters/aos/front/objectives.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/core/chat.h"

namespace entente::aos {
namespace {

constexpr std::uint32_t kFog = 0x80e8ff;  // as in SpadesX
/// Colour and name of a team that is shown as a side.
struct SideLook {
  words::Team team;
  std::uint32_t colour;
  const char* name;
};
constexpr SideLook kSides[] = {
    {words::BLUE, 0x0000c4, "Blue"},
    {words::GREEN, 0x00c400, "Green"},
    {words::RED, 0xc40000, "Red"},
    {words::PURPLE, 0x9000c4, "Purple"},
};
constexpr std::uint8_t kCaptures = 10;
constexpr Vec3 kNowhere = {0, 0, 63};  // below the sea, in a corner of the map
constexpr double kReach = 3;           // blocks, as in piqueserver
constexpr std::size_t kTerritorySlots = 16;
constexpr std::size_t kMostLooked = 2'000;  // tokens that facts may make it look at between two snapshots
constexpr double kRateStep = 0.05;          // share of the whole a second, for each unit of Progress Bar's rate

std::uint32_t colour_rule(const core::WorldState& world, const char* name, std::uint32_t otherwise) {
  const auto at = world.rules().find(std::string_view(name));
  return at != world.rules().end() ? read_colour(at->second).value_or(otherwise) : otherwise;
}

std::string_view text_rule(const core::WorldState& world, const char* name, std::string_view otherwise) {
  const auto at = world.rules().find(std::string_view(name));
  return at != world.rules().end() ? std::string_view(at->second) : otherwise;
}

const SideLook& side_like(words::Team team) { return *std::ranges::find(kSides, team, &SideLook::team); }

Vec3 somewhere(const Point& point) {
  const Vec3 place = place_of(point);
  return is_finite(place) ? place : kNowhere;
}
bool is_intel(const words::Token& token) {
  return token.kind() == words::Token::INTEL || token.kind() == words::Token::TEAM_FLAG;
}

bool is_flag(const words::Token& token) { return token.kind() == words::Token::FLAG && token.code() != kTerritory; }

bool is_carried(const words::Token& token) { return is_intel(token) || is_flag(token); }

Vec3 place_of_token(const words::Token& token) {
  const bool gone = is_carried(token) && token.state() == words::Token::NOWHERE;
  return gone ? kNowhere : somewhere({token.x(), token.y(), token.z()});
}

std::uint8_t byte(double value) {
  return static_cast<std::uint8_t>(value > 0 ? std::lround(std::min(255.0, value)) : 0);
}

}  // namespace

// -- Which token is shown as which object ----------------------------------------------------------------------------

std::uint8_t Objectives::side_of_token(const words::Token& token, const FrontOut& out) const {
  words::Player whose;
  whose.set_team(token.team());
  return players_.side_of_player(whose, out);
}

/// Lists the territories that State Data contains.
void Objectives::list_territories(const FrontOut& out) {
  territories_.clear();
  for (const auto& [id, token] : out.world().tokens()) {
    const bool there = token.code() == kTerritory && token.state() != words::Token::NOWHERE;
    if (there && territories_.size() < kTerritorySlots) territories_.push_back(id);
  }
}

/// Chooses one intel and one tent for each side, preferably one that is in the game; further ones are not shown. A
/// neutral flag is shown as the other side's intel, if that side has none of its own.
void Objectives::find_tokens(const FrontOut& out) {
  intel_ = tents_ = {};
  for (const bool nowhere : {false, true})
    for (const auto& [id, token] : out.world().tokens()) {
      const bool tent = token.kind() == words::Token::BASE;
      if (token.code() == kTerritory || (!tent && !is_intel(token))) continue;
      if ((token.state() == words::Token::NOWHERE) != nowhere) continue;
      core::Id& known = (tent ? tents_ : intel_)[side_of_token(token, out)];
      if (known == 0) known = id;
    }
  for (const auto& [id, token] : out.world().tokens()) {
    if (!is_flag(token) || token.state() == words::Token::NOWHERE) continue;
    core::Id& known = intel_[side_of_token(token, out)];
    if (known == 0) known = id;
  }
}

void Objectives::begin(FrontOut& out) {
  players_.set_sides(find_sides(out));
  list_territories(out);
  find_tokens(out);
}

/// Runs on every fact about tokens. After kMostLooked tokens it waits for the next snapshot.
/// Sends the place of a side's intel if another token is now shown as it, or none. One that does not lie is shown when
/// it does.
void Objectives::refind_tokens(FrontOut& out) {
  stale_ = looked_ > kMostLooked;
  if (stale_) return;
  looked_ += out.world().tokens().size();
  const auto before = intel_;
  find_tokens(out);
  for (std::uint8_t side = 0; side < 2 && territories_.empty(); ++side) {
    if (before[side] == 0 || intel_[side] == before[side]) continue;
    const words::Token* token = out.world().token(intel_[side]);
    const bool lies = token != nullptr && token->state() == words::Token::GROUND;
    move_intel(side, lies ? place_of_token(*token) : kNowhere, out);
  }
}

void Objectives::refresh(FrontOut& out) {
  looked_ = 0;
  if (!std::exchange(stale_, false)) return;
  const auto intel = intel_, tents = tents_;
  find_tokens(out);
  for (std::uint8_t side = 0; side < 2 && territories_.empty(); ++side) {
    if (intel_[side] != intel[side]) {
      const words::Token* token = out.world().token(intel_[side]);
      const bool lies = token != nullptr && token->state() == words::Token::GROUND;
      move_intel(side, lies ? place_of_token(*token) : kNowhere, out);
    }
    if (tents_[side] != tents[side])
      client_.send(MoveObject{static_cast<std::uint8_t>(kTentObject + side), side, tent(side, out)}, out);
  }
}

void Objectives::move_intel(std::uint8_t side, const Vec3& place, FrontOut& out) {
  client_.send(MoveObject{static_cast<std::uint8_t>(kIntelObject + side), side, place}, out);
}

std::optional<std::uint8_t> Objectives::object_of(const words::Token& token) const {
  for (std::size_t i = 0; i < territories_.size(); ++i)
    if (territories_[i] == token.id()) return static_cast<std::uint8_t>(i);
  for (std::uint8_t side = 0; side < 2; ++side) {
    if (intel_[side] == token.id()) return static_cast<std::uint8_t>(kIntelObject + side);
    if (tents_[side] == token.id()) return static_cast<std::uint8_t>(kTentObject + side);
  }
  return std::nullopt;
}

Vec3 Objectives::tent(std::uint8_t side, const FrontOut& out) const {
  if (const words::Token* token = out.world().token(tents_[side])) return place_of_token(*token);
  if (const words::World* world = out.world().geometry())
    for (const words::Base& base : world->bases()) {
      words::Token token;
      token.set_team(base.team());
      if (side_of_token(token, out) == side)
        return somewhere({base.solid().x(), base.solid().y(), base.solid().z() + base.solid().height()});
    }
  return kNowhere;
}

// -- State Data ------------------------------------------------------------------------------------------------------

/// On a server of this game, the teams are those of its colours; otherwise they are the room's first two teams. Missing
/// ones are blue, then green.
Sides Objectives::find_sides(const FrontOut& out) const {
  const core::WorldState& world = out.world();
  if (same_game(out))
    return sides_of(colour_rule(world, kRuleColour[0], side_like(words::BLUE).colour),
                    colour_rule(world, kRuleColour[1], side_like(words::GREEN).colour));
  const auto plays = [&](words::Team team) {
    const auto score = world.team_scores().find(team);
    const auto is_of = [&](const auto& entry) { return entry.second.team() == team; };
    const words::World* land = world.geometry();
    return (score != world.team_scores().end() && score->second.size() > 0) ||
           std::ranges::any_of(world.tokens(), is_of) ||
           (land != nullptr &&
            std::ranges::any_of(land->bases(), [&](const words::Base& base) { return base.team() == team; }));
  };
  std::vector<words::Team> found;
  for (const SideLook& side : kSides)
    if (world.room().teams() && plays(side.team)) found.push_back(side.team);
  if (found.size() >= 2) return {{found[0], found[1]}};
  const bool none = found.empty() || found[0] == words::BLUE;
  return none ? Sides{} : Sides{{words::BLUE, found[0]}};
}

void Objectives::send_state_data(FrontOut& out) {
  const core::WorldState& world = out.world();
  const SideLook &first = side_like(players_.sides().teams[0]), &second = side_like(players_.sides().teams[1]);
  StateData state;
  state.player = kOwn;
  state.fog = fog_ = wire_colour(colour_rule(world, kRuleFog, kFog));
  state.colour1 = wire_colour(colour_rule(world, kRuleColour[0], first.colour));
  state.colour2 = wire_colour(colour_rule(world, kRuleColour[1], second.colour));
  state.name1.set(wire_text(text_rule(world, kRuleName[0], first.name)));
  state.name2.set(wire_text(text_rule(world, kRuleName[1], second.name)));
  territories_.empty() ? fill_flags(state, out) : fill_territories(state, world);
  client_.send(state, out);
}

void Objectives::fill_territories(StateData& state, const core::WorldState& world) const {
  state.mode = 1;
  state.territory_count = static_cast<std::uint8_t>(territories_.size());
  state.territories.resize(kTerritorySlots);  // BetterSpades copies all of them, whatever the count
  for (std::size_t i = 0; i < territories_.size(); ++i) {
    const words::Token& token = *world.token(territories_[i]);
    state.territories[i] = {place_of_token(token), players_.sides().side_of(token.team(), kNeutral)};
  }
}

void Objectives::fill_flags(StateData& state, const FrontOut& out) const {
  const core::WorldState& world = out.world();
  const Sides& sides = players_.sides();
  CtfState& ctf = state.ctf;
  std::uint8_t* const scores[] = {&ctf.score1, &ctf.score2};
  Vec3* const intels[] = {&ctf.intel1, &ctf.intel2};
  Carrier* const carriers[] = {&ctf.carrier1, &ctf.carrier2};
  for (const auto& [team, score] : world.team_scores())
    if (same_game(out) && (team == sides.teams[0] || team == sides.teams[1]))
      *scores[sides.side_of(team)] = byte(score.wins());
  ctf.limit = byte(world.rule(kRuleCaptures, kCaptures));
  for (std::uint8_t side = 0; side < 2; ++side) {
    const words::Token* intel = world.token(intel_[side]);
    *intels[side] = intel != nullptr ? place_of_token(*intel) : kNowhere;
    if (intel == nullptr || intel->state() != words::Token::CARRIED) continue;
    const auto carrier = players_.slot_of_player(intel->carrier());
    if (carrier && is_of_carrier(side, *carrier)) {
      *intels[side] = kNowhere;
      continue;
    }
    ctf.held = static_cast<std::uint8_t>(ctf.held | (side == 1 ? 1U : 2U));
    carriers[side]->player = carrier.value_or(kWorldId);
  }
  ctf.base1 = tent(kBlue, out);
  ctf.base2 = tent(kGreen, out);
}

/// Whether the client would show the wrong intel: it takes what a player carries for the intel of the other side. So a
/// player with an object of its own side is not shown as its carrier, and the object lies nowhere.
bool Objectives::is_of_carrier(std::uint8_t object, Slot carrier) const { return players_[carrier].side == object % 2; }

// -- What happens to them --------------------------------------------------------------------------------------------

void Objectives::hear(const words::Token& token, FrontOut& out) {
  refind_tokens(out);
  const auto object = object_of(token);
  if (!object) return out.drop(drops::kTokenUnlike);
  if (token.state() == words::Token::CARRIED) return;
  MoveObject move;
  move.object = *object;
  move.team =
      territories_.empty() ? static_cast<std::uint8_t>(*object & 1U) : players_.sides().side_of(token.team(), kNeutral);
  move.position = place_of_token(token);
  client_.send(move, out);
}

void Objectives::hear(const words::TokenTaken& taken, FrontOut& out) {
  refind_tokens(out);
  const auto by = players_.shown_player(taken.by());
  const auto object = object_of(taken.token());
  if (!is_carried(taken.token()) || !object || !by) return out.drop(drops::kTakenUnseen);
  if (is_of_carrier(*object, *by)) return move_intel(static_cast<std::uint8_t>(*object % 2), kNowhere, out);
  client_.send(IntelPickup{*by}, out);
}

void Objectives::hear(const words::TokenDropped& dropped, FrontOut& out) {
  refind_tokens(out);
  const auto by = players_.shown_player(dropped.by());
  const auto object = object_of(dropped.token());
  if (!is_carried(dropped.token()) || !object) return out.drop(drops::kDroppedUnseen);
  if (!by || is_of_carrier(*object, *by)) return hear(dropped.token(), out);
  client_.send(IntelDrop{*by, place_of_token(dropped.token())}, out);
}

void Objectives::hear(const words::TokenCaptured& captured, FrontOut& out) {
  const words::Token* token = out.world().token(captured.token());
  const auto object = token != nullptr ? object_of(*token) : std::nullopt;
  const auto winning = static_cast<std::uint8_t>(captured.winning());
  if (object && !territories_.empty()) {
    const std::uint8_t owner = players_.sides().side_of(token->team(), kNeutral);  // captured.team() owned it before
    return client_.send(TerritoryCapture{*object, winning, owner}, out);
  }
  const auto by = players_.shown_player(captured.by());
  if (!object || !by || is_of_carrier(*object, *by)) return out.drop(drops::kCapturedUnseen);
  client_.send(IntelCapture{*by, winning}, out);
}

/// Sends the progress of a territory. Its owner is sent when it is captured.
void Objectives::hear(const words::Zone& zone, FrontOut& out) {
  const bool rests = zone.capturing() == words::TEAM_ANY && zone.rate() == 0;
  if (rests) return;
  for (std::size_t i = 0; i < territories_.size(); ++i) {
    if (territories_[i] != zone.id()) continue;
    const auto number = static_cast<std::uint8_t>(i);
    if (!std::isfinite(zone.rate()) || !std::isfinite(zone.progress())) return out.drop(drops::kZoneNotFinite);
    const auto rate = static_cast<std::int8_t>(std::lround(std::clamp(zone.rate() / kRateStep, -128.0, 127.0)));
    const std::uint8_t team = players_.sides().side_of(zone.capturing(), kNeutral);
    return client_.send(ProgressBar{number, team, rate, static_cast<float>(zone.progress())}, out);
  }
  out.drop(drops::kZoneUnseen);
}

void Objectives::hear(const words::Round& round, FrontOut& out) {
  if (same_game(out) || round.state() != words::Round::OVER || resync_) return;
  client_.notice(core::line_of(round, out.world()), out);
}

void Objectives::hear(const words::Rule& rule, FrontOut& out) {
  if (rule.name() != kRuleFog) return;
  const auto colour = read_colour(rule.value());
  if (!colour || std::exchange(fog_, wire_colour(*colour)) == wire_colour(*colour)) return;
  client_.send(FogColour{0, fog_}, out);
}

/// Asks to grab or capture the token that our client stands at. Servers of this game notice that themselves.
void Objectives::reach(FrontOut& out) {
  if (!players_.playing() || same_game(out)) return;
  const auto near = [&](const Vec3& place) {
    return std::hypot(place[0] - movement_.body().position[0], place[1] - movement_.body().position[1]) < kReach;
  };
  core::Id reached = 0;
  words::TokenWish wish;
  for (std::uint8_t side = 0; side < 2; ++side) {
    const words::Token* intel = out.world().token(intel_[side]);
    if (intel == nullptr || side == players_.own().side) continue;
    const bool carried = intel->state() == words::Token::CARRIED;
    const bool mine = carried && intel->carrier() == out.me();
    if (is_flag(*intel) && intel->state() != words::Token::GROUND) continue;  // only to be grabbed from the ground
    if (mine ? !near(tent(players_.own().side, out)) : carried || !near(place_of_token(*intel))) continue;
    reached = intel->id();
    wish.set_op(mine ? words::TokenWish::CAPTURE : words::TokenWish::GRAB);
    wish.set_token(intel->id());
    if (const auto* me = out.world().player(out.me()); me != nullptr && mine) wish.set_team(me->player.team());
  }
  const core::Id asked = reached != 0 && wish.op() == words::TokenWish::CAPTURE ? reached | 1U << 31U : reached;
  if (std::exchange(reached_, asked) == asked || reached == 0) return;  // ask once per visit
  const Point at = point_of(movement_.body().position);
  wish.set_x(at.x);
  wish.set_y(at.y);
  wish.set_z(at.z);
  out.say(wish);
}

}  // namespace entente::aos
