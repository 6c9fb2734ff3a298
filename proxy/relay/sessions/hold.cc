#include "proxy/relay/sessions/hold.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/sessions/bridge_session.h"

namespace entente::relay {

namespace {

constexpr unsigned kMostLostOutside = 3;  // servers in a row that a player loses before it was ever let in
constexpr Millis kLeaveWithin = 10'000;   // from a drained server to another one
constexpr Millis kCalm = 2'000;           // after this much play, earlier losses do not count
constexpr Millis kShortestPause = 250, kLongestPause = 2'000, kLongestAtPlay = 15'000;  // between two tries

struct OurText {
  std::string Texts::*which;
  const char* text;
};
constexpr OurText kOurTexts[] = {
    {&Texts::server_away, "the server is away; waiting for it"},
    {&Texts::server_full, "the server is full; waiting for a seat"},
    {&Texts::server_back, "back on the server"},
};

}  // namespace

// -- When -------------------------------------------------------------------------------------------------------------

bool Hold::may_begin() const {
  const Whereabouts& where = session_.where_;
  if (!session_.may_go_on() || most() == 0) return false;
  return !where.is_out() || session_.now() < until_;
}

bool Hold::begin_drained() {
  const Whereabouts& where = session_.where_;
  const Upstreams& upstreams = where.route().route.upstreams;
  drained_ =
      upstreams.choose(session_.info_.client, session_.now(), {}, where.here().wanted_dialect(), true) != nullptr;
  return begin("the server is drained");
}

// -- Where to, and how long -------------------------------------------------------------------------------------------

bool Hold::begin(const std::string& why, std::uint32_t code) {
  Whereabouts& where = session_.where_;
  if (where.is_in_arena_meanwhile()) return where.meanwhile.lose(why);
  if (where.here().arena() != nullptr) where.mover.go_home();
  if (!may_begin() || !session_.room_.room().transition().outlives_server()) return false;
  const bool waits = where.standing() == Standing::kWaits;
  if (!session_.plays_ && waits && lost_ >= kMostLostOutside) return false;
  auto next = where.make_next_server();
  auto back = where.back_for(*next);
  if (back == nullptr) return false;
  const std::string server = where.here().info.server.text();
  where.replace_here(std::move(next), why);
  const core::Wait wait = session_.room_.replace_back(std::move(back), {why, code});
  if (wait == core::Wait::kNothing || session_.ending_) return true;
  if (!waits) {
    start(session_.now() + most());
    where.go(Standing::kWaits);
  }
  Dial& dial = *where.here().dial;
  if (wait == core::Wait::kPlayerSlot)
    dial.server_is_full(session_.now());
  else
    count_loss();
  tell_wait(wait, server, why);
  if (session_.ending_) return true;
  const Millis from = wait == core::Wait::kPlayerSlot ? session_.now() : next_try(false);
  dial.again(where.route(), session_.info_, where.wanted_dialect(), from, until_);
  return true;
}

/// Also without hold_s, a player may go from a drained server to another one.
Millis Hold::most() const {
  return std::max(session_.where_.route().route.upstreams.rules().hold_ms, drained_ ? kLeaveWithin : 0);
}

void Hold::start(Millis until) {
  if (session_.now() > ended_ + kCalm) lost_ = 0;
  since_ = session_.now();
  until_ = until;
  session_.note_name();
}

Millis Hold::next_try(bool plays_meanwhile) const {
  if (lost_ <= 1) return session_.now();
  return session_.now() +
         std::min(plays_meanwhile ? kLongestAtPlay : kLongestPause, kShortestPause << std::min(lost_ - 2, 10U));
}

// -- What is told -----------------------------------------------------------------------------------------------------

/// Tells the operator and the player, once for each thing that the player waits for.
void Hold::tell_wait(core::Wait wait, const std::string& server, const std::string& why) {
  if (std::exchange(told_, wait) == wait) return;
  const bool full = wait == core::Wait::kPlayerSlot;
  std::string state = "is lost (" + why + ")", then = "waits for it";
  if (full) state = "is full", then = "waits for a seat";
  if (!full && drained_) state = "is drained", then = "goes to another one";
  session_.note("server " + server + " " + state + "; the player " + then);
  std::string told = session_.who() + ": server " + server + " " + state + "; " + then;
  if (full || !drained_) told += " for up to " + std::to_string(most() / 1000) + " s";
  full || drained_ ? session_.log(LogKind::kWaitsForServer, told) : session_.warn(LogKind::kWaitsForServer, told);
  announce(full ? &Texts::server_full : &Texts::server_away);
}

void Hold::end() {
  Whereabouts& where = session_.where_;
  const Millis away = session_.now() - since_;
  const std::string after = std::to_string(away) + " ms";
  const std::string server = where.here().info.server.text();
  ended_ = session_.now();
  drained_ = false;
  told_ = core::Wait::kNothing;
  where.go(session_.plays_ ? Standing::kPlays : Standing::kJoins);
  where.here().dial->leave_queue();
  const bool was_in = std::exchange(was_in_, true);
  session_.note((was_in ? "back on server " : "in on server ") + server + " after " + after);
  session_.log(LogKind::kBackOnServer, session_.who() +
                                           (was_in ? ": back on server " + server + " after "
                                                   : ": joined server " + server + " after waiting ") +
                                           after);
  if (!was_in) return;
  session_.worker_route_->counters.brought_back.add();
  announce(&Texts::server_back);
  session_.tell_new_name();
}

void Hold::announce(std::string Texts::*which) {
  if (!session_.info_.game->has_chat() || session_.ending_) return;
  const auto* const ours =
      std::find_if(std::begin(kOurTexts), std::end(kOurTexts), [&](const OurText& one) { return one.which == which; });
  const SharedTexts* const texts = session_.at().texts;
  session_.announce_in_room(texts != nullptr ? texts->text(which, ours->text) : ours->text);
}

}  // namespace entente::relay
