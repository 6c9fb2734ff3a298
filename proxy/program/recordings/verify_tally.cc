#include "proxy/program/recordings/verify_tally.h"

namespace entente {

Tally& Tally::operator+=(const Tally& other) {
  frames += other.frames;
  exact += other.exact;
  opaque += other.opaque;
  refused += other.refused;
  undecoded += other.undecoded;
  mismatched += other.mismatched;
  return *this;
}

std::string text(const Tally& tally) {
  const auto number = [](const char* name, std::uint64_t value) { return name + std::to_string(value); };
  return number("frames=", tally.frames) + number(" exact=", tally.exact) + number(" opaque=", tally.opaque) +
         number(" refused=", tally.refused) + number(" undecoded=", tally.undecoded) +
         number(" mismatched=", tally.mismatched);
}

}  // namespace entente
