// Flags, as a back hears and wishes them. See back.h.
#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/losses.h"
#include "proxy/base/text.h"

namespace entente::bzflag {

/// Kept, because some messages name only the number.
words::Token BackSession::told(const NumberedFlag& flag) {
  words::Token token = token_of(flag);
  if (token.state() == words::Token::CARRIED) token.set_carrier(id_of(flag.flag.owner.byte));
  if (flags_.size() < 2'000 || flags_.contains(flag.number)) flags_[flag.number] = token;
  return token;
}

void BackSession::on(const FlagUpdate& update, Outlet& out) {
  for (const auto& flag : update.flags) out.say(told(flag));
}

void BackSession::on(const GrabFlag& grab, Outlet& out) {
  words::TokenTaken taken;
  *taken.mutable_token() = told(grab.flag);
  taken.set_by(id_of(grab.player.byte));
  put_down(taken.token(), out);
  out.say(std::move(taken));
}

void BackSession::on(const DropFlag& drop, Outlet& out) {
  words::TokenDropped dropped;
  *dropped.mutable_token() = told(drop.flag);
  dropped.set_by(id_of(drop.player.byte));
  out.say(std::move(dropped));
}

void BackSession::on(const TransferFlag& transfer, Outlet& out) {
  words::TokenTaken taken;
  *taken.mutable_token() = told(transfer.flag);
  taken.set_by(id_of(transfer.to));
  taken.set_from(id_of(transfer.from));
  put_down(taken.token(), out);
  out.say(std::move(taken));
}

/// Those of the team that lost its flag blow themselves up; nobody tells them to.
void BackSession::on(const CaptureFlag& capture, Outlet& out) {
  const auto at = flags_.find(capture.flag);
  const words::Team lost = at != flags_.end() ? at->second.team() : words::TEAM_ANY;
  words::TokenCaptured captured;
  captured.set_token(capture.flag + 1U);
  captured.set_by(id_of(capture.player.byte));
  captured.set_team(lost);
  out.say(captured);
  if (const Someone* me = find(number_); me != nullptr && lost != words::TEAM_ANY && me->player.team() == lost) {
    if (wish_ && wish_->claims_deaths()) return;  // our client knows
    words::DeathClaim claim;
    claim.set_killer(captured.by());
    claim.set_why(words::BY_CAPTURE);
    die(claim, out);
  }
}

void BackSession::on(const NearFlag& near, Outlet& out) {
  words::Notice notice;
  notice.set_text("closest flag: " + clean(near.name));
  out.say({me_, notice});
}

void BackSession::hear_wish(const words::TokenWish& wish, Outlet& out) {
  if (!may_act()) return out.lose(loss::kWishNotInPlay);
  switch (wish.op()) {
    case words::TokenWish::GRAB:
      own_.wants_token = wish.token();
      return peer_.stream(out, GrabFlagRequest{static_cast<std::uint16_t>(wish.token() - 1)});
    case words::TokenWish::DROP:
      return peer_.stream(out, DropFlagRequest{vec3(wish.x(), wish.y(), wish.z())});
    case words::TokenWish::CAPTURE:
      return peer_.stream(out, CaptureFlagReport{static_cast<std::uint16_t>(wire_team(wish.team(), 0))});
    default:
      return peer_.stream(out, TransferFlagReport{number_of(wish.from(), kNobody), number_of(wish.to(), kNobody)});
  }
}

}  // namespace entente::bzflag
