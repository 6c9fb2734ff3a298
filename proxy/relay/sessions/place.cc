#include "proxy/relay/sessions/place.h"

#include <algorithm>
#include <utility>

#include "proxy/base/steady_wall.h"

namespace entente::relay {

namespace {

constexpr Millis kDestroyAfter = 1'000;  // more than a turn of the loop
constexpr Millis kSlow = 10'000;         // then the log says that a player waits; or after half of ready_ms
constexpr std::size_t kMostPast = 8;     // more than are left in a turn of the loop

std::string within(std::uint32_t ms) {
  return " within " + (ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms");
}

}  // namespace

Place::Place(const LinkInfo& link, core::Id back, std::unique_ptr<End> to, std::unique_ptr<Dial> its_dial,
             bool finds_dialect)
    : CountedEnd(Facing::kServer, link_), dial(std::move(its_dial)), link_(link), finds_dialect_(finds_dialect) {
  id = back;
  info.has_room = true;
  end = std::move(to);
}

Place::Place(const LinkInfo& link, core::Id back, std::unique_ptr<ArenaEnd> to)
    : Place(link, back, nullptr, nullptr, false) {
  arena_ = to.get();
  end = std::move(to);
  counted = false;
}

void Place::come_up(Millis now) {
  CountedEnd::come_up();
  last_progress = owes_since_ = waits_since_ = said_ = now;
}

std::optional<std::size_t> Place::wanted_dialect() const {
  return finds_dialect_ ? std::nullopt : std::optional(info.dialect);
}

void Place::speak(std::size_t dialect) {
  if (!std::exchange(finds_dialect_, false)) end->set_peer_dialect(dialect);
  info.dialect = dialect;
}

void Place::open_tap(WorkerRoute& worker_route) const {
  if (worker_route.tap != nullptr) worker_route.tap_opened(info, steady_wall_now());
}

void Place::close_tap(const WorkerRoute& worker_route, std::string_view why, WallTime at) const {
  const bool recorded = up && !finds_dialect_ && arena_ == nullptr;
  if (recorded && worker_route.tap != nullptr) worker_route.tap->closed(info.link, why, at);
}

std::optional<std::string> Place::too_late(Millis now, const Limits& limits) {
  if (pauses.any()) said_ = now;                               // what it sends is not read
  const Millis heard = std::max(said_, end->last_received());  // a large world is one message
  if (!in_lobby_ && late(now, std::max(owes_since_, heard), limits.ready_ms))
    return "the server did not answer" + within(limits.ready_ms);
  if (late(now, owes_since_, limits.lobby_ms)) return "the server did not let the player in" + within(limits.lobby_ms);
  return std::nullopt;
}

bool Place::is_newly_slow(Millis now, const Limits& limits) {
  const Millis after = limits.ready_ms != 0 ? std::min<Millis>(kSlow, limits.ready_ms / 2) : kSlow;
  if (waits_since_ == 0 || now < waits_since_ + after) return false;
  waits_since_ = 0;
  return true;
}

// -- Places that were left --------------------------------------------------------------------------------------------

void PastPlaces::keep(std::unique_ptr<Place> place, Millis now) {
  if (place->dial != nullptr) place->dial->leave_server();
  if (places_.size() >= kMostPast) places_.erase(places_.begin());
  places_.push_back(std::move(place));
  since_ = now;
}

void PastPlaces::tick(Millis now) {
  if (now > since_ + kDestroyAfter) places_.clear();
}

}  // namespace entente::relay
