// Objectives: intel, tents and territories, the score and the round, and State Data, which contains them all.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "adapters/aos/front/client_movement.h"
#include "adapters/aos/front/player_table.h"

namespace entente::aos {

class Objectives {
 public:
  Objectives(Client& client, PlayerTable& players, const ClientMovement& movement, const core::ResyncPhase& resync)
      : client_(client), players_(players), movement_(movement), resync_(resync) {}

  void hear(const words::Token& token, FrontOut& out);
  void hear(const words::TokenTaken& taken, FrontOut& out);
  void hear(const words::TokenDropped& dropped, FrontOut& out);
  void hear(const words::TokenCaptured& captured, FrontOut& out);
  void hear(const words::Zone& zone, FrontOut& out);
  void hear(const words::Round& round, FrontOut& out);
  void hear(const words::Rule& rule, FrontOut& out);

  /// The client has loaded a map: finds the sides and their objectives. Sends nothing.
  void begin(FrontOut& out);
  void send_state_data(FrontOut& out);
  /// Called before each snapshot: chooses again which tokens are shown, if that is due.
  void refresh(FrontOut& out);
  /// Our client has left the token that it stood at.
  void leave_token() { reached_ = 0; }

  /// Asks for the token that our client stands at.
  void reach(FrontOut& out);

 private:
  Sides find_sides(const FrontOut& out) const;
  void list_territories(const FrontOut& out);
  void find_tokens(const FrontOut& out);
  void refind_tokens(FrontOut& out);
  void move_intel(std::uint8_t side, const Vec3& place, FrontOut& out);
  bool is_of_carrier(std::uint8_t object, Slot carrier) const;
  std::uint8_t side_of_token(const words::Token& token, const FrontOut& out) const;
  std::optional<std::uint8_t> object_of(const words::Token& token) const;
  Vec3 tent(std::uint8_t side, const FrontOut& out) const;
  void fill_territories(StateData& state, const core::WorldState& world) const;
  void fill_flags(StateData& state, const FrontOut& out) const;

  Client& client_;
  PlayerTable& players_;
  const ClientMovement& movement_;
  const core::ResyncPhase& resync_;
  Colour fog_{};
  std::array<core::Id, 2> intel_{}, tents_{};  // tokens of each side
  std::vector<core::Id> territories_;
  std::size_t looked_ = 0;  // tokens that facts have made it look at since the last snapshot
  bool stale_ = false;      // intel_ and tents_ have to be chosen again
  core::Id reached_ = 0;    // the token that our client stands at
};

}  // namespace entente::aos
