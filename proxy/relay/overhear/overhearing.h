// Hears what passes on relays whose operator has rules, on a thread of its own: makes words of it, and calls the rules.
// Invariant: a session never waits for it. What it cannot keep up with is missing, and ends the rules of that session
// (OverheardRoom::lose). A session without rules does not know of it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adapters/wire/dissect.h"
#include "proxy/net/enet/enet_dissector.h"
#include "proxy/net/waker.h"
#include "proxy/relay/overhear/overheard_room.h"
#include "proxy/relay/route/route_options.h"
#include "proxy/relay/tap/ring_sink.h"

namespace entente::relay {

class Overhearing {
 public:
  /// `ring_bytes`: for each worker; what waits for the thread.
  explicit Overhearing(std::size_t ring_bytes = std::size_t{8} << 20U);
  ~Overhearing();
  /// It hears nothing if its thread could not be started.
  const Outcome<Done>& started() const { return started_; }
  Overhearing(const Overhearing&) = delete;
  Overhearing& operator=(const Overhearing&) = delete;

  /// For the part of a route on a worker: tells the rules of the route and `other` (may be null) what passes. It lives
  /// as long as this. `route`: its number. REQUIRES: `options` has relay_rules.
  TapSink& sink(std::size_t worker, std::size_t route, std::shared_ptr<const RouteOptions> options, TapSink* other);

  /// Hears the rest, then ends the thread. REQUIRES: the sinks are no longer called.
  void stop();

 private:
  class Both;
  struct Session;
  class Hear;

  void run();
  bool drain(std::size_t entries);
  void take(const Ring::Entry& entry);
  void take_opened(const Ring::Entry& entry);
  void take_bytes(const Ring::Entry& entry);
  void take_gap(const Ring::Entry& entry);
  void tick();
  Session* find(LinkId link);

  const std::size_t ring_bytes_;
  net::Waker waker_;
  std::mutex mutex_;                              // guards the first three, which only grow
  std::vector<std::unique_ptr<RingSink>> rings_;  // by worker
  std::vector<std::unique_ptr<Both>> sinks_;
  std::map<std::size_t, std::shared_ptr<const RouteOptions>> routes_;

  // The thread only.
  std::vector<RingSink*> heard_;
  net::EnetUnpacker unpacker_;
  std::unordered_map<LinkId, std::unique_ptr<Session>> sessions_;

  Outcome<Done> started_ = Done{};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace entente::relay
