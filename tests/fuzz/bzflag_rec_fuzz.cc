// Recordings of bzfs. Invariant: a recording that is read to its end is written again with the same bytes, except for
// wrong positions and sizes.
#include <cstdlib>

#include "adapters/bzflag/rec/rec.h"
#include "tests/fuzz/target.h"

namespace entente::bzflag_rec_fuzz {
namespace {

/// Reads all packets and writes them; nothing if the file is broken.
std::optional<Buffer> copied(Bytes file) {
  auto reader = bzflag::RecReader::open(file);
  if (!reader) return std::nullopt;
  Buffer out;
  bzflag::RecWriter writer(reader->dialect(), reader->short_header(), reader->header(), reader->flags(),
                           reader->world(), out);
  for (;;) {
    const auto packet = reader->next();
    if (!packet) return std::nullopt;
    if (!*packet) return out;
    writer.add((*packet)->head, (*packet)->payload);
  }
}

}  // namespace

ENTENTE_FUZZ_TARGET(bzflag_rec) {
  const Bytes file(data, size);
  const auto once = copied(file);
  if (!once) return 0;
  const auto twice = copied(*once);
  if (once->size() != file.size() || !twice || !same(*once, *twice)) std::abort();
  return 0;
}

}  // namespace entente::bzflag_rec_fuzz
