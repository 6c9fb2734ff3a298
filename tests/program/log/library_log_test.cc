#include "proxy/program/log/library_log.h"

#include <doctest/doctest.h>
#include <google/protobuf/stubs/logging.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "proxy/program/log/log.h"
#include "schema/game.pb.h"
#include "tests/program/folder.h"

namespace entente::library_log_test {
namespace {

/// The lines that a log of that level has after libprotobuf has met 1,000 texts that are not UTF-8.
std::string logged(config::Log::Level level) {
  const Folder folder;
  config::Log settings;
  settings.set_level(level);
  settings.set_file(folder.file("log"));
  const auto before = spdlog::default_logger();
  auto* const handler = google::protobuf::SetLogHandler(nullptr);
  redirect_library_logs();
  REQUIRE(start_log(settings).ok());
  words::Said said;
  for (int i = 0; i < 1'000; ++i) CHECK_FALSE(said.ParseFromString("\x2a\x01\xff"));
  stop_log();
  said.ParseFromString("\x2a\x01\xff");  // there is no log any more
  google::protobuf::SetLogHandler(handler);
  spdlog::set_default_logger(before);
  std::ifstream file(folder.file("log"));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("what libprotobuf reports is logged with a limited rate, and only if the level asks for it") {
  const std::string lines = logged(config::Log::info);
  const std::string one = "error libprotobuf: String field 'entente.words.Said.text' contains invalid UTF-8 data";
  CHECK(lines.find(one) != std::string::npos);
  CHECK(lines.find(" more like this)\n") != std::string::npos);
  const auto count = std::count(lines.begin(), lines.end(), '\n');
  CHECK(count >= 10);
  CHECK(count <= 30);  // 10, one each second, and the rest
  CHECK(logged(config::Log::off) == "");
}

}  // namespace entente::library_log_test
