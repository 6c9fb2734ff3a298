// Who is there, what they score, carry and say, as a back hears it. See back.h.
#include "adapters/bzdraft/back/back.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kMostFlags = 2'000;
constexpr double kTankRadius = 4.32;  // BZFlag's

}  // namespace

/// Of somebody who is known already: what it changed.
void BackSession::on(const AddPlayer& added, Outlet& out) {
  const std::uint8_t number = added.player;
  if (stage_ != Stage::kIn || number < kFirstPlayer || number > kLastPlayer) return out.lose(loss::kNoPlayer);
  const bool known = find(number) != nullptr;
  Someone& one = people_[number];
  words::Player& player = one.player;
  if (!known) player.set_id(number == number_ ? me_ : out.new_id());
  one.team = added.team;
  player.set_name(readable(added.callsign.chars));
  player.set_motto(readable(added.email.chars));
  player.set_skin(readable(added.avatar.chars));
  player.set_team(team_of(added.team));
  player.set_role(role_of(added.type));
  player.set_responding(true);
  out.say(player);
  if (!known) newcomer(number, one, out);
  if (!known || added.wins != 0 || added.losses != 0) on(Score{number, added.wins, added.losses}, out);
  if (known || number != number_) return;
  out.say(words::Ready());  // nobody follows but who comes later
  if (std::exchange(spawns_, false)) spawn(out);
}

void BackSession::newcomer(std::uint8_t number, Someone& one, Outlet& out) {
  const core::Id player = one.player.id();
  if (number != number_) players_.add(number, player);
  if (one.player.role() == words::WATCH) return;
  one.unit = out.new_id();
  words::Unit unit;
  unit.set_id(one.unit);
  unit.set_owner(player);
  unit.set_kind(words::Unit::TANK);
  unit.set_team(one.player.team());
  unit.set_radius(kTankRadius);
  unit.set_name(one.player.name());
  core::say_owned(std::move(unit), out);
}

/// Without ourselves there is no game to go on with.
void BackSession::on(const RemovePlayer& removed, Outlet& out) {
  if (removed.player == number_ && find(number_) != nullptr) return be_kicked("removed by the server", out);
  forget(removed.player, out);
}

void BackSession::forget(std::uint8_t number, Outlet& out) {
  const auto at = people_.find(number);
  if (at == people_.end()) return;
  core::say_gone(at->second.player.id(), at->second.unit, out);
  players_.remove_wire(number);
  people_.erase(at);
}

void BackSession::on(const Score& told, Outlet& out) {
  const core::Id player = id_of(told.player);
  if (player == 0) return;
  words::Score score;
  score.set_player(player);
  score.set_wins(told.wins);
  score.set_losses(told.losses);
  out.say(score);
}

void BackSession::on(const TeamUpdate& update, Outlet& out) {
  if (team_of(update.team) == words::TEAM_ANY) return out.lose(loss::kNoTeam);
  words::TeamScore score;
  score.set_team(team_of(update.team));
  score.set_wins(update.wins);
  score.set_losses(update.losses);
  for (const auto& [number, one] : people_)  // the page has clients count it themselves
    if (one.team == update.team) score.set_size(score.size() + 1);
  out.say(score);
}

void BackSession::on(const ScoreOver& over, Outlet& out) {
  words::Round round;
  round.set_state(words::Round::OVER);
  if (const auto team = target_team(over.winner))
    round.set_winning_team(team_of(*team));
  else
    round.set_winner(id_of(over.winner));
  out.say(round);
}

/// With nothing left the game is over.
void BackSession::on(const TimeLeft& left, Outlet& out) {
  words::Round round;
  if (left.seconds == 0) round.set_state(words::Round::OVER);
  round.set_left_s(left.seconds);
  out.say(round);
}

// -- Talk -------------------------------------------------------------------------------------------------------------

void BackSession::on(const ChatMessage& chat, Outlet& out) {
  std::string text = readable(chat.text.chars);
  if (chat.from == kServer) {
    last_words_.heard(text, out.now());
    words::Notice notice;
    notice.set_text(std::move(text));
    return chat.to == number_ ? out.say({me_, notice}) : out.say(notice);
  }
  words::Said said;
  said.set_from(id_of(chat.from));
  if (text.starts_with(core::kAction)) {
    said.set_kind(words::Say::ACTION);
    text.erase(0, core::kAction.size());
  }
  said.set_text(std::move(text));
  core::Fact fact;
  if (const auto team = target_team(chat.to)) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(team_of(*team)));
  } else if (chat.to != kEveryone) {
    said.set_scope(words::Say::ONE);
    said.set_to(id_of(chat.to));
    fact.audience = words::PLAYER;
    fact.to = me_;
  }
  fact.kind = std::move(said);
  out.say(std::move(fact));
}

