#include "proxy/program/serve/configured.h"

#include <memory>
#include <string>
#include <utility>

#include "adapters/native/native.h"
#include "proxy/core/arena/referee.h"
#include "proxy/program/log/say.h"
#include "proxy/program/playback/arena_from_recording.h"
#include "proxy/program/settings/arena_rules.h"

namespace entente {

Outcome<ConfiguredArena> configured(const config::Arena& arena, bool record_secrets, relay::TapThread* tap) {
  std::string damage;
  auto place = open_arena(arena, &damage);
  if (!place) return place.error();
  if (!damage.empty()) log_warn("{}", damage);
  relay::SharedRoomOptions shared_room;
  shared_room.name = "the arena '" + arena.name() + "'";
  shared_room.arena = arena.name();
  shared_room.game = &native::game();
  shared_room.back = [place = *place] { return std::make_unique<core::Referee>(place); };
  shared_room.stand_ins = stand_ins_of(arena, place->starts);
  shared_room.seed = arena.seed();
  if (arena.lockstep()) shared_room.lockstep_tick = core::Referee::kTick;
  shared_room.record_secrets = record_secrets;
  shared_room.tap = tap;
  return ConfiguredArena{std::move(*place), std::move(shared_room)};
}

}  // namespace entente
