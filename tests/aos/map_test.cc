#include <doctest/doctest.h>

#include <random>

#include "adapters/aos/wire/cp437.h"
#include "adapters/aos/world/map_stream.h"
#include "tests/aos/ground.h"
#include "tests/support/hex.h"

namespace entente::aos::map_test {
namespace {

/// A map in which every voxel next to air has a colour, as is usual.
VoxelMap hills(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  VoxelMap map;
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t x = below(kMapSize - 8), y = below(kMapSize - 8), z = below(60), deep = z + 1 + below(3);
    for (std::uint32_t dx = 0; dx < 8; ++dx)
      for (std::uint32_t dy = 0; dy < 8; ++dy)
        for (std::uint32_t k = z; k <= deep; ++k) map.set(x + dx, y + dy, k, 0x7F000000U | below(0x1000000U));
  }
  return map;
}

VoxelMap read(Bytes vxl, std::size_t piece) {
  VxlReader reader;
  for (std::size_t at = 0; at < vxl.size(); at += piece) {
    const auto fault = reader.feed(vxl.subspan(at, std::min(piece, vxl.size() - at)));
    REQUIRE_FALSE(fault.has_value());
  }
  REQUIRE(reader.complete());
  return reader.take();
}

TEST_CASE("vxl: a written map is read back, however it is cut, and written again to the same bytes") {
  const VoxelMap map = hills(1);
  Buffer vxl;
  write_vxl(map, vxl);
  for (const std::size_t piece : {std::size_t{4093}, std::size_t{65536}, vxl.size()}) {
    const VoxelMap again = read(vxl, piece);
    CHECK(again == map);
    Buffer same_bytes;
    write_vxl(again, same_bytes);
    CHECK(same(same_bytes, vxl));
  }
}

TEST_CASE("a map that forgets its colours keeps what is solid, through later changes") {
  VoxelMap map = hills(3), solid = map;
  solid.forget_colours();
  CHECK(solid != map);
  for (VoxelMap* one : {&map, &solid}) {
    one->set(3, 4, 5, 0xAAU);
    one->clear(100, 100, one->top(100, 100));
    one->fill(7, 8, 0xFFU);
  }
  CHECK(map.colour(3, 4, 5) == 0xAAU);
  CHECK_FALSE(solid.colour(3, 4, 5).has_value());
  for (std::uint32_t y = 0; y < kMapSize; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) REQUIRE(solid.column(x, y) == map.column(x, y));
  VoxelMap filled;
  for (std::uint32_t y = 0; y < kMapSize; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) filled.fill(x, y, map.column(x, y));
  CHECK(filled == solid);
  VoxelMap changed;
  changed.set(1, 1, 1, 0xBBU);
  CHECK(changed != VoxelMap());
  changed.clear(1, 1, 1);
  CHECK(changed == VoxelMap());
}

TEST_CASE("vxl: caves keep their floor and their ceiling") {
  VoxelMap map;
  for (std::uint32_t z = 20; z < 64; ++z) map.set(3, 4, z, std::nullopt);
  map.set(3, 4, 20, 0xAAU);
  for (std::uint32_t z = 30; z < 40; ++z) map.clear(3, 4, z);
  map.set(3, 4, 29, 0xBBU);
  map.set(3, 4, 40, 0xCCU);
  Buffer vxl;
  write_vxl(map, vxl);
  const VoxelMap again = read(vxl, vxl.size());
  CHECK(again == map);
  CHECK(again.top(3, 4) == 20);
  CHECK_FALSE(again.solid(3, 4, 35));
  CHECK(again.colour(3, 4, 29) == 0xBBU);
  CHECK_FALSE(again.colour(3, 4, 25).has_value());
}

TEST_CASE("vxl: columns of real maps are understood") {
  // Two words of header and colour: flat ground at 60, coloured on top, as a real server's map has it.
  Buffer vxl;
  const Buffer column = from_hex("00 3c 3c 00 11223344");
  for (std::uint32_t i = 0; i < kMapSize * kMapSize; ++i) append(vxl, column);
  const VoxelMap map = read(vxl, 10007);
  CHECK(map.top(0, 0) == 60);
  CHECK(map.top(511, 511) == 60);
  CHECK(map.colour(100, 200, 60) == 0x44332211U);
  Buffer again;
  write_vxl(map, again);
  CHECK(same(again, vxl));
}

TEST_CASE("vxl: an invalid map is refused with the offset") {
  const struct {
    const char* hex;
    const char* what;
    std::size_t offset;
  } kWrong[] = {
      {"00 46 46 00 11223344", "voxel outside the map", 1},
      {"01 0a 0a 00", "span too short for its colours", 0},
      {"02 0a 0a 00 11223344 00 08 08 05 11223344", "spans out of order", 11},
      {"05 0a 0a 00 11223344 11223344 11223344 11223344 00 0d 0d 0c 11223344", "colours overlap", 23},
  };
  for (const auto& wrong : kWrong) {
    VxlReader reader;
    const auto fault = reader.feed(from_hex(wrong.hex));
    REQUIRE(fault.has_value());
    CHECK(std::string(fault->what) == wrong.what);
    CHECK(fault->offset == wrong.offset);
  }
}

TEST_CASE("map stream: packed, cut into chunks and received") {
  const VoxelMap map = hills(2);
  const Buffer packed = pack_map(map);
  MapReceiver receiver;
  for (std::size_t at = 0; at < packed.size(); at += kMapChunk) {
    CHECK_FALSE(receiver.complete());
    REQUIRE_FALSE(receiver.feed(Bytes(packed).subspan(at, std::min(kMapChunk, packed.size() - at))).has_value());
  }
  REQUIRE(receiver.complete());
  const ReceivedMap received = receiver.take();
  Buffer vxl;
  write_vxl(map, vxl);
  CHECK(received.vxl == as_text(vxl));
  CHECK(received.hash == hash_of(vxl));
  VoxelMap solid = map;
  solid.forget_colours();
  CHECK(received.solid == solid);
}

TEST_CASE("map stream: rubbish, bombs and trailing bytes are refused") {
  MapReceiver rubbish;
  CHECK(rubbish.feed(from_hex("00112233")).has_value());
  Buffer packed = pack_map(VoxelMap());
  append(packed, from_hex("00"));
  MapReceiver trailing;
  const auto fault = trailing.feed(packed);
  REQUIRE(fault.has_value());
  CHECK(std::string(fault->what) == "bytes after the map");
}

TEST_CASE("text: all CP437 bytes survive, and other characters are sent as UTF-8") {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string text = {'a', static_cast<char>(byte)};
    CHECK(to_wire(to_utf8(text)) == text);
  }
  CHECK(to_utf8("\x81") == "\xC3\xBC");
  CHECK(to_wire("\xE2\x82\xAC") == "\xFF\xE2\x82\xAC");
  CHECK(to_utf8("\xFF\xE2\x82\xAC") == "\xE2\x82\xAC");
  CHECK(to_utf8(to_wire("\xC2\xA0 first")) == "\xC2\xA0 first");
}

}  // namespace
}  // namespace entente::aos::map_test
