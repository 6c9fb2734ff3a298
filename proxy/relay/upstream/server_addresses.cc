#include "proxy/relay/upstream/server_addresses.h"

#include <algorithm>

#include "proxy/net/network.h"

namespace entente::relay {

std::vector<net::Address> ServerAddresses::usable(std::vector<net::Address> found) const {
  std::erase_if(found, [this](const net::Address& one) {
    return (rules_.only_v4 && one.v6()) || (rules_.only_v4_loopback && !net::is_loopback_v4(one));
  });
  for (net::Address& one : found) one = one.with_port(port_);
  return found;
}

std::vector<net::Address> ServerAddresses::all(Millis now) const {
  std::vector<net::Address> found = host_ != nullptr ? usable(host_->addresses()) : fixed_;
  if (found.size() < 2) return found;
  const std::lock_guard lock(mutex_);
  std::stable_partition(found.begin(), found.end(), [&](const net::Address& one) {
    return std::none_of(avoided_.begin(), avoided_.end(),
                        [&](const auto& other) { return other.first == one && now < other.second; });
  });
  return found;
}

std::string ServerAddresses::why_none() const {
  if (host_ == nullptr) return "";
  if (std::string why = host_->why(); !why.empty()) return why;
  if (host_->answers() == 0) return "'" + host_->name + "' is being looked up";
  if (!usable(host_->addresses()).empty()) return "";
  if (rules_.only_v4_loopback)
    return "source=loopback is for a server on this machine, such as 127.0.0.1, not '" + host_->name + "'";
  return "'" + host_->name + "' has no IPv4 address, and ENet supports only IPv4";
}

void ServerAddresses::reached(const net::Address& address) {
  const std::lock_guard lock(mutex_);
  std::erase_if(avoided_, [&](const auto& one) { return one.first == address; });
}

void ServerAddresses::not_reached(const net::Address& address, Millis now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(avoided_, [&](const auto& one) { return one.first == address; });
  if (avoided_.size() == kMostAvoided) avoided_.erase(avoided_.begin());
  avoided_.emplace_back(address, now + kAvoided);
}

}  // namespace entente::relay
