// Real sessions of tests/traces/bzflag, as text: a line is "connection way lane hex", cut as TCP cut it.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "adapters/bzflag/bzflag.h"
#include "adapters/wire/dissect.h"
#include "tests/support/hex.h"
#include "tests/support/paths.h"

namespace entente::bzflag {

inline std::size_t dialect_of(std::string_view name) { return wire::find_dialect(game(), name).value(); }

/// Plays the tape `name` to one dissector a connection. `grain`: at most so many stream bytes at once, 0 = as cut.
/// `only`: this connection, 0 = all.
inline void play_tape(const std::string& name, std::string_view dialect, std::size_t grain, wire::DissectorSink& to,
                      int only = 0) {
  std::ifstream file(testing::source_dir() + "/tests/traces/bzflag/" + name + ".txt");
  REQUIRE(file.is_open());
  std::map<int, std::unique_ptr<wire::Dissector>> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int connection = 0;
    std::string way_name, lane, hex;
    words >> connection >> way_name >> lane >> hex;
    if (only != 0 && connection != only) continue;
    auto& dissector = all[connection];
    if (!dissector) dissector = std::make_unique<wire::Dissector>(game(), dialect_of(dialect));
    const auto way = way_name == "c2s" ? wire::Way::kToServer : wire::Way::kToClient;
    const Buffer bytes = from_hex(hex);
    if (lane == "end") {
      dissector->end(way, to, false);
    } else if (lane == "datagram") {
      dissector->datagram(way, bytes, to);
    } else {
      const std::size_t step = grain == 0 ? bytes.size() : grain;
      for (std::size_t at = 0; at < bytes.size(); at += step)
        dissector->stream(way, Bytes(bytes).subspan(at, std::min(step, bytes.size() - at)), to);
    }
  }
}

}  // namespace entente::bzflag
