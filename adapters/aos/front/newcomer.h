// Who our client says that it is: its name, side, weapon and colour, and which program it is.
#pragma once

#include "adapters/aos/messages.h"
#include "adapters/aos/terms.h"
#include "proxy/core/session.h"

namespace entente::aos {

class Newcomer {
 public:
  Newcomer() { wish_.set_team(words::BLUE); }

  void hear(const VersionResponse& version, core::FrontOut& out);
  /// It says who it is, and that it wants in.
  void enter(const ExistingPlayer& player, const Sides& sides);
  /// It loads another map, and will say so again.
  void leave();

  const words::Enter& wish() const { return wish_; }
  void set_kit(std::uint32_t kit) { wish_.set_kit(kit); }
  std::uint32_t colour() const { return colour_; }
  void set_colour(std::uint32_t colour) { colour_ = colour; }

  /// It has said who it is, once …
  bool known() const { return !wish_.name().empty(); }
  /// … and since it loaded this map.
  bool entered() const { return entered_; }

 private:
  words::Enter wish_;
  std::string version_;
  std::uint32_t colour_ = 0;
  bool entered_ = false;
};

}  // namespace entente::aos
