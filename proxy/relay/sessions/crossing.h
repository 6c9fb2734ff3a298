// A move of a bridge's player to another route: the link to the next server, or the passage into an arena, while the
// player goes on where it is (bridge_session_move.cc).
// Law: it answers the order. It is not destroyed in a callback of its end or its dial.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/relay/admission/admission.h"
#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/ends/dial.h"
#include "proxy/relay/move_order.h"
#include "proxy/relay/sessions/bridge_options.h"
#include "proxy/relay/sessions/counted_end.h"

namespace entente::relay {

struct Crossing {
  Crossing(std::shared_ptr<MoveOrder> its_order, WorkerRoute& its_to, MovedPlace its_place, Dial::User& user,
           const LinkInfo& its_info, Millis now)
      : order(std::move(its_order)),
        to(its_to),
        ref(its_to.route),
        admission_place(std::move(its_place)),
        info(its_info),
        dial(user),
        began(now) {}
  ~Crossing() { order->answer_stays("the session has ended"); }
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

  enum class State : std::uint8_t { kUnderWay, kMoved, kFailed };

  const std::shared_ptr<MoveOrder> order;
  WorkerRoute& to;
  Route::Ref ref;
  MovedPlace admission_place;
  LinkInfo info;  ///< of the next link
  CountedEnd next{Facing::kServer, info};
  Dial dial;
  const Millis began;
  Millis tries_since = began;     ///< since when it has not waited for a server or a seat
  ArenaEnd* arena_end = nullptr;  ///< `next`'s end, if it leads into an arena
  bool waits = false;             ///< the operator was told that the player waits for a server or a seat
  bool finding = false;           ///< the next server's dialect is being detected
  State state = State::kUnderWay;
  std::string why = {};      ///< why it failed
  bool other_world = false;  ///< it failed because the client would have to join anew
};

}  // namespace entente::relay
