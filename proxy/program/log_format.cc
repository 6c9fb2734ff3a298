#include "proxy/program/log_format.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/fmt/fmt.h>

#include <chrono>
#include <ctime>
#include <iterator>
#include <string_view>

#include "proxy/base/text.h"

namespace entente {
namespace {

using spdlog::memory_buf_t;

void put(memory_buf_t& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

// "2025-11-20T05:12:31.123Z"
void put_time(memory_buf_t& out, spdlog::log_clock::time_point at) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, since % 1000);
}

std::string_view name_of(spdlog::level::level_enum level) {
  static constexpr std::string_view kNames[] = {"trace", "debug", "info", "warn", "error", "error", "off"};
  return kNames[level];
}

// Puts `text`; characters that could be taken for something else go through `escape(byte)`.
template <class Escape>
void put_escaped(memory_buf_t& out, std::string_view text, std::string_view special, Escape escape) {
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // C1 controls are two bytes in UTF-8 and move a terminal's cursor all the same.
    const bool c1 = size == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (size == 0 || first < 0x20 || first == 0x7F || special.find(text[0]) != special.npos) {
      escape(first);
      text.remove_prefix(1);
    } else if (c1) {
      escape(static_cast<unsigned char>(text[1]));
      text.remove_prefix(2);
    } else {
      put(out, text.substr(0, size));
      text.remove_prefix(size);
    }
  }
}

std::string_view view(const spdlog::string_view_t& text) { return {text.data(), text.size()}; }

class TextLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    put_time(out, message.time);
    fmt::format_to(std::back_inserter(out), " {:<5} ", name_of(message.level));
    put_escaped(out, view(message.payload), "",
                [&](unsigned byte) { fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte); });
    put(out, "\n");
  }
  std::unique_ptr<formatter> clone() const override { return text_lines(); }
};

class JsonLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    put(out, "{\"time\":\"");
    put_time(out, message.time);
    fmt::format_to(std::back_inserter(out), "\",\"level\":\"{}\",\"text\":\"", name_of(message.level));
    put_escaped(out, view(message.payload), "\"\\",
                [&](unsigned byte) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte); });
    put(out, "\"}\n");
  }
  std::unique_ptr<formatter> clone() const override { return json_lines(); }
};

}  // namespace

std::unique_ptr<spdlog::formatter> text_lines() { return std::make_unique<TextLines>(); }

std::unique_ptr<spdlog::formatter> json_lines() { return std::make_unique<JsonLines>(); }

}  // namespace entente
