#include "adapters/bzflag/front/front.h"

#include "adapters/bzflag/translate/last_words.h"
#include "adapters/bzflag/wire/drops.h"
#include "adapters/bzflag/wire/mapping.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"
#include "proxy/core/parts.h"
#include "proxy/core/texts.h"
#include "proxy/core/unsupported.h"

namespace entente::bzflag {
namespace {

constexpr core::Micros kHeaderDeadline = 2'500 * core::kMillisecond;  // bzfs.cxx:6165 at v2.4.26
/// A client that may omit the header is greeted after this time.
constexpr core::Micros kHeaderHope = 500 * core::kMillisecond;
constexpr core::Micros kBetweenPings = 10 * core::kSecond;  // as bzfs

/// Facts that are handled even before the client is in the game.
template <class T>
constexpr bool kAlwaysHeard = std::is_same_v<T, words::Refused> || std::is_same_v<T, words::Kicked> ||
                              std::is_same_v<T, words::Ready> || std::is_same_v<T, words::Waiting>;

/// Whether only a client that is going to play sends this. Others just ask who plays.
template <class T>
constexpr bool kOfPlayer = !std::is_same_v<T, ClientHeader> && !std::is_same_v<T, QueryGame> &&
                           !std::is_same_v<T, QueryPlayers> && !std::is_same_v<T, Exit>;

/// Facts that need no handler: they are read from the world when they are needed, or are for clients that still load
/// it.
template <class T>
constexpr bool kNeedsNoHandler =
    std::is_same_v<T, words::Room> || std::is_same_v<T, words::Rule> || std::is_same_v<T, words::WorldProgress>;

}  // namespace

void BzflagFront::opened(const core::Peer& peer, Outlet& out) {
  client_.begin(peer.address, out.now());
  players_.take_number();
  if (client_.dialect().header == Header::kNever) return greet(out);
  out.wake(header_deadline());
}

void BzflagFront::receive(const Frames& frames, Outlet& out) {
  const auto each = [&](const Message& message, Lane) {
    const bool left_out = client_.stage == Stage::kHeader && !std::holds_alternative<ClientHeader>(message);
    if (left_out) greet(out);
    if (std::visit([]<class M>(const M&) { return kOfPlayer<M>; }, message)) want_world(out);
    std::visit([&](const auto& m) { take(m, out); }, message);
    return !gone_;
  };
  const auto unknown = [&] { out.drop(drops::kUnknownUp); };
  if (gone_) return;
  if (const auto fault = client_.feed(frames, each, unknown); fault && !gone_) {
    gone_ = true;
    tell_end(core::words_for_fault(*fault), words::Refused::OTHER, out);
    out.fail(*fault);
  }
  if (!gone_) sign(out);
}

template <class Message>
void BzflagFront::take(const Message& message, Outlet& out) {
  core::hand(message, out, lobby_, queries_, play_, shots_, flags_, chat_);
}

void BzflagFront::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  resync_.hear(fact);
  lobby_.wait().hear(fact);
  std::visit(
      [&]<class Word>(const Word& word) {
        if (kAlwaysHeard<Word> || client_.in()) take_fact(word, fact, out);
      },
      fact.content);
  if (!client_.in()) lobby_.answer(out);
  if (client_.stage == Stage::kEntering) out.wake(out.now());  // its player may be known now
}

template <class Word>
void BzflagFront::take_fact(const Word& word, const core::Fact&, Outlet& out) {
  if constexpr (core::kOneHears<Word, Outlet, PlayerTable, Flags, Tanks, Play, Shots, Scores, Rules, Rounds, FrontChat>)
    core::hand(word, out, players_, flags_, tanks_, play_, shots_, scores_, rules_, rounds_, chat_);
  else if constexpr (!kNeedsNoHandler<Word>)
    core::drop_unsupported<mapping>(word, out);
}

void BzflagFront::take_fact(const words::Player& player, const core::Fact& fact, Outlet& out) {
  players_.see_player(player, fact.audience, out);
}

void BzflagFront::take_fact(const words::Notice& notice, const core::Fact& fact, Outlet& out) {
  chat_.notice(notice, fact.audience, out);
}

