// What players of an arena play for: scores, flags, rounds. See referee.h.
#include <algorithm>
#include <cmath>

#include "proxy/core/arena/referee.h"
#include "proxy/core/drops.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

constexpr double kTouch = 5;                    // metres between a tank's middle and a flag that it takes
constexpr Micros kReturnsAfter = 30 * kSecond;  // how long a dropped flag lies before it returns to its base

bool on(const words::Solid& base, double x, double y) {
  return std::abs(x - base.x()) <= base.half_x() && std::abs(y - base.y()) <= base.half_y();
}

}  // namespace

// -- Scores -----------------------------------------------------------------------------------------------------------

void Referee::score(Player& player, int wins, int losses, BackOut& out) {
  player.score.set_wins(player.score.wins() + static_cast<std::uint32_t>(wins));
  player.score.set_losses(player.score.losses() + static_cast<std::uint32_t>(losses));
  out.say(player.score);
  if (!teams() && wins != 0) look_at_the_score(player.score.wins(), player.who.id(), words::TEAM_ANY, out);
}

void Referee::score_team(words::Team team, int wins, int losses, BackOut& out) {
  words::TeamScore& score = team_scores_[team];
  score.set_team(team);
  score.set_wins(score.wins() + static_cast<std::uint32_t>(wins));
  score.set_losses(score.losses() + static_cast<std::uint32_t>(losses));
  score.set_size(size_of(team));
  out.say(score);
  if (wins != 0) look_at_the_score(score.wins(), 0, team, out);
}

std::uint32_t Referee::size_of(words::Team team) const {
  return static_cast<std::uint32_t>(std::count_if(players_.begin(), players_.end(), [&](const auto& entry) {
    return entry.second.unit != 0 && entry.second.who.team() == team;
  }));
}

// -- Flags ------------------------------------------------------------------------------------------------------------

const words::Solid* Referee::base_of(words::Team team) const {
  for (const auto& base : arena_.geometry.bases())
    if (base.team() == team) return &base.solid();
  return nullptr;
}

void Referee::place_flags(BackOut& out) {
  for (const words::Team team : {words::RED, words::BLUE}) {
    if (base_of(team) == nullptr) continue;
    Flag flag;
    flag.token.set_id(out.new_id());
    flag.token.set_kind(words::Token::TEAM_FLAG);
    flag.token.set_team(team);
    flag.token.set_endurance(1);
    flags_.push_back(std::move(flag));
    bring_home(flags_.back(), out);
  }
}

/// Places the flags that make balls guided, at random.
void Referee::place_guided(BackOut& out) {
  for (std::uint32_t i = 0; i < arena_.rules.guided; ++i) {
    Flag flag;
    flag.token.set_id(out.new_id());
    flag.token.set_gives(words::GUIDED);
    flag.token.set_endurance(1);
    flags_.push_back(std::move(flag));
    bring_home(flags_.back(), out);
  }
}

/// Restores the flags of an arena that was moved here: where they were, or where their carriers are.
void Referee::restore_flags(BackOut& out) {
  std::vector<bool> restored(flags_.size());
  for (const words::Token& before : arena_.in_play->tokens) {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      Flag& flag = flags_[i];
      words::Token& token = flag.token;
      if (restored[i] || token.kind() != before.kind() || token.team() != before.team() ||
          token.gives() != before.gives())
        continue;
      restored[i] = true;
      double x = before.x(), y = before.y();
      if (before.state() == words::Token::CARRIED) {
        flag.awaits = before.carrier();
        for (const SavedPlayer& start : starts_)
          if (start.pose && start.id == flag.awaits) x = start.pose->x(), y = start.pose->y();
      }
      const bool at_home = flag.awaits == 0 && (base_of(token.team()) == nullptr || (x == token.x() && y == token.y()));
      token.set_x(std::clamp(x, arena_.geometry.west(), arena_.geometry.east()));
      token.set_y(std::clamp(y, arena_.geometry.south(), arena_.geometry.north()));
      if (!at_home) flag.lies_until = out.now() + kReturnsAfter;
      out.say(token);
      break;
    }
  }
}

bool Referee::guides(Id player) {
  const Flag* const flag = carried_by(player);
  return flag != nullptr && flag->token.kind() == words::Token::FLAG;
}

