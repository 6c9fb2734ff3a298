// Where units were a moment ago, for rules that ask.
// Invariant: nothing is kept before a rule has asked. Then at most kMostUnits units have at most kKept places each.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/word.h"

namespace entente::rules {

class Past {
 public:
  static constexpr std::size_t kMostUnits = 1'000, kKept = 24;

  struct Told {
    core::Micros at = 0;
    words::Pose pose;
  };

  /// Whether a rule has asked.
  bool wanted() const { return wanted_; }
  void hear(const core::Fact& fact);
  /// The last place that was told before `then`. Null: it is not remembered. Valid until the next call.
  const Told* ask(core::Id unit, core::Micros then);

 private:
  struct Way {
    std::array<Told, kKept> told;
    std::size_t count = 0;  // ever
  };
  void keep(const words::Pose& pose, core::Micros at);

  bool wanted_ = false;
  std::unordered_map<core::Id, Way, KeyedHash<core::Id>> ways_;
};

}  // namespace entente::rules
