// The observers of routes that are watched: each joins the server as a spectator, and what it sees is broadcast.
// Law: an observer that was refused, kicked or disconnected reconnects, as `entente bot --reconnect` does.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "proxy/program/serve/bot_crowd.h"
#include "proxy/program/serve/service.h"
#include "proxy/relay/broadcast/broadcast.h"

namespace entente {

class Observers {
 public:
  /// The service outlives it.
  explicit Observers(Service& service) : service_(service) {}
  ~Observers() { stop(); }
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  /// The route by which an observer joins the servers of `route`. The error is one of its URLs.
  static Outcome<Service::NewRoute> route_of(const config::Route& route, std::shared_ptr<BotCrowd> crowd,
                                             std::shared_ptr<relay::Broadcast> broadcast);
  /// A crowd of one bot, the observer.
  static std::shared_ptr<BotCrowd> new_crowd();

  /// Looks after the observer whose route has this number.
  void look_after(std::size_t number, std::shared_ptr<BotCrowd> crowd);
  /// The observer of this route leaves.
  void dismiss(std::size_t number);
  /// From now on, no observer reconnects.
  void stop();

 private:
  struct Observer {
    std::size_t number;
    std::shared_ptr<BotCrowd> crowd;
  };
  void call_again();

  Service& service_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::vector<Observer> observers_;
  std::thread thread_;  // runs while there are any
};

}  // namespace entente
