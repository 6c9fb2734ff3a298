// The observers of routes that are watched: each joins the server as a spectator, and what it sees is broadcast.
// Invariant: an observer that was refused, kicked or disconnected reconnects, as `entente bot --reconnect` does.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "proxy/program/base/housekeeping.h"
#include "proxy/program/serve/bot_crowd.h"
#include "proxy/program/serve/description.h"
#include "proxy/program/serve/service.h"
#include "proxy/relay/broadcast/broadcast.h"

namespace entente {

class Observers {
 public:
  /// Both outlive it.
  Observers(Service& service, Housekeeping& thread) : service_(service), thread_(thread) {}
  ~Observers() { stop(); }
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  /// The route by which an observer joins the servers of the route `watched`.
  static Outcome<RouteDescription> describe(const Describer& describer, const RouteDescription& watched,
                                            std::shared_ptr<BotCrowd> crowd,
                                            std::shared_ptr<relay::Broadcast> broadcast);
  /// A crowd of one bot, the observer.
  static std::shared_ptr<BotCrowd> new_crowd();

  /// Looks after the observer whose route has this number.
  void look_after(std::size_t number, std::shared_ptr<BotCrowd> crowd);
  /// The observer of this route leaves.
  void dismiss(std::size_t number);
  /// From now on, no observer reconnects. From any thread.
  void give_up();
  /// After this time, the audience in this room is sent away. From any thread.
  void end_audience(std::size_t room, Millis time);
  /// The same as give_up(). Returns when none is being looked after any more.
  void stop();

 private:
  struct Observer {
    std::size_t number;
    std::shared_ptr<BotCrowd> crowd;
  };
  struct Audience {
    std::size_t room;
    Millis until;
  };
  Millis call_again();

  Service& service_;
  Housekeeping& thread_;
  std::mutex mutex_;
  std::vector<Observer> observers_;
  std::vector<Audience> ending_;
  std::optional<Housekeeping::Work> work_;  // from the first one on
};

}  // namespace entente
