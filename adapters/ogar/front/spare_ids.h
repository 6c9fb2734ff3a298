// The client's ids of what is no unit of the room: shots, shapes, things to be picked up, and cells that are shown
// anew. Law: they are this client's own and take none of the room's, which each viewer would use up by the hour; from
// the upper half, where no unit's id is.
#pragma once

#include <cstdint>

namespace entente::ogar {

class SpareIds {
 public:
  static constexpr std::uint32_t kFirst = 0xffffffff, kLast = 0x80000000;

  SpareIds() = default;
  /// Goes on below that one.
  explicit SpareIds(std::uint32_t last_given) : last_(last_given) {}

  /// The next one downwards, and from the top again. `shown(std::uint32_t)`: whether the client still knows something
  /// by it; asked of none before all were given once. REQUIRES: not all are shown.
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
  bool again_ = false;  // they have all been given
};

}  // namespace entente::ogar
