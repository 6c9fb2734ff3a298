#include "proxy/program/serve.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/command.h"
#include "proxy/program/limits.h"
#include "proxy/program/log.h"
#include "proxy/program/log_events.h"
#include "proxy/program/route.h"
#include "proxy/program/signals.h"
#include "proxy/relay/server.h"

namespace entente {
namespace {

// A session takes two descriptors or three; a shell's soft limit is meant for a person's programs.
void use_all_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Service {
 public:
  explicit Service(const config::Config& config) : config_(config), server_(config.workers(), events_) {}

  /// Everything that can fail before the first player comes.
  Outcome<Done> open() {
    for (const config::Route& route : config_.route())
      if (auto added = add(route); !added) return added;
    return Done{};
  }

  void run() {
    StopOnSignal signals(server_);
    announce();
    server_.run();
  }

  /// What was served, a line a listener.
  void sum_up() const {
    for (const Served& served : served_) {
      const relay::Totals all = server_.totals(served.relay);
      std::printf("served %s sessions=%llu refused=%llu bytes=%llu messages=%llu datagrams=%llu\n", served.name.c_str(),
                  number(all.opened), number(all.refused()), number(all.to_server.bytes + all.to_client.bytes),
                  number(all.to_server.frames + all.to_client.frames),
                  number(all.to_server.datagrams + all.to_client.datagrams));
    }
    std::fflush(stdout);
  }

 private:
  struct Served {
    std::size_t relay;
    std::string name;  // "bzflag 2.4 127.0.0.1:40123"
  };

  static unsigned long long number(std::uint64_t value) { return value; }

  Outcome<Done> add(const config::Route& route) {
    const auto listen = parse_listen(route.listen(), games());
    if (!listen) return listen.error();
    const auto to = parse_to(route.to(), games());
    if (!to) return to.error();
    if (!route.record().empty()) return Error{"recording is not built yet; leave it out"};
    const auto listening = server_.add({.game = listen->game,
                                        .listen_dialect = listen->dialect,
                                        .server_dialect = to->dialect,
                                        .listen = listen->address,
                                        .server_host = to->host,
                                        .server_port = to->port,
                                        .limits = limits_of(config_.limits())});
    if (!listening) return listening.error();
    const std::string name = speech(*listen->game, listen->dialect) + " " + listening->address.text();
    served_.push_back({listening->relay, name});
    if (!listen->named)
      spdlog::info("{} has no dialect in its URL, so its clients are taken to speak {}", route.listen(),
                   speech(*listen->game, listen->dialect));
    return Done{};
  }

  void announce() const {
    for (const Served& served : served_) std::printf("listening %s\n", served.name.c_str());
    std::fflush(stdout);
  }

  const config::Config& config_;
  LogEvents events_;
  relay::Server server_;
  std::vector<Served> served_;
};

int serve_logged(const config::Config& config) {
  use_all_descriptors();
  Service service(config);
  if (const auto opened = service.open(); !opened) {
    std::fprintf(stderr, "entente: %s\n", opened.error().text.c_str());
    return kFailed;
  }
  service.run();
  service.sum_up();
  return kOk;
}

}  // namespace

int serve(const config::Config& config) {
  if (const auto started = start_log(config.log()); !started) {
    std::fprintf(stderr, "entente: %s\n", started.error().text.c_str());
    return kFailed;
  }
  const int code = serve_logged(config);
  stop_log();
  return code;
}

}  // namespace entente
