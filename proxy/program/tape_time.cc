#include "proxy/program/tape_time.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace entente {
namespace {

constexpr double kMostSeconds = 30.0 * 24 * 60 * 60;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || stop != end || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

}  // namespace

Outcome<core::Micros> parse_tape_time(std::string_view text) {
  const Error wrong{"'" + std::string(text) + "' is no time of a recording; write seconds (75.5) or m:ss (1:15)"};
  const std::size_t colon = text.find(':');
  const bool split = colon != std::string_view::npos;
  const auto minutes = split ? number(text.substr(0, colon)) : 0.0;
  const auto seconds = number(split ? text.substr(colon + 1) : text);
  if (!minutes || !seconds || (split && (*seconds >= 60 || *minutes != std::floor(*minutes)))) return wrong;
  const double all = 60 * *minutes + *seconds;
  if (all > kMostSeconds) return wrong;
  return static_cast<core::Micros>(std::llround(all * static_cast<double>(core::kSecond)));
}

std::string tape_time_text(core::Micros time) {
  const auto seconds = time / core::kSecond;
  const std::string rest = std::to_string(seconds % 60);
  return std::to_string(seconds / 60) + (rest.size() == 1 ? ":0" : ":") + rest;
}

}  // namespace entente
