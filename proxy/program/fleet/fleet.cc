#include "proxy/program/fleet/fleet.h"

#include <filesystem>
#include <fstream>

#include "proxy/net/secret.h"
#include "proxy/net/web/tls.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

std::string inbox_of(const std::string& fleet, const std::string& node) { return fleet + ".inbox." + node; }

}  // namespace

std::string this_machine(const std::string& boot_id) {
  std::string boot;
  std::getline(std::ifstream(boot_id), boot);
  if (boot.empty()) boot = std::to_string(net::keyed_hash(net::machine_key(), as_bytes("boot")));
  std::error_code none;  // if it cannot be read, there is only one network
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/net", none).string();
}

Fleet::Fleet(const config::Fleet& settings)
    : names_(settings.name()), node_(node_of(settings)), replicas_(settings.replicas()) {}

Outcome<std::unique_ptr<Fleet>> Fleet::join(const config::Fleet& settings, Log log) {
  fleet::BusOptions options;
  options.servers.assign(settings.nats().begin(), settings.nats().end());
  options.user = settings.user();
  for (const auto& [file, into] :
       {std::pair(settings.password_file(), &options.password), std::pair(settings.token_file(), &options.token)}) {
    if (file.empty()) continue;
    auto secret = read_secret(file);
    if (!secret) return secret.error();
    *into = std::move(*secret);
  }
  options.credentials_file = settings.credentials();
  options.ca_file = settings.ca();
  options.certificate_file = settings.cert();
  options.key_file = settings.key();
  std::unique_ptr<Fleet> fleet(new Fleet(settings));
  if (auto read = fleet->read_certificates(settings); !read) return read.error();
  options.client = fleet->node_;
  if (log == Log::kYes) {
    options.refused = [name = settings.name()](const std::string& what) {
      log_warn("fleet '{}': NATS does not permit this node's account to do that: {}", name, what);
    };
    options.no_thread = [name = settings.name()](const std::string& what) { log_error("fleet '{}': {}", name, what); };
    options.told = [name = settings.name()](bool connected, const std::string& why) {
      if (connected)
        log_info("fleet '{}': connected to NATS", name);
      else
        log_warn("fleet '{}': not connected to NATS: {}", name, why);
    };
  }
  options.inbox = inbox_of(settings.name(), fleet->node_);
  fleet->bus_ = std::make_unique<fleet::Bus>(options);
  return fleet;
}

/// For their metrics. NATS's library reads the same files when it connects first.
Outcome<Done> Fleet::read_certificates(const config::Fleet& settings) {
  if (!settings.cert().empty()) {
    const auto own = net::TlsContext::server(settings.cert(), settings.key());
    if (!own) return own.error();
    certificate_expires_ = (*own)->expires();
  }
  if (!settings.ca().empty()) {
    const auto authorities = net::TlsContext::client(settings.ca(), true);
    if (!authorities) return authorities.error();
    authorities_expire_ = (*authorities)->expires();
  }
  return Done{};
}

void Fleet::measure(Metrics& metrics) const {
  measure_certificate(metrics, "fleet.cert", "", certificate_expires_);
  measure_certificate(metrics, "fleet.ca", "", authorities_expire_);
  const fleet::BusCounts counts = bus_->counts();
  metrics.gauge("bus_connected", "1 while this node is connected to NATS", {}, bus_->connected() ? 1 : 0);
  metrics.count("bus_messages", "Messages sent and received by NATS", {{"direction", "out"}}, counts.published);
  metrics.count("bus_messages", "", {{"direction", "in"}}, counts.received);
  metrics.count("bus_bytes", "Bytes of these messages", {{"direction", "out"}}, counts.published_bytes);
  metrics.count("bus_bytes", "", {{"direction", "in"}}, counts.received_bytes);
  metrics.count("bus_dropped",
                "Messages not sent, because there was no connection or too much waited; and messages "
                "that came while too much waited",
                {{"direction", "out"}}, counts.dropped_out);
  metrics.count("bus_dropped", "", {{"direction", "in"}}, counts.dropped_in);
  metrics.count("bus_losses", "Connections to NATS that were lost", {}, counts.losses);
  metrics.count("bus_failures", "Orders to JetStream that failed", {}, counts.failures);
  metrics.count("bus_refused", "Messages and subscriptions that NATS does not permit this node's account", {},
                counts.refused);
  metrics.count(
      "bus_forged",
      "Forged messages, which were ignored: an account had JetStream send them to a subject where it may not publish",
      {}, counts.forged);
}

}  // namespace entente
