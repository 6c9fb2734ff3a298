// Reads a recording of bzfs: one connection, on which only the server speaks. The header is delivered as a server
// would send it: greeting, settings, hash, world.
// Law: everything before a damage is delivered, and then the error.
#pragma once

#include <string>

#include "proxy/program/import/import.h"

namespace entente {

Outcome<Done> import_rec(const std::string& path, ImportSink& sink);

}  // namespace entente
