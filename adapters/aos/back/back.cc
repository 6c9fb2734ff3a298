#include "adapters/aos/back/back.h"

#include <utility>

#include "adapters/aos/wire/mapping.h"
#include "proxy/core/parts.h"
#include "proxy/core/unsupported.h"

namespace entente::aos {

using core::as;

namespace {

/// How long a server may be silent while it sends its map. Longer than WorldWait::kPatience, because the server may be
/// another Entente, which waits for its own server.
constexpr core::Micros kMapPatience = 90 * core::kSecond;
/// Servers create a dead player again by themselves. After this many times of waiting, nobody counts any more. A server
/// is asked as often to let a player in.
constexpr int kMostTimes = 10;

}  // namespace

void AosBack::receive(const Frames& frames, Outlet& out) {
  server_.feed(frames, out, [&](const Message& message) {
    std::visit(
        [&](const auto& m) {
          core::hand(m, out, joining_, lives_, man_, hands_, snapshots_, objectives_, blocks_, chat_);
        },
        message);
  });
  if (!server_.loaded()) await_map(out);
  joining_.catch_up(out);
}

/// The server was asked for its map, or has sent a part of it.
void AosBack::await_map(Outlet& out) {
  server_.claims.answered(core::Claim::kEnter);
  server_.claims.begin(core::Claim::kEnter, kMapPatience, out);
}

void AosBack::claim_late(core::Claim claim, int times, Outlet& out) {
  if (!server_.loaded()) return server_.refuse(words::Refused::SERVER_GONE, "the server does not send its map", out);
  server_.claims.tell_unanswered(claim, out);
  if (claim == core::Claim::kSpawn && times < kMostTimes) server_.claims.begin(claim, kSpawnPatience, out);
  if (claim == core::Claim::kEnter && times < kMostTimes) joining_.enter_again(out);
}

void AosBack::hear(const core::Intent& intent, Outlet& out) {
  if (server_.gone) return;
  if (as<words::Leave>(intent) != nullptr) {
    leave();
    return out.close("the player left");
  }
  if (intent.by != out.me()) return out.drop(drops::kNobody, intent);
  // Grenades, reloading and building are not shots, whichever intent another game sends for them.
  if (const auto* fire = as<words::Fire>(intent); fire != nullptr && fire->kind() == words::GRENADE)
    return hands_.throw_grenade(*fire, out);
  if (as<words::Eject>(intent) != nullptr) return hands_.reload(out);
  const auto* trigger = as<words::Trigger>(intent);
  if (trigger != nullptr && man_.client_moves_body()) return hands_.hear(*trigger, out);
  const Point here = point_of(man_.place());
  if (const auto shooting = man_.steering().shooting(intent, here.x, here.y)) {
    if (marksman_.wish(*shooting, out)) keep_alive(out);
    return;
  }
  const bool of_trigger = trigger != nullptr,
             unasked = as<words::WantWorld>(intent) != nullptr;  // the world comes anyway
  if (!of_trigger && !unasked) hear_other(intent, out);
  keep_alive(out);
}

void AosBack::hear_other(const core::Intent& intent, Outlet& out) {
  const auto each = [&]<class Word>(const Word& word) {
    if constexpr (core::kOneHears<Word, Outlet, Joining, Man, Hands, BackChat>)
      core::hand(word, out, hands_, joining_, man_, chat_);
    else if (!man_.steer(intent))
      core::drop_unsupported<mapping>(intent, out);
  };
  std::visit(each, intent.content);
}

void AosBack::tick(Outlet& out) {
  if (server_.gone) return;
  server_.claims.check(out, [&](core::Claim claim, int times) { claim_late(claim, times, out); });
  if (man_.may_act()) {
    man_.catch_up(out);
    marksman_.mind_trigger(out);
    man_.drive(hands_.aiming(), out);
  }
  snapshots_.tell_shots(out);
  chat_.speak_on(out);
  keep_alive(out);
}

void AosBack::keep_alive(Outlet& out) const {
  man_.keep_alive(out);
  chat_.keep_alive(out);
}

/// False: the session was left already.
bool AosBack::leave() {
  man_.end_life();
  return !std::exchange(server_.gone, true);
}

void AosBack::closed(std::string_view why, Outlet& out) {
  if (leave() && !server_.loaded()) server_.refuse(words::Refused::SERVER_GONE, why, out);
}

/// The server has disconnected. `code`: the data of ENet's disconnect, a Reason.
void AosBack::closed_with_code(std::uint32_t code, std::string_view why, Outlet& out) {
  if (!leave()) return;
  const std::string text = why_dismissed(code, why, out);
  if (!server_.in()) return server_.refuse(refusal_of(code), text, out);
  if (code == kServerGone) return;  // the room reports why it ends
  words::Kicked kicked;
  kicked.set_text(text);
  out.say(std::move(kicked));
}

/// Servers send the reason of a kick as a chat line right before it.
std::string AosBack::why_dismissed(std::uint32_t code, std::string_view why, Outlet& out) const {
  switch (code) {
    case kBanned:
      return server_.last_server_line.why(out.now(), "banned");
    case kTooMany:
      return "too many players from this address";
    case kWrongVersion:
      return "the server speaks another version";
    case kFull:
      return "the server is full";
    case kServerGone:
      return "the server shuts down";
    case kKicked:
    case kCustom:
      return server_.last_server_line.why(out.now(), "kicked");
    case kBadName:
      return "the server does not accept this name";
    default:
      return std::string(why);
  }
}

void AosBack::session_ends(std::string_view why, Outlet& out) {
  leave();
  out.close(why);
}

}  // namespace entente::aos
