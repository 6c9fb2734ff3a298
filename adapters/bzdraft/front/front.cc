#include "adapters/bzdraft/front/front.h"

#include "adapters/bzdraft/wire/drops.h"
#include "adapters/bzdraft/wire/mapping.h"
#include "proxy/core/chat.h"
#include "proxy/core/parts.h"
#include "proxy/core/texts.h"
#include "proxy/core/unsupported.h"

namespace entente::bzdraft {
namespace {

/// Facts that are handled even before the client is in the game.
template <class T>
constexpr bool kAlwaysHeard =
    std::is_same_v<T, words::Refused> || std::is_same_v<T, words::Kicked> || std::is_same_v<T, words::Waiting> ||
    std::is_same_v<T, words::Ready>;

/// Facts that need no handler: they are read from the world when they are needed, or are for clients that still load
/// it.
template <class T>
constexpr bool kNeedsNoHandler = std::is_same_v<T, words::Room> || std::is_same_v<T, words::Rule> ||
                                 std::is_same_v<T, words::WorldProgress>;

}  // namespace

/// Makes the room connect to its server while the client greets.
void BzdraftFront::opened(const core::Peer&, Outlet& out) { out.say(words::WantWorld()); }

void BzdraftFront::receive(const Frames& frames, Outlet& out) {
  if (gone_) return;
  const auto each = [&](const Message& message) {
    std::visit([&](const auto& m) { take(m, out); }, message);
    return !gone_;
  };
  const auto unknown = [&] { out.drop(drops::kUnknownUp); };
  const auto fault = client_.feed(frames, each, unknown);
  if (!fault && !gone_) sign(out);
  if (!fault || gone_) return;
  gone_ = true;
  tell_end(core::words_for_fault(*fault), out);
  out.fail(*fault);
}

template <class Message>
void BzdraftFront::take(const Message& message, Outlet& out) {
  core::hand(message, out, profile_, world_sender_, tanks_, shots_, flags_, chat_);
}

void BzdraftFront::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  resync_.hear(fact);
  world_sender_.wait().hear(fact);
  std::visit(
      [&]<class Word>(const Word& word) {
        if (kAlwaysHeard<Word> || client_.in()) take_fact(word, fact, out);
      },
      fact.content);
  if (gone_) return;
  let_in(out);
  world_sender_.answer(out);
}

template <class Word>
void BzdraftFront::take_fact(const Word& word, const core::Fact&, Outlet& out) {
  if constexpr (core::kOneHears<Word, Outlet, PlayerTable, Flags, Tanks, Shots, FrontChat>)
    core::hand(word, out, players_, flags_, tanks_, shots_, chat_);
  else if constexpr (!kNeedsNoHandler<Word>)
    core::drop_unsupported<mapping>(word, out);
}

void BzdraftFront::take_fact(const words::Player& player, const core::Fact& fact, Outlet& out) {
  if (fact.audience == words::ADMINS) return out.drop(drops::kAddress);
  const std::uint8_t* known = players_.of_player(player.id());
  if (known != nullptr && *known == kNumber && profile_.changes()) return profile_.hear_own(player, out);
  players_.hear(player, out);
}

void BzdraftFront::take_fact(const words::Notice& notice, const core::Fact& fact, Outlet& out) {
  chat_.notice(notice, fact.audience, out);
}

void BzdraftFront::take_fact(const words::Pose& pose, const core::Fact& fact, Outlet& out) {
  if (const std::uint8_t* number = players_.of_unit(pose.unit())) {
    if (*number == kNumber) return keeper_.check_place(players_, out);
    return tanks_.update(*number, out);
  }
  const core::UnitState* state = out.world().unit(pose.unit());  // no number: it was hidden, or is one of many cells
  if (state == nullptr) return;
  if (state->unit.owner() != 0) return players_.see_unnumbered(state->unit, out);
  take_fact(state->unit, fact, out);
}

void BzdraftFront::take_fact(const words::Corrected& corrected, const core::Fact& fact, Outlet& out) {
  if (corrected.pose().unit() != players_.own_unit()) return take_fact(corrected.pose(), fact, out);
  keeper_.correct(players_, out);
}

void BzdraftFront::take_fact(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out) {
  const bool mine = fact.to == out.me();
  if (mine && profile_.changes()) return profile_.refuse_change(Refusal::kBadRequest, refused.why(), out);
  const bool asked = mine && client_.in() && !players_.own().alive;  // it can only have asked to spawn
  if (asked && !refused.why().empty()) return client_.server_says(refused.why(), out);
  if (!mine || !keeper_.forget_death()) return out.drop(drops::kOtherRefusal);
  keeper_.revive(players_, out);
}

