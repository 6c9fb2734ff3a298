// Compares secrets.
#pragma once

#include <string_view>

namespace entente::net {

/// Whether they are equal. The time that it takes reveals only their lengths.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace entente::net
