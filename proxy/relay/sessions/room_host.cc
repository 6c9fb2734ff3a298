#include "proxy/relay/sessions/room_host.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/core/arena/referee.h"

namespace entente::relay {

RoomHost::RoomHost(net::Loop& loop) : alarm_(loop, static_cast<net::Alarm::User&>(*this)), loop_(loop) {
  start_clock();
}

void RoomHost::start_clock() {
  epoch_ = loop_.nanos();
  began_wall_ = wall_ = steady_wall_now();
}

void RoomHost::open_room(std::unique_ptr<core::Back> back, const core::RoomOptions& options, TapSink* tap, LinkId link,
                         bool with_secrets, std::shared_ptr<Broadcast> broadcast) {
  tap_ = tap;
  link_ = link;
  words_.emplace(tap, with_secrets_ = with_secrets);
  broadcast_ = std::move(broadcast);
  if (broadcast_) source_id_ = broadcast_->begin();
  room_.emplace(static_cast<core::Room::Host&>(*this), std::move(back), options);
}

std::uint64_t RoomHost::wakes_at() const {
  const core::Micros rules_wake = house_rules_ ? house_rules_->wakes_at() : UINT64_MAX;
  const core::Micros wake = std::min(room_->next_wake(), rules_wake);
  return wake == std::numeric_limits<core::Micros>::max() ? kNever : epoch_ + wake * 1000;
}

void RoomHost::take_frames(core::Id end, const Frames& frames) {
  call_room([&](core::Room& room, core::Micros at) {
    calls_.received(end, at);
    room.received(end, frames, at);
  });
}

void RoomHost::heard(const core::Intent& intent) {
  echoes_.hear(intent);
  words_->tell(link_, intent, began_wall_ + intent.at * 1000);
}

void RoomHost::told(const core::Fact& fact) {
  if (house_rules_) house_rules_->told(fact);
  const auto hidden = echoes_.without(fact, is_of_one());
  words_->tell(link_, hidden && !with_secrets_ ? *hidden : fact, began_wall_ + fact.at * 1000);
  if (broadcast_ && broadcast_->wanted())
    broadcast_->tell(source_id_, hidden ? *hidden : fact, epoch_ + fact.at * 1000);
}

void RoomHost::share_clock(const RoomHost& other) {
  epoch_ = other.epoch_;
  began_wall_ = wall_ = other.began_wall_;
}

void RoomHost::begin_words(TapSink* tap, bool with_secrets, const core::WorldState& world) {
  tap_ = tap;
  words_.emplace(tap, with_secrets_ = with_secrets);
  if (words_->owes_world(micros())) words_->tell(link_, world, micros(), wall_);
}

void RoomHost::record_calls(trace::RoomBegan began) {
  began.set_wall(began_wall_);
  calls_.begin(tap_, link_, began);
}

std::size_t RoomHost::waiting_for(core::Id end, std::size_t now) const {
  auto& waiting = waiting_[side_of(end)];
  if (!waiting) {
    waiting = now;
    calls_.told_waiting(end, now);
  }
  return *waiting;
}

void RoomHost::note_sent(core::Id end, std::size_t bytes) {
  auto& waiting = waiting_[side_of(end)];
  if (waiting) *waiting += bytes;
}

bool RoomHost::note_answer(bool answer) {
  calls_.answered(answer);
  return answer;
}

void RoomHost::tell_rest() {
  calls_.flush(wall_);
  if (tap_ == nullptr || room_->ledger().entries().empty()) return;
  tap_->note(link_, "not forwarded: " + text(room_->ledger(), SIZE_MAX), steady_wall_now());
}

// -- The operator's rules ---------------------------------------------------------------------------------------------

void RoomHost::keep_rules(std::shared_ptr<RuleBook> book, const HouseRules::Options& options) {
  house_rules_ = book != nullptr ? std::make_unique<HouseRules>(*room_, std::move(book), options) : nullptr;
}

bool RoomHost::passes(core::Intent& intent) {
  ++ruled_;
  if (!house_rules_) return true;
  const rules::Rule::Answer answer = house_rules_->hear(intent);
  if (answer == rules::Rule::Answer::kPass) return true;
  const bool dropped = answer == rules::Rule::Answer::kDrop;
  calls_.ruled(ruled_, dropped ? nullptr : &intent);
  return !dropped;
}

/// What they do may lead to more. The rest waits for the next call.
void RoomHost::run_rules(core::Micros at) {
  constexpr int kRounds = 4;
  house_rules_->settle(at);
  for (int round = 0; round < kRounds && house_rules_->has_actions(); ++round)
    for (const rules::Action& action : house_rules_->take_actions())
      if (!is_shut()) carry_out(action, at);
}

void RoomHost::carry_out(const rules::Action& action, core::Micros at) {
  using Kind = rules::Action::Kind;
  switch (action.kind) {
    case Kind::kTell:
      return tell_player(action.player, action.text, at);
    case Kind::kTellAll: {
      std::vector<core::Id> all;
      for (const auto& [id, player] : room_->world().players())
        if (room_->is_seated(id)) all.push_back(id);
      for (const core::Id id : all) tell_player(id, action.text, at);
      return;
    }
    case Kind::kSetScore:
    case Kind::kSetTeam:
    case Kind::kOpenRound:
    case Kind::kCloseRound:
      return order_referee(action, at);
    case Kind::kReport:
      note_report(action);
      break;
    case Kind::kKick:
    case Kind::kBan:
      if (client_of(action.player) != nullptr) break;
      if (const LinkInfo* const far = past_client_of(action.player); far != nullptr && action.kind == Kind::kBan)
        house_rules_->book().act(action, far);
      return room_->dismiss(action.player, action.text, at);  // a bot, or a player without a link here
    default:
      break;
  }
  house_rules_->book().act(action, client_of(action.player));
}

/// Recorded as if the operator had said it.
void RoomHost::tell_player(core::Id player, const std::string& text, core::Micros at) {
  begin_piece();
  if (calls_.on()) calls_.other(at).set_announced(text);
  if (room_->announce(player, text, at)) announced(player, text);
}

void RoomHost::order_referee(const rules::Action& action, core::Micros at) {
  using Kind = rules::Action::Kind;
  begin_piece();
  room_->order(
      [&](core::Back& back) {
        auto* const referee = dynamic_cast<core::Referee*>(&back);
        if (referee == nullptr) return;
        if (action.kind == Kind::kSetScore) referee->set_score(action.player, action.wins, action.losses);
        if (action.kind == Kind::kSetTeam) referee->set_team(action.player, action.team);
        if (action.kind == Kind::kOpenRound) referee->open_round();
        if (action.kind == Kind::kCloseRound) referee->close_round(action.team);
      },
      at);
}

void RoomHost::note_report(const rules::Action& action) {
  if (tap_ == nullptr) return;
  std::string text = "reported by the rule " + action.rule + ": player " + std::to_string(action.player) + " ('" +
                     action.name + "'): " + action.text;
  for (const auto& [name, number] : action.numbers) text += "; " + name + " " + std::to_string(number);
  tap_->note(link_, text, began_wall_ + action.at * 1000);  // as the words that the rule has heard
}

}  // namespace entente::relay
