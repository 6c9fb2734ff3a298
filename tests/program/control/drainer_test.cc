// Drains of servers and routes: when their players have to leave.
#include "proxy/program/control/drainer.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "adapters/panic/panic.h"
#include "proxy/base/steady_wall.h"
#include "proxy/program/config/config.h"
#include "proxy/program/control/control_record.h"
#include "proxy/program/serve/taps.h"
#include "tests/relay/toy.h"

namespace entente::drainer_test {
namespace {

using testing::FakeServer, testing::Stream;

/// A relay of the toy game in front of two servers, of which newcomers get the first.
struct Pair : testing::Serving {
  Pair() : Serving(1) { serve_all(options(), testing::no_limits()); }
  ~Pair() { stop(); }
  relay::RouteOptions options() const {
    relay::RouteOptions both;
    both.game = &toy::game();
    both.listen = testing::loopback();
    both.servers.clear();
    for (const FakeServer* one : {&first, &second})
      both.servers.push_back({one->address().ip_text(), one->address().port(), 0});
    return both;
  }
  Stream join(const FakeServer& at) {
    Stream client = Stream::to(address);
    client.send(testing::kHello);
    links.push_back(at.accept());
    CHECK(links.back().read_text(4) == testing::kHello);
    return client;
  }

  FakeServer first{true}, second{true};
  std::vector<Stream> links;
};

TEST_CASE("players of a server stay if it is no longer drained when its time is over") {
  Pair pair;
  Housekeeping thread("housekeeping");
  Drainer drainer(pair.server(), 0, thread);
  const std::string first = pair.server().servers(0)[0].name, second = pair.server().servers(0)[1].name;
  constexpr Millis kTime = 4'000;
  const Stream anna = pair.join(pair.first);
  drainer.drain_server(first, std::nullopt);
  const Stream ben = pair.join(pair.second);
  drainer.drain_server(first, kTime);
  CHECK(drainer.undrain_server(first) == 1);
  drainer.drain_server(second, kTime + 100);
  CHECK(pair.ended(relay::Reason::kDrained));  // ben: by now, the time of the first server is over, too
  CHECK(pair.sessions().size() == 1);
  anna.send(testing::frame("still here"));
  CHECK(pair.links[0].read(testing::frame("still here").size()) == testing::frame("still here"));
}

/// A player on each server. The route of both can be drained, and "ben" shows when a time is over.
struct Players : Pair {
  Players() {
    drainer.add(0, "ctf");
    drainer.drain_server(server().servers(0)[0].name, std::nullopt);
    ben.emplace(join(second));
    drainer.undrain_server(server().servers(0)[0].name);
    anna.emplace(join(first));
  }
  /// Waits until all times of `kTime` that have begun are over.
  void wait() {
    drainer.drain_server(server().servers(0)[1].name, kTime + 100);
    CHECK(ended(relay::Reason::kDrained));
  }
  void check_anna() const {
    CHECK(sessions().size() == 1);
    anna->send(testing::frame("still here"));
    CHECK(links[1].read(testing::frame("still here").size()) == testing::frame("still here"));
  }

