// The personal data in the fields of messages; see wire/personal.h.
#include "adapters/ogar/ogar.h"

namespace entente::ogar {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      {"", "trailing", Personal::kFiller},
      {"", "pad", Personal::kFiller},
      {"", "reserved2", Personal::kFiller},
      {"", "reserved4", Personal::kFiller},
      {"", "reserved8", Personal::kFiller},
      {"", "skin", Personal::kMotto},
      {"", "name", Personal::kName},  // also of players' cells, and on boards
      {"ClientUpdate", "chat", Personal::kChat},
      {"Update", "server", Personal::kText},
      {"Update", "mode", Personal::kText},
      {"Update", "text", Personal::kChat},
      {"Update", "lines", Personal::kText},
      {"Say", "text", Personal::kChat},
      {"LeaderboardText", "text", Personal::kText},
      {"SetBorder", "server", Personal::kText},
      {"ChatMessage", "text", Personal::kChat},
      {"ServerStat", "json", Personal::kStatistics},
  };
  return kFields;
}

}  // namespace entente::ogar
