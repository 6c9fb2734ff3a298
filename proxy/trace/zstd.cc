// One-shot calls: decompressing straight into the output needs no window buffer, whatever size the header asks for.
#include "proxy/trace/zstd.h"

#include <zstd.h>

namespace entente::trace {
namespace {

// The densest a zstd frame can be: a block of one repeated byte takes 4 bytes and gives 128 KiB.
constexpr std::uint64_t kDensest = 32768;

}  // namespace

std::span<std::uint8_t> Scratch::take(std::size_t size) {
  if (size > size_) {
    memory_.reset();  // before, not after, so that two big chunks are never in memory at once
    memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    size_ = size;
  }
  return {memory_.get(), size};
}

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Compressor::Compressor(int level) : context_(ZSTD_createCCtx()), level_(level) {}
Compressor::~Compressor() = default;

std::size_t Compressor::compress(Bytes bytes, Buffer& out) {
  const auto start = out.size();
  out.resize(start + ZSTD_compressBound(bytes.size()));
  const auto size =
      ZSTD_compressCCtx(context_.get(), out.data() + start, out.size() - start, bytes.data(), bytes.size(), level_);
  assert(!ZSTD_isError(size));  // the output has room for the worst case
  out.resize(start + size);
  return size;
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {}
Decompressor::~Decompressor() = default;

Result<Bytes> Decompressor::decompress(Bytes bytes, std::uint64_t size) {
  const auto stated = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR) return Fault{"not zstd", "records", 0};
  if (size / kDensest > bytes.size())
    return Fault{"too few bytes to decompress to the stated size", "uncompressed_size"};
  const auto out = scratch_.take(static_cast<std::size_t>(size));
  const auto got = ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got)) return Fault{"zstd cannot decompress it", "records", 0};
  if (got != size) return Fault{"it decompresses to another size than stated", "uncompressed_size", 0};
  return Bytes(out);
}

}  // namespace entente::trace
