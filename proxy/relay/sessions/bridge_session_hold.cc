// A bridge's player whose server is lost: waits for the next one, in an arena meanwhile if the route has one.
#include <algorithm>

#include "proxy/relay/sessions/bridge_session.h"

namespace entente::relay {

namespace {

constexpr const char* kServerIsAway = "the server is away; waiting for it";
constexpr const char* kServerIsFull = "the server is full; waiting for a seat";
constexpr const char* kServerIsBack = "back on the server";
constexpr unsigned kMostLostOutside = 3;  // servers in a row that a player loses before it was ever let in
constexpr Millis kArenaAgain = 10'000;    // until a player whom the arena did not take is sent there again
constexpr Millis kLeaveWithin = 10'000;   // from a drained server to another one
constexpr Millis kForever = UINT64_MAX;

}  // namespace

// -- A lost server ----------------------------------------------------------------------------------------------------

/// Whether the player could go on with another server: it was not turned away, and the session is not ending.
bool BridgeSession::may_go_on() const { return room_ && !turned_away_ && !reason_ && !ending_; }

/// Also without hold_s, a player may go from a drained server to another one.
Millis BridgeSession::hold_ms() const {
  return std::max(player_route().route.upstreams.rules().hold_ms, leaves_drained_ ? kLeaveWithin : 0);
}

const std::optional<BridgeOptions::ArenaPlace>& BridgeSession::while_down() const {
  static const std::optional<BridgeOptions::ArenaPlace> kNone;
  const Route& route = player_route().route;
  return route.options->bridge ? route.options->bridge->while_down : kNone;
}

bool BridgeSession::may_outlive_server() const {
  return may_go_on() && hold_ms() != 0 && (!hold_.on() || !hold_.is_over(now()));
}

bool BridgeSession::await_next_server(std::string_view why, core::Wait) {
  if (!may_outlive_server()) return note_answer(false);
  stop_why_ = why;
  return note_answer(true);
}

/// The server is lost, or has no seat: its player waits for it, or for another one, if the route says so. False: the
/// session ends.
bool BridgeSession::outlives_server(const std::string& why, std::uint32_t code) {
  if (moved_to_.arena) return leave_arena_moved_to(), outlives_server(why, code);
  if (visits()) return lose_arena(why);
  if (!may_outlive_server() || !room_->transition().outlives_server()) return false;
  if (!plays_ && hold_.on() && hold_.lost() >= kMostLostOutside) return false;
  auto back = fresh_back();
  if (back == nullptr) return false;
  const std::string server = here_->info.server.text();
  here_->close_tap(*worker_route_, why, wall());
  go_on_at(make_next_server());
  const core::Wait wait = replace_back(std::move(back), {why, code});
  if (wait == core::Wait::kNothing || ending_) return true;
  hold_.begin(now(), hold_ms());
  if (wait == core::Wait::kPlayerSlot)
    dial_.server_is_full(now());
  else
    hold_.count_loss();
  tell_wait(wait, server, why);
  if (ending_) return true;
  const Millis from = wait == core::Wait::kPlayerSlot ? now() : hold_.next_try(now(), false);
  dial_.again(player_route(), info_, wanted_dialect(), from, hold_.until());
  return true;
}

bool BridgeSession::leave_server(std::string_view server, std::string_view why) {
  if (ending_ || visits() || moved_to_.arena || hold_.on() || dial_.server_name() != server) return false;
  const Upstreams& upstreams = player_route().route.upstreams;
  leaves_drained_ = upstreams.choose(info_.client, now(), {}, here_->wanted_dialect(), true) != nullptr;
  if (!outlives_server("the server is drained", 0)) end_drained(why);
  return true;
}

/// What the player waits for; kNothing: the room ends.
core::Wait BridgeSession::replace_back(std::unique_ptr<core::Back> back, const core::ServerLoss& loss) {
  auto wait = core::Wait::kNothing;
  call_room([&](RecordedRoom& room, core::Micros at) {
    auto face = loss.meanwhile ? trace::Face() : server_face(here_->info, player_route().route);  // an arena has none
    wait = room.replace_back(std::move(back), std::move(face), loss, at);
    stop_why_.reset();  // set during this call, and done
  });
  if (wait == core::Wait::kNothing) set_reason(Reason::kServerDeclined, loss.why);
  return wait;
}

/// Tells the operator and the player, once for each thing that the player waits for.
void BridgeSession::tell_wait(core::Wait wait, const std::string& server, const std::string& why) {
  if (std::exchange(told_wait_, wait) == wait) return;
  begin_hold();
  const std::string limit = " for up to " + std::to_string(hold_ms() / 1000) + " s";
  if (wait == core::Wait::kPlayerSlot) {
    note("server " + server + " is full; the player waits for a seat");
    worker_route_->log_info(LogKind::kWaitsForServer,
                            who() + ": server " + server + " is full; waits for a seat" + limit, about());
  } else if (leaves_drained_) {
    note("server " + server + " is drained; the player goes to another one");
    worker_route_->log_info(LogKind::kWaitsForServer, who() + ": server " + server + " is drained; goes to another one",
                            about());
  } else {
    note("server " + server + " is lost (" + why + "); the player waits for it");
    worker_route_->log_warning(LogKind::kWaitsForServer,
                               who() + ": server " + server + " is lost (" + why + "); waits for it" + limit, about());
  }
  if (info_.game->has_chat())
    announce_in_room(wait == core::Wait::kPlayerSlot ? its_text(&Texts::server_full, kServerIsFull)
                                                     : its_text(&Texts::server_away, kServerIsAway));
}

void BridgeSession::begin_hold() {
  if (!std::exchange(held_, true)) worker_route_->counters.held.add();
}

void BridgeSession::end_hold() {
  if (std::exchange(held_, false)) worker_route_->counters.holds_ended.add();
}

/// The player is in, or in again.
void BridgeSession::come_back() {
  const Millis away = hold_.end(now());
  leaves_drained_ = false;
  end_hold();
  told_wait_ = core::Wait::kNothing;
  dial_.leave_queue();
  const std::string server = here_->info.server.text();
  if (!std::exchange(was_in_, true)) {
    note("in on server " + server + " after " + std::to_string(away) + " ms");
    worker_route_->log_info(LogKind::kBackOnServer,
                            who() + ": joined server " + server + " after waiting " + std::to_string(away) + " ms",
                            about());
    return set_alarm(wakes_at());
  }
  worker_route_->counters.brought_back.add();
  note("back on server " + server + " after " + std::to_string(away) + " ms");
  worker_route_->log_info(LogKind::kBackOnServer,
                          who() + ": back on server " + server + " after " + std::to_string(away) + " ms", about());
  if (info_.game->has_chat())
    announce_in_room(its_text(&Texts::server_back, kServerIsBack));
  else
    set_alarm(wakes_at());
}

// -- In an arena meanwhile --------------------------------------------------------------------------------------------

std::string BridgeSession::arena_name() const {
  if (moved_to_.arena) return moved_to_.arena->arena;
  return visits() ? while_down()->arena : "";
}

/// No server can be reached: the player plays in the route's arena meanwhile, if the arena takes it. A player who has
/// not been on a server yet may go there, too.
void BridgeSession::enter_arena() {
  const Route& route = player_route().route;
  const auto& place = while_down();
  const std::size_t arena = route.while_down_room;
  if (!place || arena == Route::kNoArena || visits() || here_->up || !dial_.holding()) return;
  if (arena == visit_.tried && now() < visit_.again) return;
  if (route.upstreams.any_up(now())) return;
  if (!may_outlive_server() || !room_->transition().takes_another_world() || !room_->transition().outlives_server())
    return;
  visit_.tried = arena;
  auto place_there = std::make_unique<Place>(static_cast<Place::User&>(*this), here_->info, core::kBackId);
  auto passage = owner_.visit(*this, place_there->end_user(), arena, place->front);
  if (passage == nullptr) {
    visit_.again = now() + kNextAgain;
    return;
  }
  place_there->lead_to_arena(std::move(passage));
  place_there->come_up(now());
  beside_ = std::exchange(here_, std::move(place_there));
  visit_.unannounced = true;
  begin_hold();
  visit_.held_until = dial_.waits_until();
  hold_.resume(now(), visit_.held_until);
  dial_.wait_until(kForever);
  if (const Millis next = hold_.next_try(now(), true); next > now()) dial_.rest(next);
  tell_opened();
  note("no server is up: the player goes to the arena '" + place->arena + "'");
  if (replace_back(place->back(), {.why = "no server is up", .meanwhile = true}) == core::Wait::kNothing || ending_)
    return;
  call_room([&](RecordedRoom& room, core::Micros at) { room.back_opened(core::kBackId, {}, 0, false, at); });
}

/// The player is in the arena.
void BridgeSession::tell_arena() {
  visit_.unannounced = false;
  was_in_ = true;
  const std::string& name = while_down()->arena;
  worker_route_->log_warning(LogKind::kWaitsForServer,
                             who() + ": no server is up; plays in the arena '" + name + "' meanwhile", about());
  if (info_.game->has_chat())
    announce_in_room("the server is away; you play in the arena '" + name + "' meanwhile");
  else
    set_alarm(wakes_at());
}

void BridgeSession::leave_arena(Millis hold_until) {
  go_on_at(std::move(beside_));
  visit_.unannounced = false;
  hold_.resume(now(), hold_until);
}

/// The arena has no place for the player, or ends. The player waits for a server as without an arena. False: the
/// session ends. A player who was not let in there gets no more time to wait.
bool BridgeSession::lose_arena(const std::string& why) {
  if (moved_to_.arena) return outlives_server(why, 0);
  const Millis until = here_->arena()->entered() ? now() + hold_ms() : visit_.held_until;
  if (now() >= until || !may_go_on() || !room_->transition().outlives_server()) return false;
  auto back = fresh_back();
  if (back == nullptr) return false;
  const std::string name = arena_name();
  leave_arena(until);
  visit_.again = now() + kArenaAgain;
  dial_.wait_until(until);
  if (dial_.holding()) dial_.rest(hold_.next_try(now(), false));
  note("the arena '" + name + "' does not keep the player: " + why);
  worker_route_->log_warning(
      LogKind::kWaitsForServer,
      who() + ": the player cannot stay in the arena '" + name + "' (" + why + "); waits for a server", about());
  const bool stays = replace_back(std::move(back), {why}) != core::Wait::kNothing;
  if (stays && !ending_ && info_.game->has_chat()) announce_in_room(its_text(&Texts::server_away, kServerIsAway));
  return true;
}

/// A server has accepted the connection: the player leaves the arena.
void BridgeSession::go_to_server(const core::Peer& peer) {
  if (ending_) return;
  auto back = entered_ && room_->transition().outlives_server() ? fresh_back() : nullptr;
  if (back == nullptr) {  // the player is still on the way into the arena
    dial_.declined();
    return dial_next_later(now() + kNextAgain);
  }
  note("server " + server().info.server.text() + " is up: the player leaves the arena");
  leave_arena(now() + hold_ms());
  here_->come_up(now());
  const bool stays = replace_back(std::move(back), {"the server is up"}) != core::Wait::kNothing;
  if (stays && !ending_) open_back(peer);
}

/// The next server was not reached, or does not want the connection. The player stays in the arena.
void BridgeSession::next_departed(const End::Departure& departure) {
  if (ending_ || !dial_.under_way()) return;
  if (departure.how == End::Departure::How::kBroke) return dial_.failed(departure.error);
  dial_.declined();
  if (!departure.why.empty())
    worker_route_->log_warning(LogKind::kServer,
                               who() + ": server " + server().info.server.text() + ": " + departure.why, about());
  hold_.count_loss();
  dial_next_later(std::max(hold_.next_try(now(), true), now() + kNextAgain));
}

void BridgeSession::dial_next_later(Millis from) {
  beside_->end->hang_up();
  keep_past(std::exchange(beside_, make_next_server()));
  dial_.again(player_route(), info_, wanted_dialect(), from, kForever);
}

}  // namespace entente::relay
