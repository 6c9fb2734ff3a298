// Arbitrary JSON for a native listener. The first byte chooses whether it is an intent or a fact. Invariant: our reader
// accepts what protobuf's parser accepts, and reads the same from it; what was read is printed as by protobuf.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>
#include <string>

#include "schema/game.pb.h"
#include "tests/fuzz/target.h"
#include "tests/support/protobuf_json.h"

namespace entente::native_json_fuzz {
namespace {

void check(std::string_view json, google::protobuf::Message& message) {
  if (!testing::difference_in_json(json, message).empty()) std::abort();
  if (!native::read_json(as_bytes(json), message, native::UnknownName::kLeaveOut, nullptr)) return;
  Buffer printed;
  native::write_json(message, printed);
  if (as_text(printed) != testing::printed_by_protobuf(message)) std::abort();
}

}  // namespace
}  // namespace entente::native_json_fuzz

ENTENTE_FUZZ_TARGET(native_json) {
  static auto* const quiet = google::protobuf::SetLogHandler(nullptr);  // protobuf prints each half of a surrogate pair
  (void)quiet;
  if (size == 0) return 0;
  const std::string_view json(reinterpret_cast<const char*>(data) + 1, size - 1);
  entente::words::Intent intent;
  entente::words::Fact fact;
  if (data[0] % 2 == 0)
    entente::native_json_fuzz::check(json, intent);
  else
    entente::native_json_fuzz::check(json, fact);
  return 0;
}
