#include "proxy/program/fleet/fleet.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "proxy/net/web/tls.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr std::size_t kLongestSecret = 4096;

/// The first line of a file that other users may not read.
Outcome<std::string> read_secret(const std::string& path) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) return Error{path + " is a folder"};
  std::ifstream file(path);
  if (!file) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  if ((status.permissions() & perms::others_read) != perms::none)
    return Error{"everybody on this machine can read " + path + "; chmod o-r " + path};
  std::string line;
  std::getline(file, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.empty() || line.size() > kLongestSecret) return Error{"the first line of " + path + " must be the secret"};
  return line;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string inbox_of(const std::string& fleet, const std::string& node) { return fleet + ".inbox." + node; }

/// What is wrong with the files that the settings name.
void object_to_files(const config::Fleet& settings, std::vector<std::pair<std::string, std::string>>& found) {
  for (const auto& [key, file] :
       {std::pair("password_file", settings.password_file()), std::pair("token_file", settings.token_file())})
    if (!file.empty())
      if (const auto secret = read_secret(file); !secret) found.emplace_back(key, secret.error().text);
  for (const auto& [key, file] : {std::pair("credentials", settings.credentials()), std::pair("ca", settings.ca()),
                                  std::pair("cert", settings.cert()), std::pair("key", settings.key())})
    if (!file.empty() && !std::ifstream(file))
      found.emplace_back(key, "cannot read " + file + ": " + std::strerror(errno));
}

}  // namespace

std::optional<std::string> fleet_arena_of(const config::Route& route) {
  constexpr std::string_view kFleet = "fleet:";
  if (route.to_size() != 1 || !route.to(0).starts_with(kFleet)) return std::nullopt;
  return route.to(0).substr(kFleet.size());
}

std::string node_of(const config::Fleet& fleet) {
  return fleet.node().empty() ? fleet::as_token(host_name()) : fleet.node();
}

std::vector<std::pair<std::string, std::string>> objections_to(const config::Fleet& settings, bool reads) {
  std::vector<std::pair<std::string, std::string>> found;
  if (settings.nats_size() == 0) return found;
  bool encrypted = false;
  for (int i = 0; i < settings.nats_size(); ++i) {
    const std::string key = "nats[" + std::to_string(i) + "]";
    if (const auto why = fleet::objection_to_server(settings.nats(i)))
      found.emplace_back(key, "'" + settings.nats(i) + "' " + *why);
    const bool tls = settings.nats(i).starts_with("tls://");
    if (i > 0 && tls != encrypted) found.emplace_back(key, "either all servers have TLS, or none");
    encrypted = tls;
  }
  if (const auto why = fleet::objection_to_token(settings.name())) found.emplace_back("name", *why);
  if (const auto why = fleet::objection_to_token(node_of(settings))) found.emplace_back("node", *why);
  const int ways =
      int{!settings.credentials().empty()} + int{!settings.user().empty()} + int{!settings.token_file().empty()};
  if (ways > 1) found.emplace_back("nats", "one of credentials, user and token_file is enough");
  if (settings.user().empty() != settings.password_file().empty())
    found.emplace_back(settings.user().empty() ? "password_file" : "user", "user and password_file belong together");
  if (settings.cert().empty() != settings.key().empty())
    found.emplace_back(settings.cert().empty() ? "key" : "cert", "cert and key belong together");
  const std::pair<const char*, const std::string&> tls[] = {
      {"ca", settings.ca()}, {"cert", settings.cert()}, {"key", settings.key()}};
  for (const auto& [key, file] : tls)
    if (!file.empty() && !encrypted) found.emplace_back(key, "is for servers with TLS (tls://)");
  if (reads) object_to_files(settings, found);
  return found;
}

std::string this_machine() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
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
