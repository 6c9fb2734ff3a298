// Players of the server: how they join, spawn, die and leave.
#pragma once

#include "adapters/aos/back/hands.h"

namespace entente::aos {

class Lives {
 public:
  Lives(Server& server, ServerPlayers& players, Man& man, Hands& hands)
      : server_(server), players_(players), man_(man), hands_(hands) {}

  void hear(const ExistingPlayer& existing, BackOut& out);
  void hear(const CreatePlayer& created, BackOut& out);
  void hear(const PlayerLeft& left, BackOut& out);
  void hear(const KillAction& kill, BackOut& out);
  void hear(const SetColour& set, BackOut& out);
  void hear(const SetHp& hp, BackOut& out);
  void hear(const ChangeWeapon&, BackOut& out) { out.drop(drops::kChangeWeapon); }

 private:
  void begin_own(const CreatePlayer& created, BackOut& out);

  Server& server_;
  ServerPlayers& players_;
  Man& man_;
  Hands& hands_;
};

}  // namespace entente::aos
