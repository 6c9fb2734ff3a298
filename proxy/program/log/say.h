// What the program's parts write into its log (log.h).
// Invariant: none of them includes spdlog. A file that formats with spdlog's own functions takes 4 s longer to compile.
#pragma once

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace entente {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

/// A field of an entry, which JSON lines have and text lines do not. `name`: of letters and '_'. Left out if `text` is
/// empty.
struct LogField {
  std::string_view name, text;
};

/// Writes one entry. From any thread.
void write_log(LogLevel level, fmt::string_view format, fmt::format_args values, std::span<const LogField> fields = {});

/// " (and 5 more like this)": at the end of a line that also stands for others. Empty if there are none.
std::string and_more(std::uint64_t suppressed);

template <class... Values>
void log_at(LogLevel level, fmt::format_string<Values...> format, Values&&... values) {
  write_log(level, format, fmt::make_format_args(values...));
}

template <class... Values>
void log_debug(fmt::format_string<Values...> format, Values&&... values) {
  write_log(LogLevel::kDebug, format, fmt::make_format_args(values...));
}

template <class... Values>
void log_info(fmt::format_string<Values...> format, Values&&... values) {
  write_log(LogLevel::kInfo, format, fmt::make_format_args(values...));
}

template <class... Values>
void log_warn(fmt::format_string<Values...> format, Values&&... values) {
  write_log(LogLevel::kWarn, format, fmt::make_format_args(values...));
}

template <class... Values>
void log_error(fmt::format_string<Values...> format, Values&&... values) {
  write_log(LogLevel::kError, format, fmt::make_format_args(values...));
}

}  // namespace entente
