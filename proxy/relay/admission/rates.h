// How much one client may say by its stream, whatever carries it.
// Law: what it said counts in any case; who went over is not read until that is paid back.
#pragma once

#include "proxy/base/limits.h"
#include "proxy/relay/admission/bucket.h"

namespace entente::relay {

class Rates {
 public:
  Rates(const Limits& limits, Millis now)
      : bytes_(limits.bytes_per_second, 2ull * limits.bytes_per_second, now),
        messages_(limits.messages_per_second, 2ull * limits.messages_per_second, now) {}

  /// False when that was more than there was; then it is not read before ready().
  bool take(std::size_t bytes, std::size_t messages, Millis now) {
    const bool bytes_left = bytes_.take(bytes, now), messages_left = messages_.take(messages, now);
    return bytes_left && messages_left;
  }
  bool ready(Millis now) { return bytes_.ready(now) && messages_.ready(now); }

 private:
  Bucket bytes_, messages_;
};

}  // namespace entente::relay
