// Where units were a moment ago, for rules that ask.
// Invariant: nothing is kept before a rule has asked. Then at most kMostUnits units have at most kKept places each.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/word.h"

namespace entente::rules {

class Past {
 public:
  static constexpr std::size_t kMostUnits = 1'000, kKept = 24;

  /// What rules can see of a pose that was told. It is cheaper to keep than the word.
  struct Told {
    Told() = default;
    Told(const words::Pose& pose, core::Micros told_at);
    /// Where the unit is at `now`, as core::place_at() says. `at` stays.
    Told placed(core::Micros now) const;

    core::Micros at = 0;
    double x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0, yaw = 0, pitch = 0, yaw_rate = 0;
    std::uint32_t state = 0;
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
  tsl::robin_map<core::Id, std::unique_ptr<Way>, KeyedHash<core::Id>> ways_;
};

}  // namespace entente::rules
