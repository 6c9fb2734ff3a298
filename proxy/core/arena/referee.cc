// Players who enter, leave and change, and the dispatch of intents. See referee.h.
#include "proxy/core/arena/referee.h"

#include <algorithm>

#include "proxy/base/text.h"
#include "proxy/core/bodies.h"
#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/seconds.h"
#include "proxy/core/world.h"

namespace entente::core {
namespace {

constexpr Micros kSeatKept = 5 * kSecond;  // until RejoinRecord::entries is full again
constexpr double kAway = 3;                // seconds that a client may have moved without a referee
constexpr std::size_t kLongestName = 31;

words::Rule rule(const char* name, std::string value) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::move(value));
  return rule;
}

std::string digits(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Clients of games without red and blue ask for red with green, and for blue with purple.
words::Team side_meant(words::Team wish) {
  if (wish == words::GREEN || wish == words::YELLOW) return words::RED;
  return wish == words::PURPLE ? words::BLUE : wish;
}

}  // namespace

Referee::Referee(Arena arena)
    : arena_(std::move(arena)), terrain_(arena_.geometry), claimed_tank_(arena_.rules.tank), starts_(arena_.starts) {
  claimed_tank_.length /= 2;
  claimed_tank_.width /= 2;
  claimed_tank_.climb = 1.6;
}

void Referee::opened(const Peer&, BackOut& out) {
  const ArenaRules& rules = arena_.rules;
  room_.set_game("arena");
  room_.set_name(rules.name);
  room_.set_mode(name_of(rules.mode));
  room_.set_most_players(rules.most_players);
  room_.set_most_shots(rules.most_balls);
  room_.set_jumping(rules.jumping);
  room_.set_ricochet(rules.ricochet);
  room_.set_teams(teams());
  tell_room(out);
  const std::pair<const char*, double> numbers[] = {{"speed", rules.tank.speed},
                                                    {"turn_rate", rules.tank.turn_rate},
                                                    {"reload", rules.reload},
                                                    {"shot_speed", rules.ball_speed},
                                                    {"shot_range", rules.ball_range},
                                                    {"respawn", rules.respawn},
                                                    {"tick_s", static_cast<double>(kTick) / kSecond}};
  for (const auto& [name, value] : numbers) out.say(rule(name, digits(value)));
  out.say(rule("hits", "server"));
  if (rules.lockstep) out.say(rule("lockstep", "1"));
  out.say(arena_.geometry);
  if (terrain_.left_out() != 0) out.drop(drops::kTerrainFull);
  if (rules.mode == ArenaMode::kFlags) place_flags(out);
  place_guided(out);
  if (arena_.in_play) {
    held_until_ = out.now() + kHeld;
    for (SavedPlayer& start : starts_) start.held_until = held_until_;
    restore_flags(out);
    for (const words::TeamScore& score : arena_.in_play->team_scores) team_scores_[score.team()] = score;
  }
  if (teams())
    for (const words::Team team : {words::RED, words::BLUE}) score_team(team, 0, 0, out);
  arena_.in_play ? restore_round(out) : begin_round(out);
  out.say(words::Ready());
  ticked_ = out.now();
  out.wake(out.now() + kTick);
}

void Referee::hear(const Intent& intent, BackOut& out) {
  if (const auto* wish = as<words::Enter>(intent)) return enter(intent.by, *wish, out);
  if (as<words::Leave>(intent) != nullptr) return leave(intent.by, as<words::Leave>(intent)->why(), out);
  if (as<words::WantWorld>(intent) != nullptr || as<words::Query>(intent) != nullptr) return;  // already told
  Player* const player = find(intent.by);
  if (player == nullptr) return out.drop(drops::kNotEntered, intent);
  if (const auto shooting = player->steering.shooting(intent, player->tank.x, player->tank.y))
    return shoot(*player, *shooting, out);
  std::visit(Overloaded{
                 [&](const words::Spawn&) { want_spawn(*player, out); },
                 [&](const words::PoseClaim& word) { claim(*player, word, out); },
                 [&](const words::Change& word) { change(*player, word, out); },
                 [&](const words::Watch& word) { watch(*player, word, out); },
                 [&](const words::Say& word) { say(*player, word, out); },
                 [&](const words::TokenWish& word) { wish(*player, word, out); },
                 [&](const words::ShotEndClaim& word) { end_claim(*player, word, out); },
                 [&](const words::ShotMoveClaim& word) { move_claim(*player, word, out); },
                 [&](const words::DeathClaim& word) {
                   if (word.why() == words::BY_ITSELF && player->alive)
                     return die(*player, nullptr, 0, words::BY_ITSELF, out);
                   refuse_claim(intent.by, drops::kDeathClaim, out);
                 },
                 [&](const words::Trigger& word) {  // released, or already held
                   if (!word.primary()) lose_owed_shot(*player, drops::kNotLoaded, out);
                 },
                 [&](const words::HitClaim&) { out.drop(drops::kHitClaim); },
                 [&](const words::Playback&) {
                   if (!arena_.rules.lockstep) return out.drop(drops::kMeansNothing, intent);
                   words::ClaimRefused refused;
                   refused.set_why("a step of a lockstep arena needs by_s: more than 0, at most 3600 seconds");
                   out.say(Fact(intent.by, refused));
                 },
                 [&](const words::Edit&) { out.drop(drops::kEdit); },
                 [&](const auto&) {
                   if (!player->steering.hear(intent)) out.drop(drops::kMeansNothing, intent);
                 },
             },
             intent.content);
}

