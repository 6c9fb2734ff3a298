// What owners have stored of the arena `field`, for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "proxy/fleet/arena/saved_arena.h"
#include "proxy/fleet/bus.h"
#include "tests/support/nats_server.h"

namespace entente::fleet {

class Store final : private net::Ticker::User {
 public:
  /// Creates the stream if it does not exist.
  explicit Store(const NatsServer& nats) : bus_({.servers = {nats.url()}, .client = "store"}) {
    ask([](BusLine& line, bool& done) {
      line.open_stream(saved_arenas(Subjects("entente"), 1), [&](const auto& made) { done = made.ok(); });
    });
  }

  /// Deletes the stream with its contents, as if NATS had lost it.
  void lose() {
    ask([](BusLine& line, bool& done) {
      line.ask("$JS.API.STREAM.DELETE.entente-snapshots", {}, 5'000, 1,
               [&](const auto& answers) { done = !answers.empty(); });
    });
  }
  /// Waits until the stored arena has such a player, and returns it. `players`: how many players it must have,
  /// spectators included.
  ReadArena until(const std::function<bool(const core::SavedPlayer&)>& wanted,
                  std::optional<std::size_t> players = {}) {
    ReadArena found;
    ask([&](BusLine& line, bool& done) {
      line.last("entente-snapshots", "entente.snapshot.field", [&](const auto& message) {
        if (!message || !*message) return;
        auto arena = read_arena((**message).bytes);
        REQUIRE(arena.ok());
        if (players && arena->starts.size() != *players) return;
        if (!std::any_of(arena->starts.begin(), arena->starts.end(), wanted)) return;
        found = std::move(*arena);
        done = true;
      });
    });
    return found;
  }

 private:
  static constexpr Millis kAskEvery = 100;  // requests at a higher rate would pile up at a busy NATS server

  void tick(Millis) override {}

  /// Repeats the request until `done`.
  void ask(const std::function<void(BusLine&, bool& done)>& question) {
    net::Loop loop;
    bool done = false;
    {
      BusLine line(bus_, loop);
      net::Ticker ticker(loop, *this, kAskEvery);
      const auto end = steady_now() + 60'000;
      for (Millis next = 0; !done && steady_now() < end;) {
        if (line.connected() && steady_now() >= next) {
          question(line, done);
          next = steady_now() + kAskEvery;
        }
        uv_run(loop.raw(), UV_RUN_ONCE);
      }
    }
    loop.run();
    CHECK(done);
  }

  Bus bus_;
};

}  // namespace entente::fleet
