// Conversations with OgarII as they were recorded: one message a line.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "adapters/wire/frame.h"
#include "proxy/core/word.h"
#include "tests/support/hex.h"

namespace entente::testing {

struct Recorded {
  core::Micros at;
  wire::Way way;
  Buffer bytes;
};

/// The value of `key` in one flat line of JSON, without its quotes.
inline std::string json_value(const std::string& line, const std::string& key) {
  const auto at = line.find('"' + key + "\":");
  if (at == std::string::npos) return {};
  auto from = at + key.size() + 3;
  const bool quoted = line[from] == '"';
  if (quoted) ++from;
  return line.substr(from, line.find_first_of(quoted ? "\"" : ",}", from) - from);
}

/// By connection.
inline std::map<std::string, std::vector<Recorded>> recorded(const std::string& file) {
  std::map<std::string, std::vector<Recorded>> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::string dir = json_value(line, "dir");
    if (dir != "c2s" && dir != "s2c") continue;
    all[json_value(line, "conn")].push_back(
        {std::strtoull(json_value(line, "t_ms").c_str(), nullptr, 10) * core::kMillisecond,
         dir == "c2s" ? wire::Way::kToServer : wire::Way::kToClient, from_hex(json_value(line, "hex"))});
  }
  return all;
}

}  // namespace entente::testing
