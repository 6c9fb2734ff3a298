// A map file of Panic. Invariant: what is read as a map has a tile for each of its places.
#include <cstdlib>

#include "adapters/panic/world/ground.h"
#include "proxy/base/bytes.h"
#include "tests/fuzz/target.h"

ENTENTE_FUZZ_TARGET(panic_map) {
  const auto ground = entente::panic::Ground::read(entente::as_text({data, size}));
  if (ground && ground->world().tiles().size() != std::size_t{ground->world().columns()} * ground->world().rows())
    std::abort();
  return 0;
}
