// zstd for MCAP chunks, with contexts and memory that are reused from chunk to chunk.
// Invariant: a stated size above the caller's limit, or impossible for so few bytes, is refused before memory is
// allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace entente::trace {

/// Memory that is reused and not zeroed (an untouched page costs nothing).
class Scratch {
 public:
  /// `size` bytes with undefined content. Valid until the next call.
  std::span<std::uint8_t> take(std::size_t size);

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t size_ = 0;
};

/// Not thread-safe.
class Compressor {
 public:
  /// `level`: of zstd; a higher one takes longer, and makes less.
  explicit Compressor(int level);
  ~Compressor();

  /// Appends `bytes` as one zstd frame, and returns its size.
  std::size_t compress(Bytes bytes, Buffer& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s*) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  int level_;
};

/// Not thread-safe.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();

  /// The `size` bytes that `bytes`, one zstd frame, expand to; valid until the next call. A fault if it is damaged, or
  /// expands to another size. REQUIRES: `size` was checked against a
  /// limit.
  Result<Bytes> decompress(Bytes bytes, std::uint64_t size);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s*) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  Scratch scratch_;
};

}  // namespace entente::trace
