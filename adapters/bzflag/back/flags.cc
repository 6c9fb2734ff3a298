#include "adapters/bzflag/back/flags.h"

#include "adapters/bzflag/wire/drops.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

constexpr core::Micros kFlagPatience = 2 * core::kSecond;

}  // namespace

void BackFlags::hear(const FlagUpdate& update, BackOut& out) {
  for (const auto& flag : update.flags) out.say(told(flag));
}

/// The server has answered what our player wanted with a flag.
void BackFlags::answered(std::uint8_t player) {
  if (player != state_.number) return;
  tank_.claims.answered(core::Claim::kGrab);
  tank_.claims.answered(core::Claim::kFlag);
}

void BackFlags::hear(const GrabFlag& grab, BackOut& out) { take(grab.flag, grab.player.byte, 0, out); }

void BackFlags::hear(const TransferFlag& transfer, BackOut& out) {
  answered(transfer.from);
  take(transfer.flag, transfer.to, server_players_.id_of(transfer.from), out);
}

/// Only BZFlag clients know what a flag does. For other clients, a flag that was not asked for is dropped at once,
/// unless it is sticky.
void BackFlags::take(const NumberedFlag& flag, std::uint8_t by, core::Id from, BackOut& out) {
  constexpr std::uint32_t kSticky = 2;
  answered(by);
  words::TokenTaken taken;
  const words::Token& token = *taken.mutable_token() = told(flag);
  taken.set_by(server_players_.id_of(by));
  taken.set_from(from);
  const bool ours = token.carrier() == state_.me && token.state() == words::Token::CARRIED && tank_.alive;
  if (ours && token.endurance() != kSticky && tokens_.is_unasked(token, tank_.wants_token))
    link_.stream(out, DropFlagRequest{vec3(tank_.pose.x(), tank_.pose.y(), tank_.pose.z())});
  out.say(std::move(taken));
}

void BackFlags::hear(const DropFlag& drop, BackOut& out) {
  answered(drop.player.byte);
  if (drop.player.byte == state_.number && tokens_.carried() == "SH") fights_.shield_dropped();
  words::TokenDropped dropped;
  *dropped.mutable_token() = told(drop.flag);
  dropped.set_by(server_players_.id_of(drop.player.byte));
  out.say(std::move(dropped));
}

/// A capture kills every tank of the flag's team. The server sends no MsgKilled for them (bzfs.cxx, captureFlag, from
/// v1.7 to v2.4.26), and ignores one that a client sends.
void BackFlags::hear(const CaptureFlag& capture, BackOut& out) {
  answered(capture.player.byte);
  words::TokenCaptured captured;
  captured.set_token(capture.flag + 1U);
  captured.set_by(server_players_.id_of(capture.player.byte));
  captured.set_team(tokens_.team_of(captured.token()));
  out.say(captured);
  if (captured.team() != words::TEAM_ANY) fights_.die_with_flag(captured, out);
}

void BackFlags::hear(const NearFlag& near, BackOut& out) {
  words::Notice notice;
  notice.set_text("closest flag: " + clean(near.name));
  out.say({state_.me, notice});
}

void BackFlags::hear(const words::TokenWish& wish, BackOut& out) {
  if (!tank_.may_act()) return out.drop(drops::kWishNotInPlay);
  const bool others = wish.op() == words::TokenWish::GIVE && wish.from() != 0 && wish.from() != state_.me;
  if (others) return out.drop(drops::kGivesOfOther);
  const bool grab = wish.op() == words::TokenWish::GRAB;
  tank_.claims.begin(grab ? core::Claim::kGrab : core::Claim::kFlag, kFlagPatience, out);
  switch (wish.op()) {
    case words::TokenWish::GRAB:
      tank_.wants_token = wish.token();
      return link_.stream(out, GrabFlagRequest{static_cast<std::uint16_t>(wish.token() - 1)});
    case words::TokenWish::DROP:
      return link_.stream(out, DropFlagRequest{vec3(wish.x(), wish.y(), wish.z())});
    case words::TokenWish::CAPTURE:
      return link_.stream(out, CaptureFlagReport{static_cast<std::uint16_t>(wire_team(wish.team(), 0))});
    default:
      return link_.stream(out, TransferFlagReport{state_.number, server_players_.number_of(wish.to(), kNobody)});
  }
}

}  // namespace entente::bzflag
