#include "proxy/base/fault.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace entente::fault_test {

namespace {

Outcome<int> half(int number) {
  if (number % 2 != 0) return Error{std::to_string(number) + " is odd; give an even number"};
  return number / 2;
}

Result<std::string> letter(int code) {
  if (code > 25) return Fault{"out of range", "letter", 3};
  return std::string(1, static_cast<char>('a' + code));
}

}  // namespace

TEST_CASE("an Expected holds either a value or a fault") {
  CHECK(half(8).ok());
  CHECK(*half(8) == 4);
  CHECK(!half(7).ok());
  CHECK(half(7).error().text == "7 is odd; give an even number");
  if (half(7)) FAIL("an Expected without a value is false");

  CHECK(letter(2)->size() == 1);
  const auto wrong = letter(26);
  REQUIRE(!wrong);
  CHECK(std::string_view(wrong.error().what) == "out of range");
  CHECK(std::string_view(wrong.error().field) == "letter");
  CHECK(wrong.error().offset == 3);
}

TEST_CASE("a move-only value can be put in and taken out") {
  Outcome<std::unique_ptr<int>> made = std::make_unique<int>(5);
  REQUIRE(made.ok());
  const std::unique_ptr<int> taken = std::move(*made);
  CHECK(*taken == 5);
}

TEST_CASE("the value can be changed in place") {
  Outcome<std::string> text = std::string("a");
  *text += "b";
  text->push_back('c');
  CHECK(*text == "abc");
}

// A Fault is made on hot paths, so it must not own memory.
static_assert(std::is_trivially_copyable_v<Fault>);

}  // namespace entente::fault_test
