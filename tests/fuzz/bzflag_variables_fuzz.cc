// The variables of a BZFlag server: lines NAME=FORMULA. After each, the values that backs use are computed, as for a
// message with one variable. Invariant: a value is a finite number.
#include <cmath>
#include <cstdlib>

#include "adapters/bzflag/wire/variables.h"
#include "proxy/base/bytes.h"
#include "tests/fuzz/target.h"

ENTENTE_FUZZ_TARGET(bzflag_variables) {
  entente::bzflag::Variables variables;
  std::string_view text = entente::as_text({data, size});
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto end = std::min(line.find('='), line.size());
    variables.set(line.substr(0, end), line.substr(std::min(end + 1, line.size())));
    for (const auto& ruled : entente::bzflag::ruled_variables())
      if (!std::isfinite(variables[ruled.variable])) std::abort();
  }
  return 0;
}
