// Flags, in both directions. Also pickups and pellets, which are shown to a client as flags of an unknown kind.
#pragma once

#include <optional>

#include "adapters/bzflag/front/player_table.h"
#include "proxy/core/tank/flag_numbers.h"
#include "proxy/core/tank/last_capture.h"

namespace entente::bzflag {

class Flags {
 public:
  Flags(Client& client, const PlayerTable& players, core::FlagNumbers& numbers, core::LastCapture& capture)
      : client_(client), players_(players), numbers_(numbers), capture_(capture) {}

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

  /// The client enters: sends all flags.
  void send_all(FrontOut& out);
  void refresh_pellets(FrontOut& out);

 private:
  std::optional<NumberedFlag> record(const words::Token& token, FrontOut& out);
  std::optional<NumberedFlag> pickup_record(core::Id unit, FrontOut& out);
  void tell_pickup(core::Id unit, FrontOut& out) { tell(pickup_record(unit, out), out); }
  void tell(const std::optional<NumberedFlag>& flag, FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  core::FlagNumbers& numbers_;
  core::LastCapture& capture_;
};

}  // namespace entente::bzflag
