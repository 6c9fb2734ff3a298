#include "proxy/trace/crc32.h"

#include <doctest/doctest.h>

namespace entente::crc32_test {

TEST_CASE("the CRC is zlib's") {
  CHECK(trace::crc32(as_bytes("")) == 0);
  CHECK(trace::crc32(as_bytes("123456789")) == 0xCBF43926);  // the check value of CRC-32/ISO-HDLC
  CHECK(trace::crc32(as_bytes("The quick brown fox jumps over the lazy dog")) == 0x414FA339);
}

TEST_CASE("a CRC can be computed in pieces of any size") {
  Buffer bytes;
  for (std::size_t i = 0; i < 100; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 37));
  const auto whole = trace::crc32(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto first = trace::crc32(Bytes(bytes).first(cut));
    CHECK(trace::crc32(Bytes(bytes).subspan(cut), first) == whole);
  }
}

}  // namespace entente::crc32_test
