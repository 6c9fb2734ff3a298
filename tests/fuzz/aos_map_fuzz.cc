// Maps of Ace of Spades: the packed stream in pieces, and bare VXL. A complete map is written and read again.
#include <cstdint>
#include <cstdlib>

#include "adapters/aos/world/map_stream.h"
#include "tests/fuzz/target.h"

namespace entente::aos_map_fuzz {
namespace {

void check_map(const aos::VoxelMap& map) {
  // The first write may lose colours of invisible blocks; a second one changes nothing.
  Buffer once, twice;
  write_vxl(map, once);
  aos::VxlReader reader;
  if (reader.feed(once) || !reader.complete()) std::abort();
  write_vxl(reader.take(), twice);
  if (!same(once, twice)) std::abort();
}

/// Whether all of it is a map.
template <class Reader>
bool feed(Reader& reader, Bytes bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    if (reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)))) return false;
  return reader.complete();
}

}  // namespace

ENTENTE_FUZZ_TARGET(aos_map) {
  if (size < 2) return 0;
  const Bytes bytes(data + 2, size - 2);
  const std::size_t piece = 1U + data[1];
  if ((data[0] & 1U) != 0) {
    aos::MapReceiver receiver;
    if (!feed(receiver, bytes, piece)) return 0;
    aos::VxlReader reader;
    if (!feed(reader, as_bytes(receiver.take().vxl), piece)) std::abort();
    check_map(reader.take());
  } else {
    aos::VxlReader reader;
    if (feed(reader, bytes, piece)) check_map(reader.take());
  }
  return 0;
}

}  // namespace entente::aos_map_fuzz
