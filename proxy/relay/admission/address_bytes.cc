#include "proxy/relay/admission/address_bytes.h"

namespace entente::relay {

bool AddressBytes::set(const net::Address& host, std::size_t before, std::size_t now, std::size_t most) {
  const std::lock_guard lock(mutex_);
  Host& its = hosts_[host];
  its.steps += now - before;
  if (now != 0) ++its.readers;
  if (before != 0) --its.readers;
  if (its.readers == 0) {
    hosts_.erase(host);
    return true;
  }
  const bool too_much = most != 0 && its.steps * kStep > most;
  return !too_much || now * its.readers < its.steps;
}

std::size_t AddressBytes::of(const net::Address& client) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(client.unmapped().host_key());
  return found == hosts_.end() ? 0 : found->second.steps * kStep;
}

std::size_t AddressBytes::known() const {
  const std::lock_guard lock(mutex_);
  return hosts_.size();
}

}  // namespace entente::relay
