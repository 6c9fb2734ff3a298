// Reads a recording of ours. Law: what is good before the damage is told, and then the damage.
#pragma once

#include "proxy/program/import/import.h"
#include "proxy/trace/recording.h"

namespace entente {

Outcome<Done> import_mcap(trace::Recording& recording, ImportSink& sink);

}  // namespace entente
