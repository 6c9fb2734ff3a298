// bench_json: nanoseconds to read and to write a small message of native in JSON. The counter `ratio` is how many times
// longer protobuf's own parser or printer takes for the same message, and `protobuf_ns` its time.
#include <benchmark/benchmark.h>

#include <ctime>
#include <string>
#include <string_view>

#include "adapters/native/json.h"
#include "schema/game.pb.h"
#include "tests/support/protobuf_json.h"

namespace entente {
namespace {

constexpr std::string_view kIntents[] = {
    "{}",
    R"({"spawn":{}})",
    R"({"toward":{"x":100,"y":-12.5}})",
    R"({"say":{"text":"hello"}})",
    R"({"enter":{"name":"anna","role":"PLAY"}})",
    R"({"fire":{"unit":9,"shot":1,"x":12.9,"y":-79.1,"vx":100,"range":350,"life":3.5}})",
    R"({"say":{"text":"Gr\u00fc\u00dfe"}})",
    R"({"newer":{"list":[1,2,{"a":null}]}})",
    R"({"toward":{"x":"abc"}})",  // refused
};

/// Nanoseconds of CPU time that `work` takes, on average.
template <class Work>
double nanoseconds(Work&& work) {
  constexpr int kTimes = 5'000;
  const auto cpu = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  const double start = cpu();
  for (int i = 0; i < kTimes; ++i) work();
  return (cpu() - start) / kTimes;
}

template <class Ours, class Theirs>
void compare(benchmark::State& state, Ours&& ours, Theirs&& theirs) {
  const double fast = nanoseconds(ours), slow = nanoseconds(theirs);
  for (auto _ : state) ours();
  state.counters["protobuf_ns"] = slow;
  state.counters["ratio"] = slow / fast;
}

void read(benchmark::State& state, std::string_view json) {
  words::Intent intent;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  compare(
      state,
      [&] {
        benchmark::DoNotOptimize(native::read_json(as_bytes(json), intent, native::UnknownName::kRefuse, nullptr).ok());
      },
      [&] {
        intent.Clear();
        benchmark::DoNotOptimize(
            google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &intent, options).ok());
      });
}

void write(benchmark::State& state, std::string_view json) {
  words::Intent intent;
  (void)native::read_json(as_bytes(json), intent, native::UnknownName::kLeaveOut, nullptr);
  Buffer out;
  compare(
      state,
      [&] {
        out.clear();
        native::write_json(intent, out);
        benchmark::DoNotOptimize(out.data());
      },
      [&] { benchmark::DoNotOptimize(testing::printed_by_protobuf(intent).data()); });
}

}  // namespace
}  // namespace entente

int main(int argc, char** argv) {
  for (const std::string_view json : entente::kIntents) {
    benchmark::RegisterBenchmark(("read/" + std::string(json)).c_str(),
                                 [json](auto& state) { entente::read(state, json); });
    benchmark::RegisterBenchmark(("write/" + std::string(json)).c_str(),
                                 [json](auto& state) { entente::write(state, json); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
