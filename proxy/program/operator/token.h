// The token of the operator page, and how often somebody may try one.
// Law: a token is compared in constant time. An address that has given too many wrong ones is refused for a while,
// whatever it gives.
#pragma once

#include <cstdint>
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
  enum class Verdict : std::uint8_t { kRight, kWrong, kTooMany };
  static constexpr std::uint32_t kWrongBurst = 5, kWrongPerSecond = 1;
  static constexpr std::size_t kMostKnown = 1'000;  ///< addresses; if there are more, new ones are refused

  explicit TokenGuard(std::string token) : token_(std::move(token)) {}

  Verdict check(const net::Address& from, std::string_view token, Millis now);

 private:
  const std::string token_;
  std::unordered_map<net::Address, relay::Bucket, net::AddressHash> known_;  // addresses that gave wrong ones
};

}  // namespace entente
