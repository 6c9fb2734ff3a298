// room_bench: the cost of one event in a bridge, from the bytes of one game to those of another, without the network:
// two rooms in a chain, native to GAME and GAME to native, so that both faces of the game take part. Times are for one
// room: half of the chain's.
#include <benchmark/benchmark.h>

#include <memory>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/core/room/room.h"
#include "tests/bench/native_server.h"
#include "tests/bench/sockets.h"
#include "tests/support/cut_link.h"

namespace entente::bench {
namespace {

using core::Micros;

/// Keeps what a room sends to each side, until it is taken.
class Pipe final : public core::Room::Host {
 public:
  void send(core::Id end, Lane, Bytes bytes) override { append(end == core::kBackId ? up : down, bytes); }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view why, std::uint32_t) override { die("a room closed: " + std::string(why)); }
  void failed(core::Id, const Fault& fault) override { die(std::string("a room failed: ") + fault.what); }
  void dial() override {}

  Buffer up, down;
};

core::FaceOptions options() {
  core::FaceOptions options;
  options.settings["udp"] = "off";  // one lane is enough
  return options;
}

core::RoomOptions seeded() {
  core::RoomOptions options;
  options.seed = 4;
  return options;
}

class Chain {
 public:
  explicit Chain(const char* game)
      : game_(*find_game(game)),
        faces_(faces_of(game_)),
        first_(near_, faces_.back(options()), seeded()),
        second_(far_, native::faces().back({}), seeded()),
        up_(game_, 0, wire::Way::kToServer),
        down_(game_, 0, wire::Way::kToClient) {
    near_seat_ = first_.seat(native::faces().front({}), {}, now);
    far_seat_ = second_.seat(faces_.front(options()), {}, now);
    first_.back_opened({}, now);
    second_.back_opened({}, now);
    Buffer greeting;
    server_.greet(greeting);
    from_server_.receive(second_, core::kBackId, Lane::kStream, greeting, now);
    words::Intent enter;
    enter.mutable_enter()->set_name("bench");
    say(enter);
    live(core::kSecond);
    words::Intent spawn;
    spawn.mutable_spawn();
    say(spawn);
    live(core::kSecond);
  }

  /// Sends an intent of the native client.
  void say(const words::Intent& intent) {
    Buffer frame;
    write_native(intent, frame);
    from_client_.receive(first_, near_seat_, Lane::kStream, frame, now);
    pump();
  }

  /// Passes one claim through the chain.
  void claim(const Buffer& frame) {
    from_client_.receive(first_, near_seat_, Lane::kStream, frame, now);
    pump();
  }
  /// Passes one pose through the chain, from the server to the client.
  void pose(const Buffer& frame) {
    from_server_.receive(second_, core::kBackId, Lane::kStream, frame, now);
    pump();
  }
  void pass(Micros time) {
    now += time;
    if (first_.next_wake() <= now) first_.tick(now);
    if (second_.next_wake() <= now) second_.tick(now);
    pump();
  }

  NativeServer& server() { return server_; }
  std::uint64_t poses_told() const { return poses_; }
  Micros now = 0;

 private:
  void live(Micros time) {
    for (Micros until = now + time; now < until;) pass(10 * core::kMillisecond);
  }

  void pump() {
    while (!near_.up.empty() || !far_.down.empty() || !far_.up.empty() || !near_.down.empty()) {
      move(near_.up, [&](Bytes bytes) { up_.receive(second_, far_seat_, Lane::kStream, bytes, now); });
      move(far_.down, [&](Bytes bytes) { down_.receive(first_, core::kBackId, Lane::kStream, bytes, now); });
      move(near_.down, [&](Bytes bytes) { count(bytes); });
      move(far_.up, [&](Bytes bytes) {
        answers_.clear();
        server_.receive(bytes, answers_);
        if (!quiet) from_server_.receive(second_, core::kBackId, Lane::kStream, answers_, now);
      });
    }
  }

  template <class Take>
  void move(Buffer& from, Take&& take) {
    if (from.empty()) return;
    moving_.swap(from);
    from.clear();
    take(Bytes(moving_));
    moving_.clear();
  }

  /// Counts the facts that the client receives; each is a frame.
  void count(Bytes bytes) {
    while (bytes.size() >= 4) {
      ++poses_;
      bytes = bytes.subspan(4 + (std::size_t{bytes[1]} << 16U | std::size_t{bytes[2]} << 8U | bytes[3]));
    }
  }

 public:
  bool quiet = false;  ///< the server has stopped answering

 private:
  const wire::Game& game_;
  const core::Faces& faces_;
  Pipe near_, far_;
  core::Room first_, second_;
  testing::CutLink up_, down_;  // between the rooms
  testing::CutLink from_client_{native::game(), 0, wire::Way::kToServer};
  testing::CutLink from_server_{native::game(), 0, wire::Way::kToClient};
  core::Id near_seat_ = 0, far_seat_ = 0;
  NativeServer server_;
  Buffer moving_, answers_;
  std::uint64_t poses_ = 0;
};

void finish(benchmark::State& state, std::uint64_t arrived) {
  const auto events = static_cast<double>(state.iterations());
  if (static_cast<double>(arrived) < 0.99 * events)
    state.SkipWithError(
        ("only " + std::to_string(arrived) + " of " + std::to_string(state.iterations()) + " events arrived").c_str());
  state.SetItemsProcessed(2 * state.iterations());  // rooms
}

/// A player drives: the client's claims pass through GAME to the server.
void drives(benchmark::State& state, const char* game) {
  Chain chain(game);
  chain.quiet = true;
  words::Intent intent;
  auto& claim = *intent.mutable_pose_claim();
  Buffer frame;
  const std::uint64_t before = chain.server().claims();
  std::uint32_t n = 0;
  for (auto _ : state) {
    claim.set_x(static_cast<double>(++n % 64) / 640);
    claim.set_yaw(0.25);
    claim.set_seq(n);
    frame.clear();
    write_native(intent, frame);
    chain.claim(frame);
    chain.pass(40 * core::kMillisecond);
  }
  finish(state, chain.server().claims() - before);
}

/// A player sees others drive: the server's poses pass through GAME to the client.
void sees(benchmark::State& state, const char* game) {
  Chain chain(game);
  chain.quiet = true;
  Buffer frame;
  const std::uint64_t before = chain.poses_told();
  std::uint32_t n = 0;
  for (auto _ : state) {
    frame.clear();
    chain.server().say_pose(++n, frame);
    chain.pose(frame);
    chain.pass(core::kMillisecond);
  }
  finish(state, chain.poses_told() - before);
}

BENCHMARK_CAPTURE(drives, bzflag, "bzflag");
BENCHMARK_CAPTURE(sees, bzflag, "bzflag");

}  // namespace
}  // namespace entente::bench

BENCHMARK_MAIN();
