// The counts of `verify`. Invariant: each message is counted once in `frames` and once in exactly one of the others.
#pragma once

#include <cstdint>
#include <string>

namespace entente {

struct Tally {
  std::uint64_t frames = 0;
  std::uint64_t exact = 0;    ///< decoded, and encoded to the same bytes
  std::uint64_t opaque = 0;   ///< as `exact`, but only because bytes of unknown meaning were kept
  std::uint64_t refused = 0;  ///< did not decode, and the server did not accept it either
  std::uint64_t undecoded = 0;
  std::uint64_t mismatched = 0;  ///< decoded, but encoded to other bytes

  bool good() const { return opaque == 0 && undecoded == 0 && mismatched == 0; }
  Tally& operator+=(const Tally& other);
};

/// "frames=… exact=… opaque=… refused=… undecoded=… mismatched=…"
std::string text(const Tally& tally);

}  // namespace entente
