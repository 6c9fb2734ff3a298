// The token of the operator page, and how often somebody may try one.
// Invariant: a token is compared in constant time. The right one is always accepted, so nobody can lock operators out,
// not even from the address of an HTTP proxy that they share. The limit shows who tries many tokens. A token cannot be
// guessed because it is long and random.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/relay/admission/bucket.h"

namespace entente {

/// The token in the first line of this file.
Outcome<std::string> read_token(const std::string& path);

class TokenGuard {
 public:
  enum class Verdict : std::uint8_t {
    kRight,
    kWrong,
    kTooMany,  ///< wrong, too, from an address that has given too many
  };
  static constexpr std::uint32_t kWrongBurst = 5, kWrongPerSecond = 1;
  static constexpr std::size_t kMostKnown = 1'000;  ///< addresses; if there are more, new ones share one limit

  explicit TokenGuard(std::string token) : token_(std::move(token)) {}

  Verdict check(const net::Address& from, std::string_view token, Millis now);
  /// Another token from now on. Returns whether it differs. From any thread.
  bool renew(std::string token);

 private:
  relay::Bucket& bucket_of(const net::Address& host, Millis now);

  bool is_right(std::string_view token) const;

  mutable std::mutex mutex_;  // of the token
  std::string token_;
  std::unordered_map<net::Address, relay::Bucket, net::AddressHash> known_;  // addresses that gave wrong ones
  relay::Bucket others_{kWrongPerSecond, kWrongBurst, 0};                    // of all addresses that are not in known_
};

}  // namespace entente
