// The personal data in the fields of messages; see wire/personal.h.
#include "adapters/aos/aos.h"

namespace entente::aos {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      {"", "pad", Personal::kFiller},
      {"StateUpdate", "inputs", Personal::kHarmless},
      {"StateUpdate", "extra", Personal::kFiller},
      {"ExistingPlayer", "name", Personal::kName},
      {"CreatePlayer", "name", Personal::kName},
      {"StateData", "name1", Personal::kText},
      {"StateData", "name2", Personal::kText},
      {"StateData", "tail", Personal::kFiller},
      {"ChatMessage", "text", Personal::kChat},
      {"MapStart", "name", Personal::kText},
      {"MapChunk", "data", Personal::kWorld},
      {"HandshakeInit", "challenge", Personal::kFiller},
      {"HandshakeReturn", "challenge", Personal::kFiller},
      {"VersionGet", "properties", Personal::kCode},
      {"VersionResponse", "system", Personal::kText},
      {"ExtensionPacket", "data", Personal::kUnknown},
      {"Hello", "text", Personal::kText},
      {"HelloReply", "text", Personal::kStatistics},
  };
  return kFields;
}

}  // namespace entente::aos
