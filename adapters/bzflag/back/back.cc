#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/wire/mapping.h"

namespace entente::bzflag {

void BzflagBack::receive(const Frames& frames, Outlet& out) {
  const auto take = [&](const Message& message, Lane) {
    std::visit([&](const auto& m) { core::hand(m, out, joining_, rules_, players_, chat_, fights_, flags_); }, message);
    return !state_.goodbye_said;
  };
  const auto unknown = [&] { out.drop(drops::kUnknownDown); };
  if (state_.goodbye_said) return;
  if (const auto fault = link_.feed(frames, take, unknown)) fail(*fault, out);
  await_server(out);
}

bool BzflagBack::hear_early(const core::Intent& intent, Outlet& out) {
  const bool early = core::as<words::Spawn>(intent) != nullptr && !state_.in() && intent.by == state_.me;
  if (early) tank_.spawn_early = true;
  const auto* query = core::as<words::Query>(intent);
  if (query != nullptr) joining_.hear(*query, out);
  return early || query != nullptr;
}

void BzflagBack::hear_word(const core::Intent& intent, Outlet& out) {
  hand_out<mapping>(intent, out, tank_, players_, chat_, fights_, flags_);
}

void BzflagBack::say_goodbye(Outlet& out) {
  if (state_.stage != Stage::kGreeting) link_.stream(out, Exit{});
}

}  // namespace entente::bzflag
