// One direction of a session's stream: cuts the bytes into frames, passes on whole frames and keeps the rest.
// Invariant: bytes pass unchanged. At most one incomplete frame is kept. Nothing is allocated while frames arrive
// whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/wire/frame.h"
#include "adapters/wire/game.h"
#include "proxy/base/bytes.h"
#include "proxy/relay/admission/strict_filter.h"

namespace entente::relay {

/// Whole frames, next to each other.
struct FrameRun {
  Bytes fresh() const { return bytes.subspan(ahead); }

  Bytes bytes;
  std::size_t ahead = 0;  ///< bytes at the beginning that were passed on before
  std::size_t count = 0;
  std::size_t first = 0, last = 0;  ///< sizes of the first and the last of them
};

class Framer {
 public:
  /// Without a cutter all bytes pass as they come.
  Framer(std::unique_ptr<wire::Cutter> cutter, std::size_t largest_frame)
      : cutter_(std::move(cutter)), largest_(largest_frame) {}

  /// From now on a frame of a client that `filter` refuses is a fault. `filter` outlives the framer.
  void watch(StrictFilter& filter, std::size_t dialect) {
    filter_ = &filter;
    dialect_ = dialect;
  }

  /// Calls `pass(FrameRun)` at most once. After a fault no later byte can be cut: refuse the peer, or lose_framing().
  template <class Pass>
  std::optional<Fault> feed(Bytes in, Pass&& pass);

  /// What is kept and was not passed on yet: the beginning of a frame.
  Bytes kept() const { return Bytes(kept_).subspan(ahead_); }
  /// Returns kept(), which the caller passes on before the frame is whole.
  Bytes take_kept();
  void drop_kept();
  /// Whether what was passed on ends with a whole frame.
  bool at_frame_boundary() const { return passed_ == 0 || (cutter_ && ahead_ == 0); }
  /// Bytes passed on so far.
  std::uint64_t passed() const { return passed_; }
  /// From now on all bytes pass as they come. The caller passes on take_kept() first.
  void lose_framing() { cutter_.reset(); }

 private:
  struct Scan {
    FrameRun frames;
    std::optional<Fault> fault;
  };
  Scan scan(Bytes in);
  void keep(Bytes rest);

  std::unique_ptr<wire::Cutter> cutter_;
  std::size_t largest_;
  std::uint64_t passed_ = 0;
  StrictFilter* filter_ = nullptr;
  std::size_t dialect_ = 0;
  Buffer kept_;
  std::size_t ahead_ = 0;  // of kept_, passed on already
};

template <class Pass>
std::optional<Fault> Framer::feed(Bytes in, Pass&& pass) {
  if (!cutter_) {
    passed_ += in.size();
    pass(FrameRun{in});
    return std::nullopt;
  }
  if (!kept_.empty()) {
    append(kept_, in);
    in = kept_;
  }
  Scan found = scan(in);
  const std::size_t whole = found.frames.bytes.size();
  if (whole) {
    found.frames.ahead = std::exchange(ahead_, 0);
    passed_ += found.frames.fresh().size();
    pass(std::as_const(found.frames));
  }
  keep(in.subspan(whole));
  return found.fault;
}

}  // namespace entente::relay
