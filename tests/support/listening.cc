#include "tests/support/listening.h"

#include <doctest/doctest.h>

#include <charconv>
#include <string>

namespace entente::testing {

std::uint16_t listening_port(Process& process, std::string_view dialect) {
  const std::string before = "listening " + std::string(dialect) + " 127.0.0.1:";
  const auto line = process.line();
  REQUIRE_MESSAGE(line.has_value(), process.err());
  REQUIRE_MESSAGE(line->starts_with(before), *line, "\n", process.err());
  std::uint16_t port = 0;
  const char* const end = line->data() + line->size();
  const auto [read, error] = std::from_chars(line->data() + before.size(), end, port);
  const bool is_port = error == std::errc() && (read == end || *read == ' ');  // a name may follow
  REQUIRE_MESSAGE(is_port, *line, "\n", process.err());
  return port;
}

}  // namespace entente::testing
