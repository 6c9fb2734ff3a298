#include "proxy/core/tank/tank_back.h"

#include <utility>

namespace entente::core {

void TankBack::hear(const Intent& intent, BackOut& out) {
  if (state_.goodbye_said) return;
  if (const auto* wish = as<words::Enter>(intent)) {
    state_.wish = *wish;
    state_.me = intent.by;
    return enter(out);
  }
  if (as<words::Leave>(intent) != nullptr) return leave("the player left", out);
  if (as<words::WantWorld>(intent) != nullptr) return;  // it comes with the greeting
  if (hear_early(intent, out) || !state_.in() || intent.by != state_.me) return;
  const words::Pose& pose = tank().pose;
  if (const auto shooting = tank().steering.shooting(intent, pose.x(), pose.y()))
    return control().shoot(*shooting, out);
  hear_word(intent, out);
}

void TankBack::tick(BackOut& out) {
  if (state_.goodbye_said) return;
  look_after_link(out);
  control().drive(out);
  tank().report_if_due(out);
  tank().schedule_tick(out);
}

void TankBack::closed(std::string_view why, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true) && !state_.in())
    state_.refuse(words::Refused::SERVER_GONE, why, false, out);
}

void TankBack::session_ends(std::string_view why, BackOut& out) { leave(why, out); }

void TankBack::leave(std::string_view why, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true)) say_goodbye(out);
  out.close(why);
}

void TankBack::fail(const Fault& fault, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true)) out.fail(fault);
}

}  // namespace entente::core