void BzdraftFront::put(std::uint8_t number, const words::Pose& there, Outlet& out) {
  tanks_.put(number, there, out);
  // The client may take it for a new life, which begins without a flag.
  if (client_.in() && number == kNumber) flags_.tell_own(out);
}

void BzdraftFront::tick(Outlet& out) {
  if (gone_) return;
  world_sender_.answer(out);
  if (world_sender_.gave_up()) return refuse(words::Refused::SERVER_GONE, world_sender_.wait().why(), false, out);
  let_in(out);
  sign(out);
  if (!client_.in()) return;
  tanks_.update_late(out);
  flags_.refresh_pellets(out);
  shots_.end_shots_near_own_tank(out);
  tanks_.check_death(out);
  keeper_.check_place(players_, out);
  profile_.check_change(out);
}

// -- Coming in --------------------------------------------------------------------------------------------------------

/// Shows a client that waits that we are there, by an empty piece of no resource, which clients ignore.
void BzdraftFront::sign(Outlet& out) {
  if (signs_.due(world_sender_.waits() || client_.stage == Stage::kEntering, out)) client_.send(out, GetResourceDown{});
}

void BzdraftFront::take(const Enter& enter, Outlet& out) {
  if (profile_.enter(enter, out)) let_in(out);
}

void BzdraftFront::take_fact(const words::Waiting& waiting, const core::Fact&, Outlet& out) {
  waiting_ = core::line_of(waiting);
  if (client_.in()) client_.server_says(waiting_, out);
}

/// Lets the client in once it has asked to enter, and the room has let its player in or says what it waits for. Until
/// then, the room may refuse it. Sends flags and teams, the other players and the flags that they carry, the client's
/// own player last, and then everything else.
void BzdraftFront::let_in(Outlet& out) {
  const bool told = out.world().ready() && out.world().player(out.me()) != nullptr;
  if (client_.stage != Stage::kEntering || (!told && waiting_.empty())) return;
  client_.send(out, Accept{kNumber});
  flags_.send_lying(out);
  players_.send_teams(out);
  players_.assign_others(out);
  const bool carriers_known = flags_.send_carried(out);
  players_.assign_own(out);
  if (!carriers_known) flags_.send_carried(out);  // some may have a number now
  client_.stage = Stage::kIn;
  flags_.see_all_pickups(out);
  tanks_.put_all(out);
  if (out.world().round().state() != words::Round::OVER) chat_.tell_clock(out);
  if (!waiting_.empty() && !out.world().ready()) client_.server_says(waiting_, out);
  if (world_sender_.guessed())
    client_.server_says(std::string(core::kOpenFieldText) + " Join again to see it.", out);
  else
    check_world(out);
}

/// A client keeps the world that it has loaded, so it is told once that the room has another.
void BzdraftFront::check_world(Outlet& out) {
  if (!world_sender_.differs(out.world())) {
    other_world_told_ = false;
    return;
  }
  out.drop(drops::kOtherWorld);
  if (!std::exchange(other_world_told_, true)) client_.server_says(core::kOtherWorldText, out);
}

// -- Leaving ----------------------------------------------------------------------------------------------------------

void BzdraftFront::take_fact(const words::Refused& refused, const core::Fact&, Outlet& out) {
  refuse(refused.code(), refused.text(), refused.may_retry(), out);
}

void BzdraftFront::refuse(words::Refused::Code code, const std::string& why, bool may_retry, Outlet& out) {
  if (client_.in()) return goodbye(why, out);
  profile_.reject(reject_reason(code), why, out);
  client_.stage = Stage::kOutside;
  if (may_retry) return;
  gone_ = true;
  client_.send(out, SuperKill{});
  out.close(why);
}

void BzdraftFront::take(const Exit&, Outlet& out) {
  if (client_.stage != Stage::kOutside) out.say(words::Leave());
  gone_ = true;
  out.close("the client left");
}

void BzdraftFront::goodbye(std::string_view why, Outlet& out) {
  if (!std::exchange(gone_, true)) tell_end(why, out);
  out.close(why);
}

void BzdraftFront::tell_end(std::string_view why, Outlet& out) {
  if (!why.empty() && client_.in()) client_.server_says(why, out);
  if (!why.empty() && !client_.in()) profile_.reject(Refusal::kNeedServerAuth, why, out);
  client_.send(out, SuperKill{});
}

}  // namespace entente::bzdraft
