#include "proxy/program/config/name_check.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/base/host_port.h"
#include "proxy/program/config/fleet_settings.h"
#include "proxy/program/settings/endpoint.h"

namespace entente {
namespace {

constexpr std::chrono::seconds kLookUpsTake{5};

/// A name, and the key that has it.
struct NamedHost {
  std::string key, host;
  const char* without;  // what happens if the name has no address
};

/// The host of "nats://host:port"; empty: it has none.
std::string host_of_nats(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos) return "";
  const auto at = split_host_port(url.substr(scheme + 3));
  return at ? std::string(at->host) : "";
}

std::vector<NamedHost> hosts_of(const config::Config& config) {
  std::vector<NamedHost> all;
  const auto add = [&](std::string key, const std::string& host, const char* without) {
    if (!host.empty() && !net::Address::parse(host, 0)) all.push_back({std::move(key), host, without});
  };
  for (int i = 0; i < config.fleet().nats_size(); ++i)
    add("fleet.nats[" + std::to_string(i) + "]", host_of_nats(config.fleet().nats(i)),
        "the node cannot use this NATS server");
  for (int i = 0; i < config.route_size(); ++i)
    for (int j = 0; j < config.route(i).to_size(); ++j)
      if (const auto to = parse_endpoint(config.route(i).to(j), games(), EndpointRole::kTo))
        add("route[" + std::to_string(i) + "].to[" + std::to_string(j) + "]", to->host,
            "no player gets to this server until its name is found");
  return all;
}

/// Looks them up at once. The result: why a name has no address; empty: it has one.
std::map<std::string, std::string> look_up_all(const std::vector<NamedHost>& hosts, net::LookUp look_up) {
  std::mutex mutex;
  std::condition_variable news;
  std::uint64_t answers = 0;
  const auto answered = [&] {
    const std::lock_guard lock(mutex);
    ++answers;
    news.notify_one();
  };
  net::HostNames names(answered, std::move(look_up));
  std::map<std::string, std::shared_ptr<net::HostNames::Host>> all;
  for (const NamedHost& one : hosts)
    if (auto& host = all[one.host]; host == nullptr) {
      host = names.host(one.host);
      (void)host->look_up(steady_now());
    }
  std::unique_lock lock(mutex);
  (void)news.wait_for(lock, kLookUpsTake, [&] { return answers == all.size(); });
  lock.unlock();
  std::map<std::string, std::string> why;
  for (const auto& [name, host] : all)
    why[name] = host->answers() == 0 ? "no name server answered in time for '" + name + "'" : host->why();
  return why;
}

}  // namespace

std::vector<std::string> names_not_found(const LoadedConfig& loaded, net::LookUp look_up) {
  const std::vector<NamedHost> hosts = hosts_of(loaded.config);
  if (hosts.empty()) return {};
  const auto why = look_up_all(hosts, std::move(look_up));
  std::vector<std::string> found;
  for (const NamedHost& one : hosts)
    if (!why.at(one.host).empty())
      found.push_back(loaded.places.before(one.key) + "warning: " + why.at(one.host) + "; " + one.without);
  return found;
}

}  // namespace entente
