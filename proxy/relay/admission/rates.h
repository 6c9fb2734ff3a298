// Rate limits in bytes and messages: of one client's stream, of all clients of an address, of a server.
// Invariant: everything that was received counts, including what carries it (frame headers of WebSockets, TLS records).
// A peer above a limit is not read until it is within the limit again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "proxy/base/limits.h"
#include "proxy/relay/admission/bucket.h"

namespace entente::relay {

class Rates {
 public:
  /// By second; 0: no limit. Twice as much may come at once after a silence.
  Rates(std::uint32_t bytes, std::uint32_t messages, Millis now)
      : bytes_(bytes, 2ull * bytes, now), messages_(messages, 2ull * messages, now) {}
  /// Of one client.
  Rates(const Limits& limits, Millis now) : Rates(limits.bytes_per_second, limits.messages_per_second, now) {}

  /// Changes the limits. What was used too much stays.
  void adapt(std::uint32_t bytes, std::uint32_t messages, Millis now) {
    bytes_.adapt(bytes, 2ull * bytes, now);
    messages_.adapt(messages, 2ull * messages, now);
  }
  /// False if this exceeds a limit. The peer is then not read before ready().
  bool charge(std::size_t bytes, std::size_t messages, Millis now) {
    const bool bytes_left = bytes_.charge(bytes, now), messages_left = messages_.charge(messages, now);
    return bytes_left && messages_left;
  }
  bool ready(Millis now) { return bytes_.ready(now) && messages_.ready(now); }
  /// Whether nothing was used lately.
  bool full(Millis now) const { return bytes_.full(now) && messages_.full(now); }

 private:
  Bucket bytes_, messages_;
};

/// The rates of several links, on any workers: those of the clients of an address, or of the sessions of a server.
/// Thread-safe.
class SharedRates {
 public:
  /// While a server is above its rates, the clients of one address still get this part of them.
  static constexpr std::uint32_t kPart = 64;

  /// As of Rates.
  void adapt(std::uint32_t bytes, std::uint32_t messages, Millis now) {
    const std::lock_guard lock(mutex_);
    rates_.adapt(bytes, messages, now);
  }
  bool charge(std::size_t bytes, std::size_t messages, Millis now) {
    const std::lock_guard lock(mutex_);
    return rates_.charge(bytes, messages, now);
  }
  /// Counts a datagram, unless the limits are exceeded already: then it is to be dropped.
  bool take_datagram(std::size_t bytes, Millis now) {
    const std::lock_guard lock(mutex_);
    return rates_.ready(now) && (rates_.charge(bytes, 1, now), true);
  }
  bool ready(Millis now) {
    const std::lock_guard lock(mutex_);
    return rates_.ready(now);
  }
  bool full(Millis now) const {
    const std::lock_guard lock(mutex_);
    return rates_.full(now) && part_.full(now);
  }

  // Of the clients of an address.
  /// `bytes`, `messages`: the rates of a server.
  void adapt_part(std::uint32_t bytes, std::uint32_t messages, Millis now) {
    const auto part = [](std::uint32_t rate) { return rate == 0 ? 0 : std::max(rate / kPart, 1U); };
    const std::lock_guard lock(mutex_);
    part_.adapt(part(bytes), part(messages), now);
  }
  /// Counts what these clients get of a server that is above its rates. False: it is more than their part.
  bool charge_part(std::size_t bytes, std::size_t messages, Millis now) {
    const std::lock_guard lock(mutex_);
    return part_.charge(bytes, messages, now);
  }
  bool part_ready(Millis now) {
    const std::lock_guard lock(mutex_);
    return part_.ready(now);
  }

 private:
  mutable std::mutex mutex_;
  Rates rates_{0, 0, 0}, part_{0, 0, 0};
};

}  // namespace entente::relay
