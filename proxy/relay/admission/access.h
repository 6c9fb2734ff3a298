// Which addresses may connect to a listener: lists of allowed and denied networks.
// Invariant: the smallest network that contains the address decides; at equal size, deny wins. An address in none of
// them is allowed only if the configuration's allow list is empty. Networks that operators add with ctl never turn the
// default to deny.
#pragma once

#include <algorithm>
#include <vector>

#include "proxy/net/network.h"
#include "proxy/relay/admission/listed_networks.h"

namespace entente::relay {

struct Access {
  bool operator==(const Access&) const = default;

  std::vector<net::Network> allow, deny;
  const ListedNetworks* listed = nullptr;  ///< counts with these lists; null: nothing

  bool lets(const net::Address& from) const {
    int in = most_bits(allow, from), out = most_bits(deny, from);
    if (listed != nullptr) {
      const auto [allowed, denied] = listed->most_bits(from);
      in = std::max(in, allowed);
      out = std::max(out, denied);
    }
    return in == kNone && out == kNone ? allow.empty() : in > out;
  }

 private:
  static constexpr int kNone = ListedNetworks::kNone;

  static int most_bits(const std::vector<net::Network>& nets, const net::Address& from) {
    int most = kNone;
    for (const net::Network& net : nets)
      if (net.holds(from)) most = std::max(most, static_cast<int>(net.bits()));
    return most;
  }
};

}  // namespace entente::relay
