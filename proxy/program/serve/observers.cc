#include "proxy/program/serve/observers.h"

#include <algorithm>
#include <chrono>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/program/log/say.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/web.h"

namespace entente {
namespace {

/// How long an observer waits for its server before it joins anew, and how often the server is looked for meanwhile.
constexpr Millis kObserverHolds = 86'400'000, kObserverChecks = 2'000;
constexpr Millis kCallEvery = 250;  // how often observers that are due join anew

}  // namespace

std::shared_ptr<BotCrowd> Observers::new_crowd() {
  core::BotOptions each;
  each.name = "broadcast";
  each.behaviour = core::Behaviour::kWatch;
  return std::make_shared<BotCrowd>(BotCrowd::Options{
      .each = each, .reconnect = true, .said = [](const std::string& what) { log_info("broadcast: {}", what); }});
}

Outcome<Service::NewRoute> Observers::route_of(const config::Route& route, std::shared_ptr<BotCrowd> crowd,
                                               std::shared_ptr<relay::Broadcast> broadcast) {
  const auto to = parse_servers(std::vector<std::string>(route.to().begin(), route.to().end()), games());
  if (!to) return to.error();
  const auto web = web_options(WebSocketSettings{}, to->first.web.value_or(WebSocketSettings{}));
  if (!web) return web.error();
  relay::RouteOptions options;
  options.game = &native::game();
  options.servers = to->servers;
  options.upstream.policy = static_cast<relay::Policy>(route.policy());
  options.upstream.hold_ms = kObserverHolds;
  options.upstream.check_ms = kObserverChecks;
  options.web = *web;
  options.send_proxy = to->first.send_proxy;
  options.bridge.emplace();
  options.bridge->server_game = to->first.game;
  options.bridge->front = [crowd = std::move(crowd)](std::size_t) { return crowd->next(); };
  options.bridge->back = back_maker(to->first);
  options.bridge->bots = 1;
  options.bridge->broadcast = std::move(broadcast);
  return Service::NewRoute{std::move(options), dialect_text(to->first) + " for the broadcast of " + route.listen()};
}

void Observers::look_after(std::size_t number, std::shared_ptr<BotCrowd> crowd) {
  const std::lock_guard lock(mutex_);
  observers_.push_back({number, std::move(crowd)});
  if (!work_) work_.emplace(thread_, [this] { return call_again(); });
}

void Observers::dismiss(std::size_t number) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(observers_.begin(), observers_.end(), [&](const Observer& one) { return one.number == number; });
  if (found == observers_.end()) return;
  found->crowd->give_up();
  observers_.erase(found);
  service_.server().end_sessions(number, "");
}

void Observers::stop() {
  {
    const std::lock_guard lock(mutex_);
    for (const Observer& one : observers_) one.crowd->give_up();
  }
  work_.reset();
}

Millis Observers::call_again() {
  const std::lock_guard lock(mutex_);
  for (const Observer& one : observers_)
    if (const std::uint32_t due = one.crowd->take_due(); due != 0) service_.server().add_bots(one.number, due);
  return kCallEvery;
}

}  // namespace entente
