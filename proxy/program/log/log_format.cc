#include "proxy/program/log/log_format.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

#include "proxy/base/text.h"
#include "proxy/program/base/screen_text.h"

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

/// `<4>`, as the journal expects it (sd-daemon(3)).
void put_priority(memory_buf_t& out, spdlog::level::level_enum level) {
  static constexpr std::string_view kPriorities[] = {"<7>", "<7>", "<6>", "<4>", "<3>", "<3>", "<7>"};
  put(out, kPriorities[level]);
}

// A payload: the text, then kField, a name, kIs and a text for each field.
constexpr char kField = '\x1f', kIs = '\x1e';

/// The part of `payload` before the next kField. Removes both.
std::string_view next_part(std::string_view& payload) {
  const std::size_t end = std::min(payload.find(kField), payload.size());
  const std::string_view part = payload.substr(0, end);
  payload.remove_prefix(std::min(end + 1, payload.size()));
  return part;
}

void escape_marks(std::string& text) {
  for (std::size_t at = 0; (at = text.find_first_of("\x1e\x1f", at)) != std::string::npos;)
    text.replace(at, 1, text[at] == kField ? "\\x1f" : "\\x1e");
}

class TextLines final : public spdlog::formatter {
 public:
  explicit TextLines(bool journal) : journal_(journal) {}
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    if (journal_) {
      put_priority(out, message.level);
    } else {
      put_time(out, message.time);
      put_formatted(out, " {:<5} ", name_of(message.level));
    }
    if (const std::int32_t pid = named_process; pid != 0) put_formatted(out, "[{}] ", pid);
    std::string_view payload = view(message.payload);
    put_escaped(out, next_part(payload), "", [&](unsigned byte) { put_formatted(out, "\\x{:02x}", byte); });
    put(out, "\n");
  }
  std::unique_ptr<formatter> clone() const override { return text_lines(journal_); }

 private:
  const bool journal_;
};

void put_json_text(memory_buf_t& out, std::string_view text) {
  put_escaped(out, text, "\"\\", [&](unsigned byte) { put_formatted(out, "\\u{:04x}", byte); });
}

class JsonLines final : public spdlog::formatter {
 public:
  explicit JsonLines(bool journal) : journal_(journal) {}
  void format(const spdlog::details::log_msg& message, memory_buf_t& out) override {
    if (journal_) put_priority(out, message.level);
    put(out, "{\"time\":\"");
    put_time(out, message.time);
    put_formatted(out, "\",\"level\":\"{}\"", name_of(message.level));
    if (const std::int32_t pid = named_process; pid != 0) put_formatted(out, ",\"process\":{}", pid);
    put(out, ",\"text\":\"");
    std::string_view payload = view(message.payload);
    put_json_text(out, next_part(payload));
    while (!payload.empty()) {
      const std::string_view field = next_part(payload);
      const std::size_t is = std::min(field.find(kIs), field.size());
      put(out, "\",\"");
      put_json_text(out, field.substr(0, is));
      put(out, "\":\"");
      put_json_text(out, field.substr(std::min(is + 1, field.size())));
    }
    put(out, "\"}\n");
  }
  std::unique_ptr<formatter> clone() const override { return json_lines(journal_); }

 private:
  const bool journal_;
};

}  // namespace

std::string log_payload(std::string text, std::span<const LogField> fields) {
  escape_marks(text);
  for (const LogField& field : fields) {
    if (field.text.empty()) continue;
    std::string value(field.text);
    escape_marks(value);
    text.append(1, kField).append(field.name).append(1, kIs).append(value);
  }
  return text;
}

std::unique_ptr<spdlog::formatter> text_lines(bool journal) { return std::make_unique<TextLines>(journal); }

void name_process_in_lines(std::int32_t pid) { named_process = pid; }

std::unique_ptr<spdlog::formatter> json_lines(bool journal) { return std::make_unique<JsonLines>(journal); }

}  // namespace entente
