// What our client says about itself: name, side, weapon, colour, and its program.
#pragma once

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/messages.h"
#include "proxy/core/room_member.h"

namespace entente::aos {

class ClientProfile {
 public:
  ClientProfile() { wish_.set_team(words::BLUE); }

  void hear(const VersionResponse& version, core::FrontOut& out);
  /// Existing Player has arrived: the client wants to enter.
  void enter(const ExistingPlayer& player, const Sides& sides);
  /// The client loads another map, and will send Existing Player again.
  void leave();

  /// Whether its program shows the server's last line as the reason of a disconnect, or did not name itself. Others
  /// show it as one more line of chat.
  bool shows_reasons() const { return version_.empty() || version_.starts_with("BetterSpades"); }

  const words::Enter& wish() const { return wish_; }
  void set_team(words::Team team) { wish_.set_team(team); }
  void set_role(words::Role role) { wish_.set_role(role); }
  void set_kit(std::uint32_t kit) { wish_.set_kit(kit); }
  std::uint32_t colour() const { return colour_; }
  void set_colour(std::uint32_t colour) { colour_ = colour; }

  /// Whether it has ever sent Existing Player.
  bool known() const { return !wish_.name().empty(); }
  /// Whether it has sent it for this map.
  bool entered() const { return entered_; }

 private:
  words::Enter wish_;
  std::string version_;
  std::uint32_t colour_ = 0;
  bool entered_ = false;
};

}  // namespace entente::aos
