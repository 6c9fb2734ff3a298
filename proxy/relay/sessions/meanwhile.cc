#include "proxy/relay/sessions/meanwhile.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/sessions/bridge_session.h"

namespace entente::relay {

namespace {

constexpr Millis kArenaAgain = 10'000;  // until a player whom the arena did not take is sent there again
constexpr Millis kForever = UINT64_MAX;

}  // namespace

// -- Into the arena ---------------------------------------------------------------------------------------------------

void Meanwhile::tick() {
  Whereabouts& where = session_.where_;
  const Route& route = where.route().route;
  if (where.is_in_arena_meanwhile()) {
    if (where.next()->dial->holding() && !session_.entered_) where.next()->dial->rest(session_.now() + kAgain);
    return;
  }
  const std::size_t arena = route.while_down_room;
  const Dial* const dial = where.here().dial.get();
  if (!route.options->bridge || !route.options->bridge->while_down || arena == Route::kNoArena) return;
  if (where.here().up || dial == nullptr || !dial->holding()) return;
  if (arena == tried_ && session_.now() < again_) return;
  if (route.upstreams.any_up(session_.now()) || !where.hold.may_begin()) return;
  const core::Room& room = session_.room_.room();
  if (room.transition().takes_another_world() && room.transition().outlives_server())
    enter(arena, *route.options->bridge->while_down);
}

void Meanwhile::enter(std::size_t arena, const BridgeOptions::ArenaPlace& place) {
  Whereabouts& where = session_.where_;
  tried_ = arena;
  auto there = where.make_arena(where.here().info, core::kBackId, arena, place);
  if (there == nullptr) {
    again_ = session_.now() + kAgain;
    return;
  }
  Dial& dial = *where.here().dial;
  if (where.standing() != Standing::kWaits) where.hold.start(dial.waits_until());
  dial.wait_until(kForever);
  if (const Millis next = where.hold.next_try(true); next > session_.now()) dial.rest(next);
  where.enter_arena(std::move(there));
  session_.tell_opened();
  session_.note("no server is up: the player goes to the arena '" + place.arena + "'");
  const auto wait = session_.room_.replace_back(place.back(), {.why = "no server is up", .meanwhile = true});
  if (wait == core::Wait::kNothing || session_.ending_) return;
  session_.room_.back_opened(where.here(), {});
}

void Meanwhile::arrive() {
  Whereabouts& where = session_.where_;
  where.go(Standing::kVisits);
  where.hold.note_in();
  const std::string name = session_.arena_name();
  session_.warn(LogKind::kWaitsForServer,
                session_.who() + ": no server is up; plays in the arena '" + name + "' meanwhile");
  if (session_.info_.game->has_chat())
    session_.announce_in_room("the server is away; you play in the arena '" + name + "' meanwhile");
  session_.tell_new_name();
}

// -- Out of it --------------------------------------------------------------------------------------------------------

bool Meanwhile::lose(const std::string& why) {
  Whereabouts& where = session_.where_;
  const Millis now = session_.now();
  const Millis until = where.here().arena()->entered() ? now + where.hold.most() : where.hold.until();
  if (now >= until || !session_.may_go_on() || !session_.room_.room().transition().outlives_server()) return false;
  auto back = where.back_for(where.server());
  if (back == nullptr) return false;
  const std::string name = session_.arena_name();
  where.hold.set_until(until);
  where.leave_arena();
  again_ = now + kArenaAgain;
  Dial& dial = *where.here().dial;
  dial.wait_until(until);
  if (dial.holding()) dial.rest(where.hold.next_try(false));
  session_.note("the arena '" + name + "' does not keep the player: " + why);
  session_.warn(LogKind::kWaitsForServer, session_.who() + ": the player cannot stay in the arena '" + name + "' (" +
                                              why + "); waits for a server");
  const bool stays = session_.room_.replace_back(std::move(back), {why}) != core::Wait::kNothing;
  if (stays) where.hold.announce(&Texts::server_away);
  return true;
}

void Meanwhile::go_to_server(const core::Peer& peer) {
  if (session_.ending_) return;
  Whereabouts& where = session_.where_;
  auto back = session_.entered_ && session_.room_.room().transition().outlives_server() ? where.back_for(where.server())
                                                                                        : nullptr;
  if (back == nullptr) {  // the player is still on the way into the arena
    where.next()->dial->declined();
    return dial_later(session_.now() + kAgain);
  }
  session_.note("server " + where.server().info.server.text() + " is up: the player leaves the arena");
  where.hold.set_until(session_.now() + where.hold.most());
  where.leave_arena();
  where.here().come_up(session_.now());
  const bool stays = session_.room_.replace_back(std::move(back), {"the server is up"}) != core::Wait::kNothing;
  if (stays && !session_.ending_) where.open(where.here(), peer);
}

void Meanwhile::server_departed(const std::string& why) {
  Whereabouts& where = session_.where_;
  if (!why.empty())
    session_.warn(LogKind::kServer, session_.who() + ": server " + where.server().info.server.text() + ": " + why);
  where.hold.count_loss();
  dial_later(std::max(where.hold.next_try(true), session_.now() + kAgain));
}

void Meanwhile::dial_later(Millis from) {
  Whereabouts& where = session_.where_;
  where.replace_next();
  where.next()->dial->again(where.route(), session_.info_, where.wanted_dialect(), from, kForever);
}

}  // namespace entente::relay
