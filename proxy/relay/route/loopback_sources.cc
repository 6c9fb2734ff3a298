#include "proxy/relay/route/loopback_sources.h"

#include "proxy/net/secret.h"

namespace entente::relay {
namespace {

constexpr std::uint32_t kNumbers = 1U << 24U;
constexpr std::uint32_t kFirst = 1U << 16U;  // below are addresses that machines use: 127.0.0.1, 127.0.1.1, 127.0.0.53

net::Address address_of(std::uint32_t number) {
  sockaddr_in raw{};
  raw.sin_family = AF_INET;
  raw.sin_addr.s_addr = htonl(127U << 24U | number);
  return net::Address::from(reinterpret_cast<const sockaddr*>(&raw));
}

}  // namespace

LoopbackSources::LoopbackSources() : LoopbackSources(net::machine_key()) {}

LoopbackSources::LoopbackAddress LoopbackSources::take(const net::Address& client) {
  const std::lock_guard lock(mutex_);
  const net::Address network = client.host_key();
  auto at = hosts_.find(network);
  if (at == hosts_.end()) {
    if (hosts_.size() >= kMostKept) forget_oldest();
    at = hosts_.emplace(network, Host{free_number(network)}).first;
    taken_.emplace(at->second.number, network);
  }
  ++at->second.sessions;
  left_.erase(std::exchange(at->second.left, 0));
  LoopbackAddress its;
  its.owner_ = this;
  its.host_ = network;
  its.at_ = address_of(at->second.number);
  return its;
}

std::uint32_t LoopbackSources::free_number(const net::Address& host) const {
  auto number = static_cast<std::uint32_t>(net::keyed_hash(key_, as_bytes(host.ip_text())) %
                                           (kNumbers - 1));  // 127.255.255.255 is a broadcast address
  while (number < kFirst || taken_.contains(number)) number = (number + 1) % (kNumbers - 1);
  return number;
}

void LoopbackSources::give_back(const net::Address& host) {
  const std::lock_guard lock(mutex_);
  const auto at = hosts_.find(host);
  if (at == hosts_.end() || --at->second.sessions != 0) return;
  at->second.left = ++departures_;
  left_.emplace(at->second.left, host);
  if (left_.size() > kMostKept) forget_oldest();
}

void LoopbackSources::forget_oldest() {
  if (left_.empty()) return;
  const auto at = hosts_.find(left_.begin()->second);
  left_.erase(left_.begin());
  taken_.erase(at->second.number);
  hosts_.erase(at);
}

}  // namespace entente::relay
