// The mapping of the game, which fronts and backs use to report what they drop.
#pragma once

#include <span>

#include "adapters/wire/mapping.h"

namespace entente::aos {

/// The table of what each field and each word becomes; see mapping.cc.
std::span<const wire::MappingLine> mapping();

}  // namespace entente::aos
