// Flags, in both directions. Also pickups and pellets, which are shown to a client as flags without a kind.
#pragma once

#include <optional>

#include "adapters/bzdraft/front/player_table.h"
#include "proxy/core/tank/flag_numbers.h"
#include "proxy/core/tank/last_capture.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::bzdraft {

class Flags {
 public:
  Flags(Client& client, const PlayerTable& players, const core::TankKeeper& keeper, core::FlagNumbers& numbers)
      : client_(client), players_(players), keeper_(keeper), numbers_(numbers) {}

  void hear(const GrabFlagUp& grab, FrontOut& out);
  void hear(const DropFlagUp& drop, FrontOut& out);
  void hear(const words::Token& token, FrontOut& out);
  void hear(const words::TokenTaken& taken, FrontOut& out);
  void hear(const words::TokenDropped& dropped, FrontOut& out);
  void hear(const words::TokenCaptured& captured, FrontOut& out);
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::Hidden& hidden, FrontOut& out) { see_pickup(hidden.unit(), out); }
  void hear(const words::Gone& gone, FrontOut& out) { see_pickup(gone.unit(), out); }

  /// The client enters: sends all tokens that nobody carries.
  void send_lying(FrontOut& out);
  /// After it, once the client has been told of the other players: sends those that they carry. False: a carrier has
  /// no number.
  bool send_carried(FrontOut& out);
  /// The client's tank was put into play: gives it its flag again.
  void tell_own(FrontOut& out);
  /// Sends all pickups, and looks for pellets.
  void see_all_pickups(FrontOut& out);
  void refresh_pellets(FrontOut& out);

  /// A capture tells the client that the flag's team is dead.
  const core::LastCapture& capture() const { return capture_; }

 private:
  std::optional<FlagUpdate> record(const words::Token& token, FrontOut& out);
  void see_pickup(core::Id unit, FrontOut& out);
  void tell(const core::FlagNumbers::Pickup& pickup, FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  const core::TankKeeper& keeper_;
  core::FlagNumbers& numbers_;
  core::LastCapture capture_;
};

}  // namespace entente::bzdraft
