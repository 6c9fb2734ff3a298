// The digests that RFC 1321 itself gives (A.5), and lengths around a block.
#include "adapters/wire/md5.h"

#include <doctest/doctest.h>

namespace entente::wire::md5_test {
namespace {

TEST_CASE("MD5 gives the digests of RFC 1321") {
  const auto hex = [](std::string_view text) { return to_hex(md5(as_bytes(text))); };
  CHECK(hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") == "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
  CHECK(hex(std::string(55, 'a')) == "ef1772b6dff9a122358552954ad0df65");
  CHECK(hex(std::string(56, 'a')) == "3b0c8ac703f828b04c6c197006d17218");
  CHECK(hex(std::string(64, 'a')) == "014842d480b571495a4a0363793f7367");
}

}  // namespace
}  // namespace entente::wire::md5_test
