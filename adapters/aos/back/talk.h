// Chat, both ways. Law: our player says no more than servers let players say.
#pragma once

#include <array>
#include <deque>
#include <string>

#include "adapters/aos/back/people.h"

namespace entente::aos {

class BackTalk {
 public:
  BackTalk(Server& server, People& people) : server_(server), people_(people) {}

  void hear(const ChatMessage& chat, BackOut& out);
  void hear(const words::Say& say, BackOut& out);

  /// Says of the lines that wait what may be said now.
  void speak_on(BackOut& out);
  /// The next tick: soon while a line waits.
  void keep_alive(BackOut& out) const {
    if (!lines_.empty()) out.wake(out.now() + 50 * core::kMillisecond);
  }

 private:
  Server& server_;
  People& people_;
  std::deque<std::string> lines_;  // that wait to be said
  std::array<core::Micros, 4> spoke_{};
  std::size_t spoken_ = 0;
};

}  // namespace entente::aos