void BzflagFront::take_fact(const words::Pose& pose, const core::Fact& fact, Outlet& out) {
  if (const std::uint8_t* number = players_.of_unit(pose.unit())) {
    if (*number == players_.own_number()) return keeper_.check_place(players_, out);
    return tanks_.update(*number, out);
  }
  const core::UnitState* state = out.world().unit(pose.unit());  // no number: it was hidden, or is one of many cells
  if (state == nullptr) return;
  if (state->unit.owner() != 0) return players_.see_unnumbered(state->unit, out);
  take_fact(state->unit, fact, out);
}

void BzflagFront::take_fact(const words::Corrected& corrected, const core::Fact& fact, Outlet& out) {
  if (corrected.pose().unit() != players_.own_unit()) return take_fact(corrected.pose(), fact, out);
  keeper_.correct(players_, out);
}

void BzflagFront::take_fact(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out) {
  if (fact.to != out.me() || !play_.hear_refused(refused, out)) core::drop_unsupported<mapping>(refused, out);
}

void BzflagFront::put(std::uint8_t number, const words::Pose& there, Outlet& out) {
  const bool own = number == players_.own_number();
  if (own) play_.begin();
  tanks_.put(number, there, out);
  if (own) flags_.tell_carried(number, out);  // the client takes it for a new life, which begins without a flag
}

/// While the client enters, it is sent the flags of all others together.
void BzflagFront::introduced(std::uint8_t number, Outlet& out) {
  if (number != players_.own_number() && players_.own_entry() != nullptr) flags_.tell_carried(number, out);
}

void BzflagFront::tick(Outlet& out) {
  if (gone_) return;
  if (client_.stage == Stage::kHeader) return miss_header(out);
  queries_.answer(out);
  lobby_.answer(out);
  if (lobby_.gave_up()) return goodbye(lobby_.wait().why(), words::Refused::SERVER_GONE, out);
  let_in(out);
  sign(out);
  if (!client_.in()) return;
  scores_.send_new(out);
  tanks_.update_late(out);
  shots_.end_shots_near_own_tank(out);
  play_.check(out);
  flags_.refresh_pellets(out);
  ping(out);
}

// -- Coming in --------------------------------------------------------------------------------------------------------

/// Shows a client that waits that we are there.
void BzflagFront::sign(Outlet& out) {
  const bool waits = lobby_.waits() || client_.stage == Stage::kEntering;
  if (signs_.due(waits, out) && client_.dialect().game_clock) client_.stream(out, GameTime{out.now()});
}

core::Micros BzflagFront::header_deadline() const {
  return client_.opened() + (client_.dialect().header == Header::kRequired ? kHeaderDeadline : kHeaderHope);
}

void BzflagFront::miss_header(Outlet& out) {
  if (out.now() < header_deadline()) return out.wake(header_deadline());
  if (client_.dialect().header == Header::kOptional) return greet(out);
  TooLate late;
  late.version.set(client_.dialect().version.substr(kMagicWord.size()));
  client_.stream(out, late);
  gone_ = true;
  out.close("the client sent no header");
}

void BzflagFront::greet(Outlet& out) {
  client_.stage = Stage::kLoading;
  Welcome welcome;
  welcome.version.set(client_.dialect().version.substr(kMagicWord.size()));
  welcome.id = client_.number();
  client_.stream(out, welcome);
  if (client_.dialect().game_clock) client_.stream(out, GameTime{out.now()});
}

/// Makes the room connect to its server.
void BzflagFront::want_world(Outlet& out) {
  if (!std::exchange(wants_world_, true)) out.say(words::WantWorld());
}

void BzflagFront::take(const LinkRequest& request, Outlet& out) {
  if (request.player != client_.number()) return;
  client_.stream(out, LinkEstablished{});
  client_.datagram(out, LinkAnswer{});
}

void BzflagFront::take(const NegotiateFlags& flags, Outlet& out) {
  flags_known_.clear();
  for (const auto& flag : flags.flags) flags_known_.push_back(clean(flag.view()));
  client_.stream(out, NegotiateFlags{});
}

void BzflagFront::take(const Enter& enter, Outlet& out) {
  if (client_.stage != Stage::kLoading) return out.drop(drops::kEnteredAlready);
  client_.stage = Stage::kEntering;
  words::Enter& wish = client_.wish;
  wish.set_name(clean(enter.callsign.view()));
  wish.set_motto(clean(enter.motto.view()));
  wish.set_token(clean(enter.token.view()));
  wish.set_version(clean(enter.version.view()));
  wish.set_team(team_of(enter.team));
  wish.set_role(role_of(enter.type, enter.team));
  wish.set_claims_deaths(true);
  for (const auto& flag : flags_known_) wish.add_flags_known(flag);
  out.say(wish);
  out.wake(out.now());  // let in by the next tick: the room may still give the player another name
}

