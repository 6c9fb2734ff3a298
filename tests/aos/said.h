// Helpers for the output of a test stage, line by line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace entente::aos {

/// The lines for which `keep` is true.
template <class Keep>
std::string kept(const std::string& said, Keep&& keep) {
  std::string out;
  for (std::string_view left = said; !left.empty();) {
    const std::size_t end = left.find('\n');
    if (keep(left.substr(0, end))) out += std::string(left.substr(0, end)) + '\n';
    left.remove_prefix(end + 1);
  }
  return out;
}

inline bool has(const std::string& said, std::string_view part) { return said.find(part) != std::string::npos; }

inline std::size_t lines(const std::string& said) {
  return static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n'));
}

/// How many lines of `said` begin with `begin`.
inline std::size_t count(const std::string& said, std::string_view begin) {
  return lines(kept(said, [&](std::string_view line) { return line.starts_with(begin); }));
}

}  // namespace entente::aos
