// Admission by address, from a checked configuration.
#pragma once

#include "proxy/relay/admission/access.h"

namespace entente {

/// `Lists`: config::Access or config::Route. Invalid networks are skipped; Checker has reported them.
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
