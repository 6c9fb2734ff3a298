#include "proxy/base/bytes.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::bytes_test {

TEST_CASE("bytes and text are views of each other") {
  const std::string text("a\0\xFF", 3);
  const Bytes bytes = as_bytes(text);
  REQUIRE(bytes.size() == 3);
  CHECK(bytes[1] == 0);
  CHECK(bytes[2] == 0xFF);
  CHECK(as_text(bytes) == text);
  CHECK(static_cast<const void*>(as_text(bytes).data()) == text.data());
}

TEST_CASE("bytes are appended after existing bytes") {
  Buffer buffer = {1, 2};
  append(buffer, as_bytes("\x03\x04"));
  append(buffer, {});
  CHECK(buffer == Buffer{1, 2, 3, 4});
}

TEST_CASE("hexadecimal digits are appended after existing text") {
  std::string text = "0x";
  add_hex(as_bytes("\x01\xaf"), text);
  CHECK(text == "0x01af");
  CHECK(to_hex({}).empty());
}

TEST_CASE("bytes are equal if their number and values are equal") {
  CHECK(same({}, {}));
  CHECK(same(as_bytes(""), Bytes{}));
  CHECK(same(as_bytes("ab"), as_bytes("ab")));
  CHECK(!same(as_bytes("ab"), as_bytes("ac")));
  CHECK(!same(as_bytes("ab"), as_bytes("abc")));
  CHECK(!same(as_bytes("ab"), {}));
}

TEST_CASE("free_memory frees what an assignment of {} keeps") {
  Buffer buffer(1000);
  buffer = {};
  CHECK(buffer.capacity() == 1000);
  free_memory(buffer);
  CHECK(buffer.capacity() == 0);
}

TEST_CASE("clear_keeping keeps the memory of a small buffer, and frees that of a large one") {
  Buffer small(10), large(11);
  clear_keeping(small, 10);
  clear_keeping(large, 10);
  CHECK(small.empty());
  CHECK(small.capacity() == 10);
  CHECK(large.capacity() == 0);
}

}  // namespace entente::bytes_test
