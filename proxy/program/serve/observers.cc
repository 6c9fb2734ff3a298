#include "proxy/program/serve/observers.h"

#include <algorithm>
#include <chrono>

#include "adapters/registry.h"
#include "proxy/program/log/say.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/watch/watch_room.h"

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

Outcome<RouteDescription> Observers::describe(const Describer& describer, const RouteDescription& watched,
                                              std::shared_ptr<BotCrowd> crowd,
                                              std::shared_ptr<relay::Broadcast> broadcast) {
  const config::Route& keys = *watched.keys;
  const auto to = parse_servers(std::vector<std::string>(keys.to().begin(), keys.to().end()), games());
  if (!to) return to.error();
  auto made = describer.bots(
      *to, [crowd = std::move(crowd)] { return crowd->next(); }, 1);
  if (!made) return made;
  made->keys = keys;
  made->position = watched.position;
  made->subject += " for the broadcast of " + watched.url;
  made->options.name = made->subject;
  made->options.upstream.policy = watched.options.upstream.policy;
  made->options.upstream.hold_ms = kObserverHolds;
  made->options.upstream.check_ms = kObserverChecks;
  made->options.bridge->broadcast = std::move(broadcast);
  return made;
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

void Observers::give_up() {
  const std::lock_guard lock(mutex_);
  for (const Observer& one : observers_) one.crowd->give_up();
}

void Observers::end_audience(std::size_t room, Millis time) {
  const std::lock_guard lock(mutex_);
  ending_.push_back({room, steady_now() + time});
}

void Observers::stop() {
  give_up();
  work_.reset();
}

Millis Observers::call_again() {
  const std::lock_guard lock(mutex_);
  for (const Observer& one : observers_)
    if (const std::uint32_t due = one.crowd->take_due(); due != 0) service_.server().add_bots(one.number, due);
  const Millis now = steady_now();
  std::erase_if(ending_, [&](const Audience& one) {
    if (one.until > now) return false;
    close_watch_room(service_.server(), one.room);
    return true;
  });
  return kCallEvery;
}

}  // namespace entente
