#include "proxy/program/base/time_text.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "proxy/core/replay/viewer_orders.h"

namespace entente {
namespace {

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

/// "75.5", "90s", "10m", "2h", "7d"
std::optional<double> with_unit(std::string_view text) {
  constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  for (const auto& [letter, seconds] : kUnits) {
    if (!text.ends_with(letter)) continue;
    const auto count = decimal(text.substr(0, text.size() - 1));
    return count ? std::optional(*count * seconds) : std::nullopt;
  }
  return decimal(text);
}

/// "1:15.5", "1:02:05": only the first number may be 60 or more, only the last may have a fraction.
std::optional<double> with_colons(std::string_view text) {
  double seconds = 0;
  for (int parts = 1;; ++parts) {
    const std::size_t colon = text.find(':');
    const bool last = colon == std::string_view::npos;
    const auto part = decimal(text.substr(0, colon));
    if (!part || parts > 3 || (parts > 1 && *part >= 60) || (!last && *part != std::floor(*part))) return std::nullopt;
    seconds = 60 * seconds + *part;
    if (last) return seconds;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

Outcome<core::Micros> parse_time(std::string_view text, core::Micros most) {
  const auto seconds = text.find(':') != std::string_view::npos ? with_colons(text) : with_unit(text);
  if (!seconds)
    return Error{"'" + std::string(text) +
                 "' is not a time; write seconds (75.5), minutes and seconds (1:15), or a unit (90s, 10m, 2h, 7d)"};
  if (*seconds * static_cast<double>(core::kSecond) > static_cast<double>(most))
    return Error{"'" + std::string(text) + "' is too long; the most is " +
                 std::to_string(most / core::kSecond / 86'400) + "d"};
  return static_cast<core::Micros>(std::llround(*seconds * static_cast<double>(core::kSecond)));
}

std::string time_text(core::Micros time) { return core::clock_text(time); }

}  // namespace entente
