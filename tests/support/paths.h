// The paths of the source tree and of the program. Only paths.cc contains them, so that every other object file is the
// same in any folder.
#pragma once

#include <string>

namespace entente::testing {

/// The top of the source tree, without a slash at the end.
std::string source_dir();
/// The built program.
std::string entente_binary();

}  // namespace entente::testing
