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

void Place::lead_to_server(WorkerRoute& route, const Limits& limits, const net::Address& works_for,
                           bool finds_dialect) {
  finds_dialect_ = finds_dialect;
  end = make_end(route, *this,
                 {.facing = Facing::kServer,
                  .game = *info.game,
                  .dialect = info.dialect,
                  .limits = limits,
                  .finds_dialect = finds_dialect,
                  .works_for = works_for});
}

void Place::lead_to_arena(std::unique_ptr<ArenaEnd> arena) {
  arena_ = arena.get();
  end = std::move(arena);
  up = true;
}

void Place::come_up(Millis now) {
  up = true;
  last_progress = owes_since_ = waits_since_ = said_ = now;
}

void Place::arrive(User& user, Millis now) {
  user_ = &user;
  id = core::kBackId;
  come_up(now);
}

void Place::forget_arena() {
  arena_ = nullptr;
  up = false;
}

std::optional<std::size_t> Place::wanted_dialect() const {
  return finds_dialect_ ? std::nullopt : std::optional(info.dialect);
}

void Place::found(std::size_t dialect) {
  finds_dialect_ = false;
  info.dialect = dialect;
}

void Place::send(WorkerRoute& worker_route, Lane lane, Bytes bytes, WallTime at) {
  if (arena_ == nullptr) return CountedEnd::send(worker_route, lane, {bytes, {}}, at);
  if (end->waiting() == 0) last_progress = worker_route.loop.now();
  end->send(lane, bytes);
}

void Place::open_tap(WorkerRoute& worker_route) const {
  if (worker_route.tap != nullptr) worker_route.tap_opened(info, steady_wall_now());
}

void Place::close_tap(const WorkerRoute& worker_route, std::string_view why, WallTime at) const {
  const bool recorded = up && !finds_dialect_ && arena_ == nullptr;
  if (recorded && worker_route.tap != nullptr) worker_route.tap->closed(info.link, why, at);
}

std::optional<std::string> Place::too_late(Millis now, const Limits& limits) {
  if (paused != 0) said_ = now;  // what it sends is not read
  if (!in_lobby_ && late(now, std::max(owes_since_, said_), limits.ready_ms))
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

// -- From its link ----------------------------------------------------------------------------------------------------

void Place::opened(End&, const core::Peer& peer) {
  if (user_ != nullptr) user_->place_opened(*this, peer);
}

void Place::found(End&, std::optional<std::size_t> dialect) {
  if (user_ != nullptr) user_->place_found(*this, dialect);
}

void Place::received(End&, const Frames& frames) {
  if (user_ != nullptr) user_->place_received(*this, frames);
}

void Place::wrote(End&) {
  if (user_ != nullptr) user_->place_wrote(*this);
}

void Place::departed(End&, const End::Departure& departure) {
  if (user_ != nullptr) user_->place_departed(*this, departure);
}

void Place::over(End&) {
  if (user_ != nullptr) user_->place_closed(*this);
}

// -- Places that were left --------------------------------------------------------------------------------------------

void PastPlaces::keep(std::unique_ptr<Place> place, Millis now) {
  place->part();
  if (places_.size() >= kMostPast) places_.erase(places_.begin());
  places_.push_back(std::move(place));
  since_ = now;
}

bool PastPlaces::tick(Millis now) {
  if (now > since_ + kDestroyAfter) places_.clear();
  return !places_.empty();
}

}  // namespace entente::relay
