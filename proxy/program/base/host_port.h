// A host and a port, as people write them: example.org:5154, 192.0.2.7, [::1]:4410
#pragma once

#include <cstdint>
#include <string_view>

#include "proxy/base/fault.h"

namespace entente {

/// Parts of the text that was split.
struct HostPort {
  std::string_view host;  ///< without the brackets of IPv6; never empty
  std::string_view port;  ///< as written; empty: there is none
};

/// Splits "host:port", "host", "[v6]:port" or "[v6]". The error says what is wrong, without the text.
Outcome<HostPort> split_host_port(std::string_view text);

/// A port from 0 to 65535.
Outcome<std::uint16_t> parse_port(std::string_view text);

/// Whether the text is HOST:PORT, with a port from 1 to 65535.
bool is_host_and_port(std::string_view text);

}  // namespace entente
