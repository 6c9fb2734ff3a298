// A window onto a Source: small reads from one large read.
// Invariant: it holds at most what is asked for, or kAhead if that is more. Its bytes are valid until the next call.
#pragma once

#include <algorithm>

#include "proxy/trace/file.h"
#include "proxy/trace/zstd.h"

namespace entente::trace {

/// Not thread-safe. Errors are those of Source::read().
class Window {
 public:
  /// Bytes that are read at once, if fewer are asked for.
  static constexpr std::uint64_t kAhead = 256 << 10;

  /// `source` outlives it. Nothing is read yet.
  explicit Window(Source& source) : source_(source) {}

  /// Bytes of the source from `offset` on.
  std::uint64_t left(std::uint64_t offset) const { return offset < source_.size() ? source_.size() - offset : 0; }

  /// The source has changed.
  void forget() { held_ = {}; }

  /// These bytes. REQUIRES: size <= left(offset).
  Outcome<Bytes> view(std::uint64_t offset, std::uint64_t size) {
    if (offset < start_ || offset + size > start_ + held_.size()) {
      if (auto moved = move(offset, size); !moved.ok()) return moved.error();
    }
    return held_.subspan(static_cast<std::size_t>(offset - start_), static_cast<std::size_t>(size));
  }

  /// At least one byte from `offset` on, and as many more as are buffered. REQUIRES: left(offset) > 0.
  Outcome<Bytes> some(std::uint64_t offset) {
    if (auto first = view(offset, 1); !first.ok()) return first;
    return held_.subspan(static_cast<std::size_t>(offset - start_));
  }

 private:
  Outcome<Done> move(std::uint64_t offset, std::uint64_t size) {
    held_ = {};
    const auto to = memory_.take(static_cast<std::size_t>(std::min(std::max(size, kAhead), left(offset))));
    if (auto read = source_.read(offset, to); !read.ok()) return read;
    start_ = offset;
    held_ = to;
    return Done{};
  }

  Source& source_;
  Scratch memory_;
  Bytes held_;
  std::uint64_t start_ = 0;
};

}  // namespace entente::trace
