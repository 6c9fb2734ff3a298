#include "proxy/relay/sessions/server_side.h"

#include <algorithm>

namespace entente::relay {

namespace {

constexpr Millis kDestroyAfter = 1'000;  // more than a turn of the loop
constexpr Millis kSlow = 10'000;         // then the log says that a player waits; or after half of ready_ms
constexpr std::size_t kMostPast = 8;     // more than are replaced in a turn of the loop

std::string within(std::uint32_t ms) {
  return " within " + (ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms");
}

}  // namespace

void ServerSide::begin(NewEnd first) {
  end = std::move(first.end);
  finds_dialect_ = first.finds_dialect;
  if (plays_) end->set_priority(net::Priority::kPlayer);
}

void ServerSide::replace(NewEnd next, Millis now) {
  go_down();
  hang_up_and_keep(std::move(end), now);
  begin(std::move(next));
}

void ServerSide::move_to(std::unique_ptr<End> next, const LinkInfo& next_link, ArenaEnd* arena, Millis now) {
  go_down();
  keep_parting(std::move(end), now);
  begin({std::move(next), false});
  arena_ = arena;
  info = next_link;
  come_up(now);
}

void ServerSide::enter_arena(std::unique_ptr<ArenaEnd> arena, Millis now) {
  next_ = {std::move(end), std::exchange(finds_dialect_, false)};
  arena_ = arena.get();
  end = std::move(arena);
  come_up(now);
}

void ServerSide::leave_arena(Millis now) {
  arena_ = nullptr;
  replace(std::move(next_), now);
}

void ServerSide::forget_arena() {
  arena_ = nullptr;
  up = false;
}

void ServerSide::replace_next(NewEnd next, Millis now) {
  hang_up_and_keep(std::move(next_.end), now);
  next_ = std::move(next);
}

void ServerSide::come_up(Millis now) {
  up = true;
  last_progress = owes_since_ = waits_since_ = said_ = now;
}

void ServerSide::go_down() {
  up = in_lobby_ = false;
  paused = 0;
}

void ServerSide::hang_up_and_keep(std::unique_ptr<End> lost, Millis now) {
  lost->hang_up();
  keep_parting(std::move(lost), now);
}

void ServerSide::keep_parting(std::unique_ptr<End> parting, Millis now) {
  if (past_.size() >= kMostPast) past_.erase(past_.begin());
  past_.push_back(std::move(parting));
  past_since_ = now;
}

bool ServerSide::tick(Millis now) {
  if (now > past_since_ + kDestroyAfter) past_.clear();
  return !past_.empty();
}

void ServerSide::close_tap(const WorkerRoute& worker_route, std::string_view why, WallTime at) const {
  const bool recorded = up && !finds_dialect_ && arena_ == nullptr;
  if (recorded && worker_route.tap != nullptr) worker_route.tap->closed(info.link, why, at);
}

std::optional<std::size_t> ServerSide::wanted_dialect() const {
  const bool any = next_.end != nullptr ? next_.finds_dialect : finds_dialect_;
  return any ? std::nullopt : std::optional(info.dialect);
}

void ServerSide::found(std::size_t dialect) {
  finds_dialect_ = false;
  info.dialect = dialect;
}

void ServerSide::hang_up() {
  end->hang_up();
  if (next_.end != nullptr) next_.end->hang_up();
}

void ServerSide::play() {
  plays_ = true;
  end->set_priority(net::Priority::kPlayer);
}

std::optional<std::string> ServerSide::too_late(Millis now, const Limits& limits) {
  if (paused != 0) said_ = now;  // what it sends is not read
  if (!in_lobby_ && late(now, std::max(owes_since_, said_), limits.ready_ms))
    return "the server did not answer" + within(limits.ready_ms);
  if (late(now, owes_since_, limits.lobby_ms)) return "the server did not let the player in" + within(limits.lobby_ms);
  return std::nullopt;
}

bool ServerSide::is_newly_slow(Millis now, const Limits& limits) {
  const Millis after = limits.ready_ms != 0 ? std::min<Millis>(kSlow, limits.ready_ms / 2) : kSlow;
  if (waits_since_ == 0 || now < waits_since_ + after) return false;
  waits_since_ = 0;
  return true;
}

}  // namespace entente::relay
