// Reads a packet capture (pcap or pcapng, any link types with IP): reassembled TCP, and UDP datagrams.
// Invariant: which packets are delivered depends only on the options; every packet to or from the server's port is
// delivered or remarked.
#pragma once

#include <cstdio>
#include <string>

#include "proxy/program/import/import.h"

namespace entente {

/// Reads and closes `file`. `name` is for errors.
Outcome<Done> import_pcap(std::FILE* file, const std::string& name, const ImportOptions& options, ImportSink& sink);

}  // namespace entente
