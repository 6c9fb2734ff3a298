// Edits of a world of blocks, in the order in which they were made.
#pragma once

#include <vector>

#include "proxy/core/word.h"

namespace entente::core {

/// Whether the later edit of one block makes the earlier one superfluous.
bool replaces(const words::WorldEdit& later, const words::WorldEdit& earlier);

/// Removes what later edits replace.
void tidy_edits(std::vector<words::WorldEdit>& edits);

/// The edits after which a world with the edits `from` is one with the edits `to`. False: there are none, because an
/// edit would have to be undone. REQUIRES: both are tidy.
bool edits_between(const std::vector<words::WorldEdit>& from, const std::vector<words::WorldEdit>& to,
                   std::vector<const words::WorldEdit*>& between);

}  // namespace entente::core
