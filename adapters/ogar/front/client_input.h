// Converts a client's input to intents, whatever messages its dialect has for it.
// Invariant: input that an Ogar server would ignore is not passed on: a spawn while alive, the mouse of a player with
// nothing to move.
#pragma once

#include <string>

#include "adapters/ogar/front/viewpoint.h"
#include "proxy/core/room_member.h"

namespace entente::ogar {

class ClientInput {
 public:
  explicit ClientInput(Viewpoint& viewpoint) : viewpoint_(viewpoint) {}

  void mouse(double x, double y, core::FrontOut& out);  ///< Ogar's units
  void spawn(const std::string& tagged_name, core::FrontOut& out);
  void spectate(core::FrontOut& out);
  void press(bool down, core::FrontOut& out);  ///< the Q key; with several tanks it selects the next one
  void split(std::uint8_t count, bool minions, core::FrontOut& out);
  void eject(bool minions, core::FrontOut& out);
  void freeze(core::FrontOut& out);
  void say(const std::string& text, core::FrontOut& out);

  double mouse_x() const { return x_; }
  double mouse_y() const { return y_; }

 private:
  void check_state();
  bool plays() const { return viewpoint_.state() == Viewpoint::State::kPlaying; }
  static core::Id next_unit(const core::FrontOut& out);
  void watch(Viewpoint::State how, core::FrontOut& out);
  void enter(words::Role role, core::FrontOut& out);
  void change(bool name, bool skin, core::FrontOut& out);

  Viewpoint& viewpoint_;
  double x_ = 0, y_ = 0;
  bool told_ = false;  // the place of the mouse was sent
  Viewpoint::State told_in_ = Viewpoint::State::kIdle;
  std::string name_, skin_;
  bool entered_ = false, frozen_ = false;
};

}  // namespace entente::ogar
