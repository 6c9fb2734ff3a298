// Secrets of a session, where they are repeated.
#include "proxy/base/secret_echoes.h"

#include <doctest/doctest.h>

namespace entente::secret_echoes_test {
namespace {

TEST_CASE("of two secrets that begin alike the longer one is hidden whole, in whichever order they came") {
  for (const bool longer_first : {false, true}) {
    SecretEchoes heard;
    heard.add(longer_first ? "sesame-open-7" : "sesame");
    heard.add(longer_first ? "sesame" : "sesame-open-7");
    CHECK(heard.without("nobody is called sesame-open-7", "*") == "nobody is called *");
    CHECK(heard.without("nobody is called sesame", "*") == "nobody is called *");
  }
}

}  // namespace
}  // namespace entente::secret_echoes_test
