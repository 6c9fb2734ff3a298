#include "tests/support/paths.h"

#include <cstdlib>

namespace entente::testing {

std::string source_dir() { return ENTENTE_SOURCE_DIR; }
/// With ENTENTE_BINARY in the environment, that program: tests/coverage has one that counts.
std::string entente_binary() {
  const char* const other = std::getenv("ENTENTE_BINARY");
  return other != nullptr ? other : ENTENTE_BINARY;
}

}  // namespace entente::testing
