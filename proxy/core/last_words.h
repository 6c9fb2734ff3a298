// What a server told a player right before it ended the session, in games whose message for that has no field for a
// reason. Law: what was said long before is no reason.
#pragma once

#include <string>
#include <string_view>

#include "proxy/core/word.h"

namespace entente::core {

class LastWords {
 public:
  /// A line from the server to this player.
  void hear(std::string_view line, Micros now) {
    if (now > heard_at_ + kTogether || text_.size() > kMost) text_.clear();
    text_.append(text_.empty() ? "" : " ").append(line);
    heard_at_ = now;
  }

  /// Why the session ends now; `otherwise` if nothing was said about it.
  std::string why(Micros now, std::string_view otherwise) const {
    return std::string(text_.empty() || now > heard_at_ + kTogether ? otherwise : std::string_view(text_));
  }

 private:
  static constexpr Micros kTogether = kSecond;  // lines of one reason, and the end that they are about
  static constexpr std::size_t kMost = 1'000;   // bytes

  std::string text_;
  Micros heard_at_ = 0;
};

}  // namespace entente::core
