#include "proxy/program/serve/bot_run.h"

#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <thread>

#include "proxy/net/named_thread.h"
#include "proxy/program/log/say.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

struct Added {
  relay::TapThread* tap;
  std::size_t route;  // as ProxyServer::add numbered it
};

Outcome<Added> add(Service& service, const BotRun& run, const config::Config& config, BotCrowd& crowd) {
  const RouteServers to{run.to, {{run.to.host, run.to.port, run.to.dialect}}};
  auto plays = service.describer(config).bots(
      to, [&crowd] { return crowd.next(); }, run.count);
  if (!plays) return plays.error();
  plays->subject += " for bots";
  const auto tap = service.tap(run.record, run.to.game->name());
  if (!tap) return tap.error();
  const auto added = service.add(std::move(*plays), *tap);
  if (!added) return added.error();
  if (const auto opened = service.open_acceptors(); !opened) return opened.error();
  return Added{*tap, added->route};
}

/// Why a bot was refused or kicked, for the user who started it: names the server's address and the server's reason.
std::string plain(const std::string& why, const Endpoint& to) {
  constexpr std::string_view kServer = "server ";
  if (const std::string_view kicked = "kicked: "; why.starts_with(kicked)) return why.substr(kicked.size());
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    if (why == relay::text(static_cast<relay::Reason>(i)) && why.starts_with(kServer))
      return net::host_and_port(to.host, to.port) + " " + why.substr(kServer.size());
  return why;
}

std::optional<Error> lacks(const relay::TapTotals& tap) {
  const std::uint64_t messages = tap.unrecorded_frames + tap.dropped, bytes = tap.unrecorded_bytes + tap.dropped_bytes;
  if (messages == 0 && bytes == 0) return std::nullopt;
  return Error{
      fmt::format("the recording lacks {} messages; with words and worlds, that is {} bytes", messages, bytes)};
}

}  // namespace

Outcome<BotRunResult> play(const BotRun& run, const config::Config& config, const EachSecond& each_second) {
  BotCrowd crowd({.count = run.count,  // outlives the bots, which live in the service
                  .each = run.each,
                  .make = run.make,
                  .reconnect = run.reconnect,
                  .said = [](const std::string& what) { log_info("{}", what); },
                  .plain = [&run](const std::string& why) { return plain(why, run.to); }});
  if (const auto found = net::resolve(run.to.host, run.to.port); !found && !run.reconnect) return found.error();
  Service service(config);
  const auto added = add(service, run, config, crowd);
  if (!added) {
    service.abandon();
    return added.error();
  }
  relay::TapThread& tap = *added->tap;
  std::thread clock = net::named_thread("clock", [&] {
    for (std::uint32_t second = 1; !crowd.wait(std::chrono::seconds(1)); ++second) {
      if (each_second) each_second(second, tap.totals());
      if (second == run.seconds) break;
      if (const std::uint32_t due = crowd.take_due(); due != 0) service.server().add_bots(added->route, due);
    }
    service.stop();
  });
  (void)service.run();  // fails only in a take-over
  crowd.give_up();
  clock.join();
  if (const auto closed = service.close(); !closed) return closed.error();
  const relay::TapTotals totals = tap.totals();
  if (totals.frames == 0) service.abandon();  // an empty file would block the next try
  return BotRunResult{crowd.sum(), totals, run.record.empty() ? std::nullopt : lacks(totals)};
}

}  // namespace entente
