// The life of a back: what comes in is handed to its subject. See back.h.
#include "adapters/bzdraft/back/back.h"

#include "adapters/bzdraft/losses.h"
#include "proxy/core/untold.h"

namespace entente::bzdraft {

using core::as;

void BackSession::opened(const core::Peer&, Outlet& out) {
  VersionUp greeting;
  greeting.version.set(kVersion);
  greeting.type = wire_type(wish_ ? wish_->role() : words::PLAY);
  for (std::uint16_t kind = 1; !flag_code(kind).empty(); ++kind) greeting.flags_known.push_back(kind);
  peer_.send(out, greeting);
}

void BackSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  if (goodbye_) return;
  const auto take = [&](const Message& message) {
    std::visit([&](const auto& m) { on(m, out); }, message);
    return !goodbye_;
  };
  const auto unknown = [&] { out.lose(loss::kUnknownDown); };
  if (const auto fault = peer_.feed(lane, bytes, take, unknown); fault && !goodbye_) {
    goodbye_ = true;
    out.fail(*fault);
  }
}

void BackSession::hear(const core::Intent& intent, Outlet& out) {
  if (goodbye_) return;
  if (const auto* wish = as<words::Enter>(intent)) {
    wish_ = *wish;
    me_ = intent.by;
    return enter(out);
  }
  if (as<words::Leave>(intent) != nullptr) return part("the player left", out);
  if (as<words::WantWorld>(intent) != nullptr) return;  // it comes with the greeting
  if (intent.by != me_) return;
  if (as<words::Spawn>(intent) != nullptr) return spawn(out);
  if (stage_ != Stage::kIn) return;

  if (const auto shooting = own_.steering.shooting(intent)) return shoot(*shooting, out);
  std::visit(core::Overloaded{
                 [&](const words::PoseClaim& claim) { claimed(claim, out); },
                 [&](const words::DeathClaim& claim) { die(claim, out); },
                 [&](const words::ShotEndClaim& claim) { end_shot(claim, out); },
                 [&](const words::ShotMoveClaim& claim) { move_shot(claim, out); },
                 [&](const words::TokenWish& wish) { hear_wish(wish, out); },
                 [&](const words::TeleportClaim& claim) {
                   if (may_act())
                     peer_.send(out, Teleport{number_, counted(claim.from()), counted(claim.to())}, kTeleportCode);
                 },
                 [&](const words::ScoreClaim& claim) {
                   peer_.send(out, Score{number_, counted(claim.wins()), counted(claim.losses())});
                 },
                 [&](const words::Say& say) { hear_chat(say, out); },
                 [&](const words::Change& wish) { change(wish, out); },
                 [&](const auto&) {
                   if (!own_.steering.hear(intent)) core::lose_untold<mapping>(intent, out);
                 },
             },
             intent.kind);
}

void BackSession::tick(Outlet& out) {
  if (goodbye_) return;
  drive(out);
  report_if_due(out);
  if (own_.alive) out.wake(out.now() + 40 * core::kMillisecond);
}

void BackSession::closed(std::string_view why, Outlet& out) {
  if (!std::exchange(goodbye_, true) && stage_ != Stage::kIn) refuse(words::Refused::SERVER_GONE, why, false, out);
}

/// "Once entered, a player can leave the game", so the page; who is not in, or was rejected, only closes.
void BackSession::part(std::string_view why, Outlet& out) {
  if (!std::exchange(goodbye_, true) && stage_ >= Stage::kEntering) peer_.send(out, Exit{});
  out.close(why);
}

core::Id BackSession::id_of(std::uint8_t number) const {
  const auto at = people_.find(number);
  return at != people_.end() ? at->second.player.id() : 0;
}

BackSession::Someone* BackSession::find(std::uint8_t number) {
  const auto at = people_.find(number);
  return at != people_.end() ? &at->second : nullptr;
}

}  // namespace entente::bzdraft
