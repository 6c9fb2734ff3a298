// The lines of a control socket. Invariant: each gets one answer that is safe to print on a terminal: an error in one
// line, or "ok" and lines; with --json, one line of JSON.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cstdlib>

#include "proxy/base/bytes.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/control.h"
#include "tests/fuzz/target.h"

namespace entente::control_fuzz {
namespace {

bool harmless(std::string_view text) {
  for (const char c : text)
    if (c != '\n' && c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) return false;
  return true;
}

}  // namespace

ENTENTE_FUZZ_TARGET(control) {
  Control control;
  control.add("echo", "", [](std::string_view rest) -> Outcome<std::string> { return control_field(rest) + "\n"; });
  std::string_view line = as_text({data, size});
  const std::string answer = control.answer(line);
  if (!harmless(answer) || !answer.ends_with('\n')) std::abort();
  const bool one_line = answer.find('\n') == answer.size() - 1;
  if (first_word(line) == "--json") {
    google::protobuf::Value value;
    if (!one_line || !google::protobuf::util::JsonStringToMessage(answer, &value).ok()) std::abort();
  } else if (answer.starts_with("error: ")) {
    if (!one_line) std::abort();
  } else if (!answer.starts_with("ok\n")) {
    std::abort();
  }
  return 0;
}

}  // namespace entente::control_fuzz
