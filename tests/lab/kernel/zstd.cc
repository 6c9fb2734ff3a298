// The function of libzstd that compresses. In a simulation it stores what it gets, as a frame of zstd with raw blocks
// (RFC 8878, 3.1.1): how well zstd compresses depends on its version, and so the hash of all that happened would.
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/lab/kernel/kernel.h"
#include "tests/lab/kernel/real.h"

std::size_t ZSTD_compressCCtx(ZSTD_CCtx* context, void* into, std::size_t room, const void* from, std::size_t size,
                              int level) {
  using entente::lab::Kernel;
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(ZSTD_compressCCtx, context, into, room, from, size, level);
  constexpr std::size_t kBlock = std::size_t{128} << 10U;
  constexpr std::uint8_t kDescriptor = 0xe0;  // the size has eight bytes, and the window is as large
  auto* out = static_cast<std::uint8_t*>(into);
  const auto put = [&out](std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i, number >>= 8U) *out++ = static_cast<std::uint8_t>(number);
  };
  put(ZSTD_MAGICNUMBER, 4);
  put(kDescriptor, 1);
  put(size, 8);
  std::size_t at = 0;
  do {
    const std::size_t block = std::min(kBlock, size - at);
    const bool last = at + block == size;
    put((last ? 1U : 0U) | block << 3U, 3);
    std::memcpy(out, static_cast<const std::uint8_t*>(from) + at, block);
    out += block;
    at += block;
  } while (at < size);
  return static_cast<std::size_t>(out - static_cast<std::uint8_t*>(into));
}
