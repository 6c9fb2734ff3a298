#include "proxy/net/enet/enet_compressor.h"

#include <memory>

namespace entente::net {
namespace {

constexpr std::size_t kTooSmallToJudge = 64;  // bytes
constexpr unsigned kSentAsTheyAre = 15;       // datagrams, after one on which compression saved less than an eighth
constexpr unsigned kMost = 400;               // compressed per second: 32 clients of Ace of Spades get 320
constexpr enet_uint32 kSecond = 1'000;        // milliseconds

struct RangeCoder {
  void* const coder = enet_range_coder_create();
  unsigned sent_as_they_are = 0;  // datagrams to come
  unsigned left = kMost;          // in this second
  enet_uint32 began = enet_time_get();

  RangeCoder() = default;
  ~RangeCoder() {
    if (coder != nullptr) enet_range_coder_destroy(coder);
  }
  RangeCoder(const RangeCoder&) = delete;
  RangeCoder& operator=(const RangeCoder&) = delete;
};

/// 0: it is sent as it is.
std::size_t compress(void* context, const ENetBuffer* parts, std::size_t count, std::size_t size, enet_uint8* out,
                     std::size_t room) {
  auto& range = *static_cast<RangeCoder*>(context);
  if (range.sent_as_they_are != 0) return --range.sent_as_they_are, 0;
  if (const enet_uint32 now = enet_time_get(); now - range.began >= kSecond) range.began = now, range.left = kMost;
  if (range.left == 0) return 0;
  --range.left;
  const std::size_t compressed = enet_range_coder_compress(range.coder, parts, count, size, out, room);
  const bool pays = compressed != 0 && compressed < size - size / 8;
  if (!pays && size >= kTooSmallToJudge) range.sent_as_they_are = kSentAsTheyAre;
  return compressed;
}

std::size_t decompress(void* context, const enet_uint8* bytes, std::size_t size, enet_uint8* out, std::size_t room) {
  return enet_range_coder_decompress(static_cast<RangeCoder*>(context)->coder, bytes, size, out, room);
}

}  // namespace

bool compress_with_range_coder(ENetHost& host) {
  auto range = std::make_unique<RangeCoder>();
  if (range->coder == nullptr) return false;
  const ENetCompressor compressor{range.release(), compress, decompress,
                                  [](void* context) { delete static_cast<RangeCoder*>(context); }};
  enet_host_compress(&host, &compressor);
  return true;
}

}  // namespace entente::net
