// Whether a datagram may go further: not too large, not too fast, and one whole message of its game.
// Law: a datagram that may not is dropped and counted; it never ends a session, because its sender may be forged.
#pragma once

#include <memory>
#include <optional>

#include "adapters/wire/game.h"
#include "proxy/base/limits.h"
#include "proxy/relay/bucket.h"
#include "proxy/relay/reason.h"

namespace entente::relay {

class DatagramGuard {
 public:
  /// `per_second` 0: as many as come.
  DatagramGuard(std::unique_ptr<wire::Cutter> cutter, std::size_t largest, std::uint32_t per_second, Millis now)
      : cutter_(std::move(cutter)), largest_(largest), pace_(per_second, per_second, now) {}

  std::optional<Drop> objection(Bytes datagram, Millis now) {
    if (datagram.size() > largest_) return Drop::kTooLarge;
    if (!pace_.take_one(now)) return Drop::kTooFast;
    if (!cutter_) return std::nullopt;
    const wire::Cut cut = cutter_->next(datagram);
    if (cut.fault || cut.size == 0) return Drop::kBadFrame;
    return std::nullopt;
  }

 private:
  std::unique_ptr<wire::Cutter> cutter_;
  std::size_t largest_;
  Bucket pace_;
};

}  // namespace entente::relay
