// The lines of a control socket: whatever comes, one answer that no terminal minds, of as many lines as it says.
#include <cstdlib>

#include "proxy/base/bytes.h"
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
  const std::string answer = control.answer(as_text({data, size}));
  const bool error = answer.starts_with("error: ");
  if (!harmless(answer) || !answer.ends_with('\n') || (!error && !answer.starts_with("ok\n"))) std::abort();
  if (error && answer.find('\n') != answer.size() - 1) std::abort();
  return 0;
}

}  // namespace entente::control_fuzz
