// Reads a recording that a bzfs made: one connection, on which only the server speaks. What stands in the header is
// told as a server would tell it: greeting, settings, hash, world. Law: what is good before the damage is told, and
// then the damage.
#pragma once

#include <string>

#include "proxy/program/import/import.h"

namespace entente {

Outcome<Done> import_rec(const std::string& path, ImportSink& sink);

}  // namespace entente
