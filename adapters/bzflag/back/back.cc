// The life of a back: what comes in is handed to its subject. See back.h.
#include "adapters/bzflag/back/back.h"

#include "adapters/bzflag/losses.h"
#include "proxy/core/untold.h"

namespace entente::bzflag {

using core::as;

BackSession::BackSession(const core::FaceOptions& options)
    : dialect_(options.dialect), peer_(options.dialect, wire::Way::kToClient), speaks_(peer_.dialect()) {
  wants_link_ = options.setting("udp") != "off";
  says_header_ = speaks_.header == Header::kRequired ||
                 (speaks_.header == Header::kOptional && options.setting("header") != "off");
}

void BackSession::opened(const core::Peer&, Outlet& out) {
  opened_ = out.now();
  if (says_header_) peer_.stream(out, ClientHeader{});
}

void BackSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  const auto take = [&](const Message& message, Lane) {
    std::visit([&](const auto& m) { on(m, out); }, message);
    return !goodbye_;
  };
  const auto unknown = [&] { out.lose(loss::kUnknownDown); };
  if (const auto fault = peer_.feed(lane, bytes, out.now(), take, unknown); fault && !goodbye_) {
    goodbye_ = true;
    out.fail(*fault);
  }
}

void BackSession::hear(const core::Intent& intent, Outlet& out) {
  if (goodbye_) return;
  if (const auto* enter_wish = as<words::Enter>(intent)) {
    wish_ = *enter_wish;
    me_ = intent.by;
    return enter(out);
  }
  if (as<words::Leave>(intent) != nullptr) return part("the player left", out);
  if (as<words::WantWorld>(intent) != nullptr) return;  // it comes with the greeting
  if (const auto* query = as<words::Query>(intent)) {
    if (stage_ > Stage::kFlags && query->kind() == words::Query::GAME) peer_.stream(out, QueryGame{});
    return;
  }
  if (stage_ != Stage::kIn || intent.by != me_) return;

  const auto shooting = own_.steering.shooting(intent);
  if (shooting) return shoot(*shooting, out);
  std::visit(core::Overloaded{
                 [&](const words::Spawn&) { spawn(out); },
                 [&](const words::PoseClaim& claim) { claimed(claim, out); },
                 [&](const words::DeathClaim& claim) { die(claim, out); },
                 [&](const words::ShotEndClaim& claim) { end_shot(claim, out); },
                 [&](const words::ShotMoveClaim& claim) { move_shot(claim, out); },
                 [&](const words::TokenWish& wish) { hear_wish(wish, out); },
                 [&](const words::TeleportClaim& claim) {
                   if (may_act())
                     peer_.stream(out, TeleportReport{static_cast<std::uint16_t>(claim.from()),
                                                      static_cast<std::uint16_t>(claim.to())});
                 },
                 [&](const words::Pause& pause) { peer_.stream(out, PauseReport{std::uint8_t{pause.on()}}); },
                 [&](const words::Autopilot& word) { peer_.stream(out, AutoPilotReport{std::uint8_t{word.on()}}); },
                 [&](const words::Say& say) { hear_chat(say, out); },
                 [&](const words::ScoreClaim& claim) { claim_score(claim, out); },
                 [&](const auto&) {
                   if (!own_.steering.hear(intent)) core::lose_untold<mapping>(intent, out);
                 },
             },
             intent.kind);
}

void BackSession::tick(Outlet& out) {
  if (goodbye_) return;
  ask_for_link(out);
  drive(out);
  report_if_due(out);
  keep_alive(out);
}

/// The next tick: often while a tank of ours is out there.
void BackSession::keep_alive(Outlet& out) {
  if (own_.alive) out.wake(out.now() + 40 * core::kMillisecond);
}

void BackSession::closed(std::string_view why, Outlet& out) {
  if (goodbye_) return;
  goodbye_ = true;
  if (stage_ != Stage::kIn) return refuse(words::Refused::SERVER_GONE, why, out);
}

void BackSession::part(std::string_view why, Outlet& out) {
  if (!goodbye_ && stage_ > Stage::kGreeting) peer_.stream(out, Exit{});
  goodbye_ = true;
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

}  // namespace entente::bzflag
