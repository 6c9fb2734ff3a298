// Which addresses may connect to a listener: lists of allowed and denied networks.
// Law: the smallest network that contains the address decides; at equal size, deny wins. An address in none of them is
// allowed only if the allow list is empty.
#pragma once

#include <algorithm>
#include <vector>

#include "proxy/net/network.h"

namespace entente::relay {

struct Access {
  bool operator==(const Access&) const = default;

  std::vector<net::Network> allow, deny;

  bool lets(const net::Address& from) const {
    const int in = most_bits(allow, from), out = most_bits(deny, from);
    return in == kNone && out == kNone ? allow.empty() : in > out;
  }

 private:
  static constexpr int kNone = -1;

  static int most_bits(const std::vector<net::Network>& nets, const net::Address& from) {
    int most = kNone;
    for (const net::Network& net : nets)
      if (net.holds(from)) most = std::max(most, static_cast<int>(net.bits()));
    return most;
  }
};

}  // namespace entente::relay
