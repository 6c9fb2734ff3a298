#include "proxy/program/conversion/offline_room.h"

#include "adapters/registry.h"

namespace entente {

bool can_translate(const GameDialect& game_dialect) {
  return faces_of(*game_dialect.game).has_front(game_dialect.dialect) &&
         faces_of(*game_dialect.game).has_back(game_dialect.dialect);
}

OfflineRoom::OfflineRoom(const GameDialect& game_dialect, User& user,
                         const std::map<std::string, std::string, std::less<>>& settings)
    : FollowedRoom(faces_of(*game_dialect.game).front({game_dialect.dialect, {}}),
                   faces_of(*game_dialect.game).back({game_dialect.dialect, settings, /*follows=*/true}), 1),
      user_(user) {
  begin(*game_dialect.game, game_dialect.dialect);
}

}  // namespace entente
