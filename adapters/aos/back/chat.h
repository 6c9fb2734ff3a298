// Chat, in both directions. Invariant: our player sends no more lines than servers allow.
#pragma once

#include <array>
#include <deque>
#include <string>

#include "adapters/aos/back/server_players.h"

namespace entente::aos {

class BackChat {
 public:
  BackChat(Server& server, ServerPlayers& players) : server_(server), players_(players) {}

  void hear(const ChatMessage& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

  /// Sends as many of the waiting lines as may be sent now.
  void speak_on(BackOut& out);
  /// The next tick: soon while a line waits.
  void keep_alive(BackOut& out) const {
    if (!lines_.empty()) out.wake(out.now() + 50 * core::kMillisecond);
  }

 private:
  Server& server_;
  ServerPlayers& players_;
  std::deque<std::string> lines_;  // waiting to be sent
  std::array<core::Micros, 4> spoke_{};
  std::size_t spoken_ = 0;
};

}  // namespace entente::aos
