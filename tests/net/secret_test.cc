// Secrets: how they are compared, and what is computed from them.
#include "proxy/net/secret.h"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <set>
#include <string>

namespace entente::net::secret_test {
namespace {

TEST_CASE("secret: two are the same if all of their bytes are") {
  CHECK(same_secret("", ""));
  CHECK(same_secret("secret", "secret"));
  for (const char* other : {"", "secre", "secrets", "Secret", "secreT", "sEcret"}) {
    CAPTURE(other);
    CHECK_FALSE(same_secret("secret", other));
    CHECK_FALSE(same_secret(other, "secret"));
  }
}

TEST_CASE("secret: a signature is the HMAC-SHA-256 of the text (RFC 4231, 4.3 and 4.7)") {
  CHECK(signature("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(signature(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("secret: a keyed hash depends on the key and on all bytes") {
  const std::uint64_t hash = keyed_hash("Jefe", as_bytes("what do ya want for nothing?"));
  constexpr unsigned char kFirst[] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e};  // of the signature above
  CHECK(std::memcmp(&hash, kFirst, sizeof hash) == 0);
  CHECK(keyed_hash("Jefe", as_bytes("what do ya want for nothing!")) != hash);
  CHECK(keyed_hash("jefe", as_bytes("what do ya want for nothing?")) != hash);
}

TEST_CASE("secret: the key of a machine is the same each time, and numbers are not") {
  CHECK(machine_key().size() == 32);
  CHECK(has_lasting_machine_key() == (machine_key() == machine_key()));
  std::string id;
  if (std::getline(std::ifstream("/etc/machine-id"), id) && id.size() >= 32) CHECK(machine_key() == id.substr(0, 32));
  std::set<std::uint16_t> low, high;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint16_t number = secret_number();
    low.insert(static_cast<std::uint16_t>(number & 0xFFU));
    high.insert(static_cast<std::uint16_t>(number >> 8U));
  }
  CHECK(low.size() > 200);
  CHECK(high.size() > 200);
}

}  // namespace
}  // namespace entente::net::secret_test
