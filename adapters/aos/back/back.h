// The back of Ace of Spades: acts as a player on a real server. It loads the map, joins as a client does, reports to
// the room what the server sends, and moves and acts for its player. Its parts do the work.
// Invariant: nothing is sent that makes a real server refuse or ban the player. A place that the server sends for our
// player takes effect at once.
#pragma once

#include "adapters/aos/back/blocks.h"
#include "adapters/aos/back/chat.h"
#include "adapters/aos/back/joining.h"
#include "adapters/aos/back/lives.h"
#include "adapters/aos/back/marksman.h"

namespace entente::aos {

class AosBack final : public core::Back {
 public:
  explicit AosBack(const core::FaceOptions& options)
      : server_(options.dialect), marksman_(options, server_, players_, objectives_, man_, hands_) {}

  void opened(const core::Peer&, Outlet& out) override { await_map(out); }
  void receive(const Frames& frames, Outlet& out) override;
  void hear(const core::Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view why, Outlet& out) override;
  void closed_with_code(std::uint32_t code, std::string_view why, Outlet& out) override;
  void session_ends(std::string_view why, Outlet& out) override;

  /// For tests: a map that did not come over the wire.
  void learn(VoxelMap map, words::World world, const StateData& state, Outlet& out) {
    joining_.learn(std::move(map), std::move(world), state, out);
  }

 private:
  void hear_other(const core::Intent& intent, Outlet& out);
  void keep_alive(Outlet& out) const;
  void await_map(Outlet& out);
  void claim_late(core::Claim claim, int times, Outlet& out);
  bool leave();
  std::string why_dismissed(std::uint32_t code, std::string_view why, Outlet& out) const;

  Server server_;
  ServerPlayers players_{server_};
  ServerObjectives objectives_{server_, players_};
  Man man_{server_, players_};
  Hands hands_{server_, players_, man_};
  Lives lives_{server_, players_, man_, hands_};
  SnapshotReader snapshots_{server_, players_, man_};
  Blocks blocks_{server_, players_, hands_};
  Joining joining_{server_, players_, man_, hands_, objectives_, snapshots_};
  Marksman marksman_;
  BackChat chat_{server_, players_};
};

}  // namespace entente::aos
