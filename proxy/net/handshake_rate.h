// How often the clients of one address may have our private key used, which is what costs a TLS server most: 0.7 ms for
// each handshake with RSA 2048, 5 ms with RSA 4096.
// Invariant: an address (IPv6: a /64) has kBurst handshakes at once, then kPerSecond; further ones wait. It keeps 50
// bytes for each address that had a handshake in the last seconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "proxy/base/time.h"
#include "proxy/net/address.h"

namespace entente::net {

class HandshakeRate {
 public:
  static constexpr Millis kBurst = 16, kPerSecond = 100;

  /// Reserves a handshake. Returns when it may go on, on the clock of `now`: `now`, or later.
  Millis reserve(const Address& client, Millis now) {
    if (paid_.size() >= tidy_at_) tidy(now);
    Millis& paid = paid_[client.host_key()];
    const Millis from = std::max(paid, now);
    paid = from + kEach;
    return std::max(now, from > kSlack ? from - kSlack : 0);
  }

  /// The handshake that reserve() put off until `until` will not be: others of the address may have one instead. Those
  /// who have reserved theirs keep their times, so that some may come together. No effect once that time has come.
  void give_back(const Address& client, Millis until, Millis now) {
    if (until <= now) return;
    const auto known = paid_.find(client.host_key());
    if (known != paid_.end()) known->second -= std::min(known->second, kEach);
  }

  /// A handshake goes on: the key is used.
  void count() { ++counted_; }
  /// How often the key was used.
  std::uint64_t counted() const { return counted_; }
  /// Addresses about which something is kept.
  std::size_t known() const { return paid_.size(); }

 private:
  static constexpr Millis kEach = 1'000 / kPerSecond, kSlack = (kBurst - 1) * kEach;
  static constexpr std::size_t kLeastTidied = 256;

  void tidy(Millis now) {
    std::erase_if(paid_, [now](const auto& one) { return one.second <= now; });
    tidy_at_ = std::max(kLeastTidied, 2 * paid_.size());
  }

  std::unordered_map<Address, Millis, AddressHash> paid_;  // until when the handshakes so far use up the rate
  std::size_t tidy_at_ = kLeastTidied;
  std::uint64_t counted_ = 0;
};

}  // namespace entente::net
