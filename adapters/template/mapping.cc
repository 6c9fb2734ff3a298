// What becomes of each field of each message, and of each word. `entente explain` prints it.
#include "adapters/template/drops.h"
#include "adapters/template/template.h"

namespace entente::sample {

std::span<const wire::MappingLine> mapping() {
  static constexpr wire::MappingLine kAll[] = {
      wire::up("Hello", "name", "Enter.name"),
      wire::up("Chat", "text", "Say.text"),
      wire::up("Chat", "player", "", Fidelity::kSynthesised, "a client writes 0"),
      wire::down("Welcome", "player", "You.player", Fidelity::kLossy, "the lowest byte of the room's number"),
      wire::down("Chat", "text", "Said.text"),
      wire::down("Chat", "player", "Said.from", Fidelity::kLossy, "the lowest byte of the room's number"),
      drops::kOtherIntent,
      drops::kOtherFact,
      drops::kHelloAgain,
  };
  return kAll;
}

}  // namespace entente::sample
