// Who may come, from a configuration that was checked.
#pragma once

#include "proxy/relay/admission/access.h"

namespace entente {

/// `Lists`: config::Access or config::Route. A text that is no net is left out: Checker has complained of it.
template <class Lists>
relay::Access access_of(const Lists& lists) {
  relay::Access access;
  for (const std::string& text : lists.allow())
    if (const auto net = net::Network::parse(text)) access.allow.push_back(*net);
  for (const std::string& text : lists.deny())
    if (const auto net = net::Network::parse(text)) access.deny.push_back(*net);
  return access;
}

}  // namespace entente
