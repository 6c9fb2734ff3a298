// The personal data in the fields of messages; see wire/personal.h. The game has no texts.
#include "adapters/panic/panic.h"

namespace entente::panic {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      {"", "padding", Personal::kFiller},  // leftover memory
      {"", "count_padding", Personal::kFiller},
      {"", "end_padding", Personal::kFiller},
  };
  return kFields;
}

}  // namespace entente::panic
