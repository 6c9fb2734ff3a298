// Options whose value is checked when the command line is read: one of a few words, or a number in a range.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/program/base/suggest.h"

namespace entente {

/// Lets an option take only one of `words`. `--help` shows them: "--log-format text|json".
inline CLI::Option* allow_only(CLI::Option* option, const std::vector<std::string>& words) {
  std::string shown;
  for (const std::string& word : words) shown += (shown.empty() ? "" : "|") + word;
  return option
      ->check([words](const std::string& got) {
        const std::vector<std::string_view> known(words.begin(), words.end());
        return std::ranges::find(known, got) != known.end() ? "" : expected_one_of(known, got);
      })
      ->type_name(shown);
}

/// The largest id of a link.
inline constexpr std::int64_t kLargestLinkId = 0xFFFF'FFFF;

/// For CLI::Option::check(): the error if the value is not an integer in this range; otherwise "".
inline std::function<std::string(const std::string&)> integer_from(std::int64_t least, std::int64_t most) {
  return [=](const std::string& got) {
    std::int64_t value = least - 1;
    const auto [end, wrong] = std::from_chars(got.data(), got.data() + got.size(), value);
    const bool whole = wrong == std::errc{} && end == got.data() + got.size();
    return whole && value >= least && value <= most ? "" : expected_integer(least, most, "", "'" + got + "'");
  };
}

}  // namespace entente