void Referee::tick(BackOut& out) {
  out.wake(out.now() + kTick);
  const bool moves = out.now() > ticked_;  // not after an order at the time of the last tick
  const double dt = static_cast<double>(out.now() - ticked_) / kSecond;
  ticked_ = out.now();
  carry_out_orders(out);
  if (moves)
    for (auto& [id, player] : players_) drive(player, dt, out);
  for (std::size_t i = 0; i < balls_.size();) {
    Ball& ball = balls_[i];
    if (moves && ball.until != 0) fly(ball, dt, out);
    if (ball.until != 0) {
      ++i;
    } else {
      ball = balls_.back();
      balls_.pop_back();
    }
  }
  if (held_until_ != 0 && out.now() >= held_until_) forget_held(out.now());
  look_after_flags(out);
  look_at_the_clock(out);
  tell_sizes(out);
  for (auto& [id, player] : players_) spawn(player, out);
}

Referee::Player* Referee::find(Id id) {
  const auto at = players_.find(id);
  return at != players_.end() ? &at->second : nullptr;
}

/// Reports the numbers of players and spectators, with which fronts answer queries.
void Referee::tell_room(BackOut& out) {
  room_.set_players(static_cast<std::uint32_t>(playing()));
  room_.set_watchers(static_cast<std::uint32_t>(players_.size() - playing()));
  out.say(room_);
}

/// At most once a tick, however many players came and left, because every player is told.
void Referee::tell_sizes(BackOut& out) {
  if (!std::exchange(sizes_due_, false)) return;
  tell_room(out);
  if (!teams()) return;
  for (const words::Team team : {words::RED, words::BLUE})
    if (size_of(team) != team_scores_[team].size()) score_team(team, 0, 0, out);
}

std::size_t Referee::playing() const {
  return static_cast<std::size_t>(
      std::count_if(players_.begin(), players_.end(), [](const auto& entry) { return entry.second.unit != 0; }));
}

// -- Coming and going -------------------------------------------------------------------------------------------------

/// Gives the player a name that no other has, nor one whose place is held.
void Referee::call(Player& player, const std::string& wish) {
  player.who.set_name(names_.give(player.who.id(), wish, kLongestName, [&](const std::string& name) {
    return held_until_ != 0 && std::any_of(starts_.begin(), starts_.end(),
                                           [&](const SavedPlayer& start) { return start.held && start.name == name; });
  }));
}

/// The requested team, if it is red or blue; otherwise the smaller one.
words::Team Referee::team_for(words::Team wish) const {
  if (!teams()) return words::ROGUE;
  if (wish == words::RED || wish == words::BLUE) return wish;
  int more_red = 0;
  for (const auto& [id, player] : players_)
    if (player.unit != 0) more_red += player.who.team() == words::RED ? 1 : -1;
  return more_red > 0 ? words::BLUE : words::RED;
}

/// The saved player with this name that a new player continues. Nothing: there is none, or it is held for another seat.
std::optional<SavedPlayer> Referee::start_for(const std::string& name, bool promised) {
  const auto at = std::find_if(starts_.begin(), starts_.end(),
                               [&](const SavedPlayer& start) { return start.name == name && start.held == promised; });
  if (at == starts_.end()) return std::nullopt;
  SavedPlayer start = std::move(*at);
  starts_.erase(at);
  return start;
}

void Referee::hold(SavedPlayer start) {
  start.held = true;
  start.held_until = ticked_ + kHeld;
  if (held_until_ == 0) held_until_ = start.held_until;  // else something is released before
  starts_.push_back(std::move(start));
}

void Referee::begin_with(Player& player, const SavedPlayer& start, words::Team wish) {
  player.who.set_team(team_for(start.held || wish == words::TEAM_ANY ? start.team : wish));
  player.start = start.pose;
  player.start_health = start.health;
  player.score = start.score;
}

