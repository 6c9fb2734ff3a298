// bench_tap: the cost of the tap in CPU nanoseconds per frame, on the worker that feeds it and on the tap's own thread:
// when it only counts, when its recording is discarded, and when it records to a file in the given folder (or /tmp).
// Invariant: the frames are random legal BZFlag 2.4 messages of play; each decodes.
#include <unistd.h>
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "adapters/wire/invent.h"
#include "proxy/relay/tap/tap.h"
#include "tests/support/memory_file.h"

namespace entente::relay {
namespace {

constexpr std::size_t kFrames = 400'000;
constexpr std::size_t kAtOnce = 20'000;  // frames before waiting for the tap: as many as the ring can hold

double nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Many different frames of one kind of message.
std::vector<Buffer> invented(const wire::Game& game, std::size_t dialect, std::string_view name, wire::Way way) {
  std::vector<Buffer> frames;
  const auto codec = game.codec(dialect);
  wire::Random random(2026);
  for (const auto& row : codec->rows()) {
    if (row.name != name || (row.dialects >> dialect & 1) == 0 || (row.ways & static_cast<unsigned>(way)) == 0)
      continue;
    for (int i = 0; i < 1000; ++i) {
      wire::invent(row, way, *codec, random);
      codec->encode(frames.emplace_back());
    }
    break;
  }
  return frames;
}

struct Cost {
  double teller = 0, tap = 0;  // ns a frame
};

Cost measure(const LinkInfo& info, const std::vector<Buffer>& frames, std::unique_ptr<trace::Recorder> recorder) {
  TapThread tap({.recorder = std::move(recorder)});
  auto& sink = tap.sink(0);
  sink.opened(info, wall_now());
  const auto all = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), mine = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  double telling = 0;
  for (std::size_t told = 0; told < kFrames;) {
    const auto before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    const auto at = wall_now();
    for (const auto until = told + kAtOnce; told < until; ++told)
      sink.bytes(info.link, wire::Way::kToClient, wire::Lane::kDatagram, frames[told % frames.size()], at);
    telling += nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before;
    while (tap.totals().frames + tap.totals().dropped < told) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto tapped = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - all - (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - mine);
  if (tap.totals().dropped > 0 || !tap.totals().faults.empty())
    std::puts("  (dropped or undecoded: not a fair figure)");
  return {telling / kFrames, tapped / kFrames};
}

void tell(const char* what, const Cost& cost) {
  std::printf("  %-28s worker %6.1f ns   tap %6.1f ns a frame\n", what, cost.teller, cost.tap);
}

int run(const std::string& folder) {
  const auto* game = &bzflag::game();
  const auto dialect = find_dialect(*game, "2.4").value();
  const auto file = folder + "/bench_tap-" + std::to_string(::getpid()) + ".mcap";
  const LinkInfo info{.link = 1, .game = game, .dialect = dialect, .client = {}, .server = {}, .listener = {}};
  for (const auto* name : {"MsgPlayerUpdate", "MsgPlayerUpdateSmall", "MsgShotBegin"}) {
    const auto frames = invented(*game, dialect, name, wire::Way::kToClient);
    if (frames.empty()) continue;
    std::printf("%s, %zu bytes\n", name, frames[0].size());
    tell("counted", measure(info, frames, nullptr));
    auto nowhere = trace::Recorder::open(std::make_unique<testing::Nowhere>());
    if (nowhere.ok()) tell("counted and recorded nowhere", measure(info, frames, std::move(*nowhere)));
    auto recorder = trace::Recorder::open(file);
    if (!recorder.ok()) return std::puts(recorder.error().text.c_str()), 1;
    tell("counted and recorded", measure(info, frames, std::move(*recorder)));
    ::unlink(file.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace entente::relay

int main(int argc, char** argv) { return entente::relay::run(argc > 1 ? argv[1] : "/tmp"); }