  static constexpr Millis kTime = 4'000;
  Housekeeping thread{"housekeeping"};
  Drainer drainer{server(), 0, thread};
  std::optional<Stream> anna, ben;
};

TEST_CASE("players of a route that a reload has removed stay if it is no longer drained when its time is over") {
  Players its;
  its.drainer.retire(0, std::nullopt, [] {});
  its.drainer.drain(0, Players::kTime);
  CHECK(its.drainer.undrain(0));
  its.wait();
  its.check_anna();
}

TEST_CASE("players from before a change of their route's name stay if it is no longer drained when its time is over") {
  Players its;
  its.drainer.drain(0, Players::kTime);
  for (const std::size_t before : {0U, 1U}) {
    const auto added = its.server().add(its.options());
    REQUIRE(added.ok());
    its.drainer.add(added->route, "renamed", before);
  }
  its.drainer.undrain(2);
  its.wait();
  its.check_anna();
}

TEST_CASE("a drain and its end leave a route that a reload has removed the time that the reload gave it") {
  for (const bool drains : {false, true}) {
    Players its;
    its.drainer.retire(0, 100, [] {});
    its.drainer.drain(0, drains ? Drainer::Time(3'600'000) : std::nullopt);
    if (drains) its.drainer.undrain(0);
    CHECK(its.ended(relay::Reason::kDrained, 2));
  }
}

TEST_CASE("a reload that removes a route leaves its drain an earlier end") {
  Players its;
  its.drainer.drain(0, 100);
  its.drainer.retire(0, 3'600'000, [] {});
  CHECK(its.ended(relay::Reason::kDrained, 2));
}

TEST_CASE("a route that a reload adds while the program drains before its stop takes no newcomers, either") {
  Pair pair;
  Housekeeping thread("housekeeping");
  Drainer drainer(pair.server(), 3'600'000, thread);
  drainer.add(0, "ctf");
  const Stream anna = pair.join(pair.first);
  CHECK_FALSE(drainer.is_stopping());
  drainer.begin_stop();
  CHECK(drainer.is_stopping());
  const auto added = pair.server().add(pair.options());
  REQUIRE(added.ok());
  drainer.add(added->route, "new");
  CHECK(pair.server().is_draining(added->route));
  CHECK(testing::eventually([&] { return pair.server().is_draining(0); }));
  CHECK(as_text(Stream::to(added->address).read_all()) == testing::kGoodbye);
}

TEST_CASE("a program that drains before its stop stops when its last player has left, although there is time") {
  Pair pair;
  Housekeeping thread("housekeeping");
  Drainer drainer(pair.server(), 3'600'000, thread);
  drainer.add(0, "ctf");
  Stream anna = pair.join(pair.first);
  drainer.begin_stop();
  CHECK(testing::eventually([&] { return pair.server().is_draining(0); }));
  CHECK_FALSE(pair.server().stopping());
  anna.close();
  pair.links.clear();
  CHECK(testing::eventually([&] { return pair.server().stopping(); }));
}

TEST_CASE("players of a drained route are told the operator's last reason when its time is over, or ours") {
  const FakeServer server;
  testing::Running running(native::game(), server.address());
  Housekeeping thread("housekeeping");
  Drainer drainer(running.server(), 0, thread);
  drainer.add(0, "ctf");
  const auto told = [&](const std::function<void()>& drain) {
    const Stream client = Stream::to(running.address), link = server.accept();
    drain();
    const std::string said(as_text(client.read_all()));
    drainer.undrain(0);
    return said;
  };
  constexpr Millis kLong = 3'600'000;
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };
  CHECK(has(told([&] { drainer.drain(0, 0, "new map"); }), "new map"));
  CHECK(has(told([&] { drainer.drain(0, kLong, "new map"), drainer.drain(0, 0, "old map"); }), "old map"));
  CHECK(has(told([&] { drainer.drain(0, 0); }), Drainer::kWhy));
  // The route is removed by a reload: after a drain, its players have the time of the reload, and our reason.
  CHECK(
      has(told([&] { drainer.drain(0, kLong, "new map"), drainer.undrain(0), drainer.limit(0, 100); }), Drainer::kWhy));
  // A drain without a time leaves them that time.
  CHECK(told([&] { drainer.limit(0, 100), drainer.drain(0, std::nullopt, "new map"); }) != "");
}

TEST_CASE("players whose time a reload or an operator takes back stay: of a removed route, and of a drained server") {
  Players its;
  its.drainer.retire(0, Players::kTime, [] {});
  its.drainer.keep(0);
  const std::string first = its.server().servers(0)[0].name;
  its.drainer.drain_server(first, Players::kTime);
  its.drainer.drain_server(first, std::nullopt);
  its.wait();
  its.check_anna();
}

TEST_CASE("when the last session of a removed route has ended, that is told, once") {
  Players its;
  std::atomic<int> times{0};
  its.drainer.retire(0, std::nullopt, [&times] { ++times; });
  REQUIRE(its.server().change({.retired = {0}}).ok());
  its.anna.reset();
  its.ben.reset();
  its.links.clear();
  CHECK(testing::eventually([&] { return times == 1; }));
  // A drain of a route that is forgotten has no effect, and what comes later on this thread is done.
  its.drainer.drain(0, 0);
  std::atomic<bool> looked{false};
  const Housekeeping::Work later(its.thread, [&looked] {
    looked = true;
    return Housekeeping::kIdle;
  });
  CHECK(testing::eventually([&] { return looked.load(); }));
  CHECK(times == 1);
}

/// A disk for recordings. When it is told to, its next write hangs until it is let go, or a minute has passed.
class Disk {
 public:
  std::unique_ptr<trace::Sink> sink(const std::string& name) { return std::make_unique<Sink>(*this, name); }
  void hang() {
    const std::lock_guard lock(mutex_);
    hangs_ = true;
  }
  /// Waits until a write hangs.
  bool is_stuck() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kMinute, [this] { return stuck_; });
  }
  /// Returns whether the write has hung all the time.
  bool let_go() {
    const std::lock_guard lock(mutex_);
    hangs_ = false;
    changed_.notify_all();
    return stuck_;
  }

 private:
  class Sink final : public trace::Sink {
   public:
    Sink(Disk& disk, std::string name) : disk_(disk), name_(std::move(name)) {}
    const std::string& name() const override { return name_; }
    Outcome<Done> write(Bytes) override { return disk_.write(), Done{}; }
    Outcome<Done> cut(std::uint64_t) override { return Done{}; }
    Outcome<Done> sync() override { return Done{}; }
    Outcome<Done> finish() override { return Done{}; }

   private:
    Disk& disk_;
    const std::string name_;
  };

  void write() {
    std::unique_lock lock(mutex_);
    stuck_ = hangs_;
    changed_.notify_all();
    (void)changed_.wait_for(lock, kMinute, [this] { return !hangs_; });
    stuck_ = false;
  }

  static constexpr std::chrono::minutes kMinute{1};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false, stuck_ = false;
};

