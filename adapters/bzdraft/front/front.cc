// The life of a front: what comes in is handed to its subject. See front.h.
#include "adapters/bzdraft/front/front.h"

#include "adapters/bzdraft/losses.h"

namespace entente::bzdraft {

/// So that the room looks for its server while the client greets.
void FrontSession::opened(const core::Peer&, Outlet& out) { out.say(words::WantWorld()); }

void FrontSession::receive(Lane lane, Bytes bytes, Outlet& out) {
  if (gone_) return;
  const auto take = [&](const Message& message) {
    std::visit([&](const auto& m) { on(m, out); }, message);
    return !gone_;
  };
  const auto unknown = [&] { out.lose(loss::kUnknownUp); };
  const auto fault = peer_.feed(lane, bytes, take, unknown);
  if (!fault || gone_) return;
  peer_.send(out, SuperKill{});
  gone_ = true;
  out.fail(*fault);
}

void FrontSession::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  const bool always = core::as<words::Refused>(fact) != nullptr || core::as<words::Kicked>(fact) != nullptr ||
                      core::as<words::Ready>(fact) != nullptr || core::as<words::Waiting>(fact) != nullptr;
  retold_.hear(fact);
  if (stage_ == Stage::kIn || always) std::visit([&](const auto& word) { told(word, fact, out); }, fact.kind);
  if (wants_world_ && !gone_) answer_world(out);
}

void FrontSession::tick(Outlet& out) {
  if (gone_) return;
  if (wants_world_) answer_world(out);
  if (stage_ != Stage::kIn) return;
  for (auto& [number, actor] : cast_) {
    if (actor.unit == 0) show(number, out);
    if (actor.late) update(number, actor, out);
  }
  look_about(out);
  spare_own_tank(out);
  check_death(out);
  check_leash(out);
  check_change(out);
}

}  // namespace entente::bzdraft