/// Where the player was, with what it carried.
void Referee::go_on(Player& player, const SavedPlayer& start, BackOut& out) {
  if (!start.pose) {  // it may have died just now
    player.spawn_allowed_at = std::max(player.spawn_allowed_at, next_life(player, out.now()));
    return;
  }
  player.spawn_allowed_at = 0;
  player.wants_spawn = true;
  spawn(player, out);
  if (!player.alive) return;
  player.away = fastest() * kAway;
  for (Flag& flag : flags_)
    if (flag.awaits != 0 && flag.awaits == start.id) take(flag, player, out);
}

/// The players for whom something was held until now did not come: forgets what was held for them.
void Referee::forget_held(Micros now) {
  std::erase_if(starts_, [now](const SavedPlayer& start) { return start.held && now >= start.held_until; });
  std::erase_if(promised_, [&](const auto& promise) {
    return std::none_of(starts_.begin(), starts_.end(),
                        [&](const SavedPlayer& start) { return start.held && start.name == promise.second; });
  });
  for (Flag& flag : flags_) flag.awaits = 0;  // their carriers were the first for whom something was held
  const auto next = std::find_if(starts_.begin(), starts_.end(), [](const SavedPlayer& start) { return start.held; });
  held_until_ = next != starts_.end() ? next->held_until : 0;
}

Referee::RejoinRecord& Referee::record_of(Id id, Micros now) {
  std::erase_if(rejoin_records_,
                [&](const auto& entry) { return !players_.contains(entry.first) && now >= entry.second.forget; });
  return rejoin_records_[id];
}

/// Whether the player may enter. A player who enters too often is refused and may retry; the first time is always
/// allowed.
bool Referee::lets_in(Id id, BackOut& out) {
  if (record_of(id, out.now()).entries.take(out.now())) return true;
  words::Refused refused;
  refused.set_code(words::Refused::TOO_SOON);
  refused.set_text("you come and go too often: try again in a second");
  refused.set_may_retry(true);
  out.say(Fact(id, refused));
  return false;
}

bool Referee::would_play(const Intent& enter, const BackOut& out) const {
  if (as<words::Enter>(enter)->role() == words::WATCH || players_.contains(enter.by)) return false;
  const auto record = rejoin_records_.find(enter.by);
  return record == rejoin_records_.end() || record->second.entries.next() <= out.now();
}

/// Whether there is a place for a spectator. Those of players stay free for players. `full`: the spectator wanted to
/// play.
bool Referee::gives_place(Id id, bool full, BackOut& out) {
  constexpr std::size_t kMost = WorldLimits{}.players;
  const std::size_t most = kMost - std::min<std::size_t>(kMost, arena_.rules.most_players);
  auto refused = watchers_.take(id, out.network_of(id), most);
  if (!refused) return true;
  if (full) refused->set_text("the arena is full: " + refused->text());
  out.say(Fact(id, std::move(*refused)));
  return false;
}

void Referee::keep_seat(const Player& player, Micros now) {
  RejoinRecord& seat = rejoin_records_[player.who.id()];
  seat.spawn_allowed_at = player.alive ? next_life(player, now) : player.spawn_allowed_at;
  seat.barrels = player.barrels;
  seat.trigger_allowed_at = player.trigger_allowed_at;
  seat.forget = std::max({seat.spawn_allowed_at, seat.trigger_allowed_at, now + kSeatKept});
  for (const Micros loaded : seat.barrels) seat.forget = std::max(seat.forget, loaded);
}

void Referee::refuse_claim(Id id, const MappingLine& why, BackOut& out) {
  out.drop(why);
  words::ClaimRefused refused;
  refused.set_why(why.reason);
  out.say(Fact(id, refused));
}

void Referee::refuse_change(Id id, BackOut& out) {
  words::ClaimRefused refused;
  refused.set_why("you change your name, team, skin or motto too often: try again in a second");
  out.say(Fact(id, refused));
}

