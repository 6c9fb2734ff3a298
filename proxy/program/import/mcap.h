// Reads a recording of Entente. Invariant: everything before a damage is delivered, and then the error.
#pragma once

#include "proxy/program/import/import.h"
#include "proxy/trace/recording.h"

namespace entente {

Outcome<Done> import_mcap(trace::Recording& recording, ImportSink& sink);

}  // namespace entente