void BackSession::hear_chat(const words::Say& say, Outlet& out) {
  ChatMessage chat{number_, kEveryone, {}};
  const Someone* me = find(number_);
  if (say.scope() == words::Say::MY_TEAM) chat.to = team_target(me != nullptr ? me->team : kRogue);
  if (say.scope() == words::Say::ONE) chat.to = number_of(say.to(), kInvalid);
  if (say.scope() == words::Say::SERVER || say.scope() == words::Say::MODERATORS) chat.to = kServer;
  if (chat.to == kInvalid) return out.lose(loss::kNoListener);
  const Mapping* why =
      core::send_lines(say.kind(), core::written(say), kLongestLine, CutAt::kCharacter, [&](std::string_view line) {
        chat.text.chars = line;
        peer_.send(out, chat);
      });
  if (why != nullptr) out.lose(*why);
}

// -- Flags ------------------------------------------------------------------------------------------------------------

words::Token BackSession::told(std::uint16_t number, const Flag& flag) {
  words::Token token = token_of(number, flag);
  if (token.state() == words::Token::CARRIED) token.set_carrier(id_of(flag.carrier));
  if (flags_.size() < kMostFlags || flags_.contains(number)) flags_[number] = token;
  return token;
}

void BackSession::on(const FlagUpdate& update, Outlet& out) { out.say(told(update.number, update.flag)); }

/// What a flag does is a client's to know: one that came unwished to a player who has none is put down again.
void BackSession::on(const GrabFlagDown& grab, Outlet& out) {
  words::TokenTaken taken;
  *taken.mutable_token() = told(grab.number, grab.flag);
  taken.set_by(id_of(grab.flag.carrier));
  const bool ours = grab.flag.carrier == number_ && wish_ && !wish_->claims_deaths();
  const bool unasked = ours && taken.token().id() != own_.wants_token;
  out.say(std::move(taken));
  if (unasked) peer_.send(out, DropFlagUp{static_cast<std::uint8_t>(Drop::kDropped)});
}

void BackSession::on(const DropFlagDown& drop, Outlet& out) {
  words::TokenDropped dropped;
  *dropped.mutable_token() = told(drop.number, drop.flag);
  dropped.set_by(id_of(drop.flag.carrier));
  dropped.set_why(drop_of(drop.reason));
  if (drop.reason == static_cast<std::uint8_t>(Drop::kCaptured)) return captured(drop, dropped.token(), out);
  out.say(std::move(dropped));
}

/// It implies the death of all whose flag it was; that message is the only notice.
void BackSession::captured(const DropFlagDown& drop, const words::Token& token, Outlet& out) {
  words::TokenCaptured captured;
  captured.set_token(token.id());
  captured.set_by(id_of(drop.flag.carrier));
  captured.set_team(token.team());
  out.say(captured);
  out.say(token);
  if (token.team() == words::TEAM_ANY) return;
  std::vector<std::uint8_t> dead;
  for (const auto& [number, one] : people_)
    if (one.player.team() == token.team() && one.alive) dead.push_back(number);
  for (const std::uint8_t number : dead) {
    words::Died death;
    death.set_killer(captured.by());
    death.set_why(words::BY_CAPTURE);
    death.set_synthesised(true);
    died(number, death, out);
  }
}

/// Where a flag is dropped is where the server was last told that we are.
void BackSession::hear_wish(const words::TokenWish& wish, Outlet& out) {
  if (!may_act()) return out.lose(loss::kWishNotInPlay);
  switch (wish.op()) {
    case words::TokenWish::GRAB:
      if (wish.token() == 0 || wish.token() > 65536) return out.lose(loss::kNoToken);
      own_.wants_token = wish.token();
      return peer_.send(out, GrabFlagUp{static_cast<std::uint16_t>(wish.token() - 1)});
    case words::TokenWish::DROP:
      report(out);
      return peer_.send(out, DropFlagUp{drop_reason(wish.why())});
    case words::TokenWish::CAPTURE:
      report(out);
      return peer_.send(out, DropFlagUp{static_cast<std::uint8_t>(Drop::kCaptured)});
    default:
      return out.lose(loss::kOtherWish);
  }
}

}  // namespace entente::bzdraft
