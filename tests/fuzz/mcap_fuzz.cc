// MCAP files by strangers: whatever the bytes, reading ends, in bounds and within the limits; and what recover() makes
// of them is whole, and has exactly the messages that it says it has.
#include <cstdint>
#include <cstdlib>

#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"

namespace {

using namespace entente;
using namespace entente::trace;

constexpr mcap::Limits kLimits{.record = 1 << 20, .chunk = 1 << 20, .definitions = 1 << 16};

void require(bool that) {
  if (!that) std::abort();
}

// Until the end or the first error.
mcap::Progress read(Bytes file, mcap::Limits limits) {
  MemorySource source(file);
  Recording recording(source, limits);
  for (;;) {
    const auto event = recording.next();
    if (!event.ok() || !*event) break;
    require((*event)->opened || (*event)->closed || (*event)->frame || (*event)->note);
  }
  const auto& progress = recording.progress();
  require(progress.whole <= file.size());
  require(!progress.complete || progress.whole == file.size());
  return progress;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file(data, size);
  read(file, kLimits);

  MemorySource in(file);
  Buffer mended;
  MemorySink out(mended);
  const auto report = recover(in, out, kLimits);
  if (!report.ok()) return 0;
  MemorySource again(mended);
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
