// Host names in HTTP requests, against DNS rebinding: another site can make its own host name resolve to our address,
// and requests of its pages then have this name in their Host header.
#pragma once

#include <string>
#include <string_view>

namespace entente::net {

/// The name in a Host header ("Example.org:8080"), in lower case and without its port; "[::1]" keeps its brackets.
/// Empty if the header is malformed.
std::string name_of_host(std::string_view host);

/// Whether nobody else can own this name: an IP address, or "localhost". REQUIRES: in lower case.
bool is_machine_name(std::string_view name);

}  // namespace entente::net
