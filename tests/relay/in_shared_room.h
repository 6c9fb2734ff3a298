// A shared room without a server, with a listener for each transport. It runs on its own thread.
#pragma once

#include <future>

#include "tests/relay/bridging.h"

namespace entente::testing {

inline const std::string kBye{"\0\x09", 2};

inline std::string said(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

/// A back without a server. It admits every player, repeats each line of chat to all, and answers Toward with a Pose.
class Herald final : public core::Back {
 public:
  /// Called with each intent, on the shared room's thread.
  using Spy = std::function<void(const core::Intent&)>;
  explicit Herald(Spy spy = nullptr) : spy_(std::move(spy)) {}

  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (spy_) spy_(intent);
    if (core::as<words::Enter>(intent) != nullptr) {
      words::Player player;
      player.set_id(intent.by);
      out.say(player);
      out.say(words::Ready());
    } else if (const auto* say = core::as<words::Say>(intent)) {
      answer(*say, intent.by, out);
    } else if (const auto* toward = core::as<words::Toward>(intent)) {
      point(toward->x(), out);
    } else if (core::as<words::Leave>(intent) != nullptr) {
      words::Said gone;
      gone.set_text("gone");
      out.say(gone);
      words::PlayerGone goodbye;
      goodbye.set_id(intent.by);
      out.say(goodbye);
    }
  }
  void tick(core::BackOut& out) override {
    if (pointed_) point(*std::exchange(pointed_, std::nullopt), out);
  }

  std::optional<double> pointed_;  // sent to all at the next tick

 private:
  static void point(double x, core::BackOut& out) {
    words::Pose pose;
    pose.set_unit(1);
    pose.set_x(x);
    out.say(pose);
  }
  static void answer(const words::Say& say, core::Id by, core::BackOut& out) {
    words::Said all;
    all.set_text(say.text());
    if (say.text() == "refuse me") return out.say({by, words::Refused()});
    if (say.text() == "close") return out.close("the herald is tired");
    if (say.text() == "flood") {
      all.set_text(std::string(180, 'x'));
      for (int i = 0; i < 4'000; ++i) out.say(all);
      return;
    }
    out.say(all);
  }

  Spy spy_;
};

class InSharedRoom {
 public:
  explicit InSharedRoom(const Limits& limits = no_limits(), std::size_t workers = 1, relay::Tap* tap = nullptr,
                        std::size_t least = 0, const Herald::Spy& spy = nullptr,
                        decltype(relay::BridgeOptions::front) front = nullptr,
                        const net::Schedule::Clock& nanos = net::Loop::clock(),
                        std::shared_ptr<relay::RuleBook> rules = nullptr)
      : server_(workers, heard, net::look_up_by_system, nanos), front_(std::move(front)) {
    relay::SharedRoomOptions shared_room;
    shared_room.name = "a test";
    shared_room.game = &toy::stream();
    shared_room.back = [spy] { return std::make_unique<Herald>(spy); };
    shared_room.stand_ins.least = least;
    shared_room.chat.every = 0;
    shared_room.tap = tap;
    shared_room.rules = std::move(rules);
    shared_room_ = server_.add_shared_room(shared_room);
    for (const wire::Game* game : {&toy::stream(), &toy::messages(), &toy::game(), &toy::packets()})
      add(*game, limits, tap);
    thread_ = std::thread([this] { server_.run(); });
  }
  ~InSharedRoom() { stop(); }
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void point(double x) {
    server_.order(shared_room_, [x](core::Back& back) { static_cast<Herald&>(back).pointed_ = x; });
  }
  /// Calls `what` on the shared room's thread.
  void order(const std::function<void()>& what) {
    server_.order(shared_room_, [what](core::Back&) { what(); });
  }
  /// How many frames were sent to clients of the TCP listener.
  std::uint64_t told() const { return server_.totals(0).to_client.frames; }
  /// Blocks the room's thread until `over` is ready. Returns once the thread is blocked.
  void hold_up(const std::shared_future<void>& over) {
    std::promise<void> begun;
    server_.order(shared_room_, [&, over](core::Back&) {
      begun.set_value();
      over.wait();
    });
    begun.get_future().wait();
  }
  bool ended(relay::Reason reason, std::uint64_t times = 1) const {
    return eventually([&] { return total(reason) >= times; });
  }
  /// How many sessions are open.
  std::uint64_t now() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) sum += server_.totals(i).current_sessions();
    return sum;
  }
  bool empty() const {
    return eventually([&] { return now() == 0; });
  }
  std::uint64_t total(relay::Reason reason) const {
    std::uint64_t times = 0;
    for (std::size_t i = 0; i < at.size(); ++i) times += server_.totals(i).by(reason);
    return times;
  }
  std::uint64_t throttled() const { return server_.totals(1).throttled; }  // of the WebSocket listener
  std::uint64_t dropped(relay::Drop drop) const { return server_.totals(3).by(drop); }
  std::vector<relay::Attendance::Row> attendance() const { return server_.attendance(shared_room_); }
  std::uint64_t orphaned() const { return server_.orphaned(shared_room_); }

  relay::ProxyServer& server() { return server_; }

  Heard heard;
  std::atomic<bool> asks = false;  ///< clients may return to their seats
  std::vector<net::Address> at;    ///< of the listeners: TCP, WebSocket, TCP with UDP, ENet

 private:
  void add(const wire::Game& game, const Limits& limits, relay::Tap* tap) {
    relay::RouteOptions options;
    options.game = &game;
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.limits = limits;
    options.tap = tap;
    options.bridge.emplace();
    options.bridge->server_game = &game;
    options.bridge->front = [&game, this](std::size_t dialect) {
      if (front_) return front_(dialect);
      return asks ? toy::make_asking_front(game) : toy::make_front(game);
    };
    options.bridge->shared_room = shared_room_;
    const auto listening = server_.add(options);
    REQUIRE_MESSAGE(listening.ok(), (listening.ok() ? "" : listening.error().text));
    at.push_back(listening->address);
  }

  relay::ProxyServer server_;
  const decltype(relay::BridgeOptions::front) front_;  // null: the toy game's
  std::size_t shared_room_ = 0;
  std::thread thread_;
};

}  // namespace entente::testing
