#include "proxy/net/web/host_name.h"

#include <algorithm>

#include "proxy/base/lower_case.h"
#include "proxy/net/address.h"

namespace entente::net {

std::string name_of_host(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  const std::string name = lower_case(host.substr(0, end));
  const std::string_view port = host.substr(name.size());
  const bool digits =
      std::all_of(port.begin() + (port.empty() ? 0 : 1), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (!port.empty() && port.front() != ':')) return {};
  return name;
}

bool is_machine_name(std::string_view name) { return name == "localhost" || Address::parse(name, 0).ok(); }

}  // namespace entente::net
