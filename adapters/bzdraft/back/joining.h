// How a back joins a server: greeting, world, the resources that the world names, then the request to play.
#pragma once

#include "adapters/bzdraft/back/tank.h"
#include "adapters/bzdraft/wire/resource.h"

namespace entente::bzdraft {

class Joining {
 public:
  Joining(PeerLink& link, core::JoinState& state, core::TankServerPlayers& players, Tank& tank)
      : link_(link), state_(state), server_players_(players), tank_(tank) {}

  void greet(BackOut& out);
  void enter(BackOut& out);

  void hear(const VersionDown& version, BackOut& out);
  void hear(const GetWorldDown& world, BackOut& out);
  void hear(const GetResourceDown& piece, BackOut& out);
  void hear(const Accept& accept, BackOut& out);
  void hear(const Reject& reject, BackOut& out);
  void hear(const SuperKill&, BackOut& out);
  void hear(const words::Change& change, BackOut& out);

 private:
  void tell_rules(const GetWorldDown& world, BackOut& out) const;
  void fetch(BackOut& out);
  void ask_for(const Md5& md5, BackOut& out);
  void learn_world(BackOut& out);

  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
  Tank& tank_;
  Resources resources_;
  bool fetches_ = false;  // MsgGetWorld has arrived; resources may be requested
  Md5 root_{}, asked_{};
  Buffer piece_;          // of the requested resource
  std::string rejected_;  // why the server ends the connection
};

}  // namespace entente::bzdraft
