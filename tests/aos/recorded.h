// Recordings of tests/traces/aos: one packet a line, in the order of time.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "adapters/wire/frame.h"
#include "tests/support/hex.h"

namespace entente::aos {

struct Recorded {
  double at_ms;
  wire::Way way;
  Buffer bytes;
};

inline std::vector<Recorded> recorded(const std::string& name) {
  std::ifstream file(std::string(ENTENTE_SOURCE_DIR) + "/tests/traces/aos/" + name);
  REQUIRE(file.good());
  const auto value = [](const std::string& line, const std::string& key) {
    const std::size_t at = line.find("\"" + key + "\": ") + key.size() + 4;
    std::string text = line.substr(at, line.find_first_of(",}", at) - at);
    std::erase(text, '"');
    return text;
  };
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);)
    all.push_back({std::stod(value(line, "t_ms")),
                   value(line, "dir") == "c2s" ? wire::Way::kToServer : wire::Way::kToClient,
                   from_hex(value(line, "hex"))});
  return all;
}

}  // namespace entente::aos
