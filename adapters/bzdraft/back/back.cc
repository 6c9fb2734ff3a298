#include "adapters/bzdraft/back/back.h"

#include "adapters/bzdraft/wire/drops.h"
#include "adapters/bzdraft/wire/mapping.h"

namespace entente::bzdraft {

void BzdraftBack::receive(const Frames& frames, Outlet& out) {
  const auto take = [&](const Message& message) {
    std::visit([&](const auto& m) { core::hand(m, out, joining_, players_, chat_, fights_, flags_); }, message);
    return !state_.goodbye_said;
  };
  const auto unknown = [&] { out.drop(drops::kUnknownDown); };
  if (state_.goodbye_said) return;
  if (const auto fault = link_.feed(frames, take, unknown)) fail(*fault, out);
  await_server(out);
}

/// A player may ask to spawn before it is in the game.
bool BzdraftBack::hear_early(const core::Intent& intent, Outlet& out) {
  const auto* spawn = core::as<words::Spawn>(intent);
  if (spawn == nullptr || intent.by != state_.me) return false;
  tank_.hear(*spawn, out);
  return true;
}

void BzdraftBack::hear_word(const core::Intent& intent, Outlet& out) {
  hand_out<mapping>(intent, out, tank_, joining_, players_, chat_, fights_, flags_);
}

/// The draft: "Once entered, a player can leave the game". Before that, or after a rejection, the back only closes.
void BzdraftBack::say_goodbye(Outlet& out) {
  if (state_.stage >= Stage::kEntering) link_.send(out, Exit{});
}

}  // namespace entente::bzdraft
