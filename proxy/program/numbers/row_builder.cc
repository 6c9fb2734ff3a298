#include "proxy/program/numbers/row_builder.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "proxy/core/seconds.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/numbers/word_names.h"

namespace entente::numbers {
namespace {

using core::Id, core::Micros;

constexpr WallTime kFirstDate = 1'000'000'000'000'000'000;  // a file without dates begins at 0
constexpr Micros kLongSilence = 60 * core::kSecond;         // no positions for the rest of such a gap

double speed_of(const words::Pose& pose) { return std::hypot(pose.vx(), pose.vy()); }

Place place_of_token(const words::Token& token) { return {token.x(), token.y(), token.z()}; }

bool same(const words::Token& a, const words::Token& b) {
  return a.state() == b.state() && a.carrier() == b.carrier() && a.code() == b.code() && a.x() == b.x() &&
         a.y() == b.y();
}
bool same(const words::Score& a, const words::Score& b) {
  return a.wins() == b.wins() && a.losses() == b.losses() && a.team_kills() == b.team_kills();
}
bool same(const words::TeamScore& a, const words::TeamScore& b) {
  return a.wins() == b.wins() && a.losses() == b.losses() && a.size() == b.size();
}

std::string utc(WallTime time) {
  const auto seconds = static_cast<std::time_t>(time / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace

RowBuilder::RowBuilder(RowSink& to, const Options& options)
    : to_(to), options_(options), now_(options.first), next_positions_(options.first) {
  begin_match();
}

double RowBuilder::now_s() const { return core::seconds(now_); }

void RowBuilder::take(const core::Fact& fact) {
  pass_time(fact.at);
  positions_left_ += kPositionsPerFact;
  retelling_.hear(fact);
  const bool retelling{retelling_};
  if (retelling || was_retelling_) {
    if (const auto* gone = core::as<words::PlayerGone>(fact)) forget(gone->id(), true);
    world_.fold(fact);
    if (!retelling) compare();
    was_retelling_ = retelling;
    return;
  }
  std::visit([&](const auto& word) { before(word, fact); }, fact.content);
  world_.fold(fact);
  std::visit([&](const auto& word) { after(word); }, fact.content);
}

void RowBuilder::become(core::WorldState world, Micros at, Micros until) {
  pass_time(until);
  while (until < at && !lives_.empty()) end_life(lives_.begin()->first, "recording");
  std::vector<Id> gone;
  for (const auto& [id, guest] : guests_)
    if (world.player(id) == nullptr) gone.push_back(id);
  for (const Id id : gone) forget(id, true);
  pass_time(at);
  if (const words::World* land = world.geometry()) use(*land);
  world_ = std::move(world);
  compare();
}

/// The world was described: players and units came or went unseen, and poses are new.
void RowBuilder::compare() {
  for (const auto& [id, player] : world_.players()) know(id);
  std::vector<LifeKey> over;
  for (auto& [key, life] : lives_) {
    life.broken = true;
    const core::UnitState* unit = world_.unit(life.unit);
    const bool lives =
        key >= kOfPlayer ? world_.active_unit(life.player) != nullptr : unit != nullptr && unit->unit.alive();
    if (!lives) over.push_back(key);
  }
  for (const LifeKey key : over) end_life(key, "unknown");
  for (const Id id : world_.sorted_units([](const core::UnitState& unit) { return unit.unit.owner() != 0; }))
    look_at(id);
}

void RowBuilder::end(Micros at) {
  pass_time(at);
  while (!guests_.empty()) forget(guests_.begin()->first, false);
  end_match();
}

// -- Time -------------------------------------------------------------------------------------------------------------

void RowBuilder::pass_time(Micros until) {
  until = std::max(until, now_);
  if (options_.every != 0 && !positions_end_) {
    const Micros last = std::min(until, now_ + kLongSilence);
    for (; next_positions_ < last && !positions_end_; next_positions_ += options_.every)
      tell_positions(next_positions_);
    if (next_positions_ < until)
      next_positions_ += (until - next_positions_ + options_.every - 1) / options_.every * options_.every;
  }
  now_ = until;
}

void RowBuilder::tell_positions(Micros at) {
  if (positions_left_ == 0) return void(positions_end_ = at);
  std::uint64_t looks = 0;  // also at units that have no position to tell
  for (const auto& [key, life] : lives_) {
    const auto tell = [&, owner = life.player](const core::UnitState& unit) {
      if (unit.hidden) return;
      const words::Pose pose = core::place_at(unit.unit.pose(), unit.posed_at, at);
      auto row = event<Position>();
      row.time_s = core::seconds(at);
      row.player = ref(owner);
      row.unit = unit.unit.id();
      row.at = {pose.x(), pose.y(), pose.z()};
      row.speed_mps = speed_of(pose);
      row.yaw_rad = pose.yaw();
      if (unit.unit.radius() > 0) row.radius_m = unit.unit.radius();
      if (unit.unit.max_health() > 0) row.health = unit.unit.health();
      to_.take(row);
    };
    ++looks;
    if (key < kOfPlayer) {
      if (const auto* unit = world_.unit(life.unit)) tell(*unit);
      continue;
    }
    const auto* player = world_.player(life.player);
    if (player == nullptr) continue;
    looks += player->units.size();
    for (const Id id : player->units)
      if (const auto* unit = world_.unit(id)) tell(*unit);
  }
  positions_left_ -= std::min(positions_left_, looks);
}

// -- Matches ----------------------------------------------------------------------------------------------------------

void RowBuilder::begin_match() {
  const std::int64_t number = match_.match + 1;
  match_ = {};
  match_.match = number;
  match_.began_s = now_s();
  if (options_.began > kFirstDate) match_.began_utc = utc(options_.began + now_ * 1000);
}

void RowBuilder::end_match() {
  const words::Room& room = world_.room();
  match_.ended_s = now_s();
  match_.game = room.game();
  match_.room = room.name();
  match_.mode = room.mode();
  if (const words::World* land = world_.geometry()) match_.map = land->name();
  to_.take(match_);
}

void RowBuilder::before(const words::Round& round, const core::Fact&) {
  if (round.state() == words::Round::OVER) {
    if (match_.over) return;
    match_.over = true;
    const core::PlayerState* winner = world_.player(round.winner());
    const bool watches = winner != nullptr && winner->player.role() == words::WATCH;  // an operator ended the match
    match_.winner = watches ? Ref() : ref(round.winner());
    match_.winning_team = name_of(round.winning_team());
    return;
  }
  if (!match_.over) return;
  end_match();
  begin_match();
}

void RowBuilder::before(const words::World& land, const core::Fact&) { use(land); }

void RowBuilder::use(const words::World& land) {
  const bool other = has_land_ && land.hash() != land_;
  const bool known = has_land_ && !other;
  has_land_ = true;
  land_ = land.hash();
  if (!known) to_.land(land);
  if (!other) return;
  end_match();
  begin_match();
}

// -- Players ----------------------------------------------------------------------------------------------------------

Ref RowBuilder::ref(Id player) const {
  const auto at = guests_.find(player);
  return {at == guests_.end() ? 0 : at->second.number};
}

void RowBuilder::know(Id id) {
  if (world_.player(id) == nullptr || !guests_.try_emplace(id).second) return;
  Guest& guest = guests_[id];
  guest.number = ++players_;
  guest.joined = now_;
}

void RowBuilder::forget(Id id, bool left) {
  const auto at = guests_.find(id);
  if (at == guests_.end()) return;
  end_lives_of(id, left ? "left" : "recording");
  Player row;
  row.player = at->second.number;
  row.id = id;
  // A world that somebody described may lack the player.
  if (const core::PlayerState* player = world_.player(id)) {
    row.name = player->player.name();
    row.team = name_of(player->player.team());
    row.role = name_of(player->player.role());
    row.wins = player->score.wins();
    row.losses = player->score.losses();
    row.team_kills = player->score.team_kills();
  }
  row.joined_s = core::seconds(at->second.joined);
  if (left) row.left_s = now_s();
  to_.take(row);
  guests_.erase(at);
}

void RowBuilder::before(const words::PlayerGone& gone, const core::Fact&) { forget(gone.id(), true); }

bool RowBuilder::same_team(Id a, Id b) const {
  const core::PlayerState *one = world_.player(a), *other = world_.player(b);
  if (one == nullptr || other == nullptr || a == b) return false;
  const words::Team team = one->player.team();
  return team == other->player.team() && team != words::TEAM_ANY && team != words::ROGUE;
}

void RowBuilder::before(const words::Score& score, const core::Fact&) {
  const auto guest = guests_.find(score.player());
  const core::PlayerState* player = world_.player(score.player());
  if (guest == guests_.end() || player == nullptr) return;
  if (std::exchange(guest->second.scored, true) && same(player->score, score)) return;
  auto row = event<Score>();
  row.player = ref(score.player());
  row.wins = score.wins();
  row.losses = score.losses();
  row.team_kills = score.team_kills();
  to_.take(row);
}

void RowBuilder::before(const words::TeamScore& score, const core::Fact&) {
  const auto known = world_.team_scores().find(score.team());
  if (known != world_.team_scores().end() && same(known->second, score)) return;
  auto row = event<TeamScore>();
  row.team = name_of(score.team());
  row.wins = score.wins();
  row.losses = score.losses();
  row.size = score.size();
  to_.take(row);
}

void RowBuilder::before(const words::Said& said, const core::Fact& fact) {
  auto row = event<Chat>();
  row.player = ref(said.from());
  row.name = said.name();
  row.scope = name_of(said.scope());
  if (const core::PlayerState* player = world_.player(said.from())) row.name = player->player.name();
  if (said.scope() == words::Say::ONE) row.to_player = ref(said.to());
  const auto team = fact.audience == words::TEAM ? fact.to : said.scope() == words::Say::MY_TEAM ? said.to() : 0;
  if (team != 0 && words::Team_IsValid(static_cast<int>(team))) row.to_team = name_of(static_cast<words::Team>(team));
  row.kind = name_of(said.kind());
  row.text = said.text();
  to_.take(row);
}

void RowBuilder::before(const words::Lag& lag, const core::Fact&) {
  auto row = event<Latency>();
  row.player = ref(lag.player());
  row.rtt_ms = lag.ping_s() * 1000;
  to_.take(row);
}

// -- Items ------------------------------------------------------------------------------------------------------------

Item RowBuilder::item_of(const words::Token& token, const char* what) const {
  auto row = event<Item>();
  row.item = token.id();
  row.kind = name_of(token.kind());
  row.code = token.code();
  row.team = name_of(token.team());
  row.event = what;
  row.state = name_of(token.state());
  row.player = ref(token.carrier());
  row.at = place_of_token(token);
  return row;
}

void RowBuilder::before(const words::Token& token, const core::Fact&) {
  const words::Token* known = world_.token(token.id());
  if (known == nullptr || !same(*known, token)) to_.take(item_of(token, "told"));
}

void RowBuilder::before(const words::TokenTaken& taken, const core::Fact&) {
  Item row = item_of(taken.token(), "taken");
  row.player = ref(taken.by());
  row.from_player = ref(taken.from());
  to_.take(row);
}

void RowBuilder::before(const words::TokenDropped& dropped, const core::Fact&) {
  Item row = item_of(dropped.token(), "dropped");
  row.player = ref(dropped.by());
  row.why = name_of(dropped.why());
  to_.take(row);
}

void RowBuilder::before(const words::TokenCaptured& captured, const core::Fact&) {
  auto row = event<Capture>();
  row.player = ref(captured.by());
  row.item = captured.token();
  row.team = name_of(captured.team());
  row.winning = captured.winning();
  row.at = place_of_player(captured.by());
  const words::Token* token = world_.token(captured.token());
  Item item = item_of(token != nullptr ? *token : words::Token(), "captured");
  item.item = row.item;
  item.team = row.team;
  item.player = row.player;
  item.at = row.at;
  to_.take(item);
  to_.take(row);
}

// -- A whole recording ------------------------------------------------------------------------------------------------

Outcome<Done> read_rows(PlayedWords& words, RowBuilder& builder, Progress& progress) {
  if (words.begins_with_world()) {
    core::WorldState world;
    if (const auto begun = words.seek(words.first(), world); !begun) return begun;
    builder.become(std::move(world), words.first(), words.first());
  }
  while (const auto at = words.next_at()) {
    if (Interruption::came()) return Error{"interrupted"};
    progress.reached(*at);
    if (!words.next_is_other_session()) {
      builder.take(words.next());
      continue;
    }
    const Micros until = words.gap_from().value_or(*at);
    core::WorldState world;
    if (const auto changed = words.seek(*at, world); !changed) return changed;
    builder.become(std::move(world), *at, until);
  }
  builder.end(words.end_time());
  return Done{};
}

}  // namespace entente::numbers