void BzflagFront::take_fact(const words::Waiting& waiting, const core::Fact&, Outlet& out) {
  waiting_ = core::line_of(waiting);
  if (client_.in()) return client_.server_says(waiting_, out);
  let_in(out);
}

void BzflagFront::take_fact(const words::Ready&, const core::Fact&, Outlet& out) {
  waiting_.clear();
  let_in(out);
}

/// Lets the client in once it has asked to enter, and the room is ready or says what it waits for. The order is that of
/// bzfs; another order has crashed clients. Only flags that others carry come later than from bzfs, because their
/// carriers have no numbers before.
void BzflagFront::let_in(Outlet& out) {
  // A room may be ready before it has reported our client's player.
  const bool told = out.world().ready() && out.world().player(out.me()) != nullptr;
  if (client_.stage != Stage::kEntering || (!told && waiting_.empty())) return;
  client_.stage = Stage::kIn;
  if (client_.dialect().strict_entry) client_.hold();
  client_.stream(out, Accept{player_id(client_.number())});
  rules_.send_variables(out);
  rules_.tell_reload(out);
  scores_.send_teams(out);
  flags_.send_lying(out);
  players_.assign_others(out);
  flags_.send_carried(out);
  players_.assign_own(out);
  flag_numbers_.mark_pellets_changed(out);
  if (out.world().round().state() != words::Round::OVER) rounds_.tell_clock(out);
  client_.release(out);
  if (!waiting_.empty() && !out.world().ready()) client_.server_says(waiting_, out);
  if (lobby_.guessed())
    client_.server_says(std::string(core::kOpenFieldText) + " Join again to see it.", out);
  else
    check_world(out);
  pinged_ = out.now();
  ping(out);
}

void BzflagFront::ping(Outlet& out) {
  if (client_.wish.role() != words::PLAY) return;  // as bzfs: robots and observers are not pinged
  if (out.now() < pinged_ + kBetweenPings) return out.wake(pinged_ + kBetweenPings);
  pinged_ = out.now();
  ping_number_ = static_cast<std::uint16_t>((ping_number_ + 1) % 10'000);
  client_.quick(out, LagPing{ping_number_});
  out.wake(pinged_ + kBetweenPings);
}

/// A client keeps the world that it has loaded, so it is told once that the room has another.
void BzflagFront::check_world(Outlet& out) {
  if (!lobby_.differs(out.world())) {
    other_world_told_ = false;
    return;
  }
  out.drop(drops::kOtherWorld);
  if (!std::exchange(other_world_told_, true)) client_.server_says(core::kOtherWorldText, out);
}

// -- Leaving ----------------------------------------------------------------------------------------------------------

void BzflagFront::take_fact(const words::Refused& refused, const core::Fact&, Outlet& out) {
  goodbye(refused.text(), refused.code(), out);
}

void BzflagFront::take(const Exit&, Outlet& out) {
  if (client_.stage >= Stage::kEntering) out.say(words::Leave());
  gone_ = true;
  out.close("the client left");
}

void BzflagFront::goodbye(std::string_view why, words::Refused::Code code, Outlet& out) {
  if (!std::exchange(gone_, true)) tell_end(why, code, out);
  out.close(why);
}

/// Tells the client why it is disconnected. It does not notice a closed connection, so it is sent a goodbye, too.
void BzflagFront::tell_end(std::string_view why, words::Refused::Code code, Outlet& out) {
  const Dialect& its = client_.dialect();
  if (client_.stage == Stage::kHeader) {  // a reject would be read as a greeting
    if (its.refusals && !why.empty()) client_.stream(out, refusal(code == words::Refused::BANNED, why));
    return;
  }
  if (client_.in()) {
    if (!why.empty()) client_.server_says(why, out);
  } else if (!why.empty() && (its.reject_text || client_.stage == Stage::kEntering)) {
    const bool only_code = !its.reject_text && code == words::Refused::SERVER_GONE;
    Reject reject;
    reject.code = reject_code(only_code ? words::Refused::FULL : code);  // "Try again later"
    reject.reason.set(fitted(why, kLongestText));
    client_.stream(out, reject);
  }
  client_.stream(out, SuperKill{});
}

}  // namespace entente::bzflag
