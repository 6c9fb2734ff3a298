// The values of variables, and how much work a server can make them.
#include "adapters/bzflag/wire/variables.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace entente::bzflag::variables_test {
namespace {

/// `count` times `text`, with stars between.
std::string product(int count, const std::string& text) {
  std::string all = text;
  for (int i = 1; i < count; ++i) all += "*" + text;
  return all;
}

TEST_CASE("variables: expressions have the values that real programs compute") {
  Variables variables;
  CHECK(variables["_tankRadius"] == 0.72F * 6.0F);
  CHECK(variables["_reloadTime"] == 3.5F);
  variables.set("_shotSpeed", "-(_a - 3) * 2");
  variables.set("_a", " 4 - _tankWidth / 2.8 ");
  CHECK(variables["_shotSpeed"] == 0);
  variables.set("_a", "1");
  CHECK(variables["_shotSpeed"] == 4);
  CHECK(variables["_reloadTime"] == 87.5F);
}

TEST_CASE("variables: what is not a number has the default, also if it refers to itself") {
  Variables variables;
  for (const char* text : {"", "x", "1 2", "1/0", "_unknown", "_tankSpeed", "(1", "1)", "_a", "1*_a+2"}) {
    CAPTURE(text);
    variables.set("_tankSpeed", text);
    variables.set("_a", "_b");
    variables.set("_b", "_tankSpeed");
    CHECK(!variables.find("_tankSpeed"));
    CHECK(variables["_tankSpeed"] == 25);
  }
  variables.set("_tankSpeed", "3");
  CHECK(variables.find("_a") == 3.0F);
}

TEST_CASE("variables: 16 levels of names and brackets have a value, in whichever order they are asked for") {
  for (const bool backwards : {false, true}) {
    Variables variables;
    for (int i = 0; i < 20; ++i) variables.set("_" + std::to_string(i), "_" + std::to_string(i + 1));
    variables.set("_20", "7");
    for (int i = 0; i <= 20; ++i) {
      const int asked = backwards ? 20 - i : i;
      CAPTURE(asked);
      CHECK(variables.find("_" + std::to_string(asked)).has_value() == (asked >= 5));
    }
  }
}

TEST_CASE("variables: each is computed once after a change, however often others refer to it") {
  Variables variables;
  for (int i = 0; i < 7; ++i) variables.set("_" + std::to_string(i), product(84, "_" + std::to_string(i + 1)));
  variables.set("_7", "1");
  variables.set("_tankSpeed", "_0");
  CHECK(variables["_tankSpeed"] == 1);
  CHECK(variables["_tankSpeed"] == 1);
  CHECK(variables.read() < 2'000);
}

TEST_CASE("variables: a server that changes them makes little work for each byte that it sends") {
  Variables variables;
  std::uint64_t sent = 0;
  const auto set = [&](const std::string& name, const std::string& value) {
    sent += name.size() + value.size();
    variables.set(name, value);
  };
  // Each needs 13 others, all of 240 characters or more; the last one keeps changing.
  for (int i = 0; i < 13; ++i) set("_" + std::to_string(i), product(80, "_" + std::to_string(i + 1)));
  for (const auto& ruled : ruled_variables()) set(ruled.variable, product(80, "_0"));
  for (int i = 0; i < 2'000; ++i) {
    set("_13", i % 2 == 0 ? "1" : "2");
    for (const auto& ruled : ruled_variables()) (void)variables[ruled.variable];
  }
  CHECK(variables.read() > Variables::kReadAtOnce);
  CHECK(variables.read() <= Variables::kReadAtOnce + Variables::kReadPerByte * sent);
  set("_tankSpeed", "30");
  CHECK(variables["_tankSpeed"] == 30);
}

TEST_CASE("variables: a server has at most so many") {
  Variables variables;
  for (std::size_t i = 0; i < 2 * Variables::kMost; ++i) variables.set("_" + std::to_string(i), "1");
  CHECK(variables.find("_1") == 1.0F);
  CHECK(!variables.find("_" + std::to_string(2 * Variables::kMost - 1)));
}

}  // namespace
}  // namespace entente::bzflag::variables_test