/// Returns a flag to its base, or to a free place if it has no base.
void Referee::bring_home(Flag& flag, BackOut& out) {
  const words::Solid* base = base_of(flag.token.team());
  const Point home = base != nullptr ? Point{base->x(), base->y(), 0} : free_place(Player(), out);
  flag.lies_until = flag.left_by = flag.awaits = 0;
  flag.token.set_state(words::Token::GROUND);
  flag.token.clear_carrier();
  flag.token.set_x(home[0]);
  flag.token.set_y(home[1]);
  flag.token.set_z(0);
  out.say(flag.token);
}

Referee::Flag* Referee::carried_by(Id player) {
  for (Flag& flag : flags_)
    if (flag.token.state() == words::Token::CARRIED && flag.token.carrier() == player) return &flag;
  return nullptr;
}

/// Only dropping a flag needs a request. The rest happens when a tank drives there.
void Referee::wish(Player& player, const words::TokenWish& wish, BackOut& out) {
  Flag* carried = carried_by(player.who.id());
  if (wish.op() == words::TokenWish::DROP && carried != nullptr) return drop(*carried, player, out);
  if (wish.op() == words::TokenWish::GIVE) out.drop(drops::kFlagGiven);
}

void Referee::look_after_flags(BackOut& out) {
  for (Flag& flag : flags_) look_after_flag(flag, out);
}

void Referee::look_after_flag(Flag& flag, BackOut& out) {
  const words::Token& token = flag.token;
  if (flag.lies_until != 0 && out.now() >= flag.lies_until) return bring_home(flag, out);
  if (token.state() == words::Token::CARRIED) {
    Player* carrier = find(token.carrier());
    const bool team_flag = token.kind() == words::Token::TEAM_FLAG;
    const words::Solid* home = carrier != nullptr && team_flag ? base_of(carrier->who.team()) : nullptr;
    if (home != nullptr && on(*home, carrier->tank.x, carrier->tank.y)) capture(flag, *carrier, out);
    return;
  }
  for (auto& [id, player] : players_) {
    if (!player.alive || !touches(flag, player)) continue;
    if (player.who.team() != token.team()) {
      if (carried_by(id) == nullptr) return take(flag, player, out);
    } else if (flag.lies_until != 0) {
      return bring_home(flag, out);
    }
  }
}

/// Whether the player touches the flag. The player who dropped it must move away first.
bool Referee::touches(Flag& flag, const Player& player) {
  const bool there = std::hypot(player.tank.x - flag.token.x(), player.tank.y - flag.token.y()) <= kTouch;
  if (flag.left_by != player.who.id()) return there;
  if (!there) flag.left_by = 0;
  return false;
}

void Referee::take(Flag& flag, Player& player, BackOut& out) {
  flag.lies_until = 0;
  flag.awaits = 0;
  flag.token.set_state(words::Token::CARRIED);
  flag.token.set_carrier(player.who.id());
  words::TokenTaken taken;
  *taken.mutable_token() = flag.token;
  taken.set_by(player.who.id());
  out.say(taken);
}

void Referee::drop(Flag& flag, Player& player, BackOut& out) {
  flag.lies_until = out.now() + kReturnsAfter;
  flag.left_by = player.who.id();
  words::Token& token = flag.token;
  token.set_state(words::Token::GROUND);
  token.clear_carrier();
  token.set_x(player.tank.x);
  token.set_y(player.tank.y);
  token.set_z(player.tank.z);
  words::TokenDropped dropped;
  *dropped.mutable_token() = token;
  dropped.set_by(player.who.id());
  out.say(dropped);
}

void Referee::capture(Flag& flag, Player& player, BackOut& out) {
  words::TokenCaptured captured;
  captured.set_token(flag.token.id());
  captured.set_by(player.who.id());
  captured.set_team(flag.token.team());
  out.say(captured);
  bring_home(flag, out);
  score(player, 5, 0, out);
  score_team(player.who.team(), 5, 0, out);
}

// -- Rounds -----------------------------------------------------------------------------------------------------------

void Referee::begin_round(BackOut& out) {
  round_ = {};
  round_.set_another(true);
  round_ends_ = arena_.rules.round > 0 ? out.now() + micros(arena_.rules.round) : 0;
  if (round_ends_ != 0) round_.set_left_s(arena_.rules.round);
  out.say(round_);
}

