#include "proxy/relay/admission/ban_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace entente::relay {
namespace {

constexpr std::uint64_t kYear = 365ULL * 24 * 3600;

/// The seconds of a unit such as "mins"; 0: it is none.
std::uint64_t seconds_of_unit(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kUnits{
      {{"week", 7 * 24 * 3600}, {"day", 24 * 3600}, {"hour", 3600}, {"min", 60}, {"sec", 1}}};
  for (const auto& [name, seconds] : kUnits)
    if (unit.starts_with(name)) return seconds;
  return 0;
}

}  // namespace

std::optional<std::uint32_t> time_of_ban(std::string_view words) {
  const std::size_t end = words.rfind(" remaining)");
  const std::size_t begin = end == std::string_view::npos ? end : words.rfind('(', end);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view rest = words.substr(begin + 1, end - begin - 1);
  std::uint64_t sum = 0;
  while (!rest.empty()) {
    std::uint64_t count = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (read.ec != std::errc{} || read.ptr == rest.data() + rest.size() || *read.ptr != ' ') return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()) + 1);
    const std::uint64_t unit = seconds_of_unit(rest);
    if (unit == 0) return std::nullopt;
    sum = std::min(sum + std::min(count, kYear) * unit, kYear);
    rest.remove_prefix(std::min(rest.find(", "), rest.size()));
    if (!rest.empty()) rest.remove_prefix(2);
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(sum, 1));
}

}  // namespace entente::relay
