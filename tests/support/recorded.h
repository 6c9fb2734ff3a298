// Recorded traffic of real programs, from tests/traces: one read, write or packet a line, in the order of time.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "adapters/wire/frame.h"
#include "proxy/core/word.h"
#include "tests/support/hex.h"
#include "tests/support/paths.h"

namespace entente::testing {

struct Recorded {
  std::string connection;
  core::Micros at;
  wire::Way way;
  Buffer bytes;
};

/// The value of `key` in one flat line of JSON, without its quotes.
inline std::string json_value(const std::string& line, const std::string& key) {
  const auto at = line.find('"' + key + "\":");
  if (at == std::string::npos) return {};
  const auto from = line.find_first_not_of(" \"", at + key.size() + 3);
  return line.substr(from, line.find_first_of("\",}", from) - from);
}

/// The lines with bytes of a file in tests/traces. `name`: "game/file".
inline std::vector<Recorded> recorded(const std::string& name) {
  std::ifstream file(testing::source_dir() + "/tests/traces/" + name);
  REQUIRE(file.good());
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    const std::string way = json_value(line, "dir");
    const Buffer bytes = from_hex(json_value(line, "hex"));
    if (bytes.empty() || (way != "c2s" && way != "s2c")) continue;
    all.push_back({json_value(line, "conn"),
                   static_cast<core::Micros>(std::strtod(json_value(line, "t_ms").c_str(), nullptr) * 1000),
                   way == "c2s" ? wire::Way::kToServer : wire::Way::kToClient, bytes});
  }
  return all;
}

}  // namespace entente::testing
