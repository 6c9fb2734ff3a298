// Panic counts what it drops by its table's own reasons; that the table is complete, tests/games sees to.
#include <doctest/doctest.h>

#include <string>

#include "adapters/panic/faces.h"

namespace entente::panic::mapping_test {
namespace {

TEST_CASE("what is dropped is counted by the reason that stands in the table") {
  CHECK(std::string(reason_of("Say")) == "no chat");
  CHECK(std::string(reason_of("Step")) == "not known");
}

}  // namespace
}  // namespace entente::panic::mapping_test
