#include "proxy/program/log/log_format.h"

#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <spdlog/details/log_msg.h>

#include <array>
#include <chrono>
#include <random>
#include <string>

namespace entente::log_format_test {

namespace {

const spdlog::log_clock::time_point kWhen{std::chrono::milliseconds{1'763'615'551'042}};  // 2025-11-20T05:12:31.042Z

std::string line(spdlog::formatter& format, spdlog::level::level_enum level, std::string_view text) {
  spdlog::memory_buf_t out;
  format.format({kWhen, {}, "entente", level, {text.data(), text.size()}}, out);
  return {out.data(), out.size()};
}

}  // namespace

TEST_CASE("a text line has time, level and text, and stays one line") {
  const auto format = text_lines();
  CHECK(line(*format, spdlog::level::info, "player Jürgen \xE2\x98\xBA left") ==
        "2025-11-20T05:12:31.042Z info  player Jürgen \xE2\x98\xBA left\n");
  CHECK(line(*format, spdlog::level::err, "a\nb\r\t\x1B[2J\x7F") ==
        "2025-11-20T05:12:31.042Z error a\\x0ab\\x0d\\x09\\x1b[2J\\x7f\n");
  CHECK(line(*format, spdlog::level::warn,
             "\xFF\xC2\x9B"
             "31m") == "2025-11-20T05:12:31.042Z warn  \\xff\\x9b31m\n");
}

TEST_CASE("a JSON line is an object with time, level and text") {
  const auto format = json_lines();
  CHECK(
      line(*format, spdlog::level::warn, "say \"hi\" \\ \n") ==
      "{\"time\":\"2025-11-20T05:12:31.042Z\",\"level\":\"warn\",\"text\":\"say \\u0022hi\\u0022 \\u005c \\u000a\"}\n");
}

TEST_CASE("fields are members of a JSON line, and no text can add one") {
  const std::array<LogField, 3> fields{{{"player", "an\x1fna\"\x1e"}, {"server", ""}, {"reason", "client left"}}};
  const std::string payload = log_payload(
      "a\x1froute\x1e"
      "b",
      fields);
  CHECK(line(*json_lines(), spdlog::level::info, payload) ==
        "{\"time\":\"2025-11-20T05:12:31.042Z\",\"level\":\"info\",\"text\":\"a\\u005cx1froute\\u005cx1eb\","
        "\"player\":\"an\\u005cx1fna\\u0022\\u005cx1e\",\"reason\":\"client left\"}\n");
  CHECK(line(*text_lines(), spdlog::level::info, payload) == "2025-11-20T05:12:31.042Z info  a\\x1froute\\x1eb\n");
}

TEST_CASE("after a take-over each line names its process") {
  name_process_in_lines(4242);
  CHECK(line(*text_lines(), spdlog::level::info, "a") == "2025-11-20T05:12:31.042Z info  [4242] a\n");
  CHECK(line(*json_lines(), spdlog::level::info, "a") ==
        "{\"time\":\"2025-11-20T05:12:31.042Z\",\"level\":\"info\",\"process\":4242,\"text\":\"a\"}\n");
  name_process_in_lines(0);
  CHECK(line(*text_lines(), spdlog::level::info, "a") == "2025-11-20T05:12:31.042Z info  a\n");
}

TEST_CASE("whatever bytes a peer sends, a JSON line parses and a text line is printable") {
  std::mt19937 random(7);
  const auto json = json_lines();
  const auto text = text_lines();
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(random() % 12, '\0');
    // Half of the bytes are from the range of UTF-8's multibyte sequences.
    for (char& byte : bytes) byte = static_cast<char>(random() % 2 ? random() : 0x80 + random() % 0x80);
    google::protobuf::Struct object;
    const std::string said = line(*json, spdlog::level::info, bytes);
    const auto status = google::protobuf::util::JsonStringToMessage(said, &object);
    REQUIRE_MESSAGE(status.ok(), said);
    CHECK(object.fields().contains("text"));
    CHECK(said.find('\n') == said.size() - 1);

    const std::string shown = line(*text, spdlog::level::info, bytes);
    for (const char c : shown.substr(0, shown.size() - 1)) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
}

}  // namespace entente::log_format_test
