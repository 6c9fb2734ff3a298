// The personal data in the fields of messages; see wire/personal.h.
#include "adapters/bzdraft/bzdraft.h"

namespace entente::bzdraft {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      {"MsgVersion", "version", Personal::kVersion},  {"MsgGetWorld", "model", Personal::kHash},
      {"MsgGetResource", "md5", Personal::kHarmless}, {"MsgGetResource", "data", Personal::kWorld},
      {"MsgEnter", "password", Personal::kPassword},  {"MsgEnter", "callsign", Personal::kName},
      {"MsgEnter", "email", Personal::kMotto},        {"MsgEnter", "avatar", Personal::kHost},
      {"MsgReject", "text", Personal::kText},         {"MsgAddPlayer", "callsign", Personal::kName},
      {"MsgAddPlayer", "email", Personal::kMotto},    {"MsgAddPlayer", "avatar", Personal::kHost},
      {"MsgMessage", "text", Personal::kChat},
  };
  return kFields;
}

}  // namespace entente::bzdraft
