#include "proxy/program/serve/taps.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>

#include "adapters/panic/panic.h"
#include "proxy/base/steady_wall.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/config/config.h"
#include "tests/program/folder.h"

namespace entente::taps_test {
namespace {

TEST_CASE("two processes that begin a recording in the same second write two files") {
  const Folder folder;
  config::Recording settings = default_config().recording();
  settings.set_directory(folder.path().string());
  Taps old(settings, [] {}), young(settings, [] {});
  const RecordingTarget target{"{game}-{time}.mcap", "panic", 1};
  REQUIRE(old.recording(target, true).ok());
  const auto began = young.recording(target, true);
  REQUIRE_MESSAGE(began.ok(), began.error().text);
  CHECK(folder.names().size() == 2);
  CHECK(old.stop().ok());
  CHECK(young.stop().ok());
  CHECK(folder.names().empty());  // nothing was recorded
}

TEST_CASE("without a thread left, no recording begins or leaves a file, and one that goes on is completed") {
  const Folder folder;
  config::Recording settings = default_config().recording();
  settings.set_directory(folder.path().string());
  Taps taps(settings, [] {});
  const auto tap = taps.recording({"first.mcap", "panic", 1}, true);
  REQUIRE(tap.ok());
  relay::LinkInfo info;
  info.link = 1;
  info.game = &panic::game();
  (*tap)->sink(0).opened(info, steady_wall_now());
  (*tap)->sink(0).closed(1, "left", steady_wall_now());
  net::no_thread_left() = true;
  const auto refused = taps.recording({"second.mcap", "panic", 2}, true);
  const auto counting = taps.counting();
  const auto stopped = (*tap)->record(relay::TapThread::Order::kStop);
  net::no_thread_left() = false;
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text == net::no_thread_error().text);
  CHECK_FALSE(counting.ok());
  CHECK(stopped.ok());
  CHECK(folder.names() == std::set<std::string>{"first.mcap"});
  CHECK(taps.stop().ok());
}

TEST_CASE("a tap that has ended keeps its totals, and ignores what its sinks are told") {
  const Folder folder;
  config::Recording settings = default_config().recording();
  settings.set_directory(folder.path().string());
  Taps taps(settings, [] {});
  const auto tap = taps.recording({"one.mcap", "panic", 1}, true);
  REQUIRE(tap.ok());
  relay::TapSink& sink = (*tap)->sink(0);
  relay::LinkInfo info;
  info.link = 1;
  info.game = &panic::game();
  sink.opened(info, steady_wall_now());
  taps.retire(**tap);
  int settled = 0;
  for (int i = 0; i < 2; ++i) taps.end_retired([&] { ++settled; });
  CHECK(settled == 1);
  CHECK(folder.names() == std::set<std::string>{"one.mcap"});
  CHECK(taps.recording_of(*tap) == nullptr);
  REQUIRE(taps.all().size() == 1);
  CHECK(taps.all().front()->totals().files == 1);
  CHECK_FALSE(sink.wants_words());
  sink.bytes(1, wire::Way::kToClient, wire::Lane::kStream, Buffer(100), steady_wall_now());
  sink.closed(1, "late", steady_wall_now());
  CHECK_FALSE((*tap)->record(relay::TapThread::Order::kNone).ok());
  CHECK(taps.stop().ok());
}

TEST_CASE("with on_full = stop, the program stops if a session's file cannot be begun because the disk is full") {
  const auto stops = [](config::Recording::OnFull on_full, const std::string& directory, rlim_t most) {
    config::Recording settings = default_config().recording();
    settings.set_directory(directory);
    settings.set_on_full(on_full);
    std::atomic<int> stopped{0};
    Taps taps(settings, [&stopped] { ++stopped; });
    const auto tap = taps.recording({"{link}.mcap", "panic", 1}, true);
    REQUIRE(tap.ok());
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit now{most, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
    relay::LinkInfo info;
    info.link = 1;
    info.game = &panic::game();
    (*tap)->sink(0).opened(info, steady_wall_now());
    (*tap)->sink(0).closed(1, "left", steady_wall_now());
    CHECK(taps.stop().ok());
    ::setrlimit(RLIMIT_FSIZE, &before);
    return stopped != 0;
  };
  const Folder folder;
  const std::string here = folder.path().string();
  constexpr rlim_t kFull = 10, kRoom = RLIM_INFINITY;
  CHECK(stops(config::Recording::stop, here, kFull));
  CHECK_FALSE(stops(config::Recording::carry_on, here, kFull));
  CHECK(folder.names().empty());
  CHECK_FALSE(stops(config::Recording::stop, here + "/none", kRoom));
  CHECK_FALSE(stops(config::Recording::stop, here, kRoom));
  CHECK(folder.names() == std::set<std::string>{"1.mcap"});
}

}  // namespace
}  // namespace entente::taps_test
