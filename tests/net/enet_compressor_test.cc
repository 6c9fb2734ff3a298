// The range coder runs only where it saves bytes.
#include "proxy/net/enet/enet_compressor.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "proxy/base/bytes.h"

using namespace entente;
using namespace entente::net;

namespace {

struct Coder {
  Coder() { REQUIRE(compress_with_range_coder(*host)); }

  /// The compressed size of these bytes; 0: they are sent uncompressed.
  std::size_t compress(const Buffer& datagram) {
    out.resize(datagram.size());
    const ENetBuffer part{const_cast<std::uint8_t*>(datagram.data()), datagram.size()};
    const ENetCompressor& by = host->compressor;
    return by.compress(by.context, &part, 1, datagram.size(), out.data(), out.size());
  }

  const std::unique_ptr<ENetHost, void (*)(ENetHost*)> host{enet_host_create(nullptr, 1, 1, 0, 0), enet_host_destroy};
  Buffer out;
};

Buffer noise(std::size_t size) {
  std::minstd_rand dice;
  Buffer bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice());
  return bytes;
}

}  // namespace

TEST_CASE("enet compressor: what gets smaller is compressed each time, and decompresses to the same") {
  Coder coder;
  Buffer datagram = noise(24);
  datagram.resize(800);
  for (int i = 0; i < 40; ++i) {
    const std::size_t size = coder.compress(datagram);
    REQUIRE(size != 0);
    CHECK(size < 200);
    Buffer back(datagram.size());
    const ENetCompressor& by = coder.host->compressor;
    CHECK(by.decompress(by.context, coder.out.data(), size, back.data(), back.size()) == datagram.size());
    CHECK(back == datagram);
  }
}

TEST_CASE("enet compressor: the number of compressed datagrams per second is limited") {
  Coder coder;
  const Buffer zeros(800);
  const auto compressed = [&] {
    int count = 0;
    for (int i = 0; i < 3'000; ++i) count += coder.compress(zeros) != 0;
    return count;
  };
  const auto began = enet_time_get();
  const int some = compressed();
  CHECK(some >= 400);
  CHECK(some <= static_cast<int>(400 * (1 + (enet_time_get() - began + 999) / 1'000)));
  while (enet_time_get() - began < 1'000) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(coder.compress(zeros) != 0);
}

TEST_CASE("enet compressor: after a datagram that hardly got smaller, 15 are sent uncompressed") {
  Coder coder;
  const Buffer zeros(800);
  CHECK(coder.compress(noise(16)) == 0);  // too small to predict the next one
  CHECK(coder.compress(zeros) != 0);
  coder.compress(noise(800));
  for (int i = 0; i < 15; ++i) CHECK(coder.compress(zeros) == 0);
  CHECK(coder.compress(zeros) != 0);
  CHECK(coder.compress(zeros) != 0);
}