/// A recording of the route "gone", which a reload has removed. Its disk hangs.
struct Hanging : Pair {
  Hanging() {
    settings.set_to_fleet(config::Recording::only);
    taps.upload_by([this](const std::string& path) { return disk.sink(path); });
    const auto made = taps.recording({"{game}-{route}.mcap", "panic", 1, "gone"}, true);
    REQUIRE(made.ok());
    tap = *made;
    disk.hang();
    relay::LinkInfo info;
    info.link = 1;
    info.game = &panic::game();
    tap->sink(0).opened(info, steady_wall_now());
    REQUIRE(disk.is_stuck());
    drainer.add(0, "ctf");
    const auto added = server().add(options());
    REQUIRE(added.ok());
    drainer.add(added->route, "gone");
    REQUIRE(server().change({.retired = {added->route}}).ok());
    drainer.retire(added->route, std::nullopt, [this] {
      retires = true;
      taps.retire(*tap);
      ending.news();
    });
    REQUIRE(testing::eventually([this] { return retires.load(); }));
    add_record_commands(control, [this] { return std::vector<Recordable>{{1, "gone", tap, true}}; });
    control.add("list", "", [](std::string_view) { return Reply("nobody\n"); });
  }

  Disk disk;
  config::Recording settings = default_config().recording();
  Taps taps{settings, [] {}};
  relay::TapThread* tap = nullptr;
  std::atomic<bool> retires{false};
  Housekeeping thread{"housekeeping"}, tap_ends{"tap ends"};
  Housekeeping::Work ending{tap_ends, [this] {
                              taps.end_retired([] {});
                              return Housekeeping::kIdle;
                            }};
  Drainer drainer{server(), 60'000, thread};
  Control control;
};

TEST_CASE("a recording disk that hangs holds up neither a drain nor the drain before a stop") {
  Hanging its;
  const Stream anna = its.join(its.first);
  its.drainer.drain(0, 0);
  CHECK(its.ended(relay::Reason::kDrained));
  its.drainer.undrain(0);
  its.drainer.begin_stop();
  CHECK(testing::eventually([&] { return its.server().is_draining(0); }));
  CHECK(its.disk.let_go());
  CHECK(testing::eventually([&] { return its.taps.recording_of(its.tap) == nullptr; }));  // it has ended
  CHECK(its.taps.stop().ok());
}

TEST_CASE("a recording disk that hangs holds up the commands about recordings for a while, and no others") {
  Hanging its;
  auto listed = std::async(std::launch::async, [&] { return its.control.answer("recordings"); });
  CHECK(its.control.answer("list") == "ok\nnobody\n");
  const std::string answer = listed.get();
  CHECK_MESSAGE(answer.find("\n1\tgone\tfailing, draining\t") != std::string::npos, answer);
  CHECK(its.control.answer("record rotate gone") == "error: gone: the disk of this recording does not answer\n");
  CHECK(its.disk.let_go());
  CHECK(its.taps.stop().ok());
}

}  // namespace
}  // namespace entente::drainer_test
