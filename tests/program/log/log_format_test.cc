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

TEST_CASE("each level has its name, and in the journal its priority instead of the time") {
  using spdlog::level::level_enum;
  struct Level {
    level_enum level;
    const char *name, *priority;
  };
  for (const Level& one : {Level{spdlog::level::trace, "trace", "<7>"}, Level{spdlog::level::debug, "debug", "<7>"},
                           Level{spdlog::level::info, "info ", "<6>"}, Level{spdlog::level::warn, "warn ", "<4>"},
                           Level{spdlog::level::err, "error", "<3>"}, Level{spdlog::level::critical, "error", "<3>"}}) {
    CAPTURE(one.name);
    CHECK(line(*text_lines(), one.level, "a") == "2025-11-20T05:12:31.042Z " + std::string(one.name) + " a\n");
    CHECK(line(*text_lines(true), one.level, "a") == std::string(one.priority) + "a\n");
    CHECK(line(*json_lines(true), one.level, "a").starts_with(std::string(one.priority) + "{\"time\":"));
    CHECK(line(*json_lines(), one.level, "a").starts_with("{\"time\":"));
  }
}

TEST_CASE("a copy of a format is the same format") {
  for (const bool journal : {false, true}) {
    const auto text = text_lines(journal), json = json_lines(journal);
    const auto text_copy = text->clone(), json_copy = json->clone();
    CHECK(line(*text_copy, spdlog::level::info, "a") == line(*text, spdlog::level::info, "a"));
    CHECK(line(*json_copy, spdlog::level::info, "a") == line(*json, spdlog::level::info, "a"));
  }
}

TEST_CASE("a field without a text is left out, and several stay in their order") {
  const std::array<LogField, 3> fields{{{"b", "2"}, {"empty", ""}, {"a", "1"}}};
  CHECK(line(*json_lines(), spdlog::level::info, log_payload("x", fields))
            .ends_with(",\"text\":\"x\",\"b\":\"2\",\"a\":\"1\"}\n"));
  CHECK(line(*json_lines(), spdlog::level::info, log_payload("x", {})).ends_with(",\"text\":\"x\"}\n"));
}

}  // namespace entente::log_format_test
