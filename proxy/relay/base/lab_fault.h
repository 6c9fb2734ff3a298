// What the lab of a route (faults/) does on purpose to what passes: the kinds of faults, and how often each was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "adapters/wire/frame.h"

namespace entente::relay {

enum class LabFault : std::uint8_t {
  kLoss,       ///< a datagram or packet was lost; of a stream: it came later, as if it had been sent again
  kDup,        ///< a datagram or packet was passed on twice
  kReorder,    ///< a datagram or packet was overtaken by the next one
  kDelay,      ///< something was passed on later
  kStall,      ///< a direction stood still for a while
  kReset,      ///< a session's connections were reset
  kSlice,      ///< something was passed on in pieces
  kFull,       ///< a datagram or packet was dropped, because too much waited in the lab
  kDrop,       ///< a message was dropped for what it says
  kHold,       ///< a message was delayed for what it says
  kDuplicate,  ///< a message was passed on twice for what it says
  kCorrupt,    ///< a field of a message was changed
  kCut,        ///< something was lost or waited, because the schedule had cut the server off
  kCount
};

constexpr std::size_t kLabFaults = static_cast<std::size_t>(LabFault::kCount);

/// "loss", "dup", …: as in a spec, in metrics and in `entente ctl lab`. Lives as long as the program.
const char* text(LabFault fault);

/// How often each fault was made, by direction.
template <class Number>
struct LabCountsOf {
  Number& at(wire::Way way, LabFault fault) { return by[way == wire::Way::kToClient][static_cast<std::size_t>(fault)]; }
  const Number& at(wire::Way way, LabFault fault) const {
    return by[way == wire::Way::kToClient][static_cast<std::size_t>(fault)];
  }

  std::array<std::array<Number, kLabFaults>, 2> by{};
};

/// What was done to one session.
struct LabReport {
  std::uint64_t number = 0;  ///< of the session among those of its route in the lab, from 1: its faults depend on it
  LabCountsOf<std::uint64_t> counts;
};

}  // namespace entente::relay
