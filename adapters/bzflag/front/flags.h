// Flags, in both directions. Also pickups and pellets, which are shown to a client as flags of an unknown kind.
#pragma once

#include <optional>
#include <vector>

#include "adapters/bzflag/front/player_table.h"
#include "proxy/core/tank/flag_numbers.h"
#include "proxy/core/tank/last_capture.h"

namespace entente::bzflag {

class Flags {
 public:
  Flags(Client& client, const PlayerTable& players, core::FlagNumbers& numbers, core::LastCapture& capture,
        const core::ResyncPhase& resync)
      : client_(client), players_(players), numbers_(numbers), capture_(capture), resync_(resync) {}

  void hear(const GrabFlagRequest& grab, FrontOut& out);
  void hear(const DropFlagRequest& drop, FrontOut& out);
  void hear(const CaptureFlagReport& capture, FrontOut& out);
  void hear(const TransferFlagReport& transfer, FrontOut& out);
  void hear(const words::Token& token, FrontOut& out);
  void hear(const words::TokenTaken& taken, FrontOut& out);
  void hear(const words::TokenDropped& dropped, FrontOut& out);
  void hear(const words::TokenCaptured& captured, FrontOut& out);
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::Hidden& hidden, FrontOut& out) { tell_pickup(hidden.unit(), out); }
  void hear(const words::Gone& gone, FrontOut& out) { tell_pickup(gone.unit(), out); }

  /// The client enters: sends all flags that nobody carries.
  void send_lying(FrontOut& out);
  /// After it, once the client has been told of the other players, and before it is told of itself: then it gives each
  /// tank its flag.
  void send_carried(FrontOut& out);
  /// Gives a player's tank its flag, for a client that is in the game.
  void tell_carried(std::uint8_t number, FrontOut& out);
  void refresh_pellets(FrontOut& out);

 private:
  std::optional<NumberedFlag> record(const words::Token& token, FrontOut& out);
  std::optional<NumberedFlag> pickup_record(core::Id unit, FrontOut& out);
  void send(const std::vector<NumberedFlag>& flags, FrontOut& out);
  void tell_pickup(core::Id unit, FrontOut& out) { tell(pickup_record(unit, out), out); }
  void tell(const std::optional<NumberedFlag>& flag, FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  core::FlagNumbers& numbers_;
  core::LastCapture& capture_;
  const core::ResyncPhase& resync_;
};

}  // namespace entente::bzflag
