// The web page that watches and plays through a native+ws listener in JSON: the files of page/, with one script for
// each of its entries, built into the program. Invariant: the first is the page itself; it loads only the others.
#pragma once

#include <span>

#include "proxy/base/asset.h"

namespace entente::native {

std::span<const Asset> page();

}  // namespace entente::native
