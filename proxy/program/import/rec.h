// Reads a recording of bzfs: one connection, on which only the server speaks. The header is delivered as a server
// would send it: greeting, settings, hash, world.
// Invariant: everything before a damage is delivered, and then the error.
#pragma once

#include <string>

#include "proxy/program/import/import.h"

namespace entente {

/// Unless ImportOptions::hidden is set, delivers what bzfs shows to a viewer who watches from the beginning.
Outcome<Done> import_rec(const std::string& path, const ImportOptions& options, ImportSink& sink);

}  // namespace entente
