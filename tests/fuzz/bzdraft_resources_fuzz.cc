// The resources of a server of BZFlag's draft, which refer to others by their MD5: each piece of the input is one,
// after its size (2 bytes, big endian). Invariant: the world of each is made, or refused.
#include "adapters/bzdraft/wire/resource.h"
#include "adapters/wire/md5.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"

ENTENTE_FUZZ_TARGET(bzdraft_resources) {
  using namespace entente;
  bzdraft::Resources resources;
  for (Bytes left(data, size); left.size() >= 2;) {
    const Bytes piece = fuzz::take_message(left);
    const auto root = wire::md5(piece);
    resources.add(root, Buffer(piece.begin(), piece.end()));
    std::size_t unread = 0;
    (void)resources.missing(root);
    (void)resources.world(root, unread);
  }
  return 0;
}
