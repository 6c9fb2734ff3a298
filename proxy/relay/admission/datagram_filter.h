// Checks datagrams: size, rate, and whether each is a whole message of its game.
// Invariant: a bad datagram is dropped and counted. It never ends a session, because its sender may be forged.
#pragma once

#include <memory>
#include <optional>

#include "adapters/wire/game.h"
#include "proxy/base/limits.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/admission/strict_filter.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

class DatagramFilter {
 public:
  /// `per_second` 0: no limit.
  DatagramFilter(std::unique_ptr<wire::Cutter> cutter, std::size_t largest, std::uint32_t per_second, Millis now)
      : cutter_(std::move(cutter)), largest_(largest), pace_(per_second, per_second, now) {}

  /// From now on each of a client's messages must pass `filter` too, which outlives this.
  void watch(StrictFilter& filter, std::size_t dialect) {
    strict_ = &filter;
    dialect_ = dialect;
  }

  /// From now on the client's datagrams count against these rates, too. May be null.
  void share(std::shared_ptr<SharedRates> rates) { rates_ = std::move(rates); }

  std::optional<Drop> objection(Bytes datagram, Millis now) {
    if (datagram.size() > largest_) return Drop::kTooLarge;
    if (!pace_.take_one(now)) return Drop::kTooFast;
    if (rates_ && !rates_->take_datagram(datagram.size(), now)) return Drop::kTooFast;
    if (!cutter_) return std::nullopt;
    const wire::Cut cut = cutter_->next(datagram);
    if (cut.fault || cut.size == 0) return Drop::kBadFrame;
    return strict_ && !all_decode(datagram) ? std::optional(Drop::kBadFrame) : std::nullopt;
  }

  /// A datagram that passed had so many messages beside the first: they count against the rates, too.
  void charge(std::size_t more_messages, Millis now) {
    if (more_messages == 0) return;
    pace_.charge(more_messages, now);
    if (rates_) rates_->charge(0, more_messages, now);
  }

 private:
  bool all_decode(Bytes datagram) {
    while (!datagram.empty()) {
      const wire::Cut cut = cutter_->next(datagram);
      if (cut.fault || cut.size == 0) return false;
      const wire::Frame frame{wire::Way::kToServer, Lane::kDatagram, cut.stage, datagram.first(cut.size)};
      if (strict_->objection(frame, dialect_)) return false;
      datagram = datagram.subspan(cut.size);
    }
    return true;
  }

  std::unique_ptr<wire::Cutter> cutter_;
  std::size_t largest_;
  Bucket pace_;
  std::shared_ptr<SharedRates> rates_;
  StrictFilter* strict_ = nullptr;
  std::size_t dialect_ = 0;
};

}  // namespace entente::relay
