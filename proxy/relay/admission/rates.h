// The rate limits of one client's stream, in bytes and messages.
// Law: everything that was received counts. A client above a limit is not read until it is within the limit again.
#pragma once

#include "proxy/base/limits.h"
#include "proxy/relay/admission/bucket.h"

namespace entente::relay {

class Rates {
 public:
  Rates(const Limits& limits, Millis now)
      : bytes_(limits.bytes_per_second, 2ull * limits.bytes_per_second, now),
        messages_(limits.messages_per_second, 2ull * limits.messages_per_second, now) {}

  /// False if this exceeds a limit. The client is then not read before ready().
  bool charge(std::size_t bytes, std::size_t messages, Millis now) {
    const bool bytes_left = bytes_.charge(bytes, now), messages_left = messages_.charge(messages, now);
    return bytes_left && messages_left;
  }
  bool ready(Millis now) { return bytes_.ready(now) && messages_.ready(now); }

 private:
  Bucket bytes_, messages_;
};

}  // namespace entente::relay
