// paint_bench: the cost of showing moving units to one Ogar client, picture after picture: first only applying the
// facts to the world, then also painting the picture, encoding it and passing it to the network.
#include <benchmark/benchmark.h>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/wire.h"
#include "proxy/core/world.h"

namespace entente {
namespace {

using core::Id, core::Micros;

/// The surroundings of a front, with a world that the benchmark sets.
class Surroundings final : public core::FrontOut {
 public:
  void send(Lane, Bytes frame) override { sent += frame.size(); }
  std::size_t waiting_bytes() const override { return 0; }
  void close(std::string_view, std::uint32_t) override {}
  void fail(const Fault&) override {}
  void say(core::Intent) override {}
  void wake(Micros) override {}
  void count_drop(const MappingLine&, const char*) override {}
  Micros now() const override { return time; }
  std::uint32_t random() override { return 4; }
  Id new_id() override { return ++last_id_; }
  Id me() const override { return 1; }
  const core::WorldState& world() const override { return told; }

  core::WorldState told;
  Micros time = 0;
  std::size_t sent = 0;

 private:
  Id last_id_ = 1'000'000;
};

words::Pose pose(Id id, Id turn) {
  words::Pose pose;
  pose.set_unit(id);
  pose.set_x(static_cast<double>((id * 7 + turn) % 90) - 45);
  pose.set_y(static_cast<double>((id * 3 + turn) % 50) - 25);
  return pose;
}

void show(benchmark::State& state, bool paints) {
  Surroundings out;
  const auto units = static_cast<Id>(state.range(0));
  const auto front = ogar::faces().front({});
  front->opened({}, out);
  ogar::Hello hello;
  hello.opcode = 1;
  hello.version = 3;
  Buffer bytes;
  ogar::make_message_codec(0)->write(hello, wire::Way::kToServer, bytes);
  const FrameMark mark{static_cast<std::uint32_t>(bytes.size()), Stage::kGreeting};
  front->receive({Lane::kStream, bytes, {&mark, 1}}, out);
  words::World world;
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-400);
  world.set_north(400);
  out.told.fold(world);
  for (Id id = 1; id <= units; ++id) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_kind(words::Unit::CELL);
    unit.set_alive(true);
    unit.set_radius(2);
    *unit.mutable_pose() = pose(id, 0);
    out.told.fold(unit);
  }
  Id turn = 0;
  for (auto _ : state) {
    ++turn;
    out.time += 40 * core::kMillisecond;
    for (Id id = 1; id <= units; ++id) out.told.fold(pose(id, turn));
    if (paints) front->tick(out);
  }
  state.counters["bytes"] = static_cast<double>(out.sent) / static_cast<double>(state.iterations());
}

void fold(benchmark::State& state) { show(state, false); }
void fold_and_paint(benchmark::State& state) { show(state, true); }
BENCHMARK(fold)->Arg(50)->Arg(500);
BENCHMARK(fold_and_paint)->Arg(50)->Arg(500);

}  // namespace
}  // namespace entente

BENCHMARK_MAIN();
