// Peers that speak native as lines of JSON; a route with `hold_s` to a native server.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/faces.h"
#include "adapters/native/native.h"
#include "tests/relay/bridging.h"
#include "tests/relay/late_server.h"

namespace entente::testing {

inline constexpr std::size_t kJson = 1;

/// A peer that speaks native as lines of JSON.
class Lines {
 public:
  explicit Lines(Stream stream) : stream_(std::move(stream)) {}

  void say(const std::string& line) const { stream_.send(line + "\n"); }
  /// The next line; empty at the end of the stream.
  std::string next() {
    while (rest_.find('\n') == std::string::npos) {
      const Buffer some = stream_.read_some();
      if (some.empty()) return {};
      rest_ += as_text(some);
    }
    const std::size_t end = rest_.find('\n');
    std::string line = rest_.substr(0, end);
    rest_.erase(0, end + 1);
    return line;
  }
  /// The lines up to the first that contains `part`, including it.
  std::vector<std::string> until(std::string_view part) {
    std::vector<std::string> lines;
    do {
      lines.push_back(next());
      REQUIRE_MESSAGE(!lines.back().empty(), "the stream ends before " << part);
    } while (lines.back().find(part) == std::string::npos);
    return lines;
  }
  /// All lines until the end of the stream.
  std::vector<std::string> all() {
    std::vector<std::string> lines;
    for (std::string line = next(); !line.empty(); line = next()) lines.push_back(std::move(line));
    return lines;
  }
  Stream& stream() { return stream_; }

 private:
  Stream stream_;
  std::string rest_;
};

inline bool have(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(), [&](auto& line) { return line.find(part) != std::string::npos; });
}

/// Acts as the server: admits the player to a world that has another player with a unit.
inline void let_in(Lines& server, const std::string& hash, const std::string& other) {
  server.say(R"({"world":{"hash":")" + hash + R"(","west":-50,"east":50,"south":-50,"north":50}})");
  server.say(R"({"player":{"id":1,"name":"us","team":"RED"}})");
  server.say(R"({"player":{"id":2,"name":")" + other + R"("}})");
  server.say(R"({"unit":{"id":20,"owner":2,"alive":true,"pose":{"unit":20}}})");
  server.say(R"({"owns":{"player":2,"units":[20],"active":20}})");
  server.say(R"({"ready":{}})");
}

/// Accepts a player's connection; returns it and the player's Enter.
inline std::pair<Lines, std::string> greet(const LateServer& at) {
  Lines server(at.accept());
  server.say(R"({"you":{"player":1}})");
  std::string enter = server.until("enter").back();
  return {std::move(server), std::move(enter)};
}

inline const auto kNativeFront = [](std::size_t dialect) { return native::make_front({dialect, {}}); };

inline relay::RouteOptions held(std::uint32_t hold_ms, const wire::Game& front, bool json_front) {
  relay::RouteOptions options;
  options.game = &front;
  options.listen = loopback();
  options.listen_dialect = json_front ? kJson : 0;
  options.servers[0].dialect = kJson;
  options.upstream.hold_ms = hold_ms;
  options.bridge = toy_bridge(front, native::game());
  if (json_front) options.bridge->front = kNativeFront;
  options.bridge->back = [](std::size_t dialect) { return native::make_back({dialect, {}}); };
  return options;
}

}  // namespace entente::testing
