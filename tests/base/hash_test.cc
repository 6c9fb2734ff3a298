// The hashes in recordings are those that the authors of FNV publish.
#include "proxy/base/hash.h"

#include <doctest/doctest.h>

namespace entente::hash_test {

TEST_CASE("a hash is FNV-1a and is printed with all digits") {
  CHECK(hash_of({}) == "cbf29ce484222325");
  CHECK(hash_of(as_bytes("a")) == "af63dc4c8601ec8c");
  CHECK(hash_of(as_bytes("foobar")) == "85944171f73967e8");
  CHECK(hash_of(as_bytes("77kepQFQ8Kl")) == "0000000000000000");
}

}  // namespace entente::hash_test
