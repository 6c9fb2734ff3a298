#include "proxy/program/log/log_format.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string_view>

#include "proxy/base/text.h"
#include "proxy/program/screen_text.h"

namespace entente {
namespace {

using spdlog::memory_buf_t;

std::atomic<std::int32_t> named_process{0};

void put(memory_buf_t& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

template <class... Values>
void put_formatted(memory_buf_t& out, fmt::format_string<Values...> format, Values&&... values) {
  put(out, fmt::vformat(format, fmt::make_format_args(values...)));
}

// "2025-11-20T05:12:31.123Z"
void put_time(memory_buf_t& out, spdlog::log_clock::time_point at) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  put_formatted(out, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                utc.tm_hour, utc.tm_min, utc.tm_sec, since % 1000);
}

std::string_view name_of(spdlog::level::level_enum level) {
  static constexpr std::string_view kNames[] = {"trace", "debug", "info", "warn", "error", "error", "off"};
  return kNames[level];
}

// Puts `text`; characters that could be taken for something else, and bytes of none, go through `escape(number)`.
template <class Escape>
void put_escaped(memory_buf_t& out, std::string_view text, std::string_view special, Escape escape) {
  while (!text.empty()) {
    const std::size_t size = first_character(text);
    const std::string_view first = text.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0)
      escape(static_cast<unsigned char>(first[0]));
    else if (is_terminal_control(first) || special.find(first) != special.npos)
      escape(code_point(first));
    else
      put(out, first);
    text.remove_prefix(first.size());
  }
}

std::string_view view(const spdlog::string_view_t& text) { return {text.data(), text.size()}; }

class TextLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    put_time(out, message.time);
    put_formatted(out, " {:<5} ", name_of(message.level));
    if (const std::int32_t pid = named_process; pid != 0) put_formatted(out, "[{}] ", pid);
    put_escaped(out, view(message.payload), "", [&](unsigned byte) { put_formatted(out, "\\x{:02x}", byte); });
    put(out, "\n");
  }
  std::unique_ptr<formatter> clone() const override { return text_lines(); }
};

class JsonLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    put(out, "{\"time\":\"");
    put_time(out, message.time);
    put_formatted(out, "\",\"level\":\"{}\"", name_of(message.level));
    if (const std::int32_t pid = named_process; pid != 0) put_formatted(out, ",\"process\":{}", pid);
    put(out, ",\"text\":\"");
    put_escaped(out, view(message.payload), "\"\\", [&](unsigned byte) { put_formatted(out, "\\u{:04x}", byte); });
    put(out, "\"}\n");
  }
  std::unique_ptr<formatter> clone() const override { return json_lines(); }
};

}  // namespace

std::unique_ptr<spdlog::formatter> text_lines() { return std::make_unique<TextLines>(); }

void name_process_in_lines(std::int32_t pid) { named_process = pid; }

std::unique_ptr<spdlog::formatter> json_lines() { return std::make_unique<JsonLines>(); }

}  // namespace entente
