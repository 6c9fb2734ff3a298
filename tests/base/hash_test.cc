// The hashes that recordings keep are those that FNV's authors publish.
#include "proxy/base/hash.h"

#include <doctest/doctest.h>

namespace entente::hash_test {

TEST_CASE("a hash is FNV-1a's, with all of its digits") {
  CHECK(hash_of({}) == "cbf29ce484222325");
  CHECK(hash_of(as_bytes("a")) == "af63dc4c8601ec8c");
  CHECK(hash_of(as_bytes("foobar")) == "85944171f73967e8");
  CHECK(hash_of(as_bytes("77kepQFQ8Kl")) == "0000000000000000");
}

}  // namespace entente::hash_test
