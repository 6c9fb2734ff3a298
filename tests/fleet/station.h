// A loop with one line to a bus, run by a test.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "proxy/fleet/bus.h"

namespace entente::fleet::testing {

struct Station final : net::Ticker::User {
  explicit Station(Bus& bus) : line(std::in_place, bus, loop), ticker(std::in_place, loop, *this, 5) {}
  ~Station() override {
    line.reset();
    ticker.reset();
    loop.run();
  }
  void tick(Millis) override {}
  bool until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done() && std::chrono::steady_clock::now() < end) uv_run(loop.raw(), UV_RUN_ONCE);
    return done();
  }
  bool connects() {
    return until([this] { return line->connected(); });
  }
  BucketResult order(const std::function<void(BusLine::BucketDone)>& give) {
    std::optional<BucketResult> answer;
    give([&](BucketResult kept) { answer = std::move(kept); });
    CHECK(until([&] { return answer.has_value(); }));
    return answer.value_or(BucketResult());
  }
  BucketResult open_bucket(const std::string& name) {
    BucketOptions options;
    options.name = name;
    options.in_memory = true;
    return order([&](auto done) { line->open_bucket(options, done); });
  }

  net::Loop loop;
  std::optional<BusLine> line;
  std::optional<net::Ticker> ticker;
};

}  // namespace entente::fleet::testing
