// The personal data in the fields of messages; see wire/personal.h.
#include "adapters/template/template.h"

namespace entente::sample {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      {"Hello", "name", Personal::kName},
      {"Chat", "text", Personal::kChat},
  };
  return kFields;
}

}  // namespace entente::sample
