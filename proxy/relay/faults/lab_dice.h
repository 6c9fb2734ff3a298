// The dice of a lab. Each throw depends on the seed, the session, the direction, the number of the unit (a frame, a
// message, a packet or a datagram) and the fault that it is for, and on nothing else.
// Invariant: the same seed and the same units in the same order give the same faults. A fault that is added or left out
// changes no other.
#pragma once

#include <cstdint>

#include "proxy/relay/base/lab_fault.h"

namespace entente::relay {

class LabDice {
 public:
  /// `session`: LabReport::number. `lane`: tells a session's datagrams from its stream.
  LabDice(std::uint64_t seed, std::uint64_t session, wire::Way way, wire::Lane lane)
      : key_(mixed(mixed(mixed(seed) ^ session) ^
                   (static_cast<std::uint64_t>(way) << 8U | static_cast<std::uint64_t>(lane)))) {}

  /// `more`: tells several throws for the same fault and unit.
  std::uint64_t roll(std::uint64_t unit, LabFault fault, std::uint64_t more = 0) const {
    return mixed(mixed(key_ ^ unit) ^ (more << 8U | static_cast<std::uint64_t>(fault)));
  }
  /// `share`: in millionths.
  bool hits(std::uint32_t share, std::uint64_t unit, LabFault fault, std::uint64_t more = 0) const {
    return share != 0 && roll(unit, fault, more) % 1'000'000 < share;
  }

 private:
  /// SplitMix64: https://prng.di.unimi.it/splitmix64.c (public domain).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
  }

  std::uint64_t key_;
};

}  // namespace entente::relay
