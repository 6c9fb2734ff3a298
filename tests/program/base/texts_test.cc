// The texts that people write and read: times, numbers with their nouns, columns, JSON, hosts and ports, progress.
#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <string_view>

#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/host_port.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/progress.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/table.h"
#include "proxy/program/base/time_text.h"

namespace entente::texts_test {
namespace {

// -- Times ------------------------------------------------------------------------------------------------------------

/// In seconds; -1: it is no time.
double seconds(std::string_view text) {
  const auto time = parse_time(text);
  return time ? static_cast<double>(*time) / core::kSecond : -1;
}

TEST_CASE("a time is seconds, minutes and seconds, hours too, or a number with a unit") {
  CHECK(seconds("0") == 0);
  CHECK(seconds("75.5") == 75.5);
  CHECK(seconds("90s") == 90);
  CHECK(seconds("10m") == 600);
  CHECK(seconds("2h") == 7'200);
  CHECK(seconds("7d") == 7 * 86'400);
  CHECK(seconds("1.5h") == 5'400);
  CHECK(seconds("1:15") == 75);
  CHECK(seconds("1:15.5") == 75.5);
  CHECK(seconds("1:02:05") == 3'725);
}

TEST_CASE("only the first number of a time with colons may be 60 or more, and only the last may have a fraction") {
  CHECK(seconds("90:00") == 5'400);
  CHECK(seconds("100:00:00") == 360'000);
  CHECK(seconds("0:59.9") == 59.9);
  for (const char* wrong : {"1:60", "1:60:00", "1:00:60", "1.5:00", "1:1.5:00"})
    CHECK_MESSAGE(seconds(wrong) == -1, wrong);
}

TEST_CASE("what is no time is refused, and the error shows the forms") {
  for (const char* wrong : {"", "s", ":", "1:", ":1", "1:02:03:04", "-1", "-1s", "1e3", "inf", "nan", " 1", "1 ", "1x",
                            "1ms", "1:00s", "h2", "0x10"})
    CHECK_MESSAGE(seconds(wrong) == -1, wrong);
  CHECK(parse_time("soon").error().text ==
        "'soon' is not a time; write seconds (75.5), minutes and seconds (1:15), or a unit (90s, 10m, 2h, 7d)");
}

TEST_CASE("a time may be as long as the most that is allowed, and no longer") {
  constexpr core::Micros kTwoDays = core::Micros{2} * 86'400 * core::kSecond;
  CHECK(parse_time("2d", kTwoDays).ok());
  CHECK(parse_time("48:00:00", kTwoDays).ok());
  const auto longer = parse_time("172800.001", kTwoDays);
  REQUIRE_FALSE(longer.ok());
  CHECK(longer.error().text == "'172800.001' is too long; the most is 2d");
  CHECK(seconds("3650d") == 3'650.0 * 86'400);
  CHECK(seconds("3650.1d") == -1);
}

TEST_CASE("a time is rounded to the nearest microsecond, and shown in whole seconds") {
  CHECK(*parse_time("0.0000006") == 1);
  CHECK(*parse_time("0.0000004") == 0);
  CHECK(time_text(75'900'000) == "1:15");
  CHECK(time_text(59'999'999) == "0:59");
  CHECK(time_text(60'000'000) == "1:00");
  CHECK(time_text(3'725'000'000) == "1:02:05");
  CHECK(time_text(3'599'000'000) == "59:59");
}

// -- Numbers and columns ----------------------------------------------------------------------------------------------

TEST_CASE("a noun is in the plural unless there is exactly one") {
  CHECK(counted(0, "route") == "0 routes");
  CHECK(counted(1, "route") == "1 route");
  CHECK(counted(2, "route") == "2 routes");
  CHECK(sessions_go_on(0) == "0 sessions go on");
  CHECK(sessions_go_on(1) == "1 session goes on");
  CHECK(sessions_go_on(2) == "2 sessions go on");
}

TEST_CASE("a time of 0 is no limit, and is not mentioned") {
  CHECK(for_at_most(0) == "");
  CHECK(for_at_most(1) == " for at most 1 s");
}

TEST_CASE("each column is as wide as its widest cell, and no line ends with a blank") {
  CHECK(in_columns<3>({{"a", "bb", ""}, {"ccc", "d", "e"}, {"", "", ""}}) == "a    bb\nccc  d   e\n\n");
  CHECK(in_columns<2>({}) == "");
}

TEST_CASE("an option for a number takes its whole range and nothing else") {
  const auto check = integer_from(-5, 64);
  for (const char* good : {"-5", "0", "64"}) CHECK_MESSAGE(check(good) == "", good);
  for (const char* wrong : {"-6", "65", "", "x", "1x", "1.5", "+1", " 1", "99999999999999999999"})
    CHECK_MESSAGE(check(wrong) == "expected an integer from -5 to 64, got '" + std::string(wrong) + "'", wrong);
  CHECK(integer_from(0, kLargestLinkId)("4294967295") == "");
  CHECK(integer_from(0, kLargestLinkId)("4294967296") != "");
}

TEST_CASE("an option for a word takes its words, shows them, and says which one was probably meant") {
  CLI::App app;
  std::string value;
  const CLI::Option* option = allow_only(app.add_option("--form", value), {"text", "json"});
  CHECK(option->get_type_name() == "text|json");
  const auto complaint = [&](const char* word) {
    std::string text;
    try {
      app.parse(std::string("--form ") + word);
    } catch (const CLI::ParseError& error) {
      text = error.what();
    }
    return text;
  };
  CHECK(complaint("text") == "");
  CHECK(complaint("json") == "");
  CHECK(complaint("jsn").find("expected text or json, got 'jsn' (did you mean 'json'?)") != std::string::npos);
  CHECK(complaint("JSON") != "");
}

// -- JSON and terminals -----------------------------------------------------------------------------------------------

std::string json(std::string_view text) {
  std::string out = "x";
  json_text(text, out);
  return out;
}

TEST_CASE("JSON of any text is appended, escapes what JSON or a terminal would take for something else") {
  CHECK(json("") == "x\"\"");
  CHECK(json("a \"b\" \\c/") == "x\"a \\\"b\\\" \\\\c/\"");
  CHECK(json("a\n\t\x1b\x7f") == "x\"a\\u000a\\u0009\\u001b\\u007f\"");
  CHECK(json(std::string_view("\0", 1)) == "x\"\\u0000\"");
  CHECK(json("\u009b \u202e \u00e4") == "x\"\\u009b \\u202e \u00e4\"");
  CHECK(json("a\xff\xc3") == "x\"a\ufffd\ufffd\"");
}

TEST_CASE("a member of a JSON object has a comma before it, and its text is escaped") {
  std::string out = "{\"a\":1";
  json_member("why", "no \"x\"", out);
  CHECK(out + "}" == "{\"a\":1,\"why\":\"no \\\"x\\\"\"}");
}

TEST_CASE("JSON for a terminal keeps its quotes, line ends and tabs, and no other control character") {
  CHECK(screen_json("{\"a\":\"b\\\"\"}\n\t") == "{\"a\":\"b\\\"\"}\n\t");
  CHECK(screen_json("\r\x1b[2J\u009b\xff") == "\\u000d\\u001b[2J\\u009b\ufffd");
}

TEST_CASE("the first and the last of each kind of control character is one, and their neighbours are none") {
  for (const char* control : {"\x01", "\x1f", "\x7f", "\u0080", "\u009f", "\u202a", "\u202e", "\u2066", "\u2069"})
    CHECK_MESSAGE(is_terminal_control(control), json(control));
  for (const char* other : {" ", "~", "\u00a0", "\u2029", "\u202f", "\u2065", "\u206a"})
    CHECK_MESSAGE(!is_terminal_control(other), json(other));
}

TEST_CASE("what is kept for a terminal is only what was named") {
  CHECK(screen_text("a\n\tb\r", "\n\t") == "a\n\tb\\x0d");
  CHECK(screen_text("") == "");
  CHECK(screen_text("\xe2\x82") == "\\xe2\\x82");  // the beginning of a character
}

// -- Hosts and ports --------------------------------------------------------------------------------------------------

std::string split(std::string_view text) {
  const auto parts = split_host_port(text);
  return parts ? std::string(parts->host) + "|" + std::string(parts->port) : parts.error().text;
}

TEST_CASE("a host is split from its port, and IPv6 is in brackets") {
  CHECK(split("example.org:5154") == "example.org|5154");
  CHECK(split("192.0.2.7") == "192.0.2.7|");
  CHECK(split("[::1]:4410") == "::1|4410");
  CHECK(split("[::1]") == "::1|");
  CHECK(split("h:x") == "h|x");  // the port is not read here
}

TEST_CASE("the error of a host and port says what is wrong") {
  CHECK(split("") == "the host is missing");
  CHECK(split(":80") == "the host is missing");
  CHECK(split("[]:80") == "the host is missing");
  CHECK(split("h:") == "the port is missing after ':'");
  CHECK(split("[::1]:") == "the port is missing after ':'");
  CHECK(split("[::1") == "the '[' of the address is not closed");
  CHECK(split("[::1]80") == "only ':' and a port may follow ']'");
  CHECK(split("::1") == "an IPv6 address needs brackets, as in [::1]:4410");
  CHECK(split("two words:80") == "there is a space in the host");
  for (const char* host : {"a/b", "a@b", "a[b", "a]b"})
    CHECK_MESSAGE(split(host) == "a host has no '/', '@', '[' or ']'", host);
}

TEST_CASE("a port is a whole number from 0 to 65535") {
  CHECK(*parse_port("0") == 0);
  CHECK(*parse_port("65535") == 65535);
  for (const char* wrong : {"", "65536", "-1", "8x", " 8", "99999999999"})
    CHECK_MESSAGE(
        parse_port(wrong).error().text == "port: expected an integer from 0 to 65535, got '" + std::string(wrong) + "'",
        wrong);
}

// -- Progress ---------------------------------------------------------------------------------------------------------

constexpr std::chrono::milliseconds kAtOnce{0};

TEST_CASE("progress is one line that is rewritten, and removed when something else begins or at the end") {
  std::ostringstream terminal;
  {
    Progress progress(&terminal, kAtOnce);
    progress.begin("reading \x1b[a", 200);
    progress.reached(101);
    CHECK(terminal.str() == "\rreading \\x1b[a: 50 %");
    for (int i = 0; i < 63; ++i) progress.reached(150);  // looks only now and then
    CHECK(terminal.str() == "\rreading \\x1b[a: 50 %");
    progress.reached(150);
    CHECK(terminal.str() == "\rreading \\x1b[a: 50 %\rreading \\x1b[a: 75 %");
    terminal.str("");
    progress.begin("writing", 10);
    CHECK(terminal.str() == "\r\x1b[K");
    for (int i = 0; i < 64; ++i) progress.reached(1'000);
    CHECK(terminal.str() == "\r\x1b[K\rwriting: 100 %");
    terminal.str("");
    progress.clear();
    progress.clear();
    CHECK(terminal.str() == "\r\x1b[K");
    for (int i = 0; i < 64; ++i) progress.reached(5);
    CHECK(terminal.str() == "\r\x1b[K\rwriting: 50 %");
    terminal.str("");
  }
  CHECK(terminal.str() == "\r\x1b[K");
}

TEST_CASE("short work, work of an unknown size, and work without a terminal show no progress") {
  std::ostringstream terminal;
  {
    Progress patient(&terminal, std::chrono::hours(1));
    CHECK_FALSE(patient.took_long());
    patient.begin("reading", 100);
    for (int i = 0; i < 200; ++i) patient.reached(50);
    Progress unknown(&terminal, kAtOnce);
    CHECK(unknown.took_long());
    unknown.begin("reading", 0);
    for (int i = 0; i < 200; ++i) unknown.reached(50);
    Progress blind(nullptr, kAtOnce);
    blind.begin("reading", 100);
    for (int i = 0; i < 200; ++i) blind.reached(50);
  }
  CHECK(terminal.str() == "");
}

TEST_CASE("the same percentage is not shown again") {
  std::ostringstream terminal;
  Progress progress(&terminal, kAtOnce);
  progress.begin("reading", 1'000);
  for (int i = 0; i < 640; ++i) progress.reached(500 + static_cast<std::uint64_t>(i) / 128);
  CHECK(terminal.str() == "\rreading: 50 %");
}

}  // namespace
}  // namespace entente::texts_test
