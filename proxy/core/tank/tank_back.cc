#include "proxy/core/tank/tank_back.h"

#include <utility>

namespace entente::core {

void TankBack::hear(const Intent& intent, BackOut& out) {
  if (seat_.gone) return;
  if (const auto* wish = as<words::Enter>(intent)) {
    seat_.wish = *wish;
    seat_.me = intent.by;
    return enter(out);
  }
  if (as<words::Leave>(intent) != nullptr) return leave("the player left", out);
  if (as<words::WantWorld>(intent) != nullptr) return;  // it comes with the greeting
  if (hear_early(intent, out) || !seat_.in() || intent.by != seat_.me) return;
  if (const auto shooting = tank().steering.shooting(intent)) return helm().shoot(*shooting, out);
  hear_word(intent, out);
}

void TankBack::tick(BackOut& out) {
  if (seat_.gone) return;
  look_after_link(out);
  helm().drive(out);
  tank().report_if_due(out);
  tank().keep_alive(out);
}

void TankBack::closed(std::string_view why, BackOut& out) {
  if (!std::exchange(seat_.gone, true) && !seat_.in()) seat_.refuse(words::Refused::SERVER_GONE, why, false, out);
}

void TankBack::room_ends(std::string_view why, BackOut& out) { leave(why, out); }

void TankBack::leave(std::string_view why, BackOut& out) {
  if (!std::exchange(seat_.gone, true)) say_goodbye(out);
  out.close(why);
}

void TankBack::fail(const Fault& fault, BackOut& out) {
  if (!std::exchange(seat_.gone, true)) out.fail(fault);
}

}  // namespace entente::core
