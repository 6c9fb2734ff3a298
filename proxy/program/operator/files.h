// The files of the operator page (page/), built into the program unchanged. Invariant: the first is the page itself; it
// loads only the others.
#pragma once

#include <span>

#include "proxy/base/asset.h"

namespace entente {

std::span<const Asset> operator_files();

}  // namespace entente
