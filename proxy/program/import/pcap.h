// Reads a packet capture (pcap or pcapng, any link type that carries IP): TCP put together, UDP as datagrams.
// Law: which packets are told depends on the options alone, and every packet to or from the server's port is told or
// said.
#pragma once

#include <cstdio>
#include <string>

#include "proxy/program/import/import.h"

namespace entente {

/// Reads and closes `file`. `name` is for errors.
Outcome<Done> import_pcap(std::FILE* file, const std::string& name, const ImportOptions& options, ImportSink& sink);

}  // namespace entente
