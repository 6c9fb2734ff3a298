#include "proxy/program/monitor/health.h"

namespace entente {
namespace {

constexpr Millis kLoopPatience = 1'000;
constexpr unsigned kHttpOk = 200, kHttpUnavailable = 503;

net::HttpAnswer plain(unsigned status, const std::string& text) {
  return {status, "text/plain; charset=utf-8", text + "\n"};
}

}  // namespace

net::HttpAnswer live_answer(const relay::ProxyServer& server) {
  if (server.is_alive(kLoopPatience)) return plain(kHttpOk, "live");
  return plain(kHttpUnavailable, "a worker has not turned its loop for " + std::to_string(kLoopPatience) + " ms");
}

net::HttpAnswer ready_answer(const relay::ProxyServer& server, const std::vector<const ListedRoute*>& routes,
                             bool serving) {
  if (!serving) return plain(kHttpUnavailable, "starting");
  if (server.stopping()) return plain(kHttpUnavailable, "stopping");
  std::vector<const ListedRoute*> draining;
  for (const ListedRoute* route : routes)
    if (server.is_draining(route->named.number)) draining.push_back(route);
  if (!draining.empty()) return plain(kHttpUnavailable, "draining: " + names_of(draining));
  const net::HttpAnswer live = live_answer(server);
  return live.status == kHttpOk ? plain(kHttpOk, "ready") : live;
}

net::HttpAnswer index_page() {
  return {kHttpOk, "text/html; charset=utf-8",
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Entente</title></head>\n<body>\n"
          "<h1>Entente " ENTENTE_VERSION
          "</h1>\n<ul>\n"
          "<li><a href=\"/metrics\">/metrics</a>: metrics for Prometheus</li>\n"
          "<li><a href=\"/live\">/live</a>: 200 while the program works</li>\n"
          "<li><a href=\"/ready\">/ready</a>: 200 while it takes newcomers</li>\n"
          "</ul>\n</body>\n</html>\n"};
}

}  // namespace entente
