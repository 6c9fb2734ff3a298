// Recordings made by a test, and the files of tests/traces.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>

#include "proxy/trace/recorder.h"
#include "tests/support/hex.h"
#include "tests/support/paths.h"

namespace entente {

/// A file of tests/traces.
inline std::string trace_file(const std::string& name) { return testing::source_dir() + "/tests/traces/" + name; }

inline std::unique_ptr<trace::Recorder> recorder(const std::string& path) {
  auto opened = trace::Recorder::open(path);
  REQUIRE(opened.ok());
  return std::move(*opened);
}

inline trace::Opened opening(std::uint32_t link, const char* game, const char* dialect) {
  trace::Opened opened;
  opened.set_link(link);
  opened.set_game(game);
  opened.set_dialect(dialect);
  opened.set_client("127.0.0.1:" + std::to_string(4000 + link));
  return opened;
}

inline void record(trace::Recorder& to, std::uint32_t link, trace::Way way, std::string_view hex, WallTime time) {
  const Buffer bytes = from_hex(hex);
  to.frame(time, {link, way, trace::STREAM, bytes, "", false});
}

}  // namespace entente
