// The page with which a browser watches and plays whatever speaks native's JSON by WebSocket: the files of page/, built
// into the program as they are. Law: the first is the page itself; it loads only the others.
#pragma once

#include <span>

#include "proxy/base/asset.h"

namespace entente::native {

std::span<const Asset> page();

}  // namespace entente::native
