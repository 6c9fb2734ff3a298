// A client's ids for what is not a unit of the room: shots, shapes, things to pick up, and cells that are shown again.
// Invariant: they belong to this client alone and use no ids of the room, which each viewer would otherwise use up
// within hours. They come from the upper half, where units have no ids.
#pragma once

#include <cstdint>

namespace entente::ogar {

class SpareIds {
 public:
  static constexpr std::uint32_t kFirst = 0xffffffff, kLast = 0x80000000;

  SpareIds() = default;
  /// Continues below `last_given`.
  explicit SpareIds(std::uint32_t last_given) : last_(last_given) {}

  /// The next id, downwards, and from the top again. `shown(std::uint32_t)`: whether the client still uses an id; not
  /// called before all ids were given once. REQUIRES: not all are shown.
  template <class Shown>
  std::uint32_t next(Shown&& shown) {
    do {
      if (last_ == kLast) {
        last_ = 0;
        again_ = true;
      }
      --last_;
    } while (again_ && shown(last_));
    return last_;
  }

 private:
  std::uint32_t last_ = 0;
  bool again_ = false;  // all ids were given once
};

}  // namespace entente::ogar
