// A BZFlag stream, fed in two different splits: the frames must be the same.
// Invariant: every byte comes out once, however the stream is split. (A refusal ends only with the stream, so it comes
// out as it was split. A late answer comes in one piece: see adapters/bzflag/README.md.)
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "adapters/wire/dissect.h"
#include "tests/fuzz/target.h"

namespace entente::bzflag_fuzz {
namespace {

using wire::Frame, wire::Lane, wire::Way;

class Cuts final : public wire::DissectorSink {
 public:
  std::vector<std::size_t> sizes;
  std::size_t bytes = 0;
  bool refused = false;

 private:
  void frame(const Frame& frame) override {
    refused = refused || as_text(frame.bytes).starts_with("REFUSED:");
    sizes.push_back(frame.bytes.size());
    bytes += frame.bytes.size();
  }
  void raw(Way, Lane, Bytes raw, const Fault*) override { bytes += raw.size(); }
};

constexpr std::size_t kLateAnswer = 12;  // bytes

Cuts cut(std::size_t dialect, Way way, Bytes stream, std::size_t grain) {
  wire::Dissector dissector(bzflag::game(), dialect);
  Cuts cuts;
  const bool maybe_late =
      way == Way::kToClient && stream.size() > 8 && as_text(stream).starts_with("BZFS") && stream[8] == '\r';
  std::size_t next = maybe_late ? std::max(grain, kLateAnswer) : grain;
  for (std::size_t at = 0; at < stream.size(); at += std::exchange(next, grain))
    dissector.stream(way, stream.subspan(at, std::min(next, stream.size() - at)), cuts);
  dissector.end(way, cuts, false);
  return cuts;
}

}  // namespace

ENTENTE_FUZZ_TARGET(bzflag) {
  if (size < 3) return 0;
  const std::size_t dialect = data[0] % bzflag::game().dialects().size();
  const Way way = (data[0] & 0x80U) != 0 ? Way::kToServer : Way::kToClient;
  const Bytes stream(data + 2, size - 2);
  const Cuts whole = cut(dialect, way, stream, stream.size());
  const Cuts pieces = cut(dialect, way, stream, 1U + data[1]);
  if (whole.bytes != stream.size() || pieces.bytes != stream.size()) std::abort();
  if (!whole.refused && whole.sizes != pieces.sizes) std::abort();
  return 0;
}

}  // namespace entente::bzflag_fuzz
