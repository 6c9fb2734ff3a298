#include "adapters/bzdraft/back/flags.h"

#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {
namespace {

constexpr core::Micros kFlagPatience = 2 * core::kSecond;

}  // namespace

/// The server has answered what our player wanted with a flag.
void BackFlags::answered(std::uint8_t player) {
  if (player != state_.number) return;
  tank_.claims.answered(core::Claim::kGrab);
  tank_.claims.answered(core::Claim::kFlag);
}

void BackFlags::hear(const FlagUpdate& update, BackOut& out) { out.say(told(update.number, update.flag)); }

/// Only BZFlag clients know what a flag does. For other clients, a flag that was not asked for is dropped at once,
/// where the tank is now: the server drops it at the tank's last reported place.
void BackFlags::hear(const GrabFlagDown& grab, BackOut& out) {
  answered(grab.flag.carrier);
  words::TokenTaken taken;
  *taken.mutable_token() = told(grab.number, grab.flag);
  taken.set_by(server_players_.id_of(grab.flag.carrier));
  const bool unasked = grab.flag.carrier == state_.number && tokens_.is_unasked(taken.token(), tank_.wants_token);
  out.say(std::move(taken));
  if (!unasked) return;
  if (tank_.may_act()) tank_.report(tank_.pose, out);
  link_.send(out, DropFlagUp{static_cast<std::uint8_t>(Drop::kDropped)});
}

void BackFlags::hear(const DropFlagDown& drop, BackOut& out) {
  answered(drop.flag.carrier);
  words::TokenDropped dropped;
  *dropped.mutable_token() = told(drop.number, drop.flag);
  dropped.set_by(server_players_.id_of(drop.flag.carrier));
  dropped.set_why(drop_of(drop.reason));
  if (drop.reason == static_cast<std::uint8_t>(Drop::kCaptured)) return capture(drop, dropped.token(), out);
  out.say(std::move(dropped));
}

/// A capture implies the death of every player on the flag's team. The server sends no other message about these
/// deaths.
void BackFlags::capture(const DropFlagDown& drop, const words::Token& token, BackOut& out) {
  words::TokenCaptured captured;
  captured.set_token(token.id());
  captured.set_by(server_players_.id_of(drop.flag.carrier));
  captured.set_team(token.team());
  out.say(captured);
  out.say(token);
  if (token.team() == words::TEAM_ANY) return;
  words::Died died;
  died.set_killer(captured.by());
  died.set_why(words::BY_CAPTURE);
  died.set_synthesised(true);
  for (const auto& [number, one] : server_players_)
    if (one.player.team() == token.team() && one.alive) fights_.die(number, died, out);
}

/// The server drops a flag at the tank's last reported place, so the place is sent first.
void BackFlags::hear(const words::TokenWish& wish, BackOut& out) {
  if (!tank_.may_act()) return out.drop(drops::kWishNotInPlay);
  if (wish.op() == words::TokenWish::GRAB) {
    if (wish.token() == 0 || wish.token() > 65536) return out.drop(drops::kNoToken);
    tank_.wants_token = wish.token();
    tank_.claims.begin(core::Claim::kGrab, kFlagPatience, out);
    return link_.send(out, GrabFlagUp{static_cast<std::uint16_t>(wish.token() - 1)});
  }
  const bool is_drop = wish.op() == words::TokenWish::DROP;
  if (!is_drop && wish.op() != words::TokenWish::CAPTURE) return out.drop(drops::kOtherWish);
  tank_.report(tank_.pose, out);
  tank_.claims.begin(core::Claim::kFlag, kFlagPatience, out);
  link_.send(out, DropFlagUp{is_drop ? drop_reason(wish.why()) : static_cast<std::uint8_t>(Drop::kCaptured)});
}

}  // namespace entente::bzdraft
