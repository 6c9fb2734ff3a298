#include "proxy/fleet/bus.h"

#include <cassert>

#include "proxy/fleet/bus/impl.h"
#include "proxy/net/address.h"
#include "proxy/net/network.h"

namespace entente::fleet {

std::optional<std::string> objection_to_server(const std::string& url) {
  if (!url.starts_with("nats://") && !is_tls(url)) return "must be nats://host:port, or with TLS tls://host:port";
  if (url.find('@') != std::string::npos) return "must not have a user or password; use the keys beside it";
  const std::string host = place_of(url).host;
  if (host.empty()) return "names no host";
  if (is_tls(url) || host == "localhost" || host == "[::1]") return std::nullopt;
  if (const auto address = net::Address::parse(host + ":1"); address && net::is_loopback_v4(*address))
    return std::nullopt;
  return "would carry passwords and chat unencrypted to another machine: use tls://";
}

Bus::Bus(const BusOptions& options) : impl_(std::make_shared<Impl>(options)) {
  assert(!options.servers.empty());
  impl_->begin();
}

Bus::~Bus() { impl_->end(); }

bool Bus::connected() const { return impl_->up(); }
std::optional<Millis> Bus::lost_for() const { return impl_->lost_for(); }
std::string Bus::last_error() const { return impl_->error(); }

BusCounts Bus::counts() const {
  const BusCounters& its = *impl_->counters();
  return {its.published, its.published_bytes, its.received, its.received_bytes, its.dropped_out, its.dropped_in,
          its.connects,  its.losses,          its.failures, its.refused,        its.forged};
}

}  // namespace entente::fleet