void Referee::enter(Id id, const words::Enter& wish, BackOut& out) {
  if (players_.contains(id)) return out.drop(drops::kEnteredAlready);
  if (!lets_in(id, out)) return;
  const bool full = wish.role() != words::WATCH && playing() >= arena_.rules.most_players;
  const bool plays = wish.role() != words::WATCH && !full;
  if (!plays && !gives_place(id, full, out)) return;
  Player& player = players_[id];
  player.who.set_id(id);
  const auto promise = promised_.extract(id);
  const std::string name = promise ? promise.mapped() : wish.name();
  const auto start = plays || promise ? start_for(name, !promise.empty()) : std::nullopt;
  call(player, name);
  player.who.set_motto(wish.motto());
  player.who.set_skin(wish.skin());
  player.who.set_role(full ? words::WATCH : wish.role());
  if (plays && start)
    begin_with(player, *start, wish.team());
  else if (plays)
    player.who.set_team(team_for(wish.team()));
  player.who.set_responding(true);
  player.walks = wish.body() == words::Unit::MAN;
  const RejoinRecord& seat = rejoin_records_[id];
  player.barrels = seat.barrels;
  player.barrels.resize(arena_.rules.most_balls, 0);
  player.score.set_player(id);
  player.spawn_allowed_at = seat.spawn_allowed_at;
  player.trigger_allowed_at = seat.trigger_allowed_at;
  out.say(player.who);
  if (full) {
    words::Notice notice;
    notice.set_text("the arena is full: you are watching");
    out.say(Fact(id, notice));
  }
  sizes_due_ = true;
  if (player.who.role() == words::WATCH) return;
  player.unit = out.new_id();
  words::Unit unit;
  unit.set_id(player.unit);
  unit.set_owner(id);
  unit.set_team(player.who.team());
  unit.set_radius(arena_.rules.tank.length / 2);
  unit.set_health(arena_.rules.health);
  unit.set_max_health(arena_.rules.health);
  unit.set_name(player.who.name());
  unit.set_skin(player.who.skin());
  *unit.mutable_pose() = pose_of(player);
  say_owned(std::move(unit), out);
  out.say(player.score);
  if (start && start->held) go_on(player, *start, out);
}

void Referee::leave(Id id, std::string_view why, BackOut& out) {
  Player* const player = find(id);
  if (player == nullptr) return;
  keep_seat(*player, out.now());
  lose_owed_shot(*player, drops::kNotLoaded, out);
  if (Flag* flag = carried_by(id)) drop(*flag, *player, out);
  for (Ball& ball : balls_)
    if (ball.shooter == id) end_shot(ball, false, out);
  std::erase_if(balls_, [](const Ball& ball) { return ball.until == 0; });
  if (player->unit != 0) {
    words::Gone gone;
    gone.set_unit(player->unit);
    out.say(gone);
  }
  words::PlayerGone goodbye;
  goodbye.set_id(id);
  goodbye.set_why(std::string(why));
  out.say(goodbye);
  names_.forget(id);
  watchers_.give_back(id);
  players_.erase(id);
  sizes_due_ = true;
}

void Referee::change(Player& player, const words::Change& change, BackOut& out) {
  if (!rejoin_records_[player.who.id()].entries.take(out.now())) return refuse_change(player.who.id(), out);
  words::UnitChanged changed;
  changed.set_unit(player.unit);
  if (change.has_name()) {
    call(player, change.name());
    changed.set_name(player.who.name());
  }
  if (change.has_skin()) {
    player.who.set_skin(change.skin());
    changed.set_skin(change.skin());
  }
  if (change.has_motto()) player.who.set_motto(change.motto());
  if (change.has_kit() || change.has_colour()) out.drop(drops::kKitOrColour);
  if (change.has_team() && change_team(player, change.team(), out)) changed.set_team(player.who.team());
  if (player.unit != 0 && (changed.has_name() || changed.has_skin() || changed.has_team())) out.say(changed);
  out.say(player.who);
}

/// False: the player is in that team already, or there are no teams.
bool Referee::change_team(Player& player, words::Team wish, BackOut& out) {
  if (player.unit == 0) return false;
  const words::Team team = team_for(side_meant(wish));
  if (team == player.who.team()) return false;
  if (player.alive) die(player, nullptr, 0, words::BY_SERVER, out);
  player.who.set_team(team);
  sizes_due_ = true;
  return true;
}

/// A player who wants to watch for a while dies, and is out of play until its next Spawn.
void Referee::watch(Player& player, const words::Watch& watch, BackOut& out) {
  if (watch.mode() == words::Watch::STOP) return;
  player.wants_spawn = false;
  if (player.alive) die(player, nullptr, 0, words::BY_SERVER, out);
}

void Referee::say(const Player& from, const words::Say& say, BackOut& out) {
  if (say.scope() == words::Say::SERVER || say.scope() == words::Say::MODERATORS || say.kind() == words::Say::COMMAND)
    return out.drop(drops::kNoCommands);
  words::Said said;
  said.set_from(from.who.id());
  said.set_scope(say.scope());
  said.set_kind(say.kind());
  said.set_text(say.text());
  Fact fact;
  if (say.scope() == words::Say::ONE) {
    if (find(say.to()) == nullptr) return out.drop(drops::kNoRecipient);
    said.set_to(say.to());
    out.say(Fact(from.who.id(), said));  // the sender sees it, too
    if (say.to() != from.who.id()) out.say(Fact(say.to(), said));
    return;
  }
  if (say.scope() == words::Say::MY_TEAM && teams()) {
    said.set_to(static_cast<std::uint32_t>(from.who.team()));
    fact.audience = words::TEAM;
    fact.to = said.to();
  } else {
    said.set_scope(words::Say::EVERYBODY);
  }
  fact.content = said;
  out.say(std::move(fact));
}

}  // namespace entente::core
