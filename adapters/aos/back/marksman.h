// Fires shots for a player whose client does not do so itself: traces the ray on the map, and reports a hit if it met
// somebody, as honest clients do.
#pragma once

#include <string>

#include "adapters/aos/back/hands.h"
#include "adapters/aos/back/server_objectives.h"

namespace entente::aos {

class Marksman {
 public:
  Marksman(const core::FaceOptions& options, Server& server, ServerPlayers& players, const ServerObjectives& objectives,
           Man& man, Hands& hands)
      : server_(server),
        players_(players),
        objectives_(objectives),
        man_(man),
        hands_(hands),
        auto_aim_(options.setting("aim") == "auto") {}

  /// False: the player cannot shoot now.
  bool wish(const core::Shooting& shooting, BackOut& out);
  void mind_trigger(BackOut& out);

 private:
  void tell_empty(BackOut& out);
  std::string way_to(const words::Token& token) const;
  void shoot(double yaw, double pitch, BackOut& out);
  void trace(const Vec3& direction, BackOut& out);
  Vec3 aimed(double yaw, double pitch) const;
  Vec3 strayed(const Vec3& direction, BackOut& out) const;

  Server& server_;
  ServerPlayers& players_;
  const ServerObjectives& objectives_;
  Man& man_;
  Hands& hands_;
  const bool auto_aim_;
};

}  // namespace entente::aos