/// Restores the round of an arena that was moved here.
void Referee::restore_round(BackOut& out) {
  begin_round(out);
  closed_ = arena_.in_play->closed;
  const words::Round& before = arena_.in_play->round;
  if (before.state() == words::Round::OVER) {
    round_ = before;
    round_.set_winner(0);  // an id of the earlier room
    round_.set_another(true);
    next_round_ = out.now() + micros(arena_.rules.pause);
  } else if (round_ends_ != 0 && before.has_left_s()) {
    round_.set_left_s(std::clamp(before.left_s(), 0.0, arena_.rules.round));
    round_ends_ = out.now() + micros(round_.left_s());
  }
  out.say(round_);
}

void Referee::look_at_the_score(std::uint32_t wins, Id player, words::Team team, BackOut& out) {
  if (arena_.rules.score_limit == 0 || wins < arena_.rules.score_limit || !running()) return;
  round_.set_winner(player);
  round_.set_winning_team(team);
  end_round(out);
}

/// Takes all players out of play until the next round.
void Referee::end_round(BackOut& out) {
  round_.set_state(words::Round::OVER);
  round_.set_left_s(0);
  out.say(round_);
  next_round_ = out.now() + micros(arena_.rules.pause);
  for (Ball& ball : balls_) end_shot(ball, false, out);
  for (auto& [id, player] : players_)
    if (player.alive) die(player, nullptr, 0, words::BY_SERVER, out);
}

void Referee::look_at_the_clock(BackOut& out) {
  if (running() && round_ends_ != 0 && out.now() >= round_ends_) {
    Id leader = 0;
    std::uint32_t most = 0;
    for (const auto& [id, player] : players_)
      if (player.score.wins() > most) most = player.score.wins(), leader = id;
    round_.set_winner(teams() ? 0 : leader);
    if (teams() && team_scores_[words::RED].wins() != team_scores_[words::BLUE].wins())
      round_.set_winning_team(team_scores_[words::RED].wins() > team_scores_[words::BLUE].wins() ? words::RED
                                                                                                 : words::BLUE);
    return end_round(out);
  }
  if (!running() && !closed_ && out.now() >= next_round_) begin_next_round(out);
}

/// Everybody may play again, and scores start from 0.
void Referee::begin_next_round(BackOut& out) {
  begin_round(out);
  for (auto& [id, player] : players_) {
    player.spawn_allowed_at = out.now();
    player.score.set_wins(0);
    player.score.set_losses(0);
    player.score.set_team_kills(0);
    out.say(player.score);
  }
  for (auto& [team, total] : team_scores_) {
    total.set_wins(0);
    total.set_losses(0);
    out.say(total);
  }
  for (Flag& flag : flags_) bring_home(flag, out);
}

// -- Orders of rules --------------------------------------------------------------------------------------------------

void Referee::carry_out_orders(BackOut& out) {
  for (const auto& order : std::exchange(orders_, {})) order(out);
}

void Referee::set_score(Id id, std::uint32_t wins, std::uint32_t losses) {
  orders_.push_back([this, id, wins, losses](BackOut& out) {
    Player* const player = find(id);
    if (player == nullptr || player->unit == 0) return;
    player->score.set_wins(wins);
    player->score.set_losses(losses);
    out.say(player->score);
    if (!teams()) look_at_the_score(wins, id, words::TEAM_ANY, out);
  });
}

void Referee::set_team(Id id, words::Team team) {
  orders_.push_back([this, id, team](BackOut& out) {
    Player* const player = find(id);
    if (player == nullptr || !change_team(*player, team, out)) return;
    words::UnitChanged changed;
    changed.set_unit(player->unit);
    changed.set_team(player->who.team());
    out.say(changed);
    out.say(player->who);
  });
}

void Referee::open_round() {
  orders_.push_back([this](BackOut& out) {
    closed_ = false;
    if (running()) end_round(out);
    begin_next_round(out);
  });
}

void Referee::close_round(words::Team winner) {
  orders_.push_back([this, winner](BackOut& out) {
    closed_ = true;
    if (!running()) return;
    round_.set_winning_team(winner);
    end_round(out);
  });
}

}  // namespace entente::core
