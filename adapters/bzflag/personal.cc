// The personal data in the fields of messages; see wire/personal.h.
#include "adapters/bzflag/bzflag.h"

namespace entente::bzflag {

std::span<const wire::PersonalField> personal() {
  using wire::Personal;
  static constexpr wire::PersonalField kFields[] = {
      // Ids of the wiki dialect are addresses.
      {"", "ip", Personal::kAddress},
      {"", "port", Personal::kPort},
      {"", "flag", Personal::kCode},
      {"", "kind", Personal::kCode},
      {"", "pad", Personal::kFiller},
      {"", "more_pad", Personal::kFiller},
      {"", "last_pad", Personal::kFiller},
      {"Welcome", "version", Personal::kVersion},
      {"TooLate", "version", Personal::kVersion},
      {"Refused", "reason", Personal::kText},
      {"RefusedMore", "reason", Personal::kText},
      {"MsgNegotiateFlags", "flags", Personal::kCode},
      {"MsgFlagType", "name", Personal::kText},
      {"MsgFlagType", "help", Personal::kText},
      {"MsgWantWHash", "hash", Personal::kHash},
      {"MsgCacheURL", "url", Personal::kHost},
      {"MsgGetWorld", "data", Personal::kWorld},
      {"MsgEnter", "callsign", Personal::kName},
      {"MsgEnter", "motto", Personal::kMotto},
      {"MsgEnter", "token", Personal::kToken},
      {"MsgEnter", "version", Personal::kVersion},
      {"MsgReject", "reason", Personal::kText},
      {"MsgAddPlayer", "callsign", Personal::kName},
      {"MsgAddPlayer", "motto", Personal::kMotto},
      {"MsgAdminInfo", "local", Personal::kAddress},
      {"MsgMessage", "text", Personal::kChat},
      {"MsgSetVar", "name", Personal::kVariable},
      {"MsgSetVar", "value", Personal::kValue},
      {"MsgNearFlag", "name", Personal::kText},
      {"MsgFetchResources", "url", Personal::kHost},
      {"MsgCustomSound", "name", Personal::kText},
      {"MsgAudio", "data", Personal::kUnknown},
      {"MsgVideo", "data", Personal::kUnknown},
      {"MsgServerControl", "data", Personal::kUnknown},
      {"MsgKrbPrincipal", "data", Personal::kUnknown},
      {"MsgKrbTicket", "data", Personal::kUnknown},
      {"MsgPingCodeReply", "version", Personal::kVersion},
      {"MsgPingCodeReply", "address", Personal::kAddress},
  };
  return kFields;
}

}  // namespace entente::bzflag
