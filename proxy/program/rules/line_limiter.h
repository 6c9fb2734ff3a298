// Which lines of rules are logged: so many of all together, and fewer about one player or of one route's rules.
// Invariant: it keeps at most kMostKnown names, whoever is reported. Whoever is reported often takes from others at
// most a part of the lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/base/time.h"
#include "proxy/relay/admission/bucket.h"

namespace entente {

class LineLimiter {
 public:
  /// Lines at once after a silence, and then in each second.
  struct Pace {
    std::uint32_t at_once, per_second;
  };
  static constexpr Pace kOfAll{100, 20};
  static constexpr Pace kOfRules{50, 10};  ///< what the rules of a route or an arena log by themselves
  static constexpr Pace kOfPlayer{10, 1};  ///< about the players of an address
  static constexpr std::size_t kMostKnown = 1'000;

  explicit LineLimiter(Millis now) : all_(new_bucket(kOfAll, now)), others_{new_bucket(kOfRules, now)} {}

  /// Takes a line about `whom`, which always has the same `pace`. Nothing: it may not be logged, and is counted.
  /// Otherwise, how many lines were not logged that this one stands for.
  std::optional<std::uint64_t> take(const std::string& whom, const Pace& pace, Millis now);

 private:
  struct Known {
    relay::Bucket pace;
    std::uint64_t unlogged = 0;
  };
  static relay::Bucket new_bucket(const Pace& pace, Millis now) { return {pace.per_second, pace.at_once, now}; }
  Known& known(const std::string& whom, const Pace& pace, Millis now);
  void tidy(Millis now);

  relay::Bucket all_;
  Known others_;  // those for whom there is no room in known_, and those who were forgotten
  std::unordered_map<std::string, Known, KeyedHash<std::string>> known_;
  Millis tidied_ = 0;
};

}  // namespace entente
