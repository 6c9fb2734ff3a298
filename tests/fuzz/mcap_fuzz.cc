// MCAP files with arbitrary contents. Invariant: reading ends, in bounds and within the limits. A file that recover()
// writes is complete, and has exactly as many messages as recover() reports.
#include <cstdint>
#include <cstdlib>

#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_file.h"

namespace entente::mcap_fuzz {
namespace {

using namespace entente::trace;

constexpr mcap::Limits kLimits{.record = 1 << 20, .chunk = 1 << 20, .definitions = 1 << 16};

void require(bool that) {
  if (!that) std::abort();
}

// Until the end or the first error.
mcap::Progress read(Bytes file, mcap::Limits limits) {
  testing::MemorySource source(file);
  Recording recording(source, limits);
  recording.with_calls();
  for (;;) {
    const auto event = recording.next();
    if (!event.ok() || !*event) break;
    const auto& one = **event;
    require(one.opened || one.closed || one.frame || one.note || one.word || one.world || one.geometry || one.calls);
  }
  const auto& progress = recording.progress();
  require(progress.whole <= file.size());
  require(!progress.complete || progress.whole == file.size());
  return progress;
}

// From the first world on, if there is one.
void enter(Bytes file) {
  testing::MemorySource source(file);
  Recording recording(source, kLimits);
  for (const WallTime time : {~WallTime{0}, WallTime{0}, WallTime{1} << 62U}) {
    const auto there = recording.go_to_world(1, time);
    require(there.ok());
    const auto first = recording.next();
    if (!first.ok() || !*first) continue;
    require(!*there || (*first)->world);
    if (!*there) continue;
    require((*first)->time <= time);
    const std::string hash = (*first)->world->geometry();
    const auto geometry = recording.find_geometry(hash);
    require(geometry.ok());
    require(*geometry == nullptr || (*geometry)->hash() == hash);
    for (auto next = recording.next(); next.ok() && *next;) next = recording.next();
  }
}

}  // namespace

ENTENTE_FUZZ_TARGET(mcap) {
  const Bytes file(data, size);
  read(file, kLimits);
  enter(file);

  testing::MemorySource in(file);
  Buffer mended;
  testing::MemorySink out(mended);
  const auto report = recover(in, out, kLimits);
  if (!report.ok()) return 0;
  testing::MemorySource again(mended);
  mcap::Reader reader(again);
  std::uint64_t messages = 0;
  for (;; ++messages) {
    const auto message = reader.next();
    require(message.ok());
    if (!*message) break;
  }
  require(messages == report->messages);
  require(reader.progress().complete);
  return 0;
}

}  // namespace entente::mcap_fuzz
