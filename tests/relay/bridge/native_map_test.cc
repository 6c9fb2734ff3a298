// A client of native receives a map of some MiB, and a client that does not read it is told why its session ends.
#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "proxy/relay/ends/counted_end.h"
#include "tests/relay/native_lines.h"
#include "tests/support/paths.h"

namespace entente::testing::native_map_test {
namespace {

using relay::Reason;

class NativeBridge final : public Serving {
 public:
  NativeBridge(const net::Address& server, const Limits& limits) : Serving(1) {
    serve(held(0, native::game(), true), server, limits, nullptr, kJson);
  }
};

/// A client that has entered, and its server, which has let it in and sent it a map of 6 MiB.
struct WithMap {
  explicit WithMap(const Limits& limits) : bridge(at.address(), limits) {
    client.say(R"({"enter":{"name":"anna"}})");
    server = std::make_unique<Lines>(greet(at).first);
    constexpr std::size_t kMap = 6 * 1024 * 1024;
    const std::string solid = R"({"x":1.5,"y":2.5,"z":3.5,"half_x":4.5,"half_y":5.5,"height":6.5})";
    std::string solids = solid;
    while (solids.size() < kMap) solids += "," + solid;
    // At once, so that the map still waits for the client when the rest is sent to it.
    server->say(R"({"world":{"west":-50,"east":50,"south":-50,"north":50,"solids":[)" + solids + "]}}\n" +
                R"({"player":{"id":1,"name":"anna"}})" + "\n" + R"({"ready":{}})");
  }

  LateServer at{loopback()};
  NativeBridge bridge;
  Lines client{Stream::to(bridge.address, nullptr, 64 * 1024)};
  std::unique_ptr<Lines> server;
};

TEST_CASE("a client of native that reads gets a map of 6 MiB, and what follows it") {
  WithMap scene(no_limits());
  CHECK(have(scene.client.until("\"ready\""), "\"solids\""));
  CHECK(scene.bridge.totals().current_sessions() == 1);
}

TEST_CASE("the contract of native states how much may wait for a client") {
  std::ifstream in(source_dir() + "/schema/NATIVE.md");
  std::stringstream text;
  text << in.rdbuf();
  const std::size_t most = relay::kWaitingFactor * Limits{}.high_water + native::game().largest_burst();
  CHECK(text.str().find(" " + std::to_string(most) + " bytes") != std::string::npos);
}

TEST_CASE("a client of native that does not read its map is told why its session ends") {
  Limits limits = no_limits();
  limits.stall_ms = 500;
  limits.linger_ms = kPatience;  // it reads what waits then
  WithMap scene(limits);
  REQUIRE(scene.bridge.ended(Reason::kClientStalled));
  const std::vector<std::string> lines = scene.client.all();
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.back() == R"({"kicked":{"text":"your connection is too slow for what the server sends"}})");
  CHECK(scene.bridge.totals().by(Reason::kClientStalled) == 1);
}

}  // namespace
}  // namespace entente::testing::native_map_test
