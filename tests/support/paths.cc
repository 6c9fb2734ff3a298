#include "tests/support/paths.h"

namespace entente::testing {

std::string source_dir() { return ENTENTE_SOURCE_DIR; }
std::string entente_binary() { return ENTENTE_BINARY; }

}  // namespace entente::testing
